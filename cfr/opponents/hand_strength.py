"""How strong the hands of each row of an abstraction are, in 16 levels: what tilts depend on beside the betting."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cfr.abstraction.abstraction import Abstraction
from cfr.abstraction.kmeans import CentroidTree
from cfr.abstraction.rows import BucketedRound, RowsOfClasses
from cfr.game.evaluate import strengths
from cfr.game.rules import Game
from cfr.kernel.chance import enumerate_deal

LEVELS = 16
_SAMPLED = 2000  # boards, where there are too many to enumerate
_FEW_HANDS = 100  # a game with fewer is enumerated
_AT_A_TIME = 500

Levels = NDArray[np.uint8]
Floats = NDArray[np.float64]


def levels(abstraction: Abstraction) -> list[Levels]:
    """Per round ``(rows,)`` level of each row, 0 for the weakest sixteenth of the rows to 15 for the strongest.

    A bucket is as strong as its centroid: the mean equity at showdown. A row of a lossless round is as strong
    as its hands are on average against a random hand, over all boards of a small game or 2,000 of a large one; a
    row that no such board has is of the middle.
    """
    known = [_of_buckets(each) for each in abstraction.rounds]
    if any(each is None for each in known):
        sampled = _by_showdowns(abstraction)
        known = [each if each is not None else sampled[r] for r, each in enumerate(known)]
    return [_ranked(each) for each in known if each is not None]


def _of_buckets(rows: object) -> Floats | None:
    """``(rows,)`` strength by centroids, in any unit; None for a lossless round."""
    if isinstance(rows, RowsOfClasses):
        found = _of_tree(rows.last.tree)
        return np.tile(found, rows.num_rows // len(found))
    return _of_tree(rows.tree) if isinstance(rows, BucketedRound) else None


def _of_tree(tree: CentroidTree) -> Floats:
    found = np.empty(tree.size)
    found[tree.labels] = tree.fine.mean(axis=1)
    return found


def _by_showdowns(abstraction: Abstraction) -> list[Floats]:
    """Per round ``(rows,)`` mean share of hands that lose to a row's hands at showdown; 0.5 for rows never met."""
    game = abstraction.game
    boards = _boards(game, abstraction)
    sums = [np.zeros(count) for count in abstraction.num_rows]
    counts = [np.zeros(count) for count in abstraction.num_rows]
    for start in range(0, len(boards), _AT_A_TIME):
        part = boards[start : start + _AT_A_TIME]
        share = _beaten(game, part)
        for r, each in enumerate(abstraction.rounds):
            if not each.separates_boards:
                continue
            rows = abstraction.rows(r, part[:, : sum(game.num_board_cards[: r + 1])])
            there = (rows >= 0) & ~np.isnan(share)
            sums[r] += np.bincount(rows[there], share[there], len(sums[r]))
            counts[r] += np.bincount(rows[there], minlength=len(sums[r]))
    return [np.where(n > 0, total / np.maximum(n, 1), 0.5) for total, n in zip(sums, counts, strict=True)]


def _boards(game: Game, abstraction: Abstraction) -> NDArray[np.uint8]:
    """``(n, cards)`` whole boards: all canonical ones of a small game, or a sample that is always the same."""
    if game.num_hands < _FEW_HANDS:
        found: NDArray[np.uint8] = enumerate_deal(game, abstraction).rounds[-1].cards
        return found
    rng, cards = np.random.default_rng(0), sum(game.num_board_cards)
    return np.array([rng.permutation(game.deck)[:cards] for _ in range(_SAMPLED)], np.uint8)


def _beaten(game: Game, boards: NDArray[np.uint8]) -> Floats:
    """``(n, hands)`` share of the hands left by a board that each hand beats, ties as a half; NaN if it collides."""
    share = np.full((len(boards), game.num_hands), np.nan)
    for board, strength, into in zip(boards, strengths(boards, game.hands), share, strict=True):
        live = game.live(board)
        own = strength[live]
        ordered = np.sort(own)
        below, upto = np.searchsorted(ordered, own), np.searchsorted(ordered, own, "right")
        into[live] = (below + upto) / 2 / len(own)
    return share


def _ranked(strength: Floats) -> Levels:
    """Levels of equally many rows; rows of one strength share a level."""
    ordered = np.sort(strength)
    middle = (np.searchsorted(ordered, strength) + np.searchsorted(ordered, strength, "right")) / 2
    return np.minimum(middle * LEVELS / len(strength), LEVELS - 1).astype(np.uint8)
