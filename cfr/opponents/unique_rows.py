"""Numbers and rows without what is there twice: as np.unique finds them, faster where numbers are small or bytes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def unique_numbers(numbers: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Those of ``(n,)`` small numbers, from 0 on, that differ, ascending, and the ``(n,)`` place of each."""
    there = np.zeros(numbers.max(initial=0) + 1, bool)
    there[numbers] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[numbers]


def unique_rows(rows: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
    """Those of ``(n, columns)`` rows that differ, ascending, and the ``(n,)`` place of each.

    Eight columns are compared at a time.
    """
    words = -(-rows.shape[1] // 8)
    padded = np.zeros((len(rows), 8 * words), np.uint8)
    padded[:, : rows.shape[1]] = rows
    keys = padded.view(">u8").astype(np.uint64)
    order = np.lexsort(keys.T[::-1])
    begins = np.ones(len(rows), bool)
    begins[1:] = (keys[order[1:]] != keys[order[:-1]]).any(axis=1)
    place = np.empty(len(rows), np.intp)
    place[order] = np.cumsum(begins) - 1
    return rows[order[begins]], place
