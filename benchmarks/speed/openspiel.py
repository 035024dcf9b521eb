"""Time per CFR+ iteration of Leduc hold'em: OpenSpiel's C++ solver against ours, one thread each.

``python -m benchmarks.speed.openspiel`` prints medians and a fingerprint of our average strategy that changes only when
results do, whatever the options. "kernel" is the two traversals of an iteration, in float64; "solver" adds what a solve
does around them. Contestants take turns, so that a busy machine slows all of them alike, and have done 20 iterations
before that, after which both must have the same exploitability. OpenSpiel is installed by pip install 'cfr[openspiel]'.
"""

import argparse
import zlib
from pathlib import Path

from benchmarks.clock import rates, repeated
from cfr.abstraction.abstraction import Abstraction
from cfr.formats import openspiel
from cfr.game.rules import Game
from cfr.kernel.chance import enumerate_deal
from cfr.kernel.schedules import CFR_PLUS
from cfr.solver.game_solver import GameSolver
from cfr.solver.settings import Settings
from cfr.system.errors import CfrError

LEDUC = Game.bundled("leduc")
FIRST = 20  # iterations before anything is timed; the fingerprint is taken after them
OURS = 100  # iterations of ours in a turn, for each of OpenSpiel's


class Kernel:
    """Leduc's tables, and the bare traversals that update them."""

    def __init__(self) -> None:
        abstraction = Abstraction.lossless(LEDUC)
        settings = Settings(LEDUC, None, iterations=1, schedule=CFR_PLUS.name, out=Path("unused.h5"))
        self.solver = GameSolver(settings, abstraction)
        deal = enumerate_deal(LEDUC, abstraction)
        self._traversals = [
            self.solver.traversal.prepare(
                deal, self.solver.regrets, seat, "update", averages=[tables[seat] for tables in self.solver.averages]
            )
            for seat in (0, 1)
        ]

    def step(self) -> None:
        for traversal in self._traversals:
            traversal.run()

    def fingerprint(self) -> int:
        value = 0
        for tables in self.solver.averages:
            for table in tables:
                value = zlib.crc32(table.data, value)
        return value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few iterations, one turn: shows only that it works")
    parser.add_argument("--iterations", type=int, default=20, help="of OpenSpiel in a turn (default %(default)s)")
    parser.add_argument("--repeats", type=int, default=9, help="turns per median (default %(default)s)")
    args = parser.parse_args()
    iterations, repeats = (1, 1) if args.quick else (args.iterations, args.repeats)
    try:
        game = openspiel.load_game(LEDUC)
    except CfrError as error:
        raise SystemExit(str(error)) from None
    import pyspiel

    theirs, kernel = pyspiel.CFRPlusSolver(game), Kernel()
    solver = kernel.solver
    for _ in range(FIRST):
        theirs.evaluate_and_update_policy()
        solver.step()
    fingerprint = kernel.fingerprint()
    antes = pyspiel.exploitability(game, theirs.tabular_average_policy())
    if abs(solver.exploitability_mbb() / 1000 - antes) > 1e-9:
        raise SystemExit(f"OpenSpiel disagrees: {antes} antes, ours {solver.exploitability_mbb() / 1000}")

    ours = OURS * iterations
    rate = rates(
        {
            "OpenSpiel, C++": (iterations, repeated(theirs.evaluate_and_update_policy, iterations)),
            "kernel": (ours, repeated(kernel.step, ours)),
            "solver": (ours, repeated(solver.step, ours)),
        },
        repeats,
    )
    slowest = rate["OpenSpiel, C++"]
    for name, per_second in rate.items():
        ratio = "" if per_second == slowest else f", {per_second / slowest:,.0f} x OpenSpiel"
        print(f"leduc, {name:<16}{1000 / per_second:10.3f} ms per iteration{ratio}")
    print(f"fingerprint {fingerprint:08x}")


if __name__ == "__main__":
    main()
