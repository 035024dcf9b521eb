"""One row for every strength on a board of the last round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.game.rules import Game
from cfr.hands.river_rows import StrengthRows


class StrengthRound:
    """One row per strength at showdown on a board as it was dealt; see :class:`StrengthRows`."""

    is_lossless = False
    separates_boards = True

    def __init__(self, game: Game) -> None:
        self._game, self._rows = game, StrengthRows(game)

    @property
    def num_rows(self) -> int:
        """How many."""
        return self._rows.count

    def rows(self, boards: NDArray[np.uint8], threads: int) -> NDArray[np.int32]:
        return self._rows.rows(boards, threads)

    def place(self, hand: Sequence[int], board: Sequence[int], use_table: bool) -> int:
        number = self._game.hand_number(tuple(hand))
        return int(self._rows.rows(np.array([board], np.uint8))[0, number])

    def hold_table(self, threads: int) -> None:
        """Do nothing: the round has no table."""

    def hold_kept_table(self) -> None:
        """Do nothing: the round has no table."""

    def arrays(self, flop_table: bool) -> dict[str, Any]:
        return {}
