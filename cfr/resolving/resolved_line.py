"""Re-solved play behind one betting line as tables: what both seats play there, on all boards that follow."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import State
from cfr.kernel.tables import Source
from cfr.kernel.tree import Tree
from cfr.resolving.seat_solution import SeatSolution
from cfr.strategy.spot_rows import SpotRows
from cfr.strategy.strategy import BaseStrategy, Cards, Floats


class ResolvedLine(BaseStrategy):
    """A re-solving strategy on one canonical board behind one betting line.

    Args:
        strategy: the re-solving strategy.
        blueprint: what plays hands that never get there, and a seat without a solution.
        solutions: of each seat by ACPC position; None where the blueprint never brings the seat. One is needed.
    """

    is_suit_blind = False

    def __init__(
        self, strategy: BaseStrategy, blueprint: BaseStrategy, solutions: Sequence[SeatSolution | None]
    ) -> None:
        self.game, self.betting = strategy.game, strategy.betting
        self._strategy = strategy
        rows, tree = next(each.layout for each in solutions if each is not None)
        rounds = [_Round(tree, level, rows, solutions, blueprint.source) for level in range(len(tree.rounds))]
        before = [np.zeros((0, 0, 0))] * tree.first
        lines = [*(np.zeros(0, np.int64) for _ in before), *(each.betting_line for each in tree.rounds)]
        self._source = Source(rows, [*before, *rounds], 1.0, lines)

    @property
    def source(self) -> Source:
        return self._source

    def distribution(self, state: State, hand: Cards, board: Cards) -> tuple[float, float, float]:
        return self._strategy.distribution(state, hand, board)

    def all_hands(self, state: State, board: Cards) -> Floats:
        return self._strategy.all_hands(state, board)


class _Round:
    """One round of both seats' play, read row by row."""

    def __init__(
        self, tree: Tree, level: int, rows: SpotRows, solutions: Sequence[SeatSolution | None], blueprint: Source
    ) -> None:
        self._tree, self._level, self._rows = tree, level, rows
        self._solutions, self._blueprint = solutions, blueprint
        self._betting = tree.betting.rounds[tree.first + level]
        count = rows.num_rows[tree.first + level]
        self.shape = (count, self._betting.node_actions, len(tree.rounds[level].entry))

    def __getitem__(self, rows: slice) -> Floats:
        found = np.empty((len(range(self.shape[0])[rows]), *self.shape[1:]))
        places, probabilities = self._by_blueprint
        plain = probabilities[places[rows]]
        for current, solution, held in zip(
            self._tree.rounds[self._level].seats, self._solutions, self._held, strict=True
        ):
            own = current.columns
            found[:, own] = plain[:, own]
            if solution is not None:
                sums = self._tree.seat_by_line(solution.tables[self._level][rows], self._level)
                found[np.ix_(held[rows], own)] = sums[held[rows]]
        for numbers in self._betting.action_index:
            legal = numbers[numbers >= 0]
            of_node = found[:, legal]
            of_node = np.where((of_node > 0).any(axis=1, keepdims=True), of_node, 1.0)
            found[:, legal] = of_node / of_node.sum(axis=1, keepdims=True)
        return found

    @cached_property
    def _hands(self) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """``(boards, H)`` rows, -1 where board and hand share a card, and the ``(boards, k)`` boards."""
        boards = self._rows.boards[self._level]
        return self._rows.rows(self._tree.first + self._level, boards), boards

    @cached_property
    def _held(self) -> list[NDArray[np.bool_]]:
        """For each seat ``(rows,)`` whether the row is of hands that get there, and were solved."""
        rows, _ = self._hands
        held = [np.zeros(self.shape[0], np.bool_) for _ in self._solutions]
        for found, solution in zip(held, self._solutions, strict=True):
            if solution is not None:
                found[rows[(rows >= 0) & (solution.own > 0)]] = True
        return held

    @cached_property
    def _by_blueprint(self) -> tuple[NDArray[np.intp], Floats]:
        """``(rows,)`` places in ``(n, node_actions, lines)`` probabilities of the blueprint, which are read once."""
        round_ = self._tree.first + self._level
        rows, boards = self._hands
        live = rows >= 0
        of_row = np.empty(self.shape[0], np.int64)
        of_row[rows[live]] = self._blueprint.rows.rows(round_, boards)[live]
        used, places = np.unique(of_row, return_inverse=True)
        return places, self._blueprint.probabilities(round_, used, self._tree.rounds[self._level].betting_line)
