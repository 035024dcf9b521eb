"""The command that reviews a log of hands."""

from __future__ import annotations

import argparse
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from cfr.cli import flags
from cfr.game.words import ROUND_NAMES
from cfr.system.cores import usable_cores
from cfr.system.errors import BadInputError
from cfr.system.text import counted

if TYPE_CHECKING:
    from cfr.study.reviews.hand_database import Choice
    from cfr.study.reviews.reviewed import Review


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's command to the command line."""
    review = command(
        "review", _review, "compare decisions in logs with a strategy", "cfr review session.log --worst 10"
    )
    review.add_argument(
        "logs",
        nargs="*",
        metavar="LOG",
        help="ACPC (.log), PHH (.phh, .phhs), a card room's text (.txt, .xml) or the IRC poker database (hdb); a "
        "folder with all below it; - for standard input",
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
    what = "keep the reviewed hands in this SQLite file; hands that are in it count once; without LOG, summarise it"
    review.add_argument("--db", type=Path, metavar="hands.db", help=what)
    chosen = review.add_argument_group("which hands and decisions; a player's sums are of these")
    chosen.add_argument("--since", type=_day, metavar="DAY", help="hands from this day on, such as 2026-11-28")
    chosen.add_argument("--until", type=_day, metavar="DAY", help="hands up to this day")
    chosen.add_argument("--round", choices=ROUND_NAMES, default="", help="decisions of this round")
    chosen.add_argument("--line", default="", metavar="LINE", help="decisions after this betting; or all below rc/*")
    chosen.add_argument("--lost", type=float, metavar="MBB", help="decisions that lose at least this")
    what = (
        "list only the N decisions that lose most, the costliest first; the sums are of all (default: all of a log, 20 "
        "of a database)"
    )
    chosen.add_argument("--worst", type=flags.count, metavar="N", help=what)
    flags.add_progress(review)
    flags.add_json(review)


def _review(options: argparse.Namespace) -> None:
    from tqdm import tqdm

    from cfr.resolving.named_strategy import open_whole
    from cfr.strategy.hand_table import check_out
    from cfr.study.reviews.review import ReviewStopped, review

    for log in options.logs:
        if log != "-":
            Path(log).stat()  # a log that is missing is named first
    if options.out is not None:
        check_out(options.out)  # now, not when the work is done
    if options.db is not None:
        _review_database(options)
        return
    if not options.logs:
        raise BadInputError("no LOG; expected files, folders or -, or --db hands.db")
    if not options.ev and (options.lost is not None or options.worst is not None):
        name = "--worst" if options.lost is None else "--lost"
        raise BadInputError(f"{name}: with --no-ev no loss is known; leave one of them out")
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
                choice=_choice(options).read(strategy.betting),
            )
        except ReviewStopped as stopped:
            if stopped.review.hands:
                _show_review(options, stopped.review)
            raise
    _show_review(options, result)


def _review_database(options: argparse.Namespace) -> None:
    from cfr.resolving.named_strategy import open_whole
    from cfr.study.reviews.hand_archive import SHOWN, extend, summary
    from cfr.study.reviews.hand_database import HandDatabase

    with (
        open_whole(options.strategy, options.resolve) as strategy,
        HandDatabase(options.db, strategy if options.logs else None, ev=options.ev) as database,
    ):
        if options.logs:
            progress = flags.wants_progress(options)
            added = extend(database, options.logs, strategy, ev=options.ev, threads=options.threads, progress=progress)
            print(f"cfr: {options.db}: {counted(added, 'hand')} reviewed, {database.hands:,} in all", file=sys.stderr)
        is_whole = options.worst is None and (options.json or options.out is not None)
        most = None if is_whole else options.worst or SHOWN
        found = summary(database, _choice(options).read(strategy.betting), strategy, most=most)
    _show_review(options, found)


def _choice(options: argparse.Namespace) -> Choice:
    from cfr.study.reviews.hand_database import Choice

    days = options.since or "", options.until or ""
    return Choice(options.player, *days, options.round, options.line, options.lost)


def _day(text: str) -> str:
    """A day as the database writes it."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}; expected a day such as 2026-11-28") from None


def _show_review(options: argparse.Namespace, found: Review) -> None:
    from cfr.strategy.hand_table import write

    if options.worst is not None:
        found = found.costliest(options.worst)
    if options.out is not None:
        write(options.out, found.columns())
    wrote = "" if options.out is None else f"\nwrote {options.out}"
    flags.show(options, found.to_dict(), f"{found}{wrote}")
