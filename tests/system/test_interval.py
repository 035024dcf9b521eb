"""95 % intervals: what a statistics library says, and coverage of what they are about."""

import math

import numpy as np
import pytest
from scipy import stats

from cfr.exploit.by_flop import how_sure
from cfr.system.interval import half_width, half_width_of


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


def test_a_result_from_twelve_flops_is_less_sure_than_one_from_many():
    """Student's t for 11 degrees of freedom is 2.201; a normal distribution would say 1.96."""
    assert how_sure(False, 10.0, 12) == "+- 22.0 (95 % interval) from 12 sampled flops"
    assert how_sure(False, 10.0, 1000) == "+- 19.6 (95 % interval) from 1,000 sampled flops"
