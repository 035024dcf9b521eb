"""What a match says of its first player, with an interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cfr.game.notebook import lines_html
from cfr.game.rules import Game
from cfr.system.interval import half_width
from cfr.system.text import counted, signed


@dataclass(frozen=True)
class MatchResult:
    """The first player's result.

    Attributes:
        hands: played; a duplicate pair counts as two.
        mbb_per_game: mean win in mbb/g.
        interval_95: half-width of its 95 % interval in mbb/g by Student's t, from hands, or from pairs when duplicate;
            infinite after one of these.
        aivat_mbb_per_game, aivat_interval_95: the same with luck taken out (:mod:`cfr.play.aivat`); None without.
    """

    hands: int
    mbb_per_game: float
    interval_95: float
    aivat_mbb_per_game: float | None = None
    aivat_interval_95: float | None = None

    @classmethod
    def of(
        cls,
        chips: NDArray[np.floating | np.integer],
        game: Game,
        *,
        duplicate: bool = False,
        adjusted: NDArray[np.floating] | None = None,
    ) -> MatchResult:
        """The result of ``(hands,)`` chips won, in order, as they are and as AIVAT adjusts them.

        With ``duplicate`` two and two are of the same deal.
        """
        mean, interval = _mean(chips, game, duplicate)
        if adjusted is None:
            return cls(len(chips), mean, interval)
        return cls(len(chips), mean, interval, *_mean(adjusted, game, duplicate))

    def _repr_html_(self) -> str:
        """The text, for notebooks."""
        return lines_html(str(self))

    def __str__(self) -> str:
        lines = [f"{_in_words(self.mbb_per_game, self.interval_95)}, over {counted(self.hands, 'hand')}"]
        if self.aivat_mbb_per_game is not None and self.aivat_interval_95 is not None:
            lines.append(f"{_in_words(self.aivat_mbb_per_game, self.aivat_interval_95)}, by AIVAT")
        return "\n".join(lines)


def _mean(chips: NDArray[np.floating | np.integer], game: Game, duplicate: bool) -> tuple[float, float]:
    """In mbb/g, and the half-width of its 95 % interval."""
    won = chips * game.mbb
    samples = won.reshape(-1, 2).mean(axis=1) if duplicate else won
    spread = float(samples.std(ddof=1)) if len(samples) > 1 else math.inf
    return float(won.mean()), half_width(spread, len(samples))


def _in_words(mbb: float, interval: float) -> str:
    if math.isinf(interval):  # one hand, or one pair, says nothing about 100 hands, nor do a few that ended alike
        return f"{signed(mbb)} mbb/g, too few hands for a 95 % interval"
    return f"{signed(mbb)} mbb/g, 95 % interval +- {interval:.1f} mbb/g, {signed(mbb / 10, 2)} big blinds per 100 hands"
