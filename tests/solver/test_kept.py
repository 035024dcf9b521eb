"""What a solve says about what it keeps: after Ctrl-C at any time, and when its minutes are too few."""

from dataclasses import replace

import pytest

from cfr.abstraction.abstraction import Abstraction
from cfr.cli.main import main
from cfr.game.rules import Game
from cfr.solver import checkpoint, forecast
from cfr.solver.game_solver import GameSolver
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.system.clock import Clock
from cfr.system.errors import CfrError, Interrupted

LEDUC = Game.bundled("leduc")
SMALL = Game.bundled("holdem-2-1")


def stop(*_, **__):
    raise KeyboardInterrupt


@pytest.fixture
def leduc(tmp_path):
    return Settings(LEDUC, None, iterations=6, out=tmp_path / "l.h5")


@pytest.mark.parametrize("where", ["lossless", "build"])
def test_stopped_while_it_prepares_nothing_was_kept(where, tmp_path, monkeypatch):
    monkeypatch.setattr(Abstraction, where, stop)
    buckets = None if where == "lossless" else (20,)
    settings = Settings(LEDUC if buckets is None else SMALL, buckets, iterations=6, out=tmp_path / "x.h5")
    with pytest.raises(Interrupted, match=r"^stopped; nothing was kept$"):
        solve(settings)
    assert not [path for path in tmp_path.iterdir() if path.suffix != ".lock"]


def test_stopped_in_the_forecast_nothing_was_kept(leduc):
    with pytest.raises(Interrupted, match=r"^stopped; nothing was kept$"):
        solve(leduc, announce=stop)


def test_stopped_before_the_first_iteration_there_is_no_checkpoint(leduc, monkeypatch):
    monkeypatch.setattr(GameSolver, "respond_if_warm", stop)
    with pytest.raises(Interrupted, match=r"^stopped; nothing was kept$"):
        solve(leduc)
    assert not checkpoint.path_for(leduc.out).exists()


def test_stopped_at_once_a_resumed_solve_names_its_checkpoint(leduc, monkeypatch):
    with monkeypatch.context() as patched:
        step = GameSolver.step

        def stop_after_two(run, most, _):
            done = step(run, 2)
            import signal

            signal.raise_signal(signal.SIGINT)
            return done

        patched.setattr(GameSolver, "step", stop_after_two)
        with pytest.raises(Interrupted, match="continue with"):
            solve(leduc)
    kept = checkpoint.path_for(leduc.out)
    again = replace(leduc, resume=kept)
    monkeypatch.setattr(Abstraction, "lossless", stop)
    with pytest.raises(Interrupted) as stopped:
        solve(again)
    assert str(stopped.value) == f"stopped; continue with: cfr solve --resume {kept}"
    assert kept.exists()


def test_the_command_line_says_so_too(leduc, monkeypatch, capsys):
    monkeypatch.setattr(Game, "find", stop)
    assert main(["solve", "leduc", "--out", str(leduc.out)]) == 130
    assert capsys.readouterr().err == "cfr: stopped; nothing was kept\n"


def test_minutes_that_the_preparation_takes_write_no_file(tmp_path, monkeypatch):
    """A solve by time ended after a few boards, with exit 0 and a strategy that was as good as uniform."""
    monkeypatch.setattr(Clock, "seconds", 10.0)  # that it took, on any machine
    few = Settings(SMALL, (20,), minutes=1e-4, out=tmp_path / "x.h5")
    with pytest.raises(CfrError, match=r"minutes: 0\.0001 are over before the first iteration.*nothing was written"):
        solve(few)
    assert not few.out.exists()
    assert not checkpoint.path_for(few.out).exists()


def test_a_forecast_counts_what_the_cache_has(tmp_path, monkeypatch):
    monkeypatch.setattr(forecast, "time_iterations", lambda *_: (0.01, 0.01))
    asked = Settings(SMALL, (20,), iterations=1000, out=tmp_path / "x.h5")
    monkeypatch.setenv("CFR_CACHE", str(tmp_path / "empty"))
    assert not Abstraction.is_kept(SMALL, (20,))
    empty = forecast.make_forecast(asked)
    Abstraction.build(SMALL, (20,))
    assert Abstraction.is_kept(SMALL, (20,))
    assert not Abstraction.is_kept(SMALL, (20,), seed=1)
    full = forecast.make_forecast(asked)
    assert full.seconds == pytest.approx(10)
    assert empty.seconds > full.seconds


def test_a_history_has_each_power_of_two_and_the_end(leduc, tmp_path):
    from cfr.solver.history import read

    path = tmp_path / "h.csv"
    result = solve(replace(leduc, history=path))
    rows = read(path)
    assert [row[0] for row in rows] == [1, 2, 4, 6]
    assert rows[-1][2:] == (result.exploitability_mbb, result.strategy)
    for iterations, _, mbb, strategy in rows[:-1]:
        alone = solve(replace(leduc, iterations=iterations, out=tmp_path / f"{iterations}.h5"))
        assert (alone.exploitability_mbb, alone.strategy) == (mbb, strategy)
    with pytest.raises(CfrError, match=r"h\.csv: another file is there already; say overwrite=True"):
        solve(replace(leduc, history=path, out=tmp_path / "again.h5"))
    with pytest.raises(CfrError, match="history: with buckets nothing is measured"):
        Settings(SMALL, (20,), iterations=2, history=path)
