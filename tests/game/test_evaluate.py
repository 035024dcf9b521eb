"""Hand strength against published counts, a plain twin and itself under every symmetry."""

from collections import Counter
from itertools import combinations
from math import comb

import numpy as np
import pytest

from cfr.game.cards import parse_cards
from cfr.game.evaluate import CATEGORIES, category, evaluate, strengths
from cfr.game.rules import GAME_NAMES, Game
from cfr.system.errors import BadInputError

ROYAL_FLUSH = 9 << 12 | 12
FIVE_CARDS = [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40]
SIX_CARDS = [6_612_900, 9_730_740, 2_532_816, 732_160, 361_620, 205_792, 165_984, 14_664, 1_844]
SEVEN_CARDS = [23_294_460, 58_627_800, 31_433_400, 6_461_620, 6_180_020, 4_047_644, 3_473_184, 224_848, 41_584]


def plain_rank(cards) -> tuple:
    """Poker of five cards, or of three as in Rhode Island hold'em, as tuples that compare."""
    cards = [int(card) for card in cards]
    counts = Counter(card >> 2 for card in cards)
    by_count = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    shape = tuple(sorted(counts.values(), reverse=True))
    low, high = min(counts), max(counts)
    wheel = sorted(counts) == [*range(len(cards) - 1), 12]
    straight = len(counts) == len(cards) and (high - low == len(cards) - 1 or wheel)
    flush = len({card & 3 for card in cards}) == 1
    if straight:
        by_count = [by_count[1] if wheel else high]
    if len(cards) == 3:
        place = 5 if straight and flush else 4 if shape == (3,) else 3 if straight else 2 if flush else shape == (2, 1)
        return int(place), *by_count
    places = {(1,) * 5: 0, (2, 1, 1, 1): 1, (2, 2, 1): 2, (3, 1, 1): 3, (3, 2): 6, (4, 1): 7}
    place = 8 if straight and flush else 5 if flush else 4 if straight else places[shape]
    return place, *by_count


def random_hands(count: int, cards: int, seed: int = 1) -> np.ndarray:
    return np.random.RandomState(seed).rand(count, 52).argsort(axis=1)[:, :cards].astype(np.uint8)


@pytest.fixture(scope="module")
def all_fives() -> np.ndarray:
    """(2598960, 5), in colexicographic order: the hands below card c come first."""
    indices = np.arange(52, dtype=np.uint8)[:, None]
    for _ in range(4):
        lows = [indices[indices[:, -1] < card] for card in range(52)]
        indices = np.concatenate([np.c_[low, np.full(len(low), card, np.uint8)] for card, low in enumerate(lows)])
    return indices


def test_all_five_card_hands_by_category(all_fives):
    strength = evaluate(all_fives)
    assert np.bincount(strength >> 12, minlength=10).tolist() == [0, *FIVE_CARDS]
    assert (strength == ROYAL_FLUSH).sum() == 4
    assert strength.max() == ROYAL_FLUSH


def test_the_7462_ranks_of_five_cards_in_the_twin_s_order(all_fives):
    values, first, times = np.unique(evaluate(all_fives), return_index=True, return_counts=True)
    ranks = [plain_rank(hand) for hand in all_fives[first]]
    assert len(values) == 7462
    assert ranks == sorted(set(ranks))
    known = dict(zip(ranks, values.tolist(), strict=True))
    some = random_hands(20_000, 5)
    assert evaluate(some).tolist() == [known[plain_rank(hand)] for hand in some]
    assert times[-1] == 4


@pytest.mark.parametrize("cards", [6, 7])
def test_more_cards_are_the_best_five_of_them(cards):
    hands = random_hands(100_000, cards)
    fives = [evaluate(hands[:, list(chosen)]) for chosen in combinations(range(cards), 5)]
    assert (evaluate(hands) == np.max(fives, axis=0)).all()


@pytest.mark.parametrize("cards", [6, 7])
def test_every_set_of_ranks(cards):
    """All ways to choose ranks, no five cards of a suit: every entry of the table but those of flushes."""
    sets = np.array([[rank] for rank in range(13)], np.int8)
    for _ in range(cards - 1):
        sets = np.concatenate(
            [np.c_[sets[sets[:, -1] <= rank], np.full((sets[:, -1] <= rank).sum(), rank)] for rank in range(13)]
        )
    sets = sets[(sets[:, 4:] != sets[:, :-4]).all(axis=1)]
    assert len(sets) == {6: 18_395, 7: 49_205}[cards]
    # A rank's cards take suits that follow each other, and so do the ranks: no suit gets five cards.
    hands = (4 * sets + np.arange(cards) % 4).astype(np.uint8)
    fives = [evaluate(hands[:, list(chosen)]) for chosen in combinations(range(cards), 5)]
    assert (evaluate(hands) == np.max(fives, axis=0)).all()


