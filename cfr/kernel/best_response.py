"""Exploitability by exact best response."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cfr.kernel.chance import Deal
from cfr.kernel.tables import Tables
from cfr.kernel.traversal import Traversal


@dataclass(frozen=True)
class Measured:
    """A strategy measured by exact best response over all boards; mbb/g, seats by ACPC position.

    Attributes:
        exploitability: mean over both seats of the best-response gain.
        best_response: winnings of the best response in each seat.
        self_play: winnings of each seat when both seats play the strategy.
    """

    exploitability: float
    best_response: tuple[float, float]
    self_play: tuple[float, float]


def measure(traversal: Traversal, deal: Deal, tables: Sequence[Tables], planned: bool = False) -> Measured:
    """Measure the strategy in ``tables`` (rows normalised, or ``planned``) over an enumerated ``deal``."""
    to_mbb = traversal.tree.game.mbb
    best = [float(traversal.run(deal, tables, seat, "best", planned=planned).mean()) * to_mbb for seat in (0, 1)]
    own = [float(traversal.run(deal, tables, seat, "average", planned=planned).mean()) * to_mbb for seat in (0, 1)]
    return Measured(sum(best) / 2, (best[0], best[1]), (own[0], own[1]))


def exploitability_mbb(traversal: Traversal, deal: Deal, tables: Sequence[Tables]) -> float:
    """The exploitability in mbb/g, as in :func:`measure`."""
    to_mbb = traversal.tree.game.mbb
    return sum(float(traversal.run(deal, tables, seat, "best").mean()) for seat in (0, 1)) / 2 * to_mbb
