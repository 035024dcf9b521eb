"""Memory that is used again: the system zeroes each page that it hands out, and a virtual machine's host may, too."""

from __future__ import annotations

import weakref

import numpy as np

_FITS = 1.25  # most bytes of a buffer for one byte of what is asked


class Buffers:
    """Memory for arrays that come and go, in any thread.

    Attributes:
        most_bytes: memory without a user is let go where it and what is used would be more.
    """

    def __init__(self, most_bytes: int = 0) -> None:
        self.most_bytes = most_bytes
        # Both by the id of the memory. Each step on them is a single one, which is safe in any thread.
        self._used: dict[int, int] = {}  # bytes
        self._idle: dict[int, np.ndarray] = {}

    @property
    def num_bytes(self) -> int:
        """Of all memory, used or not."""
        return sum(list(self._used.values())) + sum(each.nbytes for each in list(self._idle.values()))

    def take(self, size: int) -> np.ndarray:
        """``(size,)`` uint8 of any contents; the memory comes back when no array of it is left."""
        memory = self._fitting(size)
        if memory is None:
            self._make_room(size)
            memory = np.empty(size, np.uint8)
        self._used[id(memory)] = memory.nbytes
        found = np.frombuffer(memory.data, np.uint8)  # an array of its own, which all views hold
        weakref.finalize(found, self._put_back, memory).atexit = False
        return found[:size]

    def _fitting(self, size: int) -> np.ndarray | None:
        """The smallest idle memory that is large enough, and not much too large."""
        for found, key in sorted((each.nbytes, key) for key, each in list(self._idle.items())):
            if size <= found <= _FITS * size and (memory := self._idle.pop(key, None)) is not None:
                return memory
        return None

    def _put_back(self, memory: np.ndarray) -> None:
        self._used.pop(id(memory), None)
        self._make_room(memory.nbytes)
        if self.num_bytes + memory.nbytes <= self.most_bytes:
            self._idle[id(memory)] = memory

    def _make_room(self, size: int) -> None:
        """Let go of idle memory, the oldest first, where it stands in the way of so many bytes."""
        for key in list(self._idle):
            if self.num_bytes + size <= self.most_bytes:
                return
            self._idle.pop(key, None)
