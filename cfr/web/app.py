"""The web application: routes, and what is checked before anything is done. ``docs/web.md`` lists them for programs."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator, Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from cfr.errors import CfrError, DamagedFileError, IllegalActionError
from cfr.strategy import Spots
from cfr.web.explore import Explorer
from cfr.web.guard import Buckets, Guard
from cfr.web.luck import Adjuster
from cfr.web.sessions import FullError, Hand, Session, Sessions
from cfr.web.table import SEATS, Table
from cfr.web.values import BusyError, Valuer

STATIC = Path(__file__).parent / "static"
COOKIE = "cfr_session"
COOKIE_SECONDS = 90 * 86_400
MAX_BODY = 1024  # bytes
MAX_TEXT = 64  # characters of a line or a board; the longest line has 27
MAX_WAITING = 100  # spots that are asked for and not answered yet
MAX_VALUES_WAITING = 16  # the same of spots whose values are worked out, seconds each on the flop
PAGE = 20  # hands of the log at a time
_NO_STORE = {"cache-control": "no-store"}
_EMPTY = Session(0, 0, 0, 0)
T = TypeVar("T")


@dataclass(frozen=True)
class Rates:
    """Requests per second, and at once after a rest: of a session, and of an address without one."""

    session: tuple[float, float] = (50, 200)
    address: tuple[float, float] = (50, 400)


@dataclass
class _Page:
    """What the routes share."""

    strategy: Spots
    explorer: Explorer
    valuer: Valuer
    table: Table
    sessions: Sessions
    about: dict[str, Any]
    by_session: Buckets
    by_address: Buckets
    adjuster: Adjuster | None
    # One at a time, beside the event loop: a spot takes tens of milliseconds, an action at the table one.
    explorers: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "explore"))
    waiting: int = 0

    async def home(self, request: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    async def game(self, request: Request) -> Response:
        self._session(request)
        return _json(self.about)

    async def spot(self, request: Request) -> Response:
        self._session(request)
        board, line = (_text(request, name) for name in ("board", "line"))
        answer = await self._beside(self.explorer.spot, board, line)
        return Response(answer, media_type="application/json")

    async def values(self, request: Request) -> Response:
        self._session(request)
        board, line = (_text(request, name) for name in ("board", "line"))
        spot = await self._beside(self.valuer.find, board, line)
        try:
            found = await self.valuer.values(spot)
        except BusyError:
            raise _busy() from None
        if found is None:
            return _json({"working": True}, 202)
        answer = await self._beside(self.valuer.answer, spot, found)
        return Response(answer, media_type="application/json")

    async def _beside(self, work: Callable[..., T], *arguments: object) -> T:
        """What some tens of milliseconds of work return, done while the event loop goes on."""
        if self.waiting >= MAX_WAITING:
            raise _busy()
        self.waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self.explorers, work, *arguments)
        finally:
            self.waiting -= 1

    async def show(self, request: Request) -> Response:
        session = self._session(request)
        return self._shown(session, self.sessions.last(session) if session else None)

    async def deal(self, request: Request) -> Response:
        body = await _body(request, {"seat": str})
        if body["seat"] not in SEATS:
            raise HTTPException(400, f"seat {body['seat'][:MAX_TEXT]!r}; expected one of {', '.join(SEATS)}")
        session, token = self._session(request), None
        last = self.sessions.last(session) if session else None
        if last and last.chips is None:
            raise HTTPException(409, f"hand {last.number} is not over yet")
        if session is None:
            token, session = self.sessions.start()
        hand = self.table.deal(last.number + 1 if last else 1, body["seat"])
        if not self.sessions.add(session, hand):
            raise HTTPException(409, f"hand {hand.number} was already dealt")
        response = self._shown(session, hand)
        if token is not None:
            response.set_cookie(
                COOKIE,
                token,
                max_age=COOKIE_SECONDS,
                httponly=True,
                samesite="strict",
                secure=request.url.scheme == "https",
            )
        return response

    async def act(self, request: Request) -> Response:
        body = await _body(request, {"hand": int, "line": str, "action": str})
        session = self._known(request)
        hand = self.sessions.last(session)
        if hand is None or hand.number != body["hand"]:
            raise HTTPException(409, f"hand {body['hand']} is not being played")
        if hand.chips is not None:
            raise HTTPException(409, f"too late: hand {hand.number} is over")
        if hand.line != body["line"]:
            raise HTTPException(409, f"too late: hand {hand.number} went on, its line is {hand.line!r}")
        if len(body["action"]) > 1:
            raise HTTPException(400, f"action {body['action'][:MAX_TEXT]!r}; expected f, c or r")
        after = self.table.act(hand, body["action"])
        if not self.sessions.advance(session, hand, after):
            raise HTTPException(409, f"too late: hand {hand.number} went on")
        return self._shown(session, after)

    async def hint(self, request: Request) -> Response:
        hand = self.sessions.last(self._known(request))
        if hand is None or hand.chips is not None:
            raise HTTPException(409, "no hand is being played")
        return _json({"hand": hand.number, "line": hand.line, "shares": self.table.hint(hand)})

    async def hands(self, request: Request) -> Response:
        session, before = self._known(request), _text(request, "before")
        if before and not (before.isascii() and before.isdecimal() and len(before) < 16):
            raise HTTPException(400, f"before {before!r}; expected the number of a hand")
        found = list(self.sessions.hands(session, PAGE, int(before) if before else None))
        shown = [self.table.view(hand) for hand in found if hand.chips is not None]
        return _json({"hands": shown, "more": bool(found) and found[-1].number > 1})

    async def export(self, request: Request) -> Response:
        session, before = self._known(request), None
        lines: list[str] = []
        while found := list(self.sessions.hands(session, 10 * PAGE, before)):
            lines += [self.table.log_line(hand) + "\n" for hand in found if hand.chips is not None]
            before = found[-1].number
            await asyncio.sleep(0)  # the other players' turn
        attachment = {"content-disposition": 'attachment; filename="hands.log"'}
        return PlainTextResponse("".join(reversed(lines)), headers=_NO_STORE | attachment)

    async def forget(self, request: Request) -> Response:
        self.sessions.forget(self._known(request))
        response = self._shown(None, None)
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")
        return response

    def _session(self, request: Request) -> Session | None:
        """The request's session, if it has one that is known; counts the request against its rate."""
        token = request.cookies.get(COOKIE)
        session = self.sessions.find(token) if token else None
        if session:
            wait = self.by_session.wait(session.id)
        else:
            wait = self.by_address.wait(request.client.host if request.client else "")
        if wait:
            seconds = math.ceil(wait)
            raise HTTPException(429, f"too fast; wait {seconds} s", {"retry-after": str(seconds)})
        return session

    def _known(self, request: Request) -> Session:
        session = self._session(request)
        if session is None:
            raise HTTPException(401, "no session, or one that lay idle for too long; deal a hand first")
        return session

    def _shown(self, session: Session | None, hand: Hand | None) -> Response:
        if session and hand and hand.chips is not None:
            # The hand may have been finished by this request: count it.
            session = self.sessions.refreshed(session)
            if self.adjuster and hand.adjusted is None:
                self.adjuster.wake()
        result = (session or _EMPTY).result(self.strategy.game.big_blind)
        return _json({"hand": hand and self.table.view(hand), "result": result})


