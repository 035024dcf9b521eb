"""Tables of narrow numbers: what the kernel writes, bit for bit, against plain NumPy; and what NumPy reads."""

import numpy as np
import pytest

from cfr.game.betting import BettingTree
from cfr.game.cards import parse_cards
from cfr.game.rules import Game
from cfr.kernel.numbers import TYPES, narrowed, sums_dtype, widened
from cfr.kernel.traversal import Visit
from cfr.kernel.tree import build_tree
from cfr.spots.solver import SpotSolver
from cfr.strategy.spot import Spot

ROYAL = Game.bundled("royal")
KEPT = (0.9, 0.5)


def solver_of(tables, board="AsKhTdQc", line="rc/rrc/"):
    rng = np.random.default_rng(3)
    ranges = rng.random((2, ROYAL.num_hands))
    return SpotSolver(Spot(BettingTree(ROYAL).parse(line), parse_cards(board), ranges), tables=tables)


def first_update(solver, seed=0):
    """Seat 0's regrets and sums by round after one update of empty tables."""
    regrets = solver.traversal.zeros(solver.deal.num_rows)
    sums = [pair[0] for pair in solver.traversal.zeros(solver.deal.num_rows, sums=True)]
    solver.traversal.prepare(solver.deal, regrets, 0, "update", averages=sums).run(
        Visit(weight=1.7, kept=KEPT, seed=seed)
    )
    return [pair[0] for pair in regrets], sums


def scrambled(x):
    x = (x ^ x >> np.uint32(16)) * np.uint32(0x85EBCA6B)
    x = (x ^ x >> np.uint32(13)) * np.uint32(0xC2B2AE35)
    return x ^ x >> np.uint32(16)


def random_words(shape, ids, seed, sums):
    """``(rows, blocks, entries, width)`` of a table: by seed, row, entry and line."""
    rows, _, entries, _ = shape
    of_row = scrambled(np.uint32(seed) + np.uint32(0x9E3779B9) * np.arange(rows, dtype=np.uint32))
    of_row = ~of_row if sums else of_row
    words = of_row[:, None, None, None] + np.arange(entries, dtype=np.uint32)[:, None]
    words = (ids[None, :, None] ^ words) * np.uint32(0x9E3779B1)
    return (words ^ words >> np.uint32(15)) * np.uint32(0x85EBCA6B)


def written(table, words, largest):
    """A float32 table as bytes, rounded at random, with the exponents behind each row."""
    least = np.abs(table).max(axis=2, keepdims=True) * np.float32(1 / largest)
    exponent = (least.view(np.uint32) + np.uint32(0x7FFFFF)) >> np.uint32(23)
    scaled = np.abs(table).astype(np.float64) * 2.0 ** (127 - exponent.astype(np.float64))
    low = np.minimum(np.floor(scaled), largest - 1)
    codes = low + (scaled - low > (words >> np.uint32(8)) / 2**24)
    return np.concatenate([np.copysign(codes, table), exponent], axis=2).astype(np.int64).astype(np.uint8)


@pytest.mark.parametrize("sums", [False, True], ids=["regrets", "sums"])
def test_bytes_are_those_of_plain_numpy(sums):
    narrow, plain = solver_of("int8"), solver_of("float32")
    for number, (found, exact) in enumerate(
        zip(first_update(narrow, 41)[sums], first_update(plain)[sums], strict=True)
    ):
        current = narrow.tree.rounds[number]
        ids = current.lane_ids.reshape(-1, narrow.tree.lanes)[:, : current.width].astype(np.uint32)
        words = random_words(exact.shape, ids, 41, sums)
        assert (np.sign(exact) < 0).any() != sums
        assert np.array_equal(found.view(np.uint8), written(exact, words, 255 if sums else 127))


@pytest.mark.parametrize("tables", ["bfloat16", "int8"])
@pytest.mark.parametrize("sums", [False, True], ids=["regrets", "sums"])
def test_the_mean_over_seeds_is_the_number(tables, sums):
    seeds, narrow = 400, solver_of(tables, "AsKsTdJhQd", "cc/cc/cc/cr")
    [exact] = first_update(solver_of("float32", "AsKsTdJhQd", "cc/cc/cc/cr"))[sums]
    [first] = first_update(narrow, 1)[sums]
    mean = np.mean([widened(first_update(narrow, 977 * seed)[sums][0]) for seed in range(seeds)], axis=0)
    largest = np.abs(exact).max(axis=2, keepdims=True)
    step = largest / (127 if sums else 63) if tables == "int8" else np.abs(exact) / 128
    assert (mean != exact).any()
    assert (np.abs(mean - exact) <= 6 * step / 2 / np.sqrt(seeds) + 1e-12).all()
    assert (np.abs(widened(first) - exact) <= step).all()


@pytest.mark.parametrize("tables", ["bfloat16", "int8"])
def test_tables_move_between_builds_as_they_are(tables):
    solver = solver_of(tables)
    mine, spot = solver.tree, solver.spot
    other = build_tree(ROYAL, 8 if mine.lanes == 16 else 16, mine.first, [spot.state.line], path=spot.path)
    for number, table in enumerate(first_update(solver)[0]):
        there = other.taken_over(table, number, 0, mine)
        assert there.shape == other.table_shape(number, 0, len(table), table.dtype)
        assert widened(table).any()
        assert np.array_equal(other.seat_by_line(there, number), mine.seat_by_line(table, number))
        assert np.array_equal(mine.taken_over(there, number, 0, other), table)


def test_narrowed_numbers_are_the_nearest():
    rounded = widened(narrowed(np.array([1.001, 1.006, -1.006], np.float32), TYPES["bfloat16"]))
    assert rounded.tolist() == [1, 1 + 2**-7, -1 - 2**-7]
    numbers = np.array([1.0, 1.001, -1.0039, 3e20, 0.0], np.float32)
    there = narrowed(numbers, TYPES["bfloat16"])
    assert there.dtype == np.uint16
    assert widened(there) == pytest.approx(numbers, rel=2**-8)
    assert narrowed(numbers, np.float32) is numbers
    assert sums_dtype(TYPES["bfloat16"]) == np.uint16
    with pytest.raises(ValueError, match="int8 are written by the kernel alone"):
        narrowed(numbers, np.int8)
