"""A cache that forgets what was used longest ago."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from cfr.system.disk.cache import Cache


class BoundedCache(Cache):
    """Named sets of arrays in a folder of their own; processes may share it.

    Args:
        folder: below the cache directory.
        most: bytes that the folder may hold.
        path: the cache directory, see :func:`cfr.system.disk.cache.cache_directory`.
    """

    def __init__(self, folder: str, most: int, path: str | os.PathLike[str] | None = None) -> None:
        super().__init__(path)
        self.directory /= folder
        self._most, self._spare = most, most // 64
        self._unseen = self._spare  # bytes saved since the folder was looked through; the first save looks

    def load(self, name: str) -> dict[str, NDArray[Any]] | None:
        found = super().load(name)
        if found is not None:
            with suppress(OSError):  # another process forgot it meanwhile, or the folder is read-only
                os.utime(self.directory / f"{name}.npz")  # used just now
        return found

    def save(self, name: str, arrays: dict[str, NDArray[Any]]) -> None:
        super().save(name, arrays)
        self._unseen += sum(array.nbytes for array in arrays.values())
        if self._unseen >= self._spare:
            forget(self.directory, self._most - self._spare)
            self._unseen = 0


def forget(folder: Path, most: int) -> None:
    """Delete the files of a folder that were used longest ago, until ``most`` bytes are left."""
    for _, size, path in sorted(_files(folder), reverse=True):
        most -= size
        if most < 0:
            Path(path).unlink(missing_ok=True)


def _files(folder: Path) -> list[tuple[float, int, str]]:
    """When each file was used last, its bytes, and where it is; those that were being written count, too."""
    found = []
    try:
        for each in os.scandir(folder):
            try:
                about = each.stat()
            except OSError:  # gone meanwhile
                continue
            found.append((about.st_mtime, about.st_size, each.path))
    except OSError:  # no folder
        pass
    return found
