"""The command ``cfr serve``: the web page on a port of this machine."""

from __future__ import annotations

import argparse
import gc
import ipaddress
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from cfr.cli import flags
from cfr.system.errors import BadInputError
from cfr.system.extras import install_hint

if TYPE_CHECKING:
    import socket

    import uvicorn

    from cfr.game.rules import Game
    from cfr.opponents.shelf import Shelf
    from cfr.play.player import Player
    from cfr.strategy.strategy import BaseStrategy
    from cfr.study.reviews.hand_database import HandDatabase
    from cfr.web.opponents.modelled_logs import ModelledLogs
    from cfr.web.server.connections import Connections
    from cfr.web.server.guard import App
    from cfr.web.table.learner import Learner


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's command to the command line."""
    what = "the web page: explore the ranges and play against the strategy"
    serve = command("serve", run, what, "cfr serve --port 8000")
    flags.add_file(serve)
    serve.add_argument(
        "--port", type=flags.port_or_free, default=8000, metavar="P", help="default: %(default)s; 0 for a free one"
    )
    where = "address to listen on (default: %(default)s, for this machine only)"
    serve.add_argument("--host", type=_host, default="127.0.0.1", metavar="HOST", help=where)
    flags.add_resolve(serve)
    where = "where players and their hands are kept (default: in the user's state directory)"
    serve.add_argument("--sessions", type=Path, metavar="FILE", help=where)
    what = "how many players are kept (default: 1000)"
    serve.add_argument("--max-sessions", type=flags.count, default=1000, metavar="N", help=what)
    what = "forget a player who was not there for so many days (default: 90)"
    serve.add_argument("--idle-days", type=flags.amount, default=90.0, metavar="D", help=what)
    what = "how many spots are solved exactly at a time; they share the cores (default: 1)"
    serve.add_argument("--spots", type=flags.count, default=1, metavar="N", help=what)
    what = "a player whose matches visitors can watch: a strategy file, FILE+turn, a built-in or module:Class"
    serve.add_argument("--watch", action="append", default=[], metavar="PLAYER", help=what)
    what = "another strategy to look at on Explore, and to compare: a strategy file or FILE+turn"
    serve.add_argument("--also", action="append", default=[], metavar="FILE", help=what)
    what = "reviewed hands of `cfr review --db`, which Review shows to everybody who reaches the page"
    serve.add_argument("--db", type=Path, metavar="hands.db", help=what)
    what = (
        "folder of players' models and counter-strategies (cfr model, cfr counter), which Opponents shows; a page for "
        "this machine alone adds models to it"
    )
    serve.add_argument("--opponents", type=Path, metavar="FOLDER", help=what)
    what = "a portfolio of `cfr learn`: on Play, visitors may sit down against it, and it learns from each one's hands"
    serve.add_argument("--learn", type=Path, metavar="PORTFOLIO", help=what)
    what = "address of visitors behind a proxy, such as https://poker.example; https makes cookies Secure"
    serve.add_argument("--public-origin", type=_origin, metavar="ORIGIN", help=what)
    what = "a proxy whose X-Forwarded-For and X-Forwarded-Proto are believed: rates are then by visitor"
    serve.add_argument("--trusted-proxy", type=_address, action="append", default=[], metavar="ADDRESS", help=what)
    flags.add_card_seed(serve, "of all cards, the same for every player")


