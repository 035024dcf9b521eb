"""The ACPC's text: states and logs read back, packets do not matter, and any other text is refused in one line."""

import random
import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cfr.formats import acpc
from cfr.formats.acpc import MatchState, parse_state, state_line
from cfr.formats.logs import read_log, read_text
from cfr.formats.skipped import Omissions
from cfr.game.betting import BettingTree
from cfr.game.cards import format_cards, parse_cards
from cfr.game.hand import deal_hand, showdown_winner
from cfr.game.rules import Game
from cfr.play.acpc.wire import LineBuffer
from cfr.system.errors import BadInputError, CfrError, IllegalActionError, MalformedTextError
from tests.formats.records import check_a_log_is_read_or_refused, damaged, random_records
from tests.play.test_acpc_client import table_text

HULHE = Game.bundled("hulhe")
TREE = BettingTree(HULHE)
LOG = "\n".join(state_line(each, n, ("a", "b")) for n, each in enumerate(random_records(4, 10))) + "\nSCORE:0|0:a|b\n"


@pytest.mark.parametrize(
    ("line", "error", "what"),
    [
        ("MATCHSTATE:2:0::AsKh|", MalformedTextError, "expected MATCHSTATE"),
        ("MATCHSTATE:0:x::AsKh|", MalformedTextError, "expected MATCHSTATE"),
        ("MATCHSTATE:0:0::AsKh|:r", MalformedTextError, "expected MATCHSTATE"),
        (" MATCHSTATE:0:0::AsKh|", MalformedTextError, "expected MATCHSTATE"),
        ("MATCHSTATE:0:0::|AsKh", MalformedTextError, "position 0 does not see its own cards"),
        ("MATCHSTATE:0:0::AsKh", MalformedTextError, "expected hands and board"),
        ("MATCHSTATE:0:0::ask|", MalformedTextError, "expected hands and board"),
        ("MATCHSTATE:0:0::AsAs|", MalformedTextError, "is there twice"),
        ("MATCHSTATE:0:0::AsKh|KhQd", MalformedTextError, "a card is there twice"),
        ("MATCHSTATE:0:0::As|", BadInputError, "1 in position 0; expected 2 or none"),
        ("MATCHSTATE:0:0:cc/:AsKh|", BadInputError, r"board of \[\] cards; after 'cc/' expected \[3\]"),
        ("MATCHSTATE:0:0::AsKh|/2c3c4c", BadInputError, r"board of \[3\] cards"),
        ("MATCHSTATE:0:0:cc/cc/:AsKh|/2c3c/4c5c", BadInputError, r"board of \[2, 2\] cards"),
        ("MATCHSTATE:0:0:rrrr:AsKh|", IllegalActionError, "position 4"),
        ("MATCHSTATE:0:0:c/c:AsKh|", MalformedTextError, "does not end a round"),
    ],
)
def test_lines_that_are_none(line, error, what):
    with pytest.raises(error, match=what):
        MatchState.parse(line, TREE)


def test_cards_of_another_deck():
    with pytest.raises(BadInputError, match="2c not in the deck of leduc"):
        MatchState.parse("MATCHSTATE:0:0::2c|", BettingTree(Game.bundled("leduc")))


def test_the_protocol_s_own_example():
    said = MatchState.parse("MATCHSTATE:0:30:rc/rc/cc/crc:TdAs|8hTc/2c8c3h/9c/Kh", TREE)
    assert (said.position, said.number) == (0, 30)
    assert [format_cards(hand) for hand in said.seen.hands] == ["TdAs", "8hTc"]
    assert format_cards(said.seen.board) == "2c8c3h9cKh"
    assert said.seen.chips == (-50, 50)


