"""The command that reviews a log of hands."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from cfr.cli import flags
from cfr.system.cores import usable_cores

if TYPE_CHECKING:
    from cfr.study.reviewed import Review


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's command to the command line."""
    review = command("review", _review, "compare decisions in logs with a strategy", "cfr review session.log")
    review.add_argument(
        "logs",
        nargs="+",
        metavar="LOG",
        help="ACPC (.log), PHH (.phh, .phhs) or a card room's text (.txt, .xml); a folder with all below it; - for "
        "standard input",
    )
    review.add_argument(
        "--strategy", metavar="FILE", help="strategy file, built-in, or small, the one supplied (default)"
    )
    review.add_argument(
        "--ev",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="compute the expected value that each decision lost (default); a flop takes a second of a core",
    )
    flags.add_resolve(review)
    review.add_argument("--player", metavar="NAME", help="review only the decisions of this player")
    what = "how many spots are computed at a time (default: all cores, %(default)s)"
    review.add_argument("--threads", type=flags.threads, default=usable_cores(), metavar="T", help=what)
    what = "write the decisions as a table; the columns' sums are the totals"
    review.add_argument("--out", type=Path, metavar="x.csv|.parquet", help=what)
    flags.add_progress(review)
    flags.add_json(review)


def _review(options: argparse.Namespace) -> None:
    from tqdm import tqdm

    from cfr.resolving.named_strategy import open_whole
    from cfr.strategy.hand_table import check_out
    from cfr.study.review import ReviewStopped, review

    if options.out is not None:
        check_out(options.out)  # now, not when the work is done
    with open_whole(options.strategy, options.resolve) as strategy:
        try:
            result = review(
                options.logs,
                strategy,
                player=options.player,
                ev=options.ev,
                threads=options.threads,
                announce=lambda text: tqdm.write(f"cfr: {text}", file=sys.stderr),  # which leaves bars whole
                progress=flags.wants_progress(options),
            )
        except ReviewStopped as stopped:
            if stopped.review.hands:
                _show_review(options, stopped.review)
            raise
    _show_review(options, result)


def _show_review(options: argparse.Namespace, found: Review) -> None:
    from cfr.strategy.hand_table import write

    if options.out is not None:
        write(options.out, found.columns())
    flags.show(options, found.to_dict(), str(found))
