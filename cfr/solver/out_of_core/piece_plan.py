"""How a solve beyond memory is split: the pieces of its tables, and the memory and the disk that they take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cfr.game.rules import Game
from cfr.hands.flops import first_boards
from cfr.hands.river_rows import RiverRows
from cfr.kernel.chance import Dealt, boards_below
from cfr.kernel.pieces import all_boards, rows_of_boards, rows_of_first
from cfr.kernel.schedules import schedule_named
from cfr.kernel.traversal import layout
from cfr.solver.checkpoint import Header
from cfr.solver.memory_need import memory_bytes, number_types, rows_of, table_sizes
from cfr.solver.out_of_core.piece_tables import PieceTables
from cfr.solver.settings import Settings
from cfr.strategy.files.round_rows import MOST_STORED
from cfr.system.disk.block_files import AT_ONCE, room_bytes
from cfr.system.errors import BadInputError, CfrError
from cfr.system.memory import free_bytes

OWNER = "owner"  # the file in the folder of the pieces that names the strategy file of their solve
SHARE_OF_FREE = 0.8  # of the memory that is free, where nobody says how much a solve may take
REPLACED = 0.25  # of the tables: files on disk that only the last checkpoint needs, at most
_BASE = 110_000_000  # bytes of a solve without tables and threads
_PER_HAND = 60  # bytes of the arrays that describe a hand on a board, showdowns included
_LARGEST = 1_000_000_000  # bytes for a piece: larger ones are no faster
_SCRATCH = 60_000_000  # bytes of a thread
_PER_BOARD = 24  # bytes of a board's cards, parent and factor


@dataclass(frozen=True, eq=False)
class PiecePlan:
    """The pieces of a solve.

    Attributes:
        game: the rules.
        levels: all boards of each round.
        river_rows: whether a row of the game's last round is a hand or a strength.
        bounds: the first board of the second round of each piece, and at the end how many boards there are.
        rows: ``(pieces, rounds)`` rows of each piece; none in the first round.
        rows_of_first: rows of the first round, whose tables stay in memory.
        tables: how tables are laid out.
        folder: where the pieces lie.
        resident_bytes: of blocks that stay in memory; all of them where memory holds them beside what measuring takes.
        band_bytes: of rows of the strategy file that are put together in memory.
        memory_bytes: of the solve, at the peak.
        least_bytes: the same if no block stayed in memory.
        table_bytes: of all tables, each once.
    """

    game: Game
    levels: Sequence[Dealt]
    river_rows: RiverRows
    bounds: tuple[int, ...]
    rows: np.ndarray
    rows_of_first: int
    tables: PieceTables
    folder: Path
    resident_bytes: int
    band_bytes: int
    memory_bytes: int
    least_bytes: int
    table_bytes: int

    @property
    def count(self) -> int:
        """How many pieces there are."""
        return len(self.bounds) - 1

    @cached_property
    def largest_piece(self) -> int:
        """Bytes of the largest piece's update."""
        return max(self.tables.in_pass(rows) for rows in self.rows.tolist())

    def num_rows(self, piece: int) -> list[int]:
        """Rows of each round of a piece, none of the first."""
        found: list[int] = self.rows[piece].tolist()
        return found

    def first_rows(self, piece: int) -> list[int]:
        """The index of the first row of a piece among all rows, in each round."""
        found: list[int] = self.rows[:piece].sum(axis=0).tolist()
        return found


def is_beyond_memory(settings: Settings, header: Header | None = None) -> bool:
    """Whether a solve's tables are to lie in pieces on disk; ``header`` is of the checkpoint that it continues.

    Raises:
        CfrError: a solve that began in memory and would not fit now.
    """
    if not settings.lossless:
        return False
    if settings.trunk is not None or (header is not None and header.pieces is not None):
        return True
    needed, most = memory_bytes(settings), memory_of(settings)
    if header is not None and needed > most:
        raise CfrError(
            f"{settings.resume}: began in memory and needs {needed / 1e9:.1f} GB, of {most / 1e9:.1f} GB; "
            "give it more memory, or begin anew"
        )
    return needed > most


