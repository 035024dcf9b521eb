"""What solves have in common whose tables lie in pieces, on one machine or on the nodes of a cluster."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from cfr.abstraction.abstraction import Abstraction
from cfr.kernel.best_response import Measured
from cfr.kernel.schedules import schedule_named
from cfr.kernel.tables import Tables
from cfr.kernel.traversal import Traversal
from cfr.solver import checkpoint
from cfr.solver.measured_solver import MeasuredSolver, Solution
from cfr.solver.out_of_core.piece_plan import PiecePlan
from cfr.solver.out_of_core.piece_tables import Kind
from cfr.solver.settings import Settings
from cfr.strategy.files.round_rows import RoundRows
from cfr.system.closing import Closing

KIND: dict[Solution, Kind] = {"average": "averages", "current": "regrets"}


class PiecesSolver(MeasuredSolver, Closing):
    """The tables of a solve in pieces, and how to go on with them.

    Args:
        settings: what to solve.
        abstraction: lossless.
        plan: how the solve is split.
        traversal: of its tree.

    Attributes:
        iterations: done so far; one is an update of each seat.
        seconds_before, seconds: spent before a checkpoint was resumed, and in all.
        first: the first round's tables of each kind.
    """

    is_enumerated = True
    is_in_pieces = True
    responding_since = None
    best_mbb: float | None = None

    def __init__(self, settings: Settings, abstraction: Abstraction, plan: PiecePlan, traversal: Traversal) -> None:
        self.settings, self.abstraction, self.plan, self.traversal = settings, abstraction, plan, traversal
        self.schedule = schedule_named(settings.schedule)
        self.first: dict[Kind, Tables] = {
            kind: traversal.zeros([plan.rows_of_first], sums=kind != "regrets")[0] for kind in plan.tables.kinds
        }
        self.iterations, self.seconds_before, self.seconds = 0, 0.0, 0.0

    @abstractmethod
    def step(self, most: int = 1, between: Callable[[], bool] | None = None) -> int:
        """Go on to the end of the iteration; ``between`` may end the step before. Returns 1, or 0 if it did.

        A later call, or a solve that is resumed from a checkpoint in between, comes to the same bits.
        """

    @abstractmethod
    def save_checkpoint(self, seconds: float) -> Path:
        """Keep the state as it is, also within an iteration; returns the file that a solve goes on from."""

    @abstractmethod
    def measure_in_parts(self, solution: Solution, is_fine: bool, kept: int) -> Measured:
        """The strategy with the numbers of a file, which has ``kept`` rounds; later ones are as solved."""

    @abstractmethod
    def stored_round(self, round_: int, solution: Solution = "average") -> RoundRows:
        """A round of the average or the current strategy as the file keeps it."""

    @abstractmethod
    def remove(self) -> None:
        """Delete the pieces."""

    @property
    @abstractmethod
    def share_of_step(self) -> float:
        """The share of the iteration under way that is done."""

    @property
    def table_bytes(self) -> int:
        """Bytes of all tables, each once."""
        return self.plan.table_bytes

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The tables that the next iteration needs."""
        return (self.plan.tables if self.is_averaging else self.plan.tables.without("averages")).kinds

    def respond_if_warm(self, share_done: float) -> None:
        """Do nothing: the schedules of games without buckets do not respond."""

    def _save(self, pieces: checkpoint.Pieces, carried: np.ndarray) -> Path:
        """Write a checkpoint, while the pieces of this state and of the last checkpoint are whole."""
        path = checkpoint.path_for(self.settings.out)
        tables: Mapping[str, list[Tables]] = {kind: [pair] for kind, pair in self.first.items()}
        progress, lanes = checkpoint.Progress(self.iterations, self.seconds), self.traversal.tree.lanes
        checkpoint.save(path, self.settings, progress, tables, lanes, pieces, carried)
        return path

    def _load(self, carried: np.ndarray) -> None:
        """Fill the first round's tables and ``carried`` from the checkpoint to resume."""
        path = self.settings.resume
        assert path is not None
        trees = (self.traversal.tree, self.traversal.tree)
        first: dict[str, list[Tables]] = {kind: [pair] for kind, pair in self.first.items()}
        progress = checkpoint.load(path, self.settings, lambda _: trees, first)
        carried[...] = checkpoint.load_carried(path)
        self.iterations, self.seconds_before = progress.iterations, progress.seconds
        self.seconds = self.seconds_before
