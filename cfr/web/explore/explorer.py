"""Answers for the spots of one strategy, the latest remembered."""

from __future__ import annotations

from functools import lru_cache

from cfr.game.betting import State
from cfr.strategy.positions import Positions
from cfr.strategy.strategy import BaseStrategy
from cfr.web.server.endpoints import to_json
from cfr.web.server.spot_view import check_game, shown

_CACHED_SPOTS = 256  # 100 kB each


class Explorer:
    """Answers for the spots of one strategy; remembers the last few hundred answers.

    Attributes:
        positions: the latest positions, for other panels of the page.

    Raises:
        BadInputError: a game without the 1,326 hands of hold'em.
    """

    def __init__(self, strategy: BaseStrategy) -> None:
        check_game(strategy.game)
        self._strategy = strategy
        self.positions = Positions(strategy)
        self._spot = lru_cache(_CACHED_SPOTS)(self._make)

    def spot(self, board: str, line: str) -> bytes:
        """The spot as JSON, see ``docs/web.md``; errors as :meth:`cfr.strategy.strategy.BaseStrategy.range`."""
        return self._spot(*self._strategy.spot(board, line))

    def warm(self) -> None:
        """Read a spot of each round ahead, so that the first visitors need not wait."""
        state, deck = self._strategy.betting.root, self._strategy.game.deck.tolist()
        for round_ in range(self._strategy.game.num_rounds):
            while state.round < round_:
                state = state.act("c")
            self._spot(state, tuple(deck[: state.num_board_cards]))

    def _make(self, state: State, board: tuple[int, ...]) -> bytes:
        return to_json(shown(self.positions.at(state, board))).encode()
