"""Gadgets: the opponent's range at the start of a re-solve.

Each hand of the opponent may decline the subgame for its target value, the most that the hand can win against the
blueprint. A re-solved strategy that no hand wants to enter is as safe as the blueprint (Burch, Johanson and Bowling
2014, "Solving Imperfect Information Games Using Decomposition", section 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cfr.kernel.schedules import Schedule

Floats = NDArray[np.float64]

# Where the blueprint brings no hand of the opponent, each hand is expected this often. If none were, hands would press
# the strategy down to their target values and no further.
_PRESUMED = 0.1


@dataclass(frozen=True)
class Gadget:
    """A mix for the opponent's range: hands that the blueprint expects, hands that want to enter, and all hands.

    Attributes:
        name: the gadget's name.
        expected: whether hands enter at least as often as the blueprint brings them to the spot; on lines to which it
            brings none, all hands at least one time in ten.
        wanting: whether hands that want to enter come beyond what the blueprint brings of them, without a bound.
        uniform: share of the range in which all hands weigh the same.
        trembling: the least chance with which each hand enters, whatever it wants. A small one leads to a sequential
            equilibrium of the gadget (Kubíček, Lisý and Sandholm 2026, "Equilibrium Refinements Improve Subgame Solving
            in Imperfect-Information Games"): play is good against hands that decline, too.
    """

    name: str
    expected: bool
    wanting: bool
    uniform: float
    trembling: float = 0.0


COMBINED = Gadget("combined", True, True, 0.1)
CFR_D = Gadget("cfr-d", False, True, 0.0)
UNSAFE = Gadget("unsafe", True, False, 0.0)
MIXED = Gadget("mixed", True, False, 0.1)
SEQUENTIAL = Gadget("sequential", False, True, 0.0, 0.1)
GADGETS = (COMBINED, CFR_D, SEQUENTIAL, UNSAFE, MIXED)


@dataclass(frozen=True)
class Certificate:
    """A bound on a re-solved strategy's loss of safety against the blueprint; mbb per hand that gets to the spot.

    Attributes:
        most: the largest gain of any hand of the opponent over its target value (Burch, Johanson and Bowling 2014,
            theorem 1); 0 if no hand gains.
        mean: the mean gain over all hands of the opponent, which weigh the same; losses count as 0.
        drop: decrease of a best response's winnings with the hands that the blueprint expects.
    """

    most: float
    mean: float
    drop: float


CERTIFICATE_BINS = 10 ** np.linspace(-1, 4, 51)  # mbb, upper ends


def no_certificates() -> NDArray[np.float64]:
    """Counts of certificates by size before any are counted."""
    return np.zeros(len(CERTIFICATE_BINS) + 1)


def count_certificates(found: Sequence[Certificate]) -> NDArray[np.int64]:
    """``(bins + 1,)`` how many certificates have their ``most`` in each of :data:`CERTIFICATE_BINS`, or above all."""
    sizes = np.searchsorted(CERTIFICATE_BINS, [each.most for each in found])
    return np.bincount(sizes, minlength=len(CERTIFICATE_BINS) + 1)


class Entry:
    """The opponent's choice to enter or decline subgames on one board, hand by hand, learnt by regret matching.

    Args:
        gadget: the mix of the range.
        expected: ``(lines, H)`` reach of the opponent's hands by the blueprint.
        live: ``(H,)`` bool: hands that the board leaves.
        targets: ``(lines, H)`` value of each hand that declines.
    """

    def __init__(self, gadget: Gadget, expected: Floats, live: np.ndarray, targets: Floats) -> None:
        self._gadget = gadget
        self._live = live
        self._targets = targets
        comes = expected.any(axis=1, keepdims=True) & gadget.expected
        self._expected = np.where(comes, expected, _PRESUMED * live) * gadget.expected
        self._mass = self._expected.sum(axis=1, keepdims=True)
        self._enters, self._declines = np.zeros_like(targets), np.zeros_like(targets)

    @property
    def range(self) -> Floats:
        """``(lines, H)`` weight of the opponent's hands in the next iteration."""
        trembling = self._gadget.trembling
        enters = trembling + (1 - trembling) * self._shares
        wants = (1 - self._expected) * enters * self._live * self._gadget.wanting
        every = self._live * (self._mass / self._live.sum())
        uniform = self._gadget.uniform
        found: Floats = (1 - uniform) * (self._expected + wants) + uniform * every
        return found

    def learn(self, values: Floats, schedule: Schedule, iteration: int) -> None:
        """Update the regrets, given ``(lines, H)`` current values of each hand in the subgame."""
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
