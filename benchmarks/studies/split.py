"""Where a re-solved strategy's exploitability sits: in the play before the flop, in re-solving, or behind the flop.

``python -m benchmarks.studies.split`` takes a game small enough to solve without buckets, the deck of ``royal`` with
one raise in a round, and solves a blueprint with buckets for it. It prints what a best response wins in either seat

* from the blueprint,
* from the blueprint with turns, and with flops, re-solved, by a sample of flops,
* from the blueprint's play before the flop with the best continuation that it can have: one seat keeps this play, all
  else is solved without buckets, and the other seat adapts,
* from the solution of the game, after as many iterations.

What lies between the last two is lost before the flop, and no re-solving can win it back. What lies between a re-solved
strategy and the best continuation is lost by re-solving. The fingerprint is of the exact numbers.
"""

import argparse
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.studies.lossless import one_raise
from cfr.abstraction.abstraction import Abstraction
from cfr.exploit.exploitability import exploitability
from cfr.exploit.measurement_run import Run
from cfr.exploit.resolved_exploitability import resolved_exploitability
from cfr.game.rules import Game
from cfr.hands.river_rows import RIVER_ROWS, RiverRows
from cfr.kernel.best_response import measure
from cfr.kernel.chance import Deal, enumerate_deal, in_visiting_order
from cfr.kernel.numbers import narrowed
from cfr.kernel.tables import Tables
from cfr.kernel.traversal import Visit
from cfr.resolving.resolver import Effort
from cfr.resolving.resolving_strategy import Resolving
from cfr.solver.game_solver import GameSolver
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.strategy.files.stored import Strategy

RE_SOLVED = ("turn", "flop")


def opening(solver: GameSolver, deal: Deal, played: np.ndarray, seat: int) -> np.ndarray:
    """``(node_actions, hands)`` play before the flop, in a solver's table of one seat."""
    rows = deal.rounds[0].row_of_hand[0]
    merged = np.zeros((deal.num_rows[0], len(played), 1), np.float32)
    merged[rows, :, 0] = played.T
    table = solver.traversal.tree.of_seat(merged, 0, seat, np.float32)
    return narrowed(table, solver.traversal.table_dtypes[0])


def solved(settings: Settings, keeper: int | None, played: np.ndarray) -> tuple[float, float]:
    """What a best response wins in each seat, in mbb/g, from the solution in which a seat keeps its opening play.

    ``played`` are the ``(node_actions, hands)`` probabilities of that play.
    """
    solver = GameSolver(settings, Abstraction.lossless(settings.game, settings.river_rows))
    deal, _ = in_visiting_order(enumerate_deal(settings.game, solver.abstraction), solver.abstraction)
    kept = None if keeper is None else opening(solver, deal, played, keeper)

    def restore(tables: Tables) -> None:
        if keeper is not None:
            tables[keeper][...] = kept

    restore(solver.regrets[0])
    for iteration in range(1, (settings.iterations or 0) + 1):
        visit = Visit(0, solver.schedule.weight(iteration), solver.schedule.kept(iteration), seed=iteration)
        for seat in (0, 1):
            sums = [pair[seat] for pair in solver.averages]
            solver.traversal.run(deal, solver.regrets, seat, "update", visit, averages=sums)
            restore(solver.regrets[0])
    restore(solver.averages[0])
    return measure(solver.traversal, deal, solver.averages).best_response


def opening_play(strategy: Strategy) -> np.ndarray:
    """``(node_actions, hands)`` a strategy's play before the flop."""
    played: np.ndarray = strategy.round_probabilities(strategy.betting.root, strategy.game.hands, ())
    return played


def best_after(settings: Settings, played: np.ndarray) -> tuple[float, float]:
    """What a best response wins in each seat, in mbb/g, from the best continuation of an opening play."""
    first, second = (solved(settings, 1 - seat, played)[seat] for seat in (0, 1))
    return first, second


def shown(game: Game, name: str, won: tuple[float, float], plus: str = "") -> list[float]:
    """Print a row of the table; the numbers of the fingerprint."""
    print(f"{name:<44}{sum(won) / 2:>9.1f}{won[game.button]:>+9.1f}{won[1 - game.button]:>+9.1f}{plus}", flush=True)
    return [round(each, 3) for each in won]


def parser_of(description: str | None, river_rows: RiverRows) -> argparse.ArgumentParser:
    """The options of studies of this game and blueprint; ``river_rows`` is the default of solves without buckets."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cards", type=int, default=20, choices=(20, 24, 28))
    parser.add_argument("--buckets", type=int, default=200, help="of flop, turn and river of the blueprint")
    parser.add_argument("--blueprint-iterations", type=int, default=40_000)
    parser.add_argument("--iterations", type=int, default=96, help="of solves without buckets")
    parser.add_argument("--river-rows", choices=RIVER_ROWS, default=river_rows, help="of solves without buckets")
    parser.add_argument("--threads", type=int, default=2)
    return parser


def main() -> None:
    parser = parser_of(__doc__, river_rows="hands")
    parser.add_argument("--flops", type=int, default=12, help="of the sample")
    options = parser.parse_args()
    game, threads = one_raise(options.cards), options.threads
    rows: RiverRows = options.river_rows
    with TemporaryDirectory() as folder:
        out = Path(folder) / "blueprint.h5"
        buckets = (options.buckets,) * 3
        solve(Settings(game, buckets, options.blueprint_iterations, schedule="cfr-br", threads=threads, out=out))
        print(f"{'mbb/g':<44}{'mean':>9}{'button':>9}{'big bl.':>9}")
        exact = exploitability(out, threads=threads)
        of_seat = {game.button: exact.best_response_button_mbb, 1 - game.button: exact.best_response_big_blind_mbb}
        found = shown(game, "the blueprint", (of_seat[0], of_seat[1]))
        with Strategy(out) as blueprint:
            for from_ in RE_SOLVED:
                strategy = Resolving(blueprint, from_, Effort(), threads, keeps=False)
                result = resolved_exploitability(strategy, options.flops, run=Run(threads))
                button, big_blind = result.best_response_button_mbb, result.best_response_big_blind_mbb
                won = (button, big_blind) if game.button == 0 else (big_blind, button)
                shown(game, f"{from_}s re-solved", won, f"  (standard error {result.standard_error_mbb:.1f})")
            settings = Settings(
                game, None, options.iterations, lossless=True, tables="bfloat16", threads=threads, river_rows=rows
            )
            played = opening_play(blueprint)
            found += shown(game, "the best after its play before the flop", best_after(settings, played))
            found += shown(game, "the solution", solved(settings, None, played))
    print(f"fingerprint {zlib.crc32(repr(found).encode()):08x}")


if __name__ == "__main__":
    main()
