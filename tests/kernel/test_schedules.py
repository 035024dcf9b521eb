"""Schedules: by the letter of their papers in the slow twin, folded into the kernel's row update, and on Leduc."""

import re
from dataclasses import replace
from math import prod
from pathlib import Path

import h5py
import numpy as np
import pytest

from cfr.abstraction.abstraction import Abstraction
from cfr.cli.main import main
from cfr.game.rules import Game
from cfr.kernel.best_response import measure
from cfr.kernel.chance import enumerate_deal
from cfr.kernel.reference import Reference
from cfr.kernel.schedules import LOSSLESS, SAMPLED, SCHEDULES, schedule_named
from cfr.kernel.traversal import Traversal, layout
from cfr.solver.checkpoint import read
from cfr.solver.forecast import make_forecast
from cfr.solver.game_solver import GameSolver
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.strategy.files.quantise import quantise
from cfr.system.errors import BadInputError
from tests.small_games import Nodes, all_boards, of_hands, opponents, randomise, short_deck, states

LEDUC = Game.bundled("leduc")
GAMES = {
    "kuhn": Game.bundled("kuhn"),
    "leduc": LEDUC,
    "two rounds": short_deck("two rounds", 2, 4, (0, 3), (1, 1)),
}
DOCS = Path(__file__).parents[2] / "docs"


NAMES = [schedule.name for schedule in LOSSLESS]


def run_of(game: Game, schedule: str) -> GameSolver:
    return GameSolver(Settings(game, None, iterations=1, schedule=schedule), Abstraction.lossless(game))


@pytest.mark.parametrize("schedule", NAMES)
@pytest.mark.parametrize("name", GAMES)
def test_the_kernel_equals_the_twin(name, schedule):
    game = GAMES[name]
    run, twin = run_of(game, schedule), Reference(game, schedule=schedule)
    assert run.traversal.dtype == np.float64
    # Where actions tie, rounding would choose between them (docs/method.md): start from random regrets.
    randomise(run.regrets, np.random.default_rng(7))
    for accumulated, predicted in zip(run.accumulated, run.regrets, strict=False):
        for target, source in zip(accumulated, predicted, strict=True):
            target[...] = source
    spots = []
    regrets = Nodes(run, run.regrets)
    for state in states(twin.betting):
        boards = all_boards(game, state.round)
        rows = run.rows.rows(state.round, np.array(boards, np.uint8).reshape(len(boards), -1))
        together = np.bincount(rows[rows >= 0])
        for board, numbers in zip(boards, rows, strict=True):
            live = np.flatnonzero(numbers >= 0)
            spots.append((state, board, live, numbers[live]))
            values = regrets(state, numbers[live]) * opponents(game) / together[numbers[live], None]
            twin.regrets[state.line_string, board] = of_hands(game, live, values)
    for iteration in range(1, 5 if game.num_hole_cards == 1 else 3):
        run.step()
        for seat in (0, 1):
            twin.update(seat, iteration)
    learnt = {"regrets": Nodes(run, run.regrets), "sums": Nodes(run, run.averages)}
    for state, board, live, numbers in spots:
        for kind, nodes in learnt.items():
            mine = np.maximum(nodes(state, numbers), 0)
            total = mine.sum(axis=1, keepdims=True)
            mine = np.where(total > 0, mine / np.where(total > 0, total, 1), 1 / mine.shape[1])
            np.testing.assert_allclose(mine, twin.strategy(state, board, kind)[live], rtol=0, atol=1e-9)
    measured = measure(run.traversal, enumerate_deal(game, run.rows), run.averages)
    assert measured.exploitability * game.big_blind / 1000 == pytest.approx(twin.exploitability(), rel=1e-9)


def test_discounts_are_those_of_the_papers():
    kept = {name: [schedule.kept(t) for t in (1, 4)] for name, schedule in SCHEDULES.items()}
    assert kept["cfr"] == [(1, 1), (1, 1)]
    assert kept["cfr+"] == kept["pcfr+"] == kept["cfr-br"] == [(1, 0), (1, 0)]
    assert kept["linear"] == [(0.5, 0.5), (pytest.approx(4 / 5), pytest.approx(4 / 5))]
    alpha = 1 + 4 / 50
    assert kept["hs-dcfr"] == [(0.5, 0.5), (pytest.approx(4**alpha / (4**alpha + 1)), pytest.approx(1 / 17))]
    assert kept["dcfr"] == [(0.5, 0.5), (pytest.approx(8 / 9), 0.5)]
    assert [schedule.weight(3) for schedule in LOSSLESS] == [1, 3, 3, 9, 243, 9]


# Exploitability in mbb/g of the average strategy after 50 and 100 iterations; by then rounding has its say, most of all
# where negative regrets are kept and discounted: a change of 1e-14 in iteration 5 is one of 2e-4 in iteration 100.
LEDUC_AFTER = {
    "cfr": (189.083466, 95.716353),
    "cfr+": (34.12145649, 13.41599497),
    "linear": (68.99518452, 34.48969802),
    "dcfr": (22.92183229, 7.753411853),
    "hs-dcfr": (31.67611716, 6.587347788),
    "pcfr+": (42.31578222, 19.80125755),
}
LEDUC_VALUE = -85.606424078  # of the first seat, mbb/g


