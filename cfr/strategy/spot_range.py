"""All hands of a seat at a spot: their reach, and what they do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting_round import ACTIONS
from cfr.game.cards import format_cards
from cfr.game.hand_classes import classes_of
from cfr.game.notebook import summary_html
from cfr.game.rules import Game
from cfr.game.words import ACTION_NAMES
from cfr.strategy.hand_table import HandTable
from cfr.system.checks import check_count, check_seed
from cfr.system.errors import BadInputError

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class SpotRange:
    """All hands of a seat at a spot.

    >>> import cfr
    >>> spot = cfr.BuiltIn("uniform").range("Td9d6h", "rc/c")
    >>> spot.by_class().columns()["hand"][:3].tolist()
    ['AA', 'AKs', 'AQs']

    Attributes:
        seat: the seat that holds the hands.
        hands: ``(H,)`` names such as ``AhAs``; H is 1326 in hold'em.
        reach: ``(H,)`` the product of the seat's own probabilities along the line; 0 for hands that the board blocks.
        frequencies: ``(H, 3)`` of fold, call and raise; 0 where illegal, and for hands that the board blocks. The other
            hands have NaN if the seat is not to act.
        legal: letters of the legal actions; none if the seat is not to act.
        presumed: None where some hand reaches the spot; else ``(H,)`` the reach if all hands had taken each action
            on the line that no hand of the seat takes.
        seat_name: ``button`` or ``big blind``.
        spot: the spot in words.
        live: ``(H,)`` bool: hands that the board leaves; None for those with frequencies.
    """

    seat: int
    hands: NDArray[np.str_]
    reach: Floats
    frequencies: Floats
    legal: str = ACTIONS
    presumed: Floats | None = None
    seat_name: str = ""
    spot: str = ""
    live: NDArray[np.bool_] | None = None

    @property
    def is_played(self) -> bool:
        """Whether some hand reaches the spot; if none does, the frequencies say what the seat would do."""
        return self.presumed is None

    @property
    def shown(self) -> Floats:
        """``(H,)`` weights to show the hands by: the reach, or the presumed range."""
        return self.reach if self.presumed is None else self.presumed

    def sample(self, count: int, seed: int | None = None) -> NDArray[np.str_]:
        """``(count,)`` names of hands drawn by their reach, with replacement; the same seed draws the same.

        Raises:
            BadInputError: no hand reaches the spot.
        """
        check_count("count", count, 0)
        check_seed(seed)
        if not self.reach.any():
            raise BadInputError("no hand gets to this spot, there is none to draw")
        return np.random.default_rng(seed).choice(self.hands, count, p=self.reach / self.reach.sum())

    def table(self) -> HandTable:
        """A row for each hand."""
        live = self.frequencies.sum(axis=1) != 0 if self.live is None else self.live
        return HandTable(self.hands, live.astype(np.int64), self.reach, self.shown, self.frequencies, self.legal)

    def by_class(self) -> HandTable:
        """A row for each class such as AKs; raises BadInputError if the hands are not of two cards."""
        return self.table().by_class()

    def to_frame(self) -> Any:
        """:meth:`table` as a pandas ``DataFrame``; raises BadInputError where pandas is not installed."""
        return self.table().to_frame()

    def facts(self) -> dict[str, str]:
        """What the whole range does, by name, in words."""
        facts = {"hands of": self.seat_name, "combos": f"{self.shown.sum():.1f}"}
        if not self.is_played:
            facts["never played"] = "no hand gets here; this is what the seat would do"
        if self.legal:
            total = self.shown @ self.frequencies / max(float(self.shown.sum()), 1e-300)
            mix = zip(ACTION_NAMES, ACTIONS, total.tolist(), strict=True)
            facts |= {name: f"{100 * share:.1f} %" for name, letter, share in mix if letter in self.legal}
        return facts

    def __repr__(self) -> str:
        facts = ", ".join(f"{name} {value}" for name, value in self.facts().items())
        return f"<{type(self).__name__} {self.spot}: {facts}>"

    def _repr_html_(self) -> str:
        """The spot in words and numbers, and the grid of the hands' classes or another game's table, for notebooks."""
        table = self.table()
        hands = table._repr_html_() if classes_of(self.hands) is None else table.by_class().grid_html()
        return summary_html(self.spot, self.facts()) + hands


@lru_cache(4)
def hand_names(game: Game) -> NDArray[np.str_]:
    """``(H,)`` the two or four letters of each hand of ``game.hands``."""
    return np.array([format_cards(hand) for hand in game.hands.tolist()])
