"""Forecasts: the memory, disk and time of a solve, before it begins."""

from __future__ import annotations

from dataclasses import dataclass

from cfr.abstraction.abstraction import Abstraction
from cfr.game.rules import Game
from cfr.kernel.schedules import schedule_named
from cfr.kernel.traversal import layout
from cfr.solver.checkpoint import Progress, read
from cfr.solver.memory_need import abstraction_bytes, memory_bytes, rows_of, table_bytes, table_sizes
from cfr.solver.preset_strength import StrengthForecast, forecast_strength
from cfr.solver.settings import Settings
from cfr.solver.stopping import seconds_kept, seconds_to_finish
from cfr.solver.target import count_due, seconds_to_measure
from cfr.solver.timing import TRIAL_ITERATIONS, time_iterations
from cfr.system.memory import free_bytes
from cfr.system.slow_stop import seconds_to_write, slow_stop
from cfr.system.text import counted, duration, size

_ABSTRACTION_CORE_SECONDS = 24.0  # of full hold'em: a third of it for clusters, the rest for features and tables


@dataclass(frozen=True)
class Forecast:
    """What a solve will take.

    Attributes:
        game: its name.
        rows: table rows per round.
        memory_bytes: at the peak.
        disk_bytes: of the strategy file, before compression, and of two checkpoints beside it.
        seconds: wall-clock that is left, None where a target or a number of iterations over all boards says when to
            stop.
        iterations: how many are left in that time, None where unknown.
        available_bytes: memory that is free now.
        expected_mbb: exploitability that these iterations of a preset lead to, in mbb/g; None where it is not known.
        expected_error_mbb: how far off that may be, or None.
        seconds_done: spent before a checkpoint that is resumed.
        iterations_done: the same in iterations.
        target_mbb: at what measured exploitability buckets stop before that; None where nothing is measured meanwhile.
        checkpoint_bytes: of the checkpoint that Ctrl-C or SIGTERM leaves.
    """

    game: str
    rows: tuple[int, ...]
    memory_bytes: int
    disk_bytes: int
    seconds: float | None
    iterations: int | None
    available_bytes: int
    expected_mbb: float | None = None
    seconds_done: float = 0.0
    iterations_done: int = 0
    target_mbb: float | None = None
    checkpoint_bytes: int = 0
    expected_error_mbb: float | None = None

    def __str__(self) -> str:
        if 0 in (self.seconds, self.iterations):
            time_ = "none: only the file is left to be written"
        elif self.seconds is not None:
            time_ = f"about {duration(self.seconds)}"
            time_ += "" if self.iterations is None else f", about {counted(self.iterations, 'iteration')}"
        else:
            time_ = "until the target is reached" if self.iterations is None else counted(self.iterations, "iteration")
        if self.target_mbb is not None and self.iterations:
            time_ = f"at most {time_}, or until {self.target_mbb:g} mbb/g are measured on the way"
        lines = [
            f"game    {self.game}, table rows per round {', '.join(f'{rows:,}' for rows in self.rows)}",
            f"memory  {size(self.memory_bytes)} at the peak; {size(self.available_bytes)} are free",
            f"disk    at most {size(self.disk_bytes)}",
            f"time    {time_}",
        ]
        if self.iterations_done:
            done = f"{counted(self.iterations_done, 'iteration')} in {duration(self.seconds_done)}"
            lines[-1:] = [f"done    {done}", f"left    {time_}"]
        if slow := slow_stop(seconds_to_write(self.checkpoint_bytes), self.checkpoint_bytes):
            lines.append(f"stop    {slow.removeprefix('; ')}")
        if self.expected_mbb is not None and self.expected_error_mbb is not None:
            strength = StrengthForecast(self.expected_mbb, self.expected_error_mbb)
            lines.append(
                f"result  {strength} exploitable, by this machine's iterations: a forecast; cfr exploit measures"
            )
        return "\n".join(lines)


