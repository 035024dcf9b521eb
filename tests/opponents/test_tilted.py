"""Tilted strategies: by the formula, in memory and in files, with codebooks and without."""

import numpy as np
import pytest

from cfr.game.betting_round import ACTIONS
from cfr.opponents import situation
from cfr.opponents.hand_strength import LEVELS, levels
from cfr.opponents.living_lines import living_lines
from cfr.opponents.tilt import Tilt, shapes
from cfr.opponents.tilted import Tilted
from cfr.opponents.unique_rows import unique_numbers, unique_rows
from cfr.strategy.files.quantise import ONE
from cfr.strategy.files.stored import Strategy


def test_a_tilt_is_its_formula(leduc, tilted):
    state = leduc.betting.parse("rc/r")
    hand, board = (46,), (50,)
    s = (tilted.levels[1][leduc.abstraction.place(hand, board)] + 0.5) / LEVELS
    basis = np.array([1, 2 * s - 1, max(0, 1 - 3 * s), max(0, 3 * s - 2)])
    own = tilted.tilt.parameters[situation.number(state)]
    base = 0.95 * np.array(leduc.distribution(state, hand, board)) + 0.05 / 3
    expected = base * np.exp([own[0] @ basis, 0, own[1] @ basis])
    assert tilted.distribution(state, hand, board) == pytest.approx(expected / expected.sum(), abs=1e-6)
    assert tilted.all_hands(state, board)[leduc.game.hand_number(hand)] == pytest.approx(expected / expected.sum())


def test_no_tilt_is_the_blueprint(leduc, tmp_path):
    none = Tilted(leduc, Tilt.none(leduc.game))
    assert none.tilt.is_none
    none.save(tmp_path / "x.h5", {"algorithm": "none"})
    with Strategy.open(tmp_path / "x.h5") as kept:
        for r in range(2):
            assert np.array_equal(kept.table(r)[:], leduc.table(r)[:])
            assert np.array_equal(none.read(r, slice(None)), leduc.read(r, slice(None)) / ONE)


def test_situations_are_round_seat_and_raises(leduc):
    def words(line):
        return situation.words(situation.number(leduc.betting.parse(line)), leduc.game)

    assert words("") == f"before the flop as the {leduc.game.seat_names[0]}"
    assert words("cr") == f"before the flop as the {leduc.game.seat_names[0]}, facing a raise"
    assert words("cc/rr") == f"on the flop as the {leduc.game.seat_names[0]}, facing a raise"
    assert words("cc/cr") == f"on the flop as the {leduc.game.seat_names[0]}, facing a bet"
    assert situation.count(leduc.game) == 12


def test_strength_orders_hands(leduc, hulhe):
    ranks = levels(leduc.abstraction)
    assert [int(ranks[0][leduc.abstraction.place((card,))]) for card in (42, 46, 50)] == sorted(set(ranks[0].tolist()))
    pair, high = (int(ranks[1][leduc.abstraction.place(hand, (43,))]) for hand in ((42,), (50,)))
    assert pair > high
    preflop = levels(hulhe.abstraction)[0]
    assert preflop[hulhe.abstraction.place(hulhe.held("AsAh", ())[0])] == LEVELS - 1
    assert preflop[hulhe.abstraction.place(hulhe.held("3d2c", ())[0])] == 0


def test_the_shapes_are_those_of_the_page():
    found = shapes()
    assert found.shape == (LEVELS, 4)
    assert found[:, 0].tolist() == [1] * LEVELS
    assert found[0, 2] == pytest.approx(1 - 3 * 0.5 / LEVELS)
    assert found[-1, 3] == pytest.approx(3 * 15.5 / LEVELS - 2)
    assert not found[8, 2:].any()


@pytest.mark.thorough
def test_codebooks_are_tilted_like_rows(coded, tmp_path):
    parameters = np.random.default_rng(2).normal(0, 0.7, (situation.count(coded.game), 2, 4))
    strategy = Tilted(coded, Tilt(parameters, 0.03))
    strategy.save(tmp_path / "x.h5", {"algorithm": "tilted"})
    with Strategy.open(tmp_path / "x.h5") as kept:
        for r in range(4):
            difference = np.abs(kept.read(r, slice(None)) / ONE - strategy.read(r, slice(None)))
            assert difference.max() < 1 / ONE


def test_lines_never_taken_take_the_play_of_another(coded):
    lines = living_lines(coded)
    big_blind, button = lines[1]
    assert np.array_equal(big_blind, np.arange(7))
    limps = [k for k in range(7) if coded.betting.line_text(1, k).startswith("c")]
    others = np.setdiff1d(np.arange(7), limps)
    assert np.array_equal(button[others], others)
    assert len({*button[limps].tolist()}) == 1
    assert int(button[limps[0]]) in others
    river = lines[3][1]
    assert np.array_equal(river % 7, button[np.arange(567) % 7])
    assert np.array_equal(river // 7, np.arange(567) // 7)
    strategy = Tilted(coded, Tilt(np.zeros((24, 2, 4)), 1e-6))
    state = coded.betting.entry(1, limps[0]).act("c")
    assert state.actor == coded.game.button
    same = coded.betting.entry(1, int(button[limps[0]])).act("c")
    hand, board = (0, 5), (20, 30, 40)
    assert strategy.distribution(state, hand, board) == pytest.approx(coded.distribution(same, hand, board), abs=1e-4)
    assert ACTIONS.index("r") == 2


@pytest.mark.parametrize("columns", [1, 7, 8, 9, 13, 17])
def test_unique_rows_and_numbers_are_those_of_numpy(columns):
    rng = np.random.default_rng(columns)
    for count in (0, 1, 500):
        rows = rng.integers(0, 256, (count, columns), np.uint8)
        rows = rows[rng.integers(0, max(count, 1), count)]  # some twice, others not at all
        rows[:, : columns // 2] &= 1
        expected, place = np.unique(rows, axis=0, return_inverse=True)
        found, own = unique_rows(rows)
        assert np.array_equal(found, expected)
        assert np.array_equal(own, place.ravel())
        numbers = rows[:, 0].astype(np.int64) * LEVELS
        for mine, theirs in zip(unique_numbers(numbers), np.unique(numbers, return_inverse=True), strict=True):
            assert np.array_equal(mine, theirs)
