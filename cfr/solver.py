"""Solve a game by counterfactual regret minimisation: chance enumerated where the game fits, sampled where it does not.

Lossless games are traversed whole, seats alternating, by any of the schedules (cfr/schedules.py). Bucketed hold'em is
solved by CFR+ and samples one public board per iteration (public chance sampling, Johanson et al. 2012): real hands on
a real board, whose regrets are summed per bucket and clamped once per visit. The same seed and iterations give the same
file at any number of threads.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import numpy as np
from tqdm import tqdm

from cfr import checkpoint
from cfr.abstraction import Abstraction
from cfr.deals import Deal, enumerate_deal, sample_boards, sampled_deal
from cfr.errors import CfrError, UnknownSpotError
from cfr.forecast import Forecast, check_memory, make_forecast
from cfr.game import Game
from cfr.response import Measured, exploitability_mbb, measure
from cfr.schedules import CFR_PLUS, schedule_named
from cfr.store import RoundRows, purge, quantise, remainders, save
from cfr.traversal import Tables, Traversal, layout
from cfr.version import VERSION

BATCH = 32  # boards prepared at a time
CHECKPOINT_SECONDS = 600.0
FIRST_MEASURED = 8
ROWS_AT_A_TIME = 10_000  # of a table that is rounded
MOST_PURGED = 0.3  # a node with three actions keeps one
WORTH_KEEPING = 1.1  # how much worse rounding to 255ths may make a strategy

Solution = Literal["average", "current"]


@dataclass(frozen=True)
class Settings:
    """What to solve and for how long.

    Attributes:
        game: the rules.
        buckets: rows of flop, turn and river, each a number or ``"lossless"``; None for all lossless.
        iterations: stop after so many, or None.
        minutes: stop in time to be done after so many minutes, all included, or None.
        target_mbb: stop when exploitability is at most this many mbb/g (lossless games), or None.
        threads: never changes the result.
        seed: of the clustering and the sampled boards.
        out: the strategy file to write.
        resume: a checkpoint to continue, or None.
        purge: probabilities under this are stored as 0 (Ganzfried, Sandholm and Waugh 2012, "purification and
            thresholding"); 0 keeps all.
        schedule: name of how regrets and the average accumulate, one of :data:`cfr.schedules.SCHEDULES`.
    """

    game: Game
    buckets: tuple[int | str, ...] | None
    iterations: int | None = None
    minutes: float | None = None
    target_mbb: float | None = None
    threads: int = 1
    seed: int = 0
    out: Path = Path("strategy.h5")
    resume: Path | None = None
    purge: float = 0.0
    schedule: str = CFR_PLUS.name

    def __post_init__(self) -> None:
        schedule_named(self.schedule)
        if self.buckets is not None and self.schedule != CFR_PLUS.name:
            raise UnknownSpotError(
                f"schedule {self.schedule}: only games solved without buckets offer it; with buckets it is cfr+"
            )
        if self.threads < 1:
            raise UnknownSpotError(f"threads: {self.threads}; expected at least 1")
        if self.iterations is not None and self.iterations < 1:
            raise UnknownSpotError(f"iterations: {self.iterations}; expected at least 1")
        for name, value in (("minutes", self.minutes), ("target", self.target_mbb)):
            if value is not None and not value > 0:
                raise UnknownSpotError(f"{name}: {value}; expected more than 0")
        if not 0 <= self.purge <= MOST_PURGED:
            raise UnknownSpotError(f"purge: {self.purge}; expected 0 to {MOST_PURGED}")
        if self.target_mbb is not None and self.buckets is not None:
            raise UnknownSpotError("target: only games solved without buckets are measured while solving")
        if self.iterations is None and self.minutes is None and self.target_mbb is None:
            raise UnknownSpotError("say when to stop: a preset, minutes, iterations or a target")


@dataclass(frozen=True)
class Preset:
    """Settings of full hold'em by name."""

    buckets: tuple[int | str, ...]
    minutes: float
    what: str
    schedule: str = CFR_PLUS.name


PRESETS = {
    "quick": Preset((5000, 5000, 5000), 3.0, "3 minutes, under 4 GB"),
    "laptop": Preset((20000, 20000, 20000), 60.0, "60 minutes, under 8 GB"),
    "workstation": Preset((50000, 50000, 60000), 480.0, "8 hours, under 22 GB"),
}


@dataclass(frozen=True)
class SolveResult:
    """What a solve did.

    Attributes:
        seconds: wall-clock time, all included.
        exploitability_mbb: by best response over all boards, in mbb/g; None with buckets.
        strategy: which one is stored: the average over all iterations, or the current one of the last.
        stored_exploitability_mbb: the same for the probabilities in the file, which are rounded to 1/255; None with
            buckets.
        self_play_button_mbb: what the seat that acts last after the first round wins when both play what is stored,
            within ``stored_exploitability_mbb`` of the game's value; None with buckets.
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

    def __str__(self) -> str:
        measured = ""
        if self.exploitability_mbb is not None:
            measured = (
                f", exploitability {self.exploitability_mbb:.3g} mbb/g of the {self.strategy} strategy, "
                f"{self.stored_exploitability_mbb:.3g} mbb/g as rounded in the file (best response, all boards)"
            )
        return (
            f"{self.file}: {self.game}, {self.iterations:,} iterations in {self.seconds:.0f} s "
            f"with {self.threads} threads, seed {self.seed}{measured}"
        )


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a solve; the message names the checkpoint that continues it."""


def forecast(settings: Settings) -> Forecast:
    """Memory, disk and time that :func:`solve` will take; times the machine for a moment."""
    return make_forecast(
        settings.game,
        settings.buckets,
        settings.iterations,
        settings.minutes,
        settings.threads,
        settings.seed,
        schedule_named(settings.schedule).num_tables,
    )


def solve(settings: Settings, progress: bool = False) -> SolveResult:
    """Solve a game and write the strategy file.

    Every ten minutes, and on Ctrl-C, a checkpoint is written beside the file; ``settings.resume`` continues it to the
    same bits. ``progress`` shows bars on stderr.

    Raises:
        CfrError: what cannot be solved here or written there, in one line.
        Interrupted: Ctrl-C.
    """
    started = time.monotonic()
    schedule = schedule_named(settings.schedule)
    check_memory(settings.game, settings.buckets, settings.threads, schedule.num_tables)
    if settings.buckets is None:
        abstraction = Abstraction.lossless(settings.game)
    else:
        abstraction = Abstraction.build(
            settings.game, settings.buckets, seed=settings.seed, threads=settings.threads, progress=progress
        )
    run = Run(settings, abstraction)
    _iterate(settings, run, started, progress)
    solution: Solution = "average"
    measured: dict[str, float] = {}
    if run.is_enumerated:
        before = run.measure()
        solution = before.strategy
        fine = [_in_memory(run.stored_round(r, solution)) for r in range(settings.game.num_rounds)]
        rounds = [replace(each, read_remainders=None) for each in fine]
        measured["exploitability_mbb"] = before.exploitability_mbb
        stored = run.measure_stored(rounds)
        if stored.exploitability > WORTH_KEEPING * before.exploitability_mbb and not settings.purge:
            rounds = fine
            stored = run.measure_stored(rounds)
        measured["stored_exploitability_mbb"] = stored.exploitability
        measured["self_play_button_mbb"] = stored.self_play[1]
    else:
        rounds = [run.stored_round(r) for r in range(settings.game.num_rounds)]
    seconds = run.seconds_before + time.monotonic() - started
    save(
        settings.out,
        settings.game,
        abstraction.arrays(),
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
            **measured,
        },
    )
    checkpoint.path_for(settings.out).unlink(missing_ok=True)
    return SolveResult(
        str(settings.out),
        settings.game.name,
        run.iterations,
        seconds,
        settings.seed,
        settings.threads,
        strategy=solution,
        **measured,
    )


