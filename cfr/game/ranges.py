"""Ranges: weights of the 1,326 hold'em hands in the notation that players paste, and the 169 classes behind it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import cache
from math import isqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cfr.game.cards import RANKS, SUITS, format_cards, parse_card
from cfr.game.colours import GAIN
from cfr.game.notebook import GridCell, grid_html
from cfr.system.errors import MalformedTextError

NUM_HANDS = 1326
_DESCENDING = RANKS[::-1]
_EVERYTHING = ("random", "any", "anytwo")
# Matches a part with its weight; blanks may surround - and :, and split "any two". Matches text that is no part, too.
_PART = re.compile(r"(?:any\s+two\b|[^\s,:-]+)(?:\s*[-:]\s*[^\s,:-]+)*[-:]*|[^\s,]+", re.IGNORECASE)

_CARD = re.compile(rf"[{RANKS}](?:[{SUITS}]|[\u2660-\u2667][\ufe0e\ufe0f]?)", re.IGNORECASE | re.ASCII)
_TWO_CARDS = re.compile(rf"(?:{_CARD.pattern}){{2}}", re.IGNORECASE | re.ASCII)


def _grid_class(row: int, column: int) -> str:
    high, low = _DESCENDING[min(row, column)], _DESCENDING[max(row, column)]
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


@cache
def class_hands(number: int) -> tuple[int, ...]:
    """The numbers of a class's hands, ascending: 6 of a pair, 4 of a suited class, 12 of an offsuit one."""
    return tuple(np.flatnonzero(class_numbers() == number).tolist())


def class_number(text: str) -> int | None:
    """The class that a text such as ``AKs``, ``akS``, ``KAs``, ``109o`` or ``AA`` names; None for any other text.

    Raises:
        MalformedTextError: ``AK`` is two classes, ``AKs`` and ``AKo``.
    """
    match = re.fullmatch(rf"([{RANKS}])([{RANKS}])([so]?)", _normal(text.replace("10", "T")))
    if match is None:
        return None
    high, low = sorted((match[1], match[2]), key=_DESCENDING.index)
    if high == low:
        return None if match[3] else CLASS_NAMES.index(high + low)
    if not match[3]:
        raise MalformedTextError(f"hand {text!r} is two classes; add s or o: {high}{low}s or {high}{low}o")
    return CLASS_NAMES.index(high + low + match[3])


