"""What is kept of a player: hands, and the result over them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from cfr.game.hand import Deal
from cfr.system.interval import half_width_or_none


@dataclass(frozen=True)
class Hand:
    """A hand between a person and a bot, as it is kept.

    Attributes:
        number: counted from 1 in its session.
        bot: the bot's name.
        seat: the person's.
        deal: all cards, also those that nobody has seen.
        line: the actions so far.
        chips: won by the person; None while the hand is played.
        adjusted: the same with the luck taken out of it (:mod:`cfr.web.table.luck`); None until it is worked out.
        chosen: whether the person chose this bot by its name; such hands have a result of their own.
        shares: of its responses, by which a bot that learns plays the whole hand; empty for another bot.
    """

    number: int
    bot: str
    seat: int
    deal: Deal
    line: str
    chips: int | None
    adjusted: float | None = None
    chosen: bool = False
    shares: tuple[float, ...] = ()

    @property
    def against(self) -> str:
        """The name of the bot that the person chose; empty for the first one."""
        return self.bot if self.chosen else ""


@dataclass(frozen=True)
class Session:
    """A player: its number in the file, finished hands, chips won in them, and the sum of their squares.

    The hands are those against the first bot, or against one that was chosen.
    Of the hands whose luck is worked out, ``adjusted`` counts, the same.
    """

    id: int
    hands: int
    chips: int
    squares: int
    adjusted: int = 0
    adjusted_chips: float = 0.0
    adjusted_squares: float = 0.0

    def result(self, big_blind: int) -> dict[str, Any]:
        """What was won, plain and luck-adjusted, see ``docs/web.md``; null where there are too few hands."""
        adjusted = _rate(self.adjusted, self.adjusted_chips, self.adjusted_squares, big_blind)
        return {
            "hands": self.hands,
            "chips": self.chips,
            **_rate(self.hands, self.chips, self.squares, big_blind),
            "luck_adjusted": {"hands": self.adjusted, **adjusted},
        }


def _rate(hands: int, chips: float, squares: float, big_blind: int) -> dict[str, float | None]:
    """Big blinds per 100 hands, and the half-width of their 95 % interval; None where there are too few."""
    per_100, interval = None, None
    if hands:
        per_100 = 100 * chips / hands / big_blind
    if hands > 1:
        variance = (squares - chips**2 / hands) / (hands - 1)
        width = half_width_or_none(math.sqrt(max(variance, 0)), hands)
        interval = None if width is None else 100 * width / big_blind
    return {"bb_per_100": per_100, "interval_95": interval}
