"""iPoker's XML as its programs write it: actions by player, seats that are empty, games in one line."""

import re
from pathlib import Path

import pytest

from cfr.formats.logs import read_log, read_text
from cfr.formats.skipped import Omissions
from cfr.game.betting import BettingTree
from cfr.game.cards import format_cards
from cfr.game.rules import Game
from cfr.system.errors import CfrError

TREE = BettingTree(Game.bundled("hulhe"))
CASE = Path(__file__).parent / "cases" / "ipoker-by-player.xml"
TEXT = CASE.read_text("utf-8")
[HAND] = read_log(CASE, TREE)


def read(text):
    omissions = Omissions()
    try:
        return list(read_text(text, "x.xml", TREE, omissions)), omissions.skipped
    except CfrError:
        return [], omissions.skipped


def test_actions_by_player_are_in_the_order_of_their_numbers():
    assert HAND.seen.state.line_string == "rc/crc/crf"
    assert HAND.players == ("Bob & Co", "Ann")
    assert [format_cards(each) for each in (*HAND.seen.hands, HAND.seen.board)] == ["", "AhKd", "QsTh9d7d"]
    assert (HAND.chips, HAND.rake) == ((-30, 30), 2)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n *", ""),  # all in one line
        (r"(?<=>)\n *(?=<(?:round|action|cards|/?game|/?general|player))", ""),
        ("Holdem L", "LH 2/4 x2 Limit"),
        ("Holdem L", "Limit Hold'em"),
        (r"\$2/\$4", "2,00€/4,00€"),
        (r"\$1,209\.90", "1.209,90 €"),
        ("&amp;", "&"),
        ("X X", ""),
        ("SQ H10 D9", "sQ h10 d9"),
        (r' *<action no="3".*\n', ""),
        ('type="8"', 'type="9"'),
        ('name="Cy" chips="[$]40"', 'name="" chips="$0"'),
    ],
)
def test_other_ways_to_write_it(old, new):
    assert re.search(old, TEXT)
    assert read(re.sub(old, new, TEXT)) == ([HAND], [])


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("Holdem L", "No Limit Hold'em", 9, "expected limit hold'em"),
        ("Holdem L", "Pot Limit Hold'em", 9, "expected limit hold'em"),
        ("Holdem L", "Holdem NL", 9, "expected limit hold'em"),
        ('no="3" player="Cy" type="8"', 'no="3" player="Cy" type="0"', 9, "3 players; expected two"),
        ('no="11"', 'no="10"', 9, "two actions have one number"),
        (
            'player="Ann" type="5" sum="$4"',
            'player="Ann" type="7" sum="$3"',
            9,
            "Ann is all-in': a bet of 3; expected 4",
        ),
        (
            '<cards type="Turn" player="">D7</cards>',
            '<cards type="Turn" player="">D7</card>',
            36,
            "no XML: mismatched tag",
        ),
    ],
)
def test_refusals(old, new, line, said):
    assert TEXT.count(old) == 1
    hands, [skipped] = read(TEXT.replace(old, new))
    assert hands == []
    assert skipped.line == line
    assert said in skipped.said


def test_an_all_in_is_a_bet_by_its_chips():
    text = TEXT.replace("$42.22", "$10").replace('player="Ann" type="5" sum="$4"', 'player="Ann" type="7" sum="$4"')
    [hand], _ = read(text)
    assert (hand.seen.state.line_string, hand.chips) == ("rc/crc/cr", (-30, 30))


def test_games_of_several_sessions_in_one_line_each():
    game = re.sub("\n *", "", TEXT)
    other = game.replace("Holdem L", "Holdem NL").replace("2680000011", "2680000012")
    hands, [skipped] = read("\n".join([game, other, game.replace("2680000011", "2680000013")]))
    assert [each.number for each in hands] == [2680000011, 2680000013]
    assert (skipped.line, skipped.hand, skipped.reason) == (2, "2680000012", "not limit hold'em")