def memory_of(settings: Settings) -> int:
    """Bytes that a solve without buckets may take."""
    return int(SHARE_OF_FREE * free_bytes() if settings.memory_gb is None else settings.memory_gb * 1e9)


def leaves_last_out(settings: Settings) -> bool:
    """Whether the file leaves the last round out: where that is asked for, or where the round would be large."""
    if settings.trunk is not None:
        return False
    if settings.without_rivers is not None:
        return settings.without_rivers
    rows, actions, lines = table_sizes(layout(settings.game), rows_of(settings))[-1]
    return rows * actions * lines > MOST_STORED


def folder_of(settings: Settings) -> Path:
    """The folder of a solve's pieces."""
    out = settings.out if settings.disk is None else settings.disk / settings.out.name
    return out.parent / f"{out.name}.tables"  # also of a folder, which is refused later


def make_plan(settings: Settings, bounds: tuple[int, ...] | None = None) -> PiecePlan:
    """Split a solve into pieces; ``bounds`` are those that it began with.

    Raises:
        CfrError: settings that need memory, a disk that is too small or none, memory that holds neither three pieces
            nor all tables in place.
    """
    tables = tables_of(settings)
    check_disk(settings, tables, rows_of(settings), is_begun=bounds is not None)
    trunk, game = settings.trunk, settings.game
    return split(settings, tables, all_boards(game) if trunk is None else trunk.levels(game, settings.seed), bounds)


