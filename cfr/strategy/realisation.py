"""Realisation plans: a fixed strategy in the tables of a traversal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from cfr.kernel.tables import Coded, Probabilities, Source, Tables, coded
from cfr.kernel.tree import Tree

_CHUNK = 1 << 20  # probabilities in one read: larger arrays come from the system, page by page, each time
_CODED = 1 << 13  # rows in one read of codebooks, whose entries are planned once for all of them

Advance = Callable[[int], object]  # hears the number of new probabilities


@dataclass(frozen=True, eq=False)
class Target:
    """A seat's table in a round of a tree.

    Attributes:
        tree: the tree that gives the table's layout.
        round_: number of the round in the tree.
        seat: the seat whose actions the table holds.
        lines: the source's line for each line of the round; None if both have the same lines in the same order.
    """

    tree: Tree
    round_: int
    seat: int
    lines: np.ndarray | None = None

    def nbytes(self, rows: int, dtype: np.dtype | type) -> int:
        """Bytes of the table."""
        return prod(self.tree.table_shape(self.round_, self.seat, rows)) * np.dtype(dtype).itemsize


def plan_tables(
    source: Probabilities, targets: Sequence[Target], dtype: np.dtype | type, advance: Advance | None = None
) -> list[np.ndarray]:
    """Realisation plans of one round, a table for each target, shaped ``Tree.table_shape``; the source is read once."""
    count, *width = source.shape
    tables = [np.empty(t.tree.table_shape(t.round_, t.seat, count), dtype) for t in targets]
    books = coded(source)
    step = _CODED if books else max(1, _CHUNK // prod(width))
    for start in range(0, count, step):
        part = slice(start, min(start + step, count))
        pieces = [table[part] for table in tables]
        if books:
            _plan_books(books, part, targets, pieces)
        else:
            _plan_rows(source[part], targets, pieces)
        if advance is not None:
            advance((part.stop - start) * prod(width))
    return tables


def _plan_rows(rows: np.ndarray, targets: Sequence[Target], tables: Sequence[np.ndarray]) -> None:
    for target, table in zip(targets, tables, strict=True):
        table[:] = target.tree.of_seat(rows, target.round_, target.seat, table.dtype, target.lines)
        target.tree.plan(table, target.round_, target.seat)


def _plan_books(books: Coded, rows: slice, targets: Sequence[Target], tables: Sequence[np.ndarray]) -> None:
    for target, table in zip(targets, tables, strict=True):
        target.tree.plan_book(books.book(target.seat, rows, target.lines), table, target.round_, target.seat)


def whole_plans(source: Source, tree: Tree, dtype: np.dtype | type) -> list[Tables]:
    """Per round, both seats' realisation plans of the whole game."""
    pairs = []
    for number, probabilities in enumerate(source.rounds):
        first, second = plan_tables(probabilities, [Target(tree, number, seat) for seat in (0, 1)], dtype)
        pairs.append((first, second))
    return pairs
