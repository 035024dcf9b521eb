"""What a player won in the hands of logs: the rate with its interval, and how it came about, hand by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import stdev
from typing import Any

import numpy as np

from cfr.game.hand import LoggedHand
from cfr.system.interval import half_width_or_none
from cfr.system.text import counted, signed

MOST_POINTS = 1000
_NAMES = ("hands", "won_mbb", "interval_95_mbb")
_PER_100 = 10  # mbb/g in a big blind per 100 hands


@dataclass(frozen=True)
class Winnings:
    """A player's result over hands.

    Attributes:
        hands: whose result is known, see :attr:`cfr.game.hand.LoggedHand.chips`.
        won_mbb: chips won so far, before rake, in thousandths of a big blind, after hands that are evenly spread: see
            :attr:`after`. At most MOST_POINTS.
        interval_95_mbb: half width of the 95 % interval of the mean, mbb/g; None where there are too few hands.
    """

    hands: int
    won_mbb: tuple[int, ...]
    interval_95_mbb: float | None

    @classmethod
    def of(cls, hands: Sequence[LoggedHand], player: str, big_blind: int) -> Winnings:
        """A player's result in some hands, in their order.

        Args:
            hands: of one or more logs; those that the player is not in do not count.
            player: the name.
            big_blind: chips in one.
        """
        paid = [(each.chips, each.players.index(player)) for each in hands if player in each.players]
        won = [chips[seat] * 1000 / big_blind for chips, seat in paid if chips is not None]
        width = half_width_or_none(stdev(won), len(won)) if len(won) > 1 else None
        sums = np.concatenate([[0.0], np.cumsum(won)])[_places(len(won), min(len(won), MOST_POINTS))]
        return cls(len(won), tuple(round(each) for each in sums.tolist()), width)

    @classmethod
    def in_file(cls, attributes: Mapping[str, Any]) -> Winnings | None:
        """That of a model's file; None where it was made before files had one.

        Raises:
            KeyError, TypeError, ValueError: attributes that are not those of a result.
        """
        if "model_result" not in attributes:
            return None
        kept = json.loads(str(attributes["model_result"]))
        hands, won, width = (kept[name] for name in _NAMES)
        if not (len(won) == min(hands, MOST_POINTS) and all(isinstance(each, int) for each in won)):
            raise ValueError("the points of a result are not those of its hands")
        return cls(int(hands), tuple(won), None if width is None else float(width))

    @property
    def attributes(self) -> dict[str, str]:
        """What a model's file keeps."""
        values = (self.hands, self.won_mbb, self.interval_95_mbb)
        return {"model_result": json.dumps(dict(zip(_NAMES, values, strict=True)))}

    @property
    def after(self) -> tuple[int, ...]:
        """After how many hands each point stands, ascending; the last one after all."""
        return tuple(_places(self.hands, len(self.won_mbb)).tolist())

    @property
    def mbb_per_game(self) -> float | None:
        """The mean of a hand; None without hands."""
        return self.won_mbb[-1] / self.hands if self.hands else None

    def rate(self) -> dict[str, Any]:
        """The number of hands, the rate and its interval, in big blinds per 100 hands, for JSON."""
        mean, width = self.mbb_per_game, self.interval_95_mbb
        return {
            "hands": self.hands,
            "bb_per_100": None if mean is None else mean / _PER_100,
            "interval_95": None if width is None else width / _PER_100,
        }

    def curve(self) -> dict[str, Any]:
        """The rate, and the points in big blinds, for JSON."""
        return self.rate() | {"after": self.after, "won_bb": [each / 1000 for each in self.won_mbb]}

    def __str__(self) -> str:
        """A line for a reader."""
        if self.mbb_per_game is None:
            return "result: not known; the log hides what the hands won"
        hands, rate, width = self.rate().values()
        known = "too few hands for a 95 % interval" if width is None else f"+- {width:.1f} (95 % interval)"
        return f"result: {signed(rate, 1)} big blinds per 100 hands, {known}, in {counted(hands, 'hand')}"


def _places(hands: int, points: int) -> np.ndarray:
    """``(points,)`` numbers of hands, evenly spread, that end with all."""
    return np.arange(1, points + 1) * hands // max(points, 1)
