"""Positions: what they answer, what they keep, and where they lead."""

import numpy as np
import pytest

import cfr
from cfr.game.cards import parse_cards
from cfr.strategy.files.spot_file import SpotStrategy

BOARD, LINE = "Td9d6h2c", "rrc/crc/r"
HANDS = ("AsKh", "AKs", "7c7h")


class Counted(cfr.Strategy):
    """The supplied strategy; counts its questions about all hands, by line and board."""

    def __init__(self):
        super().__init__("small")
        self.asked = []

    def all_hands(self, state, board):
        self.asked.append((state.line_string, tuple(board)))
        return super().all_hands(state, board)


@pytest.fixture(scope="module")
def opened():
    with Counted() as strategy:
        yield strategy


@pytest.fixture
def strategy(opened):
    opened.asked.clear()
    return opened


def by_the_definition(strategy, position, seat):
    """The reach, multiplied along the line without a position."""
    board = position.board
    reach, state = strategy.game.live(board).astype(float), strategy.betting.root
    for letter in position.state.line_string.replace("/", ""):
        if state.actor == seat:
            reach = reach * strategy.all_hands(state, board[: state.num_board_cards])[:, "fcr".index(letter)]
        state = state.act(letter)
    return reach


def test_a_position_answers_what_its_strategy_does(strategy):
    position = strategy.at(BOARD, LINE)
    for hand in HANDS:
        assert position.probabilities(hand) == strategy.probabilities(hand, BOARD, LINE)
    for seat in (0, 1):
        np.testing.assert_array_equal(position.reach(seat), by_the_definition(strategy, position, seat))
        mine, its = position.range(seat), strategy.range(BOARD, LINE, seat)
        np.testing.assert_array_equal(mine.reach, its.reach)
        np.testing.assert_array_equal(mine.frequencies, its.frequencies)
        assert (mine.spot, mine.legal) == (its.spot, its.legal)
    for hand in strategy.game.hands[::200].tolist():
        number = strategy.game.hand_number(tuple(hand))
        assert position.reach_of(hand) == pytest.approx(position.reach(position.state.actor)[number], abs=1e-15)


def test_a_state_and_cards_are_a_spot_too(strategy):
    position, state = strategy.at(BOARD, LINE), strategy.betting.parse(LINE)
    again = strategy.at(state, parse_cards(BOARD))
    assert (again.state, again.board) == (position.state, position.board)
    np.testing.assert_array_equal(again.reach(0), position.reach(0))


def test_actions_and_cards_lead_to_the_spot_itself(strategy):
    root = strategy.at()
    flop = root.act("r").act("r").act("c").deal("Td9d6h")
    position = flop.act("c").act("r").act("c").deal(parse_cards("2c")).act("r")
    asked = strategy.at(BOARD, LINE)
    assert (position.state, position.board) == (asked.state, asked.board)
    for seat in (0, 1):
        np.testing.assert_array_equal(position.reach(seat), asked.reach(seat))
    assert position.way[0] is root
    assert root.before is None
    assert asked.before.state == strategy.betting.parse("rrc/crc/")


def test_everything_is_asked_once(strategy):
    position = strategy.at(BOARD, LINE)
    for _ in range(2):
        for seat in (0, 1):
            position.reach(seat)
            position.range(seat)
    raised = position.children["r"]
    raised.reach(0)
    raised.range()
    assert position.children["r"] is raised
    assert len(strategy.asked) == len(set(strategy.asked))
    assert {line for line, _ in strategy.asked} == {each.state.line_string for each in raised.way}


def test_what_is_kept_cannot_be_written_to_and_what_is_given_can(strategy):
    position = strategy.at(BOARD, LINE)
    for kept in (position.reach(0), position.frequencies, position.live):
        with pytest.raises(ValueError, match="read-only"):
            kept[0] = 1
    given = position.range()
    given.reach[:] = given.frequencies[:] = given.live[:] = 0
    assert position.reach(position.state.actor).any()
    assert position.frequencies.any()


