"""Requests about saved spots: those there are, one to keep, one to remove."""

from __future__ import annotations

from dataclasses import asdict

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from cfr.web.server.endpoints import Endpoint, body_of, json_response, to_json
from cfr.web.server.visitors import Visitors
from cfr.web.store.group_commit import Together
from cfr.web.store.records import Session
from cfr.web.store.saved_spots import SavedSpot, SavedSpots

MOST_CHARACTERS = {"name": 80, "note": 500, "address": 2_000}
_MOST_BODY = 16_384  # bytes: JSON may spell each character in six


class SavedRoutes:
    """The endpoints of saved spots.

    Args:
        saved: where spots are kept.
        together: takes their writes together with those of others.
        visitors: who asks.
    """

    def __init__(self, saved: SavedSpots, together: Together, visitors: Visitors) -> None:
        self._saved, self._together, self._visitors = saved, together, visitors

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """By path."""
        return {
            "/api/saved": Endpoint(self.show),
            "/api/saved/keep": Endpoint(self.keep, "POST"),
            "/api/saved/remove": Endpoint(self.remove, "POST"),
        }

    async def show(self, request: Request) -> Response:
        return self._shown(self._visitors.find(request))

    async def keep(self, request: Request) -> Response:
        body = await body_of(request, {"number": int, "name": str, "note": str, "address": str}, _MOST_BODY)
        for field, most in MOST_CHARACTERS.items():
            if len(body[field]) > most:
                raise HTTPException(400, f"{field}: {len(body[field])} characters; expected at most {most}")
            if any("\ud800" <= letter <= "\udfff" for letter in body[field]):
                raise HTTPException(400, f"{field}: half a character")
        if not body["name"].strip():
            raise HTTPException(400, "name: expected one")
        session = self._visitors.find(request)
        async with self._together:
            session, remember = self._visitors.admit(request, session)
            kept = 0 <= body["number"] < 2**53 and self._saved.keep(session.id, SavedSpot(**body))
        if not kept:
            raise HTTPException(409, f"spot {body['number']} is not saved any more")
        response = self._shown(session)
        remember(response)
        return response

    async def remove(self, request: Request) -> Response:
        body = await body_of(request, {"number": int})
        session, _ = self._visitors.know(request)
        async with self._together:
            if 0 < body["number"] < 2**53:
                self._saved.remove(session.id, body["number"])
        return self._shown(session)

    def _shown(self, session: Session | None) -> Response:
        return json_response(
            to_json({"spots": [asdict(each) for each in self._saved.all(session.id)] if session else []})
        )
