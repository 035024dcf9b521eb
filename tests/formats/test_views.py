"""MATCHSTATE lines of one player or of both, in any order of hands and matches: each hand once, with its own cards."""

from itertools import zip_longest

import pytest

from cfr.formats import acpc
from cfr.formats.skipped import Omissions
from cfr.game.betting import BettingTree
from cfr.game.cards import format_cards
from cfr.game.rules import Game

TREE = BettingTree(Game.bundled("hulhe"))
# Three hands of a match, as a dealer tells them to the player who is the big blind in the first and in the third.
ANN_HEARS = """MATCHSTATE:0:0::9h8h|
MATCHSTATE:0:0:r:9h8h|
MATCHSTATE:0:0:rc/:9h8h|/Kc7h2d
MATCHSTATE:0:0:rc/cr:9h8h|/Kc7h2d
MATCHSTATE:0:0:rc/crf:9h8h|/Kc7h2d
MATCHSTATE:1:1::|AsKd
MATCHSTATE:1:1:f:|AsKd
MATCHSTATE:0:2::2c2d|
MATCHSTATE:0:2:cc/:2c2d|/5s6s7s
MATCHSTATE:0:2:cc/cc/cc/cc:2c2d|AhAd/5s6s7s/8s/9s
""".splitlines()
BOB_HEARS = """MATCHSTATE:1:0::|AcQc
MATCHSTATE:1:0:rc/c:|AcQc/Kc7h2d
MATCHSTATE:1:0:rc/crf:|AcQc/Kc7h2d
MATCHSTATE:0:1::3c3d|
MATCHSTATE:0:1:f:3c3d|
MATCHSTATE:1:2::|AhAd
MATCHSTATE:1:2:cc/cc/:|AhAd/5s6s7s/8s
MATCHSTATE:1:2:cc/cc/cc/cc:2c2d|AhAd/5s6s7s/8s/9s
""".splitlines()


def in_turn(*records):
    """The lines of several records, hand by hand, one line of each in turn."""
    return [line for lines in zip_longest(*records) for line in lines if line]


def views(lines):
    omissions = Omissions()
    hands = list(acpc.read_log(lines, TREE, omissions))
    return [
        (hand.number, hand.seen.state.line_string, *map(format_cards, hand.seen.hands), *hand.players) for hand in hands
    ], omissions.skipped


ONE_SIDE = [
    (0, "rc/crf", "9h8h", "", "player", "opponent"),
    (1, "f", "", "AsKd", "opponent", "player"),
    (2, "cc/cc/cc/cc", "2c2d", "AhAd", "player", "opponent"),
]
BOTH_SIDES = [
    (0, "rc/crf", "9h8h", "AcQc", "player 1", "player 2"),
    (1, "f", "3c3d", "AsKd", "player 2", "player 1"),
    (2, "cc/cc/cc/cc", "2c2d", "AhAd", "player 1", "player 2"),
]


def test_the_longest_line_of_each_hand_counts():
    assert views(ANN_HEARS) == (ONE_SIDE, [])
    hands = [ANN_HEARS[:5], ANN_HEARS[5:7], ANN_HEARS[7:]]
    assert views(in_turn(*hands)) == (ONE_SIDE, [])
    assert views([ANN_HEARS[4], *ANN_HEARS[1:4], *ANN_HEARS[5:]]) == (ONE_SIDE, [])  # late lines


@pytest.mark.parametrize("lines", [in_turn(ANN_HEARS, BOB_HEARS), ANN_HEARS + BOB_HEARS, BOB_HEARS + ANN_HEARS])
def test_both_players_views_are_one_hand(lines):
    found, skipped = views(lines)
    assert (sorted(found), skipped) == (BOTH_SIDES, [])


def test_a_dealers_lines_to_both():
    lines = in_turn([f"TO 1 at 1.5 {line}" for line in ANN_HEARS], [f"TO 2 at 1.5 {line}" for line in BOB_HEARS])
    assert views(lines) == (BOTH_SIDES, [])


def test_a_view_that_is_cut_off_ends_with_the_others():
    found, skipped = views(in_turn(ANN_HEARS[:3], BOB_HEARS[:3]))
    assert (found, skipped) == (BOTH_SIDES[:1], [])
    found, skipped = views(ANN_HEARS[:3])
    assert (found, [(each.line, each.reason) for each in skipped]) == ([], [(3, "cut off")])


def test_a_second_match_begins_anew():
    """The same deal with the seats exchanged, and another way to play it: no card goes to the other match."""
    second = [line.replace("rc/crf", "rc/crc/crf") for line in BOB_HEARS]
    second = [line.replace("Kc7h2d", "Kc7h2d/5s") if "crc/" in line else line for line in second]
    found, skipped = views(ANN_HEARS + second)
    assert found[:3] == ONE_SIDE
    assert [each[2:4] for each in found[3:]] == [("", "AcQc"), ("3c3d", ""), ("2c2d", "AhAd")]
    assert skipped == []
    found, _ = views(ANN_HEARS + ANN_HEARS)
    assert found == ONE_SIDE + ONE_SIDE


def test_matches_that_take_turns_keep_their_cards():
    other = [line.replace("9h8h", "4h4c").replace("Kc7h2d", "Td9d8d").replace("AsKd", "JsJd") for line in ANN_HEARS]
    other = [line.replace("2c2d|AhAd", "2c2d|AhAs").replace("5s6s7s", "5d6d7d") for line in other]
    found, skipped = views(in_turn(ANN_HEARS, other))
    assert [each for each in found if each in ONE_SIDE] == ONE_SIDE
    assert sorted(each[2:4] for each in found if each not in ONE_SIDE) == [("", "JsJd"), ("2c2d", "AhAs"), ("4h4c", "")]
    assert skipped == []


def test_folds_before_the_flop_alone_prove_no_common_hand():
    assert len(views(["MATCHSTATE:0:0:f:9h8h|", "MATCHSTATE:1:0:f:|AcQc"])[0]) == 2
    together = ["MATCHSTATE:0:0::9h8h|", "MATCHSTATE:1:0::|AcQc", "MATCHSTATE:0:0:f:9h8h|", "MATCHSTATE:1:0:f:|AcQc"]
    assert views(together)[0] == [(0, "f", "9h8h", "AcQc", "player 1", "player 2")]


def test_openspiels_hands_all_have_one_number():
    lines = ["ACPC State: STATE:0:rf:7d2s|AcTc", "ACPC State: STATE:0:cc/cc/cc/cc:2c2d|AhAd/5s6s7s/8s/9s"] * 3000
    found, skipped = views(lines)
    assert (len(found), skipped) == (6000, [])
