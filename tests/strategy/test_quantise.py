"""Rounding: nodes still sum to one, close to what they were, and what is left out changes nothing or little."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfr.game.betting import BettingTree
from cfr.game.rules import Game
from cfr.strategy.files.quantise import (
    MOST_PURGED,
    ONE,
    joined,
    purge,
    purge_rare,
    quantise,
    quantise_finely,
    quantise_lines,
)

LEDUC = Game.bundled("leduc")
ROUND = BettingTree(LEDUC).rounds[0]


TABLES = st.lists(st.floats(0, 1e6, width=32), min_size=14, max_size=14).map(
    lambda values: np.array(values, np.float32).reshape(1, 14, 1)
)


def nodes(table):
    """Each node's part of a table with one row and one line."""
    return [table[0, numbers[numbers >= 0], 0] for numbers in ROUND.action_index]


@given(sums=TABLES)
def test_quantised_nodes_sum_to_255_and_are_close(sums):
    for stored, weights in zip(nodes(quantise(sums, ROUND)), nodes(sums), strict=True):
        assert stored.sum() == ONE
        total = float(weights.sum(dtype=np.float64))
        exact = weights / total if total > 0 else np.full(len(weights), 1 / len(weights))
        assert np.abs(stored / ONE - exact).max() < 1 / ONE


def plainly_rounded(sums):
    """One node, by largest remainders, with Python's numbers: bytes, and 126ths of what they leave out."""
    total = sum(sums)
    shares = [value / total * ONE if total > 0 else 1 / len(sums) * ONE for value in sums]
    stored = [int(share) for share in shares]
    order = sorted(range(len(sums)), key=lambda action: stored[action] - shares[action])
    for action in order[: ONE - sum(stored)]:
        stored[action] += 1
    left = [round((share - each) * 126) for share, each in zip(shares, stored, strict=True)]
    left[stored.index(max(stored))] -= sum(left)
    return stored, left


def random_sums(rng, shape):
    """Sums with zeros, equal numbers, and nodes without any."""
    sums = rng.integers(0, 4, shape) * rng.choice([0.0, 1e-30, 1.0, 1e30], (shape[0], 1, 1)) * rng.random(shape)
    return np.where(rng.random(shape) < 0.3, np.float64(rng.integers(0, 3)), sums)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
def test_rounding_is_that_of_the_plain_twin(dtype):
    rng = np.random.default_rng(4)
    sums = (
        rng.integers(0, 5, (9, ROUND.node_actions, 37)) if dtype == np.uint8 else random_sums(rng, (9, 14, 37))
    ).astype(dtype)
    stored, left = quantise_finely(sums, ROUND)
    assert np.array_equal(stored, quantise(sums, ROUND))
    for numbers in ROUND.action_index:
        legal = numbers[numbers >= 0]
        for row, line in np.ndindex(9, 37):
            expected = plainly_rounded(sums[row, legal, line].tolist())
            assert (stored[row, legal, line].tolist(), left[row, legal, line].tolist()) == expected


def test_some_lines_of_a_table_of_one_seat_are_rounded_in_place():
    """The table has its own order of actions, lacks some, and has two of five lines."""
    rng = np.random.default_rng(6)
    numbers = ROUND.action_index[ROUND.actor == 1]
    mine = numbers[numbers >= 0]
    has, lines = rng.permutation(mine)[1:], np.array([4, 1])
    sums = np.zeros((6, ROUND.node_actions, 5))
    sums[:, has[:, None], lines] = rng.random((6, len(has), 2))
    expected = quantise_finely(sums, ROUND)
    entries = np.full(ROUND.node_actions, -1)
    entries[has] = np.arange(len(has))
    table = sums[:, has[:, None], lines]
    stored, left = np.zeros(sums.shape, np.uint8), np.zeros(sums.shape, np.int8)
    quantise_lines(table, np.where(numbers >= 0, entries[numbers], -1), numbers, lines, stored, left)
    for found, whole in zip((stored, left), expected, strict=True):
        assert np.array_equal(found[:, mine[:, None], lines], whole[:, mine[:, None], lines])
        assert found.astype(bool).sum() == found[:, mine[:, None], lines].astype(bool).sum()
    assert np.array_equal(table, joined(stored, left)[:, has[:, None], lines])


def test_purged_nodes_drop_what_is_rare():
    sums = np.array([90, 10, 2, 49, 49, *[1] * 9], np.float32).reshape(1, 14, 1)
    stored = quantise(sums, ROUND)
    assert np.array_equal(purge(stored, ROUND, 0.0), stored)
    kept = purge(stored, ROUND, 0.05)
    for numbers in ROUND.action_index:
        legal = numbers[numbers >= 0]
        values = kept[0, legal, 0]
        assert values.sum() == 255
        assert not ((values > 0) & (values < 0.05 * 255)).any()


def test_each_action_may_have_its_own_limit():
    sums = np.array([90, 10, 20, 80, *[1] * 10], np.float32).reshape(1, 14, 1)
    stored = quantise(sums, ROUND)
    below = np.full(stored.shape, 0.03)
    below[0, 1:3] = 0.15
    kept = purge(stored, ROUND, below)
    assert kept[0, :4, 0].tolist() == [ONE, 0, 51, 204]
    assert np.array_equal(kept[0, 4:], stored[0, 4:])
    for node in nodes(purge(stored, ROUND, np.full(stored.shape, MOST_PURGED))):
        assert node.sum() == ONE


def test_what_the_whole_range_rarely_does_is_dropped():
    hulhe = BettingTree(Game.bundled("hulhe")).rounds[0]
    stored = quantise(np.ones((3, hulhe.node_actions, 1)), hulhe)
    fold, limp, raise_ = hulhe.action_index[0]
    stored[:, [fold, limp, raise_], 0] = [[205, 50, 0], [0, 255, 0], [0, 5, 250]]
    few, many = np.array([1, 2, 97]), np.array([91, 8, 1])
    kept = purge_rare(stored, hulhe, few, 0.05)
    assert kept[:, [fold, limp, raise_], 0].tolist() == [[255, 0, 0], [128, 0, 127], [0, 0, 255]]
    for numbers in hulhe.action_index:
        assert (kept[:, numbers[numbers >= 0]].sum(axis=1) == ONE).all()
    kept = purge_rare(stored, hulhe, many, 0.05)  # here raises are rare
    assert kept[:, [fold, limp, raise_], 0].tolist() == [[205, 50, 0], [0, 255, 0], [0, 255, 0]]
    assert np.array_equal(purge_rare(stored, hulhe, few, 0.0), stored)