@pytest.mark.slow
def test_all_seven_card_hands_by_category(all_fives):
    counts, royal = np.zeros(10, np.int64), 0
    for high in range(6, 52):
        for low in range(5, high):
            below = all_fives[: comb(low, 5)]
            hands = np.empty((len(below), 7), np.uint8)
            hands[:, :5], hands[:, 5], hands[:, 6] = below, low, high
            strength = evaluate(hands)
            counts += np.bincount(strength >> 12, minlength=10)
            royal += int((strength == ROYAL_FLUSH).sum())
    assert counts.tolist() == [0, *SEVEN_CARDS]
    assert royal == 4_324


@pytest.mark.slow
def test_all_hands_on_all_river_boards(all_fives):
    """Every hand of seven cards is met on 21 of its boards; hands that collide with the board have no strength."""
    hands, counts = Game.bundled("hulhe").hands, np.zeros(10, np.int64)
    for start in range(0, len(all_fives), 10_000):
        counts += np.bincount(strengths(all_fives[start : start + 10_000], hands).ravel() >> 12, minlength=10)
    assert counts[1:].tolist() == [21 * count for count in SEVEN_CARDS]
    assert counts[0] == len(all_fives) * (1326 - 1081)


def test_all_six_card_hands_by_category(all_fives):
    counts = np.zeros(10, np.int64)
    for high in range(5, 52):
        below = all_fives[: comb(high, 5)]
        counts += np.bincount(evaluate(np.c_[below, np.full(len(below), high, np.uint8)]) >> 12, minlength=10)
    assert counts.tolist() == [0, *SIX_CARDS]


@pytest.mark.parametrize("cards", [1, 2, 3, 5, 6, 7])
def test_suits_and_order_do_not_matter(cards):
    hands = random_hands(5_000, cards)
    strength = evaluate(hands)
    rng = np.random.RandomState(2)
    for _ in range(5):
        suits = rng.permutation(4).astype(np.uint8)
        assert (evaluate(hands & ~np.uint8(3) | suits[hands & 3]) == strength).all()
        assert (evaluate(hands[:, rng.permutation(cards)]) == strength).all()


@pytest.mark.parametrize("cards", [1, 2, 3, 5, 6, 7])
def test_a_hand_alone_in_a_batch_and_by_threads(cards):
    """Batches go through vectors, single hands and the ends of batches do not; both give the same."""
    hands = random_hands(2_000, cards)
    strength = evaluate(hands)
    assert [int(evaluate(hand[None])[0]) for hand in hands] == strength.tolist()
    for size in (0, 3, 511, 513, 1999):
        assert (evaluate(hands[:size]) == strength[:size]).all()
    assert (evaluate(hands, threads=2) == strength).all()
    assert (evaluate(hands.astype(np.int64)) == strength).all()
    assert (evaluate(np.asfortranarray(hands)) == strength).all()


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("AhKhQhJhTh2c2d", "KhQhJhTh9hAcAd"),
        ("Ah2h3h4h5hKcKd", "AcAdAhAsKcKdKh"),
        ("2c2d2h2s3c3d3h", "AcAdAhKcKdKh2c"),
        ("AcAdAh2c2d9s8s", "KcKdKhAsAhQsJs"),
        ("2h3h4h5h7hAcKd", "AcKdQhJsTc2c2d"),
        ("2c3d4h5s6c9dKd", "Ac2d3h4s5c9dKd"),
        ("AcAdKcKdQs2h3h", "AcAdKcKdJs2h3h"),
    ],
)
def test_known_pairs(better, worse):
    strength = evaluate([parse_cards(better), parse_cards(worse)])
    assert strength[0] > strength[1]


def test_ties():
    """The board plays, the sixth and seventh cards do not, and the third pair is no more than a kicker."""
    for first, second in [
        ("AcKdQhJsTc2c2d", "AcKdQhJsTc3c4d"),
        ("AhKhQhJh9h2h3h", "AhKhQhJh9h2c3c"),
        ("AcAdKcKdQsJhJd", "AcAdKcKdQs2h3h"),
        ("AcAdAhKcKdKh2c", "AcAdAhKcKd3h4c"),
    ]:
        strength = evaluate([parse_cards(first), parse_cards(second)])
        assert strength[0] == strength[1]


