"""The clusters of a round of a hold'em-like game, found in the features of a sample of hands."""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from cfr.abstraction.features import HandFeatures, board_map
from cfr.abstraction.kmeans import CentroidTree, cluster, library_versions
from cfr.game.words import ROUND_NAMES
from cfr.system.closing import Closing
from cfr.system.disk.cache import Cache, fingerprint

_POINTS_PER_BUCKET = 40
_MIN_POINTS = 20_000
_POINTS_PER_LAST_BOARD = 24
_CHUNK = 256  # boards whose features are held at a time

# Rough shares of the time of a build, for its bar.
SECONDS = {"features": 18, "clusters": 8, "table": 4}


class Work(Closing):
    """What the steps of a build share: the features of all canonical boards, computed once, and a progress bar."""

    def __init__(self, features: HandFeatures, threads: int, progress: bool) -> None:
        from tqdm import tqdm  # a query builds nothing and need not wait for it

        self.features = features
        self.threads = threads
        total = SECONDS["features"] + 3 * SECONDS["clusters"] + 2 * SECONDS["table"]
        layout = "{desc}{percentage:3.0f}%|{bar}| {elapsed}"
        self._bar = tqdm(total=total, bar_format=layout, file=sys.stderr, disable=not progress, leave=False)
        self._known: dict[int, NDArray[np.uint16]] = {}

    def close(self) -> None:
        self._bar.close()

    def begin(self, step: str) -> None:
        self._bar.set_description(f"card abstraction, {step}")

    def end(self, seconds: float) -> None:
        self._bar.update(seconds)

    def features_of(self, round_index: int) -> NDArray[np.uint16]:
        """Features (boards, H, 16) of the canonical boards of a round before the last."""
        if round_index not in self._known:
            features, boards = self.features, board_map(self.features.deck, round_index).boards
            if round_index < features.deck.last - 1:
                after = self.features_of(round_index + 1)
                self._known[round_index] = features.mean_run_outs(boards, self.threads, after)
            else:
                self._known[round_index] = self._run_outs(boards)
        return self._known[round_index]

    def _run_outs(self, boards: NDArray[np.uint8]) -> NDArray[np.uint16]:
        self.begin("features")
        done = 0.0

        def advance(fraction: float) -> None:
            nonlocal done
            self.end((fraction - done) * SECONDS["features"])
            done = fraction

        found = self.features.run_outs(boards, self.threads, advance)
        advance(1.0)
        return found


def centroids(work: Work, round_index: int, count: int, seed: int, cache: Cache) -> CentroidTree:
    """The clusters of a round, from the cache or from a sample of hands."""
    kept = kept_centroids(work.features, round_index, count, seed, cache)
    if kept is not None:
        return kept
    points = _sample(work, round_index, max(_MIN_POINTS, _POINTS_PER_BUCKET * count), seed)
    work.begin(f"{ROUND_NAMES[round_index]} clusters")
    tree = cluster(points, count, seed)
    work.end(SECONDS["clusters"])
    cache.save(
        _name(work.features, round_index, count, seed), {field: getattr(tree, field) for field in CentroidTree.FIELDS}
    )
    return tree


def kept_centroids(
    features: HandFeatures, round_index: int, count: int, seed: int, cache: Cache
) -> CentroidTree | None:
    """The clusters of a round that the cache has, or None."""
    kept = cache.load(_name(features, round_index, count, seed))
    return None if kept is None else CentroidTree(*(kept[field] for field in CentroidTree.FIELDS))


def _name(features: HandFeatures, round_index: int, count: int, seed: int) -> str:
    parts = (*features.identity, round_index, count, seed, *library_versions())
    return f"{ROUND_NAMES[round_index]}-centroids-{fingerprint(*parts)}"


def _sample(work: Work, round_index: int, count: int, seed: int) -> NDArray[np.uint16]:
    """Features (about ``count``, D) of hands dealt at random, every deal as likely as any other."""
    rng = np.random.default_rng((seed, round_index))
    deck = work.features.deck
    known = board_map(deck, round_index)
    chance = known.weights / known.weights.sum()
    per_board = _POINTS_PER_LAST_BOARD if round_index == deck.last else 1
    positions = rng.choice(len(chance), -(-count // per_board), p=chance)
    boards = known.boards[positions]
    # The draw includes hands that collide with the board, 19 % on the river of full hold'em; they are dropped.
    hands = rng.integers(len(deck.hands), size=(len(boards), per_board))
    live = ~(deck.hands[hands][..., None] == boards[:, None, None, :]).any(axis=(2, 3))
    if round_index != deck.last:
        points: NDArray[np.uint16] = work.features_of(round_index)[positions[:, None], hands][live]
        return points
    parts = []
    for start in range(0, len(boards), _CHUNK):
        part = slice(start, start + _CHUNK)
        features = work.features.shares(boards[part], work.threads)
        parts.append(np.take_along_axis(features, hands[part, :, None], axis=1)[live[part]])
    return np.concatenate(parts)
