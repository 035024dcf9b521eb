"""The web application: its features under their paths. ``docs/web.md`` lists the requests for programs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from cfr.game.words import ROUND_NAMES
from cfr.opponents.shelf import Shelf
from cfr.play.learning_player import is_learner
from cfr.strategy.files.measured import exploitability_of_file
from cfr.strategy.strategy import BaseStrategy
from cfr.study.reviews.hand_database import HandDatabase
from cfr.web.explore.downloads import Downloads
from cfr.web.explore.flops import flop_lines
from cfr.web.explore.library import Library
from cfr.web.explore.routes import ExploreRoutes
from cfr.web.explore.saved import SavedRoutes
from cfr.web.opponents.modelled_logs import ModelledLogs
from cfr.web.opponents.routes import OpponentRoutes
from cfr.web.page import STATIC, whole_page
from cfr.web.review.database import DatabaseRoutes
from cfr.web.review.reviews import LogReviews
from cfr.web.review.routes import ReviewRoutes
from cfr.web.server.endpoints import Endpoint, Endpoints, json_response, refusal, to_json
from cfr.web.server.guard import App, Guard
from cfr.web.server.table import Table
from cfr.web.server.visitors import Rates, Visitors
from cfr.web.spots.exact import ExactSpots
from cfr.web.spots.routes import SpotRoutes
from cfr.web.store.group_commit import Together
from cfr.web.store.saved_spots import SavedSpots
from cfr.web.store.sessions import Sessions
from cfr.web.table.learner import Learner
from cfr.web.table.luck import Adjuster
from cfr.web.table.routes import TableRoutes
from cfr.web.train.routes import TrainerRoutes
from cfr.web.watch.routes import WatchRoutes
from cfr.web.watch.watched import WatchedMatches

MAX_VALUES_WAITING = 16  # spots whose values are worked out, seconds each on the flop
_VIEWS = ("/", "/explore", "/play", "/train", "/watch", "/review", "/opponents")
_NOWHERE = (
    '<!doctype html><html lang="en"><title>cfr</title>'
    '<p>There is no page at this address. <a href="/">Go to the first page</a>.</p></html>'
)


def create_app(
    strategy: BaseStrategy,
    sessions: Sessions,
    *,
    name: str,
    seed: int | None = None,
    hosts: Collection[str] | None = None,
    rates: Rates | None = None,
    adjuster: Adjuster | None = None,
    exact: ExactSpots | None = None,
    origin: str | None = None,
    watched: WatchedMatches | None = None,
    others: Mapping[str, BaseStrategy] | None = None,
    reviews: LogReviews | None = None,
    database: HandDatabase | None = None,
    shelf: Shelf | None = None,
    modelled: ModelledLogs | None = None,
    learner: Learner | None = None,
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
        origin: under which a proxy publishes the page, see :class:`cfr.web.server.guard.Guard`.
        watched: matches that visitors can watch; None offers none.
        others: more strategies of the game to look at and compare, by name.
        reviews: reviews of visitors' logs; None offers none.
        database: reviewed hands of the game that all visitors see; None offers none.
        shelf: players' models and counter-strategies that all visitors see; None offers none.
        modelled: adds models to the shelf from visitors' logs; None takes none.
        learner: a player that learns from visitors, closed when the application ends; None offers none.

    Raises:
        BadInputError: a game without a grid, or strategies of two games.
        DamagedFileError: a strategy that cannot be read.
    """
    library = Library({name: strategy, **(others or {})}, MAX_VALUES_WAITING, shelf)
    visitors = Visitors(sessions, rates or Rates())

    def bot(against: str, shares: Sequence[float]) -> BaseStrategy:
        return learner.strategy(against, shares) if learner and is_learner(against) else library.strategy(against)

    table, together = Table(strategy, name, seed, bot), Together(sessions)
    explore, downloads = ExploreRoutes(library, visitors, MAX_VALUES_WAITING), Downloads(library, visitors)
    reviewer = None if reviews is None else ReviewRoutes(reviews, visitors)
    kept = None if database is None else DatabaseRoutes(database, strategy.betting, visitors)
    spots = None if exact is None else SpotRoutes(exact, visitors)
    watch = None if watched is None else WatchRoutes(watched, visitors)
    opponents = None if shelf is None else OpponentRoutes(shelf, library.named, visitors, modelled)
    kept_by = (table, sessions, together, MAX_VALUES_WAITING, visitors)
    trainer = TrainerRoutes(strategy, name, library.strategy, *kept_by)
    tables = TableRoutes(strategy, table, sessions, together, adjuster, visitors, learner)
    small = tables.endpoints | trainer.endpoints
    small |= SavedRoutes(SavedSpots(sessions), together, visitors).endpoints
    large = explore.endpoints | downloads.endpoints
    for each in (spots, reviewer, kept, watch, opponents):
        large |= {} if each is None else each.endpoints
    small |= {} if opponents is None else opponents.downloads
    about = _about(strategy, name) | {
        "solves": exact is not None,
        "watches": watched is not None,
        "reviews": reviews is not None,
        "database": None if database is None else database.path.name,
        "opponents": shelf is not None,
        "learner": None if learner is None else learner.names,
        "opponent_log_bytes": None if opponents is None else opponents.most_bytes,
        "files": downloads.kinds,
        "review_limits": None if reviewer is None else reviewer.limits,
    }
    page = whole_page(strategy.game)

    async def home(request: Request) -> Response:
        return HTMLResponse(page)

    async def game(request: Request) -> Response:
        visitors.count(request)
        return json_response(to_json(about | {"strategies": await visitors.beside(library.about)}))

    endpoints: dict[str, App] = {**small, "/api/game": Endpoint(game), **{path: Endpoint(home) for path in _VIEWS}}
    endpoints |= {path: _smaller(endpoint) for path, endpoint in large.items()}

    closing = (sessions, spots, watch, reviewer, kept, opponents, explore, trainer, library, learner, visitors)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for closed in closing:
                if closed is not None:
                    stack.callback(closed.close)
            if adjuster is not None:
                await stack.enter_async_context(adjuster.running(sessions, together))
            yield

    static = Starlette(
        routes=[Mount(path, _smaller(StaticFiles(directory=folder))) for path, folder in STATIC.items()],
        exception_handlers={HTTPException: _refused},
        lifespan=lifespan,
    )
    return Guard(Endpoints(endpoints, static), hosts, origin)


def _about(strategy: BaseStrategy, name: str) -> dict[str, Any]:
    """What is played and by whom, for the page."""
    game = strategy.game
    return {
        "game": game.name,
        "strategy": name,
        "blinds": sorted(game.blinds),
        "raise_sizes": list(game.raise_sizes),
        "board_cards": list(game.num_board_cards),
        "exploitability_mbb": exploitability_of_file(getattr(strategy, "attributes", {})),
        "flop_lines": flop_lines(strategy),
        "resolve": next((name for number, name in enumerate(ROUND_NAMES) if strategy.re_solves(number)), None),
    }


def _smaller(app: App) -> GZipMiddleware:
    return GZipMiddleware(app, minimum_size=2048, compresslevel=4)


async def _refused(request: Request, error: Exception) -> Response:
    is_missing = isinstance(error, HTTPException) and error.status_code == HTTPStatus.NOT_FOUND
    if is_missing and "text/html" in request.headers.get("accept", ""):  # a browser's address line
        return HTMLResponse(_NOWHERE, HTTPStatus.NOT_FOUND)
    return refusal(request, error)
