"""Number types of tables: their NumPy types, and conversion to and from float32.

``bfloat16`` is the upper half of a float32, held as uint16. ``int8`` numbers are multiples of a scale, a power of two;
each line of a row has its own scale. The spare entry at the end of the row holds the exponents of the scales, with the
bias of float32. Sums that are never negative are uint8 beside ``int8`` regrets.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# By name, the largest first.
TYPES: dict[str, np.dtype[Any]] = {
    "float32": np.dtype(np.float32),
    "bfloat16": np.dtype(np.uint16),
    "int8": np.dtype(np.int8),
}
_BYTES = (np.dtype(np.int8), np.dtype(np.uint8))


def by_round(name: str, rounds: int) -> list[np.dtype[Any]]:
    """The number types of a solve's tables, round by round: ``int8`` in the last round follows ``bfloat16``."""
    return [TYPES["bfloat16" if name == "int8" and number + 1 < rounds else name] for number in range(rounds)]


def type_name(dtype: np.dtype) -> str:
    """The name of a table's number type."""
    return next((name for name, each in TYPES.items() if each == dtype), str(dtype))


def sums_dtype(dtype: np.dtype) -> np.dtype:
    """The type of sums that are never negative, beside regrets of ``dtype``: uint8 beside int8, else ``dtype``."""
    return np.dtype(np.uint8) if dtype == np.int8 else dtype


def spare_entries(dtype: np.dtype | type) -> int:
    """The number of a row's entries beside its node-actions."""
    return int(np.dtype(dtype) in _BYTES)


def widened(table: np.ndarray) -> np.ndarray:
    """A table of ``bfloat16`` or ``int8`` as float32, without spare entries; other tables unchanged."""
    if table.dtype == np.uint16:
        return (table.astype(np.uint32) << 16).view(np.float32)
    if table.dtype not in _BYTES:
        return table
    codes = table[..., :-1, :].astype(np.float32)
    scale = (table[..., -1:, :].view(np.uint8).astype(np.uint32) << 23).view(np.float32)
    wide: np.ndarray = codes * scale
    return wide


def narrowed(table: np.ndarray, dtype: np.dtype | type) -> np.ndarray:
    """A float32 or float64 table with numbers of ``dtype``, uint16 for ``bfloat16``: the nearest, ties away from 0.

    Raises:
        ValueError: ``int8``; the kernel alone writes rows of this type.
    """
    if np.dtype(dtype) in _BYTES:
        raise ValueError("tables of int8 are written by the kernel alone")
    if np.dtype(dtype) != np.uint16:
        return table
    bits = np.ascontiguousarray(table, np.float32).view(np.uint32)
    halves: np.ndarray = ((bits + np.uint32(0x8000)) >> np.uint32(16)).astype(np.uint16)
    return halves
