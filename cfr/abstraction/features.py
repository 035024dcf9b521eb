"""Hand-strength features of hold'em hands, from which the card abstraction is clustered.

Strength is the share of the pot at showdown against an opponent hand dealt uniformly from the unseen cards.

* River: that share against each of eight clusters of starting hands, "opponent cluster hand strength" of
  Johanson, Burch, Valenzano and Bowling, *Evaluating State-Space Abstractions in Extensive-Form Games* (AAMAS
  2013).
* Turn and flop: the distribution of river strength over all run-outs, which tells a draw from a made hand of
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
from cfr.abstraction.kmeans import FEATURE_SCALE
from cfr.game.evaluate import strengths
from cfr.hands.boards import BoardMap

FEATURES_VERSION = 1
FLOP, TURN, RIVER = 1, 2, 3

DECK = np.arange(52, dtype=np.uint8)
HANDS = np.array([(low, high) for high in range(52) for low in range(high)], np.uint8)
_BOARD_CARDS = {FLOP: 3, TURN: 4, RIVER: 5}
_OPPONENTS = 990  # live opponent hands of a river hand
_MOST = 2 * _OPPONENTS  # a pot won counts 2, a pot split 1
_NOT_LIVE = _MOST + 1
_RIVERS = 46  # cards that may come after a turn hand
_TURNS = 47
_STEP = FEATURE_SCALE // _RIVERS  # keeps the sum over the rivers on the scale
_CHUNK = 2048  # boards evaluated at a time

# The cluster of each class of starting hands, aces first, suited above the diagonal. k-means found the eight
# clusters on the cumulative distributions of river strength over all boards, weighted by combinations; clusters
# ascend from weak to strong.
_CLUSTER_GRID = """
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

Progress = Callable[[float], None]


def starting_hand_clusters() -> NDArray[np.uint8]:
    """The cluster (169,) of each class of starting hands, row by row of the 13 x 13 grid, suited above."""
    return np.array([int(digit) for digit in _CLUSTER_GRID if digit.isdigit()], np.uint8)


def hand_classes() -> NDArray[np.intp]:
    """The class (1326,) of each hand, 0..168 in the order of that grid."""
    low, high = 12 - HANDS[:, 0].astype(np.intp) // 4, 12 - HANDS[:, 1].astype(np.intp) // 4
    suited = HANDS[:, 0] % 4 == HANDS[:, 1] % 4
    return np.where(suited, 13 * high + low, 13 * low + high)  # cards ascend: `high` is the earlier row


def strength_steps() -> NDArray[np.uint16]:
    """The edges (17,) of the 16 steps, as river strength in half opponents beaten, 0..1980.

    Steps are equal in ``(x + x**2) / 2`` of the strength ``x``, and so finer among strong hands, which play the
    large pots.
    """
    level = np.linspace(0.0, 1.0, 17)
    return np.rint(_MOST * (np.sqrt(0.25 + 2.0 * level) - 0.5)).astype(np.uint16)


@cache
def permuted_hands() -> NDArray[np.int16]:
    """The index (24, 1326) of each hand under each suit permutation."""
    return board_map(FLOP).permute_hands(HANDS)


@cache
def board_map(round_index: int) -> BoardMap:
    """The canonical unordered boards of the flop (1), turn (2) or river (3)."""
    return BoardMap((_BOARD_CARDS[round_index],), DECK)


