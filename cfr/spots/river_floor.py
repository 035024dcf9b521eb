"""The floor of river rows by strength: the exploitability that stays, however long a solve goes on.

Hands that tie differ in the cards that they take from the opponent, and rows by strength forget that. What can still
be solved away falls as on other spots; what does not is the floor.
"""

from __future__ import annotations

from typing import NamedTuple

STEEPNESS = 1.7  # exploitability above the floor falls about as iterations to the minus this
_APART = 1.25  # ratio of the iterations of two measurements that say something about the floor
_NEAR = 1.5  # an exploitability up to so many floors is near the floor


class Measured(NamedTuple):
    """An exploitability after some iterations, in percent of the pot."""

    iterations: int
    percent: float


class RiverFloor:
    """An estimate of the floor from the measurements of one solve; it depends on nothing but them.

    Attributes:
        last: the measurement that the next one is compared with; None before the first one. A checkpoint keeps it.
        percent: the estimate, 0 before the second measurement.
    """

    def __init__(self, last: Measured | None = None) -> None:
        self.last = last
        self.percent = 0.0
        self._now = 0.0

    def add(self, now: Measured) -> None:
        """Take a measurement into account, if it is far enough from the one before."""
        if self.last is not None:
            if now.iterations < _APART * self.last.iterations:
                return
            left = (now.iterations / self.last.iterations) ** -STEEPNESS
            self.percent = (now.percent - self.last.percent * left) / (1 - left)
        self.last, self._now = now, now.percent

    def slows(self, target_percent: float) -> bool:
        """Whether rows by hand come to a target sooner: the floor is more than half of it."""
        return self.percent > target_percent / 2

    def ends(self, target_percent: float) -> bool:
        """Whether a target is out of reach: it is below the floor, and the exploitability is near the floor."""
        return self.percent >= target_percent and self._now <= _NEAR * self.percent
