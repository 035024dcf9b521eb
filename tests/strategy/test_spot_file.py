"""Solutions of spots: which spots, hands and classes they answer for."""

import numpy as np
import pytest

import cfr
from cfr.game.betting import BettingTree
from cfr.game.cards import parse_cards
from cfr.game.rules import Game
from cfr.resolving.resolving_strategy import Resolving
from cfr.spots.spot_text import make_spot
from cfr.strategy.files.spot_file import SpotStrategy
from cfr.strategy.files.stored import open_strategy
from cfr.strategy.spot_rows import all_rows
from cfr.study.spot_values import expected_values
from cfr.system.errors import BadInputError
from cfr.values.expected_values import why_unvalued

HULHE, ROYAL = Game.bundled("hulhe"), Game.bundled("royal")
RIVER = ("Td9d6hQc2s", "rc/crc/cc/")
CHECKED = (RIVER[0], RIVER[1] + "c")  # the button acts


@pytest.fixture(scope="module")
def river():
    return cfr.solve_spot(*RIVER, button="AhKh,QQ,JJ", big_blind="77,55", iterations=20).strategy


@pytest.mark.parametrize(
    ("board", "line"),
    [
        ("Td9d6hQc3s", "rc/crc/cc/"),
        ("Td9dQc6h2s", "rc/crc/cc/"),  # the same cards, dealt otherwise
        ("Td9d6hQc2s", "crc/crc/cc/"),
        ("Td9d6hQc", "rc/crc/"),
    ],
)
def test_ranges_of_other_spots_are_not_known(river, board, line):
    """No decision lies on the way from the solved spot, so nothing else would refuse them."""
    state, cards = BettingTree(HULHE).parse(line), parse_cards(board)
    said = "only what follows board Td9d6hQc2s, line 'rc/crc/cc/' is solved here"
    for seat in (0, 1):
        for ask in (river.reach, river.presumed_range):
            with pytest.raises(BadInputError, match=said):
                ask(state, cards, seat)
    with pytest.raises(BadInputError, match=said):
        river.reach_of(state, parse_cards("7c7d"), cards)
    with pytest.raises(BadInputError, match=said):
        river.mix_and_reach(state, [parse_cards("7c7d")], cards)
    with pytest.raises(BadInputError, match=said):
        make_spot(board, line, strategy=river)


def test_its_own_ranges_are_known(river):
    again = make_spot(*RIVER, strategy=river)
    np.testing.assert_array_equal(again.ranges, river.spot_.ranges)
    other_order = make_spot("9dTd6hQc2s", RIVER[1], strategy=river)
    np.testing.assert_array_equal(other_order.ranges, river.spot_.ranges)


def test_a_class_is_the_mean_of_the_hands_that_were_solved(river):
    """Three of the four hands of AKs are in neither range."""
    assert river.probabilities("AKs", *CHECKED) == pytest.approx(river.probabilities("AhKh", *CHECKED))
    assert sum(river.probabilities("AKs", *CHECKED).values()) == pytest.approx(1)
    with pytest.raises(BadInputError, match="hand 'AKs': not in the big blind's range of the solved spot"):
        river.probabilities("AKs", *RIVER)
    state, board = river.spot(*CHECKED)
    assert river.mix_and_reach(state, river.held("AKs", board), board)[1] == 0.25
    with pytest.raises(BadInputError, match="hand '88': in neither range of the solved spot"):
        river.probabilities("88", *RIVER)
    with pytest.raises(BadInputError, match="hand '8c8d': in neither range"):
        river.probabilities("8c8d", *RIVER)


@pytest.mark.parametrize("big_blind", ["77,55", "AKs,77,55"])
def test_classes_count_the_hands_that_the_board_leaves(big_blind):
    """Whatever the opponent holds."""
    solved = cfr.solve_spot(*RIVER, button="AhKh,QQ,JJ", big_blind=big_blind, iterations=5).strategy
    spots = (
        solved.range(*CHECKED),
        expected_values(solved, *CHECKED),
        solved.range(*RIVER, seat="button"),
        expected_values(solved, *RIVER, "button"),
    )
    for spot in spots:
        assert len(spot.table().columns()["hand"]) == 47 * 46 // 2
        classes = spot.by_class()
        found = {
            name: (combos, reach)
            for name, combos, reach in zip(classes.hands, classes.combos, classes.reach, strict=True)
        }
        assert (found["AKs"], found["QQ"], found["AKo"]) == ((4, 0.25), (3, 1), (12, 0))


def test_renumbered_hands_keep_what_the_board_leaves(river):
    values = expected_values(river, *RIVER)
    images = np.arange(HULHE.num_hands)[::-1]
    np.testing.assert_array_equal(values.renumbered(images).table().combos, values.table().combos[images])


def test_rows_of_earlier_rounds_are_refused():
    rows = all_rows(ROYAL, parse_cards("AsKhTdQcJs"))
    with pytest.raises(BadInputError, match="board AsKhTd: it does not follow AsKhTdQcJs"):
        rows.rows(1, np.array([parse_cards("AsKhTd")], np.uint8))
    with pytest.raises(BadInputError, match="board \\(none\\): it does not follow"):
        rows.rows(0, np.zeros((1, 0), np.uint8))


def test_a_spot_is_no_blueprint(river):
    with pytest.raises(BadInputError, match="re-solving SpotStrategy: a solution of one spot; expected"):
        Resolving(river, "river", keeps=False)


def test_a_spot_without_a_board_is_named():
    kuhn = cfr.solve_spot("", "c", game=Game.bundled("kuhn"), iterations=3)
    with pytest.raises(BadInputError, match=r"only what follows board \(none\), line 'c' is solved here"):
        kuhn.range("", "r")


def test_a_last_round_that_is_left_out_leaves_no_expected_values(tmp_path):
    path = tmp_path / "turn.h5"
    whole = cfr.solve_spot("AsKhTdQc", "cc/rc/", game=ROYAL, iterations=3).strategy
    assert whole.left_out == why_unvalued(whole, whole.spot_.state) == ""
    SpotStrategy(whole.spot_, whole._rows, whole.rounds[:-1], whole.attributes).save(path)
    with open_strategy(path) as turn:
        state, _ = turn.spot("", "")
        assert why_unvalued(turn, state) == turn.left_out
        assert f"{path}: the last round is left out; solve it from here: cfr spot --strategy {path}" in turn.left_out
        with pytest.raises(BadInputError, match="the last round is left out"):
            expected_values(turn)
        with pytest.raises(BadInputError, match="the last round is left out"):
            turn.range("AsKhTdQcJh", "cc/rc/cc/")


def test_facts_against_a_presumed_range():
    """A caller never raises: nobody meets a raise of its, so all hands stand in, and what one wins another loses."""
    values = expected_values(cfr.BuiltIn("always-call"), "Td9d6h2c3s", "cc/cc/cc/r")
    assert values.facts()["EV"] == "0.0 mbb per hand (against a presumed range)"
    assert "nan" not in str(values.facts())
