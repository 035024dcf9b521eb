"""Realisation plans: a fixed strategy in the tables of a traversal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from cfr.kernel.tables import Probabilities, Source, Tables
from cfr.kernel.tree import Tree

_CHUNK = 1 << 20  # probabilities in one read: larger arrays come from the system, page by page, each time

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
    step = max(1, _CHUNK // prod(width))
    for start in range(0, count, step):
        part = source[start : start + step]
        for table, target in zip(tables, targets, strict=True):
            piece = target.tree.of_seat(part, target.round_, target.seat, dtype, target.lines)
            target.tree.plan(piece, target.round_, target.seat)
            table[start : start + step] = piece
        if advance is not None:
            advance(part.size)
    return tables


def whole_plans(source: Source, tree: Tree, dtype: np.dtype | type) -> list[Tables]:
    """Per round, both seats' realisation plans of the whole game."""
    pairs = []
    for number, probabilities in enumerate(source.rounds):
        first, second = plan_tables(probabilities, [Target(tree, number, seat) for seat in (0, 1)], dtype)
        pairs.append((first, second))
    return pairs
