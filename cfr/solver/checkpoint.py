"""Checkpoints: the tables of an unfinished solve, written so that a crash at any moment leaves a whole one."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from cfr.game.rules import Game
from cfr.kernel.tree import Tree, build_tree
from cfr.solver.settings import CHANGEABLE, IDENTITY, Settings, changed
from cfr.solver.trunk.trunk import Trunk
from cfr.system.disk.files import replacing
from cfr.system.errors import BadInputError, CfrError, DamagedFileError

FORMAT = "cfr checkpoint 9"
_CARRIED = "carried"
_PART = 1 << 24  # bytes of a table that are read at once
Tables = Mapping[str, Sequence[tuple[np.ndarray, np.ndarray]]]  # by kind, then round, then seat


@dataclass(frozen=True)
class Progress:
    """How far a solve has come.

    Attributes:
        iterations: done so far.
        seconds: spent so far.
        responding_since: iterations done when schedule ``cfr-br`` had warmed up; None before, and for the others.
        best_mbb: exploitability of the best strategy so far, where boards are sampled and there is a target.
    """

    iterations: int
    seconds: float
    responding_since: int | None = None
    best_mbb: float | None = None


@dataclass(frozen=True)
class Pieces:
    """How far a solve has come whose tables lie in pieces on disk; the checkpoint has the first round's alone.

    Attributes:
        bounds: the first board of the second round of each piece, and their number.
        seat, piece: the update under way, and the piece that comes next.
        versions: of each block (:mod:`cfr.system.disk.block_files`).
        shares: of a solve that is spread over a cluster, the first piece of each share, and their number; else empty.
        following: of each share, the piece that comes next.
        folder: where the blocks lie; None if they lie on the nodes of a cluster, or for checkpoints of older versions.
    """

    bounds: tuple[int, ...]
    seat: int
    piece: int
    versions: Mapping[str, int]
    shares: tuple[int, ...] = ()
    following: tuple[int, ...] = ()
    folder: str | None = None


@dataclass(frozen=True)
class Header:
    """What a checkpoint says before its tables.

    Attributes:
        identity: the settings that must be the same for the solve to go on, by name.
        asked: those that may be changed then.
        lanes: of the vectors that the tables are laid out for.
        pieces: None if all tables are in the checkpoint.
    """

    identity: Mapping[str, Any]
    progress: Progress
    asked: Mapping[str, Any]
    lanes: int
    pieces: Pieces | None = None


def path_for(out: Path) -> Path:
    """Where the checkpoint of a solve that writes ``out`` is kept."""
    return out.with_name(out.name + ".checkpoint")


def is_of(path: Path, out: Path) -> bool:
    """Whether a checkpoint is kept where that of a solve that writes ``out`` is."""
    return os.path.realpath(path) == os.path.realpath(path_for(out))


def identity_of(settings: Settings) -> dict[str, Any]:
    """The settings, by name, that a checkpoint of the solve continues."""
    return {name: getattr(settings, name) for name in IDENTITY}


def save(
    path: Path,
    settings: Settings,
    progress: Progress,
    tables: Tables,
    lanes: int,
    pieces: Pieces | None = None,
    carried: np.ndarray | None = None,
) -> None:
    """Write a checkpoint; the one before stays until this one is complete. Raises SaveError.

    ``lanes`` are those of the vectors that the tables are laid out for; ``carried`` are values of earlier pieces.
    """
    header = {
        "format": FORMAT,
        **identity_of(settings),
        "game": settings.game.text(),
        "trunk": None if settings.trunk is None else settings.trunk.facts(),
        "game_name": settings.game.name,
        "asked": {name: getattr(settings, name) for name in CHANGEABLE},
        "lanes": lanes,
        "pieces": None if pieces is None else asdict(pieces),
        **asdict(progress),
    }
    write(path, header, tables, {} if carried is None else {_CARRIED: carried})


def write(path: Path, header: Mapping[str, Any], tables: Tables, others: Mapping[str, np.ndarray]) -> None:
    """Write tables and other arrays by name under a header that JSON takes, whole or not at all. Raises SaveError."""
    with replacing(path) as temporary, temporary.open("wb") as file:
        arrays: dict[str, Any] = {_name(kind, r, seat): table for kind, r, seat, table in _named(tables)}
        # A zip archive of plain arrays, whose CRC-32 finds damage when they are read.
        np.savez(file, header=np.array(json.dumps(header, default=str)), **(arrays | dict(others)))


def read(path: Path) -> Header:
    """What a checkpoint continues; raises OSError or DamagedFileError."""
    with _open(path) as archive:
        return _header(path, archive)


def check_identity(path: Path, header: Header, settings: Settings) -> None:
    """Refuse the checkpoint of another solve; raises BadInputError."""
    differing = [name for name, value in identity_of(settings).items() if header.identity[name] != value]
    if differing:
        words = ", ".join(differing).replace("_", " ")
        raise BadInputError(f"{path}: a checkpoint of another solve, which differs in: {words}")


def resumed(path: Path, **changes: Any) -> Settings:
    """The settings that a checkpoint goes on with.

    They are those of the interrupted solve; its file is ``out`` if nothing else is said.

    Args:
        path: the checkpoint.
        changes: ``out`` and :data:`cfr.solver.settings.CHANGEABLE` by name; those that say when to stop replace
            all that did.

    Raises:
        OSError, DamagedFileError: it cannot be read.
        BadInputError: settings that make no sense, or a warm-up that is over.
    """
    header = read(path)
    identity, progress = header.identity, header.progress
    if "warm_up" in changes and progress.responding_since is not None:
        raise BadInputError(f"warm-up: {path} has done it, in {progress.responding_since:,} iterations; leave it out")
    out = path.with_suffix("") if path.suffix == ".checkpoint" else Path(f"{identity['game'].name}.h5")
    asked = changed(header.asked, changes, identity["buckets"])
    return Settings(**{**identity, "out": out, **asked, "resume": path})


def load(path: Path, settings: Settings, trees: Callable[[str], tuple[Tree, Tree]], tables: Tables) -> Progress:
    """Fill the tables from a checkpoint of any build of the kernel; ``trees`` lay a kind's out, by seat.

    Raises:
        OSError, DamagedFileError: it cannot be read.
        BadInputError: it belongs to another solve.
    """
    with _open(path) as archive:
        header = _header(path, archive)
        check_identity(path, header, settings)
        _fill(path, archive, header.lanes, trees, tables)
    return header.progress


def load_tables(path: Path, format_: str, trees: Callable[[str], tuple[Tree, Tree]], tables: Tables) -> dict[str, Any]:
    """Fill the tables of :func:`write` from a file whose header has this ``format`` and ``lanes``; its header.

    Raises:
        OSError, DamagedFileError: it cannot be read.
    """
    with _open(path) as archive:
        header = _said(path, archive, format_)
        _fill(path, archive, int(header["lanes"]), trees, tables)
    return header


def _fill(path: Path, archive: Any, lanes: int, trees: Callable[[str], tuple[Tree, Tree]], tables: Tables) -> None:
    for kind, round_, seat, table in _named(tables):
        name = _name(kind, round_, seat)
        if lanes == trees(kind)[seat].lanes and _filled(path, archive, name, table):
            continue
        kept = _read(path, archive, name)
        tree = trees(kind)[seat]
        other = _layout_of(tree, lanes)
        if kept.dtype != table.dtype or kept.shape != other.table_shape(round_, seat, len(table)):
            raise DamagedFileError(f"{path}: {name} is {kept.dtype} {kept.shape}; expected {table.shape}")
        table[...] = kept if other is tree else tree.taken_over(kept, round_, seat, other)


def load_carried(path: Path) -> np.ndarray:
    """The values of earlier pieces; raises OSError or DamagedFileError."""
    with _open(path) as archive:
        return _read(path, archive, _CARRIED)


def _layout_of(tree: Tree, lanes: int) -> Tree:
    """``tree`` as a build of the kernel with so many lanes lays it out."""
    return tree if lanes == tree.lanes else build_tree(tree.game, lanes, never=tree.never)


@contextmanager
def _open(path: Path) -> Iterator[Any]:
    with path.open("rb") as file:
        try:
            archive = np.load(file, allow_pickle=False)
        except Exception:  # a damaged archive has many ways to fail
            kept = path_for(path)
            hint = f"; the checkpoint of this file is {kept}" if kept.exists() else ""
            raise DamagedFileError(f"{path}: not a readable checkpoint; truncated or foreign{hint}") from None
        yield archive


def _read(path: Path, archive: Any, name: str) -> np.ndarray:
    try:
        return np.asarray(archive[name])
    except Exception:  # a damaged archive has many ways to fail
        raise DamagedFileError(f"{path}: damaged; {name} cannot be read") from None


def _filled(path: Path, archive: Any, name: str, table: np.ndarray) -> bool:
    """Read an array into a table, without a second one in memory; whether it has the table's shape and type."""
    try:
        with archive.zip.open(f"{name}.npy") as file:
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
        raise DamagedFileError(f"{path}: damaged; {name} cannot be read") from None


