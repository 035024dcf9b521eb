"""Who asks: what routes need to know of the sender of a request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from cfr.web.sessions import Session


@dataclass(frozen=True)
class Visitors:
    """Who asks, and work beside the event loop.

    Attributes:
        find: the request's session, None where it has none; counts the request.
        know: the same, or refuses it.
        admit: the session found, or a new one for None, and what makes the answer remember it.
        beside: what some tens of milliseconds of work return.
    """

    find: Callable[[Request], Session | None]
    know: Callable[[Request], Session]
    admit: Callable[[Request, Session | None], tuple[Session, Callable[[Response], None]]]
    beside: Callable[..., Awaitable[Any]]
