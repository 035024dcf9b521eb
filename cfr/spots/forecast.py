"""Forecasts of spots: memory and time, before anything is allocated."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import inf

import numpy as np

from cfr.hands.river_rows import RiverRows
from cfr.kernel.schedules import SCHEDULED
from cfr.spots.plan import plan_spot
from cfr.spots.settings import SpotSettings, typical_iterations
from cfr.spots.solver import SpotSolver
from cfr.strategy.spot import Spot
from cfr.system.cores import crowding
from cfr.system.memory import free_bytes
from cfr.system.slow_stop import seconds_to_write, slow_stop
from cfr.system.text import brief, counted

_TRIAL, _TRIAL_BOARDS = 4, 4  # iterations of each board; boards differ up to twofold
_BY_STRENGTH = (64, 0.2)  # of turns, where hands come sooner to less than so many percent: iterations by strength


@dataclass(frozen=True)
class SpotForecast:
    """What a solve of a spot takes.

    Attributes:
        boards: of the last round that are visited in each iteration.
        rows: of the last round at the end: hands on all boards, isomorphic ones once, or strengths.
        tables: their number type.
        memory_bytes: in all, at the peak.
        free_bytes: what there is now.
        seconds_per_iteration: mean, estimated from some boards.
        iterations: to the target, estimated from other spots; or what was asked for.
        without_rivers: whether the file leaves the last round out.
        checkpoint_bytes: of the checkpoint that Ctrl-C or SIGTERM leaves; 0 without a file.
        river_rows: what a row of the last round is when the solve begins.
        goes_on_by_hand: whether rows by strength make way for rows by hand where the target needs that.
    """

    boards: int
    rows: int
    tables: str
    memory_bytes: int
    free_bytes: int
    seconds_per_iteration: float
    iterations: int
    without_rivers: bool
    checkpoint_bytes: int = 0
    river_rows: RiverRows = "hands"
    goes_on_by_hand: bool = False

    @property
    def stop_seconds(self) -> float:
        """Seconds from Ctrl-C or SIGTERM to a whole checkpoint: the iteration under way, and the write."""
        return self.seconds_per_iteration + seconds_to_write(self.checkpoint_bytes)

    def __str__(self) -> str:
        fits = "fits" if self.memory_bytes <= self.free_bytes else "does not fit"
        left_out = "; the file leaves the last round out" if self.without_rivers else ""
        by_strength = ", rivers by strength" + " first" * self.goes_on_by_hand if self.river_rows == "strength" else ""
        return (
            f"forecast: {counted(self.boards, 'board')}, {counted(self.rows, 'row')}{by_strength}; "
            f"{self.memory_bytes / 1e9:.2f} GB of memory with tables of {self.tables}, which {fits} into "
            f"{self.free_bytes / 1e9:.1f} GB; about {brief(self.seconds_per_iteration)} an iteration, "
            f"{counted(self.iterations, 'iteration')}, {brief(self.iterations * self.seconds_per_iteration)}{left_out}"
            f"{slow_stop(self.stop_seconds, self.checkpoint_bytes, 'before the file')}"
        )


def forecast_spot(settings: SpotSettings) -> SpotForecast:
    """Forecast a solve; takes a tenth of a second, most of it on some boards of the last round."""
    spot, threads = settings.spot, settings.threads
    free = free_bytes()
    plan = plan_spot(settings, free)
    size = plan.size
    seconds = seconds_per_iteration(spot, size.boards, threads, plan.river_rows)
    target, iterations, minutes = settings.target_percent, settings.iterations, settings.minutes
    wanted = inf if target is None else typical_iterations(target, spot.game.num_rounds - spot.state.round)
    begun, enough = _BY_STRENGTH
    if plan.goes_on_by_hand and target is not None and target < enough and wanted > begun:
        slow = seconds_per_iteration(spot, size.boards, threads)
        seconds = (begun * seconds + (wanted - begun) * slow) / wanted
    done = min(wanted, iterations or inf, 60 * (minutes or inf) / seconds)
    return SpotForecast(
        boards=size.boards,
        rows=size.rows[-1],
        tables=plan.tables,
        memory_bytes=plan.memory_bytes,
        free_bytes=free,
        seconds_per_iteration=seconds,
        iterations=max(1, int(done)),
        without_rivers=settings.leaves_out(size),
        checkpoint_bytes=0 if settings.out is None else size.table_bytes[plan.tables],
        river_rows=plan.river_rows,
        goes_on_by_hand=plan.goes_on_by_hand,
    )


def seconds_per_iteration(
    spot: Spot,
    boards: int,
    threads: int,
    river_rows: RiverRows = "hands",
    dtype: np.dtype | type = np.float32,
) -> float:
    """From some boards of the last round, on one thread and one line, for all of them.

    ``dtype`` is the number type in which the solve counts: double precision takes several times as long.
    """
    state = spot.state
    while state.round < spot.game.num_rounds - 1:
        state = state.act("c")
    missing = sum(spot.game.num_board_cards) - len(spot.board)
    rest = [card for card in spot.game.deck.tolist() if card not in spot.board]
    rng, ranges, each = np.random.default_rng(0), np.tile(spot.held.astype(float), (2, 1)), []
    for _ in range(_TRIAL_BOARDS if missing else 1):
        board = (*spot.board, *rng.choice(rest, missing, replace=False).tolist())
        each.append(_fastest(SpotSolver(Spot(state, board, ranges), dtype=dtype, river_rows=river_rows)))
    tree = spot.tree(dtype)
    blocks = tree.rounds[-1].stride // tree.lanes
    at_once = min(threads, boards)
    return float(np.mean(each)) * boards * blocks * crowding(at_once) / at_once


def _fastest(solver: SpotSolver) -> float:
    """Seconds of the fastest iteration: others share the processor with other programs."""
    solver.step(SCHEDULED)
    times = []
    for _ in range(_TRIAL):
        started = time.perf_counter()
        solver.step(SCHEDULED)
        times.append(time.perf_counter() - started)
    return min(times)
