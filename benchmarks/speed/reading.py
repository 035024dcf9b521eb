"""Reading: how fast the hands of each format that we write are read and reviewed, in how much memory.

``python -m benchmarks.speed.reading`` plays 20,000 hands of the supplied strategy against itself (``--hands``), writes
them as ``.log``, ``.phhs`` and ``.txt``, and reads each file in a process of its own. It prints, all in one run: hands
per core-second of reading alone (median) and of a review without EVs, the ratio of reading to that of the ``.log``, and
the most memory that the process had. The review compares with uniform play (``--judge``). ``--log FILE`` does the same
with the hands of an ACPC log that shows all cards, four times over with other numbers.

The totals of all formats must agree: hands, results of both players, and the first player's decisions. The fingerprint
is of these totals.
"""

import argparse
import multiprocessing
import resource
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

from cfr.formats.logs import HandLog, read_log
from cfr.game.betting import BettingTree
from cfr.game.hand import Deal, HandRecord, LoggedHand
from cfr.game.rules import Game
from cfr.play.match import match
from cfr.play.strategy_player import StrategyPlayer
from cfr.resolving.named_strategy import open_named
from cfr.study.reviews.review import review

FORMATS = (".log", ".phhs", ".txt")
COPIES = 4  # of the hands of --log
RESULTS = ("player", "hands", "mbb_per_game")
AGREEMENT = ("decisions", "unseen", "mean_probability", "likeliest", "never", "done")
Totals = list[dict[str, Any]]


def write(hands: Sequence[LoggedHand], first: str, path: Path, copies: int) -> None:
    """Write hands whose cards are all known, as a match of the first player and another one."""
    second = next(name for name in hands[0].players if name != first)
    with HandLog(path, hands[0].seen.state.tree.game, (first, second)) as log:
        for _ in range(copies):
            for hand in hands:
                record = HandRecord.of(Deal(hand.seen.hands, hand.seen.board), hand.seen.state)
                log.write(record, hand.players.index(first))


def measure(path: Path, judge: str, first: str, repeats: int) -> tuple[int, float, float, float, Totals]:
    """Hands, core-seconds of reading and of a review, the most memory in GB, and the totals; in a new process."""
    tree, times, hands = BettingTree(Game.bundled("hulhe")), [], 0
    for _ in range(repeats):
        started = time.process_time()
        hands = sum(1 for _ in read_log(path, tree))
        times.append(time.process_time() - started)
    with open_named(judge) as opened:
        started = time.process_time()
        found = review(path, opened, ev=False)
        took = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return hands, median(times), took, peak, list(totals(found.player_totals(), first))


def totals(players: Totals, first: str) -> Iterator[dict[str, Any]]:
    """What each format says alike: a card room's text does not show what the other player folds."""
    for each in sorted(players, key=lambda each: each["player"] != first):
        names = RESULTS + AGREEMENT if each["player"] == first else RESULTS
        yield {name: round(each[name], 9) if isinstance(each[name], float) else each[name] for name in names}


def compare(hands: Sequence[LoggedHand], first: str, copies: int, args: argparse.Namespace) -> Totals:
    """Print a line for each format; returns the totals of all."""
    found: dict[str, tuple[int, float, float, float, Totals]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for suffix in FORMATS:
            path = Path(folder) / f"x{suffix}"
            write(hands, first, path, copies)
            spawn = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(1, mp_context=spawn) as alone:
                found[suffix] = alone.submit(measure, path, args.judge, first, args.repeats).result()
            number, reading, reviewing, peak, _ = found[suffix]
            print(
                f"{suffix:6}{number:,} hands of {path.stat().st_size / number:,.0f} bytes; "
                f"{number / reading:,.0f} hands per core-second read, {number / reviewing:,.0f} reviewed without EVs; "
                f"{reading / found['.log'][1]:.2f} times the .log's reading; {peak:.2f} GB at the peak"
            )
    first_found = found[".log"][-1]
    for suffix, (*_, others) in found.items():
        if others != first_found:
            sys.exit(f"{suffix}: totals {others}; .log has {first_found}")
    print(f"the totals agree: {first_found}")
    return first_found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("strategy", nargs="?", default="small", help="strategy file or built-in (default %(default)s)")
    parser.add_argument("--hands", type=int, default=20_000, help="that are played (default %(default)s)")
    parser.add_argument("--judge", default="uniform", help="whom the review compares with (default %(default)s)")
    parser.add_argument("--log", type=Path, help="an ACPC log that shows all cards, to compare as well")
    parser.add_argument("--repeats", type=int, default=5, help="of reading (default %(default)s)")
    parser.add_argument("--quick", action="store_true", help="20 hands of a rule: shows only that it works")
    args = parser.parse_args()
    if args.quick:
        args.strategy, args.hands, args.repeats = "call-raise", 20, 1
    with tempfile.TemporaryDirectory() as folder, open_named(args.strategy) as strategy:
        log = Path(folder) / "x.log"
        players = StrategyPlayer(strategy, "first"), StrategyPlayer(strategy, "second")
        match(*players, args.hands, seed=1, log=log, aivat=False)
        told = [compare(list(read_log(log, strategy.betting)), "first", 1, args)]
        if args.log:
            hands = list(read_log(args.log, strategy.betting))
            print(f"{args.log.name}, {COPIES} times over:")
            told.append(compare(hands, hands[0].players[0], COPIES, args))
    print(f"fingerprint {zlib.crc32(str(told).encode()):08x}")


if __name__ == "__main__":
    main()
