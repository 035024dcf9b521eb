"""Answers that take longer than a request may: worked out one after the other, and remembered."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from cfr.system.progress import Progress
from cfr.web.server.worker import BusyError, Worker

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
_PATIENCE = 0.5  # seconds that a question waits for its answer; a server that is stopped waits for it, too
_LOOK_EVERY = 0.1  # seconds between two looks whether its sender is still there
_ASKS_AGAIN = 0.6  # seconds within which who waits asks again
_LEFT_AFTER = 5.0  # seconds after which a question that nobody asks again is forgotten


async def _stays() -> bool:
    return False


@dataclass(eq=False)
class _Work(Generic[V]):
    """A question that is being worked on, or waits for it.

    Attributes:
        work: gives the answer.
        asked: when somebody waited for it last.
        waiters: how many wait for it now.
        done: share of the work.
    """

    work: Callable[[Progress], V]
    asked: float = field(default_factory=time.monotonic)
    waiters: int = 0
    done: float = 0.0
    answer: Future[V] = field(default_factory=Future)

    def is_left(self, seconds: float) -> bool:
        """Whether nobody has waited for so long."""
        return not self.waiters and time.monotonic() - self.asked >= seconds


class _LeftError(Exception):
    """Nobody asks any more."""


class Answers(Generic[K, V]):
    """Works out answers on a thread of its own; remembers the latest.

    What somebody waits for goes first. A question that nobody asks any more is given up where another one is asked;
    where none is, its answer is worked out and kept.

    Args:
        name: of the thread.
        waiting: how many questions may be unanswered at a time.
        kept: how many answers are remembered.
        busy: what a refused question is told.
    """

    def __init__(self, name: str, waiting: int, kept: int, busy: str = "too many spots are asked for") -> None:
        self._most, self._kept, self._busy = waiting, kept, f"{busy}; try again"
        self._worker = Worker(name)
        self._known: dict[K, V] = {}  # the latest asked last
        self._work: dict[K, _Work[V]] = {}
        self._tasks: dict[K, asyncio.Task[V]] = {}
        self._changed = threading.Lock()
        self._waiting: list[_Work[V]] = []  # not begun; the earliest first

    async def find(
        self, question: K, work: Callable[[Progress], V], gone: Callable[[], Awaitable[bool]] = _stays
    ) -> V | None:
        """The answer; None if it takes longer: then ask again.

        Args:
            question: what identifies the answer.
            work: gives the answer, and tells the share of it that is done; what it raises is raised here.
            gone: whether who asks has left.

        Raises:
            BusyError: too many wait.
        """
        if question in self._known:
            found = self._known[question] = self._known.pop(question)
            return found
        task = self._ask(question, work)
        place, until = self._work[question], time.monotonic() + _PATIENCE
        place.waiters += 1
        try:
            has_left = False
            while not task.done() and not has_left and (left := until - time.monotonic()) > 0:
                await asyncio.wait([task], timeout=min(left, _LOOK_EVERY))
                has_left = await gone()
            if not has_left:
                place.asked = time.monotonic()
        finally:
            place.waiters -= 1
        if not task.done() or isinstance(task.exception(), _LeftError):
            return None
        return task.result()

    def done(self, question: K) -> float:
        """The share of the work on a question that is done, 0 to 1."""
        return self._work[question].done if question in self._work else 0.0

    def begin(self, question: K, work: Callable[[Progress], V]) -> None:
        """Work out an answer before it is asked for, unless too many wait."""
        if question not in self._known:
            with suppress(BusyError):
                self._ask(question, work)

    def close(self) -> None:
        """Begin nothing more; what was begun ends on its own, or with the process."""
        self._worker.close()

    def _ask(self, question: K, work: Callable[[Progress], V]) -> asyncio.Task[V]:
        if question in self._tasks:
            return self._tasks[question]
        if sum(not each.is_left(_LEFT_AFTER) for each in self._work.values()) >= self._most:
            raise BusyError(self._busy)
        place = self._work[question] = _Work(work)
        with self._changed:
            self._waiting.append(place)
        self._worker.put(self._work_next)
        task = self._tasks[question] = asyncio.create_task(self._keep(question, place))
        task.add_done_callback(lambda task: task.cancelled() or task.exception())  # who asked may have left
        return task

    async def _keep(self, question: K, place: _Work[V]) -> V:
        try:
            found = await asyncio.wrap_future(place.answer)
        finally:
            del self._work[question], self._tasks[question]
        self._known[question] = found
        if len(self._known) > self._kept:
            del self._known[next(iter(self._known))]
        return found

    def _work_next(self) -> None:
        """Work out the answer that is next in turn: of those that somebody waits for, then of the others."""
        with self._changed:
            place = min(self._waiting, key=lambda each: each.is_left(_ASKS_AGAIN))  # the earliest of them
            self._waiting.remove(place)

        def hears(share: float) -> None:
            place.done = share
            if place.is_left(_ASKS_AGAIN) and self._is_awaited():
                raise _LeftError

        try:
            if place.is_left(_LEFT_AFTER):
                raise _LeftError
            place.answer.set_result(place.work(hears))
        except Exception as error:
            place.answer.set_exception(error)

    def _is_awaited(self) -> bool:
        """Whether somebody waits for what is not begun."""
        with self._changed:
            return any(not each.is_left(_ASKS_AGAIN) for each in self._waiting)
