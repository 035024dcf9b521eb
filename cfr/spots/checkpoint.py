"""Checkpoints of spots: what is solved and how far it is, in one archive that is written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cfr.game.betting import BettingTree
from cfr.game.cards import format_cards, parse_cards
from cfr.game.rules import Game
from cfr.hands.river_rows import RIVER_ROWS, RiverRows
from cfr.kernel.tables import Tables
from cfr.kernel.tree import Tree, build_tree
from cfr.spots.lock import Lock
from cfr.spots.river_floor import Measured
from cfr.strategy.spot import Spot
from cfr.system.disk.files import replacing
from cfr.system.errors import BadInputError, CfrError, DamagedFileError

FORMAT = "cfr spot checkpoint 1"
Kinds = Mapping[str, Sequence[Tables]]  # regrets and averages, per round


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


def path_for(out: Path) -> Path:
    """Where the checkpoint of a solve that writes ``out`` is kept."""
    return out.with_name(out.name + ".checkpoint")


def save(path: Path, progress: SpotProgress, tree: Tree, tables: Kinds) -> None:
    """Write a checkpoint; the one before stays until this one is complete. Raises SaveError."""
    spot = progress.spot
    header = {
        "format": FORMAT,
        "game": spot.game.text(),
        "game_name": spot.game.name,
        "board": format_cards(spot.board),
        "line": spot.state.line_string,
        "locks": [lock.state.line_string for lock in progress.locks],
        "schedule": progress.schedule,
        "tables": progress.tables,
        "iterations": progress.iterations,
        "seconds": progress.seconds,
        "strategy": progress.strategy,
        "without_rivers": progress.without_rivers,
        "measure_at": progress.measure_at,
        "river_rows": progress.river_rows,
        "goes_on_by_hand": progress.goes_on_by_hand,
        "measured": progress.measured,
        "lanes": tree.lanes,
    }
    arrays: dict[str, Any] = {f"lock_{n}": lock.frequencies for n, lock in enumerate(progress.locks)}
    for kind, rounds in tables.items():
        arrays |= {f"{kind}_{r}_{seat}": table for r, pair in enumerate(rounds) for seat, table in enumerate(pair)}
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez(file, header=np.array(json.dumps(header)), ranges=spot.ranges, **arrays)


def read(path: Path) -> SpotProgress:
    """What a checkpoint continues; raises OSError or DamagedFileError."""
    with path.open("rb") as file, _damage(path):
        archive = np.load(file, allow_pickle=False)
        return _progress(path, archive, _header(path, archive))


def load(path: Path, spot: Spot, tree: Tree, tables: Kinds) -> None:
    """Fill tables from a checkpoint of any build of the kernel; errors as :func:`read`."""
    with path.open("rb") as file, _damage(path):
        archive = np.load(file, allow_pickle=False)
        header = _header(path, archive)
        other = build_tree(spot.game, int(header["lanes"]), tree.first, [spot.state.line], path=spot.path)
        for kind, rounds in tables.items():
            for r, pair in enumerate(rounds):
                for seat, table in enumerate(pair):
                    kept = archive[f"{kind}_{r}_{seat}"]
                    if kept.dtype != table.dtype or kept.shape != other.table_shape(r, seat, len(table), table.dtype):
                        raise DamagedFileError(f"{path}: {kind} of round {r} are {kept.dtype} {kept.shape}")
                    table[...] = kept if other.lanes == tree.lanes else tree.taken_over(kept, r, seat, other)


class _damage:  # noqa: N801 - used as a function
    """Turn every error that NumPy raises over a damaged archive into one line."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, CfrError | MemoryError):
            raise DamagedFileError(f"{self._path}: not a readable checkpoint of a spot") from None


def _header(path: Path, archive: Any) -> dict[str, Any]:
    if not isinstance(archive, np.lib.npyio.NpzFile):
        raise DamagedFileError(f"{path}: not a checkpoint of a spot")
    header = json.loads(str(archive["header"]))
    if header.get("format") != FORMAT:
        raise DamagedFileError(f"{path}: not a checkpoint of a spot, or of another version of cfr")
    return dict(header)


def _progress(path: Path, archive: Any, header: dict[str, Any]) -> SpotProgress:
    betting = BettingTree(Game.parse(header["game"], header["game_name"]))
    spot = Spot(betting.parse(header["line"]), parse_cards(header["board"]), np.asarray(archive["ranges"], np.float64))
    locks = tuple(
        Lock(betting.parse(line), np.asarray(archive[f"lock_{n}"], np.float64))
        for n, line in enumerate(header["locks"])
    )
    return SpotProgress(
        spot,
        locks,
        str(header["schedule"]),
        str(header["tables"]),
        int(header["iterations"]),
        float(header["seconds"]),
        header.get("strategy"),  # checkpoints of before have none of these
        header.get("without_rivers"),
        int(header.get("measure_at", 0)),
        RIVER_ROWS[RIVER_ROWS.index(header.get("river_rows", "hands"))],
        bool(header.get("goes_on_by_hand", False)),
        None if (measured := header.get("measured")) is None else Measured(int(measured[0]), float(measured[1])),
    )
