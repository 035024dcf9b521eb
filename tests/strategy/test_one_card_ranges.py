"""Ranges of games whose hands are one card."""

import pytest

from cfr.game.ranges import Range
from cfr.game.rules import Game
from cfr.spots.spot_text import make_spot
from cfr.strategy.spot import parse_range
from cfr.system.errors import MalformedTextError


def test_ranges_of_one_card_hands():
    leduc = Game.bundled("leduc")
    assert parse_range(leduc, "Random").tolist() == [1] * 6
    assert sorted(parse_range(leduc, "any:0.5 Ks:0.5").tolist()) == [0.5] * 6
    assert sorted(parse_range(leduc, "Ks, Qh:0.25").tolist()) == [0, 0, 0, 0, 0.25, 1]
    for text, says in (
        ("", "a range is empty"),
        (" ,", "a range is empty"),
        ("Ks,any:0.5", "weight 0.5, but 1 before"),
    ):
        with pytest.raises(MalformedTextError, match=says):
            parse_range(leduc, text)


def test_a_range_has_no_one_card_hands():
    with pytest.raises(MalformedTextError, match="a Range has hands of two cards; expected 6 weights of leduc"):
        make_spot("Ks", "rc/", game=Game.bundled("leduc"), button=Range.parse("any"))
