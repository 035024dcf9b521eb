"""A family of counter-strategies from safe to greedy: solved, kept and measured one after the other.

All that is done lies in files beside the last one. A solved member is a strategy file of its own, the one under way has
a checkpoint, and measurements have logs; so the work goes on where it was interrupted, to the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from cfr.opponents.counter import BOARDS, Countering
from cfr.opponents.trade import Point, measured
from cfr.solver import checkpoint
from cfr.solver.target import core_seconds
from cfr.strategy.files.file import set_attributes
from cfr.strategy.files.stored import Strategy
from cfr.strategy.strategy import BaseStrategy
from cfr.system.clock import Clock
from cfr.system.disk.file_lock import Lock
from cfr.system.disk.result_log import discard
from cfr.system.errors import Interrupted, SaveError
from cfr.system.interrupts import Interrupts
from cfr.system.memory import check_fits, free_bytes
from cfr.system.progress import Progress
from cfr.system.text import counted, duration, size
from cfr.system.work_bar import ShareBar

_MEASURING_BYTES = 400_000_000  # for each thread, of full hold'em
_LOG_SECONDS = 0.03  # of a measurement, whatever the game: its log goes to the disk and is deleted
_BASE_BYTES = 150_000_000


@dataclass(frozen=True)
class Family:
    """Counter-strategies to one model.

    Attributes:
        model, blueprint: open files.
        confidences: of the members, ascending, each above 0.
        iterations: of each solve.
        flops: that measurements visit; None for all.
        seed: of sampled boards.
        threads: which change no result.
        out: members are written beside it, with their confidence in the name.
        draws: of the model, whose wins are measured, too.
    """

    model: Strategy
    blueprint: Strategy
    confidences: tuple[float, ...]
    iterations: int
    flops: int | None
    seed: int
    threads: int
    out: Path
    draws: Sequence[BaseStrategy] = ()

    def file(self, confidence: float) -> Path:
        """Where a member is kept."""
        return self.out.with_stem(f"{self.out.stem}-{confidence:g}")

    def check_free(self) -> None:
        """Raise SaveError for files of an earlier run, whole or not."""
        for path in self._files():
            if path.exists():
                raise SaveError(f"{path} is there already; go on with resume=True, or say overwrite=True")

    def discard(self) -> None:
        """Delete what an earlier run left."""
        for path in self._files():
            path.unlink(missing_ok=True)

    def solve(self, progress: bool = False, announce: Callable[[str], object] | None = None) -> list[Point]:
        """The blueprint's point, then those of the members; what is there already is not done again.

        Args:
            progress: show bars on stderr.
            announce: hears the forecast, before the work begins.

        Raises:
            CfrError: what cannot be solved, measured or written.
            Interrupted: Ctrl-C; nothing is lost.
        """
        with Lock(self.out, "cfr counter"):
            check_fits(self.memory_bytes, "the counter-strategy", "use a model with fewer buckets")
            self._solve_those_left(progress, announce)
            points = [self._measured(0.0, self.blueprint, progress)]
            for confidence in self.confidences:
                with Strategy.open(self.file(confidence)) as member:
                    points.append(self._measured(confidence, member, progress))
                    said = points[-1].attributes(points[0])
                    is_said = said.items() <= member.attributes.items()
                if not is_said:
                    set_attributes(self.file(confidence), said)
            for log in self._logs():
                discard(log)
        return points

    @property
    def memory_bytes(self) -> int:
        """At the peak, about."""
        share = self.model.game.num_hands / 1326
        tables = Countering.memory_bytes(self.model)
        return _BASE_BYTES + max(tables, tables // 2 + int(_MEASURING_BYTES * self.threads * share))

    def _solve_those_left(self, progress: bool, announce: Callable[[str], object] | None) -> None:
        """Write the members that are not there."""
        left = [each for each in self.confidences if not self._is_solved(each)]
        begun = None  # the first of them, where the forecast took its first boards for a trial
        if announce is not None:
            seconds = 0.0
            if left and self.iterations > BOARDS:
                begun, seconds = self._tried(left, progress)
            announce(self._forecast(len(left), seconds))
        for confidence in self.confidences:
            if confidence in left:
                self._solve(confidence, begun or self._begin(confidence, progress), progress)
                begun = None
            checkpoint.path_for(self.file(confidence)).unlink(missing_ok=True)

    def _tried(self, left: Sequence[float], progress: bool) -> tuple[Countering, float]:
        """The first solve after a few boards, and the seconds that all solves take from there on."""
        clock = Clock()
        solver = self._begin(left[0], progress)
        beginning, done = clock.seconds, solver.iterations
        while solver.iterations < min(done + BOARDS, self.iterations):
            solver.step()
        each = (clock.seconds - beginning) / max(1, solver.iterations - done)
        steps = len(left) * self.iterations - solver.iterations
        return solver, (len(left) - 1) * beginning + steps * each

    def _forecast(self, solves: int, seconds: float) -> str:
        """Memory and time in words, of so many solves that take ``seconds`` together."""
        points = 1 + len(self.confidences)
        of_draw = points * (core_seconds(self.model.game, self.flops) / self.threads + _LOG_SECONDS)
        seconds += (2 + len(self.draws)) * of_draw
        flops = counted(self.flops, "flop") if self.flops else "all flops"
        return (
            f"memory  {size(self.memory_bytes)} at the peak; {size(free_bytes())} are free\n"
            f"time    at most about {duration(seconds)}: {counted(solves, 'solve')}, "
            f"each of {counted(self.iterations, 'iteration')}, "
            f"and {counted((2 + len(self.draws)) * points, 'measurement')} on {flops}\n"
            f"draws   {len(self.draws)} of the model, for intervals of the wins; each takes about {duration(of_draw)}"
        )

    def _measured(self, confidence: float, strategy: Strategy, progress: bool) -> Point:
        logs = self._logs_of(confidence)
        return measured(confidence, strategy, self.model, self.flops, self.threads, progress, logs, self.draws)

    def _logs_of(self, confidence: float) -> list[Path]:
        """Where a member's win, its exploitability and its win from each draw are kept, flop by flop."""
        flops = self.flops or "all"
        of_draws = [f"versus-{flops}-draw-{number}" for number in range(len(self.draws))]
        names = [f"versus-{flops}", f"exploit-{flops}", *of_draws]
        return [self.out.with_name(f"{self.file(confidence).name}.{name}") for name in names]

    def _logs(self) -> Iterator[Path]:
        for confidence in (0.0, *self.confidences):
            yield from self._logs_of(confidence)

    def _files(self) -> Iterator[Path]:
        yield from self._logs()
        for path in map(self.file, self.confidences):
            yield from (path, checkpoint.path_for(path))

    def _identity(self, confidence: float) -> dict[str, Any]:
        """Everything that a member depends on."""
        return {
            "counter_of": str(self.model.attributes["checksum"]),
            "counter_confidence": confidence,
            "iterations": self.iterations,
            "seed": self.seed,
        }

    def _is_solved(self, confidence: float) -> bool:
        """Whether a member's file is there; raises SaveError for another one in its place."""
        path, identity = self.file(confidence), self._identity(confidence)
        if not path.exists():
            return False
        with Strategy.open(path) as found:
            if any(found.attributes.get(name) != value for name, value in identity.items()):
                raise SaveError(f"{path}: another strategy; name another file, or say overwrite=True")
        return True

    def _begin(self, confidence: float, progress: bool) -> Countering:
        """The solve of a member as its checkpoint left it, or at its beginning."""
        kept = checkpoint.path_for(self.file(confidence))
        begins = None if kept.exists() else self.blueprint  # a checkpoint has all that a solve begins with
        hears: Progress = ShareBar(f"confidence {confidence:g} begins") if progress else lambda _: None
        solver = Countering(self.model, confidence, self.threads, self.seed, begins, hears)
        if begins is None:
            solver.load_checkpoint(kept, self._identity(confidence))
        return solver

    def _solve(self, confidence: float, solver: Countering, progress: bool) -> None:
        """Write a member, with checkpoints on the way."""
        identity, kept = self._identity(confidence), checkpoint.path_for(self.file(confidence))
        bar = tqdm(
            desc=f"confidence {confidence:g}",
            total=self.iterations,
            initial=solver.iterations,
            unit="iterations",
            disable=not progress,
            mininterval=0.5,
        )
        save, clock = partial(solver.save_checkpoint, kept, identity), Clock()
        with Interrupts() as interrupts, closing(bar):
            while solver.iterations < self.iterations:
                solver.step()
                bar.update(1)
                clock.save_if_due(save)
                if interrupts.came:
                    save()
                    raise Interrupted(
                        f"stopped after {solver.iterations:,} of {counted(self.iterations, 'iteration')} with "
                        f"confidence {confidence:g}; continue with resume=True"
                    )
            solver.save(
                self.file(confidence),
                identity
                | {
                    "algorithm": "restricted Nash response",
                    "counter_player": str(self.model.attributes["model_player"]),
                },
            )