def split(
    settings: Settings, tables: PieceTables, levels: Sequence[Dealt], bounds: tuple[int, ...] | None = None
) -> PiecePlan:
    """Split tables into pieces.

    Args:
        settings: of the solve.
        tables: their layout; its tree begins in the round of the first of ``levels``.
        levels: all boards of each round.
        bounds: as :func:`make_plan`.

    Raises:
        CfrError: memory that holds neither three pieces nor all tables in place.
    """
    game = settings.game
    rows = rows_of_boards(game, levels, settings.river_rows)
    boards = _boards_below(levels)
    fixed = _fixed_bytes(settings, sum(len(level.cards) for level in levels))
    most = memory_of(settings) - fixed

    def needed(first: int, last: int) -> int:
        return _needed_bytes(game, tables, rows[first:last].sum(axis=0).tolist(), int(boards[first:last].sum()))

    is_begun = bounds is not None
    if bounds is None:
        single = max(needed(board, board + 1) for board in range(len(rows)))
        found, target = [0], max(single, min(most // 2, _LARGEST))
        for board in range(1, len(rows)):
            if needed(found[-1], board + 1) > target:
                found.append(board)
        bounds = (*found, len(rows))
    pieces = np.add.reduceat(rows, bounds[:-1], axis=0)
    most_boards = _boards_bytes(game, int(np.add.reduceat(boards, bounds[:-1]).max()))
    largest = max(needed(first, last) for first, last in pairwise(bounds))
    whole = sum(tables.sizes(each) for each in pieces.tolist())
    in_place = _in_place_bytes(tables, pieces) + most_boards
    if (least := min(largest, whole + in_place)) > most:
        lacking = "do not hold the pieces of this solve" if is_begun else f"hold no piece of {game.name}"
        raise CfrError(
            f"memory: {memory_of(settings) / 1e9:.2f} GB {lacking}; expected at least "
            f"{ceil((least + fixed) / 1e7) / 100:.2f} GB"
        )
    if whole + in_place <= most:  # once all blocks are there, none is read ahead or written behind
        working, resident = in_place, whole
    else:
        working, resident = largest, min(most - largest, whole)
    return PiecePlan(
        game,
        levels,
        settings.river_rows,
        bounds,
        pieces,
        rows_of_first(game, levels[0]),
        tables,
        folder_of(settings),
        resident,
        working // 4,
        fixed + working + resident,
        fixed + largest,
        whole,
    )


class Footprint(NamedTuple):
    """Memory of a solve before its pieces are known, in bytes.

    Attributes:
        fixed: without tables.
        whole: all tables.
        in_place: what all tables take in place, with what measuring takes beside them.
        working: three pieces of one board of the second round each.
    """

    fixed: int
    whole: int
    in_place: int
    working: int

    @property
    def least(self) -> int:
        """The least memory: of three pieces, or of all tables in place."""
        return self.fixed + min(self.in_place, self.working)

    def staying(self, memory: int, nodes: int = 1) -> int:
        """About how many bytes of the tables stay in so much memory of so many nodes; :func:`split` knows for one."""
        most, share = memory - self.fixed, self.whole // nodes
        if self.in_place - self.whole + share <= most:
            return self.whole
        working = max(self.working, min(most // 2, _LARGEST))
        return nodes * max(0, min(most - working, share))


def footprint(settings: Settings) -> Footprint:
    """The memory of a solve, by its largest piece."""
    game, flops = settings.game, first_boards(settings.game)
    if settings.trunk is None:
        flop, count = flops.cards[int(flops.share.argmax())], len(flops.cards)
    else:
        drawn = settings.trunk.drawn(game, settings.seed)
        flop, count = flops.cards[drawn[flops.share[drawn].argmax()]], len(drawn)
    below = boards_below(game, flop)
    before = boards_below(game, np.zeros(0, np.uint8), last=0)
    rows, tables = rows_of_boards(game, [*before, *below], settings.river_rows), tables_of(settings)
    boards = sum(len(level.cards) for level in below)
    whole = tables.sizes(rows_of(settings))
    return Footprint(
        _fixed_bytes(settings, count * boards),
        whole,
        whole + _in_place_bytes(tables, rows) + _boards_bytes(game, boards),
        _needed_bytes(game, tables, rows[0].tolist(), boards),
    )


def _fixed_bytes(settings: Settings, boards: int) -> int:
    """Memory of a solve without its pieces."""
    return _BASE + _SCRATCH * settings.threads + _PER_BOARD * boards


def _needed_bytes(game: Game, tables: PieceTables, rows: Sequence[int], boards: int) -> int:
    """Memory while pieces of so many rows and boards are updated, or measured as they are stored."""
    updating, measuring = AT_ONCE * tables.in_pass(rows), 2 * tables.both("averages", rows) + tables.as_stored(rows)
    return max(updating, measuring) + _boards_bytes(game, boards)


def _in_place_bytes(tables: PieceTables, pieces: np.ndarray) -> int:
    """Memory beside blocks that all stay there: what measuring a piece as it is stored takes."""
    return max(tables.as_stored(rows) for rows in pieces.tolist())


def _boards_bytes(game: Game, boards: int) -> int:
    """What describes the boards of two pieces."""
    return 2 * _PER_HAND * game.num_hands * boards


def tables_of(settings: Settings) -> PieceTables:
    """The tables of a solve's pieces."""
    dtype, numbers = number_types(settings)
    tree = layout(settings.game, dtype, settings.never)
    return PieceTables.of(tree, dtype, numbers, schedule_named(settings.schedule))


def check_disk(settings: Settings, tables: PieceTables, every: Sequence[int], is_begun: bool = False) -> None:
    """Refuse a folder that is none, or has too little room; raises CfrError."""
    folder = folder_of(settings)
    check_is_folder(folder.parent)
    needed, free = int((1 + REPLACED) * tables.sizes(every)), room_bytes(folder)
    if needed > free and not is_begun:
        raise CfrError(
            f"{settings.game.name} needs about {needed / 1e9:,.1f} GB of disk, {free / 1e9:,.1f} GB are free in "
            f"{folder.parent}; say disk= for another folder"
        )


def check_is_folder(disk: Path | None) -> None:
    """Refuse a folder for tables that is none; raises BadInputError."""
    if disk is not None and not disk.is_dir():
        raise BadInputError(f"disk: {disk} is not a folder; expected one with room for the tables")


def room_for_two(folder: Path, tables: int) -> bool:
    """Whether a folder has room for two states of so many bytes of tables; blocks in memory then wait to be written."""
    return folder.parent.is_dir() and room_bytes(folder) >= 2 * tables


def _boards_below(levels: Sequence[Dealt]) -> np.ndarray:
    """``(n,)`` boards of all rounds at or below each board of the second round."""
    above = np.arange(len(levels[1].cards))
    found = np.ones(len(above), np.int64)
    for level in levels[2:]:
        above = above[level.parent]
        np.add.at(found, above, 1)
    return found