@pytest.mark.parametrize("schedule", NAMES)
def test_leduc_after_50_and_100_iterations(schedule):
    run = run_of(LEDUC, schedule)
    deal = enumerate_deal(LEDUC, run.rows)
    for expected, tolerance in zip(LEDUC_AFTER[schedule], (1e-6, 1e-2), strict=True):
        for _ in range(50):
            run.step()
        measured = measure(run.traversal, deal, run.averages)
        assert measured.exploitability == pytest.approx(expected, rel=tolerance)
        first, second = measured.best_response
        assert -second < LEDUC_VALUE < first
        assert measured.self_play[0] == pytest.approx(LEDUC_VALUE, abs=measured.exploitability)


@pytest.mark.parametrize("schedule", NAMES)
def test_a_resumed_solve_ends_in_the_same_file(schedule, tmp_path):
    settings = {"iterations": 20, "schedule": schedule}
    straight = solve(Settings(LEDUC, None, out=tmp_path / "straight.h5", **settings))
    half = GameSolver(Settings(LEDUC, None, out=tmp_path / "half.h5", **settings), Abstraction.lossless(LEDUC))
    for _ in range(9):
        half.step()
    kept = half.save_checkpoint()
    resumed = solve(Settings(LEDUC, None, out=tmp_path / "half.h5", resume=kept, **settings))
    assert resumed.exploitability_mbb == straight.exploitability_mbb
    with h5py.File(straight.file) as one, h5py.File(resumed.file) as other:
        assert one.attrs["checksum"] == other.attrs["checksum"]
        assert one.attrs["schedule"] == other.attrs["schedule"] == schedule


def test_a_checkpoint_of_another_schedule_is_refused(tmp_path):
    settings = Settings(LEDUC, None, iterations=2, schedule="dcfr", out=tmp_path / "leduc.h5")
    run = GameSolver(settings, Abstraction.lossless(LEDUC))
    run.step()
    kept = run.save_checkpoint()
    assert read(kept).identity["schedule"] == "dcfr"
    with pytest.raises(BadInputError, match="another solve, which differs in: schedule"):
        GameSolver(replace(settings, schedule="linear", resume=kept), run.rows)


@pytest.mark.parametrize("schedule", [each.name for each in LOSSLESS if each not in SAMPLED])
def test_buckets_are_solved_by_cfr_plus_and_cfr_br_only(schedule):
    with pytest.raises(BadInputError, match=re.escape(f"schedule {schedule}: only games solved without buckets")):
        Settings(Game.bundled("hulhe"), (30, 20, 20), iterations=1, schedule=schedule)
    for each in SAMPLED:
        Settings(Game.bundled("hulhe"), (30, 20, 20), iterations=1, schedule=each.name)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["hulhe", "--schedule", "dcfr", "--preset", "quick"], "schedule dcfr: only games solved without buckets"),
        (["leduc", "--schedule", "fsicfr"], "invalid choice: 'fsicfr'"),
        (["--resume", "l.h5.checkpoint", "--schedule", "cfr"], "leave out --schedule"),
    ],
)
def test_the_command_line_refuses_in_one_line(arguments, says, capsys):
    try:
        code = main(["solve", *arguments])
    except SystemExit as stop:  # what argparse refuses
        code = stop.code
    said = capsys.readouterr().err
    assert code == 2
    assert says in said
    assert said.count("\n") == 1


def test_the_command_line_solves_and_resumes_by_schedule(tmp_path, capsys):
    out = tmp_path / "kuhn.h5"
    assert main(["solve", "kuhn", "--schedule", "pcfr+", "--target", "0.01", "--out", str(out)]) == 0
    assert "exploitability" in capsys.readouterr().out
    with h5py.File(out) as file:
        assert file.attrs["schedule"] == "pcfr+"
        assert file.attrs["algorithm"] == "predictive CFR+, all boards"
        assert file.attrs["exploitability_mbb"] <= 0.01
    settings = Settings(Game.bundled("kuhn"), None, iterations=9, schedule="pcfr+", out=tmp_path / "half.h5")
    half = GameSolver(settings, Abstraction.lossless(settings.game))
    half.step()
    assert main(["solve", "--resume", str(half.save_checkpoint()), "--iterations", "9"]) == 0
    with h5py.File(settings.out) as file:
        assert (file.attrs["schedule"], file.attrs["iterations"]) == ("pcfr+", 9)


def test_steps_fall_once_opponents_respond():
    assert [SCHEDULES["cfr-br"].step(iteration, 100) for iteration in (100, 400, 10_000)] == [1, 0.5, 0.1]
    assert SCHEDULES["cfr-br"].step(9, 0) == pytest.approx(1 / 3)
    assert {SCHEDULES[name].step(400, 100) for name in SCHEDULES if name != "cfr-br"} == {1}


