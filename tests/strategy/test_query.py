"""Questions to strategies: any legal spot, the same answer for suit-isomorphic ones, one line for impossible ones."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfr.game.betting import BettingTree
from cfr.game.cards import format_cards, parse_cards
from cfr.game.rules import GAME_NAMES, Game
from cfr.hands.isomorphism import suit_permutations
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.bundled import BUILT_INS
from cfr.strategy.files.stored import Strategy, open_strategy
from cfr.system.errors import BadInputError, CfrError, IllegalActionError, MalformedTextError


@pytest.fixture(scope="module")
def strategy(hulhe_file):
    with Strategy.open(hulhe_file) as opened:
        yield opened


def random_spot(rng, betting):
    """A random hand, board and line at which somebody acts."""
    game, state = betting.game, betting.root
    for _ in range(int(rng.integers(0, 12))):
        after = state.act(str(rng.choice(list(state.legal.replace("f", "") or state.legal))))
        if after.is_over:
            break
        state = after
    cards = rng.permutation(game.deck)
    hole = game.num_hole_cards
    return state, cards[:hole].tolist(), cards[hole : hole + state.num_board_cards].tolist()


def test_any_spot_is_answered_alike_by_all_ways_in(strategy):
    rng = np.random.default_rng(0)
    for _ in range(60):
        state, hand, board = random_spot(rng, strategy.betting)
        answer = strategy.probabilities(format_cards(hand), format_cards(board), state.line_string)
        assert sum(answer.values()) == pytest.approx(1)
        assert [name[0] for name in answer] == list(state.legal)
        whole = strategy.range(format_cards(board), state.line_string)
        row = whole.frequencies[strategy.game.hand_number(tuple(hand))]
        assert [row["fcr".index(letter)] for letter in state.legal] == list(answer.values())
        assert tuple(row) == strategy.distribution(state, hand, board)


def test_suit_isomorphic_spots_are_identical(strategy):
    rng = np.random.default_rng(1)
    for _ in range(25):
        state, hand, board = random_spot(rng, strategy.betting)
        answers = []
        for suits in suit_permutations(4):
            moved = [4 * (card // 4) + int(suits[card % 4]) for card in (*hand, *board)]
            text = format_cards(moved[:2][::-1]), format_cards(moved[2:]), state.line_string
            answers.append(strategy.probabilities(*text))
        assert all(answer == answers[0] for answer in answers)


def test_ranges_carry_the_seats_own_reach(strategy):
    spot = strategy.range("Td9d6h", "rc/cr")
    assert spot.reach.shape == (1326,)
    assert spot.frequencies.shape == (1326, 3)
    assert spot.seat == 0
    hand = parse_cards("AsKh")
    number = strategy.game.hand_number(hand)
    called = strategy.probabilities("AsKh", "", "r")["call"]
    checked = strategy.probabilities("AsKh", "Td9d6h", "rc/")["call"]
    assert spot.reach[number] == pytest.approx(called * checked)
    blocked = strategy.game.hand_number(parse_cards("TdKh"))
    assert spot.reach[blocked] == 0
    assert not spot.frequencies[blocked].any()


@pytest.mark.parametrize(
    ("hand", "board", "line", "error", "says"),
    [
        ("AsK", "", "", MalformedTextError, "position 4"),
        ("AsAs", "", "", MalformedTextError, "twice"),
        ("As", "", "", BadInputError, "2 different cards"),
        ("AsKh", "Td9d", "rc/", BadInputError, "2 cards, but after line 'rc/' there are 3"),
        ("AsKh", "Td9d6h", "", BadInputError, "3 cards, but after line '' there are 0"),
        ("AsKh", "", "rc/", BadInputError, "there are 3"),
        ("AsKh", "AsTd9d", "rc/", BadInputError, "As is on the board"),
        ("AsKh", "TdTd9d", "rc/", MalformedTextError, "twice"),
        ("AsKh", "", "rrrr", IllegalActionError, "position 4"),
        ("AsKh", "", "rf", BadInputError, "the hand is over"),
        ("AsKh", "", "yy", MalformedTextError, "'yy' at position 1"),
    ],
)
def test_impossible_spots(strategy, hand, board, line, error, says):
    with pytest.raises(error) as caught:
        strategy.probabilities(hand, board, line)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@settings(max_examples=300, deadline=None)
@given(st.text("AKQ2csd ", max_size=5), st.text("AKQ2csd", max_size=11), st.text("fcr/", max_size=8))
def test_any_question_is_answered_or_refused_in_one_line(hand, board, line):
    try:
        answer = BuiltIn("uniform").probabilities(hand, board, line)
    except CfrError as error:
        assert "\n" not in str(error)
    else:
        assert sum(answer.values()) == pytest.approx(1)


@pytest.mark.parametrize("name", BUILT_INS)
@pytest.mark.parametrize("game", GAME_NAMES)
def test_built_ins_play_every_game(name, game):
    built_in = BuiltIn(name, Game.bundled(game))
    rng = np.random.default_rng(2)
    betting = BettingTree(built_in.game)
    for _ in range(20):
        state, hand, board = random_spot(rng, betting)
        answer = built_in.probabilities(format_cards(hand), format_cards(board), state.line_string)
        assert sum(answer.values()) == pytest.approx(1)
        facing = "f" in state.legal
        if name == "always-fold":
            assert answer["fold" if facing else "call"] == 1
        if name == "call-raise":
            assert answer["call"] == (0.5 if "r" in state.legal else 1)
            assert answer.get("fold", 0) == 0


def test_unknown_strategies():
    with pytest.raises(BadInputError, match="built in are"):
        BuiltIn("always-bluff")
    with pytest.raises(FileNotFoundError):
        open_strategy("nowhere.h5")


def test_leduc_from_its_file(leduc_file):
    with Strategy.open(leduc_file) as solved:
        # With a paired king the equilibrium bets and never folds.
        answer = solved.probabilities("Ks", "Kh", "cc/")
        assert answer["raise"] > 0.5
        assert solved.probabilities("Ks", "Kh", "cc/r")["fold"] < 0.01
        with pytest.raises(BadInputError, match="does not hold"):
            solved.probabilities("2c")


def test_tables_in_memory_give_the_same_rows(hulhe_file, strategy):
    sizes = [strategy.table(r).nbytes for r in range(4)]
    with Strategy.open(hulhe_file) as held:
        held.hold_tables(sorted(sizes)[2])
        assert [isinstance(held.table(r), np.ndarray) for r in range(4)] == [size < max(sizes) for size in sizes]
        for r in range(4):
            for number in range(0, held.table(r).shape[0], 7):
                assert np.array_equal(held.row(r, number), strategy.row(r, number))


READS = """
import cfr, cfr.abstraction.abstraction

def read():
    return int(open("/proc/self/io").readline().split()[1])

with cfr.Strategy.open() as strategy:
    before = read()
    strategy.probabilities("AsKh")
    first = read()
    strategy.probabilities("AsKh", "Td9d6h", "rc/c")
    print(first - before, read() - first)
"""


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="Linux counts what a process reads")
def test_a_query_reads_what_its_round_needs():
    """The supplied file has 2.5 MB of clusters: none are read before the flop, whose hands are in a table."""
    before_the_flop, flop = map(int, subprocess.check_output([sys.executable, "-c", READS], text=True).split())
    assert before_the_flop < 100_000
    assert flop < 500_000