def test_three_cards_as_in_rhode_island():
    hands = np.array(list(combinations(range(52), 3)), np.uint8)
    ranks = [plain_rank(hand) for hand in hands]
    order = sorted(set(ranks))
    assert np.unique(evaluate(hands), return_inverse=True)[1].tolist() == [order.index(rank) for rank in ranks]
    counts = Counter(rank[0] for rank in ranks)
    assert [counts[place] for place in range(6)] == [16_440, 3_744, 1_096, 720, 52, 48]


def test_two_cards_as_in_leduc_and_one_as_in_kuhn():
    hands = np.array(list(combinations(range(52), 2)), np.uint8)
    ranks = [(low == high, high, low) for low, high in np.sort(hands >> 2, axis=1).tolist()]
    order = sorted(set(ranks))
    assert np.unique(evaluate(hands), return_inverse=True)[1].tolist() == [order.index(rank) for rank in ranks]
    assert np.unique(evaluate(np.arange(52)[:, None]), return_inverse=True)[1].tolist() == [c // 4 for c in range(52)]


@pytest.mark.parametrize("name", GAME_NAMES)
def test_hands_on_boards(name):
    game, rng = Game.bundled(name), np.random.RandomState(3)
    num = sum(game.num_board_cards)
    if num + game.num_hole_cards == 4:
        pytest.skip("no showdown of four cards")
    boards = np.array([rng.permutation(game.deck)[:num] for _ in range(40)], np.uint8).reshape(40, num)
    table = strengths(boards, game.hands)
    assert (table == strengths(boards, game.hands, threads=2)).all()
    for board, row in zip(boards, table, strict=True):
        live = ~np.isin(game.hands, board).any(axis=1)
        assert not row[~live].any()
        assert row[live].min() >= 1
        hands = game.hands[live]
        assert (row[live] == evaluate(np.c_[hands, np.tile(board, (len(hands), 1))])).all()


@pytest.mark.parametrize("cards", [3, 4])
def test_hands_on_flops_and_turns_compare_with_rivers(cards):
    boards, hands = random_hands(50, 5), Game.bundled("hulhe").hands
    early, late = strengths(boards[:, :cards], hands), strengths(boards, hands)
    live = late > 0
    assert (early[live] <= late[live]).all()
    assert (early[live] > 0).all()


def test_categories():
    texts = ["AcKdQhJs9c", "AcAdQhJs9c", "AcAdQhQs9c", "AcAdAhQs9c", "AcKdQhJsTc", "AcKcQcJc9c", "AcAdAhQsQc",
             "AcAdAhAs9c", "AcKcQcJcTc"]  # fmt: skip
    assert tuple(category(int(s)) for s in evaluate([parse_cards(text) for text in texts])) == CATEGORIES


def test_no_hands_and_no_boards():
    assert evaluate(np.empty((0, 7), np.uint8)).shape == (0,)
    assert strengths(np.empty((0, 5), np.uint8), Game.bundled("hulhe").hands).shape == (0, 1326)
    assert strengths(np.empty((3, 0), np.uint8), Game.bundled("kuhn").hands).shape == (3, 3)


@pytest.mark.parametrize("dtype", [np.uint8, np.int64])
@pytest.mark.parametrize(("count", "cards"), [(1, 7), (600, 7), (600, 5), (2, 3)])
def test_a_code_that_is_no_card(count, cards, dtype):
    hands = random_hands(count, cards).astype(dtype)
    hands[count // 2, cards - 1] = 52
    with pytest.raises(BadInputError, match=f"cards: 52 in row {count // 2} is no card; codes run from 0 to 51"):
        evaluate(hands)


def test_errors():
    with pytest.raises(BadInputError, match="-1 in row 0 is no card"):
        evaluate([[-1, 2, 3, 4, 5]])
    with pytest.raises(BadInputError, match="hands of 4; expected 1, 2, 3, 5, 6 or 7"):
        evaluate([[1, 2, 3, 4]])
    with pytest.raises(BadInputError, match="expected two axes"):
        evaluate([1, 2, 3, 4, 5])
    with pytest.raises(BadInputError, match="4 cards on the board and 4 in hand have no ranking"):
        strengths([[0, 1, 2, 3]], [[4, 5, 6, 7]])
    with pytest.raises(BadInputError, match="boards: 60 in row 0"):
        strengths(np.array([[0, 1, 60]], np.uint8), Game.bundled("hulhe").hands)