def test_a_hand_that_is_over_and_a_card_that_is_due_are_said(strategy):
    flop = strategy.at("Td9d6h", "rrc/cr")
    assert flop.act("f").reach(0).any()
    with pytest.raises(cfr.BadInputError, match="the hand is over"):
        flop.act("f").range()
    with pytest.raises(cfr.BadInputError, match="cards of the board are due: 1"):
        flop.act("c").probabilities("AsKh")
    with pytest.raises(cfr.BadInputError, match="2, but 1 are due"):
        flop.act("c").deal("2c3c")
    with pytest.raises(cfr.BadInputError, match="each of them once"):
        flop.act("c").deal("Td")
    with pytest.raises(cfr.BadInputError, match="0 are due"):
        flop.deal("2c")
    with pytest.raises(cfr.IllegalActionError):
        strategy.at("Td9d6h", "rrc/").act("f")
    with pytest.raises(cfr.BadInputError, match="seat: 2"):
        flop.range(2)


def test_an_action_may_be_a_word(strategy):
    facing = strategy.at("Td9d6h", "rrc/cr")
    for line, words in (
        ("rrc/crf", ("f", "fold", "F")),
        ("rrc/crc/", ("c", "call", " Call ")),
        ("rrc/crr", ("r", "raise", "R", "b")),
    ):
        assert {facing.act(word).state.line_string for word in words} == {line}
    assert strategy.at("Td9d6h", "rrc/").act("check").state.line_string == "rrc/c"
    for word in ("check", "rr", "", "shove"):
        with pytest.raises(cfr.IllegalActionError, match="legal are f, c, r"):
            facing.act(word)


def test_a_position_shows_itself(strategy):
    assert repr(strategy.at(BOARD, LINE)) == f"<Position of {strategy.path}: {strategy.range(BOARD, LINE).spot}>"
    assert "'f'" in repr(strategy.at().act("f"))
    assert "<" in strategy.at(BOARD, LINE)._repr_html_()


def test_a_presumed_range_is_one_where_nobody_gets_there():
    strategy = cfr.BuiltIn("always-call")
    position = strategy.at("Td9d6h", "rc/")
    button = strategy.game.button
    assert not position.reach(button).any()
    np.testing.assert_array_equal(position.presumed(button), strategy.game.live(position.board))
    np.testing.assert_array_equal(position.range(button).presumed, position.presumed(button))


def test_a_solved_spot_begins_where_it_was_solved():
    solved = cfr.solve_spot(
        "AsKd7h4c2s", "cc/cc/cc/", button="AA,KK", big_blind="QQ,AK", iterations=2, threads=1
    ).strategy
    assert isinstance(solved, SpotStrategy)
    position = solved.at().act("c")
    assert [each.state.line_string for each in position.way] == ["cc/cc/cc/", "cc/cc/cc/c"]
    np.testing.assert_array_equal(solved.at().reach(0), solved.spot_.ranges[0])
    with pytest.raises(cfr.BadInputError, match="in neither range"):
        position.probabilities("9c9d")
    for here, mine, other, seat in ((position, "KcKh", "QcQh", "button"), (solved.at(), "QcQh", "KcKh", "big blind")):
        assert here.probabilities(mine).keys() == {"call", "raise"}
        with pytest.raises(cfr.BadInputError, match=f"hand '{other}': not in the {seat}'s range of the solved spot"):
            here.probabilities(other)
    elsewhere = solved.at(solved.betting.parse("rc/cc/cc/"), position.board)
    for question in (lambda: elsewhere.reach(0), elsewhere.range, lambda: elsewhere.probabilities("QcQh")):
        with pytest.raises(cfr.BadInputError, match="only what follows"):
            question()


@pytest.mark.parametrize("line", ["rrc/crc/r", "cc/cc/rrc/", "r", ""])
def test_a_round_starts_where_its_text_says(line):
    state = cfr.BuiltIn("uniform").betting.parse(line)
    assert state.round_start().line_string == state.line_string.rpartition("/")[0] + "/" * (state.round > 0)
    for round_ in range(state.round + 1):
        start = "".join(f"{each}/" for each in state.line_string.split("/")[:round_])
        found = state.tree.parse(start)
        assert state.round_start(round_) == found == state.tree.entry(round_, found.line)
