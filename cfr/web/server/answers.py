"""Answers that take longer than a request may: worked out beside the event loop, one at a time, and remembered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

from cfr.web.server.worker import BusyError, Worker

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
_PATIENCE = 0.5  # seconds that a question waits for its answer; a server that is stopped waits for it, too
_LEFT_AFTER = 5.0  # seconds after which who has not asked again has moved on


@dataclass
class _Work(Generic[V]):
    """A question that is being worked on, or waits for it, and when somebody asked it last."""

    asked: float
    task: asyncio.Task[V]


class _LeftError(Exception):
    """Nobody asks any more."""


class Answers(Generic[K, V]):
    """Works out answers on a thread of its own; remembers the latest.

    A question that nobody asks any more when its turn comes is not begun. One that was begun is finished and kept.

    Args:
        name: of the thread.
        waiting: how many questions may be unanswered at a time.
        kept: how many answers are remembered.
        busy: what a refused question is told.
    """

    def __init__(self, name: str, waiting: int, kept: int, busy: str = "too many spots are asked for") -> None:
        self._waiting, self._kept, self._busy = waiting, kept, f"{busy}; try again"
        self._worker = Worker(name)
        self._known: dict[K, V] = {}  # the latest asked last
        self._work: dict[K, _Work[V]] = {}

    async def find(self, question: K, work: Callable[[], V]) -> V | None:
        """The answer; None if it takes longer: then ask again.

        Args:
            question: what identifies the answer.
            work: gives the answer; what it raises is raised here.

        Raises:
            BusyError: too many wait.
        """
        if question in self._known:
            found = self._known[question] = self._known.pop(question)
            return found
        task = self._ask(question, work)
        await asyncio.wait([task], timeout=_PATIENCE)
        if not task.done() or isinstance(task.exception(), _LeftError):
            return None
        return task.result()

    def begin(self, question: K, work: Callable[[], V]) -> None:
        """Work out an answer before it is asked for, unless too many wait."""
        if question not in self._known:
            with suppress(BusyError):
                self._ask(question, work)

    def close(self) -> None:
        """Begin nothing more; what was begun ends on its own, or with the process."""
        self._worker.close()

    def _ask(self, question: K, work: Callable[[], V]) -> asyncio.Task[V]:
        now = time.monotonic()
        if known := self._work.get(question):
            known.asked = now
            return known.task
        if sum(now - each.asked < _LEFT_AFTER for each in self._work.values()) >= self._waiting:
            raise BusyError(self._busy)
        task = asyncio.create_task(self._work_out(question, work))
        task.add_done_callback(lambda task: task.cancelled() or task.exception())  # who asked may have left
        self._work[question] = _Work(now, task)
        return task

    async def _work_out(self, question: K, work: Callable[[], V]) -> V:
        place = self._work[question]

        def begin() -> V:
            if time.monotonic() - place.asked > _LEFT_AFTER:
                raise _LeftError
            return work()

        try:
            found = await self._worker.run(begin)
        finally:
            del self._work[question]
        self._known[question] = found
        if len(self._known) > self._kept:
            del self._known[next(iter(self._known))]
        return found
