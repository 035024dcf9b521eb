"""The command ``cfr serve``: the web page on a port of this machine."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from cfr.cli import flags
from cfr.system.errors import UnknownSpotError
from cfr.system.extras import install_hint

if TYPE_CHECKING:
    import socket

_CONNECTIONS = 2048  # open at once
_BACKLOG = 1024  # connections that may wait until they are taken: a crowd comes at once


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's command to the command line."""
    what = "the web page: explore the ranges and play against the strategy"
    serve = command("serve", run, what, "cfr serve hulhe.h5 --port 8000")
    flags.add_file(serve)
    flags.add_resolve(serve)
    serve.add_argument(
        "--port", type=flags.port_or_free, default=8000, metavar="P", help="default: %(default)s; 0 for a free one"
    )
    where = "address to listen on (default: %(default)s, for this machine only)"
    serve.add_argument("--host", type=_host, default="127.0.0.1", metavar="HOST", help=where)
    where = "where players and their hands are kept (default: in the user's state directory)"
    serve.add_argument("--sessions", type=Path, metavar="FILE", help=where)
    what = "how many players are kept (default: 1000)"
    serve.add_argument("--max-sessions", type=flags.count, default=1000, metavar="N", help=what)
    what = "forget a player who was not there for so many days (default: 90)"
    serve.add_argument("--idle-days", type=flags.amount, default=90.0, metavar="D", help=what)
    what = "how many spots are solved exactly at a time; they share the cores (default: 1)"
    serve.add_argument("--spots", type=flags.count, default=1, metavar="N", help=what)
    flags.add_card_seed(serve, "of all cards, the same for every player")


def run(options: argparse.Namespace) -> None:
    """Serve until Ctrl-C; prints the address when the page can be opened.

    Raises:
        UnknownSpotError: the extra ``web`` is not installed, or a game that the page cannot show.
        DamagedFileError: a strategy or a file of sessions that cannot be read.
        OSError: the address is taken or not this machine's, or the sessions cannot be kept.
    """
    try:
        import uvicorn

        from cfr.web.app import create_app
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn"):
            raise
        raise UnknownSpotError(f"the page needs {error.name}: {install_hint('web')}") from None
    from cfr.strategy.bundled import DEFAULT
    from cfr.subgame.opening import open_named, resolved_name
    from cfr.web.exact import ExactSpots
    from cfr.web.explore import check_game
    from cfr.web.guard import is_loopback
    from cfr.web.luck import Adjuster
    from cfr.web.sessions import DAY, Limits, Sessions
    from cfr.web.sessions import default_path as default_sessions

    source = resolved_name(options.file or DEFAULT, options.resolve)
    with open_named(source) as strategy, _listen(options.host, options.port) as listening:
        check_game(strategy.game)
        name = _shown_name(source)
        hosts = {"localhost", "127.0.0.1", "::1", options.host} if is_loopback(options.host) else None
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
                exact=ExactSpots(strategy.blueprint, options.spots),
            )
            # Not uvloop: it takes one connection per round of its loop, and a crowd would wait for seconds.
            config = uvicorn.Config(
                app,
                loop="asyncio",
                lifespan="on",
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                limit_concurrency=_CONNECTIONS,
                timeout_graceful_shutdown=3,
            )
            host = f"[{options.host}]" if ":" in options.host else options.host
            print(f"http://{host}:{listening.getsockname()[1]}/  (Ctrl-C stops)", flush=True)
            if hosts is None:
                print("everybody who reaches this address can play and explore, unencrypted", file=sys.stderr)
            _collect_seldom()
            with suppress(KeyboardInterrupt):  # the way to stop
                uvicorn.Server(config).run(sockets=[listening])


def _shown_name(source: str) -> str:
    """The strategy's name on the page: its file's, without the suffix."""
    from cfr.strategy.built_in import BUILT_INS
    from cfr.strategy.bundled import located
    from cfr.subgame.opening import OFF, split_name

    base, resolve = split_name(source)
    name = base if base in BUILT_INS else located(base).stem
    return name if resolve == OFF else f"{name}+{resolve}"


def _collect_seldom() -> None:
    """Spare what is there from garbage collection, and players most of the rest: requests leave hardly any cycles."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 100)


def _listen(host: str, port: int) -> socket.socket:
    """A socket that already takes connections: who reads the address may come at once."""
    import socket

    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except UnicodeError:
        raise UnknownSpotError(f"--host {host!r} is no name of a machine") from None
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
