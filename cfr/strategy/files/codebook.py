"""Codebooks: rows that play alike on a betting line share one entry there.

What a seat does on a line of a round is a point: its realisation plan, the probability of each of its sequences.
``vector_quantiser`` makes entries of the points of all rows (vector quantisation: Gersho and Gray 1992, "Vector
Quantization and Signal Compression", chapter 11). A row then keeps one number for each seat and line. An entry is the
weighted mean of its rows' plans, so the whole range does on average what it did before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting_round import BettingRound
from cfr.kernel.tables import SeatBook

Bytes = NDArray[np.uint8]
Codes = NDArray[np.uint16]

_READ_TOGETHER = 256  # rows: a chunk of a file has as many


@dataclass(frozen=True, eq=False)
class Codebooks:
    """One round's probabilities by codebooks; slices of rows are arrays of bytes, as of a whole table.

    Attributes:
        codes: ``(2, lines, rows)`` uint16 entry of each row, by seat, counted from the line's first; an array, or a
            dataset that is read in slices.
        entries: ``(entries, columns)`` uint8 probabilities in 255ths at the nodes of a seat, in the order of
            :func:`seat_columns`; columns beyond the seat's are 0. The lines of seat 0 come first.
        counts: ``(2, lines)`` int32 entries of each seat and line.
        betting: the round's nodes.
    """

    codes: Any
    entries: Any
    counts: Any
    betting: BettingRound

    @property
    def shape(self) -> tuple[int, int, int]:
        """``(rows, node_actions, lines)`` of the table that this stands for."""
        _, lines, rows = self.codes.shape
        return rows, self.betting.node_actions, lines

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of probabilities."""
        return np.dtype(np.uint8)

    @property
    def nbytes(self) -> int:
        """Bytes in memory, once held."""
        return int(self.codes.nbytes + self.entries.nbytes + self.counts.nbytes)

    @property
    def is_held(self) -> bool:
        """Whether the codes are in memory."""
        return isinstance(self.codes, np.ndarray)

    def held(self) -> Codebooks:
        """The same in memory."""
        return replace(self, codes=self.codes[...], entries=self._entries, counts=self._counts)

    def __getitem__(self, rows: int | slice) -> Bytes:
        """Rows of the table; raises IndexError where a code has no entry."""
        codes = self.codes[:, :, rows]
        found = self._decoded(codes if codes.ndim == 3 else codes[:, :, None], slice(None))
        return found if codes.ndim == 3 else found[0]

    def on_lines(self, rows: NDArray[np.int64], lines: NDArray[np.int64]) -> Bytes:
        """``(n, node_actions, lines)`` of ascending rows on some betting lines; the others are not decoded.

        Raises:
            IndexError: a code has no entry.
        """
        return self._decoded(self._codes_of(slice(None), rows, lines), lines)

    def book(self, seat: int, rows: NDArray[np.int64], lines: NDArray[np.int64]) -> SeatBook:
        """What a seat does with ascending rows on some betting lines.

        Raises:
            IndexError: a code has no entry.
        """
        codes = self._codes_of(slice(seat, seat + 1), rows, lines)[0]
        counts, firsts = self._counts[seat, lines].astype(np.int64), self._firsts[seat, lines]
        self._check(codes, counts)
        columns = seat_columns(self.betting)[seat]
        begins = np.cumsum(counts) - counts
        kept = np.repeat(firsts - begins, counts) + np.arange(counts.sum())
        return SeatBook((codes + begins[:, None]).T, self._entries[kept, : len(columns)], columns)

    def _codes_of(self, seats: slice, rows: NDArray[np.int64], lines: NDArray[np.int64]) -> Codes:
        """``(seats, lines, n)`` codes of ascending rows."""
        if self.is_held:
            held: Codes = self.codes[seats, lines[:, None], rows]
            return held
        together = np.split(rows, np.flatnonzero(np.diff(rows // _READ_TOGETHER)) + 1)
        codes = [self.codes[seats, :, part[0] : part[-1] + 1][:, lines[:, None], part - part[0]] for part in together]
        return np.concatenate(codes, axis=2)

    @staticmethod
    def _check(codes: Codes, counts: NDArray[Any]) -> None:
        if (codes >= counts[..., None]).any():
            raise IndexError("a code without an entry")

    def _decoded(self, codes: Codes, lines: slice | NDArray[np.int64]) -> Bytes:
        """``(n, node_actions, lines)`` probabilities of ``(2, lines, n)`` codes on these lines."""
        self._check(codes, self._counts[:, lines])
        found = np.empty((codes.shape[2], self.betting.node_actions, codes.shape[1]), np.uint8)
        for seat, columns in enumerate(seat_columns(self.betting)):
            numbers = self._firsts[seat, lines, None] + codes[seat]
            found[:, columns] = self._entries[numbers, : len(columns)].transpose(1, 2, 0)
        return found

    @cached_property
    def _firsts(self) -> NDArray[np.int64]:
        """``(2, lines)`` number of each line's first entry."""
        counts = self._counts.astype(np.int64)
        firsts: NDArray[np.int64] = (np.cumsum(counts) - counts.ravel()).reshape(counts.shape)
        return firsts

    @cached_property
    def _entries(self) -> Bytes:
        entries: Bytes = self.entries[...]
        return entries

    @cached_property
    def _counts(self) -> NDArray[np.int32]:
        counts: NDArray[np.int32] = self.counts[...]
        return counts


def seat_columns(betting: BettingRound) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The numbers of each seat's node-actions, ascending."""
    first, second = (betting.action_index[betting.actor == seat] for seat in (0, 1))
    return np.sort(first[first >= 0]).astype(np.intp), np.sort(second[second >= 0]).astype(np.intp)
