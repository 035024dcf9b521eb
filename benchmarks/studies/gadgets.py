"""What each gadget of re-solving makes of blueprints whose play before the flop is drawn at random.

``python -m benchmarks.studies.gadgets`` re-solves flops of a game with nine cards and two rounds. Play after the flop
is that of a good strategy, so re-solving wins little where the opponent is expected; few hands come by most lines. All
is exact: all boards and lines, both seats. For each gadget it prints means over the blueprints of the change in
exploitability, and the most that a best response wins more in a seat than against the blueprint. The fingerprint is of
these numbers.
"""

import argparse
import zlib
from collections.abc import Sequence

import numpy as np

from cfr.exploit.exploitability import exploitability
from cfr.exploit.resolved_exploitability import resolved_exploitability
from cfr.kernel.tables import Source
from cfr.resolving.gadget import GADGETS
from cfr.resolving.resolver import Effort
from cfr.resolving.resolving_strategy import Resolving
from tests.resolving.random_strategy import RandomStrategy
from tests.small_games import Solver, short_deck

GAME = short_deck("two rounds", 3, 3, (0, 3), (2, 1))
_SHARPNESS = 6  # power of the random shares before the flop; most lines get few hands


def later_play() -> list[np.ndarray]:
    """Shares of a good strategy, per round."""
    solver = Solver(GAME)
    solver.iterate(300)
    return [solver.traversal.tree.by_line(pair, number) for number, pair in enumerate(solver.averages)]


def blueprint(seed: int, later: Sequence[np.ndarray]) -> RandomStrategy:
    """A random first round, and good play after it."""
    drawn = RandomStrategy(GAME, seed, 0.7)
    rounds = [drawn.source.rounds[0][:] ** _SHARPNESS, *(each.copy() for each in later[1:])]
    for shared, shares in zip(drawn.betting.rounds, rounds, strict=True):
        for numbers in shared.action_index:
            legal = numbers[numbers >= 0]
            sums = shares[:, legal].sum(axis=1, keepdims=True)
            shares[:, legal] = np.where(sums > 0, shares[:, legal] / np.where(sums > 0, sums, 1), 1 / len(legal))
    drawn.source = Source(drawn.source.rows, rounds)
    return drawn


def change(strategy: RandomStrategy, effort: Effort) -> tuple[float, float]:
    """The change in exploitability, and the most that a best response wins more in a seat; mbb/g."""
    alone = exploitability(strategy)
    found = resolved_exploitability(Resolving(strategy, "flop", effort, 1, False), None, None, control=None)
    assert found.exact
    more = (
        found.best_response_button_mbb - alone.best_response_button_mbb,
        found.best_response_big_blind_mbb - alone.best_response_big_blind_mbb,
    )
    return sum(more) / 2, max(more)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=8, help="how many blueprints")
    parser.add_argument("--iterations", type=int, nargs="+", default=[80, 400])
    parser.add_argument("--quick", action="store_true", help="one blueprint, few iterations")
    options = parser.parse_args()
    seeds, numbers = (1, [10]) if options.quick else (options.seeds, options.iterations)
    later, printed = later_play(), []
    blueprints = [blueprint(seed, later) for seed in range(1, seeds + 1)]
    print(f"{'gadget':<12}{'iterations':>12}{'change':>10}{'most more':>12}   mbb/g")
    for iterations in numbers:
        for gadget in GADGETS:
            found = [change(each, Effort(iterations, gadget=gadget)) for each in blueprints]
            row = sum(each for each, _ in found) / seeds, max(more for _, more in found)
            printed.append([round(each, 2) for each in row])
            print(f"{gadget.name:<12}{iterations:>12}{row[0]:>+10.1f}{row[1]:>+12.1f}", flush=True)
    print(f"fingerprint {zlib.crc32(repr(printed).encode()):08x}")


if __name__ == "__main__":
    main()
