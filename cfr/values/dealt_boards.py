"""The boards that can follow one board, as dealt, with the row and the strength of every hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cfr.game.evaluate import strengths
from cfr.game.rules import Game
from cfr.kernel.chance import boards_below
from cfr.kernel.tables import Rows
from cfr.values.used_rows import UsedRows


class DealtBoards:
    """A board, and every board that can follow it: none stands for others, whatever their suits.

    Args:
        game: the rules.
        rows: the abstraction that gives hands their rows.
        board: card codes, up to the end of a round's deal.

    Attributes:
        used: the rows that occur.
        levels: the boards, per round from the board's own on.
        rows: per round, ``(n, H)`` number of each hand's row in ``used``, -1 where hand and board share a card.
        strengths: ``(n, H)`` of each hand on the boards of the last round, 0 where they share a card.
    """

    def __init__(self, game: Game, rows: Rows, board: Sequence[int]) -> None:
        self.used = UsedRows(rows)
        self.levels = boards_below(game, np.array(board, np.uint8), is_symmetric=False)
        first = game.num_rounds - len(self.levels)
        self.rows = [self.used.rows(first + number, each.cards) for number, each in enumerate(self.levels)]
        self.strengths = strengths(self.levels[-1].cards, game.hands)