def create_app(
    strategy: Spots,
    sessions: Sessions,
    *,
    name: str,
    seed: int | None = None,
    hosts: Collection[str] | None = None,
    rates: Rates | None = None,
    adjuster: Adjuster | None = None,
) -> Guard:
    """The page as an ASGI application.

    Args:
        strategy: what is shown, and the bot.
        sessions: where players and their hands are kept; closed when the application ends.
        name: the bot's, for the page and for logs.
        seed: of all cards; None takes the operating system's randomness.
        hosts: names under which the page is served, without ports; None for any.
        rates: how often sessions and addresses may ask.
        adjuster: works out luck-adjusted results; None leaves hands without.

    Raises:
        UnknownSpotError: a game without a 13x13 grid.
        DamagedFileError: a strategy that cannot be read.
    """
    explorer, rates = Explorer(strategy), rates or Rates()
    explorer.warm()
    game = strategy.game
    about = {
        "game": game.name,
        "strategy": name,
        "blinds": sorted(game.blinds),
        "raise_sizes": list(game.raise_sizes),
        "board_cards": list(game.num_board_cards),
    }
    table = Table(strategy, name, seed)
    buckets = (Buckets(*rates.session), Buckets(*rates.address))
    valuer = Valuer(strategy, MAX_VALUES_WAITING)
    page = _Page(strategy, explorer, valuer, table, sessions, about, *buckets, adjuster)
    smaller = [Middleware(GZipMiddleware, minimum_size=2048, compresslevel=4)]
    routes = [
        Route("/api/table/act", page.act, methods=["POST"]),
        Route("/api/table/deal", page.deal, methods=["POST"]),
        *(Route(path, page.home) for path in ("/", "/explore", "/play")),
        Route("/api/game", page.game),
        Route("/api/spot", page.spot, middleware=smaller),
        Route("/api/values", page.values, middleware=smaller),
        Route("/api/table", page.show),
        Route("/api/table/hint", page.hint),
        Route("/api/hands", page.hands),
        Route("/api/hands.log", page.export),
        Route("/api/session", page.forget, methods=["DELETE"]),
        Mount("/static", StaticFiles(directory=STATIC), middleware=smaller),
    ]

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with adjuster.running(sessions) if adjuster else nullcontext():
            yield
        page.explorers.shutdown()
        valuer.close()
        sessions.close()

    app = Starlette(
        routes=routes,
        exception_handlers={HTTPException: _refused, CfrError: _mistake, Exception: _failed},
        lifespan=lifespan,
    )
    return Guard(app, hosts)


