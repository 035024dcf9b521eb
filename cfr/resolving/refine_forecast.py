"""The forecast of a refinement: memory, disk and time, before anything is allocated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cfr.game.betting import State
from cfr.kernel.builds import dtype_for
from cfr.kernel.chance import count_below
from cfr.kernel.numbers import TYPES
from cfr.resolving.refine_settings import RefineSettings
from cfr.spots.forecast import seconds_per_iteration
from cfr.spots.memory import spot_size
from cfr.strategy.spot import Spot
from cfr.system.cores import crowding
from cfr.system.errors import BadInputError, CfrError
from cfr.system.memory import free_bytes
from cfr.system.text import counted, duration, size

_OF_BYTES = 0.75  # a spot has regrets and averages of both seats, a re-solve has averages of one
_SHARE = 0.8  # largest share of the free memory that tables may take
_BESIDE = 300_000_000  # bytes of the blueprint that are read
_OUTSIDE = 3  # iterations that the target values and the values of the turns cost
_TRIED = 4  # flops, at most, whose rivers are tried
_OF_ITERATION = 0.85  # of a spot's iteration, which averages both seats' play; a re-solve one's, in six of ten


@dataclass(frozen=True)
class RefineForecast:
    """What a refinement takes.

    Attributes:
        flops: number of different flops.
        subgames: number of solves in all: flops, preflop lines and seats.
        tables: number type of the tables.
        memory_bytes: peak memory of a subgame on the largest flop.
        free_bytes: free memory now.
        at_a_time: number of subgames solved side by side on this machine.
        disk_bytes: bytes of the file, before compression; the log takes as much meanwhile.
        seconds_per_flop: mean seconds of a flop on one core.
        seconds: seconds of all flops on the machine's threads.
    """

    flops: int
    subgames: int
    tables: str
    memory_bytes: int
    free_bytes: int
    at_a_time: int
    disk_bytes: int
    seconds_per_flop: float
    seconds: float

    def __str__(self) -> str:
        fits = "fits" if self.memory_bytes <= self.free_bytes else "does not fit"
        return (
            f"forecast: {counted(self.flops, 'flop')}, {counted(self.subgames, 'subgame')}; "
            f"{self.memory_bytes / 1e9:.2f} GB of memory a subgame with tables of {self.tables}, which {fits} into "
            f"{self.free_bytes / 1e9:.1f} GB, "
            f"{self.at_a_time} at a time; up to {size(self.disk_bytes)} of disk for the log and as much for the "
            f"file; about {duration(self.seconds_per_flop)} a flop and core, {duration(self.seconds)} in all"
        )

    def check(self) -> None:
        """Raise CfrError if a subgame does not fit into memory."""
        if self.memory_bytes > self.free_bytes:
            smaller = "" if self.tables == "int8" else "; tables=int8 takes the least"
            raise CfrError(
                f"a subgame of a flop needs about {self.memory_bytes / 1e9:.1f} GB of memory with tables of "
                f"{self.tables}, {self.free_bytes / 1e9:.1f} GB are free{smaller}"
            )


def forecast_refine(settings: RefineSettings, threads: int) -> RefineForecast:
    """Forecast a refinement in seconds.

    Raises:
        BadInputError: the blueprint takes no line to a flop.
    """
    strategy, boards, free = settings.strategy, list(settings.boards.values()), free_bytes()
    if not boards:
        of = "this sample; say another seed" if settings.adds else strategy.game.name
        raise BadInputError(f"{settings.out}: it has all flops of {of}")
    game, betting = strategy.game, strategy.betting
    counts = [count_below(game, np.array(board, np.uint8)) for board in boards]
    largest = boards[int(np.argmax(counts))]
    subgames = settings.refiner("float32", 1).subgames(largest)
    if not subgames:
        raise BadInputError(f"{strategy.path}: it takes no line to the flop that could be refined; try lines=all")
    entry = betting.entry(1, subgames[0].line)
    spot = _spot(entry, largest)
    river_rows = settings.effort.rows_from(game, entry.round)
    of_spot = spot_size(spot, 1, river_rows)  # with many threads, many subgames are solved side by side

    def needed(tables: str) -> int:
        """Bytes of a flop with tables of a type."""
        whole = of_spot.table_bytes[tables] if tables in TYPES else 2 * of_spot.table_bytes["float32"]
        return int(_OF_BYTES * whole) + of_spot.other_bytes + _BESIDE

    types = settings.table_types
    tables = next((name for name in types if needed(name) <= _SHARE * free), types[-1])
    at_a_time = max(1, min(threads, len(boards) * len(subgames), int(_SHARE * free) // needed(tables)))
    _, turn_rows, *_ = of_spot.rows
    leaves = len(betting.rounds[1].leaves)
    of_row = 2 * betting.rounds[1].node_actions + 16
    kept = 2 * turn_rows * leaves + of_spot.rows[0] * of_row  # bytes of a seat's line
    iterations = (settings.effort.iterations + _OUTSIDE) * len(subgames)
    counts_in = dtype_for(game) if tables not in TYPES else np.float32
    tried = np.unique(np.linspace(0, len(boards) - 1, _TRIED).astype(int)).tolist()
    rates = [
        seconds_per_iteration(_spot(entry, boards[k]), counts[k], 1, river_rows, counts_in) / counts[k] for k in tried
    ]
    of_board = _OF_ITERATION * float(np.mean(rates)) * iterations
    if settings.hours is not None:  # as many as fit, the likeliest, which are the largest
        fitting = int(3600 * settings.hours * threads / (of_board * counts[0] * crowding(threads)))
        boards = boards[: max(1, fitting)]
    seconds = of_board * sum(counts[: len(boards)])
    return RefineForecast(
        flops=len(boards),
        subgames=len(boards) * len(subgames),
        tables=tables,
        memory_bytes=needed(tables),
        free_bytes=free,
        at_a_time=at_a_time,
        disk_bytes=int(kept * len(subgames) * sum(counts[: len(boards)]) / max(counts)) + strategy.path.stat().st_size,
        seconds_per_flop=seconds / len(boards),
        seconds=seconds * crowding(threads) / threads,
    )


def _spot(entry: State, board: tuple[int, ...]) -> Spot:
    """A flop with all hands of both seats."""
    return Spot(entry, board, np.tile(entry.tree.game.live(board).astype(np.float64), (2, 1)))
