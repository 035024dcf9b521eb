"""The groups of starting hands against which a hand of the last round is measured, for any deck.

"Opponent cluster hand strength" of Johanson, Burch, Valenzano and Bowling, *Evaluating State-Space Abstractions in
Extensive-Form Games* (AAMAS 2013): k-means finds eight clusters on the cumulative distributions of strength at
showdown over all boards, weighted by combinations. Clusters ascend from weak to strong.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cfr._native import features as _features
from cfr.abstraction.deck import Deck
from cfr.abstraction.features import NUM_CLUSTERS, HandFeatures, board_map, strength_steps
from cfr.abstraction.kmeans import library_versions, ranked_clusters
from cfr.game.evaluate import strengths
from cfr.system.disk.cache import Cache, fingerprint

_CHUNK = 2048  # boards evaluated at a time

# Those of full hold'em, aces first, suited above the diagonal; found once by the same method, and kept, so that files
# and caches stay as they are.
_FULL = """
    7555555555444
    5755554444444
    5575333333222
    5537333322222
    5533733322111
    5433363111111
    5433216111111
    4422211611000
    4422111160000
    4422111006000
    4422111000400
    4422110000040
    4222110000004
"""


def standard_features(deck: Deck, cache: Cache | None = None, threads: int = 1) -> HandFeatures:
    """The features of this version for a deck; arguments and errors as :func:`opponent_clusters`."""
    return HandFeatures(deck, opponent_clusters(deck, cache or Cache(), threads), strength_steps(deck))


def opponent_clusters(deck: Deck, cache: Cache, threads: int = 1) -> NDArray[np.uint8]:
    """The cluster (ranks * ranks,) of each starting hand, numbered as :attr:`Deck.starting_hands`.

    A deck of one suit has no pairs; their entries are 0. What is computed is kept in ``cache``. Raises
    :class:`CfrError` if scikit-learn is missing.
    """
    if deck.is_full:
        return np.array([int(digit) for digit in _FULL if digit.isdigit()], np.uint8)
    name = _name(deck)
    kept = (cache.load(name) or {}).get("clusters")
    if kept is not None and kept.shape == (deck.num_ranks**2,) and kept.dtype == np.uint8:
        return kept
    there, combinations = np.unique(deck.starting_hands, return_counts=True)
    clusters = np.zeros(deck.num_ranks**2, np.uint8)
    clusters[there] = ranked_clusters(
        strength_distributions(deck, threads)[there], NUM_CLUSTERS, seed=0, weights=combinations
    )
    cache.save(name, {"clusters": clusters})
    return clusters


def knows_opponents(deck: Deck, cache: Cache) -> bool:
    """Whether :func:`opponent_clusters` computes nothing: the deck is a full one, or the cache has them."""
    return deck.is_full or cache.has(_name(deck))


def _name(deck: Deck) -> str:
    return f"opponents-{fingerprint(1, deck, *library_versions())}"


def strength_distributions(deck: Deck, threads: int = 1) -> NDArray[np.float64]:
    """The chance (ranks * ranks, 2 * opponents + 1) that a starting hand's strength at showdown is at least so much.

    Strength counts opponent hands beaten twice and ties once, from 0 on. It is taken over all boards of the last
    round; a starting hand that the deck lacks has zeros.
    """
    known, most = board_map(deck, deck.last), 2 * deck.opponents
    counts = np.zeros((deck.num_ranks**2, most + 2))
    start_cells = deck.starting_hands * counts.shape[1]
    for start in range(0, len(known), _CHUNK):
        boards, weights = known.boards[start : start + _CHUNK], known.weights[start : start + _CHUNK]
        values = np.empty((len(boards), len(deck.hands)), np.uint16)
        _features.river_values(strengths(boards, deck.hands, threads), deck.hands, most + 1, threads, values)
        weight = np.repeat(weights.astype(np.float64), len(deck.hands))
        counts += np.bincount((start_cells + values).ravel(), weight, counts.size).reshape(counts.shape)
    live = counts[:, :-1]  # the last column counts hands that collide with their board
    at_least = live[:, ::-1].cumsum(axis=1)[:, ::-1]
    result: NDArray[np.float64] = at_least / np.maximum(at_least[:, :1], 1.0)
    return result
