"""Re-solving: one seat's strategy on one board, solved anew from the start of a round, without buckets and safely.

The seat's own range is its reach by the blueprint. A gadget (:mod:`cfr.resolving.gadget`) makes the opponent's range.
The gadget's target values are the winnings of a best response against the blueprint. Betting lines that enter the
round are solved side by side. The result of a line does not depend on the other lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cfr.game.betting import State
from cfr.game.rules import Game
from cfr.hands.river_rows import RiverRows
from cfr.kernel.builds import dtype_for
from cfr.kernel.chance import Boards, Deal, enumerate_below, only_board
from cfr.kernel.numbers import TYPES, sums_dtype
from cfr.kernel.schedules import schedule_named
from cfr.kernel.tables import Tables
from cfr.kernel.traversal import Traversal, Visit
from cfr.resolving.gadget import COMBINED, Certificate, Entry, Gadget
from cfr.strategy.spot_rows import lay_out, suits_strengths
from cfr.strategy.strategy import Floats
from cfr.system.progress import Progress

_OF_REACH, _OF_CHIPS = 1 << 24, 1 << 16  # input is rounded to multiples of 1 / these
AVERAGED = 0.6  # share of the iterations that count in the average, the last ones; earlier weights are next to 0


@dataclass(frozen=True)
class Effort:
    """The work of a re-solve.

    Attributes:
        iterations: number of iterations, without a limit of time.
        schedule: name of the schedule of the iterations.
        gadget: the gadget that makes the opponent's range.
        river_rows: whether a row of the game's last round is a hand or a strength; None leaves it to
            :func:`cfr.strategy.spot_rows.suits_strengths`.
    """

    iterations: int = 120
    schedule: str = "hs-dcfr"
    gadget: Gadget = COMBINED
    river_rows: RiverRows | None = None

    def rows_from(self, game: Game, round_index: int) -> RiverRows:
        """The river rows of solves from a round on."""
        if self.river_rows is not None:
            return self.river_rows
        return "strength" if suits_strengths(game, round_index) else "hands"


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
        for name in ("own", "expected"):
            object.__setattr__(self, name, rounded_reach(getattr(self, name)))
        object.__setattr__(self, "targets", np.rint(self.targets * _OF_CHIPS) / _OF_CHIPS)

    @property
    def game(self) -> Game:
        """The rules."""
        return self.entries[0].tree.game


def rounded_reach(reach: Floats) -> Floats:
    """Reach as re-solves take it; the play of hands with reach 0 has no meaning there."""
    rounded: Floats = np.rint(reach * _OF_REACH) / _OF_REACH
    return rounded


class Resolver:
    """Re-solves subgames of one board.

    Args:
        subgames: the subgames to solve.
        effort: the work to do.
        threads: number of threads of a traversal; the result does not depend on threads.
        tables: number type of the tables, from :mod:`cfr.kernel.numbers`; default, float64 in small games and bfloat16
            in others.

    Attributes:
        rows, tree: see :func:`cfr.strategy.spot_rows.lay_out`.
        averages: per round from the board's on, the seat's average strategy in the layout of the tree.
    """

    def __init__(self, subgames: Subgames, effort: Effort, threads: int = 1, tables: str | None = None) -> None:
        game, board, seat = subgames.game, np.array(subgames.board, np.uint8), subgames.seat
        self.subgames = subgames
        dtype = dtype_for(game) if tables is None else np.dtype(np.float32)
        river_rows = effort.rows_from(game, subgames.entries[0].round)
        self.rows, self.tree = lay_out(subgames.entries, subgames.board, dtype, river_rows)
        boards = enumerate_below(game, self.rows, board, self.rows.is_symmetric)
        self._deal = Deal(tuple(boards), self.rows.num_rows[self.tree.first :], 1.0, disjoint=True)
        reach = np.zeros((2, *subgames.own.shape))
        reach[seat] = subgames.own
        # Memory access takes most of the time: tables of bfloat16 are faster and give equal quality.
        numbers = TYPES[tables or "bfloat16"] if dtype == np.float32 else None
        self._traversal = Traversal(self.tree, threads, dtype, reach=reach, table_dtype=numbers)
        self._regrets = self._traversal.zeros(self._deal.num_rows)
        sums = map(sums_dtype, self._traversal.table_dtypes)
        self.averages = [np.zeros(pair[seat].shape, each) for pair, each in zip(self._regrets, sums, strict=True)]
        self._effort = effort

    def solve(self, hears: Progress = lambda _: None) -> None:
        """Do all iterations: first the seat, then the opponent, then the gadget."""
        subgames, schedule, most = self.subgames, schedule_named(self._effort.schedule), self._effort.iterations
        live = subgames.game.live(subgames.board)
        entry = Entry(self._effort.gadget, subgames.expected, live, subgames.targets)
        seat = subgames.seat
        forgotten = self._traversal.prepare(self._deal, self._regrets, seat, "update")
        averaged = self._traversal.prepare(self._deal, self._regrets, seat, "update", averages=self.averages)
        opponent = self._traversal.prepare(self._deal, self._regrets, 1 - seat, "update")
        for iteration in range(1, most + 1):
            own = averaged if iteration > most * (1 - AVERAGED) else forgotten
            weight, kept = schedule.weight(iteration), schedule.kept(iteration)
            self._traversal.set_reach(1 - seat, entry.range)
            own.run(Visit(weight=weight, kept=kept, seed=2 * iteration))
            opponent.run(Visit(kept=kept, seed=2 * iteration + 1))
            entry.learn(opponent.values_by_line[: len(subgames.entries)], schedule, iteration)
            hears(iteration / most)

    def best_response(self) -> Floats:
        """``(n, H)`` the most that each hand of the opponent wins against the average strategy, in units of targets."""
        best = self._traversal.prepare(self._deal, self._against, 1 - self.subgames.seat, "best")
        best.run()
        return best.values_by_line[: len(self.subgames.entries)]

    def best_responses_below(self, reach: Floats) -> Iterator[tuple[tuple[int, ...], Floats]]:
        """Each board of the next round, and what a best response wins from there on against the average strategy.

        Args:
            reach: ``(leaves, H)`` reach of the seat's hands at each leaf of the board's round; of one entry.

        Yields:
            The board's cards, and ``(leaves, H)`` chips that each hand of the opponent wins, summed over the seat's
            hands by their reach.
        """
        game, seat, below = self.subgames.game, self.subgames.seat, self.tree.rounds[1]
        boards: list[Boards | None] = list(self._deal.rounds)
        after, against = self._deal.rounds[1], self._against
        for number, cards in enumerate(after.cards.tolist()):
            boards[1] = only_board(after, number)
            entering = np.zeros((2, below.stride, game.num_hands))
            entering[seat, below.entry] = reach * game.live(cards)
            won = self._traversal.run_round(1, boards, against, 1 - seat, "best", entering, scale=1.0, planned=False)
            yield tuple(cards), won[below.entry].astype(np.float64)

    @property
    def _against(self) -> list[Tables]:
        """Per round, the seat's averages; the opponent's regrets fill a place that a best response ignores."""
        found: list[Tables] = []
        for own, regrets in zip(self.averages, self._regrets, strict=True):
            other = regrets[1 - self.subgames.seat].view(own.dtype)
            found.append((own, other) if self.subgames.seat == 0 else (other, own))
        return found


def certificates(subgames: Subgames, best: Floats) -> list[Certificate]:
    """A certificate for each entry, given ``(n, H)`` winnings of a best response."""
    game = subgames.game
    live = game.live(subgames.board)
    mass = subgames.own @ game.apart * live
    to_mbb, found = game.mbb, []
    for gain, against, expected in zip(best - subgames.targets, mass, subgames.expected, strict=True):
        met = against > 0
        rise = np.maximum(gain[met], 0)
        lost = -float(gain @ expected) / max(float(against @ expected), 1e-300) if expected.any() else 0.0
        most = float((rise / against[met]).max(initial=0))
        mean = float(rise.sum()) / max(float(against[met].sum()), 1e-300)
        found.append(Certificate(most * to_mbb, mean * to_mbb, lost * to_mbb))
    return found
