"""Objects that processes of a machine share: made by the first, kept in a file, and mapped by the others."""

from __future__ import annotations

import io
import mmap
import os
import pickle
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cfr._native.cpu import levels
from cfr.system.bounded_cache import forget
from cfr.system.disk.cache import cache_directory, fingerprint
from cfr.system.disk.file_lock import waiting_for
from cfr.system.disk.files import replacing
from cfr.system.version import code_version

MOST_BYTES = 50_000_000_000  # of a node's cache, on disk
_LENGTH = struct.Struct("<q")
_ALIGNED = 64  # bytes: a cache line


@dataclass(frozen=True)
class Mapped:
    """Begins the work of a process: makes an object, or maps the one that another process made, and gives a method.

    Args:
        make: makes the object.
        method: name of the method that does a unit.
    """

    make: Callable[[], Any]
    method: str

    def __call__(self) -> Callable[[Any], Any]:
        name = fingerprint(pickle.dumps(self.make), code_version(), *levels(), os.environ.get("CFR_LEVEL"))
        path = cache_directory() / "node" / f"{name}.object"
        path.parent.mkdir(parents=True, exist_ok=True)
        with waiting_for(path):
            if not path.exists():
                dump(self.make(), path)
            os.utime(path)  # used just now
            found = load(path)
        forget(path.parent, MOST_BYTES)
        method: Callable[[Any], Any] = getattr(found, self.method)
        return method


def dump(value: Any, path: Path) -> None:
    """Write an object; raises SaveError where it cannot be written.

    First the length of the pickle, then the pickle, then for each array that it leaves out the length and, from the
    next multiple of 64 on, the bytes.
    """
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(value, 5, buffer_callback=buffers.append)
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(_LENGTH.pack(len(data)) + data)
        for buffer in buffers:
            with buffer.raw() as raw:
                file.write(_LENGTH.pack(raw.nbytes))
                file.write(bytes(-file.tell() % _ALIGNED))
                file.write(raw)


def load(path: Path) -> Any:
    """The object that :func:`dump` wrote. Its arrays are mapped: what is written into them stays in this process."""
    with path.open("rb") as file:
        whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    (length,) = _LENGTH.unpack_from(whole)
    end = _LENGTH.size + length
    data, buffers = whole[_LENGTH.size : end], []
    while end < len(whole):
        (length,) = _LENGTH.unpack_from(whole, end)
        start = end + _LENGTH.size
        start += -start % _ALIGNED
        end = start + length
        buffers.append(whole[start:end])
    return pickle.load(io.BytesIO(data), buffers=buffers)
