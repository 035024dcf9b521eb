"""Reviews of visitors' logs: one after the other in a thread of lower priority; the last ones are remembered."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from cfr.formats.logs import read_text
from cfr.formats.skipped import Omissions
from cfr.game.hand import LoggedHand
from cfr.strategy.strategy import BaseStrategy
from cfr.study.reviews.decision import Decision, printable
from cfr.study.reviews.losses import with_losses
from cfr.study.reviews.luck import without_luck
from cfr.study.reviews.reviewed import Review, Reviewed
from cfr.system.cores import usable_cores
from cfr.system.errors import BadInputError, CfrError
from cfr.web.server.worker import BusyError, step_back

MOST_HANDS = 1_000  # of a log
MOST_WAITING = 8
MOST_KEPT = 50_000  # kilobytes of all reviews
_PLAYER = 5  # kilobytes
_LEFT_AFTER = 300.0  # seconds after which who has not asked again makes room, where somebody waits
_QUOTED = 300  # characters of a problem


class _StoppedError(Exception):
    """The review is not needed any more."""


@dataclass(eq=False)
class Job:
    """A log that waits, is being reviewed, or was.

    Attributes:
        id: a secret of its visitor.
        visitor: the session's number.
        name: of the log; its suffix says the format.
        text: the log, until it was read.
        asked: when somebody asked for it last.
        phase: ``waiting``, ``reading``, ``valuing``, ``done`` or ``failed``.
        done, total: spots whose expected values are known, and all.
        forecast: how long it takes, in words, once that is known.
        problem: why it failed, in one line.
        review: once it is done.
        played: its hands, each with its decisions.
    """

    visitor: int
    name: str
    text: str
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    asked: float = field(default_factory=time.monotonic)
    phase: str = "waiting"
    done: int = 0
    total: int = 0
    forecast: str = ""
    problem: str | None = None
    review: Review | None = None
    played: list[tuple[LoggedHand, list[Decision]]] = field(default_factory=list)
    is_stopped: bool = False

    @property
    def is_over(self) -> bool:
        """Whether the review is done or failed."""
        return self.phase in ("done", "failed") or self.is_stopped


class LogReviews:
    """The reviews of one server.

    Args:
        strategy: what decisions are compared with; one that is whole.
    """

    def __init__(self, strategy: BaseStrategy) -> None:
        self._strategy = strategy
        self._changed = threading.Condition()
        self._known: dict[str, Job] = {}  # the latest asked last
        self._waiting: list[Job] = []
        self._is_closed = False
        threading.Thread(target=self._work, name="review", daemon=True).start()

    @property
    def most_hands(self) -> int:
        """Of a log."""
        return MOST_HANDS

    def start(self, visitor: int, name: str, text: str) -> Job:
        """Begin a review in the place of the visitor's earlier one; raises BusyError where too many wait."""
        with self._changed:
            if sum(each.visitor != visitor for each in self._waiting) >= MOST_WAITING:
                raise BusyError("too many logs wait to be reviewed; try again", 10)  # the earlier review stays
            for earlier in [each for each in self._known.values() if each.visitor == visitor]:
                self._forget(earlier)
            job = Job(visitor, name, text)
            self._known[job.id] = job
            self._waiting.append(job)
            self._changed.notify()
            return job

    def find(self, id_: str) -> Job | None:
        """A review that is known; whoever asks waits for it."""
        with self._changed:
            job = self._known.pop(id_, None)
            if job is not None:
                job.asked = time.monotonic()
                self._known[id_] = job
            return job

    def stop(self, job: Job) -> None:
        """Stop a review, and forget it."""
        with self._changed:
            self._forget(job)

    def state(self, job: Job) -> dict[str, Any]:
        """The progress, and the players' totals once the review is done, for JSON."""
        with self._changed:
            place = self._waiting.index(job) + 1 if job in self._waiting else 0
        found: dict[str, Any] = {
            "id": job.id,
            "name": job.name,
            "state": job.phase,
            "place": place,
            "done": job.done,
            "total": job.total,
            "forecast": job.forecast,
            "problem": job.problem,
            "hands": None,
            "players": [],
            "skipped": None,
        }
        if job.review is not None:
            omissions = job.review.omissions
            found |= {
                "hands": job.review.hands,
                "players": job.review.player_totals(),
                "skipped": omissions.to_dict() | {"text": [printable(line) for line in str(omissions).splitlines()]},
            }
        return found

    def close(self) -> None:
        """Stop what is being reviewed, and begin nothing more."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _forget(self, job: Job) -> None:
        job.is_stopped, job.text = True, ""
        self._known.pop(job.id, None)
        if job in self._waiting:
            self._waiting.remove(job)

    def _work(self) -> None:
        step_back()
        while job := self._next():
            try:
                job.review = self._review(job)
                self._end(job, "done")
            except _StoppedError:
                self.stop(job)
            except (CfrError, MemoryError) as error:
                job.problem = printable(" ".join(str(error).split()))[:_QUOTED] or "there is not enough memory"
                self._end(job, "failed")
            except Exception:
                logging.getLogger(__name__).exception("a log could not be reviewed")
                job.problem = "the server failed; its log says why"
                self._end(job, "failed")

    def _next(self) -> Job | None:
        """The next review in turn; None when the server stops."""
        with self._changed:
            while not self._is_closed:
                if self._waiting:
                    return self._waiting.pop(0)
                self._changed.wait()
        return None

    def _end(self, job: Job, phase: str) -> None:
        with self._changed:
            job.phase, job.text = phase, ""
            kept = [each for each in self._known.values() if each.review is not None]
            while sum(_size(each) for each in kept) > MOST_KEPT and len(kept) > 1:
                self._forget(kept.pop(0))
            over = [each for each in self._known.values() if each.phase == "failed"]
            for each in over[: -2 * MOST_WAITING]:
                self._forget(each)

    def _is_left(self, job: Job) -> bool:
        is_late = bool(self._waiting) and time.monotonic() - job.asked > _LEFT_AFTER
        return job.is_stopped or self._is_closed or is_late

    def _review(self, job: Job) -> Review:
        def go_on() -> None:
            if self._is_left(job):
                raise _StoppedError

        def watch(done: int, total: int) -> None:
            job.done, job.total = done, total

        def announce(said: str) -> None:
            job.forecast = said

        job.phase = "reading"
        strategy = self._strategy
        omissions = Omissions()
        reviewed = Reviewed.of(self._read(job, go_on, omissions), strategy, None, job.name, omissions)
        job.phase = "valuing"
        found = with_losses(
            reviewed.decisions,
            strategy,
            usable_cores(),
            announce=announce,
            watch=watch,
            stopped=lambda: self._is_left(job),
        )
        go_on()
        valued = iter(found)
        job.played = [
            (hand, [each for _ in here if (each := next(valued)) is not None])
            for hand, here in zip(reviewed.logged, reviewed.by_hand, strict=True)
        ]
        return reviewed.summed_up(found, without_luck(reviewed.logged, strategy, go_on))

    def _read(self, job: Job, go_on: Any, omissions: Omissions) -> Iterator[LoggedHand]:
        hands = read_text(job.text, job.name, self._strategy.betting, omissions)
        for hand in islice(hands, MOST_HANDS):
            go_on()
            yield hand
        if next(hands, None) is not None:
            raise BadInputError(
                f"{job.name}: more than {MOST_HANDS:,} hands; drop it in parts, or ask `cfr review` in a terminal"
            )


def _size(job: Job) -> int:
    """About how many kilobytes a review takes."""
    if job.review is None:
        return 0
    return 1 + len(job.played) + len(job.review.decisions) + _PLAYER * len(job.review.players)
