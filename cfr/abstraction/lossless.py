"""One row for every canonical hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.game.rules import Game
from cfr.hands.isomorphism import HandIndexer


class LosslessRound:
    """One row per canonical hand; see :class:`HandIndexer`."""

    is_lossless = True
    separates_boards = True

    def __init__(self, game: Game, round_index: int) -> None:
        groups = (game.num_hole_cards, *game.num_board_cards[1 : round_index + 1])
        self._hands = game.hands
        self._indexer = HandIndexer(groups, game.num_ranks, game.num_suits)
        self.num_rows = self._indexer.sizes[-1]

    def rows(self, boards: NDArray[np.uint8], threads: int) -> NDArray[np.int32]:
        return self._indexer.index_hands(boards, self._hands, threads).astype(np.int32)

    def place(self, hand: Sequence[int], board: Sequence[int], use_table: bool) -> int:
        return int(self._indexer.index(np.array([[*hand, *board]], np.uint8))[0])

    def hold_table(self, threads: int) -> None:
        """Do nothing: the round has no table."""

    def hold_kept_table(self) -> None:
        """Do nothing: the round has no table."""

    def arrays(self, flop_table: bool) -> dict[str, Any]:
        return {}


class LosslessRows:
    """One row per canonical hand in every round of a game."""

    separates_boards = True

    def __init__(self, game: Game) -> None:
        self.rounds = tuple(LosslessRound(game, r) for r in range(game.num_rounds))
        self.num_rows = tuple(each.num_rows for each in self.rounds)

    def rows(self, round_index: int, boards: NDArray[np.uint8], threads: int = 1) -> NDArray[np.int32]:
        """The row ``(n, H)`` of every hand of ``game.hands`` on ``boards`` ``(n, cards so far)``, -1 on collision."""
        return self.rounds[round_index].rows(np.ascontiguousarray(boards, np.uint8), threads)
