"""Forecasts of solves without buckets: memory, disk, traffic and time."""

import json
import re
from dataclasses import replace
from itertools import count

import pytest

from cfr.abstraction.abstraction import Abstraction
from cfr.cli.main import main
from cfr.game.betting import BettingTree
from cfr.game.rules import Game
from cfr.solver.game_solver import GameSolver
from cfr.solver.out_of_core import lossless_forecast, piece_plan
from cfr.solver.out_of_core.lossless_forecast import forecast_lossless
from cfr.solver.out_of_core.piece_plan import folder_of, footprint, make_plan, memory_of
from cfr.solver.settings import Settings
from cfr.strategy.spot_rows import SpotRows
from cfr.system.disk.disk_rate import DiskRate
from tests.small_games import short_deck
from tests.solver.out_of_core.lossless_solves import BEYOND, begun, settings

RIVERS = short_deck("rivers", 2, 4, (0, 2, 1, 1), (1, 1, 1, 1))


def test_a_forecast_says_whether_the_disk_is_there(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for disk, says in ((".", " GB are free here\n"), ("nowhere", " at most, the folder for them is not there\n")):
        asked = ["solve", "leduc", "--lossless", "--memory", "0.185", "--threads", "1", "--disk", disk]
        assert main([*asked, "--dry-run", "--disk-gbs", "1"]) == 0
        said, err = capsys.readouterr()
        assert says in said
        assert ("would not begin" in err) == (disk == "nowhere")


@pytest.mark.parametrize("more", [["--dry-run", "--disk-gbs", "1"], []])
@pytest.mark.parametrize("memory", [BEYOND, None])
def test_tables_to_go_on_with_are_looked_for(memory, more, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(lossless_forecast, "node_actions_per_second", lambda _: 1e8)
    asked = settings(tmp_path, memory_gb=memory)
    with begun(asked) if memory else GameSolver(asked, Abstraction.lossless(asked.game)) as solver:
        solver.step()
        kept = str(solver.save_checkpoint())
    again = ["solve", "--resume", kept, *more]
    assert main([*again, "--disk", str(tmp_path / "nowhere")]) == 2
    error = capsys.readouterr().err
    assert error == f"cfr: disk: {tmp_path}/nowhere is not a folder; expected one with room for the tables\n"
    if memory is None:
        return
    (tmp_path / "empty").mkdir()
    assert main([*again, "--disk", str(tmp_path / "empty")]) == 1
    assert re.fullmatch(r"cfr: .*/empty/x\.h5\.tables: no tables there; move .* first\n", capsys.readouterr().err)
    folder_of(asked).rename(tmp_path / "away")
    assert main(again) == 1
    assert f"x.h5.tables: no tables there; {kept} needs those that it was kept with\n" in capsys.readouterr().err
    (tmp_path / "away").rename(folder_of(asked))
    assert main(again) == 0


def test_the_whole_of_holdem_is_forecast(tmp_path, monkeypatch):
    monkeypatch.setattr(lossless_forecast, "node_actions_per_second", lambda _: 1e9)
    monkeypatch.setattr(lossless_forecast, "measured_disk", lambda _: DiskRate(0.1, 0.5))
    asked = Settings(
        Game.bundled("hulhe"),
        None,
        iterations=1579,
        lossless=True,
        tables="int8",
        out=tmp_path / "x.h5",
        memory_gb=300.0,
    )
    alone, many = forecast_lossless(asked, (1, 64), 5.0), forecast_lossless(asked, (20, 64), 5.0)
    assert alone.node_actions == 35_888_449_446_577
    rows, before = alone.rows, 35_888_449_446_577 - alone.rows[3] * 26 * 567
    assert rows[3] == 2_428_287_420
    assert alone.entry_bytes == alone.node_actions + before  # two bytes before the river
    assert alone.core_seconds == pytest.approx(alone.node_actions / 1e9)
    assert alone.iteration_seconds == pytest.approx((alone.read_bytes + alone.written_bytes) / 5e9)
    assert many.iteration_seconds == pytest.approx((many.read_bytes + many.written_bytes) / 100e9)
    traffic = alone.read_bytes + alone.written_bytes
    assert alone.work_seconds == pytest.approx(alone.core_seconds + 0.5 * traffic / 1e9)
    assert alone.computing_seconds == pytest.approx(1.6 * alone.work_seconds / 64)  # as 16 cores measured
    assert many.computing_seconds == pytest.approx(1.6 * many.work_seconds / 1280)
    apart = forecast_lossless(asked, (4, 1), 5.0)
    assert apart.computing_seconds == pytest.approx(apart.work_seconds / 4)
    assert many.read_bytes < alone.read_bytes  # 20 times the memory keeps more
    assert "Bowling et al. 2015" in str(many)
    assert json.dumps(many.facts())
    assert not list(tmp_path.iterdir())


def test_an_average_that_begins_late_moves_fewer_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(lossless_forecast, "node_actions_per_second", lambda _: 1e12)  # the disk takes all the time
    royal = Game.bundled("royal")
    how = {"lossless": True, "tables": "int8", "memory_gb": 18.5, "out": tmp_path / "x.h5"}
    first, late = (
        forecast_lossless(Settings(royal, None, 100, averaging_delay=delay, **how), (1, 2), 1.0) for delay in (0, 60)
    )
    moved = late.read_bytes + late.written_bytes
    without = late.delayed_read_bytes + late.delayed_written_bytes
    assert without < moved / 2
    assert late.seconds == pytest.approx((40 * moved + 60 * without) / 1e9)
    assert first.seconds == pytest.approx(100 * moved / 1e9)
    assert "in the first 60, without averages" in str(late)
    assert "without averages" not in str(first)


@pytest.mark.parametrize(("game", "round_"), [(RIVERS, 2), (Game.bundled("rhode-island"), 1)], ids=str)
def test_a_rate_is_measured_on_a_late_board(game, round_, monkeypatch):
    """In a second each time by this clock: the rate is what both seats update on the board and below it."""
    clock, real, boards = count(), lossless_forecast._board, []
    monkeypatch.setattr(lossless_forecast.time, "process_time", lambda: float(next(clock)))
    monkeypatch.setattr(lossless_forecast, "_board", lambda *asked: boards.append(asked) or real(*asked))
    asked = Settings(game, None, iterations=1, lossless=True, tables="int8")
    rate = lossless_forecast.node_actions_per_second(asked)
    assert boards == [(game, round_)]
    rows, betting = SpotRows(game, real(game, round_), True, game.live(real(game, round_))), BettingTree(game)
    assert rate == sum(
        rows.num_rows[r] * betting.rounds[r].node_actions * betting.num_lines[r] for r in range(round_, game.num_rounds)
    )


def test_small_games_take_milliseconds(tmp_path, monkeypatch):
    monkeypatch.setattr(lossless_forecast, "node_actions_per_second", lambda _: 1e8)
    said = str(forecast_lossless(settings(tmp_path, memory_gb=None), disk_gbs=1.0))
    assert re.search(r"\ntables   0\.\d+ MB: regrets and averages of \d+\.\d+ kB each as int8", said)
    assert re.search(r"\nwork     0\.\d+ ms of one core an iteration", said)
    assert re.search(r"\ntime     0\.\d+ ms an iteration on 1 x 1 core: 0\.\d+ ms of comp.*, 0 seconds of disk", said)
    assert re.search(r"\nuntil    about \d\.\d ms for 5 iterations", said)


def test_minutes_bound_the_iterations(tmp_path, monkeypatch):
    monkeypatch.setattr("cfr.solver.out_of_core.lossless_forecast.node_actions_per_second", lambda _: 1000.0)
    asked = Settings(Game.bundled("leduc"), None, minutes=0.5, iterations=None, lossless=True, out=tmp_path / "x.h5")
    found = forecast_lossless(asked, disk_gbs=1.0)
    assert found.iterations == int(30 / found.iteration_seconds) > 1
    assert found.seconds == pytest.approx(30, rel=0.1)
    assert "iterations (in 0.5 minutes)" in str(found)
    long = forecast_lossless(replace(asked, minutes=1e6), disk_gbs=1.0)
    assert long.iterations == 200


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7])
def test_what_stays_in_memory_is_what_the_plan_keeps_there(share, tmp_path, monkeypatch):
    monkeypatch.setattr(piece_plan, "_LARGEST", 1)  # pieces of one board
    asked = settings(tmp_path, game=RIVERS, memory_gb=0.3)
    of = footprint(asked)
    for memory, stays in (
        (of.fixed + of.working + share * (of.in_place - of.working), share * (of.in_place - of.working)),
        (of.fixed + (1.1 + share) * of.in_place, of.whole),
    ):
        asked = replace(asked, memory_gb=memory / 1e9)
        assert of.staying(memory_of(asked)) == pytest.approx(stays, abs=0.01 * of.whole)
        assert make_plan(asked).resident_bytes == pytest.approx(stays, abs=0.01 * of.whole)


def test_tables_that_all_fit_beside_what_measuring_takes_stay_in_memory(tmp_path):
    plan = make_plan(settings(tmp_path, game=RIVERS, memory_gb=0.3))
    assert plan.resident_bytes == plan.table_bytes
    assert plan.memory_bytes < plan.least_bytes + plan.table_bytes
    tight = make_plan(settings(tmp_path, game=RIVERS, memory_gb=(plan.memory_bytes + 1) / 1e9))
    assert tight.resident_bytes == tight.table_bytes
