"""What solves have in common whose tables lie in pieces, on one machine or on the nodes of a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from cfr.abstraction.abstraction import Abstraction
from cfr.kernel.tables import Tables
from cfr.kernel.traversal import Traversal
from cfr.solver import checkpoint
from cfr.solver.out_of_core.piece_plan import PiecePlan
from cfr.solver.out_of_core.piece_tables import Kind
from cfr.solver.settings import Settings
from cfr.solver.solver import Solution, Solver

KIND: dict[Solution, Kind] = {"average": "averages", "current": "regrets"}


class PiecesSolver(Solver):
    """The tables of a solve in pieces, and how to go on with them.

    Args:
        settings: what to solve.
        abstraction: lossless.
        plan: how the solve is split.
        traversal: of its tree.

    Attributes:
        first: the first round's tables of each kind.
    """

    is_in_pieces = True

    def __init__(self, settings: Settings, abstraction: Abstraction, plan: PiecePlan, traversal: Traversal) -> None:
        super().__init__(settings, abstraction, traversal)
        self.plan = plan
        self.first: dict[Kind, Tables] = {
            kind: traversal.zeros([plan.rows_of_first], sums=kind != "regrets")[0] for kind in plan.tables.kinds
        }

    @property
    def table_bytes(self) -> int:
        return self.plan.table_bytes

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The tables that the next iteration needs."""
        return (self.plan.tables if self.is_averaging else self.plan.tables.without("averages")).kinds

    def _save(self, pieces: checkpoint.Pieces, carried: np.ndarray) -> Path:
        """Write a checkpoint, while the pieces of this state and of the last checkpoint are whole."""
        path = checkpoint.path_for(self.settings.out)
        tables: Mapping[str, list[Tables]] = {kind: [pair] for kind, pair in self.first.items()}
        progress, lanes = checkpoint.Progress(self.iterations, self.clock.seconds), self.traversal.tree.lanes
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
        self.iterations, self.clock.before = progress.iterations, progress.seconds