def is_measured(iteration: int) -> bool:
    """Whether a solve for a target measures after ``iteration``: at 8, 10, 12, 14, 16, 20, 24, ...

    That is four times per doubling. A measurement takes about as long as an iteration, so all of them together take
    a few percent of a long solve; and where they fall does not depend on when it was interrupted.
    """
    step = 1 << max(iteration.bit_length() - 3, 0)
    return iteration >= FIRST_MEASURED and iteration % step == 0


def _in_memory(rows: RoundRows) -> RoundRows:
    table, left = np.empty(rows.shape, np.uint8), np.zeros(rows.shape, np.int8)
    for start in range(0, len(table), ROWS_AT_A_TIME):
        stop = min(start + ROWS_AT_A_TIME, len(table))
        table[start:stop] = rows.read(start, stop)
        if rows.read_remainders is not None:
            left[start:stop] = rows.read_remainders(start, stop)
    return RoundRows.of(table, left)


def _iterate(settings: Settings, run: Run, started: float, progress: bool) -> None:
    """Iterate until the settings say stop, showing a bar and keeping checkpoints."""
    reserve = 0.0 if run.is_enumerated else 4.0 + run.table_bytes / 2.5e8  # to write the file
    budget = None if settings.minutes is None else max(60 * settings.minutes - reserve, 1.0)
    by_time = settings.iterations is None and budget is not None
    spent = time.monotonic() - started
    saved = time.monotonic()
    layout_text = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}{postfix}" if by_time else None
    with tqdm(
        desc="solving",
        total=budget if by_time else settings.iterations,
        initial=spent if by_time else run.iterations,
        unit="iterations",
        bar_format=layout_text,
        disable=not progress,
        mininterval=0.5,
    ) as bar:
        first, begun = run.iterations, time.monotonic()
        try:
            while settings.iterations is None or run.iterations < settings.iterations:
                run.step()
                now = time.monotonic()
                if by_time:
                    bar.n = min(now - started, budget or 0.0)
                    rate = (run.iterations - first) / (now - begun)
                    bar.set_postfix_str(f"{run.iterations:,} iterations, {rate:.0f}/s", refresh=False)
                    bar.update(0)
                else:
                    bar.update(1)
                if budget is not None and now - started >= budget:
                    break
                if settings.target_mbb is not None and is_measured(run.iterations):
                    measured = run.measure()
                    bar.set_postfix_str(f"{measured.exploitability_mbb:.4g} mbb/g, {measured.strategy} strategy")
                    if measured.exploitability_mbb <= settings.target_mbb:
                        break
                if now - saved > CHECKPOINT_SECONDS:
                    run.save_checkpoint(now - started)
                    saved = now
        except KeyboardInterrupt:
            kept = run.save_checkpoint(time.monotonic() - started)
            raise Interrupted(
                f"stopped after {run.iterations:,} iterations; continue with: cfr solve --resume {kept}"
            ) from None


