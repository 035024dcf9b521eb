"""Rows of an abstraction that occur on some boards."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cfr.kernel.tables import Rows, SeatBook, Source


class UsedRows:
    """The rows of an abstraction that were asked for, with new numbers: tables hold these rows alone.

    Attributes:
        num_rows: per round, number of rows that occur, after a call of :meth:`rows`.
        of_round: per round, ``(n,)`` numbers of these rows in the abstraction, ascending.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self.num_rows = list(rows.num_rows)
        self.separates_boards = False
        self.of_round: dict[int, NDArray[np.int64]] = {}

    def rows(self, round_index: int, boards: NDArray[np.uint8], threads: int = 1) -> NDArray[np.int32]:
        """``(n, hands)`` new row of every hand on ``(n, k)`` boards; -1 where hand and board share a card."""
        found = self._rows.rows(round_index, boards, threads)
        occurs = np.zeros(self.num_rows[round_index] + 1, np.bool_)
        occurs[found] = True
        used = np.flatnonzero(occurs[:-1])
        anew = np.full(len(occurs), -1, np.int32)
        anew[used] = np.arange(len(used))
        self.of_round[round_index] = used
        self.num_rows[round_index] = len(used)
        renumbered: NDArray[np.int32] = anew[found]
        return renumbered

    def play(self, source: Source, round_: int, lines: NDArray[np.int64]) -> Play:
        """What a strategy with these rows does with them, on some betting lines of a round that was asked for."""
        return Play(source, round_, self.of_round[round_], lines)


class Play:
    """A strategy's probabilities in one round: slices are ``(rows, node_actions, lines)`` of some rows and lines.

    Args:
        source: the strategy.
        round_: of which round.
        rows: ``(n,)`` numbers of rows, ascending.
        lines: numbers of betting lines.
    """

    def __init__(self, source: Source, round_: int, rows: NDArray[np.int64], lines: NDArray[np.int64]) -> None:
        self._source, self._round, self._rows, self._lines = source, round_, rows, lines
        self.shape = (len(rows), source.rounds[round_].shape[1], len(lines))

    def __getitem__(self, part: slice) -> np.ndarray:
        return self._source.probabilities(self._round, self._rows[part], self._lines)

    @property
    def is_coded(self) -> bool:
        """Whether the strategy keeps the round in codebooks."""
        return self._source.coded(self._round) is not None

    def book(self, seat: int, rows: np.ndarray | slice, lines: np.ndarray | None = None) -> SeatBook:
        """What a seat does with some of the rows and lines, see :class:`cfr.kernel.tables.Coded`."""
        kept = self._source.coded(self._round)
        assert kept is not None
        taken = self._lines if lines is None else self._lines[lines]
        return kept.book(seat, self._rows[rows], taken).over(self._source.certainty)
