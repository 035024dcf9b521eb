"""Hands evaluated per second, next to phevaluator and eval7 on the same hands in the same run.

``python -m benchmarks.speed.evaluate`` prints medians of one core and a fingerprint that changes only when results do.
The others are called once per hand from Python, as their users do; install them with ``pip install 'cfr[bench]'``.
"""

import argparse
import time
import zlib
from collections.abc import Callable
from functools import partial
from importlib import import_module
from itertools import combinations, islice

import numpy as np

from benchmarks.clock import seconds
from cfr.game.cards import format_card
from cfr.game.evaluate import evaluate, strengths
from cfr.game.ranges import Range
from cfr.game.rules import Game
from cfr.hands.equity import equity

PEERS = ("phevaluator", "eval7")


def call_per_hand(peer: str, hands: list[list[int]]) -> Callable[[], list[int]]:
    """The peer's strengths of all hands, one call each; its own cards are made beforehand."""
    module = import_module(peer)
    if peer == "phevaluator":
        return lambda: [module.evaluate_cards(*hand) for hand in hands]
    cards = [module.Card(format_card(card)) for card in range(52)]
    dealt = [[cards[card] for card in hand] for hand in hands]
    return lambda: [module.evaluate(hand) for hand in dealt]


def order_of(found: np.ndarray) -> bytes:
    """The place of each strength among those that occur, as int32."""
    return np.unique(found, return_inverse=True)[1].astype(np.int32).tobytes()


def same_order(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """Do two lists of strengths agree on every comparison, whichever way round they count?"""
    ranks = np.unique(ours, return_inverse=True)[1]
    others = np.unique(theirs, return_inverse=True)[1]
    return bool((ranks == others).all() or (ranks == others.max() - others).all())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=1_000_000, help="hands in a batch (default %(default)s)")
    parser.add_argument("--repeats", type=int, default=15, help="runs per median (default %(default)s)")
    args = parser.parse_args()

    # RandomState: its stream is frozen, and so is the fingerprint.
    random = np.random.RandomState(2013).rand(args.hands, 52).argpartition(range(7), axis=1)[:, :7].astype(np.uint8)
    in_order = np.array(list(islice(combinations(range(52), 7), args.hands)), np.uint8)
    hands = Game.bundled("hulhe").hands
    fingerprint = 0

    def show(what: str, count: int, action: Callable[[], object]) -> float:
        rate = count / seconds(action, args.repeats)
        print(f"{what:<34}{rate / 1e6:10.3f} million/s{1e9 / rate:12.2f} ns")
        return rate

    evaluate(random[:1])  # makes the tables
    ours = show("seven cards, random", len(random), lambda: evaluate(random))
    show("seven cards, in order", len(in_order), lambda: evaluate(in_order))
    for cards in (6, 5):
        fewer = random[:, :cards].copy()
        show(f"{('five', 'six')[cards - 5]} cards, random", len(fewer), partial(evaluate, fewer))
        fingerprint = zlib.crc32(order_of(evaluate(fewer)), fingerprint)
    fingerprint = zlib.crc32(order_of(evaluate(random)), fingerprint)

    boards = random[:1000, :5].copy()
    show("1081 hands of a river board", len(boards), lambda: strengths(boards, hands))
    for row in strengths(boards[:50], hands):
        fingerprint = zlib.crc32(order_of(row), fingerprint)

    some = random[:20_000]
    for peer in PEERS:
        try:
            action = call_per_hand(peer, some.tolist())
        except ImportError:
            print(f"{peer:<34}  not installed")
            continue
        agree = "agrees on every order" if same_order(evaluate(some), np.array(action())) else "DISAGREES"
        theirs = show(f"{peer}, one call per hand", len(some), action)
        print(f"{'':<34}{ours / theirs:10,.0f} times as fast; {agree}")

    for first, second in (("AhKh", "QcQd"), ("22+,A2s+,KTo+", "random")):
        one, two = Range.parse(first).weights, Range.parse(second).weights
        start = time.perf_counter()
        result = equity(one, two, threads=1)
        print(f"{first + ' against ' + second:<34}{time.perf_counter() - start:10.2f} s  {result}")
        fingerprint = zlib.crc32(f"{result.win} {result.lose} {result.tie}".encode(), fingerprint)
    print(f"fingerprint {fingerprint:08x}")


if __name__ == "__main__":
    main()
