"""Ranges: weights of the 1,326 hold'em hands in the notation that players paste, and the 169 classes behind it."""

from __future__ import annotations

import re
from functools import cache
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from cfr.cards import RANKS, SUITS, format_cards, parse_cards
from cfr.errors import MalformedTextError

NUM_HANDS = 1326
_DESCENDING = RANKS[::-1]


def _grid_class(row: int, column: int) -> str:
    high, low = _DESCENDING[min(row, column)], _DESCENDING[max(row, column)]
    return high + low + ("" if row == column else "s" if row < column else "o")


# The 13x13 grid row by row: aces first, pairs on the diagonal, suited above, offsuit below.
CLASS_NAMES: tuple[str, ...] = tuple(_grid_class(row, column) for row in range(13) for column in range(13))


@cache
def class_numbers() -> NDArray[np.int16]:
    """``(1326,)`` the class of each hand, an index of ``CLASS_NAMES``; hands as in :attr:`cfr.game.Game.hands`."""
    high, low = np.tril_indices(52, -1)
    rows, columns = 12 - (high >> 2), 12 - (low >> 2)  # the higher card's rank comes first
    suited = (high & 3) == (low & 3)
    classes = np.where(suited, rows * 13 + columns, columns * 13 + rows).astype(np.int16)
    classes.flags.writeable = False
    return classes


class Range:
    """Weights from 0 to 1 of the 1,326 hands.

    >>> str(Range.parse("QQ+, AKs, AA:0.5"))
    Traceback (most recent call last):
    cfr.errors.MalformedTextError: range 'QQ+, AKs, AA:0.5': AdAc at position 11 has weight 0.5, but 1 before
    >>> str(Range.parse("KK, QQ, AhKh, AsKs, AcKc, AdKd, JTo:0.25"))
    'KK-QQ,AKs,JTo:0.25'
    """

    def __init__(self, weights: NDArray[np.float64]) -> None:
        """``weights`` is ``(1326,)`` in the order of :attr:`cfr.game.Game.hands`; raises MalformedTextError."""
        array = np.array(weights, dtype=np.float64)
        if array.shape != (NUM_HANDS,) or not ((array >= 0) & (array <= 1)).all():
            raise MalformedTextError(f"a range needs {NUM_HANDS} weights from 0 to 1, not an array of {array.shape}")
        array.flags.writeable = False
        self.weights = array

    @classmethod
    def parse(cls, text: str) -> Range:
        """Read a range.

        Parts are separated by commas or spaces, each with an optional weight such as ``:0.5``: a class ``AKs``,
        ``AKo``, ``AK``, ``AA``; that and better ones ``QQ+``, ``ATs+`` (the lower card rises); a span ``JJ-88``,
        ``A5s-A2s``; two cards ``AsKh``; ``random`` for all.

        Raises:
            MalformedTextError: what cannot be read, or a hand with two weights; with its position.
        """
        weights = np.full(NUM_HANDS, -1.0)
        found = False
        for match in re.finditer(r"[^\s,]+", text):
            found = True
            part, where = match[0], f"range {text!r}: "
            body, _, given = part.partition(":")
            position = match.start() + 1
            weight = _weight(given, part, where, position)
            for hand in _hands_of(body, where, position):
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
        """A short notation that parses back to the same weights; ``''`` for no hands."""
        classes = class_numbers()
        whole: dict[float, set[int]] = {}
        parts: list[str] = []
        singles: list[str] = []
        for number in range(169):
            members = np.flatnonzero(classes == number)
            values = self.weights[members]
            if (values == values[0]).all():
                if values[0] > 0:
                    whole.setdefault(float(values[0]), set()).add(number)
            else:
                singles += [
                    _hand_name(int(h)) + _suffix(float(self.weights[h])) for h in members if self.weights[h] > 0
                ]
        for weight, numbers in sorted(whole.items(), reverse=True):
            spans = ["random"] if len(numbers) == len(CLASS_NAMES) else _spans(numbers)
            parts += [span + _suffix(weight) for span in spans]
        return ",".join(parts + singles)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Range) and np.array_equal(self.weights, other.weights)

    def __hash__(self) -> int:
        return hash(self.weights.tobytes())

    def __repr__(self) -> str:
        return f"Range.parse({str(self)!r})"


def _weight(text: str, part: str, where: str, position: int) -> float:
    if ":" not in part:
        return 1.0
    if not re.fullmatch(r"\d+(\.\d*)?([eE]-?\d+)?|\.\d+", text) or not 0 <= float(text) <= 1:
        position += part.index(":") + 1
        raise MalformedTextError(f"{where}weight {text!r} at position {position}; expected a number from 0 to 1")
    return float(text)


def _hands_of(body: str, where: str, position: int) -> list[int]:
    """The hands that one part without its weight stands for."""
    if body.lower() in ("random", "any"):
        return list(range(NUM_HANDS))
    if re.fullmatch(rf"([{RANKS}][{SUITS}]){{2}}", body, re.IGNORECASE):
        high, low = sorted(parse_cards(body), reverse=True)
        return [high * (high - 1) // 2 + low]
    pattern = rf"([{RANKS}])([{RANKS}])([so]?)"
    match = re.fullmatch(rf"{pattern}(\+|-{pattern})?", _normal(body))
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
        hands += _class_hands(each if high == low else high, each, kind)
    return hands


def _normal(body: str) -> str:
    """Ranks upper case, ``s`` and ``o`` lower case."""
    return re.sub(r"[SO]", lambda m: m[0].lower(), body.upper())


def _class_hands(high: int, low: int, kind: str) -> list[int]:
    row, column = 12 - high, 12 - low
    numbers = [row * 13 + column] if high == low or kind in ("s", "") else []
    if high != low and kind in ("o", ""):
        numbers.append(column * 13 + row)
    return np.flatnonzero(np.isin(class_numbers(), numbers)).tolist()


def _hand_name(hand: int) -> str:
    high = int((1 + (1 + 8 * hand) ** 0.5) / 2)
    return format_cards((high, hand - high * (high - 1) // 2))


def _suffix(weight: float) -> str:
    return "" if weight == 1 else f":{weight!r}"


def _spans(numbers: set[int]) -> list[str]:
    """Classes as spans: runs of pairs, and of lower cards under one higher card."""
    lines: dict[tuple[int, str], list[tuple[int, int]]] = {}
    for number in sorted(numbers):
        row, column = divmod(number, 13)
        if row == column:
            lines.setdefault((-1, ""), []).append((row, number))
        else:
            lines.setdefault((min(row, column), "s" if row < column else "o"), []).append((max(row, column), number))
    spans: list[str] = []
    for key in sorted(lines, key=lambda key: (key[0], key[1] == "o")):
        for _, run in groupby(enumerate(lines[key]), lambda item: item[1][0] - item[0]):
            names = [CLASS_NAMES[number] for _, (_, number) in run]
            spans.append(names[0] if len(names) == 1 else f"{names[0]}-{names[-1]}")
    return spans