def test_an_unknown_schedule_is_named():
    with pytest.raises(
        BadInputError, match=r"schedule 'fsicfr\+'; expected one of cfr, cfr\+, linear, dcfr, hs-dcfr, pcfr\+"
    ):
        schedule_named("fsicfr+")


@pytest.mark.parametrize(("iterations", "better"), [(10, "current"), (50, "average")])
def test_the_better_strategy_is_stored(iterations, better, tmp_path):
    run = run_of(LEDUC, "cfr+")
    for _ in range(iterations):
        run.step()
    deal = enumerate_deal(LEDUC, run.rows)
    tables = {"average": run.averages, "current": run.regrets}
    exploitability = {kind: measure(run.traversal, deal, table).exploitability for kind, table in tables.items()}
    assert min(exploitability, key=exploitability.__getitem__) == better
    result = solve(Settings(LEDUC, None, iterations=iterations, schedule="cfr+", out=tmp_path / "leduc.h5"))
    assert result.strategy == better
    assert result.exploitability_mbb == pytest.approx(exploitability[better], rel=1e-12)
    assert f"exploitability {exploitability[better]:.3g} mbb/g of the {better} strategy" in str(result)
    stored = []
    with h5py.File(result.file) as file:
        assert file.attrs["strategy"] == better
        assert file.attrs["exploitability_mbb"] == result.exploitability_mbb
        assert file.attrs["stored_exploitability_mbb"] == result.stored_exploitability_mbb
        for number, merged in enumerate(
            np.maximum(run.traversal.tree.by_line(t, r), 0) for r, t in enumerate(tables[better])
        ):
            probabilities = file[f"rounds/{number}/probabilities"][...]
            places = run.rows.places[number]
            assert np.array_equal(probabilities, quantise(merged[places], run.traversal.tree.betting.rounds[number]))
            back = np.argsort(places)
            stored.append(run.traversal.tree.by_seat(probabilities[back], number, np.float64))
        assert file.attrs["self_play_button_mbb"] == result.self_play_button_mbb
    rounded = measure(run.traversal, deal, stored)
    assert result.stored_exploitability_mbb == pytest.approx(rounded.exploitability, rel=1e-12)
    assert result.self_play_button_mbb == pytest.approx(rounded.self_play[1], rel=1e-12)
    assert result.stored_exploitability_mbb != pytest.approx(result.exploitability_mbb, rel=1e-6)


def test_a_prediction_takes_a_third_table():
    game = Game.bundled("holdem-2-1")
    plain, predictive = (make_forecast(Settings(game, None, iterations=1, schedule=name)) for name in ("cfr+", "pcfr+"))
    tree = layout(game)
    shapes = [tree.table_shape(r, seat, rows) for r, rows in enumerate(plain.rows) for seat in (0, 1)]
    cells = sum(prod(shape) for shape in shapes)
    assert predictive.memory_bytes - plain.memory_bytes == 4 * cells


def test_sums_too_small_to_be_inverted_count_as_none():
    abstraction = Abstraction.lossless(LEDUC)
    deal = enumerate_deal(LEDUC, abstraction)
    traversal = Traversal(layout(LEDUC), 1)
    uniform, tiny = (traversal.zeros(abstraction.num_rows) for _ in range(2))
    for table in (table for tables in tiny for table in tables):
        table[..., ::3] = 1e-41
    for mode in ("average", "best"):
        assert np.array_equal(traversal.run(deal, tiny, 0, mode), traversal.run(deal, uniform, 0, mode))


def test_every_schedule_is_documented():
    method = (DOCS / "method.md").read_text("utf-8")
    for schedule in SCHEDULES.values():
        assert f"| `{schedule.name}` | {schedule.title} |" in method


# Iterations to the target, and the value of the seat that acts last after the first round in mbb/g, as docs/lossless.md
# has them.
SOLVED = [
    ("holdem-2-1", 1.0, 64, 129.0),
    ("rhode-island", 1.0, 384, 131.1),
    ("holdem-2-4", 1.0, 224, 83.0),
    ("flop-holdem", 5.0, 64, 55.8),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "target", "iterations", "value"), SOLVED)
def test_games_that_fit_are_solved(name, target, iterations, value, tmp_path):
    settings = Settings(Game.bundled(name), None, target_mbb=target, threads=2, out=tmp_path / f"{name}.h5")
    result = solve(settings)
    assert result.exploitability_mbb <= target
    assert result.iterations <= 1.25 * iterations  # a float32 sum in another order may cost one more measurement
    assert result.self_play_button_mbb == pytest.approx(value, abs=result.stored_exploitability_mbb)


@pytest.mark.parametrize("solved", SOLVED, ids=lambda solved: solved[0])
def test_solved_games_are_documented(solved):
    name, target, iterations, value = solved
    lossless = (DOCS / "lossless.md").read_text("utf-8")
    assert f"cfr solve {name} --target {target:g}" in lossless
    row = next(line for line in lossless.splitlines() if line.startswith(f"| `{name}` | "))
    assert f"| {iterations} |" in row
    assert f"{value:+}" in row
