"""Files that objects name: what is pickled for another machine names them by checksum, not by path."""

from __future__ import annotations

import hashlib
import io
import os
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class SharedFile(os.PathLike[str]):
    """A file that is read, never written.

    Args:
        path: where it is.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).absolute()

    def __fspath__(self) -> str:
        return str(self.path)

    def checksum_name(self) -> str:
        """A name that only files of the same bytes have; the suffix stays."""
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() + self.path.suffix


def dumps(value: Any) -> tuple[bytes, dict[str, Path]]:
    """Pickle an object; also the files that it names, by :meth:`SharedFile.checksum_name`.

    Raises:
        OSError: a file cannot be read.
        pickle.PicklingError, TypeError, AttributeError: the object cannot be pickled.
    """
    written = io.BytesIO()
    pickler = _Pickler(written, pickle.HIGHEST_PROTOCOL)
    pickler.dump(value)
    return written.getvalue(), {name: path for path, name in pickler.names.items()}


def loads(data: bytes, files: Mapping[str, Path]) -> Any:
    """The object that :func:`dumps` pickled, with the files where they are on this machine."""
    unpickler = _Unpickler(io.BytesIO(data))
    unpickler.files = files
    return unpickler.load()


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, protocol: int) -> None:
        super().__init__(file, protocol)
        self.names: dict[Path, str] = {}

    def persistent_id(self, obj: Any) -> str | None:
        if not isinstance(obj, SharedFile):
            return None
        if obj.path not in self.names:
            self.names[obj.path] = obj.checksum_name()
        return self.names[obj.path]


class _Unpickler(pickle.Unpickler):
    files: Mapping[str, Path]

    def persistent_load(self, pid: str) -> SharedFile:
        return SharedFile(self.files[pid])
