"""What a hand makes on a board: its made hand, and what it draws to.

Each hand has one name of each list. What lies on the board alone counts for nobody: on a paired board, a hand without
a pair of its own is no pair, and on the river, a hand that plays the board is nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cfr.game.evaluate import CATEGORIES, category, evaluate, strengths
from cfr.system.errors import BadInputError
from cfr.system.text import counted

MADE = (
    "straight flush",
    "four of a kind",
    "full house",
    "flush",
    "straight",
    "set",
    "trips",
    "two pair",
    "overpair",
    "top pair",
    "underpair",
    "second pair",
    "low pair",
    "ace high",
    "nothing",
)
DRAWS = ("flush and straight draw", "flush draw", "open-ended straight draw", "gutshot", "no draw")
_STRAIGHTS = tuple(frozenset((low + k) % 13 for k in range(5)) for low in (12, *range(9)))  # ace low first
_ACE = 12


@dataclass(frozen=True)
class MadeHands:
    """What hands make on a board.

    Attributes:
        made: ``(n,)`` numbers in :data:`MADE`; -1 for hands that share a card with the board.
        draw: ``(n,)`` numbers in :data:`DRAWS`, on the river always the last; -1 as above.
    """

    made: NDArray[np.int8]
    draw: NDArray[np.int8]


def made_hands(board: tuple[int, ...], hands: NDArray[np.uint8]) -> MadeHands:
    """What ``(n, 2)`` hands make on a board of 3 to 5 cards.

    - A ``set`` is three of a kind with a pair in hand, ``trips`` are those with a pair on the board.
    - ``two pair`` takes both cards of the hand. One card that pairs the board is ``top pair``, ``second pair`` or
      ``low pair`` by the rank that it pairs.
    - A pair in hand is an ``overpair`` above the board's highest rank, and an ``underpair`` otherwise.
    - An ``open-ended straight draw`` makes a straight with two ranks, as a double gutshot does, a ``gutshot`` with one.
      A straight that the board has without the hand does not count, and who has a straight draws to none.

    Raises:
        BadInputError: a board of another length.

    >>> board, hands = (34, 29, 18), np.array([[51, 50], [50, 46], [25, 21], [32, 0]], np.uint8)  # Th9d6h
    >>> found = made_hands(board, hands)  # AsAh, AhKh, 8d7d, Tc2c
    >>> [MADE[number] for number in found.made]
    ['overpair', 'ace high', 'straight', 'top pair']
    >>> [DRAWS[number] for number in found.draw]
    ['no draw', 'flush draw', 'no draw', 'no draw']
    """
    if not 3 <= len(board) <= 5:
        raise BadInputError(f"board: {counted(len(board), 'card')}; expected 3, 4 or 5")
    found = strengths([board], hands)[0].tolist()
    alone = int(evaluate([board])[0]) if len(board) == 5 else 0
    names = [_names(board, hand, strength, alone) for hand, strength in zip(hands.tolist(), found, strict=True)]
    made, draw = np.array(names, np.int8).reshape(-1, 2).T
    return MadeHands(made, draw)


def _names(board: tuple[int, ...], hand: list[int], strength: int, alone: int) -> tuple[int, int]:
    """The two numbers of one hand of a strength; ``alone`` is the strength of a whole board."""
    if strength == 0:
        return -1, -1
    kind = category(strength)
    made = "nothing" if strength == alone else _made(kind, [card // 4 for card in board], *(card // 4 for card in hand))
    return MADE.index(made), DRAWS.index("no draw" if len(board) == 5 else _draw(kind, board, hand))


def _made(kind: str, board: list[int], one: int, two: int) -> str:
    """The name in :data:`MADE` of a hand of two ranks that is more than the board."""
    if kind in ("straight flush", "full house", "flush", "straight") or (
        kind == "four of a kind" and max(map([*board, one, two].count, (one, two))) == 4
    ):
        return kind
    if kind == "three of a kind" and 3 not in map(board.count, board):
        return "set" if one == two else "trips"
    if kind in ("pair", "two pair"):
        if one == two:
            return "overpair" if one > max(board) else "underpair"
        paired = [rank for rank in (one, two) if rank in board]
        if len(paired) == 2:
            return "two pair"
        if paired:
            above = len({rank for rank in board if rank > paired[0]})
            return ("top pair", "second pair", "low pair")[min(above, 2)]
    return "ace high" if _ACE in (one, two) else "nothing"


def _draw(kind: str, board: tuple[int, ...], hand: list[int]) -> str:
    """The name in :data:`DRAWS` of a hand of a category."""
    if CATEGORIES.index(kind) >= CATEGORIES.index("flush"):
        return "no draw"
    suits = [card % 4 for card in (*board, *hand)]
    is_flush_draw = any(suits.count(card % 4) == 4 for card in hand)
    outs = 0 if kind == "straight" else _straight_outs({card // 4 for card in board}, {card // 4 for card in hand})
    if is_flush_draw:
        return "flush and straight draw" if outs else "flush draw"
    return ("no draw", "gutshot", "open-ended straight draw")[min(outs, 2)]


def _straight_outs(board: set[int], hand: set[int]) -> int:
    """How many ranks make a straight that is higher than the board's own."""
    return sum(_straight(board | hand | {rank}) > _straight(board | {rank}) for rank in range(13))


def _straight(ranks: set[int]) -> int:
    """The height of the highest straight; -1 without one."""
    return max((height for height, straight in enumerate(_STRAIGHTS) if straight <= ranks), default=-1)
