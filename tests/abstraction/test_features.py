"""Features of all hands of a board against plain counts, and of one hand against those of all hands."""

from itertools import permutations

import numpy as np
import pytest

from cfr._native import features as _features
from cfr.abstraction.deck import RIVER, TURN, Deck
from cfr.abstraction.features import board_map, strength_steps
from cfr.abstraction.opponents import standard_features, strength_distributions
from cfr.game.evaluate import strengths

FULL = Deck()
HANDS = FULL.hands
FEATURES = standard_features(FULL)
COMPATIBLE = ~(HANDS[:, None, :, None] == HANDS[None, :, None, :]).any(axis=(2, 3))


def deal(rng, count, num_cards):
    return np.array([rng.permutation(52)[:num_cards] for _ in range(count)], np.uint8)


def live_hands(board):
    return np.flatnonzero(~np.isin(HANDS, board).any(axis=1))


def plain_river(board, hand_clusters):
    """Half opponents beaten (1326, 8) and opponents (1326, 8) of every live hand, by cluster; zeros elsewhere."""
    known = strengths(board[None], HANDS)[0].astype(int)
    opponents = COMPATIBLE & (known > 0)[:, None] & (known > 0)[None, :]
    won = opponents * (1 + np.sign(known[:, None] - known[None, :]))
    of_cluster = np.eye(8, dtype=int)[hand_clusters]
    return won @ of_cluster, opponents.astype(int) @ of_cluster


def suit_images(cards):
    """Cards after each suit permutation."""
    return [np.array(suits, np.uint8)[cards % 4] + cards // 4 * 4 for suits in permutations(range(4))]


def hand_number(cards):
    low, high = sorted(int(card) for card in cards)
    return high * (high - 1) // 2 + low


@pytest.mark.parametrize("seed", range(3))
def test_river_values_and_shares_equal_plain_counts(seed):
    rng = np.random.default_rng(seed)
    boards = deal(rng, 4, 5)
    boards[0] = [48, 44, 40, 36, 32]  # a royal flush on the board: everyone splits
    values = np.empty((4, 1326), np.uint16)
    _features.river_values(strengths(boards, HANDS), HANDS, 1981, 2, values)
    shares = FEATURES.shares(boards)
    for board, value, share in zip(boards, values, shares, strict=True):
        won, opponents = plain_river(board, FEATURES.hand_clusters)
        live = live_hands(board)
        assert (opponents[live].sum(axis=1) == 990).all()
        np.testing.assert_array_equal(value[live], won[live].sum(axis=1))
        exact = 1023 * won[live] / (2 * opponents[live])
        assert np.abs(share[live] - exact).max() < 0.501
        dead = np.setdiff1d(np.arange(1326), live)
        assert (value[dead] == 1981).all()
        assert not share[dead].any()


@pytest.mark.parametrize(("num_cards", "num_boards", "per_board"), [(5, 60, 40), (4, 4, 25), (3, 1, 8)])
def test_a_single_hand_has_the_features_of_the_pass_over_its_board(num_cards, num_boards, per_board):
    rng = np.random.default_rng(num_cards)
    boards = deal(rng, num_boards, num_cards)
    every = FEATURES.of_boards(num_cards - 2, boards, threads=2)
    assert every.max() <= 1023
    for board, features in zip(boards, every, strict=True):
        for hand in rng.choice(live_hands(board), per_board, replace=False):
            np.testing.assert_array_equal(FEATURES.hand(hand, board), features[hand])
        assert not features[np.setdiff1d(np.arange(1326), live_hands(board))].any()


@pytest.mark.parametrize("num_cards", [5, 4])
def test_isomorphic_spots_have_equal_features(num_cards):
    rng = np.random.default_rng(7)
    board = deal(rng, 1, num_cards)[0]
    images = np.array(suit_images(board))
    features = FEATURES.of_boards(num_cards - 2, images[:, rng.permutation(num_cards)])
    for hand in rng.choice(live_hands(board), 50):
        numbers = [hand_number(cards) for cards in suit_images(HANDS[hand])]
        assert len(np.unique(features[np.arange(24), numbers], axis=0)) == 1


def test_turn_features_are_the_distribution_over_rivers():
    board = np.array([51, 46, 30, 5], np.uint8)
    features = FEATURES.run_outs(board[None])[0]
    edges = strength_steps(FULL).astype(float)
    rng = np.random.default_rng(1)
    for hand in rng.choice(live_hands(board), 5):
        rivers = np.setdiff1d(FULL.cards, [*board, *HANDS[hand]]).astype(np.uint8)
        total = np.zeros(16)
        for known in strengths(np.array([[*board, river] for river in rivers], np.uint8), HANDS).astype(int):
            opponents = known[COMPATIBLE[hand] & (known > 0)]
            value = (1 + np.sign(known[hand] - opponents)).sum()
            total += np.clip((value - edges[:-1]) / np.diff(edges), 0, 1)
        np.testing.assert_allclose(features[hand], 22 * total, atol=23)
        assert abs(int(features[hand].sum()) - 22 * total.sum()) < 60


def test_flop_features_average_those_of_the_turns():
    flop = np.array([50, 49, 3], np.uint8)
    turns = np.array([[*flop, card] for card in np.setdiff1d(FULL.cards, flop)], np.uint8)
    total = FEATURES.run_outs(turns, threads=2).astype(int).sum(axis=0)
    np.testing.assert_array_equal(FEATURES.mean_run_outs(flop[None], threads=2)[0], total // 47)


def test_features_are_the_same_bits_at_any_number_of_threads():
    boards = board_map(FULL, TURN).boards[::4000]
    np.testing.assert_array_equal(FEATURES.run_outs(boards, 1), FEATURES.run_outs(boards, 2))
    boards = board_map(FULL, RIVER).boards[::20000]
    np.testing.assert_array_equal(FEATURES.shares(boards, 1), FEATURES.shares(boards, 2))


def test_parameters():
    steps = strength_steps(FULL)
    assert steps[0] == 0
    assert steps[-1] == 1980
    assert (np.diff(steps.astype(int)) > 0).all()
    grid = FEATURES.clusters.reshape(13, 13)
    assert (np.diag(grid)[:5] == 7).all()  # tens or better
    assert grid[12, 11] == 0  # three-deuce offsuit
    hand_clusters = FEATURES.hand_clusters
    assert hand_clusters[hand_number([51, 47])] == grid[0, 1]  # AsKs
    assert hand_clusters[hand_number([51, 46])] == grid[1, 0]  # AsKh
    assert np.bincount(hand_clusters).tolist() == [244, 272, 220, 152, 214, 164, 30, 30]


@pytest.mark.slow
def test_starting_hand_clusters_follow_from_the_strength_distributions():
    """Each class lies in the cluster of the nearest mean distribution (Cramér distance), weak to strong."""
    classes, clusters = FULL.starting_hands, FEATURES.clusters
    cumulative = strength_distributions(FULL, 2)
    combinations = np.bincount(classes)
    members = [np.flatnonzero(clusters == k) for k in range(8)]
    means = np.stack([np.average(cumulative[each], axis=0, weights=combinations[each]) for each in members])
    distance = ((cumulative[:, None] - means[None]) ** 2).sum(axis=2)
    np.testing.assert_array_equal(distance.argmin(axis=1), clusters)
    assert (np.diff(means.mean(axis=1)) > 0).all()
