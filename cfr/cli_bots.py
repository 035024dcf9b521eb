"""Commands that meet other bots and people: a player for the ACPC's dealer, and reviews of logs."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Protocol

Show = Callable[[argparse.Namespace, Any, str], None]


class AddCommand(Protocol):
    """Adds a command to the command line; returns its parser, which is still without flags."""

    def __call__(
        self, name: str, run: Callable[[argparse.Namespace], None], what: str, example: str
    ) -> argparse.ArgumentParser: ...


def add_commands(command: AddCommand, add_json: Callable[[argparse.ArgumentParser], None], show: Show) -> None:
    """Add this module's commands to the command line.

    Args:
        command: adds one.
        add_json: adds the flag ``--json``.
        show: prints a result, by the flags as JSON or as text.
    """
    acpc = command(
        "acpc",
        partial(_acpc, show),
        "play at a dealer of the computer poker competition",
        "cfr acpc hulhe.h5 localhost 18791",
    )
    acpc.add_argument("file", metavar="FILE", help="strategy file or built-in")
    acpc.add_argument("host", metavar="HOST", help="where the dealer is")
    acpc.add_argument("port", type=_port, metavar="PORT", help="where it waits for this player")
    add_json(acpc)

    review = command(
        "review", partial(_review, show), "compare a log's decisions with a strategy", "cfr review session.log"
    )
    review.add_argument("log", type=Path, metavar="LOG", help="ACPC (.log) or PHH (.phh, .phhs)")
    review.add_argument("--strategy", metavar="FILE", help="strategy file or built-in (default: the one supplied)")
    review.add_argument(
        "--ev",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="compute the expected value that each decision lost (default); a flop spot takes seconds of a core",
    )
    review.add_argument("--progress", action="store_true", help="show the bar even if stderr is not a terminal")
    add_json(review)


def _acpc(show: Show, options: argparse.Namespace) -> None:
    from cfr.acpc import play_match
    from cfr.strategy import open_strategy

    with open_strategy(options.file) as strategy:
        result = play_match(strategy, options.host, options.port)
    show(options, asdict(result), str(result))


def _review(show: Show, options: argparse.Namespace) -> None:
    from cfr.review import review
    from cfr.strategy import open_strategy

    with open_strategy(options.strategy) as strategy:
        result = review(
            options.log,
            strategy,
            ev=options.ev,
            threads=os.cpu_count() or 1,
            progress=options.progress or os.isatty(2),
        )
    show(options, result.to_dict(), str(result))


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r}; expected a port from 1 to 65535")
    return int(text)
