"""Rows of a strategy file, in the abstraction's order, from tables in pieces: some thousands at a time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from cfr.kernel.pieces import canonical_rows
from cfr.kernel.tables import Rows, Tables
from cfr.solver.piece_deals import PieceDeals
from cfr.solver.piece_measure import rounded
from cfr.solver.piece_plan import PiecePlan
from cfr.solver.piece_tables import Kind, block_name
from cfr.strategy.file import RoundRows
from cfr.strategy.quantise import Bytes, Remainders
from cfr.system.block_files import BlockFiles


class BandedRows:
    """The rows of one round.

    A file's neighbours lie in many pieces. A band of the file's rows is put together by a pass over all pieces, which
    reads the round's tables alone.

    Args:
        plan, files, deals: the pieces.
        abstraction: the file's rows.
        first: the first round's tables, by kind.
        round_: the round.
        kind: the tables to read.

    Attributes:
        rows: as the file takes them, with remainders.
    """

    def __init__(
        self,
        plan: PiecePlan,
        files: BlockFiles,
        deals: PieceDeals,
        abstraction: Rows,
        first: Mapping[Kind, Tables],
        round_: int,
        kind: Kind,
    ) -> None:
        self._plan, self._files, self._deals = plan, files, deals
        self._abstraction, self._first, self._round, self._kind = abstraction, first, round_, kind
        betting = plan.tables.tree.betting
        count, actions, lines = (
            abstraction.num_rows[round_],
            betting.rounds[round_].node_actions,
            betting.num_lines[round_],
        )
        self._in_band = max(1, plan.band_bytes // (2 * actions * lines))
        self._start, self._band = -1, (np.zeros(0, np.uint8), np.zeros(0, np.int8))
        self._canonical: dict[int, np.ndarray] = {}
        self.rows = RoundRows(
            (count, actions, lines),
            lambda start, stop: self._read(start, stop)[0],
            lambda start, stop: self._read(start, stop)[1],
        )

    def _read(self, start: int, stop: int) -> tuple[Bytes, Remainders]:
        parts = []
        while start < stop:
            begin = start // self._in_band * self._in_band
            if begin != self._start:
                self._fill(begin)
            end = min(stop, begin + self._in_band)
            parts.append([each[start - begin : end - begin] for each in self._band])
            start = end
        kept, left = zip(*parts, strict=True)
        return np.concatenate(kept), np.concatenate(left)

    def _fill(self, begin: int) -> None:
        count, *each = self.rows.shape
        shape = (min(self._in_band, count - begin), *each)
        self._band = np.empty(shape, np.uint8), np.empty(shape, np.int8)
        self._start = begin
        if self._round == 0:
            root = self._deals.fetch(0).result().rounds[0]
            self._put(canonical_rows(root, self._abstraction, 0), self._first[self._kind])
            return
        for piece in range(self._plan.count):
            if piece not in self._canonical:
                boards = self._deals.fetch(piece).result().rounds[self._round]
                self._canonical[piece] = canonical_rows(boards, self._abstraction, self._round)
            self._put(self._canonical[piece], self._tables(piece))

    def _put(self, canonical: np.ndarray, pair: Tables) -> None:
        wanted = np.flatnonzero((canonical >= self._start) & (canonical < self._start + self._in_band))
        if not len(wanted):
            return
        kept, left = rounded(self._plan.tables.tree, (pair[0][wanted], pair[1][wanted]), self._round)
        self._band[0][canonical[wanted] - self._start] = kept
        self._band[1][canonical[wanted] - self._start] = left

    def _tables(self, piece: int) -> Tables:
        tables, rows = self._plan.tables, self._plan.num_rows(piece)
        found = []
        for seat in (0, 1):
            start, stop = tables.place(self._kind, seat, rows, self._round)
            part = self._files.part(block_name(self._kind, seat, piece), start, stop)
            found.append(tables.view(part, self._kind, seat, rows, self._round))
        return found[0], found[1]
