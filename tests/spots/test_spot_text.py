"""Spots as they are asked for: lines, ranges and weights, and what cannot be solved."""

import numpy as np
import pytest

import cfr
from cfr.game.betting import BettingTree
from cfr.game.ranges import Range
from cfr.game.rules import Game
from cfr.spots.spot_text import make_spot
from cfr.strategy.spot import line_with_pot, parse_range
from cfr.system.errors import BadInputError, IllegalActionError, MalformedTextError
from tests.spots.random_spots import HULHE, ROYAL


def test_the_first_line_with_a_pot():
    betting = BettingTree(HULHE)
    assert line_with_pot(betting, 2, 80) in ("rrc/rc/", "rc/rrc/", "cc/rrrc/")
    assert sum(betting.parse(line_with_pot(betting, 2, 80)).stakes) == 80
    with pytest.raises(
        BadInputError, match="pot 75: no betting line of hulhe enters this round with it; pots are 20, 40"
    ):
        line_with_pot(betting, 2, 75)


def test_ranges_of_other_decks():
    assert parse_range(ROYAL, "AA, KTs:0.5").sum() == 6 + 4 * 0.5
    leduc = Game.bundled("leduc")
    assert parse_range(leduc, "Ks, Qh:0.25").sum() == 1.25
    with pytest.raises(MalformedTextError, match="expected cards such as Ks"):
        parse_range(leduc, "KQ")
    assert parse_range(leduc, "any").tolist() == [1] * 6
    assert parse_range(leduc, "Qh:0.5 Qh:.5").sum() == 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Qh:nan", "weight 'nan' at position 4; expected a number from 0 to 1"),
        ("Qh:inf", "weight 'inf' at position 4"),
        ("Qh:-1", "weight '-1' at position 4"),
        ("Ks:-1,Qh:2", "weight '-1' at position 4"),
        ("Ks, Qh:2", "weight '2' at position 8"),
        ("Qh:", "weight '' at position 4"),
        ("Qh:1,Qh:0.5", "Qh at position 6 has weight 0.5, but 1 before"),
    ],
)
def test_weights_of_one_card_hands_are_checked(text, message):
    with pytest.raises(MalformedTextError, match=message):
        make_spot("Ks", "rc/", game=Game.bundled("leduc"), button=text)


def test_ranges_are_notation_ranges_or_weights():
    board, text = ("AsKhTdQcJd", "cc/cc/cc/"), "QQ+,AJs:0.5"
    for game in (HULHE, ROYAL):
        spots = [
            make_spot(*board, game=game, button=given)
            for given in (text, Range.parse(text), parse_range(game, text), parse_range(game, text).tolist())
        ]
        for spot in spots[1:]:
            np.testing.assert_array_equal(spot.ranges, spots[0].ranges)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.full(1326, -1.0), "a range's weights are 0 to 1; 2d2c has -1"),
        (np.full(1326, 2.0), "2d2c has 2"),
        (np.full(1326, np.nan), "2d2c has nan"),
        (np.full(1326, np.inf), "2d2c has inf"),
        (np.ones(1), r"needs 1326 weights, not an array of \(1,\)"),
        (np.ones(3), r"needs 1326 weights, not an array of \(3,\)"),
        (np.ones((2, 1326)), r"needs 1326 weights, not an array of \(2, 1326\)"),
        (1.0, r"needs 1326 weights, not an array of \(\)"),
        ([[1], [1, 2]], "needs 1326 weights, not list"),
        ({"AA": 1}, "needs 1326 weights, not dict"),
    ],
)
def test_weights_that_are_no_range_are_refused(given, message):
    for seat in ("button", "big_blind"):
        with pytest.raises(MalformedTextError, match=message):
            cfr.solve_spot("Td9d6hQc2s", "rc/rc/rc/", iterations=1, **{seat: given})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"button": "TdTs"}, "the button's range has no hand that the board does not block"),
        ({"big_blind": "AA:0"}, "the big blind's range has no hand"),
        ({"button": "AsKs", "big_blind": "AsQs"}, "every hand of one range shares a card with every hand of the other"),
        ({"pot": 20}, "pot 20: after line 'rc/rc/rc/' there are"),
        ({"line": "rc/rc/"}, "board 'Td9d6hQc2s': 5 cards, but after line 'rc/rc/' there are 4"),
        ({"line": "rc/rc/rc/cc"}, "the hand is over"),
        ({"line": None}, "say how the hand came here"),
        ({"line": None, "pot": 0}, "pot 0: no betting line"),
        ({"board": "", "line": ""}, "preflop spots of hulhe are too large"),
        ({"iterations": 0}, "iterations: 0; expected at least 1"),
        ({"locks": ["r:fold=0.4,call=0.9"]}, "the shares sum to 1.3; expected 1"),
        ({"locks": [":fold=1"]}, "fold is illegal there; legal are call, raise"),
        ({"locks": ["r:fold=2"]}, "expected a share from 0 to 1"),
        ({"locks": ["rf:fold=1"]}, "the hand is over after 'rc/rc/rc/rf'"),
        ({"locks": ["fold"]}, "expected LINE:fold=0.4"),
        ({"locks": [":call=1,check=0.5"]}, "'check=0.5'; call has a share before"),
        ({"locks": [":call=0.3,call=0.6"]}, "'call=0.6'; call has a share before"),
        ({"locks": [":call=0.3,call=0.3"]}, "'call=0.3'; call has a share before"),
        ({"locks": ["[QQ:0.25]:call=0"]}, "a hand is held or free; leave out weights between 0 and 1"),
        ({"locks": ["[QQ]:@x.csv"]}, "a file says itself which hands it holds; leave out the brackets"),
        ({"locks": ["r:dance=1"]}, "expected fold=, call= or raise= and a share"),
        ({"locks": ["r:fold=0.4,check=0.1"]}, "check is illegal there; legal are fold, call, raise"),
        ({"locks": ["r:@a\0b"]}, "not a table; expected CSV in UTF-8"),
    ],
)
def test_what_cannot_be_solved_is_said_in_one_line(changes, message):
    asked = {"board": "Td9d6hQc2s", "line": "rc/rc/rc/", "iterations": 1, **changes}
    with pytest.raises((BadInputError, MalformedTextError, IllegalActionError)) as caught:
        cfr.solve_spot(asked.pop("board"), asked.pop("line"), **asked)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
