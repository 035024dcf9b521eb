"""The loop of a solve: iterations until the settings, a target or Ctrl-C end them, with a bar and checkpoints."""

from __future__ import annotations

import sys
from math import inf
from typing import Protocol

from tqdm import tqdm

from cfr.solver.cfr_br import TOGETHER
from cfr.solver.history import History
from cfr.solver.solver import Solver
from cfr.solver.stopping import seconds_kept
from cfr.system.errors import CfrError, Interrupted, SaveError
from cfr.system.interrupts import Interrupts
from cfr.system.text import counted

PIECES_SECONDS = 60.0  # from checkpoint to checkpoint, where the tables lie on disk already and none is copied
END_ITERATIONS = 4  # that measuring takes as long as, at the end of a solve without buckets


class Target(Protocol):
    """Decides when a solve is good enough.

    Attributes:
        seconds: about how long the last measurement of a solve takes.
        is_reached: whether the target is.
    """

    seconds: float

    @property
    def is_reached(self) -> bool: ...

    def is_due(self, iterations: int) -> bool:
        """Whether to measure after so many; it does not depend on when the solve was interrupted."""

    def measure(self) -> str:
        """Measure the strategy as it is now; returns the words for the bar.

        Raises:
            CfrError: it cannot be written.
            KeyboardInterrupt: Ctrl-C; what was known before still is.
        """


class Loop:
    """Iterates a solver.

    Args:
        solver: what iterates; its settings say when to stop.
        target: an exploitability that ends the solve, and keeps the best strategy; or None.
        progress: whether to show a bar on stderr.
        history: notes how exploitability falls, or None.
    """

    def __init__(
        self, solver: Solver, target: Target | None = None, progress: bool = False, history: History | None = None
    ) -> None:
        self._solver, self._target, self._history = solver, target, history
        self._settings = settings = solver.settings
        self._clock = clock = solver.clock
        clock.begin(PIECES_SECONDS if solver.is_in_pieces else inf)
        self._by_time = settings.iterations is None and settings.minutes is not None
        self._to_write = 0.0
        if not solver.is_enumerated:
            self._to_write = seconds_kept(settings, solver.table_bytes)
        self._first = solver.iterations
        by_time = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}{postfix}"
        self._bar = tqdm(
            desc="solving",
            total=self._budget if self._by_time else settings.iterations,
            initial=clock.seconds if self._by_time else solver.iterations,
            unit="iterations",
            bar_format=by_time if self._by_time else None,
            disable=not progress,
            mininterval=0.5,
        )

    def run(self) -> None:
        """Iterate to the end.

        The first Ctrl-C waits for the iterations under way, so that the tables are whole. A second one does not wait;
        the last checkpoint stays.

        Raises:
            Interrupted: Ctrl-C; a checkpoint is written.
            KeyboardInterrupt: Ctrl-C before the first iteration, or twice; no checkpoint is written.
            CfrError: the minutes of a solve over sampled boards are over before its first iteration.
            SaveError: the last measurement could not be kept.
        """
        settings, solver, clock = self._settings, self._solver, self._clock
        self._check_there_is_time()
        with Interrupts() as interrupts, self._bar:
            while not (interrupts.came or self._is_over(interrupts) or interrupts.came):  # it measures, or it steps
                solver.respond_if_warm(self._share_done(clock.preparation))
                most = max(TOGETHER, settings.batch)
                if settings.iterations is not None:
                    most = settings.iterations - solver.iterations
                self._show(solver.step(most, lambda: self._between_pieces(interrupts)))
                if self._history is not None:
                    self._history.note(solver)
                clock.save_if_due(solver.save_checkpoint)
            if interrupts.came:
                if not (solver.iterations or solver.share_of_step):
                    raise KeyboardInterrupt
                kept = solver.save_checkpoint()
                raise Interrupted(
                    f"stopped after {counted(solver.iterations, 'iteration')}; continue with: cfr solve --resume {kept}"
                )

    def _check_there_is_time(self) -> None:
        """Refuse to write a strategy that has seen a few boards: it would be as good as uniform."""
        solver, minutes, seconds = self._solver, self._settings.minutes, self._clock.seconds
        if self._by_time and not (solver.is_enumerated or solver.iterations) and seconds >= self._budget:
            raise CfrError(
                f"minutes: {minutes:g} are over before the first iteration, of which {self._to_write:.0f} s are kept "
                f"for the file; the preparation took {seconds:.0f} s, and the next solve finds it in the cache; "
                "nothing was written"
            )

    @property
    def _budget(self) -> float:
        """Seconds until the file is to be written, or the strategy measured."""
        end = self._to_write if self._target is None else self._target.seconds
        if self._solver.is_enumerated:
            done = self._solver.iterations - self._first
            end = END_ITERATIONS * self._clock.since_begun / done if done else 0.0
        return max(60 * (self._settings.minutes or inf) - end, 1.0)

    def _share_done(self, without: float = 0.0) -> float:
        """The share of the iterations or of the time that is done, whichever is larger.

        ``without`` are first seconds that do not count. The preparation says nothing about how warm a solve is.
        """
        by_time = (self._clock.seconds - without) / max(self._budget - without, 1.0)
        return max(self._solver.iterations / (self._settings.iterations or inf), by_time)

    def _is_over(self, interrupts: Interrupts) -> bool:
        """Whether to end here; measures where that is due."""
        if not self._solver.iterations or self._solver.share_of_step:
            return False
        is_over = self._share_done() >= 1
        if self._target is None:
            return is_over
        if is_over or self._target.is_due(self._solver.iterations):
            try:
                with interrupts.at_once():
                    self._bar.set_postfix_str(self._target.measure())
            except SaveError as error:  # there may be room again by the end
                if is_over:
                    raise
                self._bar.write(f"cfr: not measured this time: {error}", file=sys.stderr)
        return is_over or self._target.is_reached

    def _between_pieces(self, interrupts: Interrupts) -> bool:
        """Whether to end an iteration between two pieces."""
        self._bar.set_postfix_str(f"{100 * self._solver.share_of_step:.0f} % of the next")
        self._clock.save_if_due(self._solver.save_checkpoint)
        return interrupts.came

    def _show(self, done: int) -> None:
        if not self._by_time:
            self._bar.update(done)
            return
        self._bar.n = min(self._clock.seconds, self._budget)
        rate = (self._solver.iterations - self._first) / self._clock.since_begun
        self._bar.set_postfix_str(f"{counted(self._solver.iterations, 'iteration')}, {rate:.0f}/s", refresh=False)
        self._bar.update(0)