@dataclass(frozen=True, eq=False)
class HandFeatures:
    """The features, given ``clusters`` (169,) uint8 and ``steps`` (17,) uint16; see the functions above."""

    clusters: NDArray[np.uint8]
    steps: NDArray[np.uint16]

    @classmethod
    def standard(cls) -> HandFeatures:
        """The features of this version."""
        return cls(starting_hand_clusters(), strength_steps())

    @cached_property
    def hand_clusters(self) -> NDArray[np.uint8]:
        """The cluster (1326,) of each hand."""
        return self.clusters[hand_classes()]

    @cached_property
    def _step_table(self) -> NDArray[np.uint8]:
        """What a river strength adds to each dimension, (1982, 16) uint8; the last row, a hand not live, is 0."""
        edges = self.steps.astype(np.float64)
        value = np.arange(_MOST + 1)[:, None]
        part = np.clip((value - edges[:-1]) / np.diff(edges), 0.0, 1.0)
        return np.concatenate([np.rint(_STEP * part), np.zeros((1, part.shape[1]))]).astype(np.uint8)

    def of_boards(self, round_index: int, boards: NDArray[np.uint8], threads: int = 1) -> NDArray[np.uint16]:
        """Features (n, 1326, D) of every hand on ``boards`` (n, b) of the flop (1), turn (2) or river (3)."""
        if round_index == RIVER:
            return self.river(boards, threads)
        return self.turn(boards, threads) if round_index == TURN else self.flop(boards, threads)

    def river(self, boards: NDArray[np.uint8], threads: int = 1) -> NDArray[np.uint16]:
        """Features (n, 1326, 8) on river ``boards`` (n, 5); zeros for a hand that collides with its board."""
        features = np.empty((len(boards), len(HANDS), 8), np.uint16)
        known = strengths(boards, HANDS, threads)
        _features.river_shares(known, HANDS, self.hand_clusters, threads, features)
        return features

    def turn(self, boards: NDArray[np.uint8], threads: int = 1, progress: Progress | None = None) -> NDArray[np.uint16]:
        """Features (n, 1326, 16) on turn ``boards`` (n, 4); zeros for a hand that collides with its board.

        Every canonical river board that can come is evaluated once; ``progress`` gets the fraction done.
        """
        rivers, position, perms = _next_boards(boards, RIVER, threads)
        values = np.empty((len(rivers), len(HANDS)), np.uint16)
        for start in range(0, len(rivers), _CHUNK):
            part = slice(start, start + _CHUNK)
            known = strengths(rivers[part], HANDS, threads)
            _features.river_values(known, HANDS, _NOT_LIVE, threads, values[part])
            if progress is not None:
                progress(0.6 * start / len(rivers))
        features = np.empty((len(boards), len(HANDS), 16), np.uint16)
        for start in range(0, len(boards), _CHUNK):
            part = slice(start, start + _CHUNK)
            _features.sum_steps(
                values,
                position[part],
                perms[part],
                permuted_hands(),
                self._step_table,
                threads,
                features[part],
            )
            if progress is not None:
                progress(0.6 + 0.4 * start / len(boards))
        return features

    def flop(
        self,
        boards: NDArray[np.uint8],
        threads: int = 1,
        turn_features: NDArray[np.uint16] | None = None,
    ) -> NDArray[np.uint16]:
        """Features (n, 1326, 16) on flop ``boards`` (n, 3); zeros for a hand that collides with its board.

        ``turn_features`` are the features of all canonical turn boards, in order, if they are known already.
        """
        turns, position, perms = _next_boards(boards, TURN, threads, compact=turn_features is None)
        if turn_features is None:
            turn_features = self.turn(turns, threads)
        features = np.empty((len(boards), len(HANDS), 16), np.uint16)
        _features.mean_features(turn_features, position, perms, permuted_hands(), _TURNS, threads, features)
        return features

    def hand(self, hand: int, board: NDArray[np.uint8]) -> NDArray[np.uint16]:
        """Features (D,) of one live hand (its index) on one flop, turn or river board (b,), from scratch."""
        if len(board) == _BOARD_CARDS[RIVER]:
            shares = np.empty(8, np.uint16)
            _features.hand_shares(strengths(board[None], HANDS)[0], HANDS, self.hand_clusters, hand, shares)
            return shares
        free = np.ones(len(DECK), bool)
        free[board] = free[HANDS[hand]] = False
        unseen = DECK[free]
        added = unseen[_choices(len(unseen), _BOARD_CARDS[RIVER] - len(board))]
        boards = np.concatenate([np.broadcast_to(board, (len(added), len(board))), added], axis=1)
        values = np.empty(len(boards), np.uint16)
        _features.hand_values(strengths(boards, HANDS), HANDS, hand, values)
        total = self._step_table[values].sum(axis=0, dtype=np.int64)
        if len(board) == _BOARD_CARDS[FLOP]:
            total = 2 * total // _TURNS  # turn and river come in two orders
        features: NDArray[np.uint16] = total.astype(np.uint16)
        return features


@cache
def _choices(count: int, size: int) -> NDArray[np.intp]:
    """The choices (n, ``size``) of ``size`` out of ``count``, each ascending."""
    return np.array(list(combinations(range(count), size)), np.intp)


def _next_boards(
    boards: NDArray[np.uint8], next_round: int, threads: int, compact: bool = True
) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.uint8]]:
    """The canonical boards one card longer: those that follow ``boards`` (``compact``), or all. Also, for each
    of ``boards`` and each new card, the position of its canonical board and the suit permutation, both (n,
    cards)."""
    known = board_map(next_round)
    count, size = boards.shape
    shape = (count, len(DECK) - size)
    free = np.ones((count, len(DECK)), bool)
    np.put_along_axis(free, boards.astype(np.intp), False, axis=1)
    cards = DECK[np.nonzero(free)[1]]
    longer = np.concatenate([np.repeat(boards, shape[1], axis=0), cards[:, None]], axis=1)
    position, perms = known.locate(longer, threads)
    canonical = known.boards
    if compact:
        used, position = np.unique(position, return_inverse=True)
        canonical = canonical[used]
    return canonical, position.reshape(shape).astype(np.int32), perms.reshape(shape)
