"""Lines as the card rooms themselves and their converters write them: money, stakes, all-ins, who sits out."""

import re
from pathlib import Path

import pytest

from cfr.formats.logs import read_text
from cfr.formats.skipped import Omissions
from cfr.game.betting import BettingTree
from cfr.game.cards import format_cards
from cfr.game.rules import Game
from cfr.system.disk.decoded import decoded
from cfr.system.errors import CfrError

CASES = Path(__file__).parent / "cases"
TREE = BettingTree(Game.bundled("hulhe"))


def told(name, text=None):
    """What is read of a case, or of its changed text: line, hands, what the big blind wins, and rake, in chips."""
    source = (CASES / name).read_text("utf-8") if text is None else text
    omissions = Omissions()
    hands = list(read_text(source, name, TREE, omissions))
    found = [
        (each.seen.state.line_string, *map(format_cards, each.seen.hands), each.chips[0], each.rake) for each in hands
    ]
    return found, [str(each) for each in omissions.skipped]


@pytest.mark.parametrize(
    ("name", "hands"),
    [
        # Winamax pays the bet that nobody called with the pot, and tells the pot after rake.
        ("winamax-fold.txt", [("rc/cc/crf", "JhTh", "", -20, 2), ("cc/crc/rf", "", "", 20, 0)]),
        ("full-tilt-pots.txt", [("rrc/rrc/crf", "", "KdKs", -50, 2), ("f", "", "9h2c", 4, 0)]),
        (
            "party-all-in.txt",
            [("rc/rc/rc/crc", "JhTs", "AcQs", -70, 2), ("rc/rc/rc/", "JhTs", "AcQs", -50, 1)],
        ),
        ("party-old.txt", [("rc/crc/cc/cc", "QsQd", "AsKd", -30, 2.5)]),
        ("ongame-split.txt", [("cc/rrc/cc/cc", "", "Qh2c", 0, 2)]),
        (
            "ps-exports.txt",
            [("rc/crf", "", "AsKd", -20, 2), ("rc/crf", "", "AsKd", -20, 2), ("f", "Td5d", "8c3d", 5, 0)],
        ),
        ("gg-tournament.txt", [("f", "", "AsKd", 5, 0)]),
    ],
)
def test_what_is_read(name, hands):
    assert told(name)[0] == hands


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("winamax-fold.txt", "collected 0.29€", "collected 0.27€", "0.27 collected and a rake of 0.01; the pot is 0.3"),
        ("winamax-fold.txt", "Total pot 0.29€", "Total pot 0.25€", "a pot of 0.25; the actions make 0.3"),
        ("full-tilt-pots.txt", "bet of $10", "bet of $5", "5 returned; the bet that nobody called is 10"),
        ("full-tilt-pots.txt", "Uncalled bet (3)", "Uncalled bet (2)", "2 returned; the bet that nobody called is 3"),
        ("party-old.txt", "Main Pot: $11.50", "Main Pot: $10.50", "a pot of 10.5; the actions make 12"),
        ("ongame-split.txt", "Ann (€2.90)", "Ann (€2.80)", "5.7 collected and a rake of 0.2; the pot is 6"),
        ("ps-exports.txt", "Total pot $3.80", "Total pot $3.70", "a pot of 3.7; the actions make 4"),
        ("ps-exports.txt", "bet ($1) ret", "bet ($2) ret", "2 returned; the bet that nobody called is 0.5"),
    ],
)
def test_money_that_does_not_add_up(name, old, new, said):
    text = (CASES / name).read_text("utf-8")
    assert text.count(old) == 1
    number = len(told(name)[0])
    found, skipped = told(name, text.replace(old, new)) if number > 1 else ([], [one_refusal(name, old, new)])
    assert len(found) == number - 1
    assert any(said in each for each in skipped), skipped


def one_refusal(name, old, new):
    """Why the only hand of a case is refused."""
    text = (CASES / name).read_text("utf-8").replace(old, new)
    with pytest.raises(CfrError) as caught:
        list(read_text(text, name, TREE))
    return str(caught.value)