def _said(path: Path, archive: Any, format_: str) -> dict[str, Any]:
    if not isinstance(archive, np.lib.npyio.NpzFile):
        raise DamagedFileError(f"{path}: not a checkpoint of cfr")
    try:
        header = json.loads(str(_read(path, archive, "header")))
    except ValueError:
        header = {}
    if not isinstance(header, dict) or header.get("format") != format_:
        raise DamagedFileError(f"{path}: not a checkpoint of this version of cfr")
    return header


def _header(path: Path, archive: Any) -> Header:
    header = _said(path, archive, FORMAT)
    try:
        return _parsed(header)
    except (CfrError, KeyError, TypeError, ValueError):
        raise DamagedFileError(f"{path}: damaged; its header cannot be read") from None


def _parsed(header: dict[str, Any]) -> Header:
    game = Game.parse(header["game"], header["game_name"])
    # Checkpoints of older versions lack settings that came later: their solves have the defaults.
    usual = {each.name: each.default for each in fields(Settings)}
    same = {name: header.get(name, usual[name]) for name in IDENTITY}
    same |= {name: tuple(value) for name, value in same.items() if isinstance(value, list)} | {"game": game}
    if same["trunk"] is not None:
        same["trunk"] = Trunk.from_facts(same["trunk"])
    asked = {name: header["asked"].get(name, usual[name]) for name in CHANGEABLE}
    pieces = header.get("pieces")
    return Header(
        same,
        Progress(int(header["iterations"]), float(header["seconds"]), header["responding_since"], header["best_mbb"]),
        asked | {"disk": None if asked["disk"] is None else Path(asked["disk"])},
        int(header["lanes"]),
        None if pieces is None else _pieces(pieces),
    )


def _pieces(given: dict[str, Any]) -> Pieces:
    names = ("bounds", "shares", "following")
    return Pieces(**(given | {name: tuple(given.get(name, ())) for name in names}))


def _named(tables: Tables) -> Iterator[tuple[str, int, int, np.ndarray]]:
    """Each table with its kind, round and seat."""
    for kind, rounds in tables.items():
        for round_, seats in enumerate(rounds):
            for seat, table in enumerate(seats):
                yield kind, round_, seat, table


def _name(kind: str, round_: int, seat: int) -> str:
    """A table's name in the file."""
    return f"{kind}_{round_}_{seat}"
