"""How many rows each round of a card abstraction gets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cfr.abstraction.features import FLOP, RIVER
from cfr.game.rules import Game
from cfr.game.words import ROUND_NAMES
from cfr.system.errors import CfrError

LOSSLESS = "lossless"
MAX_BUCKETS = 65535
_WITH_CLASSES = re.compile(r"(\d+)x(\d+)")


@dataclass(frozen=True)
class RoundBuckets:
    """The rows of a round.

    Attributes:
        clusters: number of clusters of similar hands.
        turn_classes: number of classes of turn hands that the river tells apart; 1 forgets the turn.
    """

    clusters: int
    turn_classes: int = 1

    @property
    def rows(self) -> int:
        """One row for each cluster and class."""
        return self.clusters * self.turn_classes


def is_buckets(entry: str) -> bool:
    """Whether text is a number of buckets, ``lossless``, or classes of the turn times buckets such as ``10x330``."""
    sizes = _WITH_CLASSES.fullmatch(entry)
    numbers = sizes.groups() if sizes else (entry,)
    return entry == LOSSLESS or all(number.isdecimal() and int(number) > 0 for number in numbers)


def checked_buckets(game: Game, buckets: Sequence[int | str]) -> list[RoundBuckets | None]:
    """The rows of the flop, the turn and the river; None for a lossless round.

    An entry is a number, ``"lossless"`` or, on the river, ``"10x330"``: 10 classes of the turn times 330 buckets.

    Raises:
        CfrError: a game that has no buckets, or entries that are none of these.
    """
    if game.num_hole_cards != 2 or len(game.deck) != 52 or tuple(game.num_board_cards) != (0, 3, 1, 1):
        raise CfrError(f"{game.name}: only hold'em with 52 cards, a flop, a turn and a river has buckets")
    if len(buckets) != 3:
        raise CfrError(f"buckets: {len(buckets)} entries, expected those of flop, turn and river")
    result = [_checked(number, entry) for number, entry in enumerate(buckets, FLOP)]
    turn, river = result[1:]
    if river is not None and river.turn_classes > 1 and (turn is None or turn.clusters < river.turn_classes):
        found = LOSSLESS if turn is None else f"{turn.clusters} buckets"
        raise CfrError(f"buckets of the river: {buckets[2]!r}, expected at least as many on the turn, not {found}")
    return result


def _checked(number: int, entry: int | str) -> RoundBuckets | None:
    if entry == LOSSLESS:
        return None
    classes = 1
    clusters = entry
    if number == RIVER and (sizes := _WITH_CLASSES.fullmatch(str(entry))):
        classes, clusters = (int(size) for size in sizes.groups())
    if isinstance(clusters, int) and 1 <= clusters <= MAX_BUCKETS and 1 <= classes <= MAX_BUCKETS:
        return RoundBuckets(clusters, classes)
    expected = f"1 to {MAX_BUCKETS} or {LOSSLESS!r}" + (" or such as '10x330'" if number == RIVER else "")
    raise CfrError(f"buckets of the {ROUND_NAMES[number]}: {entry!r}, expected {expected}")
