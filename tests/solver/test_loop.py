"""The loop of a solve: what counts towards the warm-up."""

import time
from dataclasses import replace
from itertools import chain, count

import pytest

from cfr.game.rules import Game
from cfr.solver.loop import Loop
from cfr.solver.settings import Settings
from cfr.system.clock import Clock

MINUTES = Settings(Game.bundled("hulhe"), (30, 20, 20), schedule="cfr-br", warm_up=0.5, minutes=10.0, threads=1)


class Recorder:
    """A solver that notes the shares that are done when it is asked to warm up, and ends after two steps."""

    is_in_pieces = is_enumerated = False
    share_of_step = 0.0
    table_bytes = 0

    def __init__(self, settings, clock):
        self.settings, self.clock, self.iterations, self.shares = settings, clock, 0, []

    def save_checkpoint(self):
        raise AssertionError("it is not due")

    def respond_if_warm(self, share_done):
        self.shares.append(share_done)

    def step(self, most, between=None):
        self.iterations += 1
        if self.iterations == 2:
            raise InterruptedError
        return 1


@pytest.fixture
def shares(monkeypatch):
    def shares(settings, before, prepared):
        now = chain([0.0, 0.0], count(prepared, 1e-3))
        with monkeypatch.context() as patch:
            patch.setattr(time, "monotonic", lambda: next(now))
            solver = Recorder(settings, Clock(before))
            with pytest.raises(InterruptedError):
                Loop(solver).run()
        return solver.shares

    return shares


@pytest.mark.parametrize("prepared", [0, 50, 550])
def test_the_preparation_is_no_part_of_the_warm_up(shares, prepared):
    """Else a preparation that outlasts the warm-up would leave none."""
    assert max(shares(MINUTES, 0, prepared)) < 0.01


def test_a_resumed_solve_goes_on_with_its_warm_up(shares):
    [first, _] = shares(MINUTES, 240, 30)
    assert first == pytest.approx(240 / (600 - 4 - 30), rel=0.01)


def test_iterations_count_as_they_are(shares):
    [first, second] = shares(replace(MINUTES, minutes=None, iterations=8), 0, 50)
    assert (first, second) == (0, 1 / 8)