def run(options: argparse.Namespace) -> None:
    """Serve until Ctrl-C; prints the address when the page can be opened.

    Raises:
        BadInputError: the extra ``web`` is not installed, or a game that the page cannot show.
        DamagedFileError: a strategy or a file of sessions that cannot be read.
        OSError: the address is taken or not this machine's, or the sessions cannot be kept.
    """
    import asyncio

    try:
        import uvicorn  # noqa: F401 - what serves

        from cfr.web.app import create_app
        from cfr.web.server.connections import Connections, room_for_connections
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn", "httptools"):
            raise
        raise BadInputError(f"the page needs {error.name}: {install_hint('web')}") from None
    from cfr.game.hand_classes import NUM_HANDS
    from cfr.opponents.shelf import Shelf
    from cfr.play.learning_player import is_learner
    from cfr.resolving.named_strategy import open_whole, resolved_name, shown_name
    from cfr.strategy.files.bundled import DEFAULT
    from cfr.web.review.reviews import LogReviews
    from cfr.web.server.guard import is_loopback
    from cfr.web.server.spot_view import check_game
    from cfr.web.spots.exact import ExactSpots
    from cfr.web.store.sessions import DAY, Limits, Sessions
    from cfr.web.store.sessions import default_path as default_sessions
    from cfr.web.table.luck import Adjuster
    from cfr.web.watch.watched import WatchedMatches

    source = resolved_name(options.file or DEFAULT, options.resolve)
    if is_learner(source):
        raise BadInputError(
            f"{source} learns, and is not shown; visitors may play against it: cfr serve FILE --learn PORTFOLIO"
        )
    most, backlog = room_for_connections()
    with (
        open_whole(source) as strategy,
        _others(options.also, shown_name(source)) as others,
        _database(options.db, strategy) as database,
        _listen(options.host, options.port, backlog) as listening,
    ):
        check_game(strategy.game)
        shelf = None if options.opponents is None else Shelf(options.opponents, strategy.game)
        players = _players(strategy, source, options.watch)
        name = shown_name(source)
        origin: str | None = options.public_origin
        hosts, is_private = None, is_loopback(options.host) and origin is None
        if is_loopback(options.host) or origin is not None:
            hosts = {"localhost", "127.0.0.1", "::1", options.host, urlsplit(origin or "").hostname or options.host}
        limits = Limits(sessions=options.max_sessions, idle_seconds=options.idle_days * DAY)
        path = options.sessions or default_sessions(strategy.game)
        with closing(Sessions(path, strategy.game, limits)) as sessions:
            adjuster = Adjuster(source, name, strategy.betting)
            app = create_app(
                strategy,
                sessions,
                name=name,
                seed=options.seed,
                hosts=hosts,
                adjuster=adjuster,
                exact=ExactSpots(strategy.trunk, options.spots) if strategy.game.num_hands == NUM_HANDS else None,
                origin=origin,
                watched=WatchedMatches(strategy.betting, players, options.seed),
                others=others,
                reviews=LogReviews(strategy.blueprint),
                database=database,
                shelf=shelf,
                learner=_learner(options.learn, strategy.game),
                modelled=_modelled(shelf, strategy, source) if shelf and is_private else None,
            )
            connections = Connections(most, options.trusted_proxy)
            host = f"[{options.host}]" if ":" in options.host else options.host
            print(f"http://{host}:{listening.getsockname()[1]}/  (Ctrl-C stops)", flush=True)
            if hosts is None:
                print("everybody who reaches this address can play and explore, unencrypted", file=sys.stderr)
            _collect_seldom()
            with suppress(KeyboardInterrupt):  # the way to stop
                asyncio.run(_serve(app, listening, connections, backlog, options.trusted_proxy))


def _learner(path: Path | None, game: Game) -> Learner | None:
    """The player that learns from visitors; None where none was asked for."""
    from cfr.web.table.learner import Learner

    return None if path is None else Learner(path, game)


@contextmanager
def _database(path: Path | None, strategy: BaseStrategy) -> Iterator[HandDatabase | None]:
    """Reviewed hands of the strategy's game, open."""
    from cfr.study.reviews.hand_database import HandDatabase

    if path is None:
        yield None
        return
    with HandDatabase(path) as database:
        if database.game != strategy.game.text():
            raise BadInputError(f"--db {path}: its hands are of another game than {strategy.game.name}")
        yield database


def _modelled(shelf: Shelf, strategy: BaseStrategy, source: str) -> ModelledLogs | None:
    """Adds models to the shelf from visitors' logs; None where the strategy is not one file of a whole game."""
    from cfr.resolving.named_strategy import is_mix, split_name
    from cfr.strategy.files.stored import Strategy
    from cfr.web.opponents.modelled_logs import ModelledLogs

    blueprint = strategy.blueprint
    if is_mix(source) or not isinstance(blueprint, Strategy) or blueprint.is_under_refined:
        return None
    return ModelledLogs(shelf, split_name(source)[0], strategy.betting)


