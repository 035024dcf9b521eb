"""Rows of a strategy file, in the abstraction's order, from tables in pieces: some thousands at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cfr.kernel.tables import Rows, Tables
from cfr.solver.out_of_core.piece_measure import rounded
from cfr.solver.out_of_core.piece_plan import PiecePlan
from cfr.strategy.files.quantise import Bytes, Remainders
from cfr.strategy.files.round_rows import RoundRows


class BandedRows:
    """The rows of one round.

    A file's neighbours lie in many pieces. A band of the file's rows is put together by a pass over all pieces, which
    reads the round's tables alone.

    Args:
        plan: the pieces.
        abstraction: the file's rows.
        round_: the round.
        first: the first round's tables.
        canonical: of a piece, ``(rows,)`` the file's row of each row of the round.
        tables: of a piece, the round's tables.

    Attributes:
        rows: as the file takes them, with remainders.
    """

    def __init__(
        self,
        plan: PiecePlan,
        abstraction: Rows,
        round_: int,
        first: Tables,
        canonical: Callable[[int], np.ndarray],
        tables: Callable[[int], Tables],
    ) -> None:
        self._plan, self._round, self._first = plan, round_, first
        self._canonical_of, self._tables_of = canonical, tables
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
        in_bytes, remainders = zip(*parts, strict=True)
        return np.concatenate(in_bytes), np.concatenate(remainders)

    def _fill(self, begin: int) -> None:
        count, *each = self.rows.shape
        shape = (min(self._in_band, count - begin), *each)
        self._band = np.empty(shape, np.uint8), np.empty(shape, np.int8)
        self._start = begin
        if self._round == 0:
            self._put(self._canonical_of(0), self._first)
            return
        for piece in range(self._plan.count):
            if piece not in self._canonical:
                self._canonical[piece] = self._canonical_of(piece)
            self._put(self._canonical[piece], self._tables_of(piece))

    def _put(self, canonical: np.ndarray, pair: Tables) -> None:
        wanted = np.flatnonzero((canonical >= self._start) & (canonical < self._start + self._in_band))
        if not len(wanted):
            return
        in_bytes, remainders = rounded(self._plan.tables.tree, (pair[0][wanted], pair[1][wanted]), self._round)
        self._band[0][canonical[wanted] - self._start] = in_bytes
        self._band[1][canonical[wanted] - self._start] = remainders
