"""How many rows each round of a card abstraction gets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cfr.abstraction.deck import FLOP, Deck
from cfr.game.rules import Game
from cfr.game.words import ROUND_NAMES
from cfr.hands.isomorphism import canonical_hands
from cfr.system.errors import CfrError
from cfr.system.text import counted

LOSSLESS = "lossless"
MAX_BUCKETS = 65535
_WITH_CLASSES = re.compile(r"(\d+)x(\d+)")


@dataclass(frozen=True)
class RoundBuckets:
    """The rows of a round.

    Attributes:
        clusters: number of clusters of similar hands.
        classes: number of classes of hands in the round before that the last round tells apart; 1 forgets them.
    """

    clusters: int
    classes: int = 1

    @property
    def rows(self) -> int:
        """One row for each cluster and class."""
        return self.clusters * self.classes


def is_buckets(entry: str) -> bool:
    """Whether text is a number of buckets, ``lossless``, or classes of the round before times buckets: ``10x330``."""
    sizes = _WITH_CLASSES.fullmatch(entry)
    numbers = sizes.groups() if sizes else (entry,)
    return entry == LOSSLESS or all(number.isdecimal() and int(number) > 0 for number in numbers)


def checked_buckets(game: Game, buckets: Sequence[int | str]) -> list[RoundBuckets | None]:
    """The rows of the flop and of each round after it; None for a lossless round.

    An entry is a number, ``"lossless"`` or, in the last round, ``"10x330"``: 10 classes of the round before times 330
    buckets. No round has more rows than canonical hands.

    Raises:
        CfrError: a game that has no buckets, or entries that are none of these.
    """
    deck = Deck.of(game)
    names = ROUND_NAMES[FLOP : game.num_rounds]
    if len(buckets) != len(names):
        listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        those = "that" if len(names) == 1 else "those"
        raise CfrError(f"buckets: {counted(len(buckets), 'entry', 'entries')}, expected {those} of {listed}")
    result = [_checked(deck, number, entry) for number, entry in enumerate(buckets, FLOP)]
    last, before = result[-1], result[-2] if len(result) > 1 else None
    if last is not None and last.classes > 1 and (before is None or before.clusters < last.classes):
        found = LOSSLESS if before is None else counted(before.clusters, "bucket")
        wanted = f"expected at least as many on the {ROUND_NAMES[deck.last - 1]}, not {found}"
        raise CfrError(f"buckets of the {names[-1]}: {buckets[-1]!r}, {wanted}")
    return result


def _checked(deck: Deck, number: int, entry: int | str) -> RoundBuckets | None:
    if entry == LOSSLESS:
        return None
    may_remember = FLOP < number == deck.last
    classes = 1
    clusters = entry
    if may_remember and (sizes := _WITH_CLASSES.fullmatch(str(entry))):
        classes, clusters = (int(size) for size in sizes.groups())
    if isinstance(clusters, int) and 1 <= clusters <= MAX_BUCKETS and 1 <= classes <= MAX_BUCKETS:
        found = RoundBuckets(clusters, classes)
        _check_hands(deck, number, entry, found)
        return found
    expected = f"1 to {MAX_BUCKETS} or {LOSSLESS!r}" + (" or such as '10x330'" if may_remember else "")
    raise CfrError(f"buckets of the {ROUND_NAMES[number]}: {entry!r}, expected {expected}")


def _check_hands(deck: Deck, number: int, entry: int | str, buckets: RoundBuckets) -> None:
    """Raise CfrError for more clusters than the round has hands, or more rows than it has hands as dealt."""
    different = deck.different_hands(number)
    as_dealt = canonical_hands((2, 3, 1, 1)[: 1 + number], deck.num_ranks, deck.num_suits)[-1]
    for count, hands, kind in ((buckets.clusters, different, "different hands"), (buckets.rows, as_dealt, "hands")):
        if count > hands:
            raise CfrError(
                f"buckets of the {ROUND_NAMES[number]}: {entry!r}, but there are only {hands:,} {kind}; "
                f"say fewer, or {LOSSLESS}"
            )
