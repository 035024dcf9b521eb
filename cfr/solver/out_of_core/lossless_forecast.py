"""Forecast of a solve without buckets: memory, disk, traffic and time, from rates that are measured on this machine."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from cfr.game.rules import Game
from cfr.hands.flops import first_boards
from cfr.kernel.chance import Deal, enumerate_below
from cfr.kernel.schedules import schedule_named
from cfr.kernel.traversal import Traversal, Visit
from cfr.kernel.tree import build_tree
from cfr.solver.checkpoint import read
from cfr.solver.memory_need import memory_bytes, number_types, rows_of, table_sizes
from cfr.solver.out_of_core.piece_plan import (
    REPLACED,
    check_is_folder,
    folder_of,
    footprint,
    is_beyond_memory,
    leaves_last_out,
    memory_of,
    room_for_two,
    tables_of,
)
from cfr.solver.out_of_core.piece_tables import PieceTables
from cfr.solver.out_of_core.tables_folder import found_folder
from cfr.solver.presets import PUBLISHED, TYPICAL, is_full_holdem
from cfr.solver.settings import Settings
from cfr.strategy.spot_rows import SpotRows
from cfr.system.cores import crowding
from cfr.system.disk.block_files import room_bytes
from cfr.system.disk.disk_rate import measured_disk
from cfr.system.memory import free_bytes
from cfr.system.text import brief, counted, digits, duration

_TRIAL_NODE_ACTIONS = 150_000_000


@dataclass(frozen=True)
class LosslessForecast:
    """What a solve without buckets will take; a ``TB`` is 10^12 bytes.

    Attributes:
        game: its name.
        rows: table rows of each round.
        node_actions: in all rounds; an iteration updates each once.
        tables: the number type.
        entry_bytes: of one table: one byte for each node-action in the last round, and two before, where ``tables`` is
            ``int8``.
        table_bytes: of all tables, with the scales of narrow number types.
        memory_bytes: of the solve, on one node.
        least_bytes: the least memory that holds the pieces; 0 where the solve fits in memory.
        available_bytes: of memory that is free here.
        disk_bytes: of the tables on disk, over all nodes; 0 in memory.
        available_disk_bytes: free here, with what an earlier state of the solve takes; None where the folder for them
            is not there.
        read_bytes, written_bytes: in an iteration, over all nodes, less what stays in memory; checkpoints may write it.
        delayed_read_bytes, delayed_written_bytes: the same while there is no average.
        averaging_delay: iterations before the average begins.
        core_seconds: that an iteration computes, on a core that works alone.
        core_seconds_per_gb: of 10^9 bytes of traffic: checksums, and the system's part.
        iterations: left to do.
        why: where that number comes from.
        nodes, cores: of the machine, or of each node.
        disk_gbs: 10^9 bytes a second that the disk of a node reads and writes.
        seconds_done, iterations_done: before a checkpoint that is resumed.
        without_rivers: whether the file leaves the last round out.
    """

    game: str
    rows: tuple[int, ...]
    node_actions: int
    tables: str
    entry_bytes: int
    table_bytes: int
    memory_bytes: int
    least_bytes: int
    available_bytes: int
    disk_bytes: int
    available_disk_bytes: int | None
    read_bytes: int
    written_bytes: int
    delayed_read_bytes: int
    delayed_written_bytes: int
    averaging_delay: int
    core_seconds: float
    core_seconds_per_gb: float
    iterations: int
    why: str
    nodes: int
    cores: int
    disk_gbs: float
    without_rivers: bool
    seconds_done: float = 0.0
    iterations_done: int = 0

    @property
    def _moved(self) -> int:
        """Bytes of traffic of an iteration."""
        return self.read_bytes + self.written_bytes

    @property
    def work_seconds(self) -> float:
        """Processor time of an iteration, traffic included, on cores that work alone."""
        return self._work_seconds(self._moved)

    @property
    def computing_seconds(self) -> float:
        """Wall-clock that the processors of all nodes work in an iteration, side by side."""
        return self._computing_seconds(self._moved)

    @property
    def moving_seconds(self) -> float:
        """Wall-clock that an iteration's disk traffic takes, on all nodes side by side."""
        return self._moving_seconds(self._moved)

    @property
    def iteration_seconds(self) -> float:
        """Wall-clock of an iteration: computing or disk, whichever takes longer."""
        return self._iteration_seconds(self._moved)

    @property
    def seconds(self) -> float:
        """Wall-clock that is left, without measuring."""
        delayed = min(self.iterations, max(0, self.averaging_delay - self.iterations_done))
        return delayed * self._delayed_seconds + (self.iterations - delayed) * self.iteration_seconds

    def fitting(self, seconds: float) -> int:
        """How many iterations fit into so many seconds; one at least if none is done yet."""
        delayed = max(0, self.averaging_delay - self.iterations_done)
        found = seconds / self._delayed_seconds
        if found > delayed:
            found = delayed + (seconds - delayed * self._delayed_seconds) / self.iteration_seconds
        return max(int(found), int(not self.iterations_done))

    @property
    def _delayed_seconds(self) -> float:
        """Wall-clock of an iteration while there is no average."""
        return self._iteration_seconds(self.delayed_read_bytes + self.delayed_written_bytes)

    def _iteration_seconds(self, moved: int) -> float:
        return max(self._computing_seconds(moved), self._moving_seconds(moved))

    def _work_seconds(self, moved: int) -> float:
        return self.core_seconds + self.core_seconds_per_gb * moved / 1e9

    def _computing_seconds(self, moved: int) -> float:
        return self._work_seconds(moved) * crowding(self.cores) / (self.nodes * self.cores)

    def _moving_seconds(self, moved: int) -> float:
        return moved / (self.nodes * self.disk_gbs * 1e9)

    def facts(self) -> dict[str, Any]:
        """All numbers by name."""
        return asdict(self) | {"iteration_seconds": self.iteration_seconds, "seconds": self.seconds}

    def __str__(self) -> str:
        where, least, delayed = "in memory", "", ""
        if self.disk_bytes:
            free = "the folder for them is not there"
            if self.available_disk_bytes is not None:
                free = f"{_size(self.available_disk_bytes)} are free here"
            where = f"{_size(self.disk_bytes)} at most, {free}"
            least = f", at least {_size(self.least_bytes)}"
        if self.averaging_delay:
            delayed = (
                f"; {_size(self.delayed_read_bytes)} and {_size(self.delayed_written_bytes)} in the first "
                f"{self.averaging_delay:,}, without averages"
            )
        is_long = self.work_seconds >= 100
        work = (
            f"{digits(self.work_seconds / 3600)} core-hours" if is_long else f"{brief(self.work_seconds)} of one core"
        )
        moving = 1 - self.core_seconds / self.work_seconds
        share = f", {moving:.0%} of it to move tables" if moving >= 0.01 else ""
        cores = "core" if self.nodes * self.cores == 1 else "cores"
        lines = [
            f"game     {self.game}, {self.node_actions:,} node-actions, rows per round "
            + ", ".join(f"{rows:,}" for rows in self.rows),
            f"tables   {_size(self.table_bytes)}: regrets and averages of {_size(self.entry_bytes)} each as "
            f"{self.tables}, and their scales",
            f"memory   {_size(self.memory_bytes)} of a node{least}; {_size(self.available_bytes)} are free here",
            f"disk     {where}",
            f"traffic  {_size(self.read_bytes)} read, {_size(self.written_bytes)} written in an iteration{delayed}; "
            f"{self.disk_gbs:.2g} GB/s of a node's disk",
            f"work     {work} an iteration{share}, by a trial on this machine",
            f"time     {brief(self.iteration_seconds)} an iteration on {self.nodes} x {self.cores} {cores}: "
            f"{brief(self.computing_seconds)} of computing, {brief(self.moving_seconds)} of disk, side by side",
            f"until    about {duration(self.seconds)} for {counted(self.iterations, 'iteration')} ({self.why})",
        ]
        if self.iterations_done:
            lines.append(f"done     {counted(self.iterations_done, 'iteration')} in {duration(self.seconds_done)}")
        if self.without_rivers:
            lines.append("file     leaves the last round out; --no-without-rivers keeps it")
        return "\n".join(lines)


