"""The web application: routes, and what is checked before anything is done. ``docs/web.md`` lists them for programs."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from cfr.game.words import ROUND_NAMES
from cfr.strategy.strategy import Spots
from cfr.study.trainer import Trainer
from cfr.web.downloads import Downloads
from cfr.web.endpoints import (
    MAX_TEXT,
    NO_STORE,
    Endpoint,
    Endpoints,
    body_of,
    cookie_of,
    json_response,
    refusal,
    strategy_of,
    text_of,
    to_json,
)
from cfr.web.exact_routes import ExactRoutes
from cfr.web.flops import flop_lines
from cfr.web.group_commit import Together
from cfr.web.guard import App, Buckets, Guard
from cfr.web.library import Library
from cfr.web.luck import Adjuster
from cfr.web.review_routes import ReviewRoutes, Reviews
from cfr.web.sessions import Hand, Session, Sessions
from cfr.web.solves import Exact
from cfr.web.study_routes import StudyRoutes
from cfr.web.table import SEATS, Table
from cfr.web.trainer_routes import TrainerRoutes
from cfr.web.values import Valuer
from cfr.web.visitors import Visitors
from cfr.web.watch_routes import Watched, WatchRoutes
from cfr.web.worker import BusyError

STATIC = Path(__file__).parent / "static"
COOKIE = "cfr_session"
MAX_WAITING = 100  # spots that are asked for and not answered yet
MAX_VALUES_WAITING = 16  # the same of spots whose values are worked out, seconds each on the flop
_VIEWS = ("/", "/explore", "/play", "/train", "/watch", "/review")
PAGE = 20  # hands of the log at a time
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
    library: Library
    table: Table
    sessions: Sessions
    about: dict[str, Any]
    by_session: Buckets
    by_address: Buckets
    together: Together
    adjuster: Adjuster | None
    # One at a time, beside the event loop: a spot takes tens of milliseconds, an action at the table one.
    explorers: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "explore"))
    waiting: int = 0

    async def home(self, request: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    async def game(self, request: Request) -> Response:
        self.count(request)
        return json_response(to_json(self.about))

    async def spot(self, request: Request) -> Response:
        self.count(request)
        board, line, name = text_of(request, "board"), text_of(request, "line"), strategy_of(request)
        answer = await self.beside(self.library.find(name).explorer.spot, board, line)
        return Response(answer, media_type="application/json")

    async def values(self, request: Request) -> Response:
        self.count(request)
        board, line, name = text_of(request, "board"), text_of(request, "line"), strategy_of(request)
        valuer = self.library.find(name).valuer
        spot = await self.beside(valuer.find, board, line)
        try:
            found = await valuer.values(spot)
        except BusyError:
            raise _busy() from None
        if found is None:
            return json_response('{"working":true}', 202)
        answer = await self.beside(valuer.answer, spot, found)
        return Response(answer, media_type="application/json")

    async def _played(self, work: Callable[..., T], *arguments: object) -> T:
        """What the table answers: at once, or where the bot solves subgames, one player after the other."""
        return work(*arguments) if self.strategy.re_solved_from is None else await self.beside(work, *arguments)

    async def beside(self, work: Callable[..., T], *arguments: object) -> T:
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
        return self._shown(*self._found(request))

    async def deal(self, request: Request) -> Response:
        body = await body_of(request, {"seat": str})
        if body["seat"] not in SEATS:
            raise HTTPException(400, f"seat {body['seat'][:MAX_TEXT]!r}; expected one of {', '.join(SEATS)}")
        session, last = self._found(request)
        if last and last.chips is None:
            raise HTTPException(409, f"hand {last.number} is not over yet")
        hand = await self._played(self.table.deal, last.number + 1 if last else 1, body["seat"])
        async with self.together:
            session, remember = self.admit(request, session)
            session = self.sessions.add(session, hand)
        if session is None:
            raise HTTPException(409, f"hand {hand.number} was already dealt")
        response = self._shown(session, hand)
        remember(response)
        return response

    async def act(self, request: Request) -> Response:
        body = await body_of(request, {"hand": int, "line": str, "action": str})
        session, hand = self._known(request)
        if hand is None or hand.number != body["hand"]:
            raise HTTPException(409, f"hand {body['hand']} is not being played")
        if hand.chips is not None:
            raise HTTPException(409, f"too late: hand {hand.number} is over")
        if hand.line != body["line"]:
            raise HTTPException(409, f"too late: hand {hand.number} went on, its line is {hand.line!r}")
        if len(body["action"]) > 1:
            raise HTTPException(400, f"action {body['action'][:MAX_TEXT]!r}; expected f, c or r")
        after = await self._played(self.table.act, hand, body["action"])
        async with self.together:
            then = self.sessions.advance(session, hand, after)
        if then is None:
            raise HTTPException(409, f"too late: hand {hand.number} went on")
        return self._shown(then, after)

    async def hint(self, request: Request) -> Response:
        _, hand = self._known(request)
        if hand is None or hand.chips is not None:
            raise HTTPException(409, "no hand is being played")
        shares = await self._played(self.table.hint, hand)
        return json_response(to_json({"hand": hand.number, "line": hand.line, "shares": shares}))

    async def hands(self, request: Request) -> Response:
        (session, _), before = self._known(request), text_of(request, "before")
        if before and not (before.isascii() and before.isdecimal() and len(before) < 16):
            raise HTTPException(400, f"before {before!r}; expected the number of a hand")
        found = list(self.sessions.hands(session, PAGE, int(before) if before else None))
        shown = ",".join(self.table.view(hand) for hand in found if hand.chips is not None)
        more = to_json(bool(found) and found[-1].number > 1)
        return json_response(f'{{"hands":[{shown}],"more":{more}}}')

    async def export(self, request: Request) -> Response:
        (session, _), before = self._known(request), None
        lines: list[str] = []
        while found := list(self.sessions.hands(session, 10 * PAGE, before)):
            lines += [self.table.log_line(hand) + "\n" for hand in found if hand.chips is not None]
            before = found[-1].number
            await asyncio.sleep(0)  # the other players' turn
        attachment = {"content-disposition": 'attachment; filename="hands.log"'}
        return PlainTextResponse("".join(reversed(lines)), headers=NO_STORE | attachment)

    async def forget(self, request: Request) -> Response:
        session, _ = self._known(request)
        async with self.together:
            self.sessions.forget(session)
        response = self._shown(None, None)
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")
        return response

    def _found(self, request: Request) -> tuple[Session | None, Hand | None]:
        """The request's session, if it has one that is known, and its latest hand.

        Counts the request against the session's rate, or without one the address's.
        """
        token = cookie_of(request, COOKIE)
        session, hand = (token and self.sessions.find(token)) or (None, None)
        if session:
            wait = self.by_session.wait(session.id)
        else:
            wait = self.by_address.wait(request.client.host if request.client else "")
        if wait:
            seconds = math.ceil(wait)
            raise HTTPException(429, f"too fast; wait {seconds} s", {"retry-after": str(seconds)})
        return session, hand

    def find(self, request: Request) -> Session | None:
        """The request's session, None where it has none; counts the request."""
        return self._found(request)[0]

    def know(self, request: Request) -> Session:
        """The request's session; refuses it where it has none."""
        return self._known(request)[0]

    def admit(self, request: Request, session: Session | None) -> tuple[Session, Callable[[Response], None]]:
        """The request's session, or a new one, and a function that sets the session's cookie on a response.

        Each response sets the cookie anew. A browser forgets a cookie at its end, even one that was used meanwhile.
        """
        token = cookie_of(request, COOKIE)
        if session is None:
            token, session = self.sessions.start(request.client.host if request.client else "")

        def remember(response: Response) -> None:
            response.set_cookie(
                COOKIE,
                token,
                max_age=int(self.sessions.limits.idle_seconds),
                httponly=True,
                samesite="strict",
                secure=request.url.scheme == "https",
            )

        return session, remember

    def count(self, request: Request) -> None:
        """Count a request against its sender's rate; refuses it where it is too fast."""
        self._found(request)

    def _known(self, request: Request) -> tuple[Session, Hand | None]:
        session, hand = self._found(request)
        if session is None:
            raise HTTPException(401, "no session, or one that lay idle for too long; deal a hand first")
        return session, hand

    def _shown(self, session: Session | None, hand: Hand | None) -> Response:
        if self.adjuster and hand and hand.chips is not None and hand.adjusted is None:
            self.adjuster.wake()
        result = to_json((session or _EMPTY).result(self.strategy.game.big_blind))
        view = self.table.view(hand) if hand else "null"
        return json_response(f'{{"hand":{view},"result":{result}}}')


