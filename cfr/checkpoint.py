"""Checkpoints: the tables of an unfinished solve, written so that a crash at any moment leaves a whole one."""

from __future__ import annotations

import json
import signal
import threading
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from cfr.errors import DamagedFileError, UnknownSpotError
from cfr.game import Game
from cfr.store import replacing

FORMAT = "cfr checkpoint 3"
Tables = Mapping[str, Sequence[tuple[np.ndarray, np.ndarray]]]  # by kind, then round, then seat


@dataclass(frozen=True)
class Identity:
    """What must be the same for a solve to go on."""

    game: Game
    buckets: tuple[int | str, ...] | None
    seed: int
    schedule: str = "cfr+"


@dataclass(frozen=True)
class Progress:
    """How far a solve has come.

    Attributes:
        iterations: done so far.
        seconds: spent so far.
        responding_since: iterations done when schedule ``cfr-br`` had warmed up; None before, and for the others.
    """

    iterations: int
    seconds: float
    responding_since: int | None = None


def path_for(out: Path) -> Path:
    """Where the checkpoint of a solve that writes ``out`` is kept."""
    return out.with_name(out.name + ".checkpoint")


def save(path: Path, identity: Identity, progress: Progress, tables: Tables) -> None:
    """Write a checkpoint; the one before stays until this one is complete. Raises SaveError."""
    header = {
        "format": FORMAT,
        "game": identity.game.text(),
        "game_name": identity.game.name,
        "buckets": None if identity.buckets is None else list(identity.buckets),
        "seed": identity.seed,
        "schedule": identity.schedule,
        **asdict(progress),
    }
    with replacing(path) as temporary, temporary.open("wb") as file:
        # A zip archive of plain arrays, whose CRC-32 finds damage when they are read.
        np.savez(file, header=np.array(json.dumps(header)), **dict(_named(tables)))  # type: ignore[arg-type]


def identity_of(path: Path) -> Identity:
    """What a checkpoint continues; raises OSError or DamagedFileError."""
    with _open(path) as archive:
        return _identity(_header(path, archive))


def load(path: Path, identity: Identity, tables: Tables) -> Progress:
    """Fill the tables from a checkpoint.

    Raises:
        OSError, DamagedFileError: it cannot be read.
        UnknownSpotError: it belongs to another solve.
    """
    with _open(path) as archive:
        header = _header(path, archive)
        if _identity(header) != identity:
            raise UnknownSpotError(f"{path}: a checkpoint of another game, schedule or seed, or of other buckets")
        for name, table in _named(tables):
            kept = _read(path, archive, name)
            if kept.shape != table.shape or kept.dtype != table.dtype:
                raise DamagedFileError(f"{path}: {name} is {kept.dtype} {kept.shape}; expected {table.shape}")
            table[...] = kept
    return Progress(int(header["iterations"]), float(header["seconds"]), header["responding_since"])


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Put Ctrl-C off until the block is done, so that tables are never half updated."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    caught: list[int] = []

    def remember(number: int, frame: FrameType | None) -> None:
        caught.append(number)

    before = signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if caught:
            raise KeyboardInterrupt


@contextmanager
def _open(path: Path) -> Iterator[Any]:
    with path.open("rb") as file:
        try:
            archive = np.load(file, allow_pickle=False)
        except (OSError, ValueError, EOFError, zipfile.BadZipFile):
            raise DamagedFileError(f"{path}: not a readable checkpoint; truncated or foreign") from None
        yield archive


def _read(path: Path, archive: Any, name: str) -> np.ndarray:
    try:
        return np.asarray(archive[name])
    except (KeyError, OSError, ValueError, EOFError, zlib.error, zipfile.BadZipFile):
        raise DamagedFileError(f"{path}: damaged; {name} cannot be read") from None


def _header(path: Path, archive: Any) -> dict[str, Any]:
    if not isinstance(archive, np.lib.npyio.NpzFile):
        raise DamagedFileError(f"{path}: not a checkpoint of cfr")
    try:
        header = json.loads(str(_read(path, archive, "header")))
    except ValueError:
        header = {}
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise DamagedFileError(f"{path}: not a checkpoint of this version of cfr")
    return header


def _identity(header: dict[str, Any]) -> Identity:
    buckets = header["buckets"]
    game = Game.parse(header["game"], header["game_name"])
    return Identity(game, None if buckets is None else tuple(buckets), int(header["seed"]), header["schedule"])


def _named(tables: Tables) -> Iterator[tuple[str, np.ndarray]]:
    for kind, rounds in tables.items():
        for r, seats in enumerate(rounds):
            for seat, table in enumerate(seats):
                yield f"{kind}_{r}_{seat}", table
