"""Bars on stderr."""

import time

import pytest

from cfr.system.work_bar import ShareBar


@pytest.fixture
def late(monkeypatch):
    """Seconds that have gone by on tqdm's clock, to be set."""
    passed = [0.0]
    monkeypatch.setattr("tqdm.std.time", lambda: passed[0])
    monkeypatch.setattr(time, "time", lambda: passed[0])
    return passed


def test_a_long_work_shows_a_bar_that_does_not_stay(late, capsys):
    bar = ShareBar("solving the flop")
    for late[0], share in ((0.0, 0.0), (2.0, 0.25), (4.0, 0.5)):
        bar(share)
    assert "solving the flop:  50%" in capsys.readouterr().err
    bar(1.0)
    assert capsys.readouterr().err.rsplit("\r", 2)[1].isspace()


def test_a_short_work_shows_none_and_the_next_one_has_its_own(late, capsys):
    bar = ShareBar("solving the turn")
    for late[0], share in ((0.0, 0.0), (0.3, 0.5), (0.6, 1.0)):
        bar(share)
    assert not capsys.readouterr().err.strip()
    for late[0], share in ((10.0, 0.0), (12.0, 0.5)):
        bar(share)
    assert " 50%" in capsys.readouterr().err