HEADERS = [
    "PokerStars Hand #1:  Hold'em Fixed Limit ($1/$2 USD) - 2011/05/02 20:15:00 ET",
    "PokerStars Hand #1:  Hold\u2019em Limit ($1/$2 USD) - 2011/05/02 20:15:00 ET",
    "PokerStars Hand #1:Hold'em Limit (1 €/2 € EUR) - 2011/05/02 20:15:00 ET",
    "PokerStars Hand #1 [ADM ID: M3A5B7C9]:  Hold'em Limit (€1/€2 EUR) - 2011/05/02 20:15:00 CET",
    "PokerStars Hand #1: Tournament #4, $1+$0.10 USD Hold'em Limit - Match Round I, Level IV (1/2) - 2011/05/02",
    "PokerStars Hand #1: Tournament #4, $1+$0.10 USD HORSE (Hold'em Limit) - Level I (1/2) - 2011/05/02 20:15:00 ET",
    "POKERSTARS GAME #1:  HOLD'EM LIMIT ($1/$2) - 2011/05/02 - 20:15:00 (ET)",
    "Poker Hand #RC1: Hold'em Fixed Limit ($1/$2) - 2011/05/02 20:15:00",
]
OTHER_GAMES = [
    "PokerStars Hand #1:  Hold'em No Limit ($1/$2 USD) - 2011/05/02 20:15:00 ET",
    "PokerStars Hand #1:  Hold'em Pot Limit ($1/$2 USD) - 2011/05/02 20:15:00 ET",
    "PokerStars Hand #1: Tournament #4, $1+$0.10 USD HORSE (Omaha Hi/Lo Limit) - Level I (1/2) - 2011/05/02",
    "PokerStars Hand #1: Tournament #4, Hold'em Limit Duel Hold'em No Limit - Level I (1/2) - 2011/05/02",
]


def test_headers_of_limit_holdem():
    body = (CASES / "ps-fulltilt-between.txt").read_text("utf-8").split("\n\n")[0].partition("\n")[2]
    for header in HEADERS:
        [hand] = read_text(f"{header}\n{body}", "x.txt", TREE)
        assert hand.day == "2011-05-02", header
    for header in OTHER_GAMES:
        with pytest.raises(ValueError, match="expected Hold'em Limit"):
            list(read_text(f"{header}\n{body}", "x.txt", TREE))


def test_stakes_of_full_tilt_and_of_party():
    text = (CASES / "full-tilt-pots.txt").read_text("utf-8").split("\n\n")[0]
    old = "FL Hold'em - $5/$10"
    for stakes in ("$5/$10 - Limit Hold'em", "Limit Hold'em - $5/$10", "Fixed Limit Hold'em - $5/$10"):
        assert len(list(read_text(text.replace(old, stakes), "x.txt", TREE))) == 1
    for stakes in ("$5/$10 - No Limit Hold'em", "NL Hold'em - $5/$10", "Pot Limit Hold'em - $5/$10"):
        with pytest.raises(ValueError, match="expected a table of limit hold'em"):
            list(read_text(text.replace(old, stakes), "x.txt", TREE))
    text = (CASES / "party-all-in.txt").read_text("utf-8").split("\n\n")[0]
    for stakes in (
        "$10/$20 USD Texas Hold'em",
        "€10/€20 EUR FL Texas Hold'em",
        "10/20 Texas Hold'em Game Table (Limit)",
    ):
        assert len(list(read_text(text.replace("$10/$20 USD FL Texas Hold'em", stakes), "x.txt", TREE))) == 1
    for stakes in ("$20 USD NL Texas Hold'em", "$10/$20 USD FL Omaha Hi-Lo", "10/20 Texas Hold'em Game Table (NL)"):
        with pytest.raises(ValueError, match=f"{re.escape(stakes)} .*; expected a table of limit hold'em"):
            list(read_text(text.replace("$10/$20 USD FL Texas Hold'em", stakes), "x.txt", TREE))


