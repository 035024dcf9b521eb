"""Canonical hands against a slow twin that tries every suit permutation."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfr.hands.isomorphism import (
    HandIndexer,
    canonical_hands,
    chance_children,
    deck_size,
    full_deck,
    hand_classes,
    permute_hands,
    suit_classes,
    suit_permutations,
)
from cfr.system.errors import BadInputError
from tests.thorough import thorough

SIZES = [
    ((2, 3, 1, 1), (169, 1_286_792, 55_190_538, 2_428_287_420)),
    ((2, 4), (169, 13_960_050)),
    ((2, 5), (169, 123_156_254)),
    ((3,), (1_755,)),
    ((4,), (16_432,)),
    ((5,), (134_459,)),
    ((3, 1, 1), (1_755, 63_193, 2_554_656)),
    ((1, 1, 1), (13, 325, 9_997)),
]
STRUCTURES = [groups for groups, _ in SIZES]
SMALL_DECKS = [
    # ranks, suits, groups: Kuhn, Leduc, then whatever still fits a list
    (3, 1, (1,)),
    (3, 2, (1, 1)),
    (13, 4, (1, 1)),
    (5, 4, (2, 1)),
    (3, 4, (2, 3)),
    (2, 4, (3, 2, 1)),
    (4, 3, (2, 1, 1)),
    (4, 2, (1, 3, 1)),
    (6, 1, (2, 2)),
    (2, 4, (1, 1, 1, 1)),
    (3, 3, (6,)),
    (2, 4, (5, 2)),
]


def all_deals(num_ranks, num_suits, groups):
    """(n, k): every deal of the deck, ascending within each round."""
    deals = [()]
    for cards in groups:
        deck = full_deck(num_ranks, num_suits).tolist()
        deals = [(*d, *new) for d in deals for new in combinations([c for c in deck if c not in d], cards)]
    return np.array(deals, np.uint8)


def images(cards, groups, num_suits):
    """(num_suits!, n, k): the deals after every suit permutation, ascending within each round."""
    low = 4 - num_suits
    out = []
    for permutation in permutations(range(low, 4)):
        suits = np.array([*range(low), *permutation])
        moved = (cards >> 2) * 4 + suits[cards & 3]
        rounds = np.split(moved, np.cumsum(groups)[:-1], axis=1)
        out.append(np.concatenate([np.sort(r, axis=1) for r in rounds], axis=1))
    return np.stack(out).astype(np.uint8)


def slow_canonical(cards, groups, num_suits):
    """(n, k): the lexicographically smallest image of each deal."""
    every = images(np.asarray(cards), groups, num_suits).astype(np.int64)
    keys = every @ 52 ** np.arange(every.shape[2])[::-1]
    return every[keys.argmin(axis=0), np.arange(every.shape[1])].astype(np.uint8)


def all_hands(deck, hole):
    """(H, hole) hands in the order of `Game.hands`."""
    return np.array([h[::-1] for h in sorted(c[::-1] for c in combinations(deck.tolist(), hole))], np.uint8)


def random_deals(rng, count, cards):
    return rng.permuted(np.tile(full_deck(), (count, 1)), axis=1)[:, :cards].copy()


@pytest.mark.parametrize(("groups", "sizes"), SIZES)
def test_published_sizes(groups, sizes):
    assert HandIndexer(groups).sizes == sizes
    assert canonical_hands(groups) == sizes
    assert all(type(size) is int for size in canonical_hands(groups))


@pytest.mark.parametrize(("num_ranks", "num_suits", "groups"), SMALL_DECKS)
def test_small_decks_exhaustively(num_ranks, num_suits, groups):
    indexer = HandIndexer(groups, num_ranks, num_suits)
    for number in range(len(groups)):
        dealt = groups[: number + 1]
        deals = all_deals(num_ranks, num_suits, dealt)
        indices = indexer.index(deals, number)
        canonical = slow_canonical(deals, dealt, num_suits)
        assert np.array_equal(np.unique(indices), np.arange(indexer.sizes[number]))
        assert np.array_equal(indexer.unindex(indices, number), canonical)
        assert len(np.unique(canonical, axis=0)) == indexer.sizes[number]


def test_every_flop_hand_of_the_full_deck():
    indexer = HandIndexer((2, 3))
    cards = indexer.unindex(np.arange(indexer.sizes[-1]))
    assert np.array_equal(indexer.index(cards), np.arange(indexer.sizes[-1]))


@pytest.mark.parametrize("groups", STRUCTURES)
def test_random_deals_of_the_full_deck(groups):
    rng = np.random.default_rng(len(groups))
    deals = random_deals(rng, 2_000, sum(groups))
    indexer = HandIndexer(groups)
    indices = indexer.index(deals)
    assert np.array_equal(indexer.unindex(indices), slow_canonical(deals, groups, 4))
    for image in images(deals[:200], groups, 4):
        assert np.array_equal(indexer.index(image), indices[:200])


@pytest.mark.parametrize("groups", STRUCTURES)
def test_random_indices_of_the_full_deck(groups):
    indexer = HandIndexer(groups)
    for number, size in enumerate(indexer.sizes):
        indices = np.random.default_rng(number).integers(0, size, 20_000)
        indices[:2] = 0, size - 1
        cards = indexer.unindex(indices, number)
        assert np.array_equal(indexer.index(cards, number), indices)
        assert np.array_equal(cards[:500], slow_canonical(cards[:500], groups[: number + 1], 4))


@pytest.mark.parametrize("groups", [(7,), (13,), (26,), (4, 9), (6, 6)])
def test_many_cards(groups):
    indexer = HandIndexer(groups)
    indices = np.random.default_rng(1).integers(0, indexer.sizes[-1], 5_000)
    assert np.array_equal(indexer.index(indexer.unindex(indices)), indices)


@st.composite
def structures(draw):
    """A deck, groups it can deal, and one deal."""
    num_ranks, num_suits = draw(st.integers(1, 13)), draw(st.integers(1, 4))
    deck = draw(st.permutations(full_deck(num_ranks, num_suits).tolist()))
    groups = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    while sum(groups) > min(len(deck), 8):
        groups[-1:] = [groups[-1] - 1] if groups[-1] > 1 else []
    return num_ranks, num_suits, tuple(groups), deck[: sum(groups)]


@settings(max_examples=150, deadline=None)
@given(structures(), st.randoms(use_true_random=False))
def test_any_structure(structure, random):
    num_ranks, num_suits, groups, deal = structure
    indexer = HandIndexer(groups, num_ranks, num_suits)
    index = indexer.index([deal])
    assert 0 <= index[0] < indexer.sizes[-1]
    assert np.array_equal(indexer.unindex(index), slow_canonical(np.array([deal]), groups, num_suits))
    rounds = np.split(np.array(deal), np.cumsum(groups)[:-1])
    shuffled = [card for cards in rounds for card in random.sample(cards.tolist(), len(cards))]
    assert indexer.index([shuffled]) == index


@pytest.mark.parametrize("groups", [(2, 3, 1, 1), (2, 5), (1, 1, 1)])
def test_hands_on_a_board_match_single_indices(groups):
    hands = all_hands(full_deck(), groups[0])
    indexer = HandIndexer(groups)
    for number in range(len(groups)):
        boards = random_deals(np.random.default_rng(number), 12, sum(groups[1 : number + 1]))
        boards[:6] = np.sort(boards[:6], axis=1)
        table = indexer.index_hands(boards, hands)
        assert np.array_equal(table, indexer.index_hands(boards, hands, threads=2))
        assert np.array_equal(table, indexer.index_hands(boards, hands[:, ::-1]))
        for board, row in zip(boards, table, strict=True):
            live = ~np.isin(hands, board).any(axis=1)
            assert (row[~live] == -1).all()
            deals = np.hstack([hands[live], np.tile(board, (live.sum(), 1))])
            assert np.array_equal(row[live], indexer.index(deals, number))


@pytest.mark.parametrize(("num_ranks", "num_suits", "groups"), [(3, 1, (1,)), (3, 2, (1, 1)), (5, 4, (2, 3, 1, 1))])
def test_hands_on_boards_of_short_decks(num_ranks, num_suits, groups):
    deck = full_deck(num_ranks, num_suits)
    hands = all_hands(deck, groups[0])
    indexer = HandIndexer(groups, num_ranks, num_suits)
    boards = np.array(list(permutations(deck[: len(deck) // 2 + 4].tolist(), sum(groups[1:])))[::97], np.uint8)
    for board, row in zip(boards, indexer.index_hands(boards, hands), strict=True):
        live = ~np.isin(hands, board).any(axis=1)
        assert (row[~live] == -1).all()
        deals = np.hstack([hands[live], np.tile(board, (live.sum(), 1))])
        assert np.array_equal(row[live], indexer.index(deals))


def test_threads_do_not_change_a_bit():
    deals = random_deals(np.random.default_rng(7), 5_000, 7)
    indexer = HandIndexer((2, 3, 1, 1))
    indices = indexer.index(deals)
    assert np.array_equal(indices, indexer.index(deals, threads=2))
    assert np.array_equal(indexer.unindex(indices), indexer.unindex(indices, threads=2))


@pytest.mark.parametrize(("num_ranks", "num_suits", "hole"), [(13, 4, 2), (5, 4, 2), (3, 2, 1), (3, 1, 1)])
def test_permuted_hands(num_ranks, num_suits, hole):
    hands = all_hands(full_deck(num_ranks, num_suits), hole)
    permuted = permute_hands(hands, num_suits)
    assert np.array_equal(hands[permuted], images(hands, (hole,), num_suits))
    assert len(suit_permutations(num_suits)) == len(permuted)


def stabiliser(board, groups, num_suits):
    """Places in `images` of the suit permutations that fix each round of the board; the identity comes first."""
    every = images(board[None], groups, num_suits)[:, 0]
    return np.flatnonzero((every == every[0]).all(axis=1))


def slow_classes(board, groups, hands, num_suits):
    """The class of each hand: that of its first image under the board's symmetries."""
    kept = stabiliser(board, groups, num_suits) if groups else np.arange(len(suit_permutations(num_suits)))
    numbers = {tuple(hand): h for h, hand in enumerate(hands.tolist())}
    moved = images(hands, (hands.shape[1],), num_suits)[kept]
    names, out = {}, []
    for h, hand in enumerate(hands):
        if np.isin(hand, board).any():
            out.append(-1)
            continue
        first = min(numbers[tuple(image)] for image in moved[:, h].tolist())
        out.append(names.setdefault(first, len(names)))
    return out


