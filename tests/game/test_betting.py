"""Betting lines: flat arrays and the states that walk them."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfr.game.betting import BettingTree
from cfr.game.rules import GAME_NAMES, Game
from cfr.system.errors import CfrError, IllegalActionError, MalformedTextError

HULHE = BettingTree(Game.bundled("hulhe"))


def test_hulhe_has_the_published_shape():
    shapes = [(r.num_nodes, r.node_actions, len(r.leaves)) for r in HULHE.rounds]
    assert shapes == [(8, 21, 7)] + [(10, 26, 9)] * 3
    assert HULHE.num_lines == (1, 7, 63, 567)


def walk(tree):
    """Walk every line; chips are counted by the rules, line numbers by the arrays."""
    seen = [set() for _ in tree.rounds]
    finished = 0
    waiting = [(tree.root, tree.game.blinds, 0)]
    while waiting:
        state, chips, raises = waiting.pop()
        current = tree.rounds[state.round]
        added = current.node_added[state.node] if state.outcome is None else current.outcome_added[state.outcome]
        assert state.stakes == chips
        assert tuple(added + tree.stakes[state.round][state.line]) == chips
        if state.is_over:
            finished += 1
            assert state.payoff(0)[0] == -state.payoff(0)[1]
            continue
        seen[state.round].add((state.node, state.line))
        assert tree.line_text(state.round, state.line) == "".join(
            part + "/" for part in state.line_string.split("/")[: state.round]
        )
        assert tree.parse(state.line_string) == state
        seat, game = state.actor, tree.game
        assert seat == current.actor[state.node]
        assert state.legal == "".join(a for a, to in zip("fcr", current.child[state.node], strict=True) if to != -1)
        assert ("f" in state.legal) == (chips[seat] < max(chips))
        assert ("r" in state.legal) == (raises < game.max_raises[state.round])
        for action in state.legal:
            after, level = state.act(action), max(chips)
            put_in = {"f": chips[seat], "c": level, "r": level + game.raise_sizes[state.round]}[action]
            paid = (put_in, chips[1]) if seat == 0 else (chips[0], put_in)
            count = 0 if after.round > state.round else raises + (action == "r")
            turn = state.line_string.rpartition("/")[2]
            ends = action == "f" or (
                action == "c" and turn != ""
            )  # the second to act calls, or the first calls a raise
            assert ends == (after.is_over or after.round > state.round)
            assert ends or after.actor == 1 - seat
            waiting.append((after, paid, count))
    assert [len(nodes) for nodes in seen] == [
        r.num_nodes * lines for r, lines in zip(tree.rounds, tree.num_lines, strict=True)
    ]
    last = tree.rounds[-1]
    assert finished == sum(
        (len(r.outcome_kind) - (len(r.leaves) if r is not last else 0)) * lines
        for r, lines in zip(tree.rounds, tree.num_lines, strict=True)
    )


@pytest.mark.parametrize("name", GAME_NAMES)
def test_states_and_arrays_agree(name):
    walk(BettingTree(Game.bundled(name)))


SMALL = st.tuples(st.integers(0, 2), st.integers(1, 5), st.integers(0, 1))  # cap, bet, first seat


@settings(max_examples=60, deadline=None)
@given(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(any), st.lists(SMALL, min_size=1, max_size=3))
def test_states_and_arrays_agree_whatever_the_rules(blinds, rounds):
    caps, sizes, first = zip(*rounds, strict=True)
    board = (0, *(1 for _ in rounds[1:]))
    walk(BettingTree(Game("any", blinds, sizes, first, caps, 4, 13, 1, board)))


def test_a_big_blind_that_acts_first_only_checks():
    tree = BettingTree(Game("turned", (10, 5), (10, 20), (0, 0), (3, 4), 4, 13, 2, (0, 3)))
    assert (tree.root.actor, tree.root.legal) == (0, "cr")
    state = tree.parse("c")
    assert (state.actor, state.legal, state.stakes) == (1, "fcr", (10, 5))
    assert tree.parse("cf").payoff(None) == (5, -5)
    assert tree.parse("cc/").stakes == (10, 10)


def test_the_seat_order_of_heads_up_holdem():
    """The small blind is the button: first before the flop, last after it."""
    state = HULHE.root
    assert (state.actor, state.legal, state.stakes) == (1, "fcr", (10, 5))
    state = state.act("c")
    assert (state.actor, state.legal, state.stakes) == (0, "cr", (10, 10))
    state = state.act("c")
    assert (state.round, state.actor, state.num_board_cards) == (1, 0, 3)
    assert state.act("r").actor == 1


def test_blinds_are_no_raise():
    state = HULHE.parse("rrr")
    assert (state.stakes, state.legal) == ((30, 40), "fc")


def test_payoffs():
    over = HULHE.parse("rf")
    assert (over.folded, over.payoff(None)) == (0, (-10, 10))
    shown = HULHE.parse("rc/cc/cc/rc")
    assert shown.at_showdown
    assert [shown.payoff(winner) for winner in (0, 1, None)] == [(40, -40), (-40, 40), (0, 0)]
    with pytest.raises(IllegalActionError, match="not over"):
        HULHE.root.payoff(0)


@pytest.mark.parametrize("text", ["rc", "rc/"])
def test_a_trailing_slash_may_be_left_out(text):
    assert HULHE.parse(text).line_string == "rc/"


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("x", MalformedTextError, "'x' at position 1"),
        ("R", MalformedTextError, "position 1"),
        ("/", MalformedTextError, "'/' at position 1 does not end a round"),
        ("r/c", MalformedTextError, "'/' at position 2 does not end a round"),
        ("rcc", MalformedTextError, "expected '/' at position 3"),
        ("rc//", MalformedTextError, "position 4"),
        ("rrrr", IllegalActionError, "at position 4, 'r' is illegal; legal are f, c"),
        ("rc/f", IllegalActionError, "at position 4, 'f' is illegal; legal are c, r"),
        ("fc", IllegalActionError, "the hand is over"),
    ],
)
def test_errors_name_the_position(text, error, says):
    with pytest.raises(error) as caught:
        HULHE.parse(text)
    assert says in str(caught.value)


@given(st.text("fcr/x", max_size=20))
def test_any_text_parses_or_is_refused_in_one_line(text):
    try:
        state = HULHE.parse(text)
    except CfrError as error:
        assert "\n" not in str(error)
    else:
        assert state.line_string.rstrip("/") == text.rstrip("/")


def test_a_round_without_raises():
    tree = BettingTree(Game("calm", (2, 1), (2, 4), (1, 0), (0, 0), 4, 13, 2, (0, 3)))
    assert [tree.parse(text).is_over for text in ("cc/", "cc/cc")] == [False, True]
    assert np.array_equal(tree.stakes[1], [2])


@pytest.mark.parametrize("name", ["kuhn", "leduc", "hulhe"])
def test_a_round_from_a_state_on(name):
    """All decisions of a round, each once, and the entries of the next one, from each state in which a round begins."""
    tree = BettingTree(Game.bundled(name))
    starts = [tree.root]
    for number, shared in enumerate(tree.rounds):
        assert [start.line for start in starts] == list(range(tree.num_lines[number]))
        start = starts[-1]
        found = [(state.round, state.line, state.node) for state in start.decisions()]
        assert sorted(found) == [(number, start.line, node) for node in range(shared.num_nodes)]
        by_seat = [list(start.decisions(seat)) for seat in (0, 1)]
        assert sorted(state.node for states in by_seat for state in states) == list(range(shared.num_nodes))
        assert all(state.actor == seat for seat, states in enumerate(by_seat) for state in states)
        starts = sorted((end for start in starts for end in start.entries()), key=lambda state: state.line)
    assert starts == []


def test_a_pickled_tree_does_not_grow_with_the_states_that_were_met():
    tree = BettingTree(Game.bundled("leduc"))
    before = len(pickle.dumps(tree))
    assert tree.root.act("r").act("c") is tree.root.act("r").act("c")
    assert len(pickle.dumps(tree)) == before
    assert pickle.loads(pickle.dumps(tree)).parse("rc/c").line_string == "rc/c"
