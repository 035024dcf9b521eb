"""A log of numbered results that outlives any crash: appended one by one, each with its own checksum.

A sum over thousands of parts keeps its parts here and adds them up in order at the end. The sum therefore does not
depend on how often, or when, the work was interrupted.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from cfr.system.closing import Closing
from cfr.system.errors import DamagedFileError, SaveError, UnknownSpotError
from cfr.system.file_lock import lock_log

MAGIC = b"cfr records 1\n"
_NUMBER = struct.Struct("<q")
_CHECK = struct.Struct("<I")


class Records(Closing):
    """Results of ``width`` float64 each, by number; one process at a time has the log.

    Args:
        path: the log.
        identity: what the results belong to; the log keeps it, and a continued log must have the same.
        width: numbers in a result.
        resume: continue an existing log; records that are damaged or cut off are dropped.

    Attributes:
        found: ``{number: (width,)}`` results so far.

    Raises:
        DamagedFileError: the log cannot be read.
        UnknownSpotError: the log belongs to something else.
        SaveError: the log cannot be written, or another process is writing it.
    """

    def __init__(self, path: Path, identity: Mapping[str, Any], width: int, resume: bool) -> None:
        self.path = path
        self.found: dict[int, np.ndarray] = {}
        self._width = width
        with ExitStack() as held:
            held.enter_context(lock_log(path))
            self._open(identity, resume)
            self._held = held.pop_all()

    def _open(self, identity: Mapping[str, Any], resume: bool) -> None:
        path = self.path
        header = MAGIC + json.dumps({**identity, "width": self._width}, sort_keys=True).encode() + b"\n"
        end = self._read(header) if resume and path.exists() else 0
        try:
            self._file: BinaryIO = path.open("r+b" if end else "wb")
            self._file.truncate(end)
            self._file.seek(end)
            if not end:
                self._write(header)
        except OSError as error:
            raise SaveError(f"{path}: cannot keep partial results: {error.strerror or error}") from None

    def add(self, number: int, result: np.ndarray) -> None:
        """Append a result, safe on disk when this returns; raises SaveError."""
        data = _NUMBER.pack(number) + np.ascontiguousarray(result, "<f8").tobytes()
        try:
            self._write(data + _CHECK.pack(zlib.crc32(data)))
        except OSError as error:
            raise SaveError(f"{self.path}: cannot keep partial results: {error.strerror or error}") from None
        self.found[number] = np.array(result, float)

    def close(self) -> None:
        """Close the log and leave it where it is."""
        self._file.close()
        self._held.close()

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        self._file.flush()
        os.fsync(self._file.fileno())

    def _read(self, header: bytes) -> int:
        """Read the records of the log, and return where the last whole one ends."""
        try:
            data = self.path.read_bytes()
        except OSError as error:
            raise DamagedFileError(f"{self.path}: cannot be read: {error.strerror or error}") from None
        if not data.startswith(MAGIC):
            if header.startswith(data):  # killed while it wrote the header
                return 0
            raise DamagedFileError(f"{self.path}: not a log of partial results")
        if not data.startswith(header):
            if header.startswith(data):
                return 0
            raise UnknownSpotError(f"{self.path}: {_difference(data, header)}; start anew without --resume")
        end = len(header)
        size = _NUMBER.size + 8 * self._width
        for start in range(end, len(data) - size - _CHECK.size + 1, size + _CHECK.size):
            record = data[start : start + size]
            if zlib.crc32(record) == _CHECK.unpack_from(data, start + size)[0]:
                self.found[_NUMBER.unpack_from(record)[0]] = np.frombuffer(record, "<f8", offset=_NUMBER.size).copy()
                end = start + size + _CHECK.size
        return end


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
    return f"partial results of {found['width']} numbers for each flop, not {wanted['width']}"
