"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cfr.system.errors import SaveError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary name beside ``path`` that takes its place when the block ends well, and else vanishes."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise SaveError(f"cannot write {path}: {reason(error)}") from None
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    except (OSError, RuntimeError) as error:
        raise SaveError(f"cannot write {path}: {reason(error)}; the old file, if any, is untouched") from None
    finally:
        temporary.unlink(missing_ok=True)


def reason(error: BaseException) -> str:
    number = getattr(error, "errno", None)
    full = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    # HDF5 hides the number in its text.
    if number in full or any(os.strerror(each) in str(error) for each in full):
        return "the disk is full"
    return os.strerror(number) if number else first_line(error)


def first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