def class_name(hand: Sequence[int]) -> str:
    """The class of a hand of two cards, such as ``AKs``."""
    high, low = max(hand), min(hand)
    return CLASS_NAMES[int(class_numbers()[high * (high - 1) // 2 + low])]


class Range:
    """Weights from 0 to 1 of the 1,326 hands.

    >>> str(Range.parse("QQ+, AKs, AA:0.5"))
    Traceback (most recent call last):
    cfr.system.errors.MalformedTextError: range 'QQ+, AKs, AA:0.5': AdAc at position 11 has weight 0.5, but 1 before
    >>> str(Range.parse("KK, AA, AhKh, AsKs, AcKc, AdKd, AQs, JTo:0.25"))
    'KK+,AQs+,JTo:0.25'
    """

    def __init__(self, weights: NDArray[np.float64]) -> None:
        """``weights`` is ``(1326,)`` in the order of :attr:`cfr.game.rules.Game.hands`; raises MalformedTextError."""
        self.weights = checked_weights(weights, NUM_HANDS, _hand_name)

    @classmethod
    def parse(cls, text: str) -> Range:
        """Read a range.

        Commas, spaces or newlines separate parts, each with an optional weight such as ``:0.5``. A part is a class
        (``AKs``, ``AKo``, ``AK``, ``AA``), a class and better ones (``QQ+``; ``ATs+`` raises the lower card), a span
        (``JJ-88``, ``A5s-A2s``), two cards (``AsKh``, ``10s9s``, with suit symbols, too), or all hands (``random``,
        ``any two``).

        Raises:
            MalformedTextError: text that cannot be read, or a hand with two weights; the message gives the position.
        """
        weights = np.full(NUM_HANDS, -1.0)
        found = False
        where = f"range {text!r}: "
        for match in _PART.finditer(text):
            found = True
            body, colon, given = match[0].partition(":")
            position = match.start() + 1
            weight = read_weight(given.strip(), where, match.end() - len(given.lstrip()) + 1) if colon else 1.0
            for hand in _hands_of(body.rstrip(), where, position):
                if weights[hand] >= 0 and weights[hand] != weight:
                    raise MalformedTextError(
                        f"{where}{_hand_name(hand)} at position {position} has weight {weight:g}, "
                        f"but {weights[hand]:g} before"
                    )
                weights[hand] = weight
        if not found:
            raise MalformedTextError("a range is empty; expected hands such as 'QQ+,AKs'")
        return cls(np.maximum(weights, 0))

    def __str__(self) -> str:
        """The shortest notation that :meth:`parse` reads back to the same weights.

        Classes come first, by falling weight, pairs before the others. The hands of classes with several weights
        follow. A range of no hands is ``random:0``.
        """
        whole: dict[float, set[int]] = {}
        singles: list[str] = []
        for number in range(len(CLASS_NAMES)):
            members = class_hands(number)
            weights = self.weights[list(members)].tolist()
            if len(set(weights)) == 1:
                whole.setdefault(weights[0], set()).add(number)
            else:
                singles += [_hand_name(h) + _suffix(w) for h, w in zip(members, weights, strict=True) if w > 0]
        parts: list[str] = []
        for weight, numbers in sorted(whole.items(), reverse=True):
            if len(numbers) == len(CLASS_NAMES):
                return "random" + _suffix(weight)
            if weight > 0:
                parts += _shortest(numbers, _suffix(weight))
        return ",".join(parts + singles)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Range) and np.array_equal(self.weights, other.weights)

    def __hash__(self) -> int:
        return hash(self.weights.tobytes())

    def __repr__(self) -> str:
        return f"Range.parse({str(self)!r})"

    def _repr_html_(self) -> str:
        """The grid of the 169 classes, each painted by its mean weight."""
        means = np.bincount(class_numbers(), self.weights) / np.bincount(class_numbers())
        cells = [
            GridCell(name, [(1.0, GAIN)], weight, f"{name}: weight {weight:.3g}")
            for name, weight in zip(CLASS_NAMES, means.tolist(), strict=True)
        ]
        return f"<p>{self.weights.sum():g} of {NUM_HANDS:,} hands</p>{grid_html(cells)}"


def checked_weights(weights: ArrayLike, num_hands: int, hand_name: Callable[[int], str]) -> NDArray[np.float64]:
    """``(num_hands,)`` a read-only copy of a range's weights; ``hand_name`` gives the name of a hand's number.

    Raises:
        MalformedTextError: another shape, or a weight that is not a number from 0 to 1.
    """
    try:
        array = np.array(weights, dtype=np.float64) + 0.0  # no -0, which equals 0 but has other bits
    except (TypeError, ValueError):
        raise MalformedTextError(f"a range needs {num_hands} weights, not {type(weights).__name__}") from None
    if array.shape != (num_hands,):
        raise MalformedTextError(f"a range needs {num_hands} weights, not an array of {array.shape}")
    [wrong] = np.nonzero(~((array >= 0) & (array <= 1)))
    if len(wrong):
        hand = int(wrong[0])
        raise MalformedTextError(f"a range's weights are 0 to 1; {hand_name(hand)} has {array[hand]:g}")
    array.flags.writeable = False
    return array


def read_weight(text: str, where: str, position: int) -> float:
    """A weight from 0 to 1; raises MalformedTextError, which begins with ``where`` and names the position."""
    if not re.fullmatch(r"[0-9]+(\.[0-9]*)?([eE]-?[0-9]+)?|\.[0-9]+", text) or not 0 <= float(text) <= 1:
        raise MalformedTextError(f"{where}weight {text!r} at position {position}; expected a number from 0 to 1")
    return float(text)


def _hands_of(body: str, where: str, position: int) -> list[int]:
    """The hands that one part without its weight stands for."""
    body = body.replace("10", "T")
    normal = _normal(body)
    if normal.lower() in _EVERYTHING:
        return list(range(NUM_HANDS))
    if _TWO_CARDS.fullmatch(body):
        first, second = (parse_card(half) for half in _CARD.findall(body))
        if first == second:
            raise MalformedTextError(f"{where}{body!r} at position {position} is the same card twice")
        high, low = max(first, second), min(first, second)
        return [high * (high - 1) // 2 + low]
    pattern = rf"([{RANKS}])([{RANKS}])([so]?)"
    match = re.fullmatch(rf"{pattern}(\+|-{pattern})?", normal)
    if match is None:
        raise MalformedTextError(
            f"{where}{body!r} at position {position} is no hand; expected the like of AKs, QQ+, JJ-88, A5s-A2s or AsKh"
        )
    high, low = sorted((RANKS.index(match[1]), RANKS.index(match[2])), reverse=True)
    kind = match[3]
    if high == low and kind:
        raise MalformedTextError(f"{where}{body!r} at position {position}: a pair is neither suited nor offsuit")
    lows = [low]
    if match[4] == "+":
        lows = list(range(low, 13)) if high == low else list(range(low, high))
    elif match[4]:
        other_high, other_low = sorted((RANKS.index(match[5]), RANKS.index(match[6])), reverse=True)
        pairs = high == low and other_high == other_low
        if match[7] != kind or not (pairs or (high == other_high and high != low and other_high != other_low)):
            raise MalformedTextError(
                f"{where}{body!r} at position {position}: a span keeps the higher card and the suits, or is of pairs"
            )
        lows = list(range(min(low, other_low), max(low, other_low) + 1))
    hands: list[int] = []
    for each in lows:
        row, column = 12 - (each if high == low else high), 12 - each
        if kind != "o":
            hands += class_hands(row * 13 + column)
        if high != low and kind != "s":
            hands += class_hands(column * 13 + row)
    return hands


def _normal(body: str) -> str:
    """The part without blanks, with ranks in upper case, ``s`` and ``o`` in lower case."""
    return re.sub(r"[SO]", lambda m: m[0].lower(), "".join(body.split()).upper())


def _hand_name(hand: int) -> str:
    high = (1 + isqrt(1 + 8 * hand)) // 2
    return format_cards((high, hand - high * (high - 1) // 2))


def _suffix(weight: float) -> str:
    return "" if weight == 1 else f":{weight!r}".removesuffix(".0")


def _shortest(numbers: Collection[int], suffix: str) -> list[str]:
    """The shortest parts for classes of one weight: pairs, then the others by their higher card."""
    pairs = {row for row in range(13) if row * 14 in numbers}
    parts = _cover(pairs, pairs, lambda place, _: CLASS_NAMES[place * 14], len(suffix))
    for row in range(13):
        beside = range(row + 1, 13)
        suited = {column - row - 1 for column in beside if row * 13 + column in numbers}
        offsuit = {column - row - 1 for column in beside if column * 13 + row in numbers}

        def name(place: int, kind: str, row: int = row) -> str:
            return _DESCENDING[row] + _DESCENDING[row + 1 + place] + kind

        parts += _cover(suited, offsuit, name, len(suffix))
    return [part + suffix for part in parts]


def _cover(
    suited: Collection[int], offsuit: Collection[int], name: Callable[[int, str], str], suffix: int
) -> tuple[str, ...]:
    """The shortest list of parts that names the given places and no others; ``suffix`` is the length of each suffix.

    A place is a pair, or a lower card under one higher card; the best is 0. A part names a run of places: suited ones,
    offsuit ones or, without a letter, ones that are both. A run from place 0 ends with ``+``. Parts may overlap. Pairs
    count as both suited and offsuit, so their parts have no letter.
    """
    both = set(suited) & set(offsuit)

    @cache
    def rest(suited_done: int, offsuit_done: int) -> tuple[int, int, tuple[str, ...]]:
        """Number of characters, number of parts, and the parts for the places that are not yet named."""
        due_suited = min((place for place in suited if place >= suited_done), default=13)
        due_offsuit = min((place for place in offsuit if place >= offsuit_done), default=13)
        first = min(due_suited, due_offsuit)
        if first == 13:
            return 0, 0, ()
        # Some part must name the first place due. It starts there, for no place before is due.
        kinds = [("", both)]
        if due_suited == first:
            kinds.append(("s", set(suited)))
        if due_offsuit == first:
            kinds.append(("o", set(offsuit)))
        choices = []
        for kind, members in kinds:
            end = first
            while end in members:
                end += 1
                if end == first + 1:
                    text = name(first, kind)
                elif members.issuperset(range(first)):
                    text = name(end - 1, kind) + "+"
                else:
                    text = f"{name(first, kind)}-{name(end - 1, kind)}"
                after = rest(
                    suited_done if kind == "o" else max(suited_done, end),
                    offsuit_done if kind == "s" else max(offsuit_done, end),
                )
                choices.append((len(text) + suffix + 1 + after[0], 1 + after[1], (text, *after[2])))
        return min(choices, key=lambda choice: choice[:2])

    return rest(0, 0)[2]
