"""What a process on a node of a Ray cluster does: it takes the files that it is sent, once a node, and does units."""

from __future__ import annotations

import hashlib
import os
import socket
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cfr.system.bounded_cache import forget
from cfr.system.disk.cache import cache_directory
from cfr.system.disk.file_lock import waiting_for
from cfr.system.disk.files import replacing
from cfr.system.disk.mapped import MOST_BYTES
from cfr.system.disk.shared_file import loads
from cfr.system.errors import DamagedFileError
from cfr.system.version import code_version

DONE, REFUSED = "done", "refused"
Get = Callable[[Any], Any]
Work = tuple[str, str, bytes, Mapping[str, Sequence[Any]]]


class _Begun(NamedTuple):
    name: str
    do: Callable[[Any], Any]


_begun: _Begun | None = None  # of this process


def do(work: Work, unit: Any, get: Get) -> tuple[str, Any]:
    """Do a unit.

    Args:
        work: the version of cfr that sends it, its name, the pickle of what begins
            it (:func:`cfr.system.disk.shared_file.dumps`), and for each file that the pickle names, the references of
            its pieces in Ray's store.
        unit: what to do.
        get: gets an object from Ray's store.

    Returns:
        ``DONE`` and the result, or ``REFUSED`` and why.
    """
    global _begun  # noqa: PLW0603
    version, name, begin, files = work
    if (refused := refusal(version)) is not None:
        return REFUSED, refused
    if _begun is None or _begun.name != name:
        _begun = None  # its memory goes first
        _begun = _Begun(name, loads(begin, {each: fetch(each, pieces, get) for each, pieces in files.items()})())
    return DONE, _begun.do(unit)


def refusal(version: str) -> str | None:
    """Why this node does no work for that version of cfr, or None."""
    if version == code_version():
        return None
    return f"node {socket.gethostname()} has another version of cfr: {code_version()}, here is {version}"


def fetch(name: str, pieces: Sequence[Any], get: Get) -> Path:
    """The path of a file on this node; the first process that asks for it writes it.

    Args:
        name: its checksum, see :meth:`cfr.system.disk.shared_file.SharedFile.checksum_name`.
        pieces: references of its bytes in Ray's store.
        get: gets an object from there.

    Raises:
        SaveError: the disk is full, or the cache cannot be written.
        DamagedFileError: what came has another checksum.
    """
    path = cache_directory() / "node" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with waiting_for(path):
        if not path.exists():
            digest = hashlib.sha256()
            with replacing(path) as temporary, temporary.open("wb") as file:
                for piece in pieces:
                    data = get(piece)
                    digest.update(data)
                    file.write(data)
                if digest.hexdigest() != path.stem:
                    raise DamagedFileError(f"{name}: came damaged to node {socket.gethostname()}")
        os.utime(path)  # used just now
    forget(path.parent, MOST_BYTES)
    return path
