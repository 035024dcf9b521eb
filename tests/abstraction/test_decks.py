"""Buckets of other decks than the full one: features against plain twins, rows of whole solves, bad input."""

from itertools import combinations, pairwise, permutations

import numpy as np
import pytest

from cfr.abstraction.abstraction import Abstraction
from cfr.abstraction.buckets import checked_buckets
from cfr.abstraction.deck import FLOP, RIVER, TURN, Deck
from cfr.abstraction.features import FEATURE_SCALE, HandFeatures, board_map, strength_steps
from cfr.abstraction.opponents import opponent_clusters, standard_features, strength_distributions
from cfr.game.evaluate import strengths
from cfr.game.rules import Game
from cfr.system.disk.cache import Cache
from cfr.system.errors import CfrError, DamagedFileError
from tests.small_games import all_boards, short_deck

ROYAL = Game.bundled("royal")
DECKS = {
    "20 cards, 4 rounds": Deck(5, 4, 4),
    "21 cards of 3 suits, 4 rounds": Deck(7, 3, 4),
    "24 cards, 3 rounds": Deck(6, 4, 3),
    "20 cards of 2 suits, 2 rounds": Deck(10, 2, 2),
    "36 cards, 4 rounds": Deck(9, 4, 4),
    "52 cards, 2 rounds": Deck(13, 4, 2),
}
MANY = pytest.mark.parametrize("deck", DECKS.values(), ids=DECKS)


def standing_in(deck):
    """Features with clusters that cost nothing to find: by the highest rank."""
    row, column = np.divmod(np.arange(deck.num_ranks**2), deck.num_ranks)
    return HandFeatures(deck, (7 - np.minimum(np.minimum(row, column), 7)).astype(np.uint8), strength_steps(deck))


def deal(rng, deck, round_index, count=1):
    return np.array([rng.permutation(deck.cards)[: round_index + 2] for _ in range(count)], np.uint8)


def live_hands(deck, board):
    return np.flatnonzero(~np.isin(deck.hands, board).any(axis=1))


def won_and_opponents(features, hand, board):
    """Half opponents beaten and opponents, (8,) each, by cluster: one comparison for each opponent hand."""
    hands, known = features.deck.hands, strengths(board[None], features.deck.hands)[0].astype(int)
    won, opponents = np.zeros(8, int), np.zeros(8, int)
    for other, cluster in enumerate(features.hand_clusters):
        if not known[other] or set(hands[other]) & set(hands[hand]):
            continue
        won[cluster] += 1 + int(np.sign(known[hand] - known[other]))
        opponents[cluster] += 1
    return won, opponents


