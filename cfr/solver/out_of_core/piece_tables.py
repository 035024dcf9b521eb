"""The tables of one piece of a game, as blocks of bytes: one for each kind and seat, round after round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Literal

import numpy as np

from cfr.kernel.numbers import sums_dtype
from cfr.kernel.schedules import Schedule
from cfr.kernel.tree import Tree

Kind = Literal["regrets", "averages", "accumulated"]
_ALIGNED = 64  # bytes: a cache line


@dataclass(frozen=True, eq=False)
class PieceTables:
    """How the tables of pieces are laid out.

    Attributes:
        tree: the public tree.
        wide: the number type that the kernel computes with.
        numbers: per round, the number type of regrets.
        kinds: the tables that the schedule needs.
    """

    tree: Tree
    wide: np.dtype
    numbers: Sequence[np.dtype]
    kinds: tuple[Kind, ...]

    @classmethod
    def of(cls, tree: Tree, wide: np.dtype, numbers: Sequence[np.dtype], schedule: Schedule) -> PieceTables:
        """The tables of a schedule."""
        kinds: tuple[Kind, ...] = ("regrets", "averages")
        return cls(tree, wide, numbers, (*kinds, "accumulated") if schedule.predictive else kinds)

    def without(self, kind: Kind) -> PieceTables:
        """The tables without those of a kind."""
        return replace(self, kinds=tuple(each for each in self.kinds if each != kind))

    def dtype(self, kind: Kind, round_: int) -> np.dtype:
        """The number type of a round's tables."""
        return self.numbers[round_] if kind == "regrets" else sums_dtype(self.numbers[round_])

    def size(self, kind: Kind, seat: int, num_rows: Sequence[int]) -> int:
        """Bytes of a block; ``num_rows`` are the piece's rows of each round, of which the first is not in the block."""
        return sum(self._padded(kind, seat, r, rows) for r, rows in enumerate(num_rows) if r)

    def both(self, kind: Kind, num_rows: Sequence[int]) -> int:
        """Bytes of both seats' blocks."""
        return sum(self.size(kind, seat, num_rows) for seat in (0, 1))

    def sizes(self, num_rows: Sequence[int]) -> int:
        """Bytes of all blocks of a piece."""
        return sum(self.both(kind, num_rows) for kind in self.kinds)

    def moved(self, num_rows: Sequence[int], resident: int, writes_late: bool) -> tuple[int, int]:
        """Bytes read and written in an iteration, of which ``resident`` bytes of the tables stay in memory.

        An update of a seat reads both seats' regrets, and writes the tables of its own. ``writes_late`` is whether
        tables in memory wait for a checkpoint to be written.
        """
        whole, regrets = self.sizes(num_rows), self.both("regrets", num_rows)
        moving = 1 - min(1.0, resident / whole)
        return int(moving * (whole + regrets)), int(moving * whole) if writes_late else whole

    def as_stored(self, num_rows: Sequence[int]) -> int:
        """Bytes of both seats' probabilities in the numbers that the kernel computes with."""
        shapes = [self.tree.table_shape(r, s, rows, self.wide) for r, rows in enumerate(num_rows) if r for s in (0, 1)]
        return self.wide.itemsize * sum(map(prod, shapes))

    def in_pass(self, num_rows: Sequence[int]) -> int:
        """Bytes of the blocks of a piece that one seat's update needs, at most."""
        return self.both("regrets", num_rows) + max(
            sum(self.size(kind, seat, num_rows) for kind in self.kinds[1:]) for seat in (0, 1)
        )

    def place(self, kind: Kind, seat: int, num_rows: Sequence[int], round_: int) -> tuple[int, int]:
        """The bytes of a round's table in a block: the first, and the first after the last."""
        start = sum(self._padded(kind, seat, r, num_rows[r]) for r in range(1, round_))
        shape = self._shape(kind, seat, round_, num_rows[round_])
        return start, start + prod(shape) * self.dtype(kind, round_).itemsize

    def view(self, part: np.ndarray, kind: Kind, seat: int, num_rows: Sequence[int], round_: int) -> np.ndarray:
        """The table in the bytes of a round."""
        found: np.ndarray = part.view(self.dtype(kind, round_))
        return found.reshape(self._shape(kind, seat, round_, num_rows[round_]))

    def views(self, block: np.ndarray, kind: Kind, seat: int, num_rows: Sequence[int]) -> list[np.ndarray]:
        """A block's tables, from the second round on."""
        rounds = range(1, len(num_rows))
        places = [slice(*self.place(kind, seat, num_rows, r)) for r in rounds]
        return [self.view(block[place], kind, seat, num_rows, r) for r, place in zip(rounds, places, strict=True)]

    def _shape(self, kind: Kind, seat: int, round_: int, rows: int) -> tuple[int, int, int, int]:
        return self.tree.table_shape(round_, seat, rows, self.dtype(kind, round_))

    def _padded(self, kind: Kind, seat: int, round_: int, rows: int) -> int:
        size = prod(self._shape(kind, seat, round_, rows)) * self.dtype(kind, round_).itemsize
        return -(-size // _ALIGNED) * _ALIGNED


def block_name(kind: Kind, seat: int, piece: int) -> str:
    """The name of a piece's block."""
    return f"{kind}-{seat}-{piece:05}"
