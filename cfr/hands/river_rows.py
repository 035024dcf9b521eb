"""Rows of the last round by strength: hands that tie on a board differ only in the cards that they take away."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from cfr.game.evaluate import strengths
from cfr.game.rules import Game
from cfr.hands.isomorphism import HandIndexer

RiverRows = Literal["hands", "strength"]
RIVER_ROWS: tuple[RiverRows, ...] = get_args(RiverRows)
_AT_A_TIME = 4096  # boards


class StrengthRows:
    """One row for each showdown strength on each canonical board of the last round, as it was dealt.

    The rows of a board stand together, the weakest strength first. Boards stand in the order of their numbers in
    :class:`HandIndexer`.

    Args:
        game: the rules; there is a board in the last round.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        dealt = [count for count in game.num_board_cards if count]
        self._dealt = HandIndexer(dealt, game.num_ranks, game.num_suits)
        self._together = HandIndexer((sum(dealt),), game.num_ranks, game.num_suits)

    @property
    def count(self) -> int:
        """The number of rows."""
        return int(self._first[-1])

    def rows(self, boards: NDArray[np.uint8], threads: int = 1) -> NDArray[np.int32]:
        """``(n, H)`` row of every hand on ``(n, k)`` boards as they were dealt; -1 where they share a card."""
        first = self._first[self._dealt.index(boards, threads=threads)]
        ranks = strength_ranks(self._game, boards)
        return np.where(ranks < 0, -1, ranks + first[:, None]).astype(np.int32)

    @cached_property
    def _first(self) -> NDArray[np.int64]:
        """The first row of each board, and the number of rows."""
        boards = np.arange(self._together.sizes[-1])  # the order of the deal does not change how hands compare
        counts = np.concatenate(
            [
                strength_counts(self._game, self._together.unindex(boards[start : start + _AT_A_TIME]))
                for start in range(0, len(boards), _AT_A_TIME)
            ]
        )
        dealt = self._dealt.unindex(np.arange(self._dealt.sizes[-1]))
        return np.concatenate([[0], np.cumsum(counts[self._together.index(dealt)])])


def strength_ranks(game: Game, boards: NDArray[np.uint8], held: NDArray[np.bool_] | None = None) -> NDArray[np.int32]:
    """``(n, H)`` number of each hand's strength on ``(n, k)`` boards of the last round.

    Strengths of ``held`` hands, by default all, are numbered from 0, the weakest, on; -1 stands for other hands, and
    for those that share a card with the board.
    """
    found = strengths(boards, game.hands).astype(np.int32)
    return ranks(np.where((found > 0) & (True if held is None else held), found, -1))


def strength_counts(game: Game, boards: NDArray[np.uint8]) -> NDArray[np.int64]:
    """``(n,)`` how many strengths hands have on ``(n, k)`` boards of the last round."""
    found = np.sort(strengths(boards, game.hands), axis=1)  # 0 where hand and board share a card
    counts: NDArray[np.int64] = (np.diff(found, axis=1) > 0).sum(axis=1) + (found[:, 0] > 0)
    return counts


def ranks(classes: NDArray[Any]) -> NDArray[np.int32]:
    """Classes of each row numbered anew from 0, without gaps; negative ones become -1."""
    order = np.argsort(classes, axis=1, kind="stable")
    ordered = np.take_along_axis(classes, order, axis=1)
    is_first = np.diff(ordered, axis=1, prepend=-1) > 0
    found = np.empty(classes.shape, np.int32)
    np.put_along_axis(found, order, np.where(ordered < 0, -1, np.cumsum(is_first & (ordered >= 0), axis=1) - 1), axis=1)
    return found
