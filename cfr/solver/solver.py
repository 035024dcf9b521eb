"""What solves of whole games have in common, wherever their tables lie."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cfr.abstraction.abstraction import Abstraction
from cfr.kernel.best_response import Measured
from cfr.kernel.schedules import schedule_named
from cfr.kernel.traversal import Traversal
from cfr.solver.settings import Settings
from cfr.strategy.files.round_rows import RoundRows
from cfr.system.clock import Clock
from cfr.system.closing import Closing
from cfr.system.errors import CfrError

Solution = Literal["average", "current"]


@dataclass(frozen=True)
class Measurement:
    """Exploitability in mbb/g of the better of the average and the current strategy."""

    exploitability_mbb: float
    strategy: Solution


class Solver(Closing):
    """The tables of a solve, and how to go on with them.

    Args:
        settings: what to solve.
        abstraction: the rows of the tables.
        traversal: of its tree.

    Attributes:
        is_in_pieces: whether the tables lie in pieces, and steps can end between them.
        iterations: done so far; one is an update of each seat.
        clock: of the solve; it counts from now on, and what was spent before a checkpoint was resumed.
        responding_since: iterations done when schedule ``cfr-br`` had warmed up; None before, and for the others.
        best_mbb: exploitability of the best strategy so far, in the solve's file, when sampled boards have a target.
    """

    is_in_pieces = False

    def __init__(self, settings: Settings, abstraction: Abstraction, traversal: Traversal) -> None:
        self.settings, self.abstraction, self.traversal = settings, abstraction, traversal
        self.schedule = schedule_named(settings.schedule)
        self.iterations, self.clock = 0, Clock()
        self.responding_since: int | None = None
        self.best_mbb: float | None = None
        self._measured: tuple[int, Measurement] | None = None

    def close(self) -> None:
        """End threads and processes."""

    def remove(self) -> None:
        """Delete the tables, where they are not in memory."""

    @abstractmethod
    def step(self, most: int = 1, between: Callable[[], bool] | None = None) -> int:
        """One iteration, or up to ``most`` where they are faster together; how many were done.

        Between two pieces ``between`` may end the step before; the result is 0 then. A later call, or a solve that is
        resumed from a checkpoint in between, comes to the same bits.

        Elsewhere Ctrl-C must not come in between, since tables that are half updated are no checkpoint: see
        :class:`cfr.system.interrupts.Interrupts`.
        """

    def respond_if_warm(self, share_done: float) -> None:
        """End the warm-up when ``share_done`` of the solve is enough; only schedule ``cfr-br`` has one."""

    @abstractmethod
    def save_checkpoint(self) -> Path:
        """Keep the state as it is, also within an iteration; returns the file that a solve goes on from."""

    @abstractmethod
    def exploitability_mbb(self, solution: Solution = "average") -> float:
        """Of the average or the current strategy, by best response over all boards, where iterations visit them all."""

    @abstractmethod
    def measure_in_parts(self, solution: Solution, is_fine: bool, num_stored: int) -> Measured:
        """Measure the strategy, rounded as in a file that has ``num_stored`` rounds; later ones are as solved.

        ``is_fine`` takes the remainders of rounding, too.
        """

    def measure_stored(self, rounds: Sequence[RoundRows]) -> Measured:
        """Measure stored probabilities; they take the place of the average, so the solve is over."""
        raise CfrError("tables in pieces are measured in parts")

    @abstractmethod
    def stored_round(self, round_: int, solution: Solution = "average") -> RoundRows:
        """A round of the average or the current strategy as the file stores it."""

    @property
    @abstractmethod
    def table_bytes(self) -> int:
        """Bytes of all tables, each once."""

    @property
    def share_of_step(self) -> float:
        """The share of the iteration under way that is done."""
        return 0.0

    @property
    def is_enumerated(self) -> bool:
        """Whether iterations visit all boards, or sampled ones."""
        return self.settings.buckets is None

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
