"""PokerStars' text: what is written, read back; what the program of the card room writes, and what is refused."""

import random
import re
from datetime import UTC, datetime

import pokerkit
import pytest

from cfr.formats.logs import HandLog, read_log
from cfr.formats.pokerstars import hand_text
from cfr.game.betting import BettingTree
from cfr.game.cards import format_cards, parse_cards
from cfr.game.hand import Deal, HandRecord, deal_hand, show_order
from cfr.game.rules import Game
from cfr.system.errors import BadInputError, CfrError, MalformedTextError
from tests.formats.records import DEAL, random_records, record_of, write

HULHE = Game.bundled("hulhe")
TREE = BettingTree(HULHE)
# A hand as the card room writes it: other stakes, a name with a colon, chat, rake, cards that only the summary shows.
HAND = """\ufeffPokerStars Hand #20155674902:  Hold'em Limit ($0.50/$1.00 USD) - 2008/09/03 13:16:15 ET
Table 'Ursula IV' 2-max Seat #2 is the button
Seat 1: a: b (hero) ($25.50 in chips)
Seat 2: villain ($1,024.75 in chips)
villain: posts small blind $0.25
a: b (hero): posts big blind $0.50
*** HOLE CARDS ***
Dealt to a: b (hero) [Td 9d]
villain: raises $0.50 to $1
a: b (hero): calls $0.50
*** FLOP *** [2c 7d 9h]
a: b (hero): checks
villain: bets $0.50
villain said, "a: b (hero): folds"
a: b (hero): raises $0.50 to $1
villain: calls $0.50
*** TURN *** [2c 7d 9h] [Js]
a: b (hero): bets $1
villain: calls $1
*** RIVER *** [2c 7d 9h Js] [3c]
a: b (hero): checks
villain: checks
*** SHOW DOWN ***
a: b (hero): shows [Td 9d] (a pair of Nines)
villain: mucks hand
a: b (hero) collected $5.75 from pot
*** SUMMARY ***
Total pot $6 | Rake $0.25
Board [2c 7d 9h Js 3c]
Seat 1: a: b (hero) (big blind) showed [Td 9d] and won ($5.75) with a pair of Nines
Seat 2: villain (button) (small blind) mucked [Ah Kd]
"""


def read(tmp_path, text, name="x.txt"):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return list(read_log(path, TREE))


@pytest.mark.parametrize("blank", ["\t", "\u00a0", "\u202f"])
def test_blanks_of_other_programs(blank, tmp_path):
    assert read(tmp_path, HAND.replace(" ", blank)) == read(tmp_path, HAND)


def test_tens_in_digits(tmp_path):
    """Cards of either player, of the board and of the summary, a hand of two tens among them."""
    hand = HAND.replace("Td 9d", "Td Tc").replace("2c", "Th").replace("Ah Kd", "Ts Kd")
    (found,) = read(tmp_path, re.sub("T([cdhs])", "10\\1", hand))
    assert (found,) == (*read(tmp_path, hand),)
    assert found.seen.hands == (parse_cards("TdTc"), parse_cards("TsKd"))


def test_exports_that_overlap_count_once(tmp_path):
    other = HAND.replace("20155674902", "20155674903").removeprefix("\ufeff")
    found = read(tmp_path, "\n\n".join([HAND, other, HAND.removeprefix("\ufeff")]))
    assert [each.number for each in found] == [20155674902, 20155674903]
    with pytest.raises(BadInputError, match="was there before, with other lines"):
        read(tmp_path, "\n\n".join([HAND, HAND.removeprefix("\ufeff").replace("Ah Kd", "As Kd")]))


@pytest.mark.parametrize("names", [("Al", "Al B"), ("Al B", "Al")])
def test_a_name_may_begin_another_one(names, tmp_path):
    """Hands that are shown stand in the summary, by seat and name."""
    deal, state = deal_hand(HULHE, random.Random(3)), TREE.parse("cc/cc/cc/cc")
    with HandLog(tmp_path / "x.txt", HULHE, ("first", "second")) as log:
        log.write(HandRecord.of(deal, state), 0)
    text = (tmp_path / "x.txt").read_text().replace("first", names[0]).replace("second", names[1])
    [hand] = read(tmp_path, text)
    assert hand.seen.hands == deal.hands


