"""Checkpoints of spots: what is solved and how far it is, in one archive that is written whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from cfr.game.betting import BettingTree
from cfr.game.cards import format_cards, parse_cards
from cfr.game.rules import Game
from cfr.hands.river_rows import RiverRows
from cfr.kernel.tree import Tree
from cfr.spots.lock import Lock
from cfr.spots.river_floor import Measured
from cfr.strategy.files.table_archive import Kinds, TableArchive, write
from cfr.strategy.spot import Spot
from cfr.system.errors import BadInputError

FORMAT = "cfr spot checkpoint 1"
_WHAT = "checkpoint of a spot"


@dataclass(frozen=True)
class SpotProgress:
    """An interrupted solve of a spot.

    Attributes:
        spot: what is solved.
        locks: decisions that are held.
        schedule: its name.
        tables: their number type.
        iterations: done so far.
        seconds: spent so far.
        strategy: whose play gave a range: a file, a built-in or a bundled strategy; None if both ranges were given.
        without_rivers: whether the file is to leave the last round out; None where it would be large.
        measure_at: after how many iterations to look for the target next.
        river_rows: what a row of the last round is now.
        goes_on_by_hand: whether rows by strength make way for rows by hand where the target needs that.
        measured: what :class:`cfr.spots.river_floor.RiverFloor` compares the next measurement with.
    """

    spot: Spot
    locks: tuple[Lock, ...]
    schedule: str
    tables: str
    iterations: int
    seconds: float
    strategy: str | None = None
    without_rivers: bool | None = None
    measure_at: int = 0
    river_rows: RiverRows = "hands"
    goes_on_by_hand: bool = False
    measured: Measured | None = None

    def check(self, path: Path, spot: Spot, locks: Sequence[Lock], schedule: str) -> None:
        """Refuse to go on with another solve; raises BadInputError, which begins with ``path``."""
        mine, wanted = _solve(self.spot, self.locks), _solve(spot, locks)
        if mine != wanted or self.schedule != schedule:
            raise BadInputError(f"{path}: of another spot, other ranges or locks, or another schedule")


def _solve(spot: Spot, locks: Sequence[Lock]) -> tuple[object, ...]:
    """What a solve is of, to be compared."""
    held = [(lock.state.line_string, lock.frequencies.tobytes()) for lock in locks]
    return spot.game.text(), spot.board, spot.state.line_string, spot.ranges.tobytes(), held


def save(path: Path, progress: SpotProgress, tree: Tree, tables: Kinds) -> None:
    """Write a checkpoint; the one before stays until this one is complete. Raises SaveError."""
    spot = progress.spot
    header = {name: value for name, value in vars(progress).items() if name != "spot"} | {
        "format": FORMAT,
        "game": spot.game.text(),
        "game_name": spot.game.name,
        "board": format_cards(spot.board),
        "line": spot.state.line_string,
        "locks": [lock.state.line_string for lock in progress.locks],
        "lanes": tree.lanes,
    }
    held = {f"lock_{n}": lock.frequencies for n, lock in enumerate(progress.locks)}
    write(path, header, tables, {"ranges": spot.ranges, **held})


def read(path: Path) -> SpotProgress:
    """What a checkpoint continues; raises OSError or DamagedFileError."""
    with TableArchive(path, FORMAT, _WHAT) as archive:
        return archive.parsed(lambda header: _progress(header, archive.read))


def load(path: Path, tree: Tree, tables: Kinds) -> None:
    """Fill tables from a checkpoint of any build of the kernel; errors as :func:`read`."""
    with TableArchive(path, FORMAT, _WHAT) as archive:
        archive.fill(tables, lambda _: (tree, tree))


def _progress(header: dict[str, Any], read: Callable[[str], np.ndarray]) -> SpotProgress:
    betting = BettingTree(Game.parse(header["game"], header["game_name"]))
    spot = Spot(betting.parse(header["line"]), parse_cards(header["board"]), np.asarray(read("ranges"), np.float64))
    locks = tuple(
        Lock(betting.parse(line), np.asarray(read(f"lock_{n}"), np.float64)) for n, line in enumerate(header["locks"])
    )
    measured = header.get("measured")
    # Checkpoints of older versions lack what came later.
    kept = {each.name: header[each.name] for each in fields(SpotProgress) if each.name in header}
    made = {"spot": spot, "locks": locks, "measured": None if measured is None else Measured(*measured)}
    return SpotProgress(**(kept | made))
