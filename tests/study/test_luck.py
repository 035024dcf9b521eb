"""Results without the luck of the cards, hand by hand."""

from dataclasses import replace

import pytest

from cfr.formats.logs import read_log
from cfr.game.rules import Game
from cfr.play.match import match
from cfr.play.players import RandomPlayer
from cfr.strategy.built_in import BuiltIn
from cfr.study.reviews.luck import without_luck


@pytest.fixture
def hands(tmp_path):
    caller = BuiltIn("always-call", Game.bundled("leduc"))
    match(RandomPlayer(), RandomPlayer(), 3, seed=1, log=tmp_path / "x.log", game=caller.game)
    return caller, list(read_log(tmp_path / "x.log", caller.betting))


def test_a_hand_that_ends_early_is_without_alone(hands):
    caller, (first, second, third) = hands
    whole = without_luck([first, third], caller)
    assert whole is not None
    cut = replace(second, seen=replace(second.seen, state=caller.betting.root))
    assert without_luck([first, cut, third], caller) == [whole[0], None, whole[1]]
    assert without_luck([first, cut], caller) is None  # one says nothing about the mean


def test_hands_whose_cards_are_not_shown_leave_all_without(hands):
    caller, (first, second, third) = hands
    hidden = replace(second, seen=replace(second.seen, hands=(second.seen.hands[0], ())))
    assert without_luck([first, hidden, third], caller) is None