def test_what_was_written_is_read_back(tmp_path):
    rng, records = random.Random(5), []
    with HandLog(tmp_path / "x.txt", HULHE, ("ann", "bob")) as log:
        for number in range(300):
            deal, state = deal_hand(HULHE, rng), TREE.root
            while not state.is_over:
                state = state.act(rng.choice([each for each in state.legal if each != "f" or rng.random() < 0.4]))
            records.append(HandRecord.of(deal, state))
            log.write(records[-1], number % 2)
    found = list(read_log(tmp_path / "x.txt", TREE))
    assert [each.seen.state.line_string for each in found] == [each.state.line_string for each in records]
    assert len({each.number for each in found}) == 300
    for number, (each, record) in enumerate(zip(found, records, strict=True)):
        assert each.players == (("ann", "bob") if number % 2 == 0 else ("bob", "ann"))
        assert each.seen.board == record.deal.board[: record.state.num_board_cards]
        assert each.seen.chips == record.chips
        hidden = None if record.state.at_showdown else 1 - number % 2
        for seat, hand in enumerate(each.seen.hands):
            assert hand == (() if seat == hidden else record.deal.hands[seat])
    shown = {each.seen.state.at_showdown for each in found}
    assert shown == {True, False}


def test_a_hand_of_the_card_room(tmp_path):
    (hand,) = read(tmp_path, "Transcript of a session\n\n" + HAND)
    assert (hand.number, hand.players) == (20155674902, ("a: b (hero)", "villain"))
    assert hand.seen.state.line_string == "rc/crrc/rc/cc"
    assert [format_cards(each) for each in hand.seen.hands] == ["Td9d", "AhKd"]
    assert format_cards(hand.seen.board) == "2c7d9hJs3c"
    assert hand.seen.chips == (60, -60)
    two = read(tmp_path, HAND + "\n\n\n" + HAND.replace("#20155674902", "#7").replace("$", "\u20ac"))
    assert [each.number for each in two] == [20155674902, 7]


@pytest.mark.parametrize(
    ("old", "new", "error", "said"),
    [
        ("Hold'em Limit", "Hold'em No Limit", BadInputError, "expected Hold'em Limit"),
        ("Hold'em Limit", "Omaha Hi/Lo Limit", BadInputError, "expected Hold'em Limit"),
        ("/$1.00", "/$1.50", BadInputError, "bets of 0.5 and 1.5; expected the proportions of hulhe, 10 and 20"),
        ("small blind $0.25", "small blind $0.50", BadInputError, "blinds 0.5 and 0.5; expected 0.25"),
        ("*** HOLE", "a: b (hero): posts the ante $0.05\n*** HOLE", BadInputError, "expected a small blind, a big"),
        ("villain: posts small", "Seat 3: c ($9 in chips)\nvillain: posts small", BadInputError, "3 players"),
        (
            "calls $1\n",
            "calls $0.40 and is all-in\n",
            BadInputError,
            "expected a call of 1; this game has no all-in",
        ),
        ("bets $0.50", "bets $0.45 and is all-in", BadInputError, "a bet of 0.45; expected 0.5"),
        ("villain: bets $0.50", "villain: calls $0.50", MalformedTextError, "expected checks"),
        ("villain: checks\n", "", MalformedTextError, "the hand is not over"),
        ("a: b (hero): calls $0.50\n", "a: b (hero): folds\n", MalformedTextError, "cards; expected 0"),
        ("[2c 7d 9h]\na", "[Td 7d 9h]\na", MalformedTextError, "is not the board so far, Td7d9h"),
        ("[2c 7d 9h] [Js]", "[2c 7d 9h] [Td]", MalformedTextError, "is not the board so far"),
        ("Board [2c 7d 9h Js 3c]", "Board [2c 7d 9h Js 3d]", MalformedTextError, "is not the board so far"),
        ("a: b (hero) collected", "villain collected", MalformedTextError, "collected what the other player won"),
        ("mucked [Ah Kd]", "mucked [Ah Kx]", MalformedTextError, "Kx"),
    ],
)
def test_refusals_are_one_line_that_names_the_hand(tmp_path, old, new, error, said):
    assert old in HAND
    with pytest.raises(CfrError) as caught:
        read(tmp_path, HAND.replace(old, new, 1))
    assert issubclass(caught.type, error)
    message = str(caught.value)
    assert said in message
    assert "\n" not in message
    assert re.match(rf"{tmp_path}/x.txt: line \d+: hand 20155674902: ", message)


def test_other_texts_and_games_are_refused(tmp_path):
    with pytest.raises(MalformedTextError, match="no hand of PokerStars"):
        read(tmp_path, "a shopping list\n")
    (tmp_path / "x.txt").write_text(HAND)
    with pytest.raises(BadInputError, match="leduc"):
        list(read_log(tmp_path / "x.txt", BettingTree(Game.bundled("leduc"))))
    five = HAND.replace("villain: calls $0.50", "villain: raises $0.50 to $1.50\n" * 4, 1)
    with pytest.raises(CfrError, match="hand 20155674902"):
        read(tmp_path, five)


