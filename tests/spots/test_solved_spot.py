"""Solved spots and strategies by name, as Python has them."""

import copy

import numpy as np
import pytest

import cfr

HULHE = cfr.Game.bundled("hulhe")


def test_a_solved_spot_answers_what_its_strategy_does():
    solved = cfr.solve_spot("AsKsQsJs2d", "rc/rc/rc/", button="TsTh", big_blind="3c3d", iterations=3, threads=1)
    assert solved.game == HULHE
    with pytest.raises(cfr.CfrError, match="partial results are kept for files"):
        _ = solved.identity  # in memory
    assert [line for line, _ in solved.walk("AsKsQsJs2d", "rc/rc/rc/c")] == ["rc/rc/rc/", "rc/rc/rc/c"]
    values = cfr.expected_values(solved, "AsKsQsJs2d", "rc/rc/rc/")
    assert np.array_equal(values.ev, solved.values("AsKsQsJs2d", "rc/rc/rc/").ev, equal_nan=True)
    assert copy.copy(solved).frequencies == solved.frequencies
    with pytest.raises(AttributeError):
        _ = solved.nothing


def test_hands_of_no_range_have_no_values():
    """Nor where hands are asked for that do not get there: no play of theirs is known."""
    how = {"button": "TsTh,8c8d", "big_blind": "3c3d,9s9h", "iterations": 3, "threads": 1}
    solved = cfr.solve_spot("AsKsQsJs2d", "rc/rc/rc/", **how)
    values = cfr.expected_values(solved.strategy, "AsKsQsJs2d", "rc/rc/rc/", unreached=True)
    assert values.hands[np.isfinite(values.ev)].tolist() == ["3c3d", "8c8d", "9h9s", "ThTs"]


def test_a_board_that_blocks_both_ranges_is_no_damage():
    solved = cfr.solve_spot("2c3c4s", "rc/", button="AhKh", big_blind="QdJd", iterations=2, threads=1)
    found = solved.range("2c3c4sAhQd", "rc/cc/cc/")
    assert not found.frequencies.any()
    assert not found.reach.any()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"strategy": 7}, "strategy: 7; expected a name, such as 'small', or cfr.open_named('small')"),
        ({"game": 7}, "game: 7; expected a game's name, such as 'leduc', or the path of a .game file"),
        ({"target": "x"}, "target: 'x'; expected more than 0"),
        ({"minutes": "1"}, "minutes: '1'; expected more than 0"),
        ({"threads": 5000}, "threads: 5000; expected 1 to 4096"),
        ({"board": None}, "cards: None; expected text, such as Td9d6h"),
        ({"out": "nowhere/x.h5"}, "cannot write nowhere/x.h5: there is no folder nowhere"),
    ],
)
def test_what_python_gets_wrong_is_said_in_one_line(changes, says, monkeypatch):
    monkeypatch.setattr("cfr.study.spot.solve_settings", lambda *asked: pytest.fail("it solved"))
    asked = {"board": "Td9d6hQc2s", "line": "rc/rc/rc/", "iterations": 1, **changes}
    with pytest.raises(cfr.CfrError) as caught:
        cfr.solve_spot(asked.pop("board"), asked.pop("line"), **asked)
    assert str(caught.value) == says


def test_any_strategy_opens_by_its_name():
    with cfr.open_named("always-call+turn") as bot, cfr.open_named("uniform") as plain:
        assert (type(bot).__name__, type(plain).__name__) == ("Resolving", "BuiltIn")
        assert bot.probabilities("AsKh") == {"fold": 0.0, "call": 1.0, "raise": 0.0}
    with pytest.raises(FileNotFoundError, match="expected a file, or one of small"):
        cfr.open_named("nobody")
