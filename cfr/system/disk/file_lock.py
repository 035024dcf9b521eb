"""Locks: a file beside what is being written, held by one process at a time and given up when that process dies."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path

from cfr.system.closing import Closing
from cfr.system.errors import SaveError

_TAKEN = (errno.EWOULDBLOCK, errno.EACCES)
_TRIES = 100


class Lock(Closing):
    """A hold on ``path`` for this process, until it is closed or the process dies.

    The lock is ``flock`` on ``.NAME.lock`` beside the path. If the file system has no locks, the file itself is the
    lock: it names its process, and a dead process of this machine holds nothing.

    Args:
        path: what only one process may write at a time; two names of one file are the same.
        what: the holder's name in the message that others get, such as ``cfr solve``.

    Raises:
        SaveError: another process holds it, or the folder cannot be written.
    """

    def __init__(self, path: Path, what: str) -> None:
        whole = Path(os.path.realpath(path))
        self.file = whole.with_name(f".{whole.name}.lock")
        self._path, self._what = path, what
        self._handle: int | None = None
        try:
            self._take()
        except OSError as error:
            what = os.strerror(error.errno or 0)
            where = f"there is no folder {path.parent}" if error.errno == errno.ENOENT else f"{what}: {self.file}"
            raise SaveError(f"cannot write {path}: {where}") from None

    def close(self) -> None:
        """Give the lock up."""
        if self._handle is None:
            return
        handle, self._handle = self._handle, None
        # Delete the file before the lock goes: nobody else can have taken the file.
        with suppress(OSError):
            self.file.unlink(missing_ok=True)
        os.close(handle)

    def _take(self) -> None:
        for _ in range(_TRIES):
            handle = os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            locked = try_lock(handle)
            if locked is None:
                os.close(handle)
                self._take_without_locks()
                return
            if not locked:
                holder = os.pread(handle, 1000, 0).decode("utf-8", "replace")
                os.close(handle)
                self._refuse(holder)
            if is_same_file(handle, self.file):
                os.ftruncate(handle, 0)
                os.pwrite(handle, self._owner(), 0)
                self._handle = handle
                return
            os.close(handle)  # its holder gave it up, and the file with it
        self._refuse("")

    def _take_without_locks(self) -> None:
        """The process that links the complete file under the lock's name holds the lock; the link must be new."""
        own = self.file.with_name(f"{self.file.name}.{os.uname().nodename}.{os.getpid()}")
        own.write_bytes(self._owner())
        try:
            for _ in range(_TRIES):
                try:
                    os.link(own, self.file)
                except FileExistsError:
                    holder = self.file.read_text("utf-8", "replace") if self.file.exists() else ""
                    if holder and not _is_gone(holder):
                        self._refuse(f"{holder}; if that is gone, delete {self.file}")
                    self.file.unlink(missing_ok=True)
                else:
                    self._handle = os.open(self.file, os.O_RDONLY | os.O_CLOEXEC)
                    return
        finally:
            own.unlink(missing_ok=True)
        self._refuse("")

    def _owner(self) -> bytes:
        return f"{self._what}, process {os.getpid()} on {os.uname().nodename}".encode()

    def _refuse(self, holder: str) -> None:
        by = holder or "another process"
        raise SaveError(f"{self._path}: {by} is writing it; wait until that ends, or write another file")


@contextmanager
def waiting_for(path: Path) -> Iterator[None]:
    """Let one process at a time into the block, for each path; the others wait.

    Nobody waits where the file system has no locks: use it where that only costs work done twice.
    """
    file = path.with_name(f".{path.name}.turn")
    handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def lock_log(path: Path) -> AbstractContextManager[object]:
    """A hold on a log, as :class:`Lock`; none on a device or a pipe, which many may write."""
    return Lock(path, "cfr") if path.is_file() or not path.exists() else nullcontext()


def try_lock(handle: int) -> bool | None:
    """Lock an open file for this process; True if that worked, None if the file system has no locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return False if error.errno in _TAKEN else None
    return True


def is_same_file(handle: int, path: Path) -> bool:
    """Whether an open file is still the one at ``path``."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _is_gone(holder: str) -> bool:
    """Whether the process that a lock names ran on this machine and has ended."""
    words = holder.partition(";")[0].split()
    if len(words) < 4 or words[-1] != os.uname().nodename or not words[-3].isdecimal():
        return False
    try:
        os.kill(int(words[-3]), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
