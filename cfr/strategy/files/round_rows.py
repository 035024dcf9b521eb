"""What a strategy file is to hold of one round, read slice by slice while the file is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.strategy.files.codebook import Codebooks
from cfr.strategy.files.quantise import Remainders, Stored, joined

MOST_STORED = 400_000_000  # probabilities of a last round; by default a file leaves a larger one out
_BYTES = np.dtype(np.uint8)  # of 255ths


@dataclass(frozen=True)
class RoundRows:
    """The probabilities of one round, read in slices: no round needs to be whole in memory.

    Attributes:
        shape: ``(rows, node_actions, lines)``.
        read: ``read(start, stop)`` gives these rows: 255ths as uint8, or probabilities as float32 or float64.
        read_remainders: the same for the remainders of rounding, as int8; None if the file keeps no remainders.
        coded: the same rows by codebooks, which the file then keeps instead.
        dtype: of the numbers that ``read`` gives.
    """

    shape: tuple[int, int, int]
    read: Callable[[int, int], Stored]
    read_remainders: Callable[[int, int], Remainders] | None = None
    coded: Codebooks | None = None
    dtype: np.dtype[Any] = _BYTES

    @classmethod
    def of_coded(cls, coded: Codebooks) -> RoundRows:
        """Rows by codebooks."""
        return cls(coded.shape, lambda start, stop: coded[start:stop], coded=coded)

    @classmethod
    def of(cls, table: Stored, remainders: Remainders | None = None) -> RoundRows:
        """A table that is in memory."""
        rows, actions, lines = table.shape
        return cls(
            (rows, actions, lines),
            lambda start, stop: table[start:stop],
            None if remainders is None else lambda start, stop: remainders[start:stop],
            dtype=table.dtype,
        )

    def shares(self, start: int, stop: int) -> NDArray[np.float64]:
        """The rows in 255ths, with the values that a reader of the file gets."""
        return joined(self.read(start, stop), self.read_remainders and self.read_remainders(start, stop))
