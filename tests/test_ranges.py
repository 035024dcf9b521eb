"""Range notation: what players paste, and back."""

import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfr import ranges
from cfr.errors import MalformedTextError
from cfr.game import Game
from cfr.ranges import CLASS_NAMES, Range, class_numbers


def test_docstrings():
    assert doctest.testmod(ranges).failed == 0


def test_classes_have_their_combos():
    sizes = np.bincount(class_numbers(), minlength=169)
    for name, size in zip(CLASS_NAMES, sizes, strict=True):
        assert size == (6 if len(name) == 2 else 4 if name.endswith("s") else 12)
    assert CLASS_NAMES[0] == "AA"
    assert CLASS_NAMES[1] == "AKs"
    assert CLASS_NAMES[13] == "AKo"
    hands = Game.bundled("hulhe").hands
    for hand, number in zip(hands, class_numbers(), strict=True):
        ranks = sorted((int(card) >> 2 for card in hand), reverse=True)
        assert "".join("23456789TJQKA"[rank] for rank in ranks) == CLASS_NAMES[number][:2]


@pytest.mark.parametrize(
    ("text", "combos"),
    [
        ("QQ+", 18),
        ("AKs", 4),
        ("AK", 16),
        ("ATo+", 48),
        ("A5s-A2s", 16),
        ("A2s-A5s", 16),
        ("JJ-88", 24),
        ("88-JJ", 24),
        ("AsKh", 1),
        ("KhAs", 1),
        ("random", 1326),
        ("22+, AK\nqq", 6 * 13 + 16),
        ("K9s+", 16),
        ("ka", 16),
        ("AA:0.5", 3),
        ("AA:0", 0),
    ],
)
def test_combos(text, combos):
    assert Range.parse(text).weights.sum() == combos


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("QQ+,AXs", "position 5"),
        ("AAs", "neither suited"),
        ("AKs-QJs", "span"),
        ("AKs-AQo", "span"),
        ("AA:1.5", "position 4"),
        ("AA:", "position 4"),
        ("AA:nan", "position 4"),
        ("AsAs", "twice"),
        ("AA,AcAd:0.5", "AdAc at position 4 has weight 0.5, but 1 before"),
        ("AKs+-", "position 1"),
    ],
)
def test_errors_name_the_place(text, says):
    with pytest.raises(MalformedTextError, match=says):
        Range.parse(text)


@given(
    st.dictionaries(st.integers(0, 168), st.sampled_from([1.0, 0.5, 0.1, 1 / 3]), max_size=40),
    st.dictionaries(st.integers(0, 1325), st.floats(0, 1, allow_subnormal=False), max_size=8),
)
def test_notation_round_trips(classes, hands):
    weights = np.zeros(1326)
    for number, weight in classes.items():
        weights[class_numbers() == number] = weight
    for hand, weight in hands.items():
        weights[hand] = weight
    written = Range(weights)
    if weights.any():
        assert Range.parse(str(written)) == written
        assert eval(repr(written)) == written
    else:
        assert str(written) == ""
