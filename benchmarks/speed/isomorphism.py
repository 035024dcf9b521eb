"""Canonical hand indices per second against a slow twin that tries every suit permutation.

``python -m benchmarks.speed.isomorphism`` prints medians of one core and a fingerprint that changes only when results
do.
"""

import argparse
import zlib
from collections.abc import Callable
from functools import partial
from itertools import permutations

import numpy as np

from benchmarks.clock import seconds
from cfr.hands.boards import BoardMap
from cfr.hands.isomorphism import HandIndexer, chance_children, full_deck, hand_classes

SUIT_PERMUTATIONS = list(permutations(range(4)))


def slow_canonical(cards: list[int], groups: tuple[int, ...]) -> list[int]:
    """The lexicographically smallest deal that a suit permutation makes of ``cards``."""
    ends = [sum(groups[: number + 1]) for number in range(len(groups))]
    return min(
        [
            card
            for cards_dealt, end in zip(groups, ends, strict=True)
            for card in sorted(c & ~3 | suits[c & 3] for c in cards[end - cards_dealt : end])
        ]
        for suits in SUIT_PERMUTATIONS
    )


def slow_twin(deals: list[list[int]], groups: tuple[int, ...]) -> list[list[int]]:
    """The canonical deal of each one."""
    return [slow_canonical(cards, groups) for cards in deals]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=200_000, help="random deals (default %(default)s)")
    parser.add_argument("--repeats", type=int, default=9, help="runs per median (default %(default)s)")
    args = parser.parse_args()

    # RandomState: its stream is frozen, and so is the fingerprint.
    deals = np.random.RandomState(2013).rand(args.hands, 52).argsort(axis=1)[:, :7].astype(np.uint8)
    hands = np.array([(low, high) for high in range(52) for low in range(high)], np.uint8)
    boards, few = deals[:200, 2:].copy(), deals[:500].tolist()
    fingerprint = 0

    def show(what: str, count: int, action: Callable[[], object]) -> float:
        rate = count / seconds(action, args.repeats)
        print(f"{what:<34}{rate / 1e6:10.3f} million/s{1e9 / rate:12.1f} ns")
        return rate

    for groups in [(2, 5), (2, 3, 1, 1)]:
        indexer = HandIndexer(groups)
        indices = indexer.index(deals)
        assert indexer.unindex(indices[:500]).tolist() == slow_twin(few, groups)
        fingerprint = zlib.crc32(indices.astype("<i8").tobytes(), fingerprint)
        fast = show(f"{groups} index", len(deals), partial(indexer.index, deals))
        show(f"{groups} unindex", len(deals), partial(indexer.unindex, indices))
        show(f"{groups} all hands of a board", len(boards) * 1326, partial(indexer.index_hands, boards, hands))
        slow = show(f"{groups} slow twin", len(few), partial(slow_twin, few, groups))
        print(f"{groups} index / slow twin: {fast / slow:,.0f}x")

    river = BoardMap((5,), full_deck())
    show("river boards located", len(deals), lambda: river.locate(deals[:, 2:]))
    show("hand classes of a board", len(boards) * 1326, lambda: hand_classes(boards, (3, 1, 1), hands, full_deck()))
    _, flops, weights = chance_children(np.empty((1, 0), np.uint8), (), 3, full_deck())
    _, turns, more_weights = chance_children(flops, (3,), 1, full_deck())
    show("turns dealt to 1,755 flops", len(turns), lambda: chance_children(flops, (3,), 1, full_deck()))
    for array in (flops, weights.astype("<i8"), turns, more_weights.astype("<i8")):
        fingerprint = zlib.crc32(array.tobytes(), fingerprint)
    print(f"fingerprint {fingerprint:08x}")


if __name__ == "__main__":
    main()
