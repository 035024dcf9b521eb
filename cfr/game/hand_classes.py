"""The classes of starting hands, such as ``AKs``, and the hands of each: 169 in hold'em, fewer in shorter decks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from cfr.game.cards import RANKS
from cfr.game.rules import Game
from cfr.system.errors import MalformedTextError

NUM_HANDS = 1326
DESCENDING = RANKS[::-1]


def _grid_class(row: int, column: int) -> str:
    high, low = DESCENDING[min(row, column)], DESCENDING[max(row, column)]
    return high + low + ("" if row == column else "s" if row < column else "o")


# The 13x13 grid row by row: aces first, pairs on the diagonal, suited above, offsuit below.
CLASS_NAMES: tuple[str, ...] = tuple(_grid_class(row, column) for row in range(13) for column in range(13))


@cache
def class_numbers() -> NDArray[np.int16]:
    """``(1326,)`` the class of each hand of :attr:`cfr.game.rules.Game.hands`, an index of ``CLASS_NAMES``."""
    high, low = np.tril_indices(52, -1)
    rows, columns = 12 - (high >> 2), 12 - (low >> 2)  # the higher card's rank comes first
    suited = (high & 3) == (low & 3)
    classes = np.where(suited, rows * 13 + columns, columns * 13 + rows).astype(np.int16)
    classes.flags.writeable = False
    return classes


@dataclass(frozen=True)
class Classes:
    """The classes of a deck's hands.

    Attributes:
        names: in the order of the grid, row by row.
        numbers: ``(H,)`` the class of each hand.
        side: rows of the grid, one for each rank.
    """

    names: tuple[str, ...]
    numbers: NDArray[np.int16]
    side: int


def has_classes(game: Game) -> bool:
    """Whether hands are of two cards, suited or not: then they have classes, and a grid."""
    return game.num_hole_cards == 2 and game.num_suits > 1


def classes_of(hands: NDArray[np.str_]) -> Classes | None:
    """The classes of all hands of a deck, by names such as ``AhAs``; None where they have none."""
    if len(hands) == NUM_HANDS:
        return Classes(CLASS_NAMES, class_numbers(), 13)
    return _classes(tuple(hands.tolist()))


@lru_cache(8)
def _classes(hands: tuple[str, ...]) -> Classes | None:
    if any(len(hand) != 4 for hand in hands) or len({suit for hand in hands for suit in hand[1::2]}) < 2:
        return None
    ranks = [rank for rank in DESCENDING if any(rank in hand[::2] for hand in hands)]
    pairs = [(ranks.index(hand[0]), ranks.index(hand[2]), hand[1] == hand[3]) for hand in hands]
    side = len(ranks)
    numbers = [side * (min if suited else max)(a, b) + (max if suited else min)(a, b) for a, b, suited in pairs]
    names = tuple(_grid_class(DESCENDING.index(row), DESCENDING.index(column)) for row in ranks for column in ranks)
    return Classes(names, np.array(numbers, np.int16), side)


@cache
def class_hands(number: int) -> tuple[int, ...]:
    """The numbers of a class's hands, ascending: 6 of a pair, 4 of a suited class, 12 of an offsuit one."""
    return tuple(np.flatnonzero(class_numbers() == number).tolist())


def class_number(text: str) -> int | None:
    """The class that a text such as ``AKs``, ``akS``, ``KAs``, ``109o`` or ``AA`` names; None for any other text.

    Raises:
        MalformedTextError: ``AK`` is two classes, ``AKs`` and ``AKo``.
    """
    match = re.fullmatch(rf"([{RANKS}])([{RANKS}])([so]?)", normal(text.replace("10", "T")))
    if match is None:
        return None
    high, low = sorted((match[1], match[2]), key=DESCENDING.index)
    if high == low:
        return None if match[3] else CLASS_NAMES.index(high + low)
    if not match[3]:
        raise MalformedTextError(f"hand {text!r} is two classes; add s or o: {high}{low}s or {high}{low}o")
    return CLASS_NAMES.index(high + low + match[3])


def class_name(hand: Sequence[int]) -> str:
    """The class of a hand of two cards, such as ``AKs``."""
    high, low = max(hand), min(hand)
    return CLASS_NAMES[int(class_numbers()[high * (high - 1) // 2 + low])]


def normal(body: str) -> str:
    """The text without blanks, with ranks in upper case, ``s`` and ``o`` in lower case."""
    return re.sub(r"[SO]", lambda m: m[0].lower(), "".join(body.split()).upper())
