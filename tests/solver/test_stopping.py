"""A solve that is told to end: what is kept comes first, and a forecast says where that takes long."""

import signal
from dataclasses import replace

import numpy as np
import pytest

from cfr.game.betting import BettingTree
from cfr.game.cards import parse_cards
from cfr.game.rules import Game
from cfr.solver import forecast
from cfr.solver.forecast import make_forecast
from cfr.solver.memory_need import table_bytes
from cfr.solver.presets import PRESETS
from cfr.solver.settings import Settings
from cfr.solver.stopping import seconds_kept, seconds_to_finish
from cfr.spots import checkpoint as spot_checkpoint
from cfr.spots import solve as module
from cfr.spots.forecast import SpotForecast
from cfr.spots.settings import SpotSettings
from cfr.spots.solver import SpotSolver
from cfr.strategy.files.table_archive import path_for
from cfr.strategy.spot import Spot

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


@pytest.mark.parametrize("minutes", [5, 60])
def test_the_time_for_the_file_is_no_time_for_iterations(minutes, monkeypatch):
    """Codebooks of ``laptop`` take minutes; a solve that is hardly longer iterates for half of its time."""
    preset, game = PRESETS["laptop"], Game.bundled("hulhe")
    usual = preset.usual(game, preset.buckets, True) | {"minutes": minutes, "threads": 2, "warm_up": 0.0}
    settings = Settings(game, preset.buckets, **usual, **preset.fixed(game, preset.buckets))
    monkeypatch.setattr(forecast, "time_iterations", lambda *_: (0.01, 0.01))
    monkeypatch.setattr(forecast, "free_bytes", lambda: 1 << 40)
    monkeypatch.setattr(forecast, "_abstraction_core_seconds", lambda _: 20.0)
    needed = seconds_to_finish(settings, table_bytes(settings))
    assert 200 < needed < 400
    kept = seconds_kept(settings, table_bytes(settings))
    assert kept == (150 if minutes == 5 else needed)
    found = make_forecast(settings)
    assert found.iterations == pytest.approx(100 * (60 * minutes - 10 - kept), abs=1)
    assert found.seconds == pytest.approx(60 * minutes + needed - kept)


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
    assert spot_checkpoint.read(path_for(out)).iterations == 1
