"""Hand strength: which of two hands wins at showdown.

A strength is a uint16: the higher one wins, equal ones tie. Five to seven cards rank as in poker; their strengths
compare across boards and numbers of cards, and ``strength >> 12`` is the category plus one. Three cards rank as in
Rhode Island hold'em: straight flush, three of a kind, straight, flush, pair, high card. Two cards are a pair or two
ranks, suits ignored (Leduc hold'em). One card counts its rank (Kuhn poker).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cfr._native import evaluate as _evaluate
from cfr.system.errors import BadInputError

Strengths = NDArray[np.uint16]
CATEGORIES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)


def evaluate(cards: ArrayLike, threads: int = 1) -> Strengths:
    """``(n,)`` strengths of ``(n, k)`` card codes, k in 1, 2, 3, 5, 6 or 7.

    The function does not check that the cards of a hand differ. Raises BadInputError for another shape or other
    codes.
    """
    array = _codes(cards, "cards")
    if array.shape[1] not in (1, 2, 3, 5, 6, 7):
        raise BadInputError(f"cards: hands of {array.shape[1]}; expected 1, 2, 3, 5, 6 or 7")
    strength = np.empty(len(array), np.uint16)
    if not _evaluate.evaluate(array, threads, strength):
        raise _no_card("cards", array)
    return strength


def strengths(boards: ArrayLike, hands: ArrayLike, threads: int = 1) -> Strengths:
    """``(n, H)`` strengths of ``(H, hole)`` hands on ``(n, b)`` boards, 0 where hand and board share a card.

    Raises BadInputError for a wrong shape, wrong codes, or a number of cards that has no ranking.
    """
    board, hand = _codes(boards, "boards"), _codes(hands, "hands")
    if board.shape[1] + hand.shape[1] not in (1, 2, 3, 5, 6, 7):
        raise BadInputError(f"{board.shape[1]} cards on the board and {hand.shape[1]} in hand have no ranking")
    for name, array in (("boards", board), ("hands", hand)):
        if array.size and array.max() > 51:
            raise _no_card(name, array)
    strength = np.empty((len(board), len(hand)), np.uint16)
    _evaluate.strengths(board, hand, threads, strength)
    return strength


def category(strength: int) -> str:
    """The name of the category of a strength of five to seven cards.

    >>> category(int(evaluate([[0, 1, 2, 3, 4]])[0]))
    'four of a kind'
    """
    return CATEGORIES[(int(strength) >> 12) - 1]


def _codes(cards: ArrayLike, name: str) -> NDArray[np.uint8]:
    """The codes as contiguous bytes; the caller checks codes that came as bytes."""
    array = np.asarray(cards)
    if array.ndim != 2:
        raise BadInputError(f"{name}: shape {array.shape}; expected two axes")
    if array.dtype != np.uint8 and array.size and (array.min() < 0 or array.max() > 51):
        raise _no_card(name, array)
    return np.ascontiguousarray(array, np.uint8)


def _no_card(name: str, codes: NDArray[Any]) -> BadInputError:
    row, column = np.argwhere((codes < 0) | (codes > 51))[0]
    return BadInputError(f"{name}: {codes[row, column]} in row {row} is no card; codes run from 0 to 51")
