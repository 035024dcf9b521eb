"""Lines of real logs that were once in the way of a hand: of time banks, observers, crashes, other programs."""

import re

import pytest

from cfr.formats.logs import read_text
from cfr.formats.skipped import CANCELLED, CUT_OFF, PLAYERS, SITE, Omissions
from cfr.system.disk.decoded import decoded
from tests.formats import mutate
from tests.formats.test_ipoker import TEXT as IPOKER

OPEN_SPIEL = """\
BettingAbstration: FCPA
P0 Cards: Qc6d
P1 Cards: {second}
BoardCards {board}
PossibleCardsToDeal AsAhAd
P0 Reward: 10
Node type?: Chance node
PossibleActions (1): [ ACTION_DEAL ]
Round: 0
ACPC State: STATE:0:{betting}
Spent: [P0: 10  P1: 5  ]

Action Sequence: ddd
"""
STATES = (
    ":Qc2c|2c2c",
    ":Qc6d|Ah2c",
    ":Qc6d|Ah8c",
    "c:Qc6d|Ah8c",
    "cc/:Qc6d|Ah8c/2c2c2c",
    "cc/:Qc6d|Ah8c/AcKdJc",
    "cc/cc/:Qc6d|Ah8c/AcKdJc/2c",
    "cc/cc/:Qc6d|Ah8c/AcKdJc/2h",
    "cc/cc/cc/:Qc6d|Ah8c/AcKdJc/2h/2c",
    "cc/cc/cc/cc:Qc6d|Ah8c/AcKdJc/2h/Td",
)


def read(text, name="x.txt"):
    """The hands of a text, and the reasons of those that are not read."""
    omissions = Omissions()
    hands = list(read_text(text, name, mutate.TREE, omissions))
    return hands, [each.reason for each in omissions.skipped]


def hand_of(name):
    """A text of one hand that goes on after the flop, and what is read of it."""
    block = mutate.form(name).blocks[0].strip("\n")
    [hand], _ = read(block)
    return block, hand


def with_line(text, line):
    """The text with a line before the first action after the flop."""
    return re.sub(r"(?mi)^((?:\*\*\* |\*\* |--- )(?:dealing )?flop.*\n)", rf"\g<1>{line}\n", text, count=1)


@pytest.mark.parametrize(
    ("room", "said"),
    [
        ("party", "{} will be using their time bank for this hand."),
        ("party", "{} could not respond in time.(disconnected)"),
        ("party", "{} did not respond in time"),
        ("pokerstars", "{}: folds leaves the table"),
        ("pokerstars", "{}: checks joins the table at seat #3"),
        ("pokerstars", "{}: raises is disconnected"),
        ("pokerstars", "{}: folds: sits out"),
    ],
)
def test_lines_that_say_nothing_of_the_hand(room, said):
    text, hand = hand_of(room)
    for name in hand.players:
        longer = with_line(text, said.format(name))
        assert longer != text
        assert read(longer) == ([hand], [])


@pytest.mark.parametrize("names", [("Seat 1", "Seat 2"), ("Seat 2", "Seat 1")])
def test_players_who_are_called_seats(names):
    text, hand = hand_of("pokerstars")
    for old, new in zip(hand.players, names, strict=True):
        text = re.sub(rf"\b{re.escape(old)}\b", new, text)
    [found], skipped = read(text)
    assert not skipped
    assert found.players == names
    assert found.seen == hand.seen


def test_cards_without_a_blank():
    text, hand = hand_of("pokerstars")
    joined = re.sub(r"\[(\w\w) (\w\w)\]", r"[\1\2]", text)
    assert joined != text
    assert read(joined) == ([hand], [])


def test_a_hand_that_full_tilt_cancelled():
    text, _ = hand_of("full-tilt")
    begin = text[: text.index("*** SUMMARY")]
    number = re.search("#([0-9]+)", text)[1]
    cancelled = f"{begin}Hand #{number} has been canceled\n*** SUMMARY ***"
    assert read(f"{cancelled}\n\n\n{mutate.form('full-tilt').blocks[1]}")[1] == [CANCELLED]


@pytest.mark.parametrize("zeros", [4, 63, 512, 513])
def test_zeros_that_a_crash_left(zeros):
    first, second = mutate.form("pokerstars").blocks[:2]
    assert len(read(decoded(f"{first}{zeros * chr(0)}{second}".encode()))[0]) == 2
    cut = first[: first.index("*** FLOP")].rstrip()
    assert read(decoded(f"{cut}{zeros * chr(0)}{second}".encode()))[1] == [CUT_OFF]


@pytest.mark.parametrize(
    ("header", "site"),
    [
        ("Stage #1571362962: Holdem  Normal $1/$2 - 2009-06-09 22:58:46 (ET)", "Absolute"),
        ('<HISTORY ID="2089465091" SESSION="x.xml" TABLE="Eva 23" LIMIT="FL">', "Boss"),
        ('<Game hhversion="4" id=5049070 date="2010-01-01">', "Microgaming"),
    ],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_hands_of_other_rooms_are_named(header, site, place):
    blocks = [each.strip("\n") for each in mutate.form("pokerstars").blocks[:2]]
    blocks.insert(place, f"{header}\na line of it")
    omissions = Omissions()
    assert len(list(read_text("\n\n\n".join(blocks), "x.txt", mutate.TREE, omissions))) == 2
    assert [each.reason for each in omissions.skipped] == [SITE]
    assert site in omissions.skipped[0].said


@pytest.mark.parametrize(
    ("room", "day"), [("party", "2011-04-25"), ("ongame", "2012-07-24"), ("winamax", ""), ("full-tilt", "")]
)
def test_days_in_words(room, day):
    _, hand = hand_of(room)
    assert hand.day == day or not day


def test_days_of_ipoker():
    [hand], _ = read(re.sub("(?<=<startdate>)[^<]*", "20-Mar-2011 21:25:31", IPOKER), "x.xml")
    assert hand.day == "2011-03-20"


def test_empty_seats_of_ipoker_are_no_players():
    empty = '<player seat="9" name="" chips="$0" dealer="0" win="$0" bet="$0" />'
    text = IPOKER.replace("</players>", f"{empty}{empty}</players>")
    assert text != IPOKER
    assert len(read(text, "x.xml")[0]) == 1
    third = empty.replace('name=""', 'name="Eve"')
    other = re.sub('gamecode="[0-9]+"', 'gamecode="77"', text)
    header = '<?xml version="1.0"?><session sessioncode="2981358901">'
    both = f"{text}\n\n{header}\n{other[other.index('<general>') :]}"
    assert (len(read(both, "x.xml")[0]), read(both, "x.xml")[1]) == (2, [])
    assert read(f"{text}\n\n{header}\n" + other.replace("</players>", f"{third}</players>"), "x.xml")[1] in (
        [],
        [PLAYERS],
    )


@pytest.mark.parametrize("name", ["x.log", "x.txt"])
def test_states_of_open_spiel_before_cards_are_dealt(name):
    whole = "\n".join(OPEN_SPIEL.format(second="Ah", board="", betting=each) for each in STATES)
    for text in (whole, "\n".join(f"ACPC State: STATE:0:{each}" for each in STATES)):
        [hand], skipped = read(text, name)
        assert not skipped
        assert hand.seen.state.line_string == "cc/cc/cc/cc"


def test_amounts_without_a_zero():
    text, hand = hand_of("pokerstars")
    small = text.replace("$0.50", "$.50").replace("0.50", ".50")
    [found], skipped = read(small)
    assert not skipped
    assert found.seen == hand.seen
