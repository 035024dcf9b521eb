"""HDF5 files that are too large to be built in memory, written to disk as they grow.

HDF5 crashes if a write fails, as on a full disk. Here no write fails for HDF5: it writes through a file object that
keeps the first error to itself, and the error is raised when HDF5 has let the file go. The file is worthless then.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py


class _Unfailing(io.RawIOBase):
    """A file whose writes succeed for those who write; later reads may find zeros.

    Attributes:
        error: the first error of a write, or None.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("r+b", buffering=0)
        self._at = self._end = 0
        self.error: OSError | None = None

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (0, self._at, self._end)[whence]
        return self._at

    def readinto(self, buffer) -> int:  # type: ignore[no-untyped-def]
        view = memoryview(buffer).cast("B")
        self._file.seek(self._at)
        done = 0
        while done < len(view) and (count := self._file.readinto(view[done:])):
            done += count
        view[done:] = bytes(len(view) - done)
        self._at += len(view)
        return len(view)

    def write(self, data) -> int:  # type: ignore[no-untyped-def]
        view = memoryview(data).cast("B")
        size = len(view)
        try:
            if self.error is None:
                self._file.seek(self._at)
                while len(view):
                    view = view[self._file.write(view) :]
        except OSError as error:
            self.error = error
        self._at += size
        self._end = max(self._end, self._at)
        return size

    def truncate(self, size: int | None = None) -> int:
        self._end = self._at if size is None else size
        try:
            if self.error is None:
                self._file.truncate(self._end)
        except OSError as error:
            self.error = error
        return self._end

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


@contextmanager
def streamed(path: Path) -> Iterator[h5py.File]:
    """A new HDF5 file, written as it grows.

    Raises:
        OSError: a write failed.
    """
    with _Unfailing(path) as raw:
        try:
            with h5py.File(raw, "w", libver=("v110", "v110")) as file:
                yield file
        except Exception:  # HDF5 may raise anything once it reads what was not written
            if raw.error is None:
                raise
        if raw.error is not None:
            raise raw.error
