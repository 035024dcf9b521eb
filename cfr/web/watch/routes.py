"""Requests about matches that are watched: who plays, and one hand."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from cfr.web.server.endpoints import Endpoint, json_response, text_of, to_json
from cfr.web.server.visitors import Visitors
from cfr.web.server.worker import BusyError, Worker
from cfr.web.watch.watched import WatchedMatches

MOST_HANDS = 10_000  # of a match
_MOST_WAITING = 16


class WatchRoutes:
    """The endpoints of watched matches.

    Args:
        watched: what plays.
        visitors: who asks.
    """

    def __init__(self, watched: WatchedMatches, visitors: Visitors) -> None:
        self._watched, self._count = watched, visitors.count
        self._worker, self._waiting = Worker("watch"), 0

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """By path."""
        return {"/api/watch": Endpoint(self.players), "/api/watch/hand": Endpoint(self.hand)}

    def close(self) -> None:
        """Play no further."""
        self._worker.close()

    async def players(self, request: Request) -> Response:
        self._count(request)
        return json_response(to_json({"players": list(self._watched.names), "hands": MOST_HANDS}))

    async def hand(self, request: Request) -> Response:
        self._count(request)
        first, second = (self._number(request, name, 0, len(self._watched.names) - 1) for name in ("first", "second"))
        number = self._number(request, "number", 1, MOST_HANDS)
        if self._waiting >= _MOST_WAITING:
            raise BusyError("too many watch; try again")
        self._waiting += 1
        try:
            answer = await self._worker.run(lambda: to_json(self._watched.hand(first, second, number)))
        finally:
            self._waiting -= 1
        return json_response(answer)

    @staticmethod
    def _number(request: Request, name: str, least: int, most: int) -> int:
        text = text_of(request, name)
        if not (text.isascii() and text.isdecimal() and least <= int(text) <= most):
            raise HTTPException(400, f"{name} {text!r}; expected a number from {least} to {most:,}")
        return int(text)
