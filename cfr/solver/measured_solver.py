"""Solvers that a best response over all boards measures, and what it finds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

from cfr.solver.settings import Settings

Solution = Literal["average", "current"]


@dataclass(frozen=True)
class Measurement:
    """Exploitability in mbb/g of the better of the average and the current strategy."""

    exploitability_mbb: float
    strategy: Solution


class MeasuredSolver(ABC):
    """A solve that is measured over all boards, once for its present tables.

    Attributes:
        settings: what to solve.
        iterations: done so far; one is an update of each seat.
    """

    settings: Settings
    iterations: int
    _measured: tuple[int, Measurement] | None = None

    @abstractmethod
    def exploitability_mbb(self, solution: Solution = "average") -> float:
        """Of the average or the current strategy, by best response over all boards."""

    @property
    def is_averaging(self) -> bool:
        """Whether the next iteration counts in the average strategy."""
        return self.iterations >= self.settings.averaging_delay

    def measure(self) -> Measurement:
        """The better of the average and the current strategy, by best response over all boards.

        While there is no average, it is the current one.
        """
        if self._measured is None or self._measured[0] != self.iterations:
            better = Measurement(self.exploitability_mbb("current"), "current")
            if self.iterations > self.settings.averaging_delay:
                average = self.exploitability_mbb("average")
                better = Measurement(average, "average") if average <= better.exploitability_mbb else better
            self._measured = self.iterations, better
        return self._measured[1]
