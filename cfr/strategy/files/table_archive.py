"""Archives of an unfinished solve's tables: written whole or not at all, and read by any build of the kernel."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from cfr.kernel.tables import Tables
from cfr.kernel.tree import Tree
from cfr.system.closing import Closing
from cfr.system.disk.files import replacing
from cfr.system.errors import CfrError, DamagedFileError

_PART = 1 << 24  # bytes of a table that are read at once
Kinds = Mapping[str, Sequence[Tables]]  # tables by kind, then round, then seat
T = TypeVar("T")


def path_for(out: Path) -> Path:
    """Where the checkpoint of a solve that writes ``out`` is kept."""
    return out.with_name(out.name + ".checkpoint")


def write(path: Path, header: Mapping[str, Any], tables: Kinds, others: Mapping[str, np.ndarray]) -> None:
    """Write tables and other arrays by name; the file before stays until this one is complete. Raises SaveError.

    ``header`` is for JSON, and has the ``format`` and the ``lanes`` of the vectors that the tables are laid out for.
    """
    with replacing(path) as temporary, temporary.open("wb") as file:
        arrays: dict[str, Any] = {_name(kind, r, seat): table for kind, r, seat, table in _named(tables)}
        # A zip archive of plain arrays, whose CRC-32 finds damage when they are read.
        np.savez(file, header=np.array(json.dumps(header, default=str)), **(arrays | dict(others)))


class TableArchive(Closing):
    """An archive of :func:`write`, open for reading.

    Args:
        path: the file.
        format_: what its header says.
        what: it is, in words.

    Attributes:
        header: as it was written.

    Raises:
        OSError, DamagedFileError: it cannot be read, or is something else.
    """

    def __init__(self, path: Path, format_: str, what: str = "checkpoint") -> None:
        self._path, self._file = path, path.open("rb")
        try:
            self._archive = self._opened(what)
            self.header = self._said(format_, what)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._file.close()

    def parsed(self, parse: Callable[[dict[str, Any]], T]) -> T:
        """What ``parse`` makes of the header; raises DamagedFileError if it cannot."""
        try:
            return parse(self.header)
        except DamagedFileError:
            raise
        except (CfrError, LookupError, TypeError, ValueError):
            raise DamagedFileError(f"{self._path}: damaged; its header cannot be read") from None

    def read(self, name: str) -> np.ndarray:
        """An array by its name; raises DamagedFileError."""
        try:
            return np.asarray(self._archive[name])
        except Exception:  # a damaged archive has many ways to fail
            raise DamagedFileError(f"{self._path}: damaged; {name} cannot be read") from None

    def fill(self, tables: Kinds, trees: Callable[[str], tuple[Tree, Tree]]) -> None:
        """Fill tables, also from those of a build of the kernel with other vectors; raises DamagedFileError.

        ``trees`` lay a kind's tables out, by seat.
        """
        lanes = self.parsed(lambda header: int(header["lanes"]))
        for kind, round_, seat, table in _named(tables):
            name, tree = _name(kind, round_, seat), trees(kind)[seat]
            if lanes == tree.lanes and self._filled(name, table):
                continue
            kept, other = self.read(name), tree.with_lanes(lanes)
            if kept.dtype != table.dtype or kept.shape != other.table_shape(round_, seat, len(table), table.dtype):
                raise DamagedFileError(f"{self._path}: {name} is {kept.dtype} {kept.shape}; expected {table.shape}")
            table[...] = kept if other is tree else tree.taken_over(kept, round_, seat, other)

    def _opened(self, what: str) -> Any:
        try:
            archive = np.load(self._file, allow_pickle=False)
        except Exception:  # a damaged archive has many ways to fail
            kept = path_for(self._path)
            hint = f"; the checkpoint of this file is {kept}" if kept.exists() else ""
            raise DamagedFileError(f"{self._path}: not a readable {what}; truncated or foreign{hint}") from None
        if not isinstance(archive, np.lib.npyio.NpzFile):
            raise DamagedFileError(f"{self._path}: not a {what} of cfr")
        return archive

    def _said(self, format_: str, what: str) -> dict[str, Any]:
        try:
            header = json.loads(str(self.read("header")))
        except ValueError:
            header = {}
        if not isinstance(header, dict) or header.get("format") != format_:
            raise DamagedFileError(f"{self._path}: not a {what} of this version of cfr")
        return header

    def _filled(self, name: str, table: np.ndarray) -> bool:
        """Read an array into a table, without a second one in memory; whether it has the table's shape and type."""
        try:
            with self._archive.zip.open(f"{name}.npy") as file:
                if np.lib.format.read_magic(file) != (1, 0):
                    return False
                shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(file)
                if (shape, dtype) != (table.shape, table.dtype) or is_fortran or not table.flags.c_contiguous:
                    return False
                whole = memoryview(table.reshape(-1).view(np.uint8))  # type: ignore[arg-type]
                for start in range(0, len(whole), _PART):
                    part = whole[start : start + _PART]
                    if file.readinto(part) != len(part):
                        raise EOFError
                return not file.read(1)  # which checks the CRC-32, too
        except Exception:  # a damaged archive has many ways to fail
            raise DamagedFileError(f"{self._path}: damaged; {name} cannot be read") from None


def _named(tables: Kinds) -> Iterator[tuple[str, int, int, np.ndarray]]:
    """Each table with its kind, round and seat."""
    for kind, rounds in tables.items():
        for round_, seats in enumerate(rounds):
            for seat, table in enumerate(seats):
                yield kind, round_, seat, table


def _name(kind: str, round_: int, seat: int) -> str:
    """A table's name in the file."""
    return f"{kind}_{round_}_{seat}"
