"""The global heaps of an HDF5 file, where its texts are, looked through before HDF5 reads the file.

HDF5 has checksums for all it reads of our files but for these heaps, and some damage to a heap's sizes makes HDF5
read it for ever. The layout is of the HDF5 File Format Specification 3.0, section III.E.
"""

from __future__ import annotations

import struct
from pathlib import Path

_SIGNATURE = b"GCOL\x01"
_HEADER = struct.Struct("<4sB3xQ")  # signature, version, size of the whole heap
_OBJECT = struct.Struct("<HH4xQ")  # index, references, size
_SEARCHED = 1 << 16  # bytes at either end of a file; our texts are written before all arrays, or after them


def check_heaps(path: str | Path) -> None:
    """Compare the sizes in each heap of the first and the last 64 KiB of a file.

    Args:
        path: an HDF5 file, or any other.

    Raises:
        ValueError: the sizes of a heap do not add up.
        OSError: the file cannot be read.
    """
    with Path(path).open("rb") as file:
        size = file.seek(0, 2)
        for start in {0, max(0, size - _SEARCHED)}:
            file.seek(start)
            part = file.read(_SEARCHED)
            at = part.find(_SIGNATURE)
            while at >= 0:
                file.seek(start + at)
                if not _adds_up(file.read(_length(part[at:], size))):
                    raise ValueError(f"the texts at byte {start + at:,} have sizes that do not add up")
                at = part.find(_SIGNATURE, at + 1)


def _length(beginning: bytes, most: int) -> int:
    if len(beginning) < _HEADER.size:
        return 0
    size: int = _HEADER.unpack_from(beginning)[2]
    return min(size, most)


def _adds_up(heap: bytes) -> bool:
    """Whether objects fill the heap to its end; the last one, free space, has index 0."""
    if len(heap) < _HEADER.size or _HEADER.unpack_from(heap)[2] != len(heap):
        return False
    at = _HEADER.size
    while at + _OBJECT.size <= len(heap):
        index, _, size = _OBJECT.unpack_from(heap, at)
        if index == 0:
            return bool(at + size == len(heap))
        at += _OBJECT.size + (size + 7) // 8 * 8
    return at <= len(heap)
