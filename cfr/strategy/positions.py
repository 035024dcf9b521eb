"""The latest positions of one strategy: a spot shares the way to it with those asked for lately."""

from __future__ import annotations

from functools import lru_cache

from cfr.game.betting import State
from cfr.strategy.position import Cards, Position
from cfr.strategy.strategy import BaseStrategy

_KEPT = 64  # each with 60 kB, and the way to it


class Positions:
    """Positions on states and card codes, for any thread.

    Attributes:
        strategy: whose positions.
    """

    def __init__(self, strategy: BaseStrategy) -> None:
        self.strategy = strategy
        self._kept = lru_cache(_KEPT)(self._make)

    def at(self, state: State, board: Cards) -> Position[BaseStrategy]:
        """The position at a spot that fits the strategy."""
        return self._kept(state, tuple(board))

    def _make(self, state: State, board: tuple[int, ...]) -> Position[BaseStrategy]:
        way = self.strategy.way(state, board)
        if len(way) == 1:
            return self.strategy.at(state, board)
        before = self._kept(way[-2], board[: way[-2].num_board_cards])
        after = before.children[state.line_string.rstrip("/")[-1]]
        new = board[len(before.board) :]
        return after.deal(new) if new else after
