"""A solve whose tables lie in pieces on disk: the same steps as :class:`cfr.solver.game_solver.GameSolver`'s, to the
same bits, with a bound on memory.

An update of a seat visits piece by piece, in order. While one piece is updated, a thread reads the next and another
writes the last. The first round's tables stay in memory; values of its leaves pass from piece to piece
(:class:`cfr.kernel.chance.Piece`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from cfr.abstraction.abstraction import Abstraction
from cfr.game.rules import Game
from cfr.kernel.best_response import Measured
from cfr.kernel.chance import Deal, Piece
from cfr.kernel.schedules import schedule_named
from cfr.kernel.tables import Tables
from cfr.kernel.traversal import Mode, Traversal, Visit
from cfr.solver import checkpoint
from cfr.solver.measured_solver import MeasuredSolver, Solution
from cfr.solver.piece_deals import PieceDeals
from cfr.solver.piece_measure import Part, exploitability_of_parts, measure_stored
from cfr.solver.piece_plan import REPLACED, PiecePlan
from cfr.solver.piece_rows import BandedRows
from cfr.solver.piece_tables import Kind, block_name
from cfr.solver.settings import Settings
from cfr.strategy.file import RoundRows
from cfr.system.block_files import BlockFiles
from cfr.system.closing import Closing

Blocks = dict[str, np.ndarray]
_KIND: dict[Solution, Kind] = {"average": "averages", "current": "regrets"}


class PiecewiseSolver(MeasuredSolver, Closing):
    """The tables of a solve beyond memory, and how to go on with them.

    Args:
        settings: what to solve.
        abstraction: lossless.
        plan: how the solve is split.
        header: of the checkpoint that the solve continues, or None.
        reach: ``(2, lines, hands)`` reach of each seat's hands on each line that enters the tree of ``plan``, where
            that begins after the game does; default, 1 for every hand.

    Attributes:
        iterations: done so far; one is an update of each seat.
        files: the pieces on disk.
        first: the first round's tables of each kind.
    """

    is_enumerated = True
    is_in_pieces = True
    responding_since = None
    best_mbb: float | None = None

    def __init__(
        self,
        settings: Settings,
        abstraction: Abstraction,
        plan: PiecePlan,
        header: checkpoint.Header | None = None,
        reach: np.ndarray | None = None,
    ) -> None:
        self.settings, self.abstraction, self.plan = settings, abstraction, plan
        self.schedule = schedule_named(settings.schedule)
        tables = plan.tables
        self.traversal = Traversal(tables.tree, settings.threads, tables.wide, reach=reach, table_dtype=tables.numbers)
        self.first: dict[Kind, Tables] = {
            kind: self.traversal.zeros([plan.rows_of_first], sums=kind != "regrets")[0] for kind in tables.kinds
        }
        self._shares = None if reach is None else reach / _pairs(plan.game, reach)
        self.iterations, self.seconds_before = 0, 0.0
        self._seat = self._piece = 0
        self._carried = self.traversal.carried()
        self._visits: Iterator[tuple[int, Deal, Blocks]] | None = None  # of the update under way
        versions: Mapping[str, int] = {}
        if header is not None and header.pieces is not None and settings.resume is not None:
            versions = header.pieces.versions
            self._resume(settings.resume, header.pieces)
        self.files = BlockFiles(plan.folder, versions, plan.resident_bytes)
        self.deals = PieceDeals(plan.game, plan.levels, plan.bounds, plan.folder)
        self.seconds = self.seconds_before

    def close(self) -> None:
        """End the threads."""
        self.files.close()
        self.deals.close()

    @property
    def table_bytes(self) -> int:
        """Bytes of all tables, each once."""
        return self.plan.table_bytes

    @property
    def share_of_step(self) -> float:
        """The share of the iteration under way that is done."""
        return (self._seat + self._piece / self.plan.count) / 2

    def step(self, most: int = 1, between: Callable[[], bool] | None = None) -> int:
        """Go on to the end of the iteration; ``between`` pieces may end the step before. Returns 1, or 0 if it did.

        A later call, or a solve that is resumed from a checkpoint in between, comes to the same bits.
        """
        while True:
            self._update_piece()
            if self._seat == self._piece == 0:
                self.iterations += 1
                return 1
            if between is not None and between():
                return 0

    def visit_first(self, seat: int, count: int) -> None:
        """Update a seat on the first ``count`` pieces, for a measurement of speed: the solve is worthless after it."""
        self._seat, self._piece, self._visits = seat, 0, None
        for _ in range(count):
            self._update_piece()

    def respond_if_warm(self, share_done: float) -> None:
        """Do nothing: the schedules of games without buckets do not respond."""

    def save_checkpoint(self, seconds: float) -> Path:
        """Keep the state as it is, also within an iteration; returns the file that a solve goes on from."""
        path = checkpoint.path_for(self.settings.out)
        self.seconds = seconds

        def write(versions: Mapping[str, int]) -> None:
            checkpoint.save(
                path,
                self.settings,
                checkpoint.Progress(self.iterations, seconds),
                {kind: [pair] for kind, pair in self.first.items()},
                self.traversal.tree.lanes,
                checkpoint.Pieces(self.plan.bounds, self._seat, self._piece, versions),
                self._carried,
            )

        self.files.keep(write)
        return path

    def exploitability_mbb(self, solution: Solution = "average") -> float:
        """Of the average or the current strategy, by best response over all boards."""
        return exploitability_of_parts(self.traversal, partial(self._parts, _KIND[solution]), self._shares)

    def measure_in_parts(self, solution: Solution, is_fine: bool, without_last: bool) -> Measured:
        """The strategy with the numbers of a file; its last round is as solved where the file leaves it out."""
        kind = _KIND[solution]

        def parts(seat: int, mode: Mode) -> Iterator[Part]:
            return self._parts(kind, seat, "average")

        return measure_stored(self.traversal, parts, is_fine, without_last)

    def stored_round(self, round_: int, solution: Solution = "average") -> RoundRows:
        """A round of the average or the current strategy as the file keeps it."""
        return BandedRows(self.plan, self.files, self.deals, self.abstraction, self.first, round_, _KIND[solution]).rows

    def _update_piece(self) -> None:
        """Update a seat on the next piece."""
        seat, plan = self._seat, self.plan
        kinds = (plan.tables if self.is_averaging else plan.tables.without("averages")).kinds
        if self._visits is None:
            needed = {(kind, owner) for kind in kinds for owner in (0, 1) if kind == "regrets" or owner == seat}
            self._visits = self._pieces(needed, self._piece)
        piece, deal, blocks = next(self._visits)
        rows = plan.num_rows(piece)
        own = {
            kind: [self.first[kind][seat], *plan.tables.views(blocks[block_name(kind, seat, piece)], kind, seat, rows)]
            for kind in kinds
        }
        other = blocks[block_name("regrets", 1 - seat, piece)]
        others = [self.first["regrets"][1 - seat], *plan.tables.views(other, "regrets", 1 - seat, rows)]
        pairs = zip(own["regrets"], others, strict=True) if seat == 0 else zip(others, own["regrets"], strict=True)
        iteration = self.iterations + 1
        self.traversal.prepare(
            replace(deal, piece=Piece(self._carried, plan.first_rows(piece), piece + 1 == plan.count)),
            list(pairs),
            seat,
            "update",
            averages=own.get("averages"),
            accumulated=own.get("accumulated"),
        ).run(Visit(0, self.schedule.weight(iteration), self.schedule.kept(iteration), seed=iteration))
        self.files.settle()  # of the piece before
        for kind, owner in ((kind, owner) for kind in kinds for owner in (0, 1)):
            if (name := block_name(kind, owner, piece)) in blocks:
                self.files.release(name, blocks[name], owner == seat)
        self._piece = (piece + 1) % plan.count
        if not self._piece:
            self._visits, self._seat = None, 1 - seat
            self._carried[...] = 0
        if self.files.replaced_bytes > REPLACED * plan.table_bytes or not self.files.has_room(3 * plan.largest_piece):
            self.save_checkpoint(self.seconds)

    def _parts(self, kind: Kind, seat: int, mode: Mode) -> Iterator[Part]:
        """All pieces with the tables of a kind; mode ``best`` reads those of the opponent alone."""
        plan, tables = self.plan, self.plan.tables
        owners = (1 - seat,) if mode == "best" else (0, 1)
        for piece, deal, blocks in self._pieces({(kind, owner) for owner in owners}):
            rows, pairs = plan.num_rows(piece), []
            for owner in (0, 1):
                name = block_name(kind, owner, piece)
                if owner in owners:
                    block = blocks[name]
                    self.files.release(name, block, False)
                else:
                    block = np.empty(tables.size(kind, owner, rows), np.uint8)  # nobody reads it
                pairs.append(tables.views(block, kind, owner, rows))
            later = list(zip(pairs[0], pairs[1], strict=True))
            yield Part(deal, [self.first[kind], *later], plan.first_rows(piece), piece + 1 == plan.count)

    def _pieces(self, needed: set[tuple[Kind, int]], start: int = 0) -> Iterator[tuple[int, Deal, Blocks]]:
        """Pieces from ``start`` on, with their boards and blocks; the next one is read ahead."""
        plan = self.plan

        def fetch(piece: int) -> tuple[Callable[[], Blocks], Future[Deal]]:
            rows = plan.num_rows(piece)
            sizes = {block_name(kind, owner, piece): plan.tables.size(kind, owner, rows) for kind, owner in needed}
            return self.files.fetch(sizes), self.deals.fetch(piece)

        ahead = fetch(start)
        for piece in range(start, plan.count):
            blocks, deal = ahead[0](), ahead[1].result()
            if piece + 1 < plan.count:
                ahead = fetch(piece + 1)
            else:
                del ahead
            yield piece, deal, blocks

    def _resume(self, path: Path, pieces: checkpoint.Pieces) -> None:
        trees = (self.traversal.tree, self.traversal.tree)
        first: dict[str, list[Tables]] = {kind: [pair] for kind, pair in self.first.items()}
        progress = checkpoint.load(path, self.settings, lambda _: trees, first)
        self._carried[...] = checkpoint.load_carried(path)
        self._seat, self._piece = pieces.seat, pieces.piece
        self.iterations, self.seconds_before = progress.iterations, progress.seconds


def _pairs(game: Game, reach: np.ndarray) -> float:
    """The weight of all pairs of hands on all lines."""
    return sum(float(one @ game.weight_apart(other)) for one, other in zip(*reach, strict=True))
