"""Spaced repetition: when a spot that went wrong comes back.

Leitner's rule (So lernt man lernen, 1972), counted in answers instead of days. A spot that went wrong comes back after
five further answers. Each time it goes right its pause triples: 15, then 45 answers. A spot that went right three times
is learnt. A mistake sends it back to the first pause. A new spot comes between two that come back.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

PAUSES = (5, 15, 45)  # answers


@dataclass(frozen=True)
class Answered:
    """An answer, as far as repetition needs it: see :class:`cfr.study.training.exercise.Exercise`."""

    number: int
    again: int | None
    mistake: bool | None


@dataclass(frozen=True)
class Repetition:
    """What is to be repeated: ``due``, the number of the spot that waits longest for its turn, and how many wait."""

    due: int | None
    waiting: int


def repetition(answers: Iterable[Answered]) -> Repetition:
    """What a history of answers, in order, leaves to be repeated."""
    boxes: dict[int, tuple[int, int]] = {}  # by spot: how often it went right since, and the answer that it follows
    place, repeated = 0, False
    for place, answer in enumerate(answers, 1):
        repeated = answer.again is not None
        spot = answer.number if answer.again is None else answer.again
        box, _ = boxes.get(spot, (-1, 0))
        if answer.mistake:
            boxes[spot] = 0, place
        elif box >= 0:
            box += answer.mistake is False
            if box < len(PAUSES):
                boxes[spot] = box, place
            else:
                del boxes[spot]
    turns = {spot: at + PAUSES[box] for spot, (box, at) in boxes.items()}
    first = min(turns, key=turns.__getitem__, default=None)
    is_due = first is not None and turns[first] <= place and not repeated
    return Repetition(first if is_due else None, len(turns))
