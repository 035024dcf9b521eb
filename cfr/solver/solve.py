"""Solve a game by counterfactual regret minimisation: chance enumerated where the game fits, sampled where it does not.

The solver traverses lossless games whole, seats alternating, by any of the schedules (cfr/kernel/schedules.py). CFR+
solves bucketed hold'em and samples one public board per iteration (public chance sampling, Johanson et al. 2012): real
hands on a real board, whose regrets are summed per bucket and clamped once per visit. CFR-BR (Johanson, Bard, Burch and
Bowling 2012) goes on from there: each seat's strategy meets an opponent whose every hand plays a best response on the
sampled river, and so learns to be hard to beat in the real game and not only among buckets. The same seed and
iterations give the same file at any number of threads.

This module has the loop, from the settings to the file; ``state`` has the tables and a single step.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from cfr.abstraction.abstraction import Abstraction
from cfr.exploit.by_flop import how_sure
from cfr.kernel.tree import ROWS_AT_A_TIME
from cfr.solver import checkpoint
from cfr.solver.cfr_br import TOGETHER
from cfr.solver.claim import claim
from cfr.solver.memory_need import check_memory
from cfr.solver.settings import Settings
from cfr.solver.state import Run, Solution
from cfr.solver.target import EnumeratedGoal, Goal, SampledGoal
from cfr.strategy.file import RoundRows, open_file, save
from cfr.system.errors import Interrupted, SaveError
from cfr.system.interrupts import Interrupts
from cfr.system.version import VERSION

CHECKPOINT_SECONDS = 600.0
CHECKPOINT_SHARE = 0.02  # of the time, at most; large tables take half a minute
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
        check_memory(settings)
        if announce is not None:
            announce()
        return _solve(settings, progress)


def _solve(settings: Settings, progress: bool) -> SolveResult:
    started = time.monotonic()
    if settings.buckets is None:
        abstraction = Abstraction.lossless(settings.game)
    else:
        abstraction = Abstraction.build(
            settings.game, settings.buckets, seed=settings.seed, threads=settings.threads, progress=progress
        )
    run = Run(settings, abstraction)
    started -= run.seconds_before

    def write(path: Path) -> None:
        rounds = [run.stored_round(r) for r in range(settings.game.num_rounds)]
        _write(path, run, rounds, time.monotonic() - started)

    goal: Goal | None = None
    if settings.target_mbb is not None and run.is_enumerated:
        goal = EnumeratedGoal(settings.target_mbb, run)
    elif settings.target_mbb is not None:
        goal = SampledGoal(settings, run, write, progress)
    _iterate(settings, run, goal, started, progress)
    solution: Solution = "average"
    measured: dict[str, Any] = {}
    if run.is_enumerated:
        before = run.measure()
        solution = before.strategy
        fine = [_in_memory(run.stored_round(r, solution)) for r in range(settings.game.num_rounds)]
        rounds = [replace(each, read_remainders=None) for each in fine]
        measured["exploitability_mbb"] = before.exploitability_mbb
        stored = run.measure_stored(rounds)
        if stored.exploitability > _most_when_rounded(settings, before.exploitability_mbb) and not settings.purge:
            rounds = fine
            stored = run.measure_stored(rounds)
        measured["stored_exploitability_mbb"] = stored.exploitability
        measured["self_play_button_mbb"] = stored.self_play[1]
        _write(settings.out, run, rounds, time.monotonic() - started, solution, **measured)
    elif goal is None:
        write(settings.out)
    else:  # the best is there already
        with open_file(settings.out) as file:
            measured["exploitability_mbb"] = float(file.attrs["exploitability_mbb"])
            measured["standard_error_mbb"] = float(file.attrs["exploitability_standard_error_mbb"])
            measured["flops"] = int(file.attrs["exploitability_flops"])
    checkpoint.path_for(settings.out).unlink(missing_ok=True)
    return SolveResult(
        str(settings.out),
        settings.game.name,
        run.iterations,
        time.monotonic() - started,
        settings.seed,
        settings.threads,
        strategy=solution,
        target_mbb=settings.target_mbb,
        **measured,
    )


def _write(
    path: Path,
    run: Run,
    rounds: Sequence[RoundRows],
    seconds: float,
    solution: Solution = "average",
    **measured: float,
) -> None:
    settings, schedule = run.settings, run.schedule
    save(
        path,
        settings.game,
        run.abstraction.arrays(),
        rounds,
        {
            "cfr_version": VERSION,
            "created": datetime.now(UTC).strftime("%Y-%m-%d"),
            "algorithm": f"{schedule.title}, " + ("all boards" if run.is_enumerated else "public chance sampling"),
            "schedule": schedule.name,
            "strategy": solution,
            "buckets": "lossless" if settings.buckets is None else ",".join(map(str, settings.buckets)),
            "iterations": run.iterations,
            "seconds": round(seconds, 3),
            "seed": settings.seed,
            "threads": settings.threads,
            "purge": settings.purge,
            "purge_unplayed": settings.purge_unplayed,
            "compact": settings.compact,
            **({} if run.is_enumerated else {"rivers": settings.rivers}),
            **({"never": ",".join(settings.never)} if settings.never else {}),
            **({} if run.responding_since is None else {"warm_up_iterations": run.responding_since}),
            **measured,
        },
    )


def _most_when_rounded(settings: Settings, mbb: float) -> float:
    """How exploitable a strategy of so many mbb/g may be as rounded: a file misses no target that its solve reached."""
    most, target = WORTH_KEEPING * mbb, settings.target_mbb
    return most if target is None or mbb > target else min(most, target)


def _in_memory(rows: RoundRows) -> RoundRows:
    table, left = np.empty(rows.shape, np.uint8), np.zeros(rows.shape, np.int8)
    for start in range(0, len(table), ROWS_AT_A_TIME):
        stop = min(start + ROWS_AT_A_TIME, len(table))
        table[start:stop] = rows.read(start, stop)
        if rows.read_remainders is not None:
            left[start:stop] = rows.read_remainders(start, stop)
    return RoundRows.of(table, left)


def _iterate(settings: Settings, run: Run, goal: Goal | None, started: float, progress: bool) -> None:
    """Iterate until the settings say stop, showing a bar and keeping checkpoints; with a goal, also the best strategy.

    ``started`` is the time at which a solve without interruption would have begun. Ctrl-C waits for the iterations
    under way, so that whole tables are kept; a second one is not waited for, and what was kept before stays.
    """
    to_write = 0.0 if run.is_enumerated else 4.0 + run.table_bytes / 2.5e8

    def budget() -> float:
        """Seconds until the file is to be written, or the strategy measured."""
        end = to_write if goal is None else goal.seconds
        return max(60 * (settings.minutes or inf) - end, 1.0)

    def share_done() -> float:
        """Of the iterations or the time, whichever is further."""
        return max(run.iterations / (settings.iterations or inf), (time.monotonic() - started) / budget())

    by_time = settings.iterations is None and settings.minutes is not None
    spent = time.monotonic() - started
    save_at = time.monotonic() + CHECKPOINT_SECONDS
    layout_text = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}{postfix}" if by_time else None
    with (
        Interrupts() as interrupts,
        tqdm(
            desc="solving",
            total=budget() if by_time else settings.iterations,
            initial=spent if by_time else run.iterations,
            unit="iterations",
            bar_format=layout_text,
            disable=not progress,
            mininterval=0.5,
        ) as bar,
    ):
        first, begun = run.iterations, time.monotonic()

        def is_done() -> bool:
            if not run.iterations:
                return False
            is_over = share_done() >= 1
            if goal is None:
                return is_over
            if is_over or goal.is_due(run.iterations):
                try:
                    with interrupts.at_once():
                        bar.set_postfix_str(goal.measure())
                except SaveError as error:  # there may be room again by the end
                    if is_over:
                        raise
                    bar.write(f"cfr: not measured this time: {error}", file=sys.stderr)
            return is_over or goal.is_reached

        while not (interrupts.came or is_done() or interrupts.came):  # while it steps, or while it measures
            run.respond_if_warm(share_done())
            done = run.step(TOGETHER if settings.iterations is None else settings.iterations - run.iterations)
            now = time.monotonic()
            if by_time:
                bar.n = min(now - started, budget())
                rate = (run.iterations - first) / (now - begun)
                bar.set_postfix_str(f"{run.iterations:,} iterations, {rate:.0f}/s", refresh=False)
                bar.update(0)
            else:
                bar.update(done)
            if now > save_at:
                try:
                    run.save_checkpoint(now - started)
                except SaveError as error:  # there may be room again by the end
                    bar.write(f"cfr: no checkpoint this time: {error}", file=sys.stderr)
                after = time.monotonic()
                save_at = after + max(CHECKPOINT_SECONDS, (after - now) / CHECKPOINT_SHARE)
        if interrupts.came:
            kept = run.save_checkpoint(time.monotonic() - started)
            raise Interrupted(f"stopped after {run.iterations:,} iterations; continue with: cfr solve --resume {kept}")
