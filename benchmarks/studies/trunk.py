"""Play before the flop, solved against a few flops without buckets, with and without a control variate.

``python -m benchmarks.studies.trunk`` takes the game and the blueprint of :mod:`benchmarks.studies.split`. As
``cfr solve --lossless --blueprint`` does, it solves a game without buckets of a stratified sample of flops, and takes
its play before the flop for a trunk. A trunk's worth is the exploitability of the best continuation that it can have on
all flops. Few flops mislead: a hand that they favour comes in too often. The control variate
(:mod:`cfr.solver.trunk.control_variate`) makes up for that. Without it, rows have values of zero.

The fingerprint is of the exact numbers.
"""

import argparse
import zlib
from dataclasses import replace
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.studies.lossless import one_raise
from benchmarks.studies.split import best_after, opening_play, parser_of, shown
from cfr.exploit.exploitability import measure_boards
from cfr.exploit.measurement_run import Run
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.solver.trunk.trunk import Trunk
from cfr.strategy.files.stored import Strategy


def main() -> None:
    parser = parser_of(__doc__, river_rows="strength")
    parser.add_argument("--flops", type=int, nargs="+", default=[4, 8, 16], help="of the samples")
    parser.add_argument("--seeds", type=int, default=3, help="samples of each size")
    parser.add_argument("--quick", action="store_true", help="one small sample, few iterations")
    options = parser.parse_args()
    if options.quick:
        options.buckets, options.blueprint_iterations, options.iterations = 20, 200, 8
        options.flops, options.seeds = [4], 1
    print(f"fingerprint {zlib.crc32(repr(study(options)).encode()):08x}")


def study(options: argparse.Namespace) -> list[float]:
    """Print the tables; the exact numbers."""
    game, threads = one_raise(options.cards), options.threads
    found: list[float] = []
    with TemporaryDirectory() as folder:
        path, known, unknown = (Path(folder) / name for name in ("blueprint.h5", "values.h5", "zeros.h5"))
        buckets = (options.buckets,) * 3
        solve(Settings(game, buckets, options.blueprint_iterations, schedule="cfr-br", threads=threads, out=path))
        settings = Settings(
            game,
            None,
            options.iterations,
            lossless=True,
            tables="bfloat16",
            threads=threads,
            river_rows=options.river_rows,
            out=Path(folder) / "trunk.h5",
            overwrite=True,
        )
        with Strategy(path) as blueprint:
            values = measure_boards(blueprint, run=Run(threads)).flop_values("blueprint")
            values.save(known)
            replace(values, values=np.zeros_like(values.values)).save(unknown)
            played = opening_play(blueprint)
        print(f"{game.name}, {len(values.values)} flops; the best that a trunk allows, mbb/g")
        print(f"{'':<44}{'mean':>9}{'button':>9}{'big bl.':>9}")
        found += shown(game, "the blueprint's trunk", best_after(settings, played))

        def best_of(flops: int | None, control: Path | None = None, seed: int = 0) -> tuple[float, float]:
            solve(replace(settings, trunk=Trunk.of(path, flops, control), seed=seed))
            with Strategy(settings.out) as trunk:
                return best_after(settings, opening_play(trunk))

        found += shown(game, "of all flops", best_of(None))
        for count in options.flops:
            for name, control in (("flops", unknown), ("flops, with the control variate", known)):
                of_seeds = [best_of(count, control, seed) for seed in range(options.seeds)]
                won = mean(each[0] for each in of_seeds), mean(each[1] for each in of_seeds)
                totals = ", ".join(f"{sum(each) / 2:.1f}" for each in of_seeds)
                found += shown(game, f"of {count} {name}", won, f"  ({totals})")
    return found


if __name__ == "__main__":
    main()
