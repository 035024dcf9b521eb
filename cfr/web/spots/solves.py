"""Spots that are solved for visitors: so many at a time, the rest in turn; the last few solutions are remembered.

A spot that takes minutes, and may be left, lets those that take seconds go first: between two of its iterations they
are solved in its place.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from cfr.web.server.jobs import Job, Jobs, LeftError
from cfr.web.server.worker import BusyError
from cfr.web.spots.exact import ExactSpots, Outcome, Wanted

MOST_WAITING = 8
MOST_KEPT = 8
MOST_KEPT_BYTES = 1 << 30
_LEFT_AFTER = 10.0  # seconds after which who has not asked again has left


@dataclass(eq=False)
class Solve(Job):
    """A spot that waits, is being solved, or is solved.

    Attributes:
        wanted: what is solved.
        iterations, percent: done so far, and the exploitability when it was measured last, in percent of the pot.
        started: when the solve began.
        outcome: once it is done.
    """

    wanted: Wanted
    iterations: int = 0
    percent: float | None = None
    started: float = 0.0
    outcome: Outcome | None = None

    @property
    def is_left(self) -> bool:
        """Whether no visitor waits for the solve."""
        return self.is_stopped if self.wanted.can_be_left else self.has_left(_LEFT_AFTER)


class Solves(Jobs[Solve]):
    """The solves of one server.

    Args:
        exact: what solves them.
    """

    def __init__(self, exact: ExactSpots) -> None:
        self._exact = exact
        super().__init__("solve", exact.spots)

    def start(self, wanted: Wanted) -> Solve:
        """Begin a solve, or join the one there is; raises BusyError."""
        with self._changed:
            found = self._find(wanted.id)
            if found is not None and found.phase != "failed":
                return found
            self._forget_left()
            if len(self._waiting) >= MOST_WAITING:
                raise BusyError("too many spots wait to be solved; try again later")
            return self._add(Solve(wanted, id=wanted.id))

    def stop(self, job: Solve) -> None:
        """Stop a solve for everybody who waits for it; a finished one stays."""
        if job.outcome is None:
            super().stop(job)

    def state(self, solve: Solve) -> dict[str, Any]:
        """The progress of a solve, for JSON."""
        with self._changed:
            waiting = sorted((each for each in self._waiting if not each.is_left), key=_takes_minutes)
            place = waiting.index(solve) + 1 if solve in waiting else 0
        wanted, seconds = solve.wanted, time.monotonic() - solve.started
        return {
            "id": wanted.id,
            "state": solve.phase,
            "place": place,
            "iterations": solve.iterations,
            "percent": solve.percent,
            "target": wanted.target,
            "most_iterations": wanted.most_iterations,
            "expected_iterations": wanted.expected_iterations,
            "seconds": seconds if solve.phase == "solving" else 0.0,
            "can_be_left": wanted.can_be_left,
            "problem": solve.problem,
            "result": None if solve.outcome is None else solve.outcome.figures,
        }

    def _take(self, only_short: bool = False) -> Solve | None:
        """Take the next one out of the queue; those that take seconds come first."""
        self._forget_left()
        solve = min(self._waiting, key=_takes_minutes, default=None)
        if solve is None or (only_short and _takes_minutes(solve)):
            return None
        self._waiting.remove(solve)
        solve.phase, solve.started = "solving", time.monotonic()
        return solve

    def _next_short(self) -> Solve | None:
        """The next one in turn that takes seconds, if somebody waits for one."""
        with self._changed:
            return None if self._is_closed else self._take(only_short=True)

    def _do(self, job: Solve) -> None:
        def watch(iterations: int, percent: float | None) -> None:
            job.iterations, job.percent = iterations, percent
            while _takes_minutes(job) and (short := self._next_short()):
                self._run(short)
            if self._is_closed or job.is_left:
                raise LeftError

        job.outcome = self._exact.solve(job.wanted, watch)

    def _trim(self) -> None:
        over = [each for each in self._known.values() if each.phase in ("done", "failed")]
        while len(over) > 1 and (
            len(over) > MOST_KEPT or sum(each.outcome.kept_bytes for each in over if each.outcome) > MOST_KEPT_BYTES
        ):
            del self._known[over.pop(0).id]

    def _forget_left(self) -> None:
        for each in [each for each in self._waiting if each.is_left]:
            self._forget(each)


def _takes_minutes(solve: Solve) -> bool:
    return solve.wanted.can_be_left
