"""Solving a spot: the loop, when it stops, and what it writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import inf
from pathlib import Path

from tqdm import tqdm

from cfr.game.cards import format_cards
from cfr.game.spot_words import acting_seat, mix_words, pot_words
from cfr.hands.river_rows import RiverRows
from cfr.kernel.schedules import schedule_named
from cfr.spots import checkpoint
from cfr.spots.checkpoint import SpotProgress
from cfr.spots.plan import plan_that_fits
from cfr.spots.river_floor import STEEPNESS, Measured, RiverFloor
from cfr.spots.settings import SpotSettings
from cfr.spots.solver import SpotMeasurement, SpotSolver
from cfr.strategy.files.spot_file import SpotStrategy
from cfr.strategy.files.table_archive import path_for
from cfr.system.clock import Clock
from cfr.system.errors import Interrupted
from cfr.system.interrupts import Interrupts
from cfr.system.text import counted, digits, signed, taken
from cfr.system.version import VERSION

Watch = Callable[[int, float | None], object]
_FIRST_MEASURED = 16  # iterations


@dataclass(frozen=True, kw_only=True)
class SpotResult:
    """A solved spot; the strategy is measured as it is stored, by exact best response over all boards.

    Attributes:
        strategy: the solution, in memory.
        file: where it was written; None if it was not.
        board, line: the spot.
        iterations, seconds: done in all, and how long they took.
        exploitability_percent_of_pot: the mean over both seats of the best response's gain, in percent of the pot.
        exploitability_mbb: the same, in mbb per hand that gets to the spot.
        value_button_mbb, value_big_blind_mbb: what each seat wins in the whole hand when both play the strategy.
        frequencies: of the actions of the range that is to act, by name; illegal ones are absent.
        river_rows: what a row of the last round is in the solution: a hand or a strength.
        target_percent: what was asked for, if anything was.
    """

    strategy: SpotStrategy
    file: str | None
    board: str
    line: str
    iterations: int
    seconds: float
    exploitability_percent_of_pot: float
    exploitability_mbb: float
    value_button_mbb: float
    value_big_blind_mbb: float
    frequencies: dict[str, float]
    river_rows: RiverRows = "hands"
    target_percent: float | None = None

    def __str__(self) -> str:
        spot = self.strategy.spot_
        locked = self.strategy.attributes.get("locks")
        actor = acting_seat(spot.state)
        missed = ""
        if self.target_percent is not None and self.exploitability_percent_of_pot > self.target_percent:
            missed = f"; the target of {self.target_percent:g} % was not reached"
            if self.river_rows == "strength":
                missed += ", --river-rows hands has no floor"
        rivers = "hand" if self.river_rows == "hands" else self.river_rows
        lines = [
            f"{self.board} {self.line}: {pot_words(spot.state)}, the {actor} is to act",
            f"{counted(self.iterations, 'iteration')} in {taken(self.seconds)}, rivers by {rivers}; exploitability "
            f"{digits(self.exploitability_percent_of_pot)} % of the pot, {digits(self.exploitability_mbb)} mbb per "
            f"hand that gets here (best response, all boards){missed}",
            f"the button wins {signed(self.value_button_mbb)} mbb, "
            f"the big blind {signed(self.value_big_blind_mbb)} mbb",
            f"the {actor}'s range: " + mix_words(spot.state, self.frequencies),
        ]
        if locked:
            lines.insert(1, f"locked: {locked}; exploitability is by best responses that keep to the locks")
        if self.file is not None:
            lines.append(f"wrote {self.file}")
        return "\n".join(lines)


def solve_spot(settings: SpotSettings, progress: bool = False, watch: Watch | None = None) -> SpotResult:
    """Solve a spot without buckets; the same bits at any number of threads.

    On Ctrl-C, and every ten minutes, a checkpoint is written beside the file; ``settings.resume`` continues it to the
    same bits. On Ctrl-C the best so far is written, too. ``progress`` shows a bar on stderr. ``watch`` hears after each
    iteration how many are done, and the exploitability in percent of the pot when it was measured last; what it raises
    ends the solve, and nothing is kept.

    Raises:
        CfrError: too little memory, or a file that cannot be written, in one line.
        Interrupted: Ctrl-C; the message says what was kept.
    """
    spot = settings.spot
    kept = None
    if settings.resume is not None:
        kept = checkpoint.read(settings.resume)
        kept.check(settings.resume, spot, settings.locks, settings.schedule)
    plan = plan_that_fits(settings)
    clock = Clock(0.0 if kept is None else kept.seconds)
    rivers = plan.river_rows if kept is None else kept.river_rows
    solver = SpotSolver(spot, settings.threads, settings.locks, tables=plan.tables, river_rows=rivers)
    if kept is None:
        state = _State(solver, plan.goes_on_by_hand)
    else:
        assert settings.resume is not None
        checkpoint.load(settings.resume, solver.tree, solver.tables)
        solver.iterations = kept.iterations
        state = _State(solver, kept.goes_on_by_hand, kept.measure_at, RiverFloor(kept.measured))
    stopped = _iterate(settings, state, clock, progress, watch)
    # First, since whoever sends SIGTERM may not wait for the file.
    path = _save_checkpoint(settings, state, clock) if stopped and settings.out is not None else None
    solver = state.solver
    result = _finish(settings, solver, clock.seconds, settings.leaves_out(plan.size))
    if stopped:
        left = "; nothing is kept without a file to write"
        if path is not None:
            left = f"; {settings.out} has the best so far, continue with: cfr spot --resume {path}"
        raise Interrupted(
            f"stopped after {counted(solver.iterations, 'iteration')} at "
            f"{digits(result.exploitability_percent_of_pot)} % of the pot{left}"
        )
    if settings.out is not None:
        path_for(settings.out).unlink(missing_ok=True)
    return result


@dataclass
class _State:
    """A solve under way.

    Attributes:
        solver: its tables.
        goes_on_by_hand: whether rows by strength make way for rows by hand where the target needs that.
        measure_at: after how many iterations to measure next.
        floor: what rows by strength leave.
    """

    solver: SpotSolver
    goes_on_by_hand: bool = False
    measure_at: int = _FIRST_MEASURED
    floor: RiverFloor = field(default_factory=RiverFloor)

    @property
    def is_by_strength(self) -> bool:
        return self.solver.rows.river_rows == "strength"

    def measure(self, pot: int, target: float | None) -> float:
        """The exploitability in percent of the pot; goes on by hand if that comes to the target sooner."""
        solver = self.solver
        percent = 100 * solver.exploitability() / pot
        self.measure_at = _next_measured(solver.iterations, percent, target)
        if target is not None and self.is_by_strength:
            self.floor.add(Measured(solver.iterations, percent))
            if self.goes_on_by_hand and percent > target and self.floor.slows(target):
                self.solver = solver.by_hand()
        return percent

    def is_at_floor(self, target: float) -> bool:
        """Whether the solve stays by strength and has its target below the floor."""
        return self.is_by_strength and not self.goes_on_by_hand and self.floor.ends(target)


def _iterate(settings: SpotSettings, state: _State, clock: Clock, progress: bool, watch: Watch | None) -> bool:
    """Iterate until a limit is met; whether Ctrl-C ended it."""
    schedule, pot = schedule_named(settings.schedule), settings.spot.pot
    most = settings.iterations or inf
    target, done = settings.target_percent, state.solver.iterations
    state.measure_at = int(min(max(state.measure_at, done), most))
    clock.begin()
    wants_measure = target is not None or progress
    percent = None
    with (
        Interrupts() as interrupts,
        tqdm(
            desc="solving",
            total=settings.iterations,
            initial=done,
            unit="iterations",
            disable=not progress,
            mininterval=0.2,
        ) as bar,
    ):
        while not interrupts.came and done < most and (clock.seconds < 60 * (settings.minutes or inf) or not done):
            state.solver.step(schedule)
            done = state.solver.iterations
            bar.update()
            if wants_measure and done >= state.measure_at:
                percent = state.measure(pot, target)
                bar.set_postfix_str(f"{digits(percent)} % of the pot")
            if watch is not None:
                watch(done, percent)
            if percent is not None and target is not None and (percent <= target or state.is_at_floor(target)):
                break
            if settings.out is not None:
                clock.save_if_due(lambda: _save_checkpoint(settings, state, clock))
        return interrupts.came


def _next_measured(iterations: int, percent: float, target: float | None) -> int:
    """When a measurement may find the target reached: it costs as much as some iterations."""
    if target is None:
        return 2 * iterations
    # Rounding may leave less than 0, where locks leave nothing to solve.
    wanted = iterations * (max(percent, 0.0) / target) ** (1 / STEEPNESS)
    soon = max(2, iterations // 16)
    return int(min(max(wanted, iterations + soon), 2 * iterations))


def _save_checkpoint(settings: SpotSettings, state: _State, clock: Clock) -> Path:
    assert settings.out is not None
    solver = state.solver
    path = path_for(settings.out)
    kept = SpotProgress(
        settings.spot,
        settings.locks,
        settings.schedule,
        solver.table_type,
        solver.iterations,
        clock.seconds,
        settings.strategy,
        settings.without_rivers,
        state.measure_at,
        solver.rows.river_rows,
        state.goes_on_by_hand,
        state.floor.last,
    )
    checkpoint.save(path, kept, solver.tree, solver.tables)
    return path


def _finish(settings: SpotSettings, solver: SpotSolver, seconds: float, without_last: bool) -> SpotResult:
    """Round the average strategy as it is stored, measure it, and write the file."""
    spot = settings.spot
    strategy, measured = solver.stored(without_last)
    rivers = solver.rows.river_rows
    result = _result(settings, strategy, measured, solver.iterations, seconds, rivers)
    strategy.attributes |= {
        "cfr_version": VERSION,
        "created": datetime.now(UTC).strftime("%Y-%m-%d"),
        "algorithm": f"{schedule_named(settings.schedule).title}, all boards below {spot}",
        "schedule": settings.schedule,
        "board": result.board,
        "line": result.line,
        "pot": spot.pot,
        "iterations": solver.iterations,
        "seconds": round(seconds, 3),
        "threads": settings.threads,
        "tables": solver.table_type,
        "river_rows": rivers,
        "exploitability_percent_of_pot": result.exploitability_percent_of_pot,
        "exploitability_mbb": result.exploitability_mbb,
        "value_button_mbb": result.value_button_mbb,
        "value_big_blind_mbb": result.value_big_blind_mbb,
    }
    if settings.locks:
        strategy.attributes["locks"] = ", ".join(repr(lock.state.line_string) for lock in settings.locks)
    if settings.out is not None:
        strategy.save(settings.out)
    return replace(result, file=None if settings.out is None else str(settings.out))


def _result(
    settings: SpotSettings,
    strategy: SpotStrategy,
    measured: SpotMeasurement,
    iterations: int,
    seconds: float,
    rivers: RiverRows,
) -> SpotResult:
    spot = settings.spot
    to_mbb = spot.game.mbb
    button = spot.game.button
    exploitability = max(measured.exploitability, 0.0)  # rounding may leave a solved spot just below
    return SpotResult(
        strategy=strategy,
        file=None,
        board=format_cards(spot.board),
        line=spot.state.line_string,
        iterations=iterations,
        seconds=seconds,
        exploitability_percent_of_pot=100 * exploitability / spot.pot,
        exploitability_mbb=exploitability * to_mbb,
        value_button_mbb=measured.self_play[button] * to_mbb,
        value_big_blind_mbb=measured.self_play[1 - button] * to_mbb,
        frequencies=strategy.first_frequencies,
        river_rows=rivers,
        target_percent=settings.target_percent,
    )
