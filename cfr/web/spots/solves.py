"""Spots that are solved for visitors: so many at a time, the rest in turn; the last few solutions are remembered.

A spot that takes minutes, and may be left, lets those that take seconds go first: between two of its iterations they
are solved in its place.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass
from typing import Any

from cfr.system.errors import CfrError
from cfr.web.server.worker import BusyError, step_back
from cfr.web.spots.exact import ExactSpots, Outcome, Wanted

MOST_WAITING = 8
MOST_KEPT = 8
MOST_KEPT_BYTES = 1 << 30
_LEFT_AFTER = 10.0  # seconds after which who has not asked again has left


class _LeftError(Exception):
    """The solve is not needed any more."""


@dataclass(eq=False)
class Solve:
    """A spot that waits, is being solved, or is solved.

    Attributes:
        wanted: what is solved.
        asked: when somebody asked for it last.
        phase: ``waiting``, ``solving``, ``done`` or ``failed``.
        iterations, percent: done so far, and the exploitability when it was measured last, in percent of the pot.
        started: when the solve began.
        outcome: once it is done.
        problem: why it failed.
        is_stopped: whether somebody stopped it.
    """

    wanted: Wanted
    asked: float
    phase: str = "waiting"
    iterations: int = 0
    percent: float | None = None
    started: float = 0.0
    outcome: Outcome | None = None
    problem: str | None = None
    is_stopped: bool = False

    @property
    def is_left(self) -> bool:
        """Whether no visitor waits for the solve."""
        return self.is_stopped or (not self.wanted.can_be_left and time.monotonic() - self.asked > _LEFT_AFTER)


class Solves:
    """The solves of one server.

    Args:
        exact: what solves them.
    """

    def __init__(self, exact: ExactSpots) -> None:
        self._exact = exact
        self._changed = threading.Condition()
        self._known: dict[str, Solve] = {}  # the latest asked last
        self._waiting: list[Solve] = []
        self._is_closed = False
        for number in range(exact.spots):
            threading.Thread(target=self._work, name=f"solve-{number}", daemon=True).start()

    def start(self, wanted: Wanted) -> Solve:
        """Begin a solve, or join the one there is; raises BusyError."""
        with self._changed:
            found = self._find(wanted.id)
            if found is None or found.phase == "failed":
                self._waiting = [each for each in self._waiting if not self._forget_if_left(each)]
                if len(self._waiting) >= MOST_WAITING:
                    raise BusyError("too many spots wait to be solved; try again later")
                found = self._known[wanted.id] = Solve(wanted, time.monotonic())
                self._waiting.append(found)
                self._changed.notify()
            return found

    def find(self, id_: str) -> Solve | None:
        """A solve that is known; whoever asks waits for it."""
        with self._changed:
            return self._find(id_)

    def is_known(self, id_: str) -> bool:
        """Whether the spot waits, is being solved, or is solved."""
        with self._changed:
            return id_ in self._known

    def stop(self, solve: Solve) -> None:
        """Stop a solve for everybody who waits for it; a finished one stays."""
        with self._changed:
            if solve.outcome is None:
                solve.is_stopped = True
                self._known.pop(solve.wanted.id, None)

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

    def close(self) -> None:
        """Stop what is being solved, and begin nothing more."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _find(self, id_: str) -> Solve | None:
        found = self._known.pop(id_, None)
        if found is not None:
            found.asked = time.monotonic()
            self._known[id_] = found
        return found

    def _work(self) -> None:
        step_back()
        while solve := self._next():
            self._solve(solve)

    def _next(self) -> Solve | None:
        """The next one in turn that somebody waits for; None when the server stops."""
        with self._changed:
            while not self._is_closed:
                if solve := self._taken():
                    return solve
                self._changed.wait()
        return None

    def _next_short(self) -> Solve | None:
        """The next one in turn that takes seconds, if somebody waits for one."""
        with self._changed:
            return None if self._is_closed else self._taken(only_short=True)

    def _taken(self, only_short: bool = False) -> Solve | None:
        """Take the next one out of the queue; those that take seconds come first."""
        self._waiting = [each for each in self._waiting if not self._forget_if_left(each)]
        solve = min(self._waiting, key=_takes_minutes, default=None)
        if solve is None or (only_short and _takes_minutes(solve)):
            return None
        self._waiting.remove(solve)
        solve.phase, solve.started = "solving", time.monotonic()
        return solve

    def _solve(self, solve: Solve) -> None:
        def watch(iterations: int, percent: float | None) -> None:
            solve.iterations, solve.percent = iterations, percent
            while _takes_minutes(solve) and (short := self._next_short()):
                self._solve(short)
            if self._is_closed or solve.is_left:
                raise _LeftError

        try:
            solve.outcome = self._exact.solve(solve.wanted, watch)
            self._end(solve, "done", None)
        except _LeftError:
            self._drop(solve)
        except (CfrError, MemoryError) as error:
            self._end(solve, "failed", str(error) or "there is not enough memory")
        except Exception:
            logging.getLogger(__name__).exception("a spot could not be solved")
            self._end(solve, "failed", "the server failed; its log says why")

    def _end(self, solve: Solve, phase: str, problem: str | None) -> None:
        with self._changed:
            solve.phase, solve.problem = phase, problem
            over = [each for each in self._known.values() if each.phase in ("done", "failed")]
            while len(over) > 1 and (
                len(over) > MOST_KEPT or sum(each.outcome.kept_bytes for each in over if each.outcome) > MOST_KEPT_BYTES
            ):
                self._known.pop(over.pop(0).wanted.id)

    def _forget_if_left(self, solve: Solve) -> bool:
        if solve.is_left:
            self._remove(solve)
        return solve.is_left

    def _drop(self, solve: Solve) -> None:
        with self._changed:
            self._remove(solve)

    def _remove(self, solve: Solve) -> None:
        if self._known.get(solve.wanted.id) is solve:  # it may have been begun anew
            del self._known[solve.wanted.id]


def _takes_minutes(solve: Solve) -> bool:
    return solve.wanted.can_be_left
