"""The trainer's running score: what answers lost on average, with an interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from cfr.system.interval import half_width_or_none
from cfr.system.text import counted


@dataclass(frozen=True)
class Score:
    """Answers together.

    Attributes:
        decisions: answered.
        mistakes: see :meth:`cfr.study.training.exercise.Exercise.judged`.
        same: sum of the probabilities with which the strategy would have done the same.
        valued: answers whose loss is known.
        ev_lost: mbb lost in these.
        squares: sum of the squares of these losses.
    """

    decisions: int
    mistakes: int
    same: float
    valued: int
    ev_lost: float
    squares: float

    def to_dict(self) -> dict[str, Any]:
        """By names; null where there is nothing to take a mean over, or too few for an interval."""
        per_decision = self.ev_lost / self.valued if self.valued else None
        interval = None
        if self.valued > 1:
            variance = (self.squares - self.ev_lost**2 / self.valued) / (self.valued - 1)
            interval = half_width_or_none(math.sqrt(max(variance, 0)), self.valued)
        return {
            "decisions": self.decisions,
            "mistakes": self.mistakes,
            "mean_probability": self.same / self.decisions if self.decisions else None,
            "ev_decisions": self.valued,
            "ev_lost_mbb": self.ev_lost if self.valued else None,
            "ev_lost_mbb_per_decision": per_decision,
            "interval_95_mbb": interval,
            "ev_lost_big_blinds_per_decision": None if per_decision is None else per_decision / 1000,
        }

    def __str__(self) -> str:
        text = f"score: {counted(self.decisions, 'decision')}, {counted(self.mistakes, 'mistake')}"
        found = self.to_dict()
        if found["ev_lost_mbb_per_decision"] is None:
            return text
        text += f"; EV lost {found['ev_lost_mbb_per_decision']:.1f} mbb"
        if found["interval_95_mbb"] is not None:
            text += f" +- {found['interval_95_mbb']:.1f} (95 % interval)"
        return f"{text} per decision ({found['ev_lost_big_blinds_per_decision']:.3f} big blinds)"
