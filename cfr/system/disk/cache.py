"""Arrays kept on disk between runs, each under a name that contains a hash of everything it depends on."""

from __future__ import annotations

import hashlib
import os
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def cache_directory(path: str | os.PathLike[str] | None = None) -> Path:
    """``path``, or ``$CFR_CACHE``, or ``cfr`` below the user's cache directory (XDG)."""
    if path is not None:
        return Path(path)
    if own := os.environ.get("CFR_CACHE"):
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cfr"


def fingerprint(*parts: object) -> str:
    """A hexadecimal hash of text, numbers and the bytes, shapes and types of arrays, in the order given."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            digest.update(f"{part.dtype.str}{part.shape}".encode())
            digest.update(np.ascontiguousarray(part).data)
        else:
            digest.update(repr(part).encode())
        digest.update(b"\0")
    return digest.hexdigest()[:20]


class Cache:
    """Named sets of arrays in one directory, an uncompressed ``.npz`` file (with checksums) each."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.directory = cache_directory(path)

    def has(self, name: str) -> bool:
        """Whether something is saved as ``name``, damaged or not."""
        return (self.directory / f"{name}.npz").is_file()

    def load(self, name: str) -> dict[str, NDArray[Any]] | None:
        """The arrays saved as ``name``, or None if there are none or the file is damaged."""
        path = self.directory / f"{name}.npz"
        try:
            with path.open("rb") as file, zipfile.ZipFile(file) as archive:
                if archive.testzip() is not None:
                    return None
                file.seek(0)
                with np.load(file, allow_pickle=False) as arrays:
                    return {key: arrays[key] for key in arrays.files}
        except Exception:  # a damaged archive has many ways to fail
            return None

    def save(self, name: str, arrays: dict[str, NDArray[Any]]) -> None:
        """Saves the arrays whole or not at all; where it cannot, it warns."""
        import tempfile  # 5 ms that a query needs not

        temporary = None
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self.directory, prefix=f".{name}-", delete=False) as file:
                temporary = Path(file.name)
                np.savez(file, **arrays)  # type: ignore[arg-type]
            temporary.replace(self.directory / f"{name}.npz")
        except OSError as error:
            if temporary is not None:
                temporary.unlink(missing_ok=True)
            warnings.warn(f"cannot keep {name} in {self.directory}: {error.strerror}", RuntimeWarning, stacklevel=2)
