"""Re-solving: one seat's strategy on one board, solved anew from the start of a round, without buckets and safely.

The seat's own range is its reach by the blueprint. A gadget (:mod:`cfr.subgame.gadget`) makes the opponent's range; the
gadget's target values are the winnings of a best response against the blueprint. Betting lines that enter the round are
solved side by side. The result of a line does not depend on the other lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cfr.game.betting import State
from cfr.game.rules import Game
from cfr.kernel.builds import dtype_for
from cfr.kernel.chance import Deal, enumerate_below
from cfr.kernel.numbers import TYPES
from cfr.kernel.schedules import schedule_named
from cfr.kernel.tables import Tables
from cfr.kernel.traversal import Traversal, Visit
from cfr.strategy.spot_rows import lay_out
from cfr.strategy.strategy import Floats
from cfr.subgame.gadget import COMBINED, Certificate, Entry, Gadget

_OF_REACH, _OF_CHIPS = 1 << 24, 1 << 16  # input is rounded to multiples of 1 / these
_AVERAGED = 0.6  # share of the iterations that count in the average, the last ones; earlier weights are next to 0


@dataclass(frozen=True)
class Effort:
    """The work of a re-solve.

    Attributes:
        iterations: number of iterations, without a limit of time.
        schedule: name of the schedule of the iterations.
        gadget: the gadget that makes the opponent's range.
    """

    iterations: int = 80
    schedule: str = "hs-dcfr"
    gadget: Gadget = COMBINED


@dataclass(frozen=True, eq=False)
class Subgames:
    """Subgames to re-solve on one board; a hand's values are sums over the other seat's hands by their reach, in chips.

    Attributes:
        entries: ``n`` states in which the board's round begins, by ascending betting line.
        board: card codes.
        seat: the seat whose strategy is re-solved (ACPC position).
        own: ``(n, H)`` reach of the seat's hands by the blueprint, rounded like all input.
        expected: ``(n, H)`` reach of the opponent's hands by the blueprint.
        targets: ``(n, H)`` target values of the opponent's hands.
    """

    entries: Sequence[State]
    board: tuple[int, ...]
    seat: int
    own: Floats
    expected: Floats
    targets: Floats

    def __post_init__(self) -> None:
        # The last bits of the input decide ties. Rounding makes them independent of the input's computation.
        for name, parts in (("own", _OF_REACH), ("expected", _OF_REACH), ("targets", _OF_CHIPS)):
            object.__setattr__(self, name, np.rint(getattr(self, name) * parts) / parts)

    @property
    def game(self) -> Game:
        """The rules."""
        return self.entries[0].tree.game


class Resolver:
    """Re-solves subgames of one board.

    Args:
        subgames: the subgames to solve.
        effort: the work to do.
        threads: number of threads of a traversal; the result does not depend on threads.

    Attributes:
        rows, tree: see :func:`cfr.strategy.spot_rows.lay_out`.
        averages: per round from the board's on, the seat's average strategy in the layout of the tree.
    """

    def __init__(self, subgames: Subgames, effort: Effort, threads: int = 1) -> None:
        game, board, seat = subgames.game, np.array(subgames.board, np.uint8), subgames.seat
        self.subgames = subgames
        self.rows, self.tree = lay_out(subgames.entries, subgames.board)
        boards = [each for each in enumerate_below(game, self.rows, board, self.rows.is_symmetric) if each is not None]
        self._deal = Deal(tuple(boards), self.rows.num_rows[self.tree.first :], 1.0, disjoint=True)
        reach = np.zeros((2, *subgames.own.shape))
        reach[seat] = subgames.own
        dtype = dtype_for(game)
        # Memory access takes most of the time: tables of bfloat16 are faster and give equal quality.
        self._traversal = Traversal(
            self.tree, threads, dtype, reach=reach, table_dtype=TYPES["bfloat16"] if dtype == np.float32 else None
        )
        self._regrets = self._traversal.zeros(self._deal.num_rows)
        self.averages = [np.zeros_like(pair[seat]) for pair in self._regrets]
        self._effort = effort

    def solve(self) -> None:
        """Do all iterations: first the seat, then the opponent, then the gadget."""
        subgames, schedule, most = self.subgames, schedule_named(self._effort.schedule), self._effort.iterations
        live = subgames.game.live(subgames.board)
        entry = Entry(self._effort.gadget, subgames.expected, live, subgames.targets)
        seat = subgames.seat
        forgotten = self._traversal.prepare(self._deal, self._regrets, seat, "update")
        averaged = self._traversal.prepare(self._deal, self._regrets, seat, "update", averages=self.averages)
        opponent = self._traversal.prepare(self._deal, self._regrets, 1 - seat, "update")
        for iteration in range(1, most + 1):
            own = averaged if iteration > most * (1 - _AVERAGED) else forgotten
            weight, kept = schedule.weight(iteration), schedule.kept(iteration)
            self._traversal.set_reach(1 - seat, entry.range)
            own.run(Visit(weight=weight, kept=kept, seed=2 * iteration))
            opponent.run(Visit(kept=kept, seed=2 * iteration + 1))
            entry.learn(opponent.values_by_line[: len(subgames.entries)], schedule, iteration)

    def best_response(self) -> Floats:
        """``(n, H)`` the most that each hand of the opponent wins against the average strategy, in units of targets."""
        seat = self.subgames.seat
        pairs: list[Tables] = [
            (own, regrets[1]) if seat == 0 else (regrets[0], own)
            for own, regrets in zip(self.averages, self._regrets, strict=True)
        ]
        best = self._traversal.prepare(self._deal, pairs, 1 - seat, "best")
        best.run()
        return best.values_by_line[: len(self.subgames.entries)]


def certificates(subgames: Subgames, best: Floats) -> list[Certificate]:
    """A certificate for each entry, given ``(n, H)`` winnings of a best response."""
    game = subgames.game
    live = game.live(subgames.board)
    mass = subgames.own @ game.apart * live
    to_mbb, found = 1000 / game.big_blind, []
    for gain, against, expected in zip(best - subgames.targets, mass, subgames.expected, strict=True):
        met = against > 0
        rise = np.maximum(gain[met], 0)
        lost = -float(gain @ expected) / max(float(against @ expected), 1e-300) if expected.any() else 0.0
        most = float((rise / against[met]).max(initial=0))
        found.append(Certificate(most * to_mbb, float(rise.sum() / against[met].sum()) * to_mbb, lost * to_mbb))
    return found
