"""Buckets and their tables: single hands against all hands of a board, and what goes into files."""

from itertools import permutations

import numpy as np
import pytest

from cfr.abstraction.abstraction import Abstraction
from cfr.abstraction.buckets import RoundBuckets, checked_buckets, is_buckets
from cfr.abstraction.deck import FLOP, RIVER, TURN, Deck
from cfr.abstraction.features import board_map
from cfr.abstraction.kmeans import CentroidTree, classes_of, cluster
from cfr.abstraction.lossless import LosslessRound
from cfr.abstraction.opponents import standard_features
from cfr.abstraction.rows import BucketedRound, RowsOfClasses
from cfr.game.rules import Game
from cfr.hands.isomorphism import HandIndexer
from cfr.system.disk.cache import Cache
from cfr.system.errors import BadInputError, CfrError, DamagedFileError
from tests.abstraction.random_boards import deal

FULL = Deck()
HANDS = FULL.hands
FEATURES = standard_features(FULL)
HULHE = Game.bundled("hulhe")
NUM_CARDS = {FLOP: 3, TURN: 4, RIVER: 5}


def hand_number(cards):
    low, high = sorted(int(card) for card in cards)
    return high * (high - 1) // 2 + low


def collides(boards):
    return (HANDS[None, :, :, None] == boards[:, None, None, :]).any(axis=(2, 3))


@pytest.fixture(scope="module")
def sampled(tmp_path_factory):
    """Buckets of all rounds, clustered from the hands of a few boards."""
    cache = Cache(tmp_path_factory.mktemp("cache"))
    rng = np.random.default_rng(0)
    rounds = [LosslessRound(HULHE, 0)]
    for r, num_boards, count in ((FLOP, 2, 60), (TURN, 12, 90), (RIVER, 40, 300)):
        features = FEATURES.of_boards(r, deal(rng, num_boards, NUM_CARDS[r]), threads=2)
        tree = cluster(features[features.any(axis=2)], count, seed=r)
        rounds.append(BucketedRound(r, tree, FEATURES, cache))
    return Abstraction(HULHE, rounds, seed=3)


@pytest.fixture(scope="module")
def remembering(sampled):
    """The same, with a river that tells five classes of the turn apart."""
    turn, river = sampled.rounds[TURN:]
    rounds = [*sampled.rounds[:RIVER], RowsOfClasses(river, turn, classes_of(turn.tree, 5, seed=1))]
    return Abstraction(HULHE, rounds, seed=3)


@pytest.mark.parametrize(("round_index", "num_boards", "per_board"), [(FLOP, 2, 6), (TURN, 8, 40), (RIVER, 60, 50)])
def test_a_placed_hand_has_the_row_of_its_board(sampled, round_index, num_boards, per_board):
    rng = np.random.default_rng(11)
    boards = deal(rng, num_boards, NUM_CARDS[round_index])
    rows = sampled.rows(round_index, boards, threads=2)
    assert rows.dtype == np.int32
    assert rows.shape == (num_boards, 1326)
    np.testing.assert_array_equal(rows < 0, collides(boards))
    assert rows.max() < sampled.num_rows[round_index]
    for board, row in zip(boards, rows, strict=True):
        for hand in rng.choice(np.flatnonzero(row >= 0), per_board):
            cards = rng.permutation(HANDS[hand]).tolist()
            assert sampled.place(cards, board.tolist()) == row[hand]


def test_isomorphic_spots_share_a_row(sampled):
    rng = np.random.default_rng(12)
    for round_index in (FLOP, TURN, RIVER):
        board = deal(rng, 1, NUM_CARDS[round_index])[0]
        suits = np.array(list(permutations(range(4))), np.uint8)
        images = suits[:, board % 4] + board // 4 * 4
        rows = sampled.rows(round_index, images[:, rng.permutation(len(board))])
        for hand in np.flatnonzero(~collides(board[None])[0])[::40]:
            moved = suits[:, HANDS[hand] % 4] + HANDS[hand] // 4 * 4
            numbers = [hand_number(cards) for cards in moved]
            assert len(set(rows[np.arange(24), numbers].tolist())) == 1


def test_better_hands_have_higher_buckets(sampled):
    board = [48, 44, 33, 14, 1]  # Ac Kc Td 5h 2d
    worst, middle, best = (sampled.place(hand, board) for hand in ([4, 21], [50, 20], [42, 36]))
    assert worst < middle < best  # seven high, aces, the nuts
    assert best > 0.9 * sampled.num_rows[RIVER]


