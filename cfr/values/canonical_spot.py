"""Canonical spots: one spot for all spots that differ by suits alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import State
from cfr.hands.boards import BoardMap
from cfr.strategy.strategy import BaseStrategy


@dataclass(frozen=True)
class CanonicalSpot:
    """A spot on the board that stands for all isomorphic boards; isomorphic spots have equal canonical spots.

    Attributes:
        state: the betting so far.
        board: card codes of the canonical board.
    """

    state: State
    board: tuple[int, ...]


def canonical_spot(
    strategy: BaseStrategy, state: State, board: Sequence[int]
) -> tuple[CanonicalSpot, NDArray[np.intp]]:
    """The canonical spot of a state on a board, and ``(H,)`` number of each hand after the change of suits.

    Every spot of a strategy that tells suits apart is its own canonical spot.
    """
    game = state.tree.game
    if not strategy.is_suit_blind:
        return CanonicalSpot(state, tuple(board)), np.arange(game.num_hands)
    if not board:
        return CanonicalSpot(state, ()), np.arange(game.num_hands)
    boards = BoardMap(game.num_board_cards[1 : state.round + 1], game.deck)
    number, permutation = boards.locate(np.array([board], np.uint8))
    images = boards.permute_hands(game.hands)[permutation[0]].astype(np.intp)
    return CanonicalSpot(state, tuple(boards.indexer.unindex(number)[0].tolist())), images