def forecast_lossless(
    settings: Settings, nodes: tuple[int, int] = (1, 1), disk_gbs: float | None = None
) -> LosslessForecast:
    """Forecast a solve, or what is left of one.

    Args:
        settings: with ``lossless``.
        nodes: number of nodes, and cores of each; the first boards are shared among nodes.
        disk_gbs: 10^9 bytes a second of a node's disk, or None to measure the disk here.

    Raises:
        CfrError, OSError: a checkpoint that cannot be read, or whose tables are not there.
    """
    game, header = settings.game, None if settings.resume is None else read(settings.resume)
    folder = folder_of(settings)
    if nodes[0] == 1 and header is not None and not (header.pieces is not None and header.pieces.shares):
        check_is_folder(settings.disk)
        folder = folder if header.pieces is None else found_folder(settings, header)
    rows, tables = rows_of(settings), tables_of(settings)
    sizes = table_sizes(tables.tree, rows)
    node_actions = [r * c * _lines(tables, number) for number, (r, c, _) in enumerate(sizes)]
    is_on_disk = nodes[0] > 1 or is_beyond_memory(settings, header)
    whole = tables.sizes(rows)
    of_disk = footprint(settings) if is_on_disk else None
    resident = whole if of_disk is None else of_disk.staying(memory_of(settings), nodes[0])
    writes_late = nodes[0] == 1 and room_for_two(folder, whole)
    moved = tables.moved(rows, resident, writes_late) if is_on_disk else (0, 0)
    delayed = tables.without("averages").moved(rows, resident, writes_late) if is_on_disk else (0, 0)
    disk = measured_disk(folder.parent)
    done = None if header is None else header.progress
    iterations, why = _iterations(settings)
    iterations = max(0, iterations - (done.iterations if done else 0))
    found = LosslessForecast(
        game.name,
        rows,
        sum(node_actions),
        settings.tables,
        sum(count * number.itemsize for count, number in zip(node_actions, tables.numbers, strict=True)),
        whole,
        memory_of(settings) if is_on_disk else memory_bytes(settings),
        0 if of_disk is None else of_disk.least,
        free_bytes(),
        int(2 * whole if writes_late else (1 + REPLACED) * whole) if is_on_disk else 0,
        room_bytes(folder) if folder.parent.is_dir() else None,
        *moved,
        *delayed,
        settings.averaging_delay,
        sum(node_actions) / node_actions_per_second(settings),
        disk.core_seconds_per_gb,
        iterations,
        why,
        *nodes,
        disk_gbs or disk.gbs,
        leaves_last_out(settings),
        done.seconds if done else 0.0,
        done.iterations if done else 0,
    )
    if settings.minutes is None or found.seconds <= (left := max(0.0, 60 * settings.minutes - found.seconds_done)):
        return found
    return replace(
        found, iterations=min(iterations, found.fitting(left)), why=f"in {counted(settings.minutes, 'minute')}"
    )


