"""Reviews of visitors' logs: one after the other in a thread of lower priority; the last ones are remembered."""

from __future__ import annotations

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
from cfr.system.errors import BadInputError
from cfr.web.server.jobs import Job, Jobs, LeftError
from cfr.web.server.worker import BusyError

MOST_HANDS = 1_000  # of a log
MOST_WAITING = 8
MOST_KEPT = 50_000  # kilobytes of all reviews
_PLAYER = 5  # kilobytes
_LEFT_AFTER = 300.0  # seconds after which who has not asked again makes room, where somebody waits
_QUOTED = 300  # characters of a problem


@dataclass(eq=False)
class LogReview(Job):
    """A log that waits, is being reviewed, or was; between, its phase is ``reading`` or ``valuing``.

    Attributes:
        visitor: the session's number.
        name: of the log; its suffix says the format.
        text: the log, until it was read.
        done, total: spots whose expected values are known, and all.
        forecast: how long it takes, in words, once that is known.
        review: once it is done.
        played: its hands, each with its decisions.
    """

    visitor: int
    name: str
    text: str
    done: int = 0
    total: int = 0
    forecast: str = ""
    review: Review | None = None
    played: list[tuple[LoggedHand, list[Decision]]] = field(default_factory=list)


class LogReviews(Jobs[LogReview]):
    """The reviews of one server.

    Args:
        strategy: what decisions are compared with; one that is whole.
    """

    def __init__(self, strategy: BaseStrategy) -> None:
        self._strategy = strategy
        super().__init__("review")

    @property
    def most_hands(self) -> int:
        """Of a log."""
        return MOST_HANDS

    def start(self, visitor: int, name: str, text: str) -> LogReview:
        """Begin a review in the place of the visitor's earlier one; raises BusyError where too many wait."""
        with self._changed:
            if sum(each.visitor != visitor for each in self._waiting) >= MOST_WAITING:
                raise BusyError("too many logs wait to be reviewed; try again", 10)  # the earlier review stays
            for earlier in [each for each in self._known.values() if each.visitor == visitor]:
                self._forget(earlier)
            return self._add(LogReview(visitor, name, text))

    def state(self, job: LogReview) -> dict[str, Any]:
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

    def _forget(self, job: LogReview) -> None:
        super()._forget(job)
        job.text = ""

    def _end(self, job: LogReview, phase: str, problem: str | None = None) -> None:
        job.text = ""
        super()._end(job, phase, None if problem is None else printable(problem)[:_QUOTED])

    def _trim(self) -> None:
        kept = [each for each in self._known.values() if each.review is not None]
        while sum(_size(each) for each in kept) > MOST_KEPT and len(kept) > 1:
            self._forget(kept.pop(0))
        failed = [each for each in self._known.values() if each.phase == "failed"]
        for each in failed[: -2 * MOST_WAITING]:
            self._forget(each)

    def _is_left(self, job: LogReview) -> bool:
        return self._is_closed or (job.has_left(_LEFT_AFTER) if self._waiting else job.is_stopped)

    def _do(self, job: LogReview) -> None:
        def go_on() -> None:
            if self._is_left(job):
                raise LeftError

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
        job.review = reviewed.summed_up(found, without_luck(reviewed.logged, strategy, go_on))

    def _read(self, job: LogReview, go_on: Any, omissions: Omissions) -> Iterator[LoggedHand]:
        hands = read_text(job.text, job.name, self._strategy.betting, omissions)
        for hand in islice(hands, MOST_HANDS):
            go_on()
            yield hand
        if next(hands, None) is not None:
            raise BadInputError(
                f"{job.name}: more than {MOST_HANDS:,} hands; drop it in parts, or ask `cfr review` in a terminal"
            )


def _size(job: LogReview) -> int:
    """About how many kilobytes a review takes."""
    if job.review is None:
        return 0
    return 1 + len(job.played) + len(job.review.decisions) + _PLAYER * len(job.review.players)
