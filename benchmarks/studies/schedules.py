"""Schedules of lossless games beside each other: iterations until a target, and exploitability on the way.

``python -m benchmarks.studies.schedules`` solves Leduc, Rhode Island, [2-1] and flop hold'em by each schedule. It
prints the iterations after which the better of the average (a) and the current strategy (c) is at the game's target, as
a ratio to those of CFR+, and its exploitability in mbb/g there. Solves are measured when ``cfr solve --target`` would
measure them. A schedule that has not arrived after ``--most`` times the iterations of CFR+ is given up. The fingerprint
is of the iterations.
"""

import argparse
import platform
import zlib

from cfr.abstraction.abstraction import Abstraction
from cfr.game.rules import Game
from cfr.kernel.schedules import CFR_PLUS, LOSSLESS
from cfr.solver.game_solver import GameSolver
from cfr.solver.settings import Settings
from cfr.solver.solver import Measurement
from cfr.solver.target import EnumeratedTarget
from cfr.system.cores import usable_cores

TARGETS = {"leduc": 1.0, "rhode-island": 1.0, "holdem-2-1": 1.0, "flop-holdem": 5.0, "holdem-2-4": 1.0}  # mbb/g
QUICK = ("leduc",)
USUAL = ("leduc", "rhode-island", "holdem-2-1", "flop-holdem")
_GIVEN_UP = 16_384  # iterations, where CFR+ is not there either


def until(game: Game, schedule: str, target_mbb: float, most: int, threads: int) -> tuple[int, Measurement]:
    """Iterations to the target, or ``most``, and what was measured there."""
    run = GameSolver(
        Settings(game, None, target_mbb=target_mbb, schedule=schedule, threads=threads), Abstraction.lossless(game)
    )
    target = EnumeratedTarget(target_mbb, run)
    while not target.is_reached and run.iterations < most:
        run.step()
        if target.is_due(run.iterations):
            target.measure()
    return run.iterations, run.measure()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="Leduc only; the fingerprint is of it")
    parser.add_argument("--games", nargs="+", choices=list(TARGETS), default=list(USUAL))
    parser.add_argument("--schedules", nargs="+", choices=[each.name for each in LOSSLESS])
    parser.add_argument("--most", type=float, default=1.5, help="times the iterations of CFR+ (default: 1.5)")
    parser.add_argument("--threads", type=int, default=usable_cores())
    options = parser.parse_args()
    names = options.schedules or [each.name for each in LOSSLESS if each is not CFR_PLUS]
    print(platform.processor() or platform.machine())
    print(f"{'game':<14}{'target':>8}  {'schedule':<10}{'iterations':>11}{'to CFR+':>9}{'mbb/g':>10}")
    fingerprint = 0
    for name in QUICK if options.quick else options.games:
        game, target = Game.bundled(name), TARGETS[name]
        most = _GIVEN_UP
        for schedule in (CFR_PLUS.name, *names):
            iterations, found = until(game, schedule, target, most, options.threads)
            if schedule == CFR_PLUS.name:
                reference, most = iterations, min(_GIVEN_UP, int(options.most * iterations))
            fingerprint = zlib.crc32(f"{name} {schedule} {iterations}".encode(), fingerprint)
            given_up = "" if found.exploitability_mbb <= target else "  given up"
            print(
                f"{name:<14}{target:>8g}  {schedule:<10}{iterations:>11,}{iterations / reference:>8.2f}x"
                f"{found.exploitability_mbb:>9.3f}{found.strategy[0]}{given_up}",
                flush=True,
            )
    print(f"fingerprint {fingerprint:08x}")


if __name__ == "__main__":
    main()