def _busy() -> HTTPException:
    return HTTPException(429, "too many spots are asked for; try again", {"retry-after": "1"})


def _json(value: Any, status: int = 200) -> Response:
    body = json.dumps(value, separators=(",", ":"))
    return Response(body, status, headers=_NO_STORE, media_type="application/json")


def _text(request: Request, name: str) -> str:
    text: str = request.query_params.get(name, "")
    if len(text) > MAX_TEXT:
        raise HTTPException(400, f"{name}: {len(text)} characters; expected at most {MAX_TEXT}")
    return text


async def _body(request: Request, types: dict[str, type]) -> dict[str, Any]:
    """The JSON object that a request brings, with just these names and types."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "expected application/json")
    read = b""
    try:
        async for chunk in request.stream():
            read += chunk
            if len(read) > MAX_BODY:
                raise HTTPException(413, f"more than {MAX_BODY} bytes")
    except ClientDisconnect:
        raise HTTPException(400, "the request was broken off") from None
    try:
        value = json.loads(read)
    except (ValueError, RecursionError):
        raise HTTPException(400, "the body is not JSON") from None
    if not isinstance(value, dict) or set(value) != set(types):
        raise HTTPException(400, f"expected an object with {', '.join(types)}")
    for name, kind in types.items():
        if type(value[name]) is not kind:
            raise HTTPException(400, f"{name}: expected {'a number' if kind is int else 'text'}")
    return value


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    response = _json({"error": error.detail}, error.status_code)
    response.headers.update(error.headers or {})
    return response


async def _mistake(request: Request, error: Exception) -> Response:
    if isinstance(error, DamagedFileError):
        return _json({"error": str(error)}, 500)
    if isinstance(error, FullError):
        return _json({"error": str(error)}, 409)
    return _json(
        {"error": str(error)}, 409 if isinstance(error, IllegalActionError) and request.method == "POST" else 400
    )


async def _failed(request: Request, error: Exception) -> Response:
    return _json({"error": "the server failed; its log says why"}, 500)