def node_actions_per_second(settings: Settings) -> float:
    """Node-actions that a core updates in a second, in the solve's number type, on one late board and all below it."""
    game, (dtype, numbers) = settings.game, number_types(settings)
    first = max(1, game.num_rounds - 2)
    board = _board(game, first)
    live = game.live(board)
    rows = SpotRows(game, board, True, live, river_rows=settings.river_rows)
    lanes = tables_of(settings).tree.lanes
    whole = build_tree(game, lanes)
    per_line = sum(
        count * each.node_actions * (whole.betting.num_lines[r] // whole.betting.num_lines[first])
        for r, (count, each) in enumerate(zip(rows.num_rows, whole.betting.rounds, strict=True))
    )
    lines = min(whole.betting.num_lines[first], max(1, _TRIAL_NODE_ACTIONS // per_line))
    tree = build_tree(game, lanes, first, range(lines))
    boards = enumerate_below(game, rows, np.array(board, np.uint8))
    deal = Deal(tuple(boards), rows.num_rows[first:], 1.0, disjoint=True)
    traversal = Traversal(tree, 1, dtype, table_dtype=numbers[first:])
    regrets, averages = traversal.zeros(deal.num_rows), traversal.zeros(deal.num_rows, sums=True)
    updates = [
        traversal.prepare(deal, regrets, seat, "update", averages=[pair[seat] for pair in averages]) for seat in (0, 1)
    ]
    spent = []
    for iteration in range(1, 4):  # the first touches memory
        begun = time.process_time()
        for update in updates:
            update.run(Visit(0, 1.0, schedule_named(settings.schedule).kept(iteration), seed=iteration))
        spent.append(time.process_time() - begun)
    return per_line * lines / max(min(spent[1:]), 1e-9)


def _iterations(settings: Settings) -> tuple[int, str]:
    usual = PUBLISHED if is_full_holdem(settings.game) and settings.trunk is None else TYPICAL
    if settings.iterations is None or settings.iterations == usual[0]:
        return usual
    return settings.iterations, "as asked for"


def _lines(tables: PieceTables, round_: int) -> int:
    return len(tables.tree.rounds[round_].entry)


def _board(game: Game, round_: int) -> list[int]:
    """A board that stands for as many others as any."""
    flops = first_boards(game)
    board = flops.cards[int(flops.share.argmax())].tolist()
    left = [card for card in game.deck.tolist() if card not in board]
    found: list[int] = board + left[: sum(game.num_board_cards[2 : round_ + 1])]
    return found


def _size(count: int) -> str:
    units = ((1e12, 1e12, "TB"), (1e8, 1e9, "GB"), (1e5, 1e6, "MB"), (0, 1e3, "kB"))  # from so many on
    unit, name = next((unit, name) for least, unit, name in units if count >= least)
    return f"{digits(count / unit)} {name}"
