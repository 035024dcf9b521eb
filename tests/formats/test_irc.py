"""The IRC poker database: hands whose lines lie in three kinds of files."""

import re
from dataclasses import replace

import pytest

from cfr.cli.main import main
from cfr.formats.collection import Collection, gathered
from cfr.formats.logs import read_log, read_text
from cfr.formats.skipped import Omissions
from cfr.game.betting import BettingTree
from cfr.game.cards import format_cards
from cfr.game.rules import Game
from cfr.resolving.named_strategy import open_named
from cfr.study.reviews.review import review
from cfr.system.errors import BadInputError, CfrError

HULHE = Game.bundled("hulhe")
IRC = replace(HULHE, name="irc", first_players=(1, 1, 1, 1))
TREE = BettingTree(IRC)
HDB = """\
801000001   1   11  2  0/0     0/0     0/0      1/15
801000002   1   12  2  2/40    2/60    2/60     1/80     Kc 7h 2d 5s Tc
801000003   1   13  3  2/25    2/25    2/25     2/25     Ad 7d 2d 5d Tc
801000004   1   14  2  2/60    2/80    2/120    2/120    Qs 8c 4d Jh 2c
801000005   1   15  2  2/20    2/20    2/20     2/20     Qs 8c 4d Jh 2c
801000006   1   16  2  2/20    0/0     0/0      0/30     Qs 8c 4d
"""
ROSTER = """\
801000001  2 Ann bob^
801000002  2 Ann bob^
801000003  3 Ann Cat bob^
801000004  2 Ann bob^
801000005  2 Ann bob^
801000006  2 Ann bob^
"""
ANN = """\
Ann       801000001  2  1 Bf  -     -     -         1000    5    0
Ann       801000002  2  2 Br  c     k     b          995   50   80
Ann       801000003  3  1 Bf  -     -     -         1045    5    0
Ann       801000004  2  1 Brc kc    b     k         1040   60    0 As Qd
Ann       801000005  2  2 Bk  k     k     kQ         970   10   10 Ah Kd
Ann       801000006  2  1 Bc  b     -     -          970   20   30
"""
BOB = """\
bob^      801000001  2  2 B   -     -     -         1000   10   15
bob^      801000002  2  1 Bcc b     k     kf        1005   30    0
bob^      801000003  3  2 Bk  k     k     k          975   10   25 Jh Tc
bob^      801000004  2  2 Br  b     c     k         1000   60  120 8h 8d
bob^      801000005  2  1 Bc  k     k     k         1070   10   10 Ks Ac
bob^      801000006  2  2 Bk  Q     -     -         1070   10    0
"""


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "holdem" / "199505"
    (folder / "pdb").mkdir(parents=True)
    for name, text in {"hdb": HDB, "hroster": ROSTER, "pdb/pdb.Ann": ANN, "pdb/pdb.bob^": BOB}.items():
        (folder / name).write_text(text, "ascii")
    return folder


def edit(folder, name, old, new):
    text = (folder / name).read_text("ascii")
    assert text.count(old) == 1
    (folder / name).write_text(text.replace(old, new), "ascii")


def read(source, tree=TREE):
    omissions = Omissions()
    hands = gathered(Collection([source] if not isinstance(source, list) else source).read(tree, omissions), omissions)
    return hands, omissions


def test_hands_of_two_are_read_and_others_named(home):
    hands, omissions = read(home)
    assert [each.number for each in hands] == [801000001, 801000002, 801000004, 801000005]
    assert [each.seen.state.line_string for each in hands] == ["f", "crc/rc/cc/crf", "rrc/crc/rc/cc", "cc/cc/cc/cc"]
    assert [each.players for each in hands] == [("bob^", "Ann"), ("Ann", "bob^"), ("bob^", "Ann"), ("Ann", "bob^")]
    assert [each.chips for each in hands] == [(5, -5), (30, -30), (60, -60), (0, 0)]
    assert [format_cards(each) for each in hands[2].seen.hands] == ["8h8d", "AsQd"]
    assert format_cards(hands[1].seen.board) == "Kc7h2d5sTc"
    assert {(each.site, each.day) for each in hands} == {("IRC", "1995-05-20")}
    assert [(each.line, each.reason) for each in omissions.skipped] == [(3, "not two players"), (6, "cut off")]


def test_any_file_of_the_database_stands_for_it(home):
    hands, _ = read(home)
    for files in (["hdb"], ["hroster"], ["pdb/pdb.Ann"], ["hdb", "hroster", "pdb/pdb.Ann", "pdb/pdb.bob^"]):
        assert read([home / each for each in files])[0] == hands
    assert list(read_log(home / "hdb", TREE, Omissions())) == hands
    for each in list((home / "pdb").iterdir()):  # all in one folder
        each.rename(home / each.name)
    assert read(home.parent)[0] == hands


