"""How estimates from sampled flops miss the exact exploitability, from the log of an exact measurement.

``cfr exploit always-call --partial LOG`` measures all flops and keeps what each of them gave; ``python -m
benchmarks.studies.sampling always-call --log LOG`` then draws samples from it and prints, for each size: the mean error
of the estimate, of the plain sample mean (too high) and of the cross-validated one (too low), the standard deviation of
the error, the mean standard error that was claimed, and how often the 95 % interval covered the exact value. All in
mbb/g. ``--control-variate`` draws the same samples with flop values of another strategy, as ``cfr exploit`` does.

``--resolve turn`` does the same for the log of ``cfr exploit FILE --resolve turn --flops all --lines all --partial
LOG``. The exact value is then that of all flops, on the turns that the log has. There is no plain sample mean.
"""

import argparse
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cfr.exploit.by_flop import Boardwise, identity_of
from cfr.exploit.exploitability import MeasuredBoards, Measurement
from cfr.exploit.flop_values import FlopValues
from cfr.exploit.resolved_exploitability import summary
from cfr.exploit.resolved_measurement import ResolvedMeasurement
from cfr.game.rules import Game
from cfr.hands.flops import sample
from cfr.resolving.named_strategy import open_or_default
from cfr.resolving.resolver import Effort
from cfr.resolving.resolving_strategy import Resolving
from cfr.strategy.files.bundled import located_flop_values
from cfr.strategy.files.stored import open_strategy
from cfr.system.disk.result_log import Records
from cfr.system.interval import half_width_of


class Sampled(NamedTuple):
    """An estimate from one sample, mbb/g; ``plain`` and ``crossed`` are NaN where there are none."""

    estimate: float
    claimed: float
    plain: float = nan
    crossed: float = nan


Draw = Callable[[np.ndarray], Sampled]


def kept(path: Path, measurement: Boardwise, identity: Mapping[str, Any]) -> dict[int, np.ndarray]:
    """The results of all flops in a log."""
    with Records(path, identity, measurement.width + 1, resume=True) as log:
        results = {number: record[:-1] for number, record in log.found.items()}
    if len(results) < len(measurement.boards.cards):
        raise SystemExit(
            f"{path}: {len(results)} of {len(measurement.boards.cards)} flops; finish the measurement first"
        )
    return results


def whole_of(measurement: Measurement, path: Path) -> MeasuredBoards:
    """A strategy measured on all flops, from its log."""
    every = np.arange(len(measurement.boards.cards))
    return MeasuredBoards(measurement, kept(path, measurement, identity_of(measurement.strategy)), every, True, 0)


def fixed(args: argparse.Namespace, game: Game | None, control: FlopValues | None) -> tuple[Boardwise, float, Draw]:
    """Boards, exact value and estimates of a strategy as it stands in its file."""
    with open_strategy(args.file, game) as strategy:
        whole = whole_of(Measurement(strategy, values=args.values), args.log)

    def of_sample(numbers: np.ndarray) -> Sampled:
        drawn = replace(whole, numbers=numbers, exact=False, control=control)
        estimate = drawn.summary()
        return Sampled(estimate.exploitability_mbb, estimate.standard_error_mbb, *drawn.naive_and_cross_validated())

    return whole.measurement, whole.summary().exploitability_mbb, of_sample


def resolved(args: argparse.Namespace, game: Game | None, control: FlopValues | None) -> tuple[Boardwise, float, Draw]:
    """The same of a strategy that re-solves."""
    with open_or_default(args.file, args.resolve, game) as strategy:
        assert isinstance(strategy, Resolving)
        if args.iterations is not None:
            strategy.effort = Effort(args.iterations)
        alone = whole_of(Measurement(strategy.blueprint), args.log.with_name(f"{args.log.name}-blueprint"))
        boards = None if args.resolve == "flop" else args.boards  # nothing is dealt between
        measurement = ResolvedMeasurement(strategy, boards, blueprint=alone.measurement)
        results = kept(args.log, measurement, measurement.identity)
    whole = summary(measurement, alone, results, [alone.numbers], True, 0)

    def of_sample(numbers: np.ndarray) -> Sampled:
        found = summary(measurement, alone, results, [numbers], False, 0, control)
        return Sampled(found.exploitability_mbb, found.standard_error_mbb)

    return measurement, whole.exploitability_mbb, of_sample


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="strategy file or built-in")
    parser.add_argument("--log", type=Path, required=True, help="of its exact measurement")
    parser.add_argument("--resolve", choices=("flop", "turn", "river"), help="the log is of re-solved play")
    parser.add_argument("--boards", type=int, default=2, metavar="M", help="with --resolve: as in the measurement")
    parser.add_argument("--iterations", type=int, metavar="I", help="with --resolve: as in the measurement")
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
    measurement, exact, of_sample = (fixed if args.resolve is None else resolved)(args, game, control)
    print(f"exact {exact:.4f} mbb/g")
    fingerprint = 0
    print(f"{'flops':>6}{'error':>9}{'plain':>9}{'crossed':>9}{'deviation':>11}{'claimed':>9}{'covered':>9}")
    for size in args.sizes:
        found = []
        for seed in range(args.samples):
            numbers = sample(measurement.boards, size, seed)
            found.append(of_sample(numbers))
            fingerprint = zlib.crc32(numbers.astype("<i8").data, fingerprint)
        estimates, claimed, plain, crossed = np.transpose(found)
        errors = estimates - exact
        covered = np.mean(np.abs(errors) <= [half_width_of(error, size) for error in claimed])
        means = (np.mean(each) for each in (errors, plain - exact, crossed - exact))
        print(f"{size:>6}" + "".join(f"{mean:>9.2f}" for mean in means), end="")
        print(f"{np.std(errors):>11.2f}{np.mean(claimed):>9.2f}{100 * covered:>8.1f}%")
    print(f"fingerprint {fingerprint:08x}")


if __name__ == "__main__":
    main()
