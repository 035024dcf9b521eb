"""Blocks of bytes in the files of a folder, changed one after the other, of which memory holds some.

A changed block becomes a new file, so the state that was kept last stays whole at any moment: :meth:`BlockFiles.keep`
makes the present state the kept one, and then deletes what it replaced. Some threads read ahead, others write behind:
while one waits for the disk, another computes checksums. Blocks that stay in memory may wait until a state is kept.

A file ends with a CRC-32 of each part of its block, which every read compares.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from threading import Lock

import numpy as np

from cfr.system.closing import Closing
from cfr.system.disk import direct
from cfr.system.disk.buffers import Buffers
from cfr.system.disk.crc32 import crc32
from cfr.system.disk.files import reason
from cfr.system.errors import DamagedFileError, SaveError

_FILE = re.compile(r"(.+)\.(\d+)\.block")
_SPARE = 64_000_000  # bytes of the disk that stay free
_READERS, _WRITERS = 3, 2  # threads
AT_ONCE = 3  # fetches with blocks in memory: one is read, one is used, one is written
_PART = 1 << 18  # bytes with a checksum of their own
_SUM = np.dtype("<u4")
Versions = Mapping[str, int]


class BlockFiles(Closing):
    """The blocks of a folder.

    Args:
        folder: belongs to this process alone; files of blocks that ``kept`` does not name are deleted.
        kept: the version of each block in the state that was kept last; a block that it does not name is all zeros.
        resident_bytes: the most memory for blocks that stay in memory, too, and need not be read again.
        writes_late: write blocks that stay in memory only when a state is kept: the disk then holds two states.

    Attributes:
        bytes_read, bytes_written: so far.
        replaced_bytes: of files that only the kept state needs; :meth:`keep` deletes them.
    """

    def __init__(self, folder: Path, kept: Versions, resident_bytes: int = 0, writes_late: bool = False) -> None:
        self.folder = folder
        self.bytes_read = self.bytes_written = self.replaced_bytes = 0
        self._kept, self._current = dict(kept), dict(kept)
        self._resident: dict[str, np.ndarray] = {}
        self._resident_left, self._writes_late = resident_bytes, writes_late
        self._late: set[str] = set()  # blocks in memory that changed since they were written
        self._next_version = max(kept.values(), default=0) + 1
        self._unsynced: set[Path] = set()
        self._readers, self._writers = ThreadPoolExecutor(_READERS), ThreadPoolExecutor(_WRITERS)
        self._counting = Lock()
        self._writes: dict[str, Future[None]] = {}
        self._buffers = Buffers()
        if missing := _missing(folder, kept):  # before anything is deleted
            raise DamagedFileError(f"{missing}: missing; expected all blocks that were kept")
        try:
            folder.mkdir(exist_ok=True)
            self._remove_stale()
        except OSError as error:
            raise SaveError(f"cannot write {folder}: {reason(error)}") from None

    def close(self) -> None:
        """End the threads; what was not kept is left to the next owner."""
        self._readers.shutdown(cancel_futures=True)
        self._writers.shutdown(cancel_futures=True)

    def fetch(self, sizes: Mapping[str, int]) -> Callable[[], dict[str, np.ndarray]]:
        """Read blocks of these sizes, in threads. Call the result for the blocks, ``(size,)`` uint8 each.

        The call raises DamagedFileError for a file that is missing, has another size or another checksum.
        """
        self._buffers.most_bytes = max(self._buffers.most_bytes, AT_ONCE * sum(sizes.values()))
        reads = {name: self._readers.submit(self._read, name, size) for name, size in sizes.items()}
        return lambda: {name: read.result() for name, read in reads.items()}

    def part(self, name: str, start: int, stop: int) -> np.ndarray:
        """Some bytes of a block, ``(stop - start,)`` uint8; raises DamagedFileError."""
        found = self._resident.get(name)
        if found is not None:
            return found[start:stop]
        if name not in self._current:
            return np.zeros(stop - start, np.uint8)
        path = self._path(name, self._current[name])
        try:
            with path.open("rb", buffering=0) as file:
                length = os.fstat(file.fileno()).st_size
                size = length - _SUM.itemsize * -(-length // (_PART + _SUM.itemsize))
                if size < stop:
                    raise DamagedFileError(f"{path}: damaged; it ends early")
                first, last = start // _PART, -(-stop // _PART)
                file.seek(first * _PART)
                found = self._filled(path, file, min(last * _PART, size) - first * _PART)
                file.seek(size + first * _SUM.itemsize)
                sums = self._filled(path, file, (last - first) * _SUM.itemsize)
        except OSError as error:
            raise DamagedFileError(f"{path}: {reason(error)}") from None
        _check(path, found, sums, first)
        return found[start - first * _PART : stop - first * _PART]

    def release(self, name: str, block: np.ndarray, is_changed: bool) -> None:
        """Give a fetched block back; changes are written behind. Nobody may change the block until :meth:`settle`."""
        if name in self._resident:
            self._resident[name] = block
        elif block.nbytes <= self._resident_left:
            self._resident[name] = block
            self._resident_left -= block.nbytes
        if is_changed and self._writes_late and name in self._resident:
            self._late.add(name)
        elif is_changed:
            self._writes[name] = self._writing(name, block)

    def settle(self) -> None:
        """Wait for the writes under way; raises SaveError for one that failed."""
        while self._writes:
            name = next(iter(self._writes))
            self._writes[name].result()
            del self._writes[name]

    def has_room(self, coming: int) -> bool:
        """Whether the disk takes ``coming`` bytes more."""
        return free_disk_bytes(self.folder) >= coming

    def keep(self, write: Callable[[Versions], object]) -> None:
        """Make the present state the kept one: ``write`` stores the versions for the next owner, whole or not at all.

        Raises:
            SaveError: the disk is full; the state kept before stays.
        """
        write(self.secured())
        self.let_go()

    def secured(self) -> Versions:
        """The versions of the present state, which is whole on the disk now, as the one kept before still is.

        Raises:
            SaveError: the disk is full.
        """
        self.settle()
        self._write_late()
        try:
            for path in self._unsynced:
                _sync(path)
            _sync(self.folder)
        except OSError as error:
            raise SaveError(f"cannot write {self.folder}: {reason(error)}") from None
        self._unsynced.clear()
        return dict(self._current)

    def _write_late(self) -> None:
        """Write what waits in memory; after an error, what failed waits on, and no room was lost to what replaces."""
        replaced = self.replaced_bytes
        late = {name: self._writing(name, self._resident[name]) for name in sorted(self._late)}
        wait(late.values())
        self._late = {name for name, write in late.items() if write.exception() is not None}
        for name in sorted(self._late):
            self.replaced_bytes = replaced
            late[name].result()

    def let_go(self) -> None:
        """Delete what the state of the last :meth:`secured` replaced: its versions are stored, and it is the kept one.

        Nothing may have changed in between.
        """
        before, self._kept = self._kept, dict(self._current)
        for name, version in before.items():
            if self._kept[name] != version:
                self._path(name, version).unlink(missing_ok=True)
        self.replaced_bytes = 0

    @property
    def disk_bytes(self) -> int:
        """Bytes of all files of blocks."""
        return sum(entry.stat().st_size for entry in os.scandir(self.folder) if _FILE.fullmatch(entry.name))

    def _writing(self, name: str, block: np.ndarray) -> Future[None]:
        version, self._next_version = self._next_version, self._next_version + 1
        return self._writers.submit(self._write, name, version, block)

    def _path(self, name: str, version: int) -> Path:
        return _path(self.folder, name, version)

    def _read(self, name: str, size: int) -> np.ndarray:
        found = self._resident.get(name)
        if found is not None:
            return found
        if (write := self._writes.get(name)) is not None:
            write.result()
        if name not in self._current:
            return direct.zeros(size)
        path = self._path(name, self._current[name])
        try:
            with direct.opened(path, os.O_RDONLY) as file:
                with_sums = size + _SUM.itemsize * -(-size // _PART)
                found = self._filled(path, file, with_sums, self._buffers.take)
        except OSError as error:
            raise DamagedFileError(f"{path}: {reason(error)}") from None
        _check(path, found[:size], found[size:])
        return found[:size]

    def _filled(
        self, path: Path, file: io.FileIO, size: int, memory: Callable[[int], np.ndarray] = direct.empty
    ) -> np.ndarray:
        block = direct.read(file, size, memory)
        if len(block) < size:
            raise DamagedFileError(f"{path}: damaged; it ends early")
        with self._counting:
            self.bytes_read += size
        return block

    def _write(self, name: str, version: int, block: np.ndarray) -> None:
        path = self._path(name, version)
        sums = _sums(path, block)
        try:
            with direct.opened(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as file:
                direct.write(file, (block, sums))
        except OSError as error:
            path.unlink(missing_ok=True)
            raise SaveError(f"cannot write {path}: {reason(error)}; what was kept before is untouched") from None
        size = block.nbytes + sums.nbytes
        with self._counting:
            self.bytes_written += size
            before = self._current.get(name)
            self._current[name] = version
            self._unsynced.add(path)
            if before is None:
                return
            old = self._path(name, before)
            if before == self._kept.get(name):
                self.replaced_bytes += size
            else:
                self._unsynced.discard(old)
                old.unlink(missing_ok=True)

    def _remove_stale(self) -> None:
        for entry in os.scandir(self.folder):
            found = _FILE.fullmatch(entry.name)
            if found and self._kept.get(found[1]) != int(found[2]):
                Path(entry.path).unlink(missing_ok=True)


def holds_blocks(folder: Path, kept: Versions) -> bool:
    """Whether a folder has the blocks of a state that was kept."""
    return folder.is_dir() and _missing(folder, kept) is None


def free_disk_bytes(folder: Path) -> int:
    """Bytes that files of a folder can still take; some stay free."""
    status = os.statvfs(folder)
    return max(0, status.f_bavail * status.f_frsize - _SPARE)


def room_bytes(folder: Path) -> int:
    """Bytes that the blocks of a folder, made or not, can take in all: what they take now, and what is free."""
    taken = 0
    with suppress(OSError):
        taken = sum(entry.stat().st_size for entry in os.scandir(folder) if _FILE.fullmatch(entry.name))
    return taken + free_disk_bytes(folder.parent)


def remove_folder(folder: Path, others: Sequence[str] = ()) -> None:
    """Delete a folder of blocks, and its files whose names begin with one of ``others``; unknown files stay."""
    with suppress(OSError):
        for entry in os.scandir(folder):
            if _FILE.fullmatch(entry.name) or entry.name.startswith(tuple(others)):
                Path(entry.path).unlink(missing_ok=True)
        folder.rmdir()


def _path(folder: Path, name: str, version: int) -> Path:
    return folder / f"{name}.{version}.block"


def _missing(folder: Path, kept: Versions) -> Path | None:
    """The first file that is not there."""
    paths = (_path(folder, name, version) for name, version in kept.items())
    return next((path for path in paths if not path.is_file()), None)


def _sums(path: Path, block: np.ndarray, first: int = 0) -> np.ndarray:
    """CRC-32 of the parts of a block, of which ``first`` is the first; files and parts that are swapped differ."""
    seed = crc32(path.name.encode())
    starts = range(0, len(block), _PART)
    return np.array(
        [crc32(block[at : at + _PART].data, seed + first + at // _PART & 0xFFFFFFFF) for at in starts], _SUM
    )


def _check(path: Path, block: np.ndarray, sums: np.ndarray, first: int = 0) -> None:
    if _sums(path, block, first).tobytes() != sums.tobytes():
        raise DamagedFileError(f"{path}: damaged; its checksum is not that of its contents")


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