@pytest.mark.parametrize(
    ("num_ranks", "num_suits", "groups", "hole"),
    [
        (13, 4, (), 2),
        (13, 4, (3,), 2),
        (13, 4, (3, 1), 2),
        (13, 4, (3, 1, 1), 2),
        (13, 4, (1, 1), 1),
        (6, 4, (2, 1), 2),
        (3, 2, (), 1),
        (3, 2, (1,), 1),
        (3, 1, (), 1),
        (4, 3, (2,), 2),
    ],
)
def test_classes_against_all_suit_permutations(num_ranks, num_suits, groups, hole):
    deck = full_deck(num_ranks, num_suits)
    hands = all_hands(deck, hole)
    rng = np.random.default_rng(3)
    boards = rng.permuted(np.tile(deck, (12, 1)), axis=1)[:, : sum(groups)]
    if sum(groups) == 5:  # what chance rarely deals: flushes, pairs over all suits, mirrored suits
        boards[:5] = [[0, 4, 8, 12, 16], [0, 1, 2, 3, 4], [0, 1, 2, 4, 5], [0, 5, 8, 13, 16], [0, 4, 1, 5, 51]]
    classes = hand_classes(boards, groups, hands, deck)
    assert np.array_equal(classes, hand_classes(boards, groups, hands, deck, threads=2))
    suits = suit_classes(boards, groups, deck)
    for board, row, alike in zip(boards, classes, suits, strict=True):
        assert row.tolist() == slow_classes(board, groups, hands, num_suits)
        assert alike.tolist() == slow_suits(board, groups, num_suits)


