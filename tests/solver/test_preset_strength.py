"""Forecasts of strength: what was measured is predicted where it is left out, and nothing is said without data."""

import re
from pathlib import Path

import pytest

from cfr.cli.main import main
from cfr.game.rules import Game
from cfr.solver.preset_strength import MEASURED, StrengthCurve, StrengthForecast, forecast_strength
from cfr.solver.presets import PRESETS
from cfr.solver.settings import Settings
from cfr.solver.solve import SolveResult

HULHE = Game.bundled("hulhe")
DOCS = Path(__file__).parents[2] / "docs" / "strength.md"
POINTS = [(name, point) for name, points in MEASURED.items() for point in points]
INNER = [(name, point) for name, points in MEASURED.items() for point in points[1:-1]]


def settings(name="quick", game=HULHE, **changes):
    preset = PRESETS[name]
    buckets = preset.buckets
    usual = preset.usual(game, buckets, True)
    return Settings(game, **{"buckets": buckets, **usual, **preset.fixed(game, buckets), **changes})


@pytest.mark.parametrize(("name", "point"), INNER, ids=[f"{name} {point.iterations}" for name, point in INNER])
def test_solves_between_others_are_predicted_within_the_error_when_they_are_left_out(name, point):
    said = StrengthCurve(MEASURED[name]).without(point).forecast(point.iterations)
    assert said is not None
    assert abs(said.exploitability_mbb - point.exploitability_mbb) <= said.error_mbb
    assert said.error_mbb < 25


@pytest.mark.parametrize("name", MEASURED)
def test_the_curve_falls_and_its_error_grows_beyond_what_was_measured(name):
    curve = StrengthCurve(MEASURED[name])
    low, high = (edge(point.iterations for point in MEASURED[name]) for edge in (min, max))
    inside = [curve.forecast(round(low * (high / low) ** (step / 8))) for step in range(9)]
    found = [each.exploitability_mbb for each in inside]
    assert found == sorted(found, reverse=True)
    assert max(each.error_mbb for each in inside) < 10
    beyond = curve.forecast(2 * high)
    assert found[-1] > beyond.exploitability_mbb > 0
    assert beyond.error_mbb > inside[-1].error_mbb
    edge_left_out = StrengthCurve(MEASURED[name][:-1]).forecast(high)
    assert abs(edge_left_out.exploitability_mbb - MEASURED[name][-1].exploitability_mbb) <= edge_left_out.error_mbb
    for far in (0, low // 5, 5 * high):
        assert curve.forecast(far) is None


def test_the_table_is_that_of_the_page():
    section = DOCS.read_text("utf-8").partition("## How strength grows with iterations")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \| [^|]* \| ([\d.]+) \|$", section, re.MULTILINE)
    assert rows == [(n, f"{p.iterations:,}", f"{p.exploitability_mbb:.1f}") for n, p in POINTS]


def test_too_few_points_make_no_curve():
    assert StrengthCurve(MEASURED["quick"][:3]).forecast(MEASURED["quick"][0].iterations) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"game": Game.bundled("royal"), "never": ()},
        {"buckets": (5000, 4000, "4x260")},
        {"purge": 0.0},
        {"never": ()},
        {"rivers": 1},
        {"warm_up": 0.5},
        {"schedule": "cfr+", "never": ()},
        {"tables": "bfloat16"},
        {"target_mbb": 90.0},
        {"name": "workstation"},  # measured twice: too few for a curve that can be checked
    ],
    ids=str,
)
def test_nothing_is_said_without_data(changes):
    assert forecast_strength(settings(), 19_000) is not None
    assert forecast_strength(settings(minutes=1.0, threads=7, seed=5), 19_000) is not None
    assert forecast_strength(settings(**changes), 300_000 if "name" in changes else 19_000) is None


def test_a_dry_run_says_what_this_machine_reaches(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cfr.solver.forecast.time_iterations", lambda *_: (0.01, 0.02))
    assert main(["solve", "--preset", "quick", "--dry-run"]) == 0
    slow = capsys.readouterr().out
    [line] = [line for line in slow.splitlines() if line.startswith("result")]
    assert re.fullmatch(
        r"result  about \d+ ± \d+ mbb/g exploitable, by this machine's iterations: a forecast; cfr exploit .*", line
    )
    monkeypatch.setattr("cfr.solver.forecast.time_iterations", lambda *_: (0.005, 0.01))
    assert main(["solve", "--preset", "quick", "--dry-run"]) == 0
    [faster] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("result")]
    assert int(faster.split()[2]) < int(line.split()[2])
    assert main(["solve", "--preset", "quick", "--iterations", "19000", "--dry-run"]) == 0
    assert f"result  {forecast_strength(settings(), 19_000)}" in capsys.readouterr().out
    assert main(["solve", "--preset", "quick", "--purge", "0.01", "--dry-run"]) == 0
    assert "result" not in capsys.readouterr().out


def test_the_last_line_of_a_solve_says_it():
    result = SolveResult("x.h5", "hulhe", 19_000, 300.0, 0, 2, expected=StrengthForecast(99.4, 5.6))
    assert str(result).splitlines()[-1] == "about 99 ± 6 mbb/g exploitable, a forecast; measure by: cfr exploit x.h5"
    assert len(str(SolveResult("x.h5", "hulhe", 19_000, 300.0, 0, 2)).splitlines()) == 1