def plain_run_outs(features, hand, board):
    """The sum (16,) over the cards of the last round of how far each step is filled, on the scale of features."""
    deck, edges = features.deck, features.steps.astype(float)
    rest = [card for card in deck.cards if card not in board and card not in deck.hands[hand]]
    total = np.zeros(16, int)
    for card in rest:
        value = won_and_opponents(features, hand, np.array([*board, card], np.uint8))[0].sum()
        for step, (low, high) in enumerate(pairwise(edges.tolist())):
            total[step] += round(FEATURE_SCALE // len(rest) * min(max((value - low) / (high - low), 0.0), 1.0))
    return total


def plain(features, hand, board):
    """Features of one hand on one board, from the definition."""
    deck = features.deck
    to_come = deck.last + 2 - len(board)
    if to_come == 0:
        won, opponents = won_and_opponents(features, hand, board)
        both = zip(won, opponents, strict=True)
        return [int(FEATURE_SCALE * w / (2 * n) + 0.5) if n else (FEATURE_SCALE + 1) // 2 for w, n in both]
    if to_come == 1:
        return plain_run_outs(features, hand, board).tolist()
    rest = [card for card in deck.cards if card not in board and card not in deck.hands[hand]]
    return (sum(plain_run_outs(features, hand, [*board, card]) for card in rest) // len(rest)).tolist()


@MANY
def test_features_are_those_of_a_plain_twin(deck):
    features, rng = standing_in(deck), np.random.default_rng(len(deck.cards))
    for round_index in range(FLOP, deck.num_rounds):
        if deck.last - round_index == 2 and len(deck.cards) > 24:
            continue  # the twin takes a minute; one hand alone is counted, too
        board = deal(rng, deck, round_index)
        every = features.of_boards(round_index, board, threads=2)[0]
        assert every.shape == (len(deck.hands), 16 if round_index < deck.last else 8)
        for hand in rng.choice(live_hands(deck, board[0]), 2 if deck.last - round_index == 2 else 12):
            assert every[hand].tolist() == plain(
                features, hand, board[0].tolist() if deck.last > round_index else board[0]
            )
        assert not np.delete(every, live_hands(deck, board[0]), axis=0).any()


@MANY
def test_one_hand_alone_has_the_features_of_all_hands(deck):
    features, rng = standing_in(deck), np.random.default_rng(1)
    for round_index in range(FLOP, deck.num_rounds):
        board = deal(rng, deck, round_index)
        every = features.of_boards(round_index, board)[0]
        assert every.max() <= FEATURE_SCALE
        for hand in rng.choice(live_hands(deck, board[0]), 10):
            assert features.hand(hand, board[0]).tolist() == every[hand].tolist()


@MANY
def test_isomorphic_spots_have_equal_features(deck):
    features, rng = standing_in(deck), np.random.default_rng(2)
    lowest = 4 - deck.num_suits
    for round_index in range(FLOP, deck.num_rounds):
        board = deal(rng, deck, round_index)[0]
        for suits in permutations(range(lowest, 4)):
            image = np.array([0] * lowest + list(suits), np.uint8)

            def moved(cards, image=image):
                return image[cards % 4] + cards // 4 * 4

            one, other = features.of_boards(round_index, np.array([board, moved(board)]))
            for hand in live_hands(deck, board)[::17]:
                assert one[hand].tolist() == other[deck.hand_number(moved(deck.hands[hand]))].tolist()


def test_clusters_of_starting_hands_follow_from_all_boards_of_the_deck(tmp_path):
    deck = DECKS["24 cards, 3 rounds"]
    distributions = strength_distributions(deck)
    hand = deck.hand_number([51, 50])  # AsAh
    chance = np.zeros(2 * deck.opponents + 1)
    game = short_deck("x", 4, 6, (0, 3, 1), (1, 1, 1))
    assert np.array_equal(game.hands, deck.hands)
    boards = np.array(list(combinations([card for card in deck.cards if card < 50], 4)), np.uint8)
    for known in strengths(boards, deck.hands).astype(int):
        opponents = known[(known > 0) & ~np.isin(deck.hands, [50, 51]).any(axis=1)]
        chance[(1 + np.sign(known[hand] - opponents)).sum()] += 1 / len(boards)
    np.testing.assert_allclose(distributions[0], chance[::-1].cumsum()[::-1], atol=1e-12)
    clusters = opponent_clusters(deck, Cache(tmp_path))
    assert sorted(set(clusters.tolist())) == list(range(8))
    assert clusters[0] == 7
    means = distributions.sum(axis=1)
    assert means[clusters == 0].max() < means[clusters == 7].min()
    [kept] = tmp_path.iterdir()
    assert kept.name.startswith("opponents-")
    np.testing.assert_array_equal(opponent_clusters(deck, Cache(tmp_path), threads=2), clusters)


@pytest.mark.parametrize(
    ("game", "buckets"),
    [
        (ROYAL, (40, 50, "3x20")),
        (ROYAL, ("lossless", 30, 60)),
        (short_deck("three", 4, 5, (0, 3, 1), (1, 1, 1)), (30, "3x20")),
        (short_deck("two", 4, 5, (0, 3), (1, 1)), (30,)),
    ],
    ids=str,
)
def test_rows_of_a_game_in_arrays_and_back(game, buckets, tmp_path):
    built = Abstraction.build(game, buckets, seed=1, cache_dir=tmp_path)
    again = Abstraction.build(game, buckets, seed=1, threads=2, cache_dir=tmp_path / "other")
    copy = Abstraction.from_arrays(game, built.arrays(), cache_dir=tmp_path)
    rng = np.random.default_rng(4)
    for round_index, seen in enumerate(np.cumsum(game.num_board_cards)):
        boards = np.array([rng.permutation(game.deck)[:seen] for _ in range(30)], np.uint8).reshape(30, seen)
        rows = built.rows(round_index, boards, threads=2)
        assert rows.shape == (30, game.num_hands)
        assert rows.max() < built.num_rows[round_index]
        np.testing.assert_array_equal(rows < 0, [~game.live(board) for board in boards])
        for other in (again, copy):
            np.testing.assert_array_equal(other.rows(round_index, boards), rows)
        for board, row in zip(boards, rows, strict=True):
            hand = rng.choice(np.flatnonzero(row >= 0))
            for use_table in (True, False):
                assert copy.place(game.hands[hand].tolist(), board.tolist(), use_table) == row[hand]
    assert ("flop_table" in built.arrays()) == (buckets[0] != "lossless" and game.num_rounds > 2)


@pytest.mark.thorough
def test_as_many_buckets_as_hands_lose_nothing_but_strength_itself(tmp_path):
    """With a bucket for each point, two hands of a flop share one only if their features are equal."""
    game = short_deck("two", 4, 5, (0, 3), (1, 1))
    built = Abstraction.build(game, (7760,), seed=1, cache_dir=tmp_path)
    boards = np.array(all_boards(game, FLOP)[::50], np.uint8)
    features = standard_features(Deck.of(game), Cache(tmp_path)).of_boards(FLOP, boards)
    rows = built.rows(FLOP, boards)
    points = features[rows >= 0].astype(int)
    order = np.argsort(rows[rows >= 0], kind="stable")
    same_row = np.diff(rows[rows >= 0][order]) == 0
    same_point = (np.diff(points[order], axis=0) == 0).all(axis=1)
    assert (same_row == same_point).mean() > 0.97


@pytest.mark.parametrize(
    ("game", "buckets", "says"),
    [
        (ROYAL, (7761, 10, 10), "buckets of the flop: 7761, but there are only 7,760 different hands; say fewer, or"),
        (ROYAL, (10, 27291, 10), "buckets of the turn: 27291, but there are only 27,290 different hands"),
        (ROYAL, (10, 5000, "30x60000"), "buckets of the river: '30x60000', but there are only 1,398,100 hands"),
        (ROYAL, (10, 10), "buckets: 2 entries, expected those of flop, turn and river"),
        (short_deck("three", 4, 5, (0, 3, 1), (1, 1, 1)), (5, 5, 5), "3 entries, expected those of flop and turn"),
        (short_deck("two", 4, 5, (0, 3), (1, 1)), (5, 5), "2 entries, expected that of flop"),
        (short_deck("two", 4, 5, (0, 3), (1, 1)), ("3x5",), "buckets of the flop: '3x5', expected 1 to 65535"),
        (short_deck("three", 4, 5, (0, 3, 1), (1, 1, 1)), (5, "9x5"), "at least as many on the flop, not 5 buckets"),
        (
            short_deck("tiny", 4, 4, (0, 3, 1), (1, 1, 1)),
            (5, 5),
            "tiny: only hold'em-like games have buckets: two hole",
        ),
        (short_deck("odd", 4, 6, (0, 4, 1), (1, 1, 1)), (5, 5), "a flop of three, then perhaps a turn and a river"),
        (Game.bundled("rhode-island"), (5, 5), "rhode-island: only hold'em-like games"),
    ],
    ids=str,
)
def test_buckets_that_a_game_does_not_have_are_refused_in_one_line(game, buckets, says):
    with pytest.raises(CfrError, match=says) as error:
        checked_buckets(game, buckets)
    assert "\n" not in str(error.value)


def test_arrays_of_another_deck_are_refused(tmp_path):
    arrays = Abstraction.build(ROYAL, (40, 50, 60), cache_dir=tmp_path).arrays(flop_table=False)
    for change in (
        {"opponent_clusters": arrays["opponent_clusters"][1:]},
        {"opponent_clusters": arrays["opponent_clusters"] + np.uint8(8)},
        {"strength_steps": arrays["strength_steps"] * np.uint16(2)},
    ):
        with pytest.raises(DamagedFileError, match="features of another deck"):
            Abstraction.from_arrays(ROYAL, arrays | change)
    with pytest.raises(DamagedFileError, match="features of another deck"):
        Abstraction.from_arrays(Game.bundled("hulhe"), arrays)
    with pytest.raises(DamagedFileError, match="only hold'em-like"):
        Abstraction.from_arrays(Game.bundled("leduc"), arrays)


def test_the_full_deck_is_full_holdems():
    deck = Deck.of(Game.bundled("hulhe"))
    assert deck.is_full
    assert not Deck(13, 4, 3).is_full
    assert [len(board_map(deck, r)) for r in (FLOP, TURN, RIVER)] == [1755, 16432, 134459]
    assert deck.opponents == 990
    assert deck.different_hands(RIVER) == 123_156_254
    with pytest.raises(ValueError, match="another deck"):
        HandFeatures(deck, np.zeros(25, np.uint8), strength_steps(deck))