def slow_suits(board, groups, num_suits):
    """The first suit that the board's symmetries make of each; suits that the deck lacks stand for themselves."""
    aces = np.arange(52 - num_suits, 52, dtype=np.uint8)[:, None]
    kept = stabiliser(board, groups, num_suits) if groups else np.arange(len(suit_permutations(num_suits)))
    return [*range(4 - num_suits), *(images(aces, (1,), num_suits)[kept][..., 0].min(axis=0) % 4).tolist()]


def slow_children(board, groups, new_cards, num_ranks, num_suits):
    """{smallest image: size} of the next round's orbits under the board's symmetries."""
    deck = [c for c in full_deck(num_ranks, num_suits).tolist() if c not in board]
    kept = stabiliser(board, groups, num_suits) if groups else np.arange(len(suit_permutations(num_suits)))
    new = np.array(list(combinations(deck, new_cards)), np.uint8)
    orbits = {}
    for dealt in images(new, (new_cards,), num_suits)[kept].transpose(1, 0, 2).tolist():
        orbits.setdefault(tuple(min(dealt)), set()).add(tuple(dealt[0]))
    every = {tuple(d) for d in new.tolist()}
    assert set().union(*orbits.values()) == every
    return {first: len(members) for first, members in orbits.items()}


@pytest.mark.parametrize(
    ("num_ranks", "num_suits", "groups"),
    [(13, 4, (1, 1)), *thorough((13, 4, (3,))), (5, 4, (3, 1, 1)), (3, 2, (1,)), (3, 3, (2, 2, 1)), (4, 1, (2, 1))],
)
def test_children_against_all_suit_permutations(num_ranks, num_suits, groups):
    deck = full_deck(num_ranks, num_suits)
    boards = np.empty((1, 0), np.uint8)
    for number, new_cards in enumerate(groups):
        earlier = groups[:number]
        parent, children, weight = chance_children(boards, earlier, new_cards, deck)
        assert (np.diff(parent) >= 0).all()
        assert np.array_equal(children[:, : sum(earlier)], boards[parent])
        for row in range(0, len(boards), max(1, len(boards) // 40)):
            mine = parent == row
            dealt = map(tuple, children[mine, sum(earlier) :].tolist())
            expected = slow_children(boards[row], earlier, new_cards, num_ranks, num_suits)
            assert dict(zip(dealt, weight[mine].tolist(), strict=True)) == expected
        boards = children


def test_public_tree_of_the_full_deck():
    deck = full_deck()
    boards, weights = np.empty((1, 0), np.uint8), np.ones(1, np.int64)
    indexer = HandIndexer((3, 1, 1))
    for number, ways in enumerate([22_100, 49, 48]):
        parent, children, weight = chance_children(boards, (3, 1, 1)[:number], (3, 1, 1)[number], deck)
        assert (np.bincount(parent, weight) == ways).all()
        weights = weights[parent] * weight
        boards = children
        assert len(boards) == indexer.sizes[number]
        seen = np.zeros(len(boards), bool)
        seen[indexer.index(boards, number)] = True
        assert seen.all()
    assert weights.sum() == 22_100 * 49 * 48


def test_bad_input_is_named():
    indexer = HandIndexer((2, 3))
    deck, hands = full_deck(), all_hands(full_deck(), 2)
    boards = np.array([[0, 1, 2]], np.uint8)
    for bad, message in [
        (lambda: HandIndexer(()), "groups"),
        (lambda: HandIndexer((2, 0)), "groups"),
        (lambda: HandIndexer((1, 1, 1, 1, 1)), "groups"),
        (lambda: HandIndexer((2, 3), 1, 4), "more cards"),
        (lambda: HandIndexer((2,), 14, 4), "14 ranks"),
        (lambda: HandIndexer((2,), 13, 0), "0 suits"),
        (lambda: HandIndexer((13, 13, 13)).sizes, r"groups \(13, 13\): too many canonical"),
        (lambda: HandIndexer((9, 9, 9)).sizes, r"groups \(9, 9, 9\): too many ways"),
        (lambda: indexer.index([[0, 1, 2, 3]]), r"shape \(1, 4\), expected \(n, 5\)"),
        (lambda: indexer.index([[0, 1, 2, 3, 4], [0, 1, 2, 3, 3]]), r"row 1 \[0, 1, 2, 3, 3\]"),
        (lambda: indexer.index([[0, 1, 2, 3, 52]]), "0 to 51"),
        (lambda: indexer.index(np.array([[0, 1, 2, 3, 52]], np.uint8)), "row 0"),
        (lambda: indexer.index([[0, 1, 2, 3, -1]]), "0 to 51"),
        (lambda: indexer.index([[0.0, 1, 2, 3, 4]]), "dtype float64"),
        (lambda: HandIndexer((1,), 3, 1).index([[0]]), "outside the deck"),
        (lambda: indexer.index([[0, 1]], 2), "round 2"),
        (lambda: indexer.unindex([1_286_792]), "0 to 1286791"),
        (lambda: indexer.unindex([-1]), "0 to 1286791"),
        (lambda: indexer.unindex([[0]]), r"shape \(1, 1\)"),
        (lambda: indexer.index_hands(boards[:, :2], hands), "boards: shape"),
        (lambda: indexer.index_hands(boards[0], hands), "boards: shape"),
        (lambda: indexer.index_hands(boards, hands[:, :1]), "hands: 1 card, expected 2"),
        (lambda: indexer.index_hands(boards, boards), "hands: shape"),
        (lambda: hand_classes(boards, (3, 1), hands, deck), "boards: shape"),
        (lambda: chance_children(boards, (2,), 1, deck), "boards: shape"),
        (lambda: chance_children(boards, (3,), 0, deck), "groups"),
        (lambda: chance_children(boards, (3,), 50, deck), "more cards"),
        (lambda: permute_hands(hands[:5]), "not closed"),
        (lambda: deck_size(deck[1:]), "deck"),
    ]:
        with pytest.raises(BadInputError, match=message):
            bad()


def test_deck_sizes():
    for num_ranks in range(1, 14):
        for num_suits in range(1, 5):
            assert deck_size(full_deck(num_ranks, num_suits)) == (num_ranks, num_suits)
    assert full_deck(3, 2).tolist() == [42, 43, 46, 47, 50, 51]  # Leduc: Qh Qs Kh Ks Ah As


def test_empty_batches():
    indexer, hands, deck = HandIndexer((2, 3)), all_hands(full_deck(), 2), full_deck()
    assert indexer.index(np.empty((0, 5), np.uint8)).shape == (0,)
    assert indexer.unindex(np.empty(0, np.int64)).shape == (0, 5)
    assert indexer.index_hands(np.empty((0, 3), np.uint8), hands).shape == (0, 1326)
    assert hand_classes(np.empty((0, 3), np.uint8), (3,), hands, deck).shape == (0, 1326)
    assert [len(a) for a in chance_children(np.empty((0, 3), np.uint8), (3,), 1, deck)] == [0, 0, 0]
