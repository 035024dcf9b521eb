"""A solve for a target measures on the way, stops when it is reached, and keeps the best strategy."""

import os
import shutil
import signal
from dataclasses import replace

import h5py
import pytest

from cfr.cli.main import main
from cfr.exploit import exploitability
from cfr.exploit.flop_values import bundled_values
from cfr.game.rules import Game
from cfr.hands.flops import first_boards
from cfr.solver import checkpoint, forecast, target
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.solver.target import EnumeratedTarget, count_due, is_due, seconds_to_measure
from cfr.strategy.files.file import verify
from cfr.strategy.files.stored import Strategy
from cfr.system.errors import Interrupted, SaveError
from cfr.system.interval import half_width_of

HULHE = Game.bundled("hulhe")


@pytest.fixture(autouse=True)
def _cached(cache, monkeypatch, hulhe_file):  # which fills the cache with the same buckets
    monkeypatch.setenv("CFR_CACHE", str(cache))


@pytest.fixture
def hulhe(tmp_path):
    """Full hold'em for some iterations."""
    return Settings(
        HULHE,
        (30, 20, 20),
        iterations=10,
        target_mbb=100.0,
        target_flops=2,
        schedule="cfr-br",
        warm_up=0.4,
        threads=2,
        out=tmp_path / "x.h5",
    )


@pytest.fixture
def measured(monkeypatch):
    """Due at every second iteration, exploitabilities are those of this dictionary; gives the iterations that asked."""

    def measured(values, press_at=()):
        asked = []

        def say(strategy, flops, **how):
            iterations = int(strategy.attributes["iterations"])
            asked.append(iterations)
            if asked.count(iterations) <= list(press_at).count(iterations):
                os.kill(os.getpid(), signal.SIGINT)
            mbb = values[iterations]
            return exploitability.Exploitability("hulhe", mbb, 1.0, mbb, mbb, 0.0, flops, False, 1.0)

        monkeypatch.setattr(target, "exploitability", say)
        monkeypatch.setattr(target, "is_due", lambda iterations, batch: iterations % 2 < batch)
        monkeypatch.setattr("cfr.solver.game_solver.TOGETHER", 1)
        return asked

    return measured


def kept(path):
    """How many iterations the strategy in a file had, and what was measured."""
    verify(path)
    with h5py.File(path) as file:
        return int(file.attrs["iterations"]), float(file.attrs["exploitability_mbb"])


