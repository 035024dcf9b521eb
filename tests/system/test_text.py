"""Quantities in words: one of a thing has no plural, and long times have long units."""

import numpy as np
import pytest

from cfr.system.text import brief, counted, digits, duration, signed, size


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 seconds"),
        (6e-10, "0.01 ms"),
        (0.00004, "0.04 ms"),
        (0.2, "200 ms"),
        (0.949, "949 ms"),
        (0.95, "1 second"),
        (1.2, "1 second"),
        (119, "119 seconds"),
        (120, "2 minutes"),
        (7199, "120 minutes"),
        (9000, "2.5 hours"),
        (300_000, "3 days"),
        (129713.9 * 3600, "15 years"),
        (1e12, "31,688 years"),
    ],
)
def test_durations(seconds, words):
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("number", "count", "words"),
    [
        (0.0, 3, "0"),
        (0.0001234, 3, "0.000123"),
        (999.4, 3, "999"),
        (999.5, 3, "1,000"),
        (-1930.25, 3, "-1,930"),
        (2373.611, 4, "2,374"),
        (99999.7, 4, "100,000"),
    ],
)
def test_digits_are_no_powers_of_ten(number, count, words):
    assert digits(number, count) == words


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "1 MB"),
        (400_000, "1 MB"),
        (1_600_000, "2 MB"),
        (49_000_000, "49 MB"),
        (50_000_000, "0.1 GB"),
        (12e9, "12.0 GB"),
    ],
)
def test_sizes(number, words):
    assert size(number) == words


def test_counts():
    assert counted(1, "hand") == "1 hand"
    assert counted(2500, "hand") == "2,500 hands"
    assert counted(np.int64(2500), "hand") == "2,500 hands"
    assert [counted(n, "minute") for n in (0.5, 1.0, 90.0)] == ["0.5 minutes", "1 minute", "90 minutes"]
    assert [counted(n, "entry", "entries") for n in (1, 3)] == ["1 entry", "3 entries"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 seconds"),
        (0.00123456, "1.23 ms"),
        (0.9994, "999 ms"),
        (0.9999, "1 s"),
        (3.62, "3.62 s"),
        (99.94, "99.9 s"),
        (99.96, "100 seconds"),
        (290, "5 minutes"),
    ],
)
def test_brief_durations(seconds, words):
    assert brief(seconds) == words


@pytest.mark.parametrize(
    ("number", "decimals", "words"),
    [(0.04, 1, "0.0"), (-0.04, 1, "0.0"), (-0.0, 2, "0.00"), (-0.06, 1, "-0.1"), (10.0, 1, "+10.0"), (-0.4, 0, "0")],
)
def test_zero_has_no_sign(number, decimals, words):
    assert signed(number, decimals) == words
