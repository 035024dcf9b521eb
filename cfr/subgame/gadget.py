"""Gadgets: with which hands the opponent enters a subgame that is re-solved.

The opponent of a re-solve may decline the subgame, hand by hand, for its target value, which is what the hand wins
against the blueprint at best. A re-solved strategy that no hand wants to enter is as safe as the blueprint (Burch,
Johanson and Bowling 2014, "Solving Imperfect Information Games Using Decomposition", section 4).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cfr.kernel.schedules import Schedule

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Gadget:
    """How the opponent's range is made of those that the blueprint expects, that want to enter, and of all hands.

    Attributes:
        name: how it is called.
        expected: whether hands enter as often as the blueprint gets them there, whatever they want.
        cap: weight of the hands that enter because they want to, at most, as a share of the expected ones' weight.
        uniform: share of the range that is every hand alike.
    """

    name: str
    expected: bool
    cap: float
    uniform: float


COMBINED = Gadget("combined", True, 0.2, 0.1)
UNCAPPED = Gadget("uncapped", True, np.inf, 0.1)
CFR_D = Gadget("cfr-d", False, np.inf, 0.0)
UNSAFE = Gadget("unsafe", True, 0.0, 0.0)
MIXED = Gadget("mixed", True, 0.0, 0.1)
GADGETS = (COMBINED, UNCAPPED, CFR_D, UNSAFE, MIXED)


@dataclass(frozen=True)
class Certificate:
    """By how much a re-solved strategy may be less safe than the blueprint; mbb per hand that gets to the spot.

    Attributes:
        most: what any hand of the opponent gains over its target value, at most (Burch, Johanson and Bowling 2014,
            theorem 1); 0 where all are kept below theirs.
        mean: the same, of all hands of the opponent alike, counting losses as 0.
        drop: how much less a best response wins with the hands that the blueprint expects.
    """

    most: float
    mean: float
    drop: float


class Entry:
    """Which opponent's hands enter subgames on one board, learnt by regret matching.

    Args:
        gadget: how the range is made.
        expected: ``(lines, H)`` reach of the opponent's hands by the blueprint.
        live: ``(H,)`` hands that the board leaves.
        targets: ``(lines, H)`` what each hand wins if it declines.
    """

    def __init__(self, gadget: Gadget, expected: Floats, live: np.ndarray, targets: Floats) -> None:
        self._gadget = gadget
        self._live = live
        self._targets = targets
        mass = expected.sum(axis=1, keepdims=True)
        self._is_expected = (mass > 0) & gadget.expected
        self._expected = np.where(self._is_expected, expected, 0)
        self._mass = np.where(self._is_expected, mass, 0)
        self._uniform = np.where(self._is_expected, gadget.uniform, 0)
        self._enters, self._declines = np.zeros_like(targets), np.zeros_like(targets)

    @property
    def range(self) -> Floats:
        """``(lines, H)`` weight of the opponent's hands in the next iteration.

        Where the blueprint gets no hand there, hands enter as they want to.
        """
        wants = (1 - self._expected) * self._shares * self._live
        added = wants.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.where(self._is_expected & (added > 0), np.minimum(1, self._gadget.cap * self._mass / added), 1)
        every = self._live * (self._mass / self._live.sum())
        found: Floats = (1 - self._uniform) * (self._expected + scale * wants) + self._uniform * every
        return found

    def learn(self, values: Floats, schedule: Schedule, iteration: int) -> None:
        """Update the regrets, given ``(lines, H)`` what each hand wins in the subgame now."""
        mean = self._targets + self._shares * (values - self._targets)
        kept = schedule.kept(iteration)
        self._enters = _discounted(self._enters + values - mean, kept)
        self._declines = _discounted(self._declines + self._targets - mean, kept)

    @property
    def _shares(self) -> Floats:
        """``(lines, H)`` probability of entering."""
        enters, declines = np.maximum(self._enters, 0), np.maximum(self._declines, 0)
        total = enters + declines
        shares: Floats = np.where(total > 0, enters / np.where(total > 0, total, 1), 0.5)
        return shares


def _discounted(regrets: Floats, kept: tuple[float, float]) -> Floats:
    result: Floats = regrets * np.where(regrets > 0, *kept)
    return result
