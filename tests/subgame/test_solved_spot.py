"""Solved spots and strategies by name, as Python has them."""

import copy

import numpy as np
import pytest

import cfr

HULHE = cfr.Game.bundled("hulhe")


def test_a_solved_spot_answers_what_its_strategy_does():
    solved = cfr.solve_spot("AsKsQsJs2d", "rc/rc/rc/", button="TsTh", big_blind="3c3d", iterations=3, threads=1)
    assert (solved.game, solved.identity) == (HULHE, solved.strategy.identity)
    assert [line for line, _ in solved.walk("AsKsQsJs2d", "rc/rc/rc/c")] == ["rc/rc/rc/", "rc/rc/rc/c"]
    values = cfr.expected_values(solved, "AsKsQsJs2d", "rc/rc/rc/")
    assert np.array_equal(values.ev, solved.values("AsKsQsJs2d", "rc/rc/rc/").ev, equal_nan=True)
    assert copy.copy(solved).frequencies == solved.frequencies
    with pytest.raises(AttributeError):
        _ = solved.nothing


def test_any_strategy_opens_by_its_name():
    with cfr.open_named("always-call+turn") as bot, cfr.open_named("uniform") as plain:
        assert (type(bot).__name__, type(plain).__name__) == ("Resolving", "BuiltIn")
        assert bot.probabilities("AsKh") == {"fold": 0.0, "call": 1.0, "raise": 0.0}
    with pytest.raises(FileNotFoundError, match="expected a file, or one of small"):
        cfr.open_named("nobody")
