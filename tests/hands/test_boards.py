"""Canonical boards: counts, orbit weights, and one gather from any board to its canonical one's table."""

from itertools import combinations
from math import comb, factorial, prod

import numpy as np
import pytest

from cfr.hands.boards import BoardMap
from cfr.hands.isomorphism import HandIndexer, full_deck, suit_permutations
from cfr.system.errors import BadInputError


def number_of_boards(cards, groups):
    return factorial(cards) // (factorial(cards - sum(groups)) * prod(factorial(g) for g in groups))


@pytest.mark.parametrize(
    ("groups", "count"),
    [((3,), 1_755), ((4,), 16_432), ((5,), 134_459), ((3, 1), 63_193), ((3, 1, 1), 2_554_656)],
)
def test_full_deck(groups, count):
    boards = BoardMap(groups, full_deck())
    assert len(boards) == len(boards.boards) == count
    assert boards.weights.sum() == number_of_boards(52, groups)
    assert set(np.unique(boards.weights).tolist()) <= {1, 4, 6, 12, 24}


@pytest.mark.parametrize(
    ("num_ranks", "num_suits", "groups"), [(3, 2, (1,)), (5, 4, (3,)), (5, 4, (3, 1)), (6, 3, (2, 2)), (6, 4, (5,))]
)
def test_short_decks_exhaustively(num_ranks, num_suits, groups):
    deck = full_deck(num_ranks, num_suits)
    board_map = BoardMap(groups, deck)
    every = np.array(
        [
            (*first, *second)
            for first in combinations(deck.tolist(), groups[0])
            for second in combinations([c for c in deck.tolist() if c not in first], sum(groups[1:]))
        ],
        np.uint8,
    )
    index, permutation = board_map.locate(every)
    assert np.array_equal(np.bincount(index), board_map.weights)
    low = 4 - num_suits
    suits = np.take_along_axis(suit_permutations(num_suits)[permutation], (every & 3).astype(int) - low, axis=1)
    moved = (every & 0xFC) + low + suits
    rounds = np.split(moved, np.cumsum(groups)[:-1], axis=1)
    moved = np.concatenate([np.sort(r, axis=1) for r in rounds], axis=1)
    assert np.array_equal(moved, board_map.boards[index])


@pytest.mark.parametrize(
    ("num_ranks", "num_suits", "groups", "hole"),
    [(13, 4, (3,), 2), (13, 4, (3, 1), 2), (13, 4, (5,), 2), (13, 4, (1, 1), 1), (5, 4, (3, 1, 1), 2), (3, 2, (1,), 1)],
)
def test_one_gather_from_any_board(num_ranks, num_suits, groups, hole):
    deck = full_deck(num_ranks, num_suits)
    hands = np.array([h[::-1] for h in sorted(c[::-1] for c in combinations(deck.tolist(), hole))], np.uint8)
    board_map = BoardMap(groups, deck)
    indexer = HandIndexer((hole, *groups), num_ranks, num_suits)
    boards = np.random.default_rng(5).permuted(np.tile(deck, (300, 1)), axis=1)[:, : sum(groups)].copy()
    index, permutation = board_map.locate(boards, threads=2)
    table = indexer.index_hands(board_map.boards[index], hands)
    gathered = np.take_along_axis(table, board_map.permute_hands(hands)[permutation].astype(int), axis=1)
    assert np.array_equal(gathered, indexer.index_hands(boards, hands))


def test_boards_are_sets_within_a_round():
    flops = BoardMap((3,), full_deck())
    index, _ = flops.locate([[50, 20, 3], [3, 50, 20]])
    assert index[0] == index[1]
    assert np.array_equal(flops.locate(flops.boards)[0], np.arange(1_755))
    assert flops.weights[flops.locate([[0, 1, 2]])[0][0]] == 4
    assert comb(52, 3) == flops.weights.sum()


def test_bad_input_is_named():
    for bad, message in [
        (lambda: BoardMap((3,), full_deck()[::2]), "deck"),
        (lambda: BoardMap((3, 3), full_deck(1, 4)), "more cards"),
        (lambda: BoardMap((3,), full_deck()).locate([[0, 1]]), "boards: shape"),
        (lambda: BoardMap((3,), full_deck()).locate([[0, 1, 1]]), "boards: row 0"),
    ]:
        with pytest.raises(BadInputError, match=message):
            bad()
