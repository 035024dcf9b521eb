"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cfr.system.disk.file_lock import is_same_file, try_lock
from cfr.system.errors import SaveError

_SUFFIX = ".tmp"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_SURELY_LEFT = 7 * 86_400.0  # seconds after which a temporary file is a left-over, if there are no locks


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file beside ``path`` that replaces it if the block ends well, and is deleted if not.

    A symbolic link stays and its target is replaced. A new file gets the rights that the user's umask leaves. A file
    that replaces another gets the rights of the old one.
    """
    target = Path(os.path.realpath(path))
    try:
        mode = _mode(target)
        remove_left_over(target)
        temporary, handle = _make(target)
    except OSError as error:
        raise SaveError(f"cannot write {path}: {reason(error)}") from None
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        if mode is not None:
            temporary.chmod(mode)
        temporary.replace(target)
        sync_folder(target.parent)
    except (OSError, RuntimeError) as error:
        raise SaveError(f"cannot write {path}: {reason(error)}; the old file, if any, is untouched") from None
    finally:
        temporary.unlink(missing_ok=True)
        os.close(handle)


@contextmanager
def saving(path: Path) -> Iterator[None]:
    """Raise SaveError with the file's name for an error of the disk while a file that stays open is written.

    A pipe whose reader has gone stays a BrokenPipeError.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise SaveError(f"cannot write {path}: {reason(error)}") from None


def version_of(path: Path) -> tuple[int, int, int] | None:
    """What tells versions of a file apart, without reading the file; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def check_free(path: Path, overwrite: bool) -> None:
    """Raise SaveError for a file that is there already, unless it may be replaced."""
    if path.exists() and not overwrite:
        raise SaveError(f"{path}: another file is there already; say overwrite=True to replace it")


def check_writable(path: Path) -> None:
    """Raise SaveError, before hours of work, for a place where the result cannot be written."""
    if path.is_dir():
        why = os.strerror(errno.EISDIR)
    elif not path.parent.is_dir():
        why = f"there is no folder {path.parent}"
    elif not os.access(path.parent, os.W_OK):
        why = os.strerror(errno.EACCES)
    else:
        return
    raise SaveError(f"cannot write {path}: {why}")


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, so that a power cut does not undo a rename; where systems can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def remove_left_over(target: Path) -> None:
    """Delete temporary files of ``target`` whose process has died."""
    start = f".{target.name}."
    try:
        found = [entry for entry in os.scandir(target.parent) if entry.name.startswith(start)]
    except OSError:
        return
    for entry in found:
        if entry.name.endswith(_SUFFIX) and "." not in entry.name[len(start) : -len(_SUFFIX)]:
            with suppress(OSError):
                _remove_if_left_over(Path(entry.path))


def _remove_if_left_over(temporary: Path) -> None:
    handle = os.open(temporary, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        free = try_lock(handle)  # a live process holds the lock of its file
        if free or (free is None and time.time() - os.fstat(handle).st_mtime > _SURELY_LEFT):
            temporary.unlink(missing_ok=True)
    finally:
        os.close(handle)


def _make(target: Path) -> tuple[Path, int]:
    """A new temporary file, locked if possible, and its descriptor."""
    while True:
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}{_SUFFIX}")
        handle = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        # Another process may have deleted the unlocked file as a left-over.
        if try_lock(handle) is None or is_same_file(handle, temporary):
            return temporary, handle
        os.close(handle)


def _mode(target: Path) -> int | None:
    """The rights of the file to be replaced, None if there is none; raises OSError if the path is no regular file."""
    try:
        found = target.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(found.st_mode):
        raise OSError("it is a device or a pipe, not a file")
    return stat.S_IMODE(found.st_mode)


def is_full(error: BaseException) -> bool:
    """Whether an error says that there is no room for a file."""
    # HDF5 hides the number in its text.
    return getattr(error, "errno", None) in _FULL or any(os.strerror(each) in str(error) for each in _FULL)


def reason(error: BaseException) -> str:
    """Why a file cannot be written, in a few words."""
    if is_full(error):
        return "the disk is full"
    number = getattr(error, "errno", None)
    return os.strerror(number) if number else first_line(error)


def first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
