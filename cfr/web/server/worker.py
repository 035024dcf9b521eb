"""Work that takes longer than an answer may: threads of lower priority that no stopping server waits for."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")
_NICENESS = 2  # below those who wait for an answer, but not by much: somebody waits for this one, too


class BusyError(Exception):
    """Too many wait: the answer to a request says so, and when to try again.

    Args:
        reason: who waits, in one line.
        seconds: until it is worth trying again.
    """

    def __init__(self, reason: str = "too many spots are asked for; try again", seconds: int = 1) -> None:
        super().__init__(reason)
        self.seconds = seconds


class Worker:
    """A thread that does one job after the other.

    It is not one of an executor: a server that is stopped would wait until the job is done.
    """

    def __init__(self, name: str) -> None:
        self._jobs = SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None]()
        threading.Thread(target=self._work, name=name, daemon=True).start()

    def put(self, job: Callable[[], T]) -> Future[T]:
        """Do this when all before it is done."""
        done = Future[T]()
        self._jobs.put((done, job))
        return done

    async def run(self, job: Callable[[], T]) -> T:
        """The same, and wait for it."""
        return await asyncio.wrap_future(self.put(job))

    def close(self) -> None:
        """Begin nothing more; what was begun ends on its own, or with the process."""
        self._jobs.put(None)

    def _work(self) -> None:
        step_back()
        while job := self._jobs.get():
            done, begin = job
            if done.set_running_or_notify_cancel():
                try:
                    done.set_result(begin())
                except Exception as error:
                    done.set_exception(error)


def step_back() -> None:
    """Lower the thread's priority, where threads have one of their own."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), os.getpriority(os.PRIO_PROCESS, 0) + _NICENESS)