def create_app(
    strategy: Spots,
    sessions: Sessions,
    *,
    name: str,
    seed: int | None = None,
    hosts: Collection[str] | None = None,
    rates: Rates | None = None,
    adjuster: Adjuster | None = None,
    exact: Exact | None = None,
    origin: str | None = None,
    watched: Watched | None = None,
    others: Mapping[str, Spots] | None = None,
    reviews: Reviews | None = None,
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
        exact: solves spots; None leaves them unsolved.
        origin: under which a proxy publishes the page, see :class:`cfr.web.guard.Guard`.
        watched: matches that visitors can watch; None offers none.
        others: more strategies of the game to look at and compare, by name.
        reviews: reviews of visitors' logs; None offers none.

    Raises:
        UnknownSpotError: a game without a 13x13 grid, or strategies of two games.
        DamagedFileError: a strategy that cannot be read.
    """
    library, rates = Library({name: strategy, **(others or {})}, MAX_VALUES_WAITING), rates or Rates()
    about = _about(strategy, name) | {
        "solves": exact is not None,
        "watches": watched is not None,
        "reviews": reviews is not None,
        "strategies": library.about(),
    }
    table = Table(strategy, name, seed)
    buckets = (Buckets(*rates.session), Buckets(*rates.address))
    page = _Page(strategy, library, table, sessions, about, *buckets, Together(sessions), adjuster)
    trained = Valuer(strategy, MAX_VALUES_WAITING, unreached=True)
    visitors = Visitors(page.find, page.know, page.admit, page.beside)
    trainer = TrainerRoutes(Trainer(strategy, name), table, sessions, page.together, trained, visitors)
    reviewer = None if reviews is None else ReviewRoutes(reviews, visitors)
    routes = None if exact is None else ExactRoutes(exact, page.count)
    watch = None if watched is None else WatchRoutes(watched, page.count)
    downloads = Downloads(library.find, page.count, page.beside)
    study = StudyRoutes(library.find, page.count, page.beside, MAX_VALUES_WAITING)
    about |= {"files": downloads.kinds, "review_limits": None if reviewer is None else reviewer.limits}
    endpoints: dict[str, App] = {
        "/api/game": Endpoint(page.game),
        "/api/spot": _smaller(Endpoint(page.spot)),
        "/api/values": _smaller(Endpoint(page.values)),
        "/api/table": Endpoint(page.show),
        "/api/table/act": Endpoint(page.act, "POST"),
        "/api/table/deal": Endpoint(page.deal, "POST"),
        "/api/table/hint": Endpoint(page.hint),
        "/api/hands": Endpoint(page.hands),
        "/api/hands.log": Endpoint(page.export),
        "/api/session": Endpoint(page.forget, "DELETE"),
        **({path: _smaller(each) for path, each in routes.endpoints.items()} if routes else {}),
        **{path: _smaller(each) for path, each in (downloads.endpoints | study.endpoints).items()},
        **trainer.endpoints,
        **({path: _smaller(each) for path, each in reviewer.endpoints.items()} if reviewer else {}),
        **({path: _smaller(each) for path, each in watch.endpoints.items()} if watch else {}),
        **{path: Endpoint(page.home) for path in _VIEWS},
    }

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with adjuster.running(sessions, page.together) if adjuster else nullcontext():
            yield
        page.explorers.shutdown()
        library.close()
        trained.close()
        study.close()
        if reviewer is not None:
            reviewer.close()
        if watch is not None:
            watch.close()
        if routes is not None:
            routes.close()
        sessions.close()

    static = Starlette(
        routes=[Mount("/static", _smaller(StaticFiles(directory=STATIC)))],
        exception_handlers={HTTPException: _refused},
        lifespan=lifespan,
    )
    return Guard(Endpoints(endpoints, static), hosts, origin)


def _about(strategy: Spots, name: str) -> dict[str, Any]:
    """What is played and by whom, for the page."""
    game = strategy.game
    return {
        "game": game.name,
        "strategy": name,
        "blinds": sorted(game.blinds),
        "raise_sizes": list(game.raise_sizes),
        "board_cards": list(game.num_board_cards),
        "exploitability_mbb": getattr(strategy, "attributes", {}).get("exploitability_mbb"),
        "flop_lines": flop_lines(strategy),
        "resolve": None if strategy.re_solved_from is None else ROUND_NAMES[strategy.re_solved_from],
    }


def _smaller(app: App) -> GZipMiddleware:
    return GZipMiddleware(app, minimum_size=2048, compresslevel=4)


async def _refused(request: Request, error: Exception) -> Response:
    return refusal(request, error)


def _busy() -> HTTPException:
    return HTTPException(429, "too many spots are asked for; try again", {"retry-after": "1"})
