"""The pieces of a solve on the disk of one machine: passes over them, which update or measure one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from cfr.kernel.chance import Boards, Deal, Piece
from cfr.kernel.pieces import canonical_rows
from cfr.kernel.schedules import Schedule
from cfr.kernel.tables import Rows, Tables
from cfr.kernel.traversal import Mode, Traversal, Visit
from cfr.solver.out_of_core.piece_deals import PREFIX, PieceDeals
from cfr.solver.out_of_core.piece_measure import Part
from cfr.solver.out_of_core.piece_plan import OWNER, REPLACED, PiecePlan
from cfr.solver.out_of_core.piece_tables import Kind, block_name
from cfr.system.closing import Closing
from cfr.system.disk.block_files import BlockFiles, remove_folder

Blocks = dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class Update:
    """An update of one seat on all pieces.

    Attributes:
        seat: learns.
        iteration: from 1.
        kinds: the tables that it needs.
        first: the first round's tables of each kind, changed in place with the last piece.
    """

    seat: int
    iteration: int
    kinds: tuple[Kind, ...]
    first: Mapping[Kind, Tables]


class PieceHolder(Closing):
    """Some pieces of a solve, in the folder of its plan.

    Args:
        plan: how the whole solve is split.
        schedule: of the iterations.
        threads: of a traversal.
        versions: of the blocks that a solve goes on with.
        pieces: which ones; default, all.
        reach: as for :class:`cfr.kernel.traversal.Traversal`.
        writes_late: whether blocks that stay in memory are written with checkpoints alone.

    Attributes:
        plan, traversal, pieces: as given, or made of that.
        files: the tables.
    """

    def __init__(
        self,
        plan: PiecePlan,
        schedule: Schedule,
        threads: int,
        versions: Mapping[str, int],
        pieces: range | None = None,
        reach: np.ndarray | None = None,
        writes_late: bool = False,
    ) -> None:
        self.plan, self._schedule = plan, schedule
        self.pieces = range(plan.count) if pieces is None else pieces
        tables = plan.tables
        self.traversal = Traversal(tables.tree, threads, tables.wide, reach=reach, table_dtype=tables.numbers)
        self.files = BlockFiles(plan.folder, versions, plan.resident_bytes, writes_late)
        self._needs_no_room = writes_late and plan.resident_bytes >= self.table_bytes
        self._deals = PieceDeals(plan.game, plan.levels, plan.bounds, plan.folder, plan.river_rows)

    def close(self) -> None:
        """End the threads."""
        self.files.close()
        self._deals.close()

    def remove(self) -> None:
        """End the threads, and delete the pieces."""
        self.close()
        remove_folder(self.plan.folder, (PREFIX, OWNER))

    @cached_property
    def table_bytes(self) -> int:
        """Bytes of the tables of its pieces, each once."""
        return sum(self.plan.tables.sizes(self.plan.num_rows(piece)) for piece in self.pieces)

    @property
    def is_to_be_kept(self) -> bool:
        """Whether files that only the state kept before needs are many, or there is little room for more."""
        if self._needs_no_room:
            return False
        is_much = self.files.replaced_bytes > REPLACED * self.table_bytes
        return is_much or not self.files.has_room(3 * self.plan.largest_piece)

    def updates(self, update: Update, first_piece: int, carried: np.ndarray) -> Iterator[int]:
        """Update piece after piece, from ``first_piece`` on, one at each step; yields each piece that is done.

        ``carried`` are the values of earlier pieces (:attr:`cfr.kernel.chance.Piece.carried`), changed in place.
        """
        plan, seat, kinds, first = self.plan, update.seat, update.kinds, update.first
        needed = {(kind, owner) for kind in kinds for owner in (0, 1) if kind == "regrets" or owner == seat}
        weight, factors = self._schedule.weight(update.iteration), self._schedule.kept(update.iteration)
        for piece, deal, blocks in self._read(needed, first_piece):
            rows = plan.num_rows(piece)
            own = {
                kind: [first[kind][seat], *plan.tables.views(blocks[block_name(kind, seat, piece)], kind, seat, rows)]
                for kind in kinds
            }
            other = blocks[block_name("regrets", 1 - seat, piece)]
            others = [first["regrets"][1 - seat], *plan.tables.views(other, "regrets", 1 - seat, rows)]
            pairs = zip(own["regrets"], others, strict=True) if seat == 0 else zip(others, own["regrets"], strict=True)
            self.traversal.prepare(
                replace(deal, piece=Piece(carried, plan.first_rows(piece), piece + 1 == plan.count)),
                list(pairs),
                seat,
                "update",
                averages=own.get("averages"),
                accumulated=own.get("accumulated"),
            ).run(Visit(0, weight, factors, seed=update.iteration))
            self.files.settle()  # of the piece before
            for kind, owner in ((kind, owner) for kind in kinds for owner in (0, 1)):
                if (name := block_name(kind, owner, piece)) in blocks:
                    self.files.release(name, blocks[name], owner == seat)
            yield piece

    def parts(self, kind: Kind, first: Tables, seat: int, mode: Mode) -> Iterator[Part]:
        """All pieces with the tables of a kind, for a measurement; mode ``best`` reads those of the opponent alone."""
        plan, tables = self.plan, self.plan.tables
        owners = (1 - seat,) if mode == "best" else (0, 1)
        for piece, deal, blocks in self._read({(kind, owner) for owner in owners}, self.pieces.start):
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
            yield Part(deal, [first, *later], plan.first_rows(piece), piece + 1 == plan.count)

    def canonical(self, abstraction: Rows, piece: int, round_: int) -> np.ndarray:
        """``(rows,)`` the abstraction's row of each row of a round."""
        return canonical_rows(self.boards(piece, round_), abstraction, round_)

    def boards(self, piece: int, round_: int) -> Boards:
        """The boards of a round of a piece."""
        return self._deals.fetch(piece).result().rounds[round_]

    def round_tables(self, kind: Kind, piece: int, round_: int) -> Tables:
        """A later round's tables of a piece, of both seats."""
        tables, rows = self.plan.tables, self.plan.num_rows(piece)
        found = []
        for seat in (0, 1):
            start, stop = tables.place(kind, seat, rows, round_)
            part = self.files.part(block_name(kind, seat, piece), start, stop)
            found.append(tables.view(part, kind, seat, rows, round_))
        return found[0], found[1]

    def _read(self, needed: set[tuple[Kind, int]], first_piece: int) -> Iterator[tuple[int, Deal, Blocks]]:
        """Pieces from ``first_piece`` on, with their boards and blocks; the next one is read ahead."""
        plan, stop = self.plan, self.pieces.stop

        def fetch(piece: int) -> tuple[Callable[[], Blocks], Future[Deal]]:
            rows = plan.num_rows(piece)
            sizes = {block_name(kind, owner, piece): plan.tables.size(kind, owner, rows) for kind, owner in needed}
            return self.files.fetch(sizes), self._deals.fetch(piece)

        if first_piece >= stop:
            return
        ahead = fetch(first_piece)
        for piece in range(first_piece, stop):
            blocks, deal = ahead[0](), ahead[1].result()
            if piece + 1 < stop:
                ahead = fetch(piece + 1)
            else:
                del ahead
            yield piece, deal, blocks
