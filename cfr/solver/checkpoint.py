"""Checkpoints: the tables of an unfinished solve, written so that a crash at any moment leaves a whole one."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from cfr.game.rules import Game
from cfr.kernel.tree import Tree
from cfr.solver.settings import CHANGEABLE, IDENTITY, Settings, changed
from cfr.solver.trunk.trunk import Trunk
from cfr.strategy.files.table_archive import Kinds, TableArchive, write
from cfr.strategy.files.table_archive import path_for as path_for  # noqa: PLC0414 - it is of this module, too
from cfr.system.errors import BadInputError
from cfr.system.text import counted

FORMAT = "cfr checkpoint 9"
_CARRIED = "carried"


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
        bounds: the first board of the second round of each piece, and at the end how many boards there are.
        seat, piece: the update under way, and the piece that comes next.
        versions: of each block (:mod:`cfr.system.disk.block_files`).
        shares: of a solve that is spread over a cluster, the first piece of each share, and at the end how many
            pieces there are; else empty.
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
    tables: Kinds,
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


def read(path: Path) -> Header:
    """What a checkpoint continues; raises OSError or DamagedFileError."""
    with TableArchive(path, FORMAT) as archive:
        return archive.parsed(_parsed)


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
        raise BadInputError(
            f"warm-up: {path} has done it, in {counted(progress.responding_since, 'iteration')}; leave it out"
        )
    out = path.with_suffix("") if path.suffix == ".checkpoint" else Path(f"{identity['game'].name}.h5")
    asked = changed(header.asked, changes, identity["buckets"])
    return Settings(**{**identity, "out": out, **asked, "resume": path})


def load(path: Path, settings: Settings, trees: Callable[[str], tuple[Tree, Tree]], tables: Kinds) -> Progress:
    """Fill the tables from a checkpoint of any build of the kernel; ``trees`` lay a kind's out, by seat.

    Raises:
        OSError, DamagedFileError: it cannot be read.
        BadInputError: it belongs to another solve.
    """
    with TableArchive(path, FORMAT) as archive:
        header = archive.parsed(_parsed)
        check_identity(path, header, settings)
        archive.fill(tables, trees)
    return header.progress


def load_carried(path: Path) -> np.ndarray:
    """The values of earlier pieces; raises OSError or DamagedFileError."""
    with TableArchive(path, FORMAT) as archive:
        return archive.read(_CARRIED)


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
