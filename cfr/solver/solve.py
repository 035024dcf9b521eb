"""Solve a game by counterfactual regret minimisation: chance enumerated where the game fits, sampled where it does not.

The solver traverses lossless games whole, seats alternating, by any of the schedules (cfr/kernel/schedules.py). CFR+
solves bucketed hold'em and samples one public board per iteration (public chance sampling, Johanson et al. 2012): real
hands on a real board, whose regrets are summed per bucket and clamped once per visit. CFR-BR (Johanson, Bard, Burch and
Bowling 2012) goes on from there: each seat's strategy meets an opponent whose every hand plays a best response on the
sampled river, and so learns to be hard to beat in the real game and not only among buckets. The same seed and
iterations give the same file at any number of threads.

This module goes from the settings to the file; ``loop`` iterates, ``game_solver`` has the tables and a single step.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from cfr.abstraction.abstraction import Abstraction
from cfr.exploit.by_flop import how_sure
from cfr.kernel.tree import ROWS_AT_A_TIME
from cfr.solver import checkpoint
from cfr.solver.claim import claim
from cfr.solver.game_solver import GameSolver, Solution
from cfr.solver.loop import Loop, Target
from cfr.solver.memory_need import check_memory
from cfr.solver.piece_deals import PREFIX
from cfr.solver.piece_plan import PiecePlan, folder_of, is_beyond_memory, leaves_last_out, make_plan
from cfr.solver.piecewise_solver import PiecewiseSolver
from cfr.solver.settings import Settings
from cfr.solver.strength import StrengthForecast, forecast_strength
from cfr.solver.target import EnumeratedTarget, SampledTarget
from cfr.strategy.file import RoundRows, open_file, save
from cfr.system.block_files import remove_folder
from cfr.system.errors import Interrupted
from cfr.system.file_lock import Lock
from cfr.system.version import VERSION

WORTH_KEEPING = 1.1  # how much worse rounding to 255ths may make a strategy


@dataclass(frozen=True)
class SolveResult:
    """What a solve did.

    Attributes:
        seconds: wall-clock time, all included but interruptions.
        exploitability_mbb: of what is stored, by best response over all boards, in mbb/g; with buckets on a sample of
            flops and only where there was a target, else None.
        strategy: which one is stored: the average over all iterations, or the current one of the last.
        stored_exploitability_mbb: the same for the probabilities in the file, which are rounded to 1/255; None with
            buckets.
        self_play_button_mbb: what the seat that acts last after the first round wins when both play what is stored,
            within ``stored_exploitability_mbb`` of the game's value; None with buckets.
        target_mbb: what ``exploitability_mbb`` was to be, or None.
        standard_error_mbb: of ``exploitability_mbb`` with buckets, else None.
        flops: how many that was measured on with buckets, else None.
        expected: a forecast of the exploitability of buckets that nobody measured, where one is known.
    """

    file: str
    game: str
    iterations: int
    seconds: float
    seed: int
    threads: int
    exploitability_mbb: float | None = None
    strategy: Solution = "average"
    stored_exploitability_mbb: float | None = None
    self_play_button_mbb: float | None = None
    target_mbb: float | None = None
    standard_error_mbb: float | None = None
    flops: int | None = None
    expected: StrengthForecast | None = None

    def __str__(self) -> str:
        measured = missed = ""
        if self.target_mbb is not None and (self.exploitability_mbb or 0.0) > self.target_mbb:
            missed = f"; the target of {self.target_mbb:g} mbb/g was not reached"
        if self.standard_error_mbb is not None and self.flops is not None:
            measured = (
                f"; the best strategy on the way is in the file, exploitability {self.exploitability_mbb:.1f} mbb/g "
                f"{how_sure(False, self.standard_error_mbb, self.flops)}"
            )
        elif self.exploitability_mbb is not None:
            measured = (
                f", exploitability {self.exploitability_mbb:.3g} mbb/g of the {self.strategy} strategy, "
                f"{self.stored_exploitability_mbb:.3g} mbb/g as rounded in the file (best response, all boards)"
            )
        if self.expected is not None:
            measured = f"\n{self.expected} exploitable, a forecast; measure by: cfr exploit {self.file}"
        return (
            f"{self.file}: {self.game}, {self.iterations:,} iterations in {self.seconds:.0f} s "
            f"with {self.threads} threads, seed {self.seed}{measured}{missed}"
        )


def solve(settings: Settings, progress: bool = False, announce: Callable[[], object] | None = None) -> SolveResult:
    """Solve a game and write the strategy file.

    Every ten minutes, or as seldom as keeps it to 2 % of the time, and on Ctrl-C, a checkpoint is written beside the
    file; ``settings.resume`` continues it to the same bits.

    While it runs, no other solve can write the same file; an earlier file or checkpoint stays unless
    ``settings.overwrite`` or ``settings.resume`` says otherwise.

    Args:
        settings: what to solve, how, and for how long.
        progress: show bars on stderr.
        announce: called when the solve is known to fit and its clock has not started yet; a place for the forecast.

    Raises:
        CfrError: what cannot be solved here or written there, in one line.
        Interrupted: Ctrl-C; the message names the checkpoint that continues it.
    """
    with claim(settings):
        header = None if settings.resume is None else checkpoint.read(settings.resume)
        plan = None
        if is_beyond_memory(settings, header):
            plan = make_plan(settings, None if header is None or header.pieces is None else header.pieces.bounds)
        else:
            check_memory(settings)
        if announce is not None:
            announce()
        with ExitStack() as open_:
            if plan is not None:
                open_.enter_context(Lock(plan.folder, "cfr solve"))
            if header is None:  # nothing is left of an earlier solve that --overwrite ends
                checkpoint.path_for(settings.out).unlink(missing_ok=True)
                remove_folder(folder_of(settings), (PREFIX,))
            return _solve(settings, progress, plan, header, open_)


def _solve(
    settings: Settings, progress: bool, plan: PiecePlan | None, header: checkpoint.Header | None, open_: ExitStack
) -> SolveResult:
    started = time.monotonic()
    if settings.buckets is None:
        abstraction = Abstraction.lossless(settings.game)
    else:
        abstraction = Abstraction.build(
            settings.game, settings.buckets, seed=settings.seed, threads=settings.threads, progress=progress
        )
    solver: GameSolver | PiecewiseSolver
    if plan is None:
        solver = GameSolver(settings, abstraction, progress)
    else:
        solver = open_.enter_context(PiecewiseSolver(settings, abstraction, plan, header))
    started -= solver.seconds_before

    def write(path: Path) -> None:
        rounds = [solver.stored_round(r) for r in range(settings.game.num_rounds)]
        _write(path, solver, rounds, time.monotonic() - started)

    target: Target | None = None
    if settings.target_mbb is not None and solver.is_enumerated:
        target = EnumeratedTarget(settings.target_mbb, solver)
    elif settings.target_mbb is not None and isinstance(solver, GameSolver):
        target = SampledTarget(settings, solver, write, progress)
    Loop(settings, solver, target, started, progress).run()
    solution: Solution = "average"
    measured: dict[str, Any] = {}
    if settings.lossless:
        solution, measured = _end_lossless(settings, solver, started)
    elif isinstance(solver, GameSolver) and solver.is_enumerated:
        before = solver.measure()
        solution = before.strategy
        fine = [_in_memory(solver.stored_round(r, solution)) for r in range(settings.game.num_rounds)]
        rounds = [replace(each, read_remainders=None) for each in fine]
        measured["exploitability_mbb"] = before.exploitability_mbb
        stored = solver.measure_stored(rounds)
        if (
            stored.exploitability > _most_when_rounded(settings, before.exploitability_mbb)
            and settings.keeps_remainders
        ):
            rounds = fine
            stored = solver.measure_stored(rounds)
        measured["stored_exploitability_mbb"] = stored.exploitability
        measured["self_play_button_mbb"] = stored.self_play[1]
        _write(settings.out, solver, rounds, time.monotonic() - started, solution, **measured)
    elif target is None:
        with _resumable(solver, started) if settings.compact else nullcontext():
            write(settings.out)
    else:  # the best is there already
        with open_file(settings.out) as file:
            measured["exploitability_mbb"] = float(file.attrs["exploitability_mbb"])
            measured["standard_error_mbb"] = float(file.attrs["exploitability_standard_error_mbb"])
            measured["flops"] = int(file.attrs["exploitability_flops"])
    checkpoint.path_for(settings.out).unlink(missing_ok=True)
    if plan is not None:
        remove_folder(plan.folder, (PREFIX,))
    return SolveResult(
        str(settings.out),
        settings.game.name,
        solver.iterations,
        time.monotonic() - started,
        settings.seed,
        settings.threads,
        strategy=solution,
        target_mbb=settings.target_mbb,
        expected=forecast_strength(settings, solver.iterations),
        **measured,
    )


def _end_lossless(
    settings: Settings, solver: GameSolver | PiecewiseSolver, started: float
) -> tuple[Solution, dict[str, Any]]:
    """:func:`_finish_lossless`, which takes a while beyond memory."""
    if isinstance(solver, GameSolver):
        return _finish_lossless(settings, solver, started)
    with _resumable(solver, started):
        return _finish_lossless(settings, solver, started)


@contextmanager
def _resumable(solver: GameSolver | PiecewiseSolver, started: float) -> Iterator[None]:
    """Write a checkpoint before what takes a while; Ctrl-C then says how to go on."""
    kept = solver.save_checkpoint(time.monotonic() - started)
    try:
        yield
    except KeyboardInterrupt:
        done = f"stopped after {solver.iterations:,} iterations, before the file was written"
        raise Interrupted(f"{done}; continue with: cfr solve --resume {kept}") from None


def _finish_lossless(
    settings: Settings, solver: GameSolver | PiecewiseSolver, started: float
) -> tuple[Solution, dict[str, Any]]:
    """Measure the better strategy as it is and as stored, and write it without a copy in memory."""
    before = solver.measure()
    without_last = leaves_last_out(settings)
    is_fine = False
    stored = solver.measure_in_parts(before.strategy, is_fine, without_last)
    if stored.exploitability > _most_when_rounded(settings, before.exploitability_mbb):
        is_fine = True
        stored = solver.measure_in_parts(before.strategy, is_fine, without_last)
    rounds = [solver.stored_round(r, before.strategy) for r in range(settings.game.num_rounds - without_last)]
    rounds = rounds if is_fine else [replace(each, read_remainders=None) for each in rounds]
    measured = {
        "exploitability_mbb": before.exploitability_mbb,
        "stored_exploitability_mbb": stored.exploitability,
        "self_play_button_mbb": stored.self_play[1],
    }
    _write(settings.out, solver, rounds, time.monotonic() - started, before.strategy, **measured)
    return before.strategy, measured


def _write(
    path: Path,
    solver: GameSolver | PiecewiseSolver,
    rounds: Sequence[RoundRows],
    seconds: float,
    solution: Solution = "average",
    **measured: float,
) -> None:
    settings, schedule = solver.settings, solver.schedule
    save(
        path,
        settings.game,
        solver.abstraction.arrays(),
        rounds,
        {
            "cfr_version": VERSION,
            "created": datetime.now(UTC).strftime("%Y-%m-%d"),
            "algorithm": f"{schedule.title}, " + ("all boards" if solver.is_enumerated else "public chance sampling"),
            "schedule": schedule.name,
            "strategy": solution,
            "buckets": "lossless" if settings.buckets is None else ",".join(map(str, settings.buckets)),
            "iterations": solver.iterations,
            "seconds": round(seconds, 3),
            "seed": settings.seed,
            "threads": settings.threads,
            "purge": settings.purge,
            "purge_unplayed": settings.purge_unplayed,
            "compact": settings.compact,
            **({} if solver.is_enumerated else {"rivers": settings.rivers, "tables": settings.tables}),
            **({"tables": settings.tables} if settings.lossless else {}),
            **({"without_rivers": True} if len(rounds) < settings.game.num_rounds else {}),
            **({"never": ",".join(settings.never)} if settings.never else {}),
            **({} if solver.responding_since is None else {"warm_up_iterations": solver.responding_since}),
            **measured,
        },
        is_streamed=settings.lossless,
    )


def _most_when_rounded(settings: Settings, mbb: float) -> float:
    """The most mbb/g after rounding, so that a file misses no target that its solve reached."""
    most, target = WORTH_KEEPING * mbb, settings.target_mbb
    return most if target is None or mbb > target else min(most, target)


def _in_memory(rows: RoundRows) -> RoundRows:
    if rows.coded is not None:
        return rows
    table, left = np.empty(rows.shape, np.uint8), np.zeros(rows.shape, np.int8)
    for start in range(0, len(table), ROWS_AT_A_TIME):
        stop = min(start + ROWS_AT_A_TIME, len(table))
        table[start:stop] = rows.read(start, stop)
        if rows.read_remainders is not None:
            left[start:stop] = rows.read_remainders(start, stop)
    return RoundRows.of(table, left)
