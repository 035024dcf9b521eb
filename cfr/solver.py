"""Solve a game: CFR+ over a card abstraction, chance enumerated where the game fits and sampled where it does not.

Lossless games are traversed whole, seats alternating, with linear averaging (Tammelin 2014). Bucketed hold'em samples
one public board per iteration (public chance sampling, Johanson et al. 2012): real hands on a real board, whose regrets
are summed per bucket and clamped once per visit. The same seed and iterations give the same file at any number of
threads.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from tqdm import tqdm

from cfr import checkpoint
from cfr.abstraction import Abstraction
from cfr.deals import Deal, enumerate_deal, sample_boards, sampled_deal
from cfr.errors import CfrError, UnknownSpotError
from cfr.forecast import Forecast, check_memory, make_forecast
from cfr.game import Game
from cfr.response import exploitability_mbb
from cfr.store import RoundRows, purge, quantise, save
from cfr.traversal import Tables, Traversal, layout
from cfr.version import VERSION

BATCH = 32  # boards prepared at a time
CHECKPOINT_SECONDS = 600.0
MOST_PURGED = 0.3  # a node with three actions keeps one
MEASURE_EVERY = 25  # iterations between measurements for a target


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

    def __post_init__(self) -> None:
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


PRESETS = {
    "quick": Preset((5000, 5000, 5000), 3.0, "3 minutes, under 4 GB"),
    "laptop": Preset((20000, 20000, 20000), 60.0, "60 minutes, under 8 GB"),
    "workstation": Preset((50000, 50000, 60000), 480.0, "8 hours, under 22 GB"),
}


@dataclass(frozen=True)
class SolveResult:
    """What a solve did; ``seconds`` is wall-clock time, all included."""

    file: str
    game: str
    iterations: int
    seconds: float
    seed: int
    threads: int
    exploitability_mbb: float | None = None

    def __str__(self) -> str:
        measured = (
            f", exploitability {self.exploitability_mbb:.3g} mbb/g (best response, all boards)"
            if self.exploitability_mbb is not None
            else ""
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
        settings.game, settings.buckets, settings.iterations, settings.minutes, settings.threads, settings.seed
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
    check_memory(settings.game, settings.buckets, settings.threads)
    if settings.buckets is None:
        abstraction = Abstraction.lossless(settings.game)
    else:
        abstraction = Abstraction.build(
            settings.game, settings.buckets, seed=settings.seed, threads=settings.threads, progress=progress
        )
    run = Run(settings, abstraction)
    _iterate(settings, run, started, progress)
    measured = run.exploitability_mbb() if run.is_enumerated else None
    seconds = run.seconds_before + time.monotonic() - started
    save(
        settings.out,
        settings.game,
        abstraction.arrays(),
        [run.stored_round(r) for r in range(settings.game.num_rounds)],
        {
            "cfr_version": VERSION,
            "created": datetime.now(UTC).strftime("%Y-%m-%d"),
            "algorithm": "CFR+, " + ("all boards" if run.is_enumerated else "public chance sampling"),
            "buckets": "lossless" if settings.buckets is None else ",".join(map(str, settings.buckets)),
            "iterations": run.iterations,
            "seconds": round(seconds, 3),
            "seed": settings.seed,
            "threads": settings.threads,
            "purge": settings.purge,
        }
        | ({} if measured is None else {"exploitability_mbb": measured}),
    )
    checkpoint.path_for(settings.out).unlink(missing_ok=True)
    return SolveResult(
        str(settings.out), settings.game.name, run.iterations, seconds, settings.seed, settings.threads, measured
    )


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
                if settings.target_mbb is not None and run.iterations % MEASURE_EVERY == 0:
                    measured = run.exploitability_mbb()
                    bar.set_postfix_str(f"{measured:.4g} mbb/g")
                    if measured <= settings.target_mbb:
                        break
                if now - saved > CHECKPOINT_SECONDS:
                    run.save_checkpoint(now - started)
                    saved = now
        except KeyboardInterrupt:
            kept = run.save_checkpoint(time.monotonic() - started)
            raise Interrupted(
                f"stopped after {run.iterations:,} iterations; continue with: cfr solve --resume {kept}"
            ) from None


class Run:
    """The tables of a solve, and how to go on with them.

    Attributes:
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
        self.iterations = 0
        self.seconds_before = 0.0
        self._deal = enumerate_deal(game, abstraction) if self.is_enumerated else None
        self._batch = -1
        if settings.resume is not None:
            self.iterations, self.seconds_before = checkpoint.load(
                settings.resume, self._identity(), self.regrets, self.averages
            )

    @property
    def table_bytes(self) -> int:
        """Memory of the regrets and the average strategy."""
        return sum(table.nbytes for tables in (*self.regrets, *self.averages) for table in tables)

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
                    weight=float(iteration),
                )
            self.iterations = iteration

    def exploitability_mbb(self) -> float:
        """Of the average strategy, by best response over all boards; enumerated games only."""
        if self._deal is None or not self.is_enumerated:
            raise CfrError("only enumerated games are measured while solving")
        return exploitability_mbb(self.traversal, self._deal, self.averages)

    def stored_round(self, round_: int) -> RoundRows:
        """The round's average strategy as the file keeps it."""
        tree = self.traversal.tree
        tables = self.averages[round_]
        betting = tree.betting.rounds[round_]

        def read(start: int, stop: int) -> np.ndarray:
            part: Tables = (tables[0][start:stop], tables[1][start:stop])
            return purge(quantise(tree.by_line(part, round_), betting), betting, self.settings.purge)

        shape = (len(tables[0]), betting.node_actions, tree.betting.num_lines[round_])
        return RoundRows(shape, read)

    def save_checkpoint(self, seconds: float) -> Path:
        """Write everything that :class:`Settings` ``resume`` needs, beside the strategy file."""
        path = checkpoint.path_for(self.settings.out)
        checkpoint.save(
            path, self._identity(), self.iterations, self.seconds_before + seconds, self.regrets, self.averages
        )
        return path

    def _identity(self) -> checkpoint.Identity:
        return checkpoint.Identity(self.settings.game, self.settings.buckets, self.settings.seed)

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
