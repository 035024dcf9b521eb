"""Jobs that visitors wait for: so many at a time, the rest in turn; the last results are remembered."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from cfr.system.errors import CfrError
from cfr.web.server.worker import step_back


class LeftError(Exception):
    """Nobody needs the job any more."""


@dataclass(eq=False, kw_only=True)
class Job:
    """What waits, is being done, or is over.

    Attributes:
        id: what visitors ask for; a secret unless it is given.
        asked: when somebody asked for it last.
        phase: ``waiting``, what is being done, ``done`` or ``failed``.
        problem: why it failed, in one line.
        is_stopped: whether somebody stopped it.
    """

    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    asked: float = 0.0
    phase: str = "waiting"
    problem: str | None = None
    is_stopped: bool = False

    @property
    def is_over(self) -> bool:
        """Whether the job is done, failed or stopped."""
        return self.phase in ("done", "failed") or self.is_stopped

    def has_left(self, seconds: float) -> bool:
        """Whether somebody stopped it, or nobody has asked for so long."""
        return self.is_stopped or time.monotonic() - self.asked > seconds


J = TypeVar("J", bound=Job)


class Jobs(ABC, Generic[J]):
    """The jobs of one kind of one server, each in a thread of lower priority that no stopping server waits for.

    Args:
        name: of the threads.
        threads: jobs at a time.
    """

    def __init__(self, name: str, threads: int = 1) -> None:
        self._changed = threading.Condition()  # held wherever the lists and the phases change
        self._known: dict[str, J] = {}  # the latest asked last
        self._waiting: list[J] = []
        self._is_closed = False
        for number in range(threads):
            threading.Thread(target=self._work, name=f"{name}-{number}", daemon=True).start()

    @abstractmethod
    def _do(self, job: J) -> None:
        """Do a job, and keep its result in it; raises LeftError once :meth:`_is_left`."""

    @abstractmethod
    def _trim(self) -> None:
        """Forget results that are too many."""

    def find(self, id_: str) -> J | None:
        """A job that is known; whoever asks waits for it."""
        with self._changed:
            return self._find(id_)

    def is_known(self, id_: str) -> bool:
        """Whether the job waits, is being done, or is over."""
        with self._changed:
            return id_ in self._known

    def stop(self, job: J) -> None:
        """Stop a job for everybody who waits for it, and forget it."""
        with self._changed:
            self._forget(job)

    def close(self) -> None:
        """Stop what is being done, and begin nothing more."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _add(self, job: J) -> J:
        job.asked = time.monotonic()
        self._known[job.id] = job
        self._waiting.append(job)
        self._changed.notify()
        return job

    def _find(self, id_: str) -> J | None:
        job = self._known.pop(id_, None)
        if job is not None:
            job.asked = time.monotonic()
            self._known[id_] = job
        return job

    def _forget(self, job: J) -> None:
        job.is_stopped = True
        if self._known.get(job.id) is job:  # it may have been begun anew
            del self._known[job.id]
        if job in self._waiting:
            self._waiting.remove(job)

    def _take(self) -> J | None:
        """Take the next job out of the queue."""
        return self._waiting.pop(0) if self._waiting else None

    def _work(self) -> None:
        step_back()
        while job := self._next():
            self._run(job)

    def _next(self) -> J | None:
        """The next job in turn; None when the server stops."""
        with self._changed:
            while not self._is_closed:
                if job := self._take():
                    return job
                self._changed.wait()
        return None

    def _run(self, job: J) -> None:
        try:
            self._do(job)
            self._end(job, "done")
        except LeftError:
            self.stop(job)
        except (CfrError, MemoryError) as error:
            self._end(job, "failed", " ".join(str(error).split()) or "there is not enough memory")
        except Exception:
            logging.getLogger(__name__).exception("a job failed")
            self._end(job, "failed", "the server failed; its log says why")

    def _end(self, job: J, phase: str, problem: str | None = None) -> None:
        with self._changed:
            job.phase, job.problem = phase, problem
            self._trim()