def test_stakes_follow_from_the_chips(home):
    for name, place in (("hdb", 4), ("pdb/pdb.Ann", 8), ("pdb/pdb.bob^", 8)):
        lines = [line.split() for line in (home / name).read_text("ascii").splitlines()]
        for line in lines:
            line[place : place + 4] = [
                re.sub(r"[0-9]+$", lambda it: str(2 * int(it[0])), each) for each in line[place : place + 4]
            ]
        (home / name).write_text("\n".join(map(" ".join, lines)), "ascii")
    hands, _ = read(home)
    assert [each.chips for each in hands] == [(5, -5), (30, -30), (60, -60), (0, 0)]


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("pdb/pdb.Ann", "1040   60", "1040   70", "Ann and bob^ put 70 and 60 in"),
        ("pdb/pdb.bob^", "60  120 8h", "60  110 8h", "110 collected"),
        ("pdb/pdb.Ann", "1040   60    0", "1040   60   60", "Ann collected what the other player won"),
        ("pdb/pdb.bob^", "60  120 8h", "60    0 8h", "nobody wins"),
        ("hdb", "2/80    2/120    2/120", "2/80    2/100    2/120", "pots 60/80/100/120"),
        ("hdb", "2/120    Qs 8c 4d Jh 2c", "2/120    Qs 8c 4d Jh", "0 cards; expected 1"),
        ("hdb", "2/120    Qs 8c 4d Jh 2c", "2/120    Ad Ac 4d Jh 2c", "bob^ collected what the other player won"),
        ("pdb/pdb.Ann", "1 Brc kc", "1 Brc cc", "expected checks"),
        ("pdb/pdb.Ann", "kc    b     k         1040", "kc    b     kk        1040", "more actions"),
        ("pdb/pdb.Ann", "kc    b     k         1040", "kc    B     k         1040", "B is no action there"),
        ("pdb/pdb.Ann", "kc    b     k         1040", "kc    A     k         1040", "Ann is all-in"),
        ("pdb/pdb.Ann", "kc    b     k         1040", "kc    K     k         1040", "Ann is kicked out"),
        ("pdb/pdb.Ann", "1040   60    0 As Qd", "1040   60    0 Qs Qd", "a card is there twice"),
        (
            "pdb/pdb.Ann",
            "Ann       801000004  2  1",
            "Ann       801000004  2  2",
            "the pdb files have 1 of its 2 players",
        ),
        ("hroster", "801000004  2 Ann bob^", "801000004  2 Ann Cat", "hroster does not have Ann and bob^"),
    ],
)
def test_a_hand_that_does_not_add_up_is_named(home, name, old, new, said):
    edit(home, name, old, new)
    hands, omissions = read(home)
    assert [each.number for each in hands] == [801000001, 801000002, 801000005]
    [found] = [each for each in omissions.skipped if each.hand == "801000004"]
    assert said in found.said
    assert found.line == 4


def test_the_games_order_of_acting_decides(home):
    with pytest.raises(BadInputError, match=r"no hand is read: 6 skipped \(4 the button posts the big blind"):
        read(home, BettingTree(HULHE))
    with pytest.raises(CfrError, match=r"hdb: line 1: hand 801000001: the button posts the big blind, so Ann acts"):
        list(read_log(home / "hdb", BettingTree(HULHE)))


def test_what_is_no_database_of_limit_holdem(home, tmp_path):
    (home.parent / "nolimit").mkdir()
    with pytest.raises(BadInputError, match="nolimit does not play limit hold'em"):
        read(home.rename(home.parent / "nolimit" / "199505"))
    lone = tmp_path / "hdb"
    lone.write_text(HDB, "ascii")
    with pytest.raises(BadInputError, match="hdb, hroster and pdb files; one is missing"):
        read(lone)
    (tmp_path / "pdb.txt").write_text("notes\n")
    assert tmp_path / "pdb.txt" in Collection([tmp_path]).files


def test_a_review_takes_the_folder(home, capsys):
    found = review(home, open_named("uniform", game=IRC), ev=False)
    assert found.hands == 4
    assert [each.player for each in found.decisions].count("bob^") == 8
    assert main(["review", str(home), "--no-ev"]) == 2
    assert "the button posts the big blind" in capsys.readouterr().err


def test_a_card_rooms_button_fits_the_game_or_not():
    text = """PokerStars Hand #1: Hold'em Limit ($10/$20 USD) - 2011/05/02 20:15:00 ET
Table 'x' 2-max Seat #%d is the button
Seat 1: Ann ($500 in chips)
Seat 2: Bob ($500 in chips)
Ann: posts small blind $5
Bob: posts big blind $10
*** HOLE CARDS ***
Ann: calls $5
Bob: checks
*** FLOP *** [Kc 7h 2d]
Ann: bets $10
Bob: folds
*** SUMMARY ***
"""
    [hand] = read_text(text % 2, "x.txt", TREE)
    assert hand.seen.state.line_string == "cc/rf"
    with pytest.raises(CfrError, match="the button posts the small blind, so Bob acts first after the flop"):
        list(read_text(text % 1, "x.txt", TREE))
