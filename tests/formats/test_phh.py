"""PHH by other hands than ours: what the format allows is read, and anything else is refused in one line."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cfr.formats import phh
from cfr.formats.logs import read_log, read_text
from cfr.formats.skipped import Omissions
from cfr.game.betting import BettingTree
from cfr.game.cards import parse_cards
from cfr.game.rules import Game
from cfr.system.errors import BadInputError, IllegalActionError, MalformedTextError
from tests.formats.records import check_a_log_is_read_or_refused, damaged, random_records

TREE = BettingTree(Game.bundled("hulhe"))
HISTORY = """variant = 'FT'
antes = [0, 0]
blinds_or_straddles = [5, 10]
small_bet = 10
big_bet = 20
starting_stacks = [inf, inf]
actions = [{}]
"""


def read_history(folder, actions, text=HISTORY):
    path = folder / "x.phh"
    path.write_text(text.format(", ".join(f"'{action}'" for action in actions)))
    return next(read_log(path, TREE))


def test_a_history_by_somebody_else(tmp_path):
    actions = ["d dh p1 ????", "d dh p2 KsKh # kings", "", "# a pause", " p2  cbr 20", "p1 cbr 30.0", "p2 cc"]
    hand = read_history(tmp_path, [*actions, "d db 2c7d9h", "p1 cc"])
    assert hand.number == 1
    assert hand.players == ("p1", "p2")
    assert hand.seen.state.line_string == "rrc/c"
    assert hand.seen.hands == ((), parse_cards("KsKh"))
    assert hand.seen.chips is None
    assert read_history(tmp_path, [*actions, "p1 sm AsAh"]).seen.hands == (parse_cards("AsAh"), parse_cards("KsKh"))
    assert read_history(tmp_path, [*actions, "p1 sm -", "p2 sm"]).seen.hands == ((), parse_cards("KsKh"))
    text = HISTORY.replace("[5, 10]", "[0.5, 1.0]").replace("= 10", "= 1.00").replace("= 20", "= 2")
    assert read_history(tmp_path, ["p2 cbr 2.00", "p1 cbr 3"], text + "hand = 9\nodd = 1\n").number == 9


def test_a_hand_for_more_than_the_stacks_is_refused(tmp_path):
    actions = ["p2 cbr 20", "p1 cc", "d db 2c7d9h", "p1 cbr 10", "p2 f"]
    assert read_history(tmp_path, actions).seen.chips == (20, -20)
    short = re.sub(r"starting_stacks = .*", "starting_stacks = [25, 200]", HISTORY)
    assert short != HISTORY
    with pytest.raises(BadInputError, match="p1 has 25 and puts 30 in; this game has no all-in"):
        read_history(tmp_path, actions, short)


@pytest.mark.parametrize(
    ("actions", "error", "what"),
    [
        (["p1 cc"], MalformedTextError, "hand 1: action 'p1 cc': expected p2 to act"),
        (["p3 cc"], MalformedTextError, "no action of limit hold'em for two"),
        (["p2 cbr 30"], MalformedTextError, "a bet of 30; expected 20"),
        (["p2 cbr x"], MalformedTextError, "'x' is no amount; expected 20"),
        (["p2 cbr 20/0"], MalformedTextError, "is no amount"),
        (["p2 cbr inf"], MalformedTextError, "is no amount"),
        (["p2 f", "p1 cc"], MalformedTextError, "the hand is over"),
        (["p2 cc", "p1 cc", "p1 cc"], MalformedTextError, "0 cards on the board; expected 3"),
        (["p2 cc", "p1 cc", "d db 2c3c"], MalformedTextError, "2 cards; expected 3"),
        (["p2 cc", "p1 cc", "d db ??????"], MalformedTextError, "is not a rank"),
        (["d db 2c3c4c"], MalformedTextError, "3 cards; expected 0"),
        (["d dh p1 As"], MalformedTextError, "1 card; expected 2"),
        (["d dh p1 AsAh", "d dh p2 AsKh"], MalformedTextError, "AsAhAsKh: a card is there twice"),
        (["d dh p1 AsAh", "p1 sm KsKh"], MalformedTextError, "p1 holds AsAh"),
        (["p2 cbr 20", "p1 cbr 30", "p2 cbr 40", "p1 cbr 50"], IllegalActionError, "legal are f, c"),
        (["p2 sd"], MalformedTextError, "no action of limit hold'em"),
    ],
)
def test_bad_histories(actions, error, what, tmp_path):
    with pytest.raises(error, match=what):
        read_history(tmp_path, actions)


@pytest.mark.parametrize(
    ("old", "new", "error", "what"),
    [
        ("'FT'", "'NT'", BadInputError, "variant 'NT'; expected FT"),
        ("[5, 10]", "[5, 10, 0]", BadInputError, "3 blinds"),
        ("[0, 0]", "[1, 1]", BadInputError, "expected two players without antes"),
        ("[5, 10]", "[10, 5]", BadInputError, r"the button \(p2\) posts the big blind"),
        ("[5, 10]", "['a', 10]", MalformedTextError, "expected a (list of two )?number"),
        ("[5, 10]", "7", MalformedTextError, "expected a (list of two )?number"),
        ("= 20", "= inf", MalformedTextError, "hand history|expected a number"),
        ("= 10", "= 0", BadInputError, "expected the proportions"),
        ("variant", "vary", MalformedTextError, "no hand history of limit hold'em"),
        ("actions = [{}]", "actions = 3", MalformedTextError, "expected a list"),
        ("actions = [{}]", "actions = inf", MalformedTextError, "actions infinity; expected a list"),
        ("'FT'", "nan", BadInputError, "variant nan; expected FT"),
        ("actions", "act ions", MalformedTextError, "no hand history of limit hold'em"),
    ],
)
def test_histories_of_other_games(old, new, error, what, tmp_path):
    with pytest.raises(error, match=what):
        read_history(tmp_path, ["p2 cc"], HISTORY.replace(old, new))


@pytest.mark.parametrize("many", [False, True])
def test_fields_that_are_missing_are_named(many, tmp_path):
    path = tmp_path / ("x.phhs" if many else "x.phh")
    lines = HISTORY.format("'p2 f'").splitlines()
    for field in ("variant", "antes", "starting_stacks", "actions"):
        kept = [line for line in lines if not line.startswith((field, "starting_stacks"))]
        path.write_text("\n".join(["[1]"] * many + kept))
        lacking = ", ".join(dict.fromkeys(sorted([field, "starting_stacks"], key=HISTORY.index)))
        with pytest.raises(MalformedTextError) as error:
            list(read_log(path, TREE))
        assert str(error.value).endswith(f"no hand history of limit hold'em: it lacks {lacking}")


def one_hand(text, name="x.phh"):
    [hand] = read_text(text, name, TREE)
    return hand


def test_cards_may_come_one_by_one():
    actions = "'d dh p1 9h8h', 'd dh p2 AsKd', 'p2 cbr 20', 'p1 cc', 'd db Kc7h2d', 'p1 cbr 10', 'p2 f'"
    whole = one_hand(HISTORY.format(actions))
    single = actions.replace("'d dh p1 9h8h', 'd dh p2 AsKd'", "'d dh p1 9h', 'd dh p2 As', 'd dh p1 8h', 'd dh p2 Kd'")
    single = single.replace("'d db Kc7h2d'", "'d db Kc', 'd db 7h', 'd db 2d'")
    assert one_hand(HISTORY.format(single)) == whole
    for missing, said in (("'d db 2d', ", "2 cards; expected 3"), ("'d dh p2 Kd', ", "1 card; expected 2")):
        with pytest.raises(MalformedTextError, match=said):
            one_hand(HISTORY.format(single.replace(missing, "")))


def test_the_text_says_whether_it_has_sections():
    text = HISTORY.format("'p2 f'")
    assert one_hand(text, "x.phhs") == one_hand(f"[1]\n{text}", "x.phh") == one_hand(text)


def test_a_file_that_ends_in_its_last_hand():
    text = HISTORY.format("'p2 f'").rstrip("\n")
    omissions = Omissions()
    [_] = read_text(f"[1]\n{text}\n[2]\n{text[: text.index('p2 f')]}", "x.phhs", TREE, omissions)
    [skipped] = omissions.skipped
    assert (skipped.reason, skipped.hand) == ("cut off", "2")
    omissions = Omissions()
    list(read_text(f"[1]\n{text}\n[2]\nantes = 0\nantes 0\n[3]\n{text}\n", "x.phhs", TREE, omissions))
    line = text.count("\n") + 5  # of what is wrong, in the file
    assert f"(at line {line}, column 7)" in str(omissions.skipped[0])


def test_blanks_around_names_and_a_number_that_is_none():
    text = HISTORY.format("'p2 f'") + "\nplayers = ['Bob ', ' Ann']\nhand = true\n"
    hand = one_hand(text)
    assert (hand.players, hand.number) == (("Bob", "Ann"), 1)
    assert type(hand.number) is int
    assert one_hand(text.replace("Bob ", "Ann")).players == ("Ann", " Ann")


HISTORIES = "\n\n".join(f"[{n}]\n{phh.history(each, n, ('a', 'b'))}" for n, each in enumerate(random_records(3, 11)))
HUGE = "0x" + "f" * 5000


@given(st.text() | damaged(HISTORIES))
@example(HISTORIES.replace("small_bet = 10", "small_bet = 1e1000000000"))
@example(HISTORIES.replace("small_bet = 10", "small_bet = 1e-1000000000"))
@example(HISTORIES.replace("small_bet = 10", f"small_bet = {HUGE}"))
@example(HISTORIES.replace("antes = [0, 0]", f"antes = [{HUGE}, 0]"))
@example(HISTORIES.replace("actions = [", f"actions = [{HUGE}, "))
@example(HISTORIES.replace("variant = 'FT'", f"variant = {HUGE}"))
@example(HISTORIES.replace("hand = 1", f"hand = {HUGE}"))
@example(HISTORIES.replace("players = ['a', 'b']", f"players = [{HUGE}, 'b']"))
@example(HISTORIES.replace("cbr 20", "cbr 2e1000000000"))
@example("[1]\nactions = " + "[" * 5000)
@example("[1]\nparse_value = 1\nuser_defined_fields = 2\ncls = 3\n")
def test_any_text_is_a_history_or_refused(tmp_path_factory, text):
    check_a_log_is_read_or_refused(tmp_path_factory.mktemp("logs"), text, ".phhs")


@pytest.mark.slow
@settings(max_examples=100_000, deadline=None, database=None)
@given(damaged(HISTORIES))
def test_100_000_histories_are_read_or_refused(tmp_path_factory, text):
    check_a_log_is_read_or_refused(tmp_path_factory.getbasetemp(), text, ".phhs")
