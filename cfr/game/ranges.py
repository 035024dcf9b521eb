"""Ranges: weights of the 1,326 hold'em hands, and the shortest notation of them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cfr.game.colours import GAIN
from cfr.game.hand_classes import CLASS_NAMES, DESCENDING, NUM_HANDS, class_hands, class_numbers
from cfr.game.notebook import GridCell, grid_html
from cfr.game.range_text import hand_name, read_range
from cfr.system.checks import check_text
from cfr.system.errors import MalformedTextError

_TINY = 1e-6  # a largest weight below it leaves nothing of products of weights


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
        self.weights = checked_weights(weights, NUM_HANDS, hand_name)

    @classmethod
    def parse(cls, text: str) -> Range:
        """Read a range.

        Commas, semicolons, spaces or newlines separate parts, each with an optional weight such as ``:0.5`` or
        ``:50%``. A part is a class (``AKs``, ``AKo``, ``AK``, ``AA``), a class and better ones (``QQ+``; ``ATs+``
        raises the lower card), a span (``JJ-88``, ``A5s-A2s``, ``JTs-54s``), two cards (``AsKh``, ``10s9s``, with
        suit symbols, too; ``X`` is any rank, ``AhXh``), or all hands (``random``, ``any two``, ``100%``). What other
        programs write is read, too: see :mod:`cfr.game.range_text`.

        Raises:
            MalformedTextError: text that cannot be read, or a hand with two weights; the message gives the position.
        """
        check_text("range", text, "QQ+, AKs")
        return cls(read_range(text))

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
                singles += [hand_name(h) + _suffix(w) for h, w in zip(members, weights, strict=True) if w > 0]
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
        parse = "; Range.parse reads text" if isinstance(weights, str) else ""
        raise MalformedTextError(f"a range needs {num_hands} weights, not {type(weights).__name__}{parse}") from None
    if array.shape != (num_hands,):
        raise MalformedTextError(f"a range needs {num_hands} weights, not an array of {array.shape}")
    [wrong] = np.nonzero(~((array >= 0) & (array <= 1)))
    if len(wrong):
        hand = int(wrong[0])
        raise MalformedTextError(f"a range's weights are 0 to 1; {hand_name(hand)} has {array[hand]:g}")
    if 0 < (largest := array.max(initial=0)) < _TINY:
        array /= largest  # weights of a range count by their proportions
    array.flags.writeable = False
    return array


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
            return DESCENDING[row] + DESCENDING[row + 1 + place] + kind

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
