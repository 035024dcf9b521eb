"""Commands that meet other bots and people: a player for the ACPC's dealer, and reviews of logs."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

from cfr.cli import flags
from cfr.system.cores import usable_cores


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's commands to the command line."""
    acpc = command(
        "acpc",
        _acpc,
        "play at a dealer of the computer poker competition",
        "cfr acpc hulhe.h5 localhost 18791",
    )
    acpc.add_argument("file", metavar="FILE", help="strategy file or built-in")
    acpc.add_argument("host", metavar="HOST", help="where the dealer is")
    acpc.add_argument("port", type=flags.port, metavar="PORT", help="where it waits for this player")
    flags.add_resolve(acpc)
    flags.add_json(acpc)

    review = command("review", _review, "compare a log's decisions with a strategy", "cfr review session.log")
    review.add_argument("log", type=Path, metavar="LOG", help="ACPC (.log) or PHH (.phh, .phhs)")
    review.add_argument(
        "--strategy", metavar="FILE", help="strategy file, built-in, or small, the one supplied (default)"
    )
    review.add_argument(
        "--ev",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="compute the expected value that each decision lost (default); a flop spot takes seconds of a core",
    )
    flags.add_resolve(review)
    review.add_argument("--player", metavar="NAME", help="review only the decisions of this player")
    what = "how many spots are computed at a time (default: all cores, %(default)s)"
    review.add_argument("--threads", type=flags.threads, default=usable_cores(), metavar="T", help=what)
    flags.add_progress(review)
    flags.add_json(review)


def _acpc(options: argparse.Namespace) -> None:
    from cfr.play.acpc_client import play_match
    from cfr.subgame.opening import open_named

    with open_named(options.file, options.resolve) as strategy:
        result = play_match(strategy, options.host, options.port)
    flags.show(options, asdict(result), str(result))


def _review(options: argparse.Namespace) -> None:
    from tqdm import tqdm

    from cfr.study.review import ReviewStopped, review
    from cfr.subgame.opening import open_named

    with open_named(options.strategy, options.resolve) as strategy:
        try:
            result = review(
                options.log,
                strategy,
                player=options.player,
                ev=options.ev,
                threads=options.threads,
                announce=lambda text: tqdm.write(f"cfr: {text}", file=sys.stderr),  # which leaves bars whole
                progress=flags.wants_progress(options),
            )
        except ReviewStopped as stopped:
            if stopped.review.hands:
                flags.show(options, stopped.review.to_dict(), str(stopped.review))
            raise
    flags.show(options, result.to_dict(), str(result))
