"""95 % intervals: what a statistics library says, and coverage of what they are about."""

import math

import numpy as np
import pytest
from scipy import stats

from cfr.exploit.by_flop import how_sure, systematic_error
from cfr.system.interval import half_width, half_width_of, half_width_or_none


@pytest.mark.parametrize("count", [2, 3, 10, 1000])
def test_it_is_the_librarys_interval(count):
    samples = np.random.default_rng(count).normal(5, 3, count)
    low, high = stats.t.interval(0.95, count - 1, samples.mean(), stats.sem(samples))
    assert half_width(float(samples.std(ddof=1)), count) == pytest.approx((high - low) / 2)


def test_few_samples_are_covered_as_often_as_is_said():
    """Of 20,000 sets of four, 95 % +- 0.5 % have the mean in the interval; by 1.96 it would be 85 %."""
    samples = np.random.default_rng(1).normal(size=(20_000, 4))
    width = half_width(1.0, 4) * samples.std(axis=1, ddof=1)
    assert np.mean(np.abs(samples.mean(axis=1)) < width) == pytest.approx(0.95, abs=0.005)


def test_one_sample_says_nothing():
    assert half_width(1.0, 1) == half_width_of(1.0, 1) == math.inf


def test_a_few_samples_that_are_all_the_same_say_nothing():
    assert [half_width(0.0, count) for count in (2, 3, 29)] == [math.inf] * 3
    assert half_width(0.0, 30) == 0
    assert [half_width_or_none(*each) for each in ((0.0, 29), (0.0, 30), (1.0, 1))] == [None, 0, None]
    assert half_width_or_none(1.0, 2) == half_width(1.0, 2)


def test_a_result_from_twelve_flops_is_less_sure_than_one_from_many():
    """Student's t for 11 degrees of freedom is 2.201; a normal distribution would say 1.96."""
    assert how_sure(False, 10.0, 12) == "+- 22.0 (95 % interval) from 12 sampled flops"
    assert how_sure(False, 10.0, 1000) == "+- 19.6 (95 % interval) from 1,000 sampled flops"


def test_two_flops_that_differ_by_chance_as_good_as_not_say_nothing():
    assert systematic_error(np.array([1.0, 1.0 + 1e-6])) == math.inf
    assert how_sure(False, math.inf, 2) == "too few flops for a 95 % interval: 2 sampled"
    assert systematic_error(np.array([1.0, 3.0, 1.0])) == pytest.approx(6**0.5)
    assert systematic_error(np.ones(29)) == math.inf
    assert systematic_error(np.ones(30)) == 0
