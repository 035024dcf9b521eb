"""Forecasts: what a solve will take, said before it begins."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from math import comb

import numpy as np

from cfr.abstraction import checked_buckets
from cfr.deals import sample_boards, sampled_deal
from cfr.errors import CfrError
from cfr.game import Game
from cfr.hands import canonical_hands, collisions
from cfr.traversal import Traversal, layout
from cfr.tree import Tree

Buckets = tuple[int | str, ...] | None
_ABSTRACTION_BYTES = 1_600_000_000  # features of all turn boards and their tables, at the peak
_ABSTRACTION_CORE_SECONDS = 60.0
_TRIAL_BOARDS = 6
_TRIAL_ROWS = 60  # about as many as occur on one board


@dataclass(frozen=True)
class Forecast:
    """What a solve will take.

    Attributes:
        game: its name.
        rows: table rows per round.
        memory_bytes: at the peak.
        disk_bytes: of the strategy file, before compression, and a checkpoint beside it.
        seconds: wall-clock, None where a target or a number of iterations over all boards says when to stop.
        iterations: how many that buys, None where unknown.
        available_bytes: memory that is free now.
    """

    game: str
    rows: tuple[int, ...]
    memory_bytes: int
    disk_bytes: int
    seconds: float | None
    iterations: int | None
    available_bytes: int

    def __str__(self) -> str:
        if self.seconds is not None:
            time_ = f"about {_duration(self.seconds)}"
            time_ += "" if self.iterations is None else f", about {self.iterations:,} iterations"
        else:
            time_ = "until the target is reached" if self.iterations is None else f"of {self.iterations:,} iterations"
        return "\n".join(
            [
                f"game    {self.game}, table rows per round {', '.join(f'{rows:,}' for rows in self.rows)}",
                f"memory  {self.memory_bytes / 1e9:.1f} GB at the peak; {self.available_bytes / 1e9:.1f} GB are free",
                f"disk    at most {self.disk_bytes / 1e9:.1f} GB",
                f"time    {time_}",
            ]
        )


def make_forecast(
    game: Game,
    buckets: Buckets,
    iterations: int | None,
    minutes: float | None,
    threads: int,
    seed: int,
    num_tables: int = 2,
) -> Forecast:
    """Forecast a solve that keeps ``num_tables`` tables (regrets, average, ...) in memory.

    The time of sampled iterations comes from a short trial on this machine.
    """
    rows = num_rows(game, buckets)
    tree = layout(game)
    seconds = None if minutes is None else 60 * minutes
    if buckets is not None:
        setup = _ABSTRACTION_CORE_SECONDS / min(threads, 2)
        per_iteration = _trial(game, threads, seed)
        if iterations is None and seconds is not None:
            iterations = int(max(0.0, seconds - setup) / per_iteration)
        elif iterations is not None and seconds is None:
            seconds = setup + iterations * per_iteration
    memory = _memory_bytes(tree, rows, buckets, threads, num_tables)
    disk = sum(r * c * n for r, c, n in _table_sizes(tree, rows)) + _table_bytes(tree, rows, num_tables)
    return Forecast(game.name, rows, memory, disk, seconds, iterations, _available_bytes())


def check_memory(game: Game, buckets: Buckets, threads: int, num_tables: int = 2) -> None:
    """Refuse what cannot fit; raises CfrError before anything is allocated."""
    if buckets is None and sum(game.num_board_cards) > 4 and game.num_hole_cards == 2:
        boards = comb(len(game.deck), sum(game.num_board_cards))
        raise CfrError(f"{game.name} is too large to solve without buckets: {boards:,} boards, {game.num_hands} hands")
    needed = _memory_bytes(layout(game), num_rows(game, buckets), buckets, threads, num_tables)
    free = _available_bytes()
    if needed > free:
        raise CfrError(
            f"{game.name} needs about {needed / 1e9:.1f} GB of memory, {free / 1e9:.1f} GB are free; use fewer buckets"
        )


def num_rows(game: Game, buckets: Buckets) -> tuple[int, ...]:
    """Table rows of each round: buckets, or canonical hands where there are none."""
    groups = (game.num_hole_cards, *game.num_board_cards[1:])
    hands = canonical_hands(groups, game.num_ranks, game.num_suits)
    if buckets is None:
        return tuple(hands)
    numbers = checked_buckets(game, buckets)
    return (hands[0], *(h if b is None else b for b, h in zip(numbers, hands[1:], strict=True)))


def _table_sizes(tree: Tree, rows: tuple[int, ...]) -> list[tuple[int, int, int]]:
    return [(n, sum(r.table_columns), r.stride) for n, r in zip(rows, tree.rounds, strict=True)]


def _table_bytes(tree: Tree, rows: tuple[int, ...], num_tables: int) -> int:
    """In float32."""
    return sum(4 * num_tables * n * columns * stride for n, columns, stride in _table_sizes(tree, rows))


def _memory_bytes(tree: Tree, rows: tuple[int, ...], buckets: Buckets, threads: int, num_tables: int) -> int:
    working = _table_bytes(tree, rows, num_tables) + 60_000_000 * threads + 150_000_000
    return working if buckets is None else max(working, _ABSTRACTION_BYTES)


def _trial(game: Game, threads: int, seed: int) -> float:
    """Seconds per sampled iteration, from a few boards on small tables with hands in rows at random."""
    traversal = Traversal(layout(game), threads)
    rng = np.random.default_rng(seed)
    deal = sampled_deal(game, TrialRows(game, rng), sample_boards(game, _TRIAL_BOARDS, rng), threads)
    regrets, averages = (traversal.zeros(deal.num_rows) for _ in range(2))
    times = []
    for root in range(_TRIAL_BOARDS):
        begun = time.perf_counter()
        for seat in (0, 1):
            sums = [tables[seat] for tables in averages]
            traversal.run(deal, regrets, seat, "update", averages=sums, root=root)
        times.append(time.perf_counter() - begun)
    return float(np.median(times))


class TrialRows:
    """Rows for a trial: every hand in some row, nothing computed."""

    def __init__(self, game: Game, rng: np.random.Generator) -> None:
        self.game = game
        self.num_rows = (game.num_hands, *([_TRIAL_ROWS] * (game.num_rounds - 1)))
        self._rows = [rng.integers(rows, size=game.num_hands, dtype=np.int32) for rows in self.num_rows]

    def rows(self, round_index: int, boards: np.ndarray, threads: int = 1) -> np.ndarray:
        return np.where(collisions(boards, self.game.hands), -1, self._rows[round_index][None, :]).astype(np.int32)


def _available_bytes() -> int:
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"
