"""A solve that is told to end: what is kept comes first, and a forecast says where that takes long."""

import signal
from dataclasses import replace

import numpy as np
import pytest

from cfr.game.betting import BettingTree
from cfr.game.cards import parse_cards
from cfr.game.rules import Game
from cfr.solver import solve_spot as module
from cfr.solver import spot_checkpoint
from cfr.solver.forecast import make_forecast
from cfr.solver.settings import Settings
from cfr.solver.spot_forecast import SpotForecast
from cfr.solver.spot_settings import SpotSettings
from cfr.strategy.spot import Spot
from cfr.subgame.spot_solver import SpotSolver

FORECAST = SpotForecast(1_176, 1, "int8", 12_000_000_000, 16_000_000_000, 2.0, 200, True, 12_000_000_000)


def test_a_spot_that_ends_late_says_so():
    assert FORECAST.stop_seconds == 50
    assert str(FORECAST).endswith(
        "; Ctrl-C and SIGTERM take about 50 s: the iteration under way ends, and a checkpoint of 12.0 GB is written "
        "before the file"
    )
    assert "SIGTERM" not in str(replace(FORECAST, checkpoint_bytes=1_000_000_000))


def test_a_solve_that_ends_late_says_so(tmp_path):
    found = make_forecast(Settings(Game.bundled("leduc"), None, iterations=9, out=tmp_path / "x.h5"))
    assert found.checkpoint_bytes > 0
    assert "SIGTERM" not in str(found)
    assert "\nstop    Ctrl-C and SIGTERM take about 20 s" in str(replace(found, checkpoint_bytes=5_000_000_000))


def test_a_spots_checkpoint_is_written_before_its_file(tmp_path, monkeypatch):
    """Who sends SIGTERM may kill before the file is there."""
    state = BettingTree(Game.bundled("hulhe")).parse("rc/crc/cc/")
    board = parse_cards("Td9d6hQc2s")
    spot = Spot(state, board, np.ones((2, state.tree.game.num_hands)))
    out, step = tmp_path / "x.h5", SpotSolver.step

    def stopping(solver, schedule):
        step(solver, schedule)
        signal.raise_signal(signal.SIGINT)

    def killed(*_):
        raise SystemExit("killed")

    monkeypatch.setattr(SpotSolver, "step", stopping)
    monkeypatch.setattr(module, "_finish", killed)
    with pytest.raises(SystemExit, match="killed"):
        module.solve_spot(SpotSettings(spot=spot, iterations=5, out=out))
    assert not out.exists()
    assert spot_checkpoint.read(spot_checkpoint.path_for(out)).iterations == 1