@dataclass(frozen=True)
class Measurement:
    """Exploitability in mbb/g of the better of the average and the current strategy."""

    exploitability_mbb: float
    strategy: Solution


class Run:
    """The tables of a solve, and how to go on with them.

    Attributes:
        regrets: per round, both seats' tables whose positive part, normalised, is the current strategy: regrets, and
            for predictive schedules the prediction of the next.
        averages: the same for the average strategy.
        accumulated: for predictive schedules, the regrets without the prediction.
        iterations: done so far; one is an update of each seat.
        is_enumerated: whether each visits all boards, or one that is sampled.
        seconds_before: spent before a checkpoint was resumed.
    """

    def __init__(self, settings: Settings, abstraction: Abstraction) -> None:
        self.settings = settings
        self.abstraction = abstraction
        self.is_enumerated = settings.buckets is None
        game = settings.game
        # Small games are cheap in float64, and only there the digits can be compared with others'.
        small = self.is_enumerated and sum(abstraction.num_rows) < 10_000
        dtype = np.float64 if small else np.float32
        self.traversal = Traversal(layout(game, dtype), settings.threads, dtype)
        self.regrets = self.traversal.zeros(abstraction.num_rows)
        self.averages = self.traversal.zeros(abstraction.num_rows)
        self.schedule = schedule_named(settings.schedule)
        self.accumulated = self.traversal.zeros(abstraction.num_rows) if self.schedule.predictive else []
        self.iterations = 0
        self.seconds_before = 0.0
        self._deal = enumerate_deal(game, abstraction) if self.is_enumerated else None
        self._batch = -1
        self._measured: tuple[int, Measurement] | None = None
        if settings.resume is not None:
            self.iterations, self.seconds_before = checkpoint.load(settings.resume, self._identity(), self._tables())

    @property
    def table_bytes(self) -> int:
        """Memory of the regrets and the average strategy."""
        return sum(table.nbytes for rounds in self._tables().values() for tables in rounds for table in tables)

    def step(self) -> None:
        """One iteration; not interrupted half way by Ctrl-C."""
        iteration = self.iterations + 1
        deal, root = self._next_deal()
        with checkpoint.uninterrupted():
            for seat in (0, 1):
                self.traversal.run(
                    deal,
                    self.regrets,
                    seat,
                    "update",
                    averages=[tables[seat] for tables in self.averages],
                    root=root,
                    weight=self.schedule.weight(iteration),
                    kept=self.schedule.kept(iteration),
                    accumulated=[tables[seat] for tables in self.accumulated] or None,
                )
            self.iterations = iteration

    def exploitability_mbb(self, solution: Solution = "average") -> float:
        """Of the average or the current strategy, by best response over all boards; enumerated games."""
        tables = self.averages if solution == "average" else self.regrets
        return exploitability_mbb(self.traversal, self._enumerated(), tables)

    def measure(self) -> Measurement:
        """The better of the average and the current strategy, by best response over all boards; enumerated games."""
        if self._measured is None or self._measured[0] != self.iterations:
            average, current = self.exploitability_mbb("average"), self.exploitability_mbb("current")
            better = Measurement(average, "average") if average <= current else Measurement(current, "current")
            self._measured = self.iterations, better
        return self._measured[1]

    def measure_stored(self, rounds: Sequence[RoundRows]) -> Measured:
        """Measure stored probabilities; they take the place of the average, so the solve is over."""
        tree = self.traversal.tree
        for number, (stored, tables) in enumerate(zip(rounds, self.averages, strict=True)):
            for start in range(0, len(tables[0]), ROWS_AT_A_TIME):
                stop = min(start + ROWS_AT_A_TIME, len(tables[0]))
                parts = tree.by_seat(stored.shares(start, stop), number, self.traversal.dtype)
                for table, part in zip(tables, parts, strict=True):
                    table[start:stop] = part
        return measure(self.traversal, self._enumerated(), self.averages)

    def stored_round(self, round_: int, solution: Solution = "average") -> RoundRows:
        """The round of the average or the current strategy as the file keeps it."""
        tree = self.traversal.tree
        tables = (self.averages if solution == "average" else self.regrets)[round_]
        betting = tree.betting.rounds[round_]

        def sums(start: int, stop: int) -> np.ndarray:
            part: Tables = (tables[0][start:stop], tables[1][start:stop])
            positive: np.ndarray = np.maximum(tree.by_line(part, round_), 0)
            return positive

        def read(start: int, stop: int) -> np.ndarray:
            return purge(quantise(sums(start, stop), betting), betting, self.settings.purge)

        def read_remainders(start: int, stop: int) -> np.ndarray:
            whole = sums(start, stop)
            return remainders(whole, quantise(whole, betting), betting)

        shape = (len(tables[0]), betting.node_actions, tree.betting.num_lines[round_])
        return RoundRows(shape, read, read_remainders if self.is_enumerated else None)

    def save_checkpoint(self, seconds: float) -> Path:
        """Write everything that :class:`Settings` ``resume`` needs, beside the strategy file."""
        path = checkpoint.path_for(self.settings.out)
        checkpoint.save(path, self._identity(), self.iterations, self.seconds_before + seconds, self._tables())
        return path

    def _enumerated(self) -> Deal:
        if self._deal is None or not self.is_enumerated:
            raise CfrError("only enumerated games are measured while solving")
        return self._deal

    def _identity(self) -> checkpoint.Identity:
        settings = self.settings
        return checkpoint.Identity(settings.game, settings.buckets, settings.seed, settings.schedule)

    def _tables(self) -> dict[str, list[Tables]]:
        return {"regrets": self.regrets, "averages": self.averages, "accumulated": self.accumulated}

    def _next_deal(self) -> tuple[Deal, int]:
        """The deal of the next iteration and its root; sampled boards depend on seed and iteration alone."""
        if self._deal is not None and self.is_enumerated:
            return self._deal, 0
        batch, root = divmod(self.iterations, BATCH)
        if batch != self._batch or self._deal is None:
            rng = np.random.default_rng((self.settings.seed, batch))
            boards = sample_boards(self.settings.game, BATCH, rng)
            self._deal = sampled_deal(self.settings.game, self.abstraction, boards, self.settings.threads)
            self._batch = batch
        return self._deal, root