def test_rows_are_the_same_bits_at_any_number_of_threads(sampled):
    boards = deal(np.random.default_rng(13), 300, 5)
    np.testing.assert_array_equal(sampled.rows(RIVER, boards, 1), sampled.rows(RIVER, boards, 2))


@pytest.mark.parametrize("round_index", [FLOP, TURN])
def test_tables_are_looked_up_by_canonical_board(sampled, round_index):
    tree = sampled.rounds[round_index].tree
    looked_up = BucketedRound(round_index, tree, FEATURES, Cache("unused"))
    known = board_map(FULL, round_index)
    canonical = known.boards[::400]
    looked_up.table = np.zeros((len(known), 1326), np.uint16)
    looked_up.table[::400] = sampled.rows(round_index, canonical)  # -1 becomes 65535
    rng = np.random.default_rng(3)
    suits = rng.permutation(4).astype(np.uint8)
    boards = (suits[canonical % 4] + canonical // 4 * 4)[:, rng.permutation(canonical.shape[1])]
    rows = looked_up.rows(boards, threads=1)
    np.testing.assert_array_equal(rows, sampled.rows(round_index, boards))
    hand = int(np.flatnonzero(rows[1] >= 0)[500])
    assert looked_up.place(HANDS[hand].tolist(), boards[1].tolist(), use_table=True) == rows[1, hand]


def test_a_river_row_tells_the_class_of_the_turn_and_the_bucket_of_the_river(sampled, remembering):
    boards = deal(np.random.default_rng(21), 12, 5)
    classes = remembering.rounds[RIVER].classes
    rows = remembering.rows(RIVER, boards, threads=2)
    assert rows.dtype == np.int32
    assert remembering.num_rows == (*sampled.num_rows[:RIVER], 5 * sampled.num_rows[RIVER])
    plain = sampled.rows(RIVER, boards)
    turn = sampled.rows(TURN, boards[:, :4])
    for board, row, forgetful, before in zip(boards, rows, plain, turn, strict=True):
        for hand in range(1326):
            if forgetful[hand] < 0:
                assert row[hand] == -1
            else:
                assert row[hand] == classes[before[hand]] * sampled.num_rows[RIVER] + forgetful[hand]
        for hand in np.flatnonzero(row >= 0)[::200]:
            assert remembering.place(HANDS[hand].tolist(), board.tolist()) == row[hand]
    assert len(set((rows[rows >= 0] // sampled.num_rows[RIVER]).tolist())) == 5


def test_a_river_row_depends_on_the_order_of_turn_and_river_only(remembering):
    board = np.array([[48, 44, 33, 14, 1]], np.uint8)
    rows = remembering.rows(RIVER, board)
    np.testing.assert_array_equal(remembering.rows(RIVER, board[:, [2, 0, 1, 3, 4]]), rows)
    assert (remembering.rows(RIVER, board[:, [0, 1, 2, 4, 3]]) != rows).any()


def test_isomorphic_rivers_share_a_row(remembering):
    suits = np.array(list(permutations(range(4))), np.uint8)
    board = deal(np.random.default_rng(22), 1, 5)[0]
    rows = remembering.rows(RIVER, suits[:, board % 4] + board // 4 * 4)
    for hand in np.flatnonzero(~collides(board[None])[0])[::40]:
        numbers = [hand_number(cards) for cards in suits[:, HANDS[hand] % 4] + HANDS[hand] // 4 * 4]
        assert len(set(rows[np.arange(24), numbers].tolist())) == 1


def test_classes_in_arrays_and_back(remembering):
    arrays = remembering.arrays(flop_table=False)
    copy = Abstraction.from_arrays(HULHE, arrays)
    assert copy.num_rows == remembering.num_rows
    boards = deal(np.random.default_rng(23), 3, 5)
    np.testing.assert_array_equal(copy.rows(RIVER, boards), remembering.rows(RIVER, boards))
    classes = arrays["turn_classes"]
    for wrong in (classes[1:], classes.astype(np.int64), classes + np.uint16(1), classes[:0]):
        with pytest.raises(DamagedFileError, match="do not fit the turn"):
            Abstraction.from_arrays(HULHE, arrays | {"turn_classes": wrong})
    without = {name: value for name, value in arrays.items() if not name.endswith("2")}
    with pytest.raises(DamagedFileError, match="without buckets of turn and river"):
        Abstraction.from_arrays(HULHE, without)


def test_buckets_as_text():
    assert checked_buckets(HULHE, (5, "lossless", 7)) == [RoundBuckets(5), None, RoundBuckets(7)]
    assert checked_buckets(HULHE, (5, 6, "3x7"))[2] == RoundBuckets(7, 3)
    assert RoundBuckets(7, 3).rows == 21
    for entry in ("7", "lossless", "10x330"):
        assert is_buckets(entry)
    for entry in ("", "0", "-1", "x", "3x", "x7", "0x7", "3x0", "3x7x2", "3 x 7", "3.5", "Lossless"):
        assert not is_buckets(entry)
    for buckets, text in (
        ((5, "3x7", 7), "buckets of the turn: '3x7'"),
        ((5, 6, "0x7"), "buckets of the river: '0x7', expected 1 to 65535 or 'lossless' or such as '10x330'"),
        ((5, 6, "3x70000"), "buckets of the river"),
        ((5, 6, "7x7"), "expected at least as many on the turn, not 6 buckets"),
        ((5, "lossless", "7x7"), "expected at least as many on the turn, not lossless"),
    ):
        with pytest.raises(CfrError, match=text):
            checked_buckets(HULHE, buckets)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "rhode-island", "holdem-2-1", "hulhe"])
def test_lossless_rows_are_canonical_hands(name):
    game = Game.bundled(name)
    abstraction = Abstraction.lossless(game)
    assert abstraction.is_lossless
    assert (
        abstraction.num_rows
        == HandIndexer((game.num_hole_cards, *game.num_board_cards[1:]), game.num_ranks, game.num_suits).sizes
    )
    rng = np.random.default_rng(4)
    for round_index, seen in enumerate(np.cumsum(game.num_board_cards)):
        boards = np.array([rng.permutation(game.deck)[:seen] for _ in range(4)], np.uint8)
        rows = abstraction.rows(round_index, boards)
        assert rows.shape == (4, len(game.hands))
        assert rows.max() < abstraction.num_rows[round_index]
        for board, row in zip(boards, rows, strict=True):
            for hand in rng.choice(np.flatnonzero(row >= 0), 5):
                assert abstraction.place(game.hands[hand].tolist(), board.tolist()) == row[hand]
    copy = Abstraction.from_arrays(game, abstraction.arrays())
    assert copy.is_lossless
    assert copy.num_rows == abstraction.num_rows


def test_spots_that_do_not_exist(sampled):
    for hand, board, text in (
        ([0], [], "hand: 1 card,"),
        ([0, 1], [2], "board: 1 card,"),
        ([0, 0], [], "only once"),
        ([0, 1], [1, 2, 3], "only once"),
        ([0, 52], [], "come from the deck"),
    ):
        with pytest.raises(BadInputError, match=text):
            sampled.place(hand, board)
    with pytest.raises(BadInputError, match=r"expected \(n, 4\)"):
        sampled.rows(TURN, np.zeros((1, 3), np.uint8))


def test_arrays_and_back(sampled):
    arrays = sampled.arrays(flop_table=False)
    assert arrays["rounds"] == "lossless buckets buckets buckets"
    copy = Abstraction.from_arrays(HULHE, arrays)
    assert copy.num_rows == sampled.num_rows
    assert copy.seed == 3
    assert not copy.is_lossless
    board = [51, 38, 9, 20, 2]
    for round_index, cards in NUM_CARDS.items():
        np.testing.assert_array_equal(
            copy.rows(round_index, np.array([board[:cards]], np.uint8)),
            sampled.rows(round_index, np.array([board[:cards]], np.uint8)),
        )
    assert sampled.place([0, 40], board) == copy.place([0, 40], board)


def test_flop_table_in_arrays_is_read_by_the_row(sampled):
    class Dataset:
        shape, dtype = (1755, 1326), np.dtype(np.uint16)

        def __getitem__(self, row):
            assert isinstance(row, int)
            return np.full(1326, row, np.uint16)

    arrays = sampled.arrays(flop_table=False) | {"flop_table": Dataset()}
    copy = Abstraction.from_arrays(HULHE, arrays)
    position = int(board_map(FULL, FLOP).locate(np.array([[30, 20, 10]], np.uint8))[0][0])
    assert copy.place([0, 50], [30, 20, 10]) == position
    assert copy.place([0, 50], [30, 20, 10], use_table=False) == sampled.place([0, 50], [30, 20, 10])


def test_damaged_arrays_are_refused(sampled):
    arrays = sampled.arrays(flop_table=False)
    for change, text in (
        ({"features_version": 99}, "version 99"),
        ({"offsets2": arrays["offsets2"][:0]}, "offsets2 is empty"),
        ({"flop_table": np.zeros((3, 3), np.uint16)}, "flop_table"),
    ):
        with pytest.raises(DamagedFileError, match=text):
            Abstraction.from_arrays(HULHE, arrays | change)
    for change, text in (
        ({"coarse3": arrays["coarse3"][:, :7]}, "x.h5: .*do not fit together"),
        ({"coarse3": arrays["coarse1"], "fine3": arrays["fine1"]}, "x.h5: .*do not fit together"),
        ({f"{name}3": arrays[f"{name}2"] for name in CentroidTree.FIELDS}, "x.h5: .*16 dimensions, expected 8"),
        ({"labels3": None}, "x.h5: .*do not fit together"),
        ({"offsets3": arrays["offsets3"][1:]}, "x.h5: .*do not fit together"),
    ):
        damaged = Abstraction.from_arrays(HULHE, arrays | change, source="x.h5")
        with pytest.raises(DamagedFileError, match=text):
            damaged.place([0, 1], [10, 20, 30, 40, 50])
    del arrays["labels3"]
    with pytest.raises(DamagedFileError, match="labels3"):
        Abstraction.from_arrays(HULHE, arrays).place([0, 1], [10, 20, 30, 40, 50])


def test_build_is_cached_and_repairs_its_cache(tmp_path):
    def build(seed=1, threads=1):
        return Abstraction.build(HULHE, ("lossless", "lossless", 50), seed=seed, threads=threads, cache_dir=tmp_path)

    first = build()
    assert first.num_rows == (169, 1286792, 55190538, 50)
    [file] = tmp_path.iterdir()
    assert file.name.startswith("river-centroids-")
    content = file.read_bytes()
    board = deal(np.random.default_rng(1), 5, 5)
    expected = first.rows(RIVER, board)
    file.write_bytes(content[:-30] + bytes(30))
    np.testing.assert_array_equal(build(threads=2).rows(RIVER, board), expected)
    assert file.read_bytes() == content
    np.testing.assert_array_equal(build().rows(RIVER, board), expected)
    assert not np.array_equal(build(seed=2).rows(RIVER, board), expected)
    assert len(list(tmp_path.iterdir())) == 2


def test_what_cannot_be_bucketed():
    with pytest.raises(CfrError, match="leduc: only hold'em-like games"):
        Abstraction.build(Game.bundled("leduc"), (5, 5, 5))
    with pytest.raises(CfrError, match="2 entries"):
        Abstraction.build(HULHE, (5, 5))
    for wrong in (0, 70_000, "many", 2.5):
        with pytest.raises(CfrError, match="buckets of the turn"):
            Abstraction.build(HULHE, (5, wrong, 5))


@pytest.mark.slow
def test_full_build(tmp_path):
    """All rounds bucketed: two thousand random spots placed from centroids, threads, cache, arrays."""
    built = Abstraction.build(HULHE, (40, 60, 80), seed=5, threads=2, cache_dir=tmp_path / "a", progress=True)
    alone = Abstraction.build(HULHE, (40, 60, 80), seed=5, threads=1, cache_dir=tmp_path / "b")
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == sorted(p.name for p in (tmp_path / "b").iterdir())
    for round_index in (FLOP, TURN):
        np.testing.assert_array_equal(built.rounds[round_index].table, alone.rounds[round_index].table)
    copy = Abstraction.from_arrays(HULHE, built.arrays(), cache_dir=tmp_path / "a")
    rng = np.random.default_rng(6)
    for round_index, count in ((FLOP, 100), (TURN, 900), (RIVER, 1000)):
        boards = deal(rng, count, NUM_CARDS[round_index])
        rows = built.rows(round_index, boards, threads=2)
        np.testing.assert_array_equal(copy.rows(round_index, boards), rows)
        for board, row in zip(boards, rows, strict=True):
            hand = int(rng.choice(np.flatnonzero(row >= 0)))
            assert copy.place(HANDS[hand].tolist(), board.tolist(), use_table=False) == row[hand]
