"""Hand-strength features of hold'em hands, from which the card abstraction is clustered.

Strength is the share of the pot at showdown against an opponent hand dealt uniformly from the unseen cards.

* Last round (the river, or the turn or flop of a game that ends there): that share against each of eight clusters of
  starting hands, "opponent cluster hand strength" of Johanson, Burch, Valenzano and Bowling, *Evaluating State-Space
  Abstractions in Extensive-Form Games* (AAMAS 2013).
* Rounds before: the distribution of strength at showdown over all run-outs, which tells a draw from a made hand of
  the same mean. A feature is the cumulative distribution function, integrated over 16 steps of strength. The
  Euclidean distance between two features therefore approximates the Cramér distance between the distributions,
  and the sum of a feature is a mean. The same paper uses the earth mover's distance.

All features are integers of at most 1023, computed from integer counts. A hand placed alone therefore gets the
same bits as in a pass over all hands of its board, and suit-isomorphic spots get the same features.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from cfr._native import features as _features
from cfr.abstraction.deck import FLOP, Deck, board_cards
from cfr.abstraction.kmeans import FEATURE_SCALE
from cfr.game.evaluate import strengths
from cfr.hands.boards import BoardMap

FEATURES_VERSION = 1
NUM_STEPS = 16
NUM_CLUSTERS = 8  # of opponents' starting hands
MAX_CARDS = 52
_CHUNK = 2048  # boards evaluated at a time

Progress = Callable[[float], None]


def strength_steps(deck: Deck) -> NDArray[np.uint16]:
    """The edges (17,) of the 16 steps, as strength in half opponents beaten, 0..1980 in full hold'em.

    Steps are equal in ``(x + x**2) / 2`` of the strength ``x``, and so finer among strong hands, which play the
    large pots.
    """
    level = np.linspace(0.0, 1.0, NUM_STEPS + 1)
    return np.rint(2 * deck.opponents * (np.sqrt(0.25 + 2.0 * level) - 0.5)).astype(np.uint16)


# A deck is made anew with each file that is opened; its boards are numbered once.
@cache
def board_map(deck: Deck, round_index: int) -> BoardMap:
    """The canonical unordered boards of the flop (1), turn (2) or river (3)."""
    return BoardMap((board_cards(round_index),), deck.cards)


@cache
def permuted_hands(deck: Deck) -> NDArray[np.int16]:
    """The number (suits!, H) of each hand under each suit permutation."""
    return board_map(deck, FLOP).permute_hands(deck.hands)


@dataclass(frozen=True, eq=False)
class HandFeatures:
    """The features of a deck's hands.

    Attributes:
        deck: the cards and rounds.
        clusters: of starting hands, (ranks * ranks,) uint8; see :func:`cfr.abstraction.opponents.opponent_clusters`.
        steps: of strength, (17,) uint16; see :func:`strength_steps`.
    """

    deck: Deck
    clusters: NDArray[np.uint8]
    steps: NDArray[np.uint16]

    def __post_init__(self) -> None:
        """Raise ValueError for arrays that do not fit the deck."""
        steps = self.steps.astype(np.int64)
        fit = (
            self.clusters.shape == (self.deck.num_ranks**2,)
            and self.clusters.max() < NUM_CLUSTERS
            and steps.shape == (NUM_STEPS + 1,)
            and (np.diff(steps) > 0).all()
            and steps[-1] <= self._most
        )
        if not fit:
            raise ValueError("features of another deck")

    @property
    def identity(self) -> tuple[object, ...]:
        """What the features depend on, for :func:`cfr.system.disk.cache.fingerprint`."""
        deck = () if self.deck.is_full else (self.deck,)
        return (FEATURES_VERSION, *deck, self.clusters, self.steps)

    @cached_property
    def hand_clusters(self) -> NDArray[np.uint8]:
        """The cluster (H,) of each hand."""
        return self.clusters[self.deck.starting_hands]

    @property
    def _most(self) -> int:
        """The highest strength: a pot won counts 2, a pot split 1."""
        return 2 * self.deck.opponents

    @cached_property
    def _step_table(self) -> NDArray[np.uint8]:
        """What a strength adds to each dimension, (most + 2, 16) uint8; the last row, a hand not live, is 0."""
        edges = self.steps.astype(np.float64)
        value = np.arange(self._most + 1)[:, None]
        part = np.clip((value - edges[:-1]) / np.diff(edges), 0.0, 1.0)
        # The sum over the cards of the last round stays on the scale.
        step = FEATURE_SCALE // self.deck.unseen(self.deck.last - 1)
        return np.concatenate([np.rint(step * part), np.zeros((1, part.shape[1]))]).astype(np.uint8)

    def dimensions(self, round_index: int) -> int:
        """D, of the features of a round."""
        return NUM_CLUSTERS if round_index == self.deck.last else NUM_STEPS

    def of_boards(self, round_index: int, boards: NDArray[np.uint8], threads: int = 1) -> NDArray[np.uint16]:
        """Features (n, H, D) of every hand on ``boards`` (n, b) of the flop (1), turn (2) or river (3)."""
        return (self.shares, self.run_outs, self.mean_run_outs)[self.deck.last - round_index](boards, threads)

    def shares(self, boards: NDArray[np.uint8], threads: int = 1) -> NDArray[np.uint16]:
        """Features (n, H, 8) on ``boards`` (n, b) of the last round; zeros for a hand that collides with its board."""
        hands = self.deck.hands
        features = np.empty((len(boards), len(hands), NUM_CLUSTERS), np.uint16)
        known = strengths(boards, hands, threads)
        _features.river_shares(known, hands, self.hand_clusters, threads, features)
        return features

    def run_outs(
        self, boards: NDArray[np.uint8], threads: int = 1, progress: Progress | None = None
    ) -> NDArray[np.uint16]:
        """Features (n, H, 16) on ``boards`` (n, b) of the round before the last; zeros for a hand that collides.

        Every canonical last board that can come is evaluated once; ``progress`` gets the fraction done.
        """
        hands = self.deck.hands
        ends, position, perms = _next_boards(self.deck, boards, self.deck.last, threads)
        values = np.empty((len(ends), len(hands)), np.uint16)
        for start in range(0, len(ends), _CHUNK):
            part = slice(start, start + _CHUNK)
            known = strengths(ends[part], hands, threads)
            _features.river_values(known, hands, self._most + 1, threads, values[part])
            if progress is not None:
                progress(0.6 * start / len(ends))
        features = np.empty((len(boards), len(hands), NUM_STEPS), np.uint16)
        for start in range(0, len(boards), _CHUNK):
            part = slice(start, start + _CHUNK)
            _features.sum_steps(
                values,
                position[part],
                perms[part],
                permuted_hands(self.deck),
                self._step_table,
                threads,
                features[part],
            )
            if progress is not None:
                progress(0.6 + 0.4 * start / len(boards))
        return features

    def mean_run_outs(
        self,
        boards: NDArray[np.uint8],
        threads: int = 1,
        next_features: NDArray[np.uint16] | None = None,
    ) -> NDArray[np.uint16]:
        """Features (n, H, 16) on ``boards`` (n, b) two rounds before the last; zeros for a hand that collides.

        ``next_features`` are the features of all canonical boards of the next round, in order, if they are known
        already.
        """
        deck, following = self.deck, self.deck.last - 1
        after, position, perms = _next_boards(deck, boards, following, threads, compact=next_features is None)
        if next_features is None:
            next_features = self.run_outs(after, threads)
        features = np.empty((len(boards), len(deck.hands), NUM_STEPS), np.uint16)
        divisor = deck.unseen(following - 1)
        _features.mean_features(next_features, position, perms, permuted_hands(deck), divisor, threads, features)
        return features

    def hand(self, hand: int, board: NDArray[np.uint8]) -> NDArray[np.uint16]:
        """Features (D,) of one live hand (its index) on one flop, turn or river board (b,), from scratch."""
        deck, hands = self.deck, self.deck.hands
        missing = board_cards(deck.last) - len(board)
        if not missing:
            shares = np.empty(NUM_CLUSTERS, np.uint16)
            _features.hand_shares(strengths(board[None], hands)[0], hands, self.hand_clusters, hand, shares)
            return shares
        free = np.ones(MAX_CARDS, bool)
        free[board] = free[hands[hand]] = False
        unseen = deck.cards[free[deck.cards]]
        added = unseen[_choices(len(unseen), missing)]
        boards = np.concatenate([np.broadcast_to(board, (len(added), len(board))), added], axis=1)
        values = np.empty(len(boards), np.uint16)
        _features.hand_values(strengths(boards, hands), hands, hand, values)
        total = self._step_table[values].sum(axis=0, dtype=np.int64)
        if missing == 2:
            total = 2 * total // deck.unseen(deck.last - 2)  # the two cards come in two orders
        features: NDArray[np.uint16] = total.astype(np.uint16)
        return features


@cache
def _choices(count: int, size: int) -> NDArray[np.intp]:
    """The choices (n, ``size``) of ``size`` out of ``count``, each ascending."""
    return np.array(list(combinations(range(count), size)), np.intp)


def _next_boards(
    deck: Deck, boards: NDArray[np.uint8], next_round: int, threads: int, compact: bool = True
) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.uint8]]:
    """The canonical boards one card longer: those that follow ``boards`` (``compact``), or all. Also, for each
    of ``boards`` and each new card, the position of its canonical board and the suit permutation, both (n,
    cards)."""
    known = board_map(deck, next_round)
    count, size = boards.shape
    shape = (count, len(deck.cards) - size)
    free = np.ones((count, len(deck.cards)), bool)
    np.put_along_axis(free, np.searchsorted(deck.cards, boards), False, axis=1)
    cards = deck.cards[np.nonzero(free)[1]]
    longer = np.concatenate([np.repeat(boards, shape[1], axis=0), cards[:, None]], axis=1)
    position, perms = known.locate(longer, threads)
    canonical = known.boards
    if compact:
        used, position = np.unique(position, return_inverse=True)
        canonical = canonical[used]
    return canonical, position.reshape(shape).astype(np.int32), perms.reshape(shape)