def test_who_sits_out_is_not_dealt_in():
    text = (CASES / "party-all-in.txt").read_text("utf-8").split("\n\n")[0]
    with pytest.raises(ValueError, match="3 players; expected two"):
        list(read_text(text.replace("Cy is sitting out", "Cy folds"), "x.txt", TREE))


def test_an_all_in_is_a_call_a_bet_or_a_raise_by_its_chips():
    text = (CASES / "party-all-in.txt").read_text("utf-8").split("\n\n")[0]
    bets = text.replace("( $960 USD )", "( $70 USD )").replace("Ann bets [$20 USD]", "Ann is all-In  [$20 USD].")
    [hand] = read_text(bets, "x.txt", TREE)
    assert (hand.seen.state.line_string, hand.chips) == ("rc/rc/rc/cr", (-70, 70))
    river = "Bob checks\nAnn bets [$20 USD]\nBob calls [$20 USD]\n"
    raises = bets.replace("( $70 USD )", "( $90 USD )").replace("$138", "$178")
    raised = river.replace("checks", "bets [$20 USD]").replace("Ann bets [$20 USD]", "Ann is all-In  [$40 USD].")
    [hand] = read_text(
        raises.replace(river.replace("Ann bets [$20 USD]", "Ann is all-In  [$20 USD]."), raised), "x.txt", TREE
    )
    assert (hand.seen.state.line_string, hand.chips) == ("rc/rc/rc/rr", (-90, 90))
    calls = text.replace("( $960 USD )", "( $30 USD )").replace("Ann calls [$10 USD]", "Ann is all-In  [$10 USD]")
    calls = calls.replace(river, "").replace("$138", "$59")
    [hand] = read_text(calls.replace("Bob bets [$20 USD]\nAnn calls [$20 USD]\n", ""), "x.txt", TREE)
    assert (hand.seen.state.line_string, hand.chips) == ("rc/rc/", (-30, 30))


@pytest.mark.parametrize(
    ("header", "seat"),
    [
        ("#39555673: Limit Holdem - 40/80", "Seat {}: {} (800)"),
        ("PokerStars hra č. 210000000009:  Hold'em Limit ($1/$2 USD)", "Místo {}: {} ($100 v žetonech)"),
        ("PokerStars 210000000009\uff1a限注德州扑克", "座位 {}\uff1a{} \uff08$100 筹码\uff09"),
        ("Table 'Alpha' 2-max Seat #1 is the button", "Seat {}: {} ($100 in chips)"),  # the first line is lost
    ],
)
@pytest.mark.parametrize("before", ["", "Hand #1:\n\n", "my hands of May\n\n"])
def test_a_first_hand_of_nobody_is_named(before, header, seat):
    hand = (CASES / "winamax-fold.txt").read_text("utf-8").split("\n\n")[0]
    other = "\n".join([header, seat.format(1, "Ann"), seat.format(2, "Bob"), "Ann: 3"])
    omissions = Omissions()
    assert len(list(read_text(f"{before}{other}\n\n{hand}", "x.txt", TREE, omissions))) == 1
    [skipped] = omissions.skipped
    assert (skipped.line, skipped.reason) == (before.count("\n") + 1, "an unknown site or language")
    assert header in skipped.said


@pytest.mark.parametrize(
    "line",
    [
        "Ann wins the tournament and receives $9.50 - congratulations!",
        "Bob finished the tournament in 2nd place and received $5.00.",
        "Ann wins $1.00 for eliminating Bob and their own bounty increases by $1.00 to $2.00",
    ],
)
def test_a_tournament_s_end_is_no_action(line):
    text = (CASES / "exact-all-in.txt").read_text("utf-8")
    end = "*** SUMMARY ***\n"
    assert list(read_text(text.replace(end, f"{line}\n{end}"), "x.txt", TREE)) == list(read_text(text, "x.txt", TREE))