@st.composite
def states(draw):
    """A random point of a random hand, as a line, with its parts."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    deal, state = deal_hand(HULHE, rng), TREE.root
    for _ in range(draw(st.integers(0, 24))):
        if not state.is_over:
            state = state.act(rng.choice(state.legal.replace("f", "cccf")))
    position = draw(st.integers(0, 1))
    number = draw(st.integers(0, 2**32 - 1))
    line = f"MATCHSTATE:{position}:{number}:{state.line_string}:{table_text(deal, state, position)}"
    return line, position, number, deal, state


def check_a_state_reads_back(case):
    line, position, number, deal, state = case
    said = MatchState.parse(line, TREE)
    assert (said.line, said.position, said.number, said.seen.state) == (line, position, number, state)
    assert said.seen.hands[position] == deal.hands[position]
    assert said.seen.hands[1 - position] == (deal.hands[1 - position] if state.at_showdown else ())
    assert said.seen.board == deal.board[: state.num_board_cards]
    if state.is_over:
        assert said.seen.chips == state.payoff(showdown_winner(state, deal))


def check_only_known_errors(line):
    try:
        said = MatchState.parse(line, TREE)
    except CfrError as error:
        assert "\n" not in str(error)
        return
    # What it accepts is a state that the dealer could send.
    assert said.line == line
    assert TREE.parse(line.split(":")[3]) == said.seen.state
    assert len(said.seen.hands[said.position]) == 2
    assert len(said.seen.board) == said.seen.state.num_board_cards


def edits():
    """State lines with a few characters taken out, put in or exchanged."""
    edit = st.tuples(st.floats(0, 1), st.sampled_from(["", ":", "|", "/", "r", "f", "As", "K", "0", "\x00", "é"]))

    def apply(case, changes):
        text = case[0]
        for place, new in changes:
            where = int(place * len(text))
            text = text[:where] + new + text[where + 1 :]
        return text

    return st.builds(apply, states(), st.lists(edit, max_size=4))


ANY_LINE = st.text() | edits() | st.from_regex(r"MATCHSTATE:[01]:\d*:[fcr/]*:([2-9TJQKA][cdhs]|[|/])*", fullmatch=True)


@given(states())
def test_states_read_back(case):
    check_a_state_reads_back(case)


@given(ANY_LINE)
@example("MATCHSTATE:0:٣::AsKh|")
@example("MATCHSTATE:0:0::AsKh|\n")
def test_any_line_is_read_or_refused(line):
    check_only_known_errors(line)


@pytest.mark.slow
@settings(max_examples=100_000, deadline=None, database=None)
@given(ANY_LINE)
def test_100_000_lines_are_read_or_refused(line):
    check_only_known_errors(line)


@given(st.lists(st.binary(max_size=20) | st.just(b"#c\r\n") | st.just(b"MATCHSTATE:0:0::\r\n")), st.data())
def test_packets_do_not_matter(parts, data):
    stream = b"".join(parts)
    whole, pieces = LineBuffer(), LineBuffer()
    expected = list(whole.feed(stream))
    found = []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        found += pieces.feed(stream[:size])
        stream = stream[size:]
    assert found == expected
    assert pieces.is_empty == whole.is_empty
    for line in expected:
        assert line
        assert line[0] not in "#;"


def test_a_log_of_the_dealer_is_read(tmp_path):
    """Values have decimals there, comments come first, and who folds may not have been seen."""
    path = tmp_path / "x.log"
    path.write_text(
        "# name/game/hands/seed m holdem.limit.2p.reverse_blinds.game 3 1\n#--t_response 600000\n\n"
        "STATE:0:rf:AsAh|KsKh:-10.000000|10:x|y\r\nSTATE:1:f:|AsAh:5|-5:y|x\n"
        "STATE:2:cc/cc/cc/cc:AsAh|/2c7d9h/Js/3c:-10|10:x|y\nSCORE:-15|15:x|y\n"
    )
    hands = list(read_log(path, TREE))
    assert [hand.seen.chips for hand in hands] == [(-10, 10), (5, -5), None]
    assert [hand.number for hand in hands] == [0, 1, 2]
    assert hands[1].seen.hands == ((), parse_cards("AsAh"))


@pytest.mark.parametrize(
    ("line", "error", "what"),
    [
        ("hello", MalformedTextError, "line 2: 'hello'; expected STATE"),
        ("STATE:1:rf:AsAh|KsKh:-10|10:a", MalformedTextError, "expected STATE"),
        ("STATE:1:rf:AsAh|KsKh:-10|10:a|b:c", MalformedTextError, "expected STATE"),
        ("STATE:1:rc/:AsAh|KsKh/2c7d9h:-10|10:a|b", MalformedTextError, "the hand is not over"),
        ("STATE:1:rf:AsAh|KsKh:-20|20:a|b", MalformedTextError, r"chips -20\|20; the rules pay -10\|10"),
        ("STATE:1:rf:AsAh|KsAs:-10|10:a|b", MalformedTextError, "a card is there twice"),
        ("STATE:1:rrrrf:AsAh|KsKh:-10|10:a|b", IllegalActionError, "line 2: .*position 4"),
        ("SCORE:1|-1:a", MalformedTextError, "SCORE"),
    ],
)
def test_bad_acpc_logs(line, error, what, tmp_path):
    path = tmp_path / "x.log"
    path.write_text(f"# c\n{line}\n")
    with pytest.raises(error, match=what) as caught:
        list(read_log(path, TREE))
    assert str(caught.value).startswith(f"{path}: line 2: ")


@settings(max_examples=300)
@given(st.text() | damaged(LOG))
def test_any_text_is_a_log_or_refused(tmp_path_factory, text):
    check_a_log_is_read_or_refused(tmp_path_factory.mktemp("logs"), text, ".log")


@pytest.mark.slow
@settings(max_examples=100_000, deadline=None, database=None)
@given(damaged(LOG))
def test_100_000_logs_are_read_or_refused(tmp_path_factory, text):
    check_a_log_is_read_or_refused(tmp_path_factory.getbasetemp(), text, ".log")


def test_chips_say_who_won_where_the_cards_do_not():
    tree = BettingTree(Game.bundled("hulhe"))
    line = "STATE:1:cc/cc/cc/cc:{}/2c7d9h/Js/3c:{}:ann|bob"
    for cards, chips, won in [
        ("AsAh|", "10|-10", None),  # the hand that is shown won: nothing else is said
        ("AsAh|", "-10|10", (-10, 10)),
        ("|", "-10|10", (-10, 10)),
        ("|", "0|0", (0, 0)),
    ]:
        hand = parse_state(line.format(cards, chips), tree)
        assert hand.won == won
        assert hand.chips == tuple(map(int, chips.split("|")))
    with pytest.raises(MalformedTextError, match=re.escape("chips 5|-5; the rules pay 10|-10 or -10|10 or 0|0")):
        parse_state(line.format("AsAh|", "5|-5"), tree)


def test_what_is_odd_about_a_line_has_a_reason():
    hand = "STATE:0:rc/crf:9h8h|AsKd/Kc7h2d:-20|20:Bob|Ann\n"
    for line, reason in (
        ("STATE:1:r200c/r500f:9h8h|AsKd/Kc7h2d:-20|20:Bob|Ann\n", "not limit hold'em"),
        ("STATE:1:rfc/cc/cc/cc:9h8h|AsKd|2c3c/Kc7h2d/5s/Tc:-10|20|-10:Bob|Ann|Cy\n", "not two players"),
        ("STATE:1:rc/c:9h8h|AsKd/Kc7h2d:0|0:Bob|Ann\n", "cut off"),
        (hand[:30], "cut off"),
        (hand[:30] + "\n", "not understood"),
    ):
        omissions = Omissions()
        assert len(list(acpc.read_log([hand, line], TREE, omissions))) == 1
        assert list(omissions.reasons) == [reason], line


def test_what_players_answer_is_no_state():
    lines = [
        "MATCHSTATE:1:99999999999::|9h8h\n",
        "MATCHSTATE:1:99999999999::|9h8h:r\n",
        "MATCHSTATE:1:99999999999:rf:|9h8h",
    ]
    [hand] = acpc.read_log(lines, TREE)
    assert (hand.number, hand.seen.state.line_string) == (99999999999, "rf")


def test_the_text_says_of_which_format_it_is():
    hand = "STATE:0:rc/crf:9h8h|AsKd/Kc7h2d:-20|20:Bob|Ann\n"
    room = (Path(__file__).parent / "cases" / "two-heroes.txt").read_text("utf-8")
    for name in ("x.log", "x.txt", "x.xml", "x.phh", "x.phhs"):
        assert len(list(read_text(hand, name, TREE))) == 1
        assert len(list(read_text(room, name, TREE))) == 2
    for text, line in ((hand + room, 1), (room + hand, room.count("\n") + 1)):
        omissions = Omissions()
        assert len(list(read_text(text, "x.txt", TREE, omissions))) == 2
        [skipped] = omissions.skipped
        assert (
            skipped.line,
            skipped.said.endswith("a line of an ACPC log among hands of card rooms; expected a .log"),
        ) == (
            line,
            True,
        )