def test_when():
    enumerated = EnumeratedTarget(1.0, None)
    assert [t for t in range(1, 70) if enumerated.is_due(t)] == [8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64]
    assert count_due(0, 800 * 1024) == 9
    assert [count_due(32_768 + more, 65_536 + more) for more in (-1, 0, 1)] == [1, 0, 1]
    sampled = [32, 64, 96, 128, 192, 256, 384, 512, 768]
    assert [t / 1024 for t in range(0, 800 * 1024, 256) if is_due(t)] == sampled
    for batch in (2, 10, 12, 100, 1000):  # each point once, by the batch that gets there
        ends = [t for t in range(0, 800 * 1024, batch) if is_due(t, batch)]
        assert [t // 1024 for t in ends] == sampled


def test_the_best_is_kept_when_the_target_is_not_reached(hulhe, measured):
    asked = measured({2: 300.0, 4: 130.0, 6: 120.0, 8: 125.0, 10: 121.0})
    result = solve(hulhe)
    assert asked == [2, 4, 6, 8, 10]
    assert kept(hulhe.out) == (6, 120.0)
    assert (result.iterations, result.exploitability_mbb) == (10, 120.0)
    assert str(result).endswith("; the target of 100 mbb/g was not reached")
    assert sorted(each.name for each in hulhe.out.parent.iterdir()) == ["x.h5"]


def test_it_stops_at_the_target(hulhe, measured):
    asked = measured({2: 300.0, 4: 130.0, 6: 100.0})
    result = solve(hulhe)
    assert asked == [2, 4, 6]
    assert kept(hulhe.out) == (6, 100.0)
    assert result.iterations == 6
    assert "reached" not in str(result)


@pytest.mark.parametrize(
    "press_at", [(6,), *(pytest.param(each, marks=pytest.mark.thorough) for each in ((2,), (8, 8), (2, 4, 8, 10)))]
)
def test_ctrl_c_while_it_measures_loses_nothing(hulhe, measured, press_at):
    values = {2: 300.0, 4: 130.0, 6: 120.0, 8: 125.0, 10: 121.0}
    measured(values)
    solve(replace(hulhe, out=hulhe.out.with_name("whole.h5")))
    measured(values, press_at)
    settings = hulhe
    for iterations in press_at:
        with pytest.raises(Interrupted, match=f"stopped after {iterations} iterations"):
            solve(settings)
        assert not hulhe.out.with_name("x.h5.candidate").exists()
        settings = checkpoint.resumed(checkpoint.path_for(hulhe.out))
    assert solve(settings).exploitability_mbb == 120.0
    assert kept(hulhe.out) == (6, 120.0)
    with Strategy.open(hulhe.out) as strategy, Strategy.open(hulhe.out.with_name("whole.h5")) as whole:
        assert strategy.attributes["checksum"] == whole.attributes["checksum"]


@pytest.mark.thorough
def test_a_best_strategy_that_is_gone_is_not_counted_on(hulhe, measured):
    measured({2: 300.0, 4: 110.0, 6: 120.0, 8: 125.0, 10: 121.0}, press_at=(6,))
    with pytest.raises(Interrupted):
        solve(hulhe)
    hulhe.out.unlink()
    assert solve(checkpoint.resumed(checkpoint.path_for(hulhe.out))).exploitability_mbb == 120.0
    assert kept(hulhe.out) == (6, 120.0)


@pytest.mark.thorough
def test_a_best_strategy_in_a_file_of_another_name_is_not_counted_on(hulhe, measured):
    measured({2: 300.0, 4: 110.0, 6: 120.0, 8: 125.0, 10: 121.0}, press_at=(6,))
    with pytest.raises(Interrupted):
        solve(hulhe)
    other = hulhe.out.with_name("other.h5")
    shutil.copy(hulhe.out, other)
    resumed = replace(checkpoint.resumed(checkpoint.path_for(hulhe.out), out=other), overwrite=True)
    assert solve(resumed).exploitability_mbb == 120.0
    assert kept(other) == (6, 120.0)
    assert kept(hulhe.out) == (4, 110.0)


@pytest.mark.thorough
def test_a_better_strategy_takes_the_place_of_the_file_that_a_link_names(hulhe, measured):
    measured({2: 300.0, 4: 110.0, 6: 120.0, 8: 125.0, 10: 121.0})
    file = hulhe.out.with_name("file.h5")
    file.write_text("before")
    file.chmod(0o640)
    hulhe.out.symlink_to(file)
    solve(replace(hulhe, overwrite=True))
    assert hulhe.out.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o640
    assert kept(file)[1] == 110.0


@pytest.mark.thorough
def test_a_disk_that_is_full_for_a_while(hulhe, measured, monkeypatch):
    asked = measured({2: 300.0, 4: 130.0, 6: 120.0, 8: 125.0, 10: 121.0})
    write, count = target.set_attributes, []

    def full(path, attributes):
        count.append(path)
        if len(count) in (1, 3):  # the first measurement and that after 6 iterations
            raise SaveError("cannot write x: the disk is full")
        write(path, attributes)

    monkeypatch.setattr(target, "set_attributes", full)
    assert solve(hulhe).exploitability_mbb == 121.0
    assert asked == [2, 4, 6, 8, 10]
    assert kept(hulhe.out) == (10, 121.0)


@pytest.mark.thorough
def test_the_number_is_that_of_cfr_exploit_with_the_control_variate_that_comes_along(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(target, "FIRST_SAMPLED", 1 << 20)  # at the end only
    out = tmp_path / "x.h5"
    how = ["--buckets", "30,20,20", "--iterations", "3", "--target", "1e4", "--target-flops", "3", "--out", str(out)]
    assert main(["solve", "hulhe", *how]) == 0
    said = capsys.readouterr()
    assert "or until 10000 mbb/g are measured on the way" in said.err
    with Strategy.open(out) as strategy:
        found = exploitability.exploitability(strategy, 3, threads=2, control=bundled_values(HULHE))
        assert strategy.attributes["exploitability_mbb"] == found.exploitability_mbb
        assert strategy.attributes["exploitability_standard_error_mbb"] == found.standard_error_mbb
        assert strategy.attributes["exploitability_flops"] == 3
        assert strategy.attributes["exploitability_method"].endswith("control variate hulhe-small")
    error = half_width_of(found.standard_error_mbb, 3)
    wanted = f"exploitability {found.exploitability_mbb:.1f} mbb/g +- {error:.1f} (95 % interval) from 3 sampled flops"
    assert wanted in said.out


@pytest.mark.parametrize("more", [["--dry-run"], []])
def test_a_measurement_that_would_take_longer_than_the_solve_is_refused(more, tmp_path, capsys):
    how = [
        "--buckets",
        "30,20,20",
        "--minutes",
        "1",
        "--target",
        "5",
        "--threads",
        "2",
        "--out",
        str(tmp_path / "x.h5"),
    ]
    assert main(["solve", "hulhe", *how, *more]) == 2
    err = capsys.readouterr().err
    assert err == (
        "cfr: target: 100 flops take about 3 minutes to measure, of 1 minute in all; say more, or fewer target flops\n"
    )


def test_no_more_flops_are_timed_than_there_are(hulhe):
    flops = len(first_boards(HULHE).cards)
    half, whole, twice = (seconds_to_measure(replace(hulhe, target_flops=n)) for n in (flops // 2, flops, 2 * flops))
    assert half < whole == twice


def test_a_forecast_includes_what_is_measured(hulhe, monkeypatch):
    monkeypatch.setattr(forecast, "time_iterations", lambda *_: (0.01, 0.01))
    monkeypatch.setattr(target, "_CORE_SECONDS", 2.0)
    hulhe = replace(hulhe, iterations=100_000, target_flops=50)

    def taken(**changes):
        found = forecast.make_forecast(replace(hulhe, **changes))
        return found.seconds, found.iterations

    without, _ = taken(target_mbb=None)
    assert taken() == (without + 4 * 50, 100_000)  # after 32,768, 65,536, 98,304 and at the end
    monkeypatch.setattr(forecast, "seconds_kept", lambda *_: 0.0)  # a target keeps the time of a measurement instead
    _, plain = taken(target_mbb=None, iterations=None, minutes=20.0)
    times = 1 + sum(is_due(t) for t in range(plain))
    assert times > 3
    assert taken(iterations=None, minutes=20.0) == (1200.0, plain - times * 50 * 100)