def test_a_text_that_ends_anywhere_is_cut_off():
    """Wherever a text ends within its last hand, the hand is whole or named as cut off."""
    text = (CASES / "two-heroes.txt").read_text("utf-8").split("\n\n\n")
    first, last = text[0] + "\n\n", text[1].rstrip("\n")
    whole = len(list(read_text(first, "x.txt", TREE)))
    for end in range(12, len(last)):
        omissions = Omissions()
        hands = list(read_text(first + last[:end], "x.txt", TREE, omissions))
        reasons = [each.reason for each in omissions.skipped]
        assert (len(hands), reasons) in ((whole + 1, []), (whole, ["cut off"])), last[:end][-40:]


@pytest.mark.parametrize("begin", [7, 60, 150, 250, 400])
def test_a_first_hand_without_its_beginning_is_named(begin):
    first, second = (CASES / "two-heroes.txt").read_text("utf-8").split("\n\n\n")[:2]
    omissions = Omissions()
    assert len(list(read_text(f"{first[begin:]}\n\n{second}", "x.txt", TREE, omissions))) == 1
    [skipped] = omissions.skipped
    assert (skipped.line <= 2, skipped.reason) == (True, "an unknown site or language")


def test_ends_of_pages_and_other_files():
    text = (CASES / "two-heroes.txt").read_text("utf-8")
    assert list(read_text(text.replace("\n\n\n", "\n\f"), "x.txt", TREE)) == list(read_text(text, "x.txt", TREE))
    for begin, said in (
        (b"PK\x03\x04", "a zip archive"),
        (b"\x1f\x8b\x08\0\0\0\0\0\0\3", "packed by gzip"),
        (b"%PDF-1.4\n%\xe2\xe3", "a PDF file"),
        (b"\x89HDF\r\n\x1a\n" + bytes(80), "an HDF5 file"),
        (b"SQLite format 3\0\x10\0\1\1\0@  \0\0", "an SQLite database"),
    ):
        for name in ("x.txt", "x.log"):
            with pytest.raises(CfrError, match=f"^{name}: {said}.*; expected a log of hands as text$"):
                list(read_text(decoded(begin + text.encode()), name, TREE, Omissions()))


def test_who_shows_first_has_not_won_where_the_text_ends():
    text = (CASES / "winamax-hu.txt").read_text("utf-8")
    shown, rest = text[: text.index("Bob shows")], text[text.index("Bob shows") :]
    with pytest.raises(CfrError, match="the text ends before somebody collects the pot"):
        list(read_text(shown, "x.txt", TREE))
    [hand] = read_text(shown + rest[rest.index("Bob collected") :], "x.txt", TREE)
    assert hand.seen.chips is None or hand.chips == (-30, 30)


@pytest.mark.parametrize("name", ["Bob ", "Board", "Uncalled bet", "[x]"])
def test_names_in_lines_about_money(name):
    for case in ("ps-exports.txt", "two-heroes.txt"):
        text = (CASES / case).read_text("utf-8")
        changed = text.replace("Big Blind", name) if "Big Blind" in text else text.replace("Bob", name)
        assert [each[0] for each in told(case, changed)[0]] == [each[0] for each in told(case)[0]]
        assert told(case, changed)[1] == []


def test_who_sits_at_the_table_and_does_nothing():
    text = (CASES / "ps-exports.txt").read_text("utf-8").split("\n\n")[0]
    [whole] = read_text(text, "x.txt", TREE)
    seat = "Seat 2: Bob ($100 in chips)\n"
    three = text.replace(seat, f"{seat}Seat 5: Cy ($50 in chips)\n")
    for said in (
        "Cy: is sitting out",
        "Cy is sitting out",
        "Cy: sits out",
        "Cy will be allowed to play after the button",
    ):
        waits = three.replace("*** HOLE", f"{said}\n*** HOLE")
        assert list(read_text(waits, "x.txt", TREE)) == [whole]
        for text in (three, waits.replace("Ann: raises", "Cy: folds\nAnn: raises")):
            with pytest.raises(CfrError, match="3 players; expected two"):
                list(read_text(text, "x.txt", TREE))
