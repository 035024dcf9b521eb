"""How estimates from sampled flops miss the exact exploitability, from the log of an exact measurement.

``cfr exploit always-call --partial LOG`` measures all flops and keeps what each of them gave; ``python -m
benchmarks.studies.sampling always-call --log LOG`` then draws samples from it and prints, for each size: the mean error
of the estimate, of the plain sample mean (too high) and of the cross-validated one (too low), the standard deviation of
the error, the mean standard error that was claimed, and how often the 95 % interval covered the exact value. All in
mbb/g. ``--control-variate`` draws the same samples with flop values of another strategy, as ``cfr exploit`` does.
"""

import argparse
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np

from cfr.exploit.by_flop import identity_of
from cfr.exploit.exploitability import MeasuredBoards, Measurement
from cfr.exploit.flop_values import FlopValues
from cfr.game.rules import Game
from cfr.hands.flops import sample
from cfr.strategy.files.bundled import located_flop_values
from cfr.strategy.files.stored import open_strategy
from cfr.system.disk.result_log import Records
from cfr.system.interval import half_width_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="strategy file or built-in")
    parser.add_argument("--log", type=Path, required=True, help="of its exact measurement")
    parser.add_argument("--values", action="store_true", help="the log was kept with --save")
    parser.add_argument("--control-variate", metavar="VALUES", help="flop values of another strategy, or small")
    parser.add_argument("--game", help="of a built-in (default: hulhe)")
    parser.add_argument("--sizes", type=int, nargs="+", default=[30, 100, 300], metavar="N", help="flops in a sample")
    parser.add_argument("--samples", type=int, default=200, help="of each size (default %(default)s)")
    args = parser.parse_args()
    game = None if args.game is None else Game.find(args.game)
    control = None
    if args.control_variate is not None:
        control = FlopValues.open(located_flop_values(args.control_variate))
    with open_strategy(args.file, game) as strategy:
        measurement = Measurement(strategy, values=args.values)
        with Records(args.log, identity_of(strategy), measurement.width + 1, resume=True) as log:
            results = {number: record[:-1] for number, record in log.found.items()}
    every = np.arange(len(measurement.boards.cards))
    if len(results) < len(every):
        raise SystemExit(f"{args.log}: {len(results)} of {len(every)} flops; finish the measurement first")
    whole = MeasuredBoards(measurement, results, every, True, 0)
    exact = whole.summary().exploitability_mbb
    print(f"exact {exact:.4f} mbb/g")
    fingerprint = 0
    print(f"{'flops':>6}{'error':>9}{'plain':>9}{'crossed':>9}{'deviation':>11}{'claimed':>9}{'covered':>9}")
    for size in args.sizes:
        errors, plain, crossed, claimed = [], [], [], []
        for seed in range(args.samples):
            numbers = sample(measurement.boards, size, seed)
            drawn = replace(whole, numbers=numbers, exact=False, control=control)
            estimate = drawn.summary()
            high, low = drawn.naive_and_cross_validated()
            errors.append(estimate.exploitability_mbb - exact)
            plain.append(high - exact)
            crossed.append(low - exact)
            claimed.append(estimate.standard_error_mbb)
            fingerprint = zlib.crc32(numbers.astype("<i8"), fingerprint)
        covered = np.mean(np.abs(errors) <= [half_width_of(error, size) for error in claimed])
        print(
            f"{size:>6}{np.mean(errors):>9.2f}{np.mean(plain):>9.2f}{np.mean(crossed):>9.2f}{np.std(errors):>11.2f}"
            f"{np.mean(claimed):>9.2f}{100 * covered:>8.1f}%"
        )
    print(f"fingerprint {fingerprint:08x}")


if __name__ == "__main__":
    main()