def make_forecast(settings: Settings, progress: bool = False) -> Forecast:
    """Memory, disk and time that a solve will take; of a resumed one, what is left.

    The time of sampled iterations comes from a short trial on this machine; ``progress`` shows its bar on stderr. A
    solve that memory does not hold, or that has fewer iterations than the trial, is not timed.

    Raises:
        CfrError, OSError: a checkpoint that cannot be read.
    """
    game, buckets = settings.game, settings.buckets
    rows, tables_bytes = rows_of(settings), table_bytes(settings)
    done = Progress(0, 0.0) if settings.resume is None else read(settings.resume).progress
    iterations = None if settings.iterations is None else max(0, settings.iterations - done.iterations)
    seconds = None if settings.minutes is None else max(0.0, 60 * settings.minutes - done.seconds)
    measuring = 0.0 if buckets is None or settings.target_mbb is None else seconds_to_measure(settings)
    if buckets is not None and _is_worth_a_trial(settings):
        kept = Abstraction.is_kept(game, buckets, seed=settings.seed)
        setup = 0.0 if kept else _abstraction_core_seconds(game) / min(settings.threads, 2)
        responds = schedule_named(settings.schedule).responds
        warm_up = settings.warm_up if responds else 1.0
        plain, responding = time_iterations(settings, rows, responds, progress)
        work = _Work(setup, plain, responding, measuring, warm_up)
        found = []
        if settings.iterations is not None:
            found.append(_by_iterations(settings.iterations, work, done))
        if settings.minutes is not None:
            found.append(_by_minutes(settings, settings.minutes, work, done, tables_bytes))
        iterations, seconds = min(found)  # the limit that is met first
    # The checkpoint before stays until the next one is whole.
    entries = sum(r * c * n for r, c, n in table_sizes(layout(game), rows))
    disk = settings.stored_type.itemsize * entries + 2 * tables_bytes
    expected = None if iterations is None else forecast_strength(settings, done.iterations + iterations)
    return Forecast(
        game.name,
        rows,
        memory_bytes(settings),
        disk,
        seconds,
        iterations,
        free_bytes(),
        None if expected is None else expected.exploitability_mbb,
        done.seconds,
        done.iterations,
        settings.target_mbb if buckets is not None else None,
        tables_bytes,
        None if expected is None else expected.error_mbb,
    )


@dataclass(frozen=True)
class _Work:
    """Seconds of a solve with buckets: before the first iteration, of one by CFR+, of a later one, of a measurement.

    ``warm_up`` is the share that is CFR+'s.
    """

    setup: float
    plain: float
    responding: float
    measuring: float
    warm_up: float


def _by_iterations(limit: int, work: _Work, done: Progress) -> tuple[int, float]:
    """Iterations, and seconds, that are left of so many iterations."""
    left = max(0, limit - done.iterations)
    warm = min(left, _warm_up_left(limit * work.warm_up, done.iterations, done))
    seconds = work.setup * bool(left) + warm * work.plain + (left - warm) * work.responding
    return left, seconds + _measurements(left, work, done) * work.measuring


def _by_minutes(settings: Settings, limit: float, work: _Work, done: Progress, tables_bytes: int) -> tuple[int, float]:
    """Iterations, and seconds, that are left of so many minutes."""
    seconds, kept = max(0.0, 60 * limit - done.seconds), 0.0  # a target ends with a measurement, which counts below
    if settings.target_mbb is None:
        kept = seconds_kept(settings, tables_bytes)
        seconds += seconds_to_finish(settings, tables_bytes) - kept
    whole = 60 * limit - work.setup - kept
    left = max(0.0, whole - done.seconds)
    warm = min(left, _warm_up_left(whole * work.warm_up, done.seconds, done))
    iterations = int(warm / work.plain + (left - warm) / work.responding)
    lost = _measurements(iterations, work, done) * work.measuring / work.responding
    # A solve that has just begun does one at least.
    return max(int(iterations - lost), int(not done.iterations)), seconds


def _measurements(iterations: int, work: _Work, done: Progress) -> int:
    """How many there are in so many iterations, the last at the end; 0 if nothing is measured."""
    return (1 + count_due(done.iterations, done.iterations + iterations)) * bool(work.measuring)


def _abstraction_core_seconds(game: Game) -> float:
    share = abstraction_bytes(game) / abstraction_bytes(Game.bundled("hulhe"))
    return _ABSTRACTION_CORE_SECONDS * (1 + 2 * share) / 3


def _is_worth_a_trial(settings: Settings) -> bool:
    """Whether the solve can be made, and takes longer than a trial of it."""
    if settings.iterations is not None and settings.iterations <= TRIAL_ITERATIONS:
        return False
    return memory_bytes(settings) <= free_bytes()


def _warm_up_left(whole: float, spent: float, done: Progress) -> float:
    return 0.0 if done.responding_since is not None else max(0.0, whole - spent)
