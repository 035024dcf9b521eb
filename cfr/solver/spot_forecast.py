"""Forecasts of spots: memory and time, before anything is allocated."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import inf

import numpy as np

from cfr.hands.isomorphism import collisions
from cfr.kernel.chance import Dealt, boards_below
from cfr.kernel.schedules import SCHEDULED
from cfr.strategy.spot import Spot
from cfr.subgame.spot_memory import rows_of, spot_bytes, tables_bytes
from cfr.subgame.spot_solver import SpotSolver
from cfr.system.memory import free_bytes

_TYPICAL = (0.1, 75, 1.7)  # percent of the pot, iterations, and how steeply they rise; docs/spots.md
_TRIAL = 4  # iterations


@dataclass(frozen=True)
class SpotForecast:
    """What a solve of a spot takes.

    Attributes:
        boards: of the last round that are visited in each iteration.
        rows: hands on all boards of the last round, isomorphic ones once.
        bytes_of_tables: regrets and averages.
        memory_bytes: in all, at the peak.
        free_bytes: what there is now.
        seconds_per_iteration: estimated from one board.
        iterations: to the target, estimated from other spots; or what was asked for.
    """

    boards: int
    rows: int
    bytes_of_tables: int
    memory_bytes: int
    free_bytes: int
    seconds_per_iteration: float
    iterations: int

    def __str__(self) -> str:
        fits = "fits" if self.memory_bytes <= self.free_bytes else "does not fit"
        return (
            f"forecast: {self.boards:,} boards, {self.rows:,} rows; {self.memory_bytes / 1e9:.2f} GB of memory "
            f"({self.bytes_of_tables / 1e9:.2f} GB of tables), which {fits} into {self.free_bytes / 1e9:.1f} GB; about "
            f"{1000 * self.seconds_per_iteration:.3g} ms an iteration, {self.iterations:,} iterations, "
            f"{self.iterations * self.seconds_per_iteration:.3g} s"
        )


def forecast_spot(
    spot: Spot, threads: int, target_percent: float | None, iterations: int | None, minutes: float | None
) -> SpotForecast:
    """Forecast a solve; takes some milliseconds, most of them on one board of the last round."""
    levels = boards_below(spot.game, np.array(spot.board, np.uint8), spot.is_symmetric)
    seconds = _seconds_per_iteration(spot, levels, threads)
    percent, usual, steepness = _TYPICAL
    wanted = inf if target_percent is None else usual * (percent / target_percent) ** (1 / steepness)
    done = min(wanted, iterations or inf, 60 * (minutes or inf) / seconds)
    last = spot.game.num_rounds - 1
    return SpotForecast(
        boards=len(levels[-1].cards),
        rows=rows_of(spot, last, levels[-1]),
        bytes_of_tables=tables_bytes(spot, levels),
        memory_bytes=spot_bytes(spot, threads),
        free_bytes=free_bytes(),
        seconds_per_iteration=seconds,
        iterations=max(1, int(done)),
    )


def _seconds_per_iteration(spot: Spot, levels: list[Dealt], threads: int) -> float:
    """From one board of the last round, on one thread and one line, for all of them."""
    state = spot.state
    while state.round < spot.game.num_rounds - 1:
        state = state.act("c")
    board = tuple(levels[-1].cards[0].tolist())
    live = ~collisions(levels[-1].cards[:1], spot.game.hands)[0]
    solver = SpotSolver(Spot(state, board, np.tile(live.astype(float), (2, 1))))
    solver.step(SCHEDULED)
    started = time.perf_counter()
    for _ in range(_TRIAL):
        solver.step(SCHEDULED)
    each = (time.perf_counter() - started) / _TRIAL
    blocks = spot.tree().rounds[-1].stride // solver.tree.lanes
    return each * len(levels[-1].cards) * blocks / min(threads, max(1, len(levels[-1].cards)))
