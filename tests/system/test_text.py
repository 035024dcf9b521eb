"""Quantities in words: one of a thing has no plural, and long times have long units."""

import pytest

from cfr.system.text import counted, duration


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "0 seconds"),
        (1.2, "1 second"),
        (119, "119 seconds"),
        (120, "2 minutes"),
        (7199, "120 minutes"),
        (9000, "2.5 hours"),
    ],
)
def test_durations(seconds, words):
    assert duration(seconds) == words


def test_counts():
    assert counted(1, "hand") == "1 hand"
    assert counted(2500, "hand") == "2,500 hands"
