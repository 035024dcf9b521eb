"""Tables: the row of each hand, and a strategy's probabilities in each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

_NEIGHBOURS = 64  # rows that are read together

Tables = tuple[np.ndarray, np.ndarray]  # of one round, by seat


class Rows(Protocol):
    """A card abstraction, as the traversal sees it.

    Attributes:
        num_rows: per round, the number of rows.
        separates_boards: whether no two boards of a round share a row.
    """

    @property
    def num_rows(self) -> Sequence[int]: ...
    @property
    def separates_boards(self) -> bool: ...
    def rows(self, round_index: int, boards: np.ndarray, threads: int = 1) -> np.ndarray:
        """``(n, hands)`` int32 row of every hand on ``boards`` ``(n, cards)``; -1 where they share a card."""


@dataclass(frozen=True, eq=False)
class MovedRows:
    """The rows of an abstraction at other places of the tables.

    Attributes:
        moved: the abstraction.
        places: per round, ``(rows,)`` int32 new place of each row.
    """

    moved: Rows
    places: Sequence[np.ndarray]

    @property
    def num_rows(self) -> Sequence[int]:
        return self.moved.num_rows

    @property
    def separates_boards(self) -> bool:
        return self.moved.separates_boards

    def rows(self, round_index: int, boards: np.ndarray, threads: int = 1) -> np.ndarray:
        rows = self.moved.rows(round_index, boards, threads)
        return np.where(rows < 0, rows, self.places[round_index][rows])


class Probabilities(Protocol):
    """``(rows, node_actions, lines)`` of one round, in any unit: an array, or an object that reads slices."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def __getitem__(self, rows: slice, /) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class SeatBook:
    """What a seat does on some betting lines of a round, as codebooks have it.

    Attributes:
        codes: ``(rows, lines)`` number of each row's entry.
        entries: ``(entries, columns)`` probabilities at the seat's nodes, in the order of ``columns``.
        columns: ``(columns,)`` numbers of the seat's node-actions, ascending.
    """

    codes: np.ndarray
    entries: np.ndarray
    columns: np.ndarray

    def over(self, certainty: float) -> SeatBook:
        """The same with probabilities in another unit: ``certainty`` becomes 1."""
        return replace(self, entries=self.entries / certainty)


@runtime_checkable
class Coded(Protocol):
    """Probabilities that may be kept in codebooks.

    Attributes:
        is_coded: whether they are; without codebooks there is no :meth:`book`.
    """

    @property
    def is_coded(self) -> bool: ...
    def book(self, seat: int, rows: np.ndarray | slice, lines: np.ndarray | None, /) -> SeatBook:
        """What a seat does with ascending rows on some betting lines, None for all."""


def coded(probabilities: Probabilities) -> Coded | None:
    """Probabilities that codebooks keep; None for others."""
    return probabilities if isinstance(probabilities, Coded) and probabilities.is_coded else None


@dataclass(frozen=True, eq=False)
class Source:
    """A fixed strategy, to be read as a whole.

    Attributes:
        rows: the table row of a hand on a board.
        rounds: the strategy of each round's rows.
        certainty: the number that means probability 1 in ``rounds``.
        lines: per round, the betting lines that ``rounds`` have, ascending; None for all.
    """

    rows: Rows
    rounds: Sequence[Probabilities]
    certainty: float = 1.0
    lines: Sequence[np.ndarray] | None = None

    def probabilities(self, round_: int, rows: np.ndarray, lines: np.ndarray) -> np.ndarray:
        """``(n, node_actions, lines)`` probabilities of ``n`` ascending row numbers; neighbours are read together."""
        if self.lines is not None:
            lines = np.searchsorted(self.lines[round_], lines)
        parts = []
        for block in np.split(rows, np.flatnonzero(np.diff(rows // _NEIGHBOURS)) + 1):
            first = int(block[0])
            parts.append(self.rounds[round_][slice(first, int(block[-1]) + 1)][block - first])
        found: np.ndarray = np.concatenate(parts)[:, :, lines] / self.certainty
        return found

    def coded(self, round_: int) -> Coded | None:
        """The round's probabilities if codebooks keep them."""
        return coded(self.rounds[round_])
