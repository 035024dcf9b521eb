"""Tables: the row of each hand, and a strategy's probabilities in each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

_NEIGHBOURS = 64  # rows that are read together

Tables = tuple[np.ndarray, np.ndarray]  # of one round, by seat


class Rows(Protocol):
    """A card abstraction, as the traversal sees it.

    Attributes:
        num_rows: per round, the number of rows.
        is_lossless: whether every canonical hand owns a row of its own in every round.
    """

    @property
    def num_rows(self) -> Sequence[int]: ...
    @property
    def is_lossless(self) -> bool: ...
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
    def is_lossless(self) -> bool:
        return self.moved.is_lossless

    def rows(self, round_index: int, boards: np.ndarray, threads: int = 1) -> np.ndarray:
        rows = self.moved.rows(round_index, boards, threads)
        return np.where(rows < 0, rows, self.places[round_index][rows])


class Probabilities(Protocol):
    """``(rows, node_actions, lines)`` of one round, in any unit: an array, or an object that reads slices."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def __getitem__(self, rows: slice, /) -> np.ndarray: ...


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
