"""Who asks: sessions of requests, their cookies and rates, and work beside the event loop."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from cfr.web.server.endpoints import cookie_of
from cfr.web.server.guard import Buckets
from cfr.web.server.worker import BusyError
from cfr.web.store.records import Hand, Session
from cfr.web.store.sessions import Sessions

COOKIE = "cfr_session"
MAX_WAITING = 100  # spots that are asked for and not answered yet
T = TypeVar("T")


@dataclass(frozen=True)
class Rates:
    """Requests per second, and at once after a rest: of a session, and of an address without one."""

    session: tuple[float, float] = (50, 200)
    address: tuple[float, float] = (50, 400)


class Visitors:
    """Who asks, and work beside the event loop.

    Args:
        sessions: where players are kept.
        rates: how often sessions and addresses may ask.
    """

    def __init__(self, sessions: Sessions, rates: Rates) -> None:
        self._sessions = sessions
        self._by_session, self._by_address = Buckets(*rates.session), Buckets(*rates.address)
        # One at a time, beside the event loop: a spot takes tens of milliseconds, an action at the table one.
        self._workers = ThreadPoolExecutor(1, "explore")
        self._waiting = 0

    def look_up(self, request: Request) -> tuple[Session | None, Hand | None]:
        """The request's session, if it has one that is known, and its latest hand.

        Counts the request against the session's rate, or without one the address's; refuses it where it is too fast.
        """
        token = cookie_of(request, COOKIE)
        session, hand = (token and self._sessions.find(token)) or (None, None)
        if session:
            wait = self._by_session.wait(session.id)
        else:
            wait = self._by_address.wait(request.client.host if request.client else "")
        if wait:
            seconds = math.ceil(wait)
            raise HTTPException(429, f"too fast; wait {seconds} s", {"retry-after": str(seconds)})
        return session, hand

    def count(self, request: Request) -> None:
        """Count a request against its sender's rate; refuses it where it is too fast."""
        self.look_up(request)

    def find(self, request: Request) -> Session | None:
        """The request's session, None where it has none; counts the request."""
        return self.look_up(request)[0]

    def know(self, request: Request) -> tuple[Session, Hand | None]:
        """The request's session and its latest hand; counts the request, and refuses it where it has no session."""
        session, hand = self.look_up(request)
        if session is None:
            raise HTTPException(401, "no session, or one that lay idle for too long; deal a hand first")
        return session, hand

    def admit(self, request: Request, session: Session | None) -> tuple[Session, Callable[[Response], None]]:
        """The session, or a new one for None, and a function that sets the session's cookie on a response.

        Each response sets the cookie anew. A browser forgets a cookie at its end, even one that was used meanwhile.
        """
        token = cookie_of(request, COOKIE)
        if session is None:
            token, session = self._sessions.start(request.client.host if request.client else "")

        def remember(response: Response) -> None:
            response.set_cookie(
                COOKIE,
                token,
                max_age=int(self._sessions.limits.idle_seconds),
                httponly=True,
                samesite="strict",
                secure=request.url.scheme == "https",
            )

        return session, remember

    async def beside(self, work: Callable[..., T], *arguments: object) -> T:
        """What some tens of milliseconds of work return, done while the event loop goes on; raises BusyError."""
        if self._waiting >= MAX_WAITING:
            raise BusyError
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._workers, work, *arguments)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Do nothing more beside the event loop."""
        self._workers.shutdown()