def test_pokerstars_text():
    time = datetime(2026, 7, 4, 16, 5, 9, tzinfo=UTC)
    text = hand_text(record_of("rc/crc/cc/crc"), 77, ("ann", "bob"), 1, time)
    assert text.splitlines() == [
        "PokerStars Hand #77:  Hold'em Limit ($10/$20 USD) - 2026/07/04 12:05:09 ET",
        "Table 'hulhe' 2-max Seat #1 is the button",
        "Seat 1: bob ($1000 in chips)",
        "Seat 2: ann ($1000 in chips)",
        "bob: posts small blind $5",
        "ann: posts big blind $10",
        "*** HOLE CARDS ***",
        "Dealt to bob [Ks Kh]",
        "bob: raises $10 to $20",
        "ann: calls $10",
        "*** FLOP *** [2c 7d 9h]",
        "ann: checks",
        "bob: bets $10",
        "ann: calls $10",
        "*** TURN *** [2c 7d 9h] [Js]",
        "ann: checks",
        "bob: checks",
        "*** RIVER *** [2c 7d 9h Js] [3c]",
        "ann: checks",
        "bob: bets $20",
        "ann: calls $20",
        "*** SHOW DOWN ***",
        "bob: shows [Ks Kh] (pair)",
        "ann: shows [As Ah] (pair)",
        "ann collected $100 from pot",
        "*** SUMMARY ***",
        "Total pot $100 | Rake $0",
        "Board [2c 7d 9h Js 3c]",
        "Seat 1: bob (button) (small blind) showed [Ks Kh] and lost with pair",
        "Seat 2: ann (big blind) showed [As Ah] and won ($100) with pair",
    ]


def test_pokerstars_text_of_a_fold_and_of_a_tie():
    now = datetime.now(UTC)
    lines = hand_text(record_of("rrc/rf"), 1, ("ann", "bob"), 0, now).splitlines()
    assert lines[-8:] == [
        "Uncalled bet ($10) returned to ann",
        "ann collected $60 from pot",
        "ann: doesn't show hand",
        "*** SUMMARY ***",
        "Total pot $60 | Rake $0",
        "Board [2c 7d 9h]",
        "Seat 1: ann (big blind) collected ($60)",
        "Seat 2: bob (button) (small blind) folded on the Flop",
    ]
    tie = Deal((parse_cards("AsAh"), parse_cards("AcAd")), DEAL.board)
    lines = hand_text(record_of("cc/cc/cc/cc", tie), 1, ("ann", "bob"), 0, now).splitlines()
    assert [line for line in lines if "collected" in line] == [
        "ann collected $10 from pot",
        "bob collected $10 from pot",
    ]
    assert lines[-2].endswith("showed [As Ah] and won ($10) with pair")


@pytest.mark.filterwarnings("ignore:The field 'time_zone_abbreviation'")  # PokerKit's own
def test_pokerkit_reads_pokerstars_text(tmp_path):
    """Its parser is for no limit, and finds amounts instead of knowing them."""
    records = write(tmp_path / "x.txt", random_records(200, 9))
    text = (tmp_path / "x.txt").read_text().replace("Hold'em Limit", "Hold'em No Limit")
    assert len(set(re.findall(r"Hand #(\d+)", text))) == 200
    parsed = list(pokerkit.HandHistory.from_pokerstars(text, error_status=True))
    assert len(parsed) == 200
    for number, (history, record, block) in enumerate(zip(parsed, records, text.split("\n\n\n")[:200], strict=True)):
        won = dict(zip(("first", "second") if number % 2 == 0 else ("second", "first"), record.chips, strict=True))
        *_, last = history
        assert dict(zip(history.players, last.payoffs, strict=True)) == won
        pot = 2 * min(record.state.stakes)
        collected = {name: int(chips) for name, chips in re.findall(r"^(\w+) collected \$(\d+)", block, re.MULTILINE)}
        assert sum(collected.values()) == pot
        assert {name: collected.get(name, 0) - pot // 2 for name in won} == won


@pytest.mark.parametrize(
    ("line", "first"),
    [("cc/cc/cc/cc", 0), ("cc/cc/cc/rc", 0), ("cc/cc/cc/crc", 1), ("rc/crc/crc/rrc", 1), ("cc/cc/crc/cc", 0)],
)
def test_who_shows_first(line, first):
    assert show_order(TREE.parse(line)) == (first, 1 - first)
