"""Requests about reviews: a log comes in; progress, totals and decisions go out."""

from __future__ import annotations

import io

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from cfr.game.words import ROUND_NAMES
from cfr.strategy.hand_table import write_csv
from cfr.study.reviews.decision import KINDS
from cfr.study.reviews.reviewed import Review
from cfr.web.review.questions import choice_of, decision_view, hand_view, number_of
from cfr.web.review.reviews import LogReview, LogReviews
from cfr.web.server.endpoints import MAX_NAME, NO_STORE, Endpoint, body_of, json_response, log_of, text_of, to_json
from cfr.web.server.visitors import Visitors

MOST_BYTES = 2_000_000  # of a log
PAGE = 50  # decisions at a time
_KINDS = ("", *KINDS.values(), "check")


class ReviewRoutes:
    """The endpoints of reviews.

    Args:
        reviews: what reviews.
        visitors: who asks.
    """

    def __init__(self, reviews: LogReviews, visitors: Visitors) -> None:
        self._reviews, self._visitors = reviews, visitors

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """By path."""
        return {
            "/api/review": Endpoint(self.state),
            "/api/review/start": Endpoint(self.start, "POST"),
            "/api/review/stop": Endpoint(self.stop, "POST"),
            "/api/review/decisions": Endpoint(self.decisions),
            "/api/review/hand": Endpoint(self.hand),
            "/api/review.csv": Endpoint(self.export_csv),
            "/api/review.json": Endpoint(self.export_json),
        }

    @property
    def limits(self) -> dict[str, int]:
        """The most ``hands`` and ``bytes`` of a log."""
        return {"hands": self._reviews.most_hands, "bytes": MOST_BYTES}

    def close(self) -> None:
        """Review no further."""
        self._reviews.close()

    async def start(self, request: Request) -> Response:
        session = self._visitors.find(request)
        name, text = await log_of(request, MOST_BYTES)
        session, remember = self._visitors.admit(request, session)
        job = self._reviews.start(session.id, name, text)
        response = self._shown(job)
        remember(response)
        return response

    async def state(self, request: Request) -> Response:
        return self._shown(self._known(request, text_of(request, "id")))

    async def stop(self, request: Request) -> Response:
        self._visitors.find(request)
        body = await body_of(request, {"id": str})
        job = self._reviews.find(body["id"])
        if job is not None:
            self._reviews.stop(job)
        return json_response("{}")

    async def decisions(self, request: Request) -> Response:
        job = self._done(request)
        review = _review_of(job)
        player = number_of(request, "player", len(review.players) - 1)
        round_, kind = choice_of(request, "round", ("", *ROUND_NAMES)), choice_of(request, "kind", _KINDS)
        only_mistakes = choice_of(request, "mistakes", ("", "0", "1")) == "1"
        offset = number_of(request, "offset", len(review.decisions)) or 0
        name = None if player is None else review.players[player].player
        found = [
            (place, each)
            for place, (_, here) in enumerate(job.played)
            for each in here
            if name in (None, each.player)
            and round_ in ("", ROUND_NAMES[each.state.round])
            and kind in ("", each.kind)
            and (each.is_mistake or not only_mistakes)
        ]
        found.sort(key=lambda each: -1.0 if each[1].ev_lost is None else each[1].ev_lost, reverse=True)
        lost = [each.ev_lost for _, each in found if each.ev_lost is not None]
        answer = {
            "count": len(found),
            "ev_lost_mbb": sum(lost) if lost else None,
            "decisions": [decision_view(each) | {"hand_id": place} for place, each in found[offset : offset + PAGE]],
            "more": offset + PAGE < len(found),
        }
        return json_response(to_json(answer))

    async def hand(self, request: Request) -> Response:
        played = self._done(request).played
        place, player = number_of(request, "hand", len(played) - 1) or 0, text_of(request, "player", MAX_NAME)
        if not played:
            raise HTTPException(404, "the log has no hand")
        following = place + 1 if place + 1 < len(played) else None
        return json_response(to_json(hand_view(*played[place], player, following)))

    async def export_csv(self, request: Request) -> Response:
        text = io.StringIO()
        write_csv(text, _review_of(self._done(request)).columns())
        return Response(text.getvalue(), headers=_attached("review.csv"), media_type="text/csv")

    async def export_json(self, request: Request) -> Response:
        text = to_json(_review_of(self._done(request)).to_dict())
        return Response(text, headers=_attached("review.json"), media_type="application/json")

    def _shown(self, job: LogReview) -> Response:
        return json_response(to_json(self._reviews.state(job)))

    def _known(self, request: Request, id_: str) -> LogReview:
        self._visitors.find(request)
        job = self._reviews.find(id_)
        if job is None:
            raise HTTPException(404, "no such review is kept; drop the log again")
        return job

    def _done(self, request: Request) -> LogReview:
        job = self._known(request, text_of(request, "id"))
        if job.review is None:
            raise HTTPException(409, "the log is not reviewed yet")
        return job


def _review_of(job: LogReview) -> Review:
    assert job.review is not None
    return job.review


def _attached(name: str) -> dict[str, str]:
    return NO_STORE | {"content-disposition": f'attachment; filename="{name}"'}
