"""A log of numbered results that outlives any crash: appended one by one, each with its own checksum.

A sum over thousands of parts keeps its parts here and adds them up in order at the end. The sum therefore does not
depend on how often, or when, the work was interrupted.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from abc import abstractmethod
from collections.abc import Collection, Mapping
from contextlib import ExitStack, suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from cfr.system.closing import Closing
from cfr.system.disk.file_lock import lock_log
from cfr.system.errors import BadInputError, DamagedFileError, SaveError
from cfr.system.text import counted

MAGIC = b"cfr records 1\n"
_NUMBER = struct.Struct("<q")
_CHECK = struct.Struct("<I")
_MOST_HEADER = 1 << 16
_PART = struct.Struct("<qq")  # number and length


class _Log(Closing):
    """A header that says what the log belongs to, then records; one process at a time has the log.

    Args:
        path: the log.
        identity: what the results belong to; the log keeps it, and a continued log must have the same.
        resume: continue an existing log; records that are damaged or cut off are dropped.

    Raises:
        DamagedFileError: the log cannot be read.
        BadInputError: the log belongs to something else.
        SaveError: the log cannot be written, or another process is writing it.
    """

    def __init__(self, path: str | Path, identity: Mapping[str, Any], resume: bool) -> None:
        self.path = path = Path(path)
        with ExitStack() as held:
            held.enter_context(lock_log(path))
            self._open(identity, resume)
            self._held = held.pop_all()

    def _open(self, identity: Mapping[str, Any], resume: bool) -> None:
        path = self.path
        header = MAGIC + json.dumps(identity, sort_keys=True).encode() + b"\n"
        end = self._read(header) if resume and path.exists() else 0
        try:
            with ExitStack() as opened:
                self._file: BinaryIO = opened.enter_context(path.open("r+b" if end else "wb"))
                self._file.truncate(end)
                self._file.seek(end)
                if not end:
                    self._write(header)
                opened.pop_all()
        except OSError as error:
            raise SaveError(f"{path}: cannot keep partial results: {error.strerror or error}") from None

    def close(self) -> None:
        """Close the log and leave it where it is."""
        with self._held:  # also where the disk is full, and what is left cannot be written
            self._file.close()

    def _append(self, data: bytes) -> None:
        """Append a record and its checksum, safe on disk when this returns; raises SaveError."""
        try:
            self._write(data + _CHECK.pack(zlib.crc32(data)))
        except OSError as error:
            raise SaveError(f"{self.path}: cannot keep partial results: {error.strerror or error}") from None

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        self._file.flush()
        os.fsync(self._file.fileno())

    def _read(self, header: bytes) -> int:
        """Read the log, and return where its last whole record ends."""
        try:
            with self.path.open("rb") as file:
                start = file.read(max(len(header), _MOST_HEADER))
                self._check(start, header)
                if not start.startswith(header):  # killed while it wrote the header
                    return 0
                # Mapped: a log may be larger than the memory.
                with mmap(file.fileno(), 0, access=ACCESS_READ) as mapped, memoryview(mapped) as data:
                    return self._take(data, len(header))
        except OSError as error:
            raise DamagedFileError(f"{self.path}: cannot be read: {error.strerror or error}") from None

    def _check(self, start: bytes, header: bytes) -> None:
        """Raise an error unless a file that begins with ``start`` is the log that ``header`` describes."""
        if start.startswith(header) or header.startswith(start):
            return
        if not start.startswith(MAGIC):
            raise DamagedFileError(f"{self.path}: not a log of partial results")
        raise BadInputError(f"{self.path}: {_difference(start, header)}; delete it, or name another file")

    @abstractmethod
    def _take(self, data: memoryview, end: int) -> int:
        """Take the records from ``end`` on, and return where the last whole one ends."""


class Records(_Log):
    """Results of ``width`` float64 each, by number.

    Args, errors: as in :class:`_Log`.
        width: numbers in a result.

    Attributes:
        found: ``{number: (width,)}`` results so far.
    """

    def __init__(self, path: str | Path, identity: Mapping[str, Any], width: int, resume: bool) -> None:
        self.found: dict[int, np.ndarray] = {}
        self._width = width
        super().__init__(path, {**identity, "width": width}, resume)

    def add(self, number: int, result: np.ndarray) -> None:
        """Append a result, safe on disk when this returns; raises SaveError."""
        self._append(_NUMBER.pack(number) + np.ascontiguousarray(result, "<f8").tobytes())
        self.found[number] = np.array(result, float)

    def _take(self, data: memoryview, end: int) -> int:
        size = _NUMBER.size + 8 * self._width
        for start in range(end, len(data) - size - _CHECK.size + 1, size + _CHECK.size):
            record = data[start : start + size]
            if zlib.crc32(record) == _CHECK.unpack_from(data, start + size)[0]:
                self.found[_NUMBER.unpack_from(record)[0]] = np.frombuffer(record, "<f8", offset=_NUMBER.size).copy()
                end = start + size + _CHECK.size
        return end


class Parts(_Log):
    """Results of any number of bytes, by number; they stay on disk. Arguments and errors as in :class:`_Log`.

    Attributes:
        numbers: numbers of the results so far.
    """

    def __init__(self, path: Path, identity: Mapping[str, Any], resume: bool) -> None:
        self._places: dict[int, tuple[int, int]] = {}
        super().__init__(path, identity, resume)

    @property
    def numbers(self) -> Collection[int]:
        return self._places.keys()

    def add(self, number: int, result: bytes) -> None:
        """Append a result, safe on disk when this returns; raises SaveError."""
        start = self._file.tell() + _PART.size
        self._append(_PART.pack(number, len(result)) + result)
        self._places[number] = start, len(result)

    def read(self, number: int) -> bytes:
        """A result so far; raises DamagedFileError."""
        start, length = self._places[number]
        try:
            with self.path.open("rb") as file:
                file.seek(start)
                found = file.read(length)
        except OSError as error:
            raise DamagedFileError(f"{self.path}: cannot be read: {error.strerror or error}") from None
        if len(found) < length:
            raise DamagedFileError(f"{self.path}: cut off")
        return found

    def _take(self, data: memoryview, end: int) -> int:
        while end + _PART.size <= len(data):
            number, length = _PART.unpack_from(data, end)
            start = end + _PART.size
            if not 0 <= length <= len(data) - start - _CHECK.size:
                break
            if zlib.crc32(data[end : start + length]) != _CHECK.unpack_from(data, start + length)[0]:
                break
            self._places[number] = start, length
            end = start + length + _CHECK.size
        return end


def identity_in(path: Path) -> dict[str, Any]:
    """What the log at a path belongs to; empty if there is no log or it has no whole header."""
    try:
        with path.open("rb") as file:
            found = json.loads(file.readline() if file.readline() == MAGIC else b"{}")
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def discard(path: Path) -> None:
    """Delete a log that has done its work, unless another process is writing it."""
    with suppress(SaveError), lock_log(path):
        path.unlink(missing_ok=True)


def _difference(data: bytes, header: bytes) -> str:
    """How a log that begins with ``data`` differs from one with this header."""
    try:
        found, wanted = (json.loads(each[len(MAGIC) :].split(b"\n", 1)[0]) for each in (data, header))
    except ValueError:
        return "partial results of something else"
    if not isinstance(found, dict) or "width" not in found:
        return "partial results of something else"
    if {**found, "width": None} != {**wanted, "width": None}:
        return "partial results of something else"
    return f"partial results of {counted(found['width'], 'number')} for each flop, not {wanted['width']}"
