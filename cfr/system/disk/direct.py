"""Large reads and writes past the system's cache (``O_DIRECT``), where the system and the file system offer it.

A solve that streams its tables through memory never finds them in that cache: copies to it would take a third of the
processor's time, and memory that others need.
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

try:
    import fcntl
except ImportError:  # Windows, which has no such flag either
    fcntl = None  # type: ignore[assignment]

_DIRECT = getattr(os, "O_DIRECT", 0)
_ALIGNED = 4096  # bytes: addresses, lengths and places in the file are multiples


def opened(path: Path, flags: int) -> io.FileIO:
    """A file without a buffer, past the cache if the file system offers it; raises OSError."""
    mode = "wb" if flags & os.O_WRONLY else "rb"
    try:
        handle = os.open(path, flags | _DIRECT | getattr(os, "O_CLOEXEC", 0), 0o666)
    except OSError as error:
        if not _DIRECT or error.errno != errno.EINVAL:
            raise
        handle = os.open(path, flags, 0o666)
    return io.FileIO(handle, mode)


def empty(size: int) -> np.ndarray:
    """``(size,)`` uint8 of any contents."""
    return np.empty(size, np.uint8)


def zeros(size: int) -> np.ndarray:
    """``(size,)`` uint8 zeros that :func:`write` takes without a copy."""
    return _aligned(np.zeros(size + _ALIGNED, np.uint8), size)


def read(file: io.FileIO, size: int, memory: Callable[[int], np.ndarray] = empty) -> np.ndarray:
    """``(size,)`` uint8 from here on, or fewer at the end of the file; raises OSError.

    ``memory`` gives so many bytes, of any contents.
    """
    whole = -(-size // _ALIGNED) * _ALIGNED
    block, done = _aligned(memory(whole + _ALIGNED), whole), 0
    while done < size:
        if file.tell() % _ALIGNED or done % _ALIGNED:
            _pass_by_no_more(file)
        count = file.readinto(block.data[done:])
        if not count:
            break
        done += count
    return block[: min(done, size)]


def write(file: io.FileIO, blocks: Sequence[np.ndarray]) -> None:
    """Write contiguous blocks one after the other; raises OSError. Only the first block goes past the cache."""
    for block in blocks:
        view = block.data.cast("B")
        whole = len(view) // _ALIGNED * _ALIGNED
        if file.tell() == 0 and block.ctypes.data % _ALIGNED == 0:
            start = view[:whole]
            with suppress(OSError):  # the rest goes the other way, and there an error has its own name
                while start and len(start) % _ALIGNED == 0:
                    start = start[file.write(start) :]
            view = view[file.tell() :]
        _pass_by_no_more(file)
        while view:
            view = view[file.write(view) :]


def _aligned(block: np.ndarray, size: int) -> np.ndarray:
    skipped = -block.ctypes.data % _ALIGNED
    return block[skipped : skipped + size]


def _pass_by_no_more(file: io.FileIO) -> None:
    if fcntl is not None and _DIRECT:
        flags = fcntl.fcntl(file.fileno(), fcntl.F_GETFL)
        fcntl.fcntl(file.fileno(), fcntl.F_SETFL, flags & ~_DIRECT)
