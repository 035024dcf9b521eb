"""95 % intervals: what a statistics library says, and coverage of what they are about."""

import math

import numpy as np
import pytest
from scipy import stats

from cfr.system.interval import half_width


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
    assert half_width(1.0, 1) == math.inf
