"""Trials meet about as many rows on a board as card abstractions do."""

from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from cfr.game.rules import Game
from cfr.kernel.chance import sample_boards, sampled_deal
from cfr.solver.memory_need import num_rows
from cfr.solver.settings import Settings
from cfr.solver.timing import _BOARDS, TrialRows, rows_on_a_board, time_iterations

HULHE = Game.bundled("hulhe")

# Means over 64 boards of card abstractions with seed 0.
ON_A_BOARD = {
    (5000, 4000, "4x250"): (169.0, 171.1, 110.7, 33.6),
    (5000, 4000, "10x330"): (169.0, 171.1, 110.7, 49.1),
    (12000, 12000, "15x1000"): (169.0, 192.8, 126.7, 64.0),
    (30000, 30000, 20000): (169.0, 214.1, 143.7, 55.8),
    (60000, 60000, "25x4000"): (169.0, 230.3, 158.7, 83.6),
}


def settings(buckets):
    return Settings(HULHE, buckets, iterations=1, rivers=2)


@pytest.mark.parametrize("buckets", ON_A_BOARD, ids=str)
def test_as_many_rows_are_on_a_board_as_in_card_abstractions(buckets):
    expected = rows_on_a_board(settings(buckets))
    np.testing.assert_allclose(expected, ON_A_BOARD[buckets], rtol=0.08)
    rows = TrialRows(HULHE, num_rows(HULHE, buckets), expected, np.random.default_rng(0))
    deal = sampled_deal(HULHE, rows, sample_boards(HULHE, 8, np.random.default_rng(0)))
    found = [np.mean(each.row_count) for each in deal.rounds]
    np.testing.assert_allclose(found, expected, rtol=0.02)


def test_few_buckets_are_all_on_a_board_and_lossless_rounds_have_one_for_each_hand():
    assert rows_on_a_board(settings((30, 20, "3x5"))) == (169, 30, 20, 15)
    assert rows_on_a_board(settings(("lossless", 20, 10)))[1] == 1326
    with pytest.raises(ValueError, match="only solves with buckets"):
        rows_on_a_board(Settings(Game.bundled("leduc"), None, iterations=1))


@pytest.mark.thorough
@pytest.mark.parametrize("batch", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_both_kinds_of_iterations_are_timed(batch, monkeypatch):
    """By a clock that goes a second at each look: some boards share a pass."""
    clock = count()
    monkeypatch.setattr("cfr.solver.timing.time.perf_counter", lambda: float(next(clock)))
    small = replace(settings((30, 20, "3x5")), batch=batch)
    plain, responding = time_iterations(small, num_rows(HULHE, small.buckets), True, False)
    assert plain == 2 / _BOARDS  # a deal and a pass
    assert responding == 1 / _BOARDS  # a pass, which deals
    alone, same = time_iterations(small, num_rows(HULHE, small.buckets), False, False)
    assert alone == same
