"""A solve whose tables lie in pieces on disk: the same steps as :class:`cfr.solver.game_solver.GameSolver`'s, to the
same bits, with a bound on memory.

An update of a seat visits piece by piece, in order. While one piece is updated, threads read the next and write the
last. The first round's tables stay in memory; values of its leaves pass from piece to piece
(:class:`cfr.kernel.chance.Piece`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from cfr.abstraction.abstraction import Abstraction
from cfr.game.rules import Game
from cfr.kernel.best_response import Measured
from cfr.kernel.schedules import schedule_named
from cfr.kernel.traversal import Mode
from cfr.solver import checkpoint
from cfr.solver.out_of_core.piece_holder import PieceHolder, Update
from cfr.solver.out_of_core.piece_measure import InitialValues, Part, exploitability_of_parts, measure_stored
from cfr.solver.out_of_core.piece_plan import PiecePlan, room_for_two
from cfr.solver.out_of_core.piece_rows import BandedRows
from cfr.solver.out_of_core.piece_tables import Kind
from cfr.solver.out_of_core.pieces_solver import KIND, PiecesSolver
from cfr.solver.settings import Settings
from cfr.solver.solver import Solution
from cfr.strategy.files.round_rows import RoundRows


class DiskSolver(PiecesSolver):
    """The tables of a solve beyond memory, and how to go on with them.

    Args:
        settings: what to solve.
        abstraction: lossless.
        plan: how the solve is split.
        header: of the checkpoint that the solve continues, or None.
        reach: ``(2, lines, hands)`` reach of each seat's hands on each line that enters the tree of ``plan``, where
            that begins after the game does; default, 1 for every hand.

    Attributes:
        files: the pieces on disk.
    """

    def __init__(
        self,
        settings: Settings,
        abstraction: Abstraction,
        plan: PiecePlan,
        header: checkpoint.Header | None = None,
        reach: np.ndarray | None = None,
    ) -> None:
        pieces = None if header is None else header.pieces
        schedule, versions = schedule_named(settings.schedule), {} if pieces is None else pieces.versions
        writes_late = room_for_two(plan.folder, plan.table_bytes)
        self._holder = PieceHolder(plan, schedule, settings.threads, versions, reach=reach, writes_late=writes_late)
        super().__init__(settings, abstraction, plan, self._holder.traversal)
        self.files = self._holder.files
        self._shares = None if reach is None else reach / _pairs(plan.game, reach)
        self._seat = self._piece = 0
        self._carried = self.traversal.carried()
        self._begin_pass()
        self._steps: Iterator[int] | None = None  # of the update under way
        if pieces is not None:
            self._load(self._carried)
            self._seat, self._piece = pieces.seat, pieces.piece

    def close(self) -> None:
        """End the threads."""
        self._holder.close()

    def remove(self) -> None:
        self._holder.remove()

    @property
    def initial_values(self) -> InitialValues | None:
        """What the values of the first round's leaves are before a pass; None for zeros."""
        return None

    @property
    def share_of_step(self) -> float:
        return (self._seat + self._piece / self.plan.count) / 2

    def step(self, most: int = 1, between: Callable[[], bool] | None = None) -> int:
        while True:
            self._update_piece()
            if self._seat == self._piece == 0:
                self.iterations += 1
                return 1
            if between is not None and between():
                return 0

    def visit_first(self, seat: int, count: int) -> None:
        """Update a seat on the first ``count`` pieces, for a measurement of speed: the solve is worthless after it."""
        self._seat, self._piece, self._steps = seat, 0, None
        for _ in range(count):
            self._update_piece()

    def save_checkpoint(self) -> Path:
        pieces = checkpoint.Pieces(
            self.plan.bounds, self._seat, self._piece, {}, folder=os.path.abspath(self.plan.folder)
        )
        self.files.keep(lambda versions: self._save(replace(pieces, versions=versions), self._carried))
        return checkpoint.path_for(self.settings.out)

    def exploitability_mbb(self, solution: Solution = "average") -> float:
        return exploitability_of_parts(
            self.traversal, partial(self._parts, KIND[solution]), self._shares, self.initial_values
        )

    def measure_in_parts(self, solution: Solution, is_fine: bool, num_stored: int) -> Measured:
        kind = KIND[solution]

        def parts(seat: int, mode: Mode) -> Iterator[Part]:
            return self._parts(kind, seat, "average")

        return measure_stored(self.traversal, parts, is_fine, num_stored, self.initial_values)

    def stored_round(self, round_: int, solution: Solution = "average") -> RoundRows:
        kind = KIND[solution]
        return BandedRows(
            self.plan,
            self.abstraction,
            round_,
            self.first[kind],
            lambda piece: self._holder.canonical(self.abstraction, piece, round_),
            lambda piece: self._holder.round_tables(kind, piece, round_),
        ).rows

    def _begin_pass(self) -> None:
        """Set what the first piece of a seat's update begins with."""
        initial_values = self.initial_values
        self._carried[...] = 0 if initial_values is None else initial_values(self._seat, self.first["regrets"])

    def _update_piece(self) -> None:
        """Update a seat on the next piece."""
        if self._steps is None:
            update = Update(self._seat, self.iterations + 1, self.kinds, self.first)
            self._steps = self._holder.updates(update, self._piece, self._carried)
        self._piece = (next(self._steps) + 1) % self.plan.count
        if not self._piece:
            self._steps, self._seat = None, 1 - self._seat
            self._begin_pass()
        if self._holder.is_to_be_kept:
            self.save_checkpoint()

    def _parts(self, kind: Kind, seat: int, mode: Mode) -> Iterator[Part]:
        return self._holder.parts(kind, self.first[kind], seat, mode)


def _pairs(game: Game, reach: np.ndarray) -> float:
    """The weight of all pairs of hands on all lines."""
    return sum(float(one @ game.weight_apart(other)) for one, other in zip(*reach, strict=True))
