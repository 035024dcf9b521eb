"""Weights: within the budget whatever was gained, nearest to what was learnt, and moved by what is certain."""

import numpy as np
import pytest

from cfr.play.hedge import hedged

RISKS = np.array([0.0, 80.0, 30.0, 1200.0])
NOTHING = np.zeros(4)


@pytest.mark.parametrize("seed", range(20))
def test_the_budget_holds(seed):
    rng = np.random.default_rng(seed)
    squares = rng.exponential(10 ** rng.uniform(-2, 5), 4)
    gains = rng.normal(0, 3, 4) * np.sqrt(squares)
    for budget in (0.0, 1e-3, 5.0, 60.0, 2000.0):
        weights = hedged(gains, squares, NOTHING, RISKS, budget)
        assert weights.sum() == pytest.approx(1)
        assert (weights >= 0).all()
        assert weights @ RISKS <= budget + 1e-9
        free = hedged(gains, squares, NOTHING, RISKS, np.inf)
        if free @ RISKS <= budget:
            assert weights == pytest.approx(free)
        elif budget:  # the nearest by relative entropy: each falls by its risk
            assert weights @ RISKS == pytest.approx(budget)
            fell = np.log(free / weights)
            slopes = np.diff(fell[[0, 2, 1, 3]]) / np.diff(RISKS[[0, 2, 1, 3]])
            assert slopes == pytest.approx(slopes[0], rel=1e-4)


def test_without_a_budget_what_risks_nothing_plays():
    assert hedged(NOTHING, NOTHING, NOTHING, RISKS, 0.0).tolist() == [1, 0, 0, 0]
    weights = hedged(np.full(4, 9.0), NOTHING, NOTHING, np.array([0, 1, 0, 1.0]), 0.0)
    assert weights == pytest.approx([7 / 8, 0, 1 / 8, 0])


def test_it_begins_with_the_prior():
    assert hedged(NOTHING, NOTHING, NOTHING, RISKS, np.inf) == pytest.approx([0.7, 0.1, 0.1, 0.1])


def test_certain_gains_move_and_uncertain_ones_wait():
    gains = np.array([0.0, 60, 60, 0])
    weights = hedged(gains, np.array([1.0, 100, 1e5, 1.0]), NOTHING, RISKS, np.inf)
    assert weights[1] > 0.7
    assert weights[2] < 0.15


def test_likelihoods_move_at_once_and_wins_overrule_them():
    likely = np.array([0.0, 5.0, -3.0, 0.0])
    assert hedged(NOTHING, NOTHING, likely, RISKS, np.inf)[1] > 0.7
    sure = 1000 * likely
    assert hedged(NOTHING, NOTHING, sure, RISKS, np.inf)[1] > 0.8
    weights = hedged(np.array([60.0, -200, 0, 0]), np.full(4, 100.0), sure, RISKS, np.inf)
    assert weights[0] > 0.8
    assert weights[1] < 0.05