@contextmanager
def _others(sources: Sequence[str], first: str) -> Iterator[dict[str, BaseStrategy]]:
    """More strategies, open, by the names that the page shows."""
    from cfr.resolving.named_strategy import open_whole, shown_name

    with ExitStack() as opened:
        others: dict[str, BaseStrategy] = {}
        for source in sources:
            strategy, name = opened.enter_context(open_whole(source)), shown_name(source)
            if name == first or name in others:
                raise BadInputError(f"--also {source}: the page shows another strategy as {name}; rename the file")
            others[name] = strategy
        yield others


def _players(strategy: BaseStrategy, source: str, others: Sequence[str]) -> list[Player]:
    """Who can be watched: the strategy, others by name, and simple ones, by the names that the page shows."""
    from cfr.play.named_players import make_players, why_alone
    from cfr.play.strategy_player import StrategyPlayer
    from cfr.resolving.named_strategy import shown_name
    from cfr.strategy.built_in import BuiltIn
    from cfr.web.watch.watched import SIMPLE

    for name in others:
        if why := why_alone(name):
            raise BadInputError(f"--watch {name}: {why} plays one match; expected another player")
    players: list[Player] = [StrategyPlayer(strategy, shown_name(source))]
    for player in make_players([source, *others], strategy.game)[1][1:] if others else ():
        if isinstance(player, StrategyPlayer):
            player.name = shown_name(player.name)
        players.append(player)
    names = {player.name for player in players}
    return players + [StrategyPlayer(BuiltIn(each, strategy.game), each) for each in SIMPLE if each not in names]


def _config(app: Any, connections: Connections, backlog: int, proxies: Sequence[str]) -> uvicorn.Config:
    """How an application is served; of ``proxies`` the headers that name visitors are believed."""
    import uvicorn

    from cfr.web.server.connections import protocol

    # Not uvloop: it takes one connection per round of its loop, and a crowd would wait for seconds.
    return uvicorn.Config(
        app,
        loop="asyncio",
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        http=protocol(connections),
        ws="none",
        backlog=backlog,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        timeout_graceful_shutdown=3,
    )


async def _serve(
    app: App, listening: socket.socket, connections: Connections, backlog: int, proxies: Sequence[str]
) -> None:
    """Serve an application until Ctrl-C."""
    import asyncio
    import logging

    import uvicorn

    from cfr.web.server.connections import OncePerMinute

    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addFilter(OncePerMinute())
    sweeping = asyncio.create_task(connections.sweep())
    try:
        await uvicorn.Server(_config(app, connections, backlog, proxies)).serve(sockets=[listening])
    finally:
        sweeping.cancel()


def _collect_seldom() -> None:
    """Collect garbage seldom, and never what is there now: requests leave hardly any cycles."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 100)


def _listen(host: str, port: int, backlog: int) -> socket.socket:
    """A socket that already takes connections: a visitor may come as soon as the address is printed."""
    import socket

    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=family, backlog=backlog)
    except UnicodeError:
        raise BadInputError(f"--host {host!r} is no name of a machine") from None
    except OSError as error:
        # Numbers below 0 are the resolver's, which has words of its own.
        number = error.errno or 0
        raise OSError(number, os.strerror(number) if number > 0 else error.strerror, f"{host}:{port}") from None
    # Connections inherit it. An answer is sent in two parts; without it the second may wait 40 ms for the first.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def _host(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("''; expected an address or a name, such as 127.0.0.1")
    return text


def _origin(text: str) -> str:
    found = urlsplit(text)
    if found.scheme not in ("http", "https") or text != f"{found.scheme}://{found.netloc}" or not found.hostname:
        raise argparse.ArgumentTypeError(f"{text!r}; expected a scheme and a host, such as https://poker.example")
    return text.lower()


def _address(text: str) -> str:
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}; expected an IP address, such as 127.0.0.1") from None
