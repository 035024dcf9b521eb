"""Time of a card abstraction's build, and river boards placed per second against a plain twin.

    python -m benchmarks.speed.abstraction [--buckets 5000] [--threads 1] [--boards 2000]

The fingerprint changes when buckets do.
"""

from __future__ import annotations

import argparse
import tempfile
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from cfr.abstraction.abstraction import Abstraction
from cfr.abstraction.deck import FLOP, RIVER, TURN, Deck
from cfr.abstraction.features import board_map
from cfr.abstraction.kmeans import CentroidTree, cluster
from cfr.abstraction.opponents import standard_features
from cfr.abstraction.rows import BucketedRound
from cfr.game.evaluate import strengths
from cfr.game.rules import Game
from cfr.system.disk.cache import fingerprint

FULL = Deck()
HANDS = FULL.hands


def nearest(centroids: NDArray[np.int16], point: NDArray[np.int64]) -> int:
    return int(((centroids - point) ** 2).sum(axis=1).argmin())


def plain_rows(tree: CentroidTree, hand_clusters: NDArray[np.uint8], board: NDArray[np.uint8]) -> list[int]:
    """Buckets of all hands on a river board: each hand against every other, then every centroid."""
    known = strengths(board[None], HANDS)[0].astype(int)
    rows = []
    for hand in range(len(HANDS)):
        if not known[hand]:
            rows.append(-1)
            continue
        opponents = (known > 0) & ~np.isin(HANDS, HANDS[hand]).any(axis=1)
        won = np.bincount(hand_clusters[opponents], 1 + np.sign(known[hand] - known[opponents]), 8)
        most = 2 * np.bincount(hand_clusters[opponents], minlength=8)
        share = (1023 * won).astype(np.float32) / most.astype(np.float32) + np.float32(0.5)
        point = share.astype(np.int64)
        group = nearest(tree.coarse, point)
        inside = slice(tree.offsets[group], tree.offsets[group + 1])
        rows.append(int(tree.labels[inside][nearest(tree.fine[inside], point)]))
    return rows


def timed(label: str, start: float, unit: str = "s", scale: float = 1.0) -> None:
    print(f"{label:<42}{(perf_counter() - start) * scale:10.3f} {unit}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--buckets", type=int, default=5000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--boards", type=int, default=2000)
    arguments = parser.parse_args()
    threads, count = arguments.threads, arguments.buckets

    features = standard_features(FULL)
    start = perf_counter()
    turn = features.run_outs(board_map(FULL, TURN).boards, threads)
    timed("turn features, all hands and boards", start)
    start = perf_counter()
    features.mean_run_outs(board_map(FULL, FLOP).boards, threads, turn)
    timed("flop features from those of the turn", start)
    rng = np.random.default_rng(1)
    points = turn[rng.integers(len(turn), size=40 * count), rng.integers(len(HANDS), size=40 * count)]
    del turn
    start = perf_counter()
    cluster(points[points.any(axis=1)], count, seed=1)
    timed(f"{count} clusters of {len(points)} points", start)

    game = Game.bundled("hulhe")
    with tempfile.TemporaryDirectory() as folder:
        start = perf_counter()
        built = Abstraction.build(game, (count,) * 3, seed=1, threads=threads, cache_dir=folder)
        timed("whole build", start)
        start = perf_counter()
        Abstraction.build(game, (count,) * 3, seed=1, threads=threads, cache_dir=folder)
        timed("whole build, cached", start)
    copy = Abstraction.from_arrays(game, built.arrays())

    rows, boards = {}, {}
    for r, name, num_cards in ((FLOP, "flop", 3), (TURN, "turn", 4), (RIVER, "river", 5)):
        boards[r] = np.array([rng.permutation(52)[:num_cards] for _ in range(arguments.boards)], np.uint8)
        start = perf_counter()
        rows[r] = built.rows(r, boards[r], threads)
        timed(f"all hands of a {name} board", start, "us", 1e6 / len(rows[r]))
        hands = [int(rng.choice(np.flatnonzero(row >= 0))) for row in rows[r][:30]]
        start = perf_counter()
        for board, hand in zip(boards[r], hands, strict=False):
            copy.place(HANDS[hand].tolist(), board.tolist(), use_table=False)
        timed(f"one hand on a {name} board, no table", start, "ms", 1e3 / len(hands))

    river = built.rounds[RIVER]
    assert isinstance(river, BucketedRound)
    start = perf_counter()
    fast = built.rows(RIVER, boards[RIVER], threads)
    seconds = (perf_counter() - start) / len(fast)
    start = perf_counter()
    plain = plain_rows(river.tree, features.hand_clusters, boards[RIVER][0])
    ratio = (perf_counter() - start) / seconds
    if plain != fast[0].tolist():
        raise SystemExit("the plain twin disagrees")
    print(f"{'river boards per second':<42}{1 / seconds:10.0f} ({ratio:.0f} x the plain twin)")
    print(f"{'fingerprint':<42}{fingerprint(*rows.values()):>24}")


if __name__ == "__main__":
    main()
