"""Checkpoints: the tables of an unfinished solve, written so that a crash at any moment leaves a whole one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import h5py
import numpy as np

from cfr.errors import DamagedFileError, UnknownSpotError
from cfr.game import Game
from cfr.store import replacing

FORMAT = "cfr checkpoint 1"
Tables = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Identity:
    """What must be the same for a solve to go on."""

    game: Game
    buckets: tuple[int | str, ...] | None
    seed: int


def path_for(out: Path) -> Path:
    """Where the checkpoint of a solve that writes ``out`` is kept."""
    return out.with_name(out.name + ".checkpoint")


def save(
    path: Path,
    identity: Identity,
    iterations: int,
    seconds: float,
    regrets: Sequence[Tables],
    averages: Sequence[Tables],
) -> None:
    """Write a checkpoint; the one before stays until this one is complete. Raises SaveError."""
    with replacing(path) as temporary, h5py.File(temporary, "w") as file:
        file.attrs["format"] = FORMAT
        file.attrs["game"] = identity.game.text()
        file.attrs["game_name"] = identity.game.name
        file.attrs["buckets"] = _buckets_text(identity.buckets)
        file.attrs["seed"] = identity.seed
        file.attrs["iterations"] = iterations
        file.attrs["seconds"] = seconds
        for name, table in _named(regrets, averages):
            # Fletcher-32 of every chunk: a damaged checkpoint says so instead of solving on.
            file.create_dataset(name, data=table, chunks=_chunk(table), fletcher32=True)
        file.attrs["complete"] = True


def identity_of(path: Path) -> Identity:
    """What a checkpoint continues; raises OSError or DamagedFileError."""
    with _open(path) as file:
        text = str(file.attrs["buckets"])
        buckets = None if text == "lossless" else tuple(int(b) if b.isdigit() else b for b in text.split(","))
        game = Game.parse(str(file.attrs["game"]), str(file.attrs["game_name"]))
        return Identity(game, buckets, int(file.attrs["seed"]))


def load(path: Path, identity: Identity, regrets: Sequence[Tables], averages: Sequence[Tables]) -> tuple[int, float]:
    """Fill the tables from a checkpoint; returns its iterations and seconds.

    Raises:
        OSError, DamagedFileError: it cannot be read.
        UnknownSpotError: it belongs to another solve.
    """
    if identity_of(path) != identity:
        raise UnknownSpotError(f"{path}: a checkpoint of another game, other buckets or another seed")
    with _open(path) as file:
        for name, table in _named(regrets, averages):
            try:
                kept = file[name]
                if kept.shape != table.shape or kept.dtype != table.dtype:
                    raise DamagedFileError(f"{path}: {name} is {kept.dtype} {kept.shape}; expected {table.shape}")
                kept.read_direct(table)
            except (KeyError, OSError) as error:
                raise DamagedFileError(f"{path}: {name} cannot be read: {str(error).splitlines()[0]}") from None
        return int(file.attrs["iterations"]), float(file.attrs["seconds"])


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


def _open(path: Path) -> h5py.File:
    with path.open("rb"):
        pass
    try:
        file = h5py.File(path, "r")
    except OSError:
        raise DamagedFileError(f"{path}: not a readable checkpoint; truncated or foreign") from None
    if file.attrs.get("format") != FORMAT or not file.attrs.get("complete"):
        file.close()
        raise DamagedFileError(f"{path}: not a complete checkpoint of this version of cfr")
    return file


def _named(regrets: Sequence[Tables], averages: Sequence[Tables]) -> Iterator[tuple[str, np.ndarray]]:
    for kind, rounds in (("regrets", regrets), ("averages", averages)):
        for r, tables in enumerate(rounds):
            for seat, table in enumerate(tables):
                yield f"{kind}/{r}/{seat}", table


def _chunk(table: np.ndarray) -> tuple[int, ...]:
    rows = max(1, min(len(table), (1 << 22) // max(1, table[:1].nbytes)))
    return (rows, *table.shape[1:])


def _buckets_text(buckets: tuple[int | str, ...] | None) -> str:
    return "lossless" if buckets is None else ",".join(map(str, buckets))
