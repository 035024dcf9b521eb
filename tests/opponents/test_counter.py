"""Counter-strategies: the greedy end is a best response, the family trades wins for safety, mixes keep their bound."""

import numpy as np
import pytest

from cfr.exploit.exploitability import exploitability
from cfr.opponents import situation
from cfr.opponents.counter import Countering
from cfr.opponents.tilt import Tilt
from cfr.opponents.tilted import Tilted
from cfr.opponents.trade import Mix, Point, best_mix, coins, measured, within
from cfr.strategy.files.stored import Strategy


@pytest.fixture(scope="module")
def model(leduc, tmp_path_factory):
    """One that calls too much."""
    tilt = Tilt(np.zeros((situation.count(leduc.game), 2, 4)), 0.05)
    tilt.parameters[:, 0, 0] = -2
    path = tmp_path_factory.mktemp("model") / "x.h5"
    Tilted(leduc, tilt).save(path, {"algorithm": "tilted"})
    with Strategy.open(path) as strategy:
        yield strategy


@pytest.fixture(scope="module")
def points(leduc, model, tmp_path_factory):
    """The blueprint, then confidences 0.5, 0.8 and 1."""
    found = [measured(0.0, leduc, model, None)]
    for confidence in (0.5, 0.8, 1.0):
        path = tmp_path_factory.mktemp("counter") / "x.h5"
        solver = Countering(model, confidence)
        for _ in range(500):
            solver.step()
        solver.save(path, {"algorithm": "counter"})
        with Strategy.open(path) as strategy:
            found.append(measured(confidence, strategy, model, None))
    return found


def test_the_greedy_end_is_a_best_response(model, points):
    best = exploitability(model).exploitability_mbb
    assert points[-1].win_mbb == pytest.approx(best, rel=0.01)
    assert points[-1].win_mbb <= best + 1e-6


def test_more_confidence_wins_and_risks_more(points):
    wins, risks = ([getattr(each, name) for each in points] for name in ("win_mbb", "exploitability_mbb"))
    assert wins == sorted(wins)
    assert risks == sorted(risks)
    assert wins[1] > wins[0] + 1
    assert risks[-1] > 5 * risks[0]


def test_each_point_is_the_best_for_its_coin(points):
    for best in points[1:]:
        worth = [p * each.win_mbb - (1 - p) * each.exploitability_mbb for each in points if (p := best.confidence)]
        assert max(worth) - worth[points.index(best)] < 3


def test_without_confidence_it_is_an_equilibrium(model, tmp_path):
    solver = Countering(model, 0.0)
    for _ in range(300):
        solver.step()
    solver.save(tmp_path / "x.h5", {"algorithm": "counter"})
    with Strategy.open(tmp_path / "x.h5") as strategy:
        assert exploitability(strategy).exploitability_mbb < 60


def test_threads_do_not_change_a_counter(model, tmp_path):
    files = []
    for threads in (1, 2):
        solver = Countering(model, 0.8, threads)
        for _ in range(5):
            solver.step()
        solver.save(tmp_path / f"{threads}.h5", {"algorithm": "counter"})
        with Strategy.open(tmp_path / f"{threads}.h5") as strategy:
            files.append([strategy.table(r)[:] for r in range(2)])
    assert all(np.array_equal(one, two) for one, two in zip(*files, strict=True))


def test_the_memory_is_that_of_tables_in_use(hulhe, leduc):
    for model in (hulhe, leduc):
        solver = Countering(model, 0.5)
        for _ in range(8):
            solver.step()
        sampled = not model.abstraction.separates_boards
        of_opponents = [solver._tables[seat][-1][1 - seat] for seat in (0, 1)]
        assert any(each.any() for each in of_opponents) is not sampled
        every = [table for tables in (*solver._tables, solver._averages) for pair in tables for table in pair]
        every += [table for tables in solver._models for table in tables]
        unused = sum(each.nbytes for each in of_opponents) if sampled else 0
        assert Countering.memory_bytes(model) == pytest.approx(sum(each.nbytes for each in every) - unused, rel=0.01)


def test_buckets_learn_on_sampled_boards(hulhe, tmp_path):
    solver = Countering(hulhe, 0.9, 2)
    for _ in range(12):
        solver.step()
    solver.save(tmp_path / "x.h5", {"algorithm": "counter"})
    with Strategy.open(tmp_path / "x.h5") as strategy:
        assert strategy.shares_rows(hulhe)
        first = strategy.read(0, slice(None))
        assert (np.ptp(first, axis=0) > 0).any()  # hands are told apart


def test_the_bound_of_a_mix_is_its_mean():
    safe, middle, greedy = Point(0.0, 10, 5, 0), Point(0.5, 60, 45, 0), Point(1.0, 110, 1005, 0)
    assert within([safe, middle, greedy], 60) == middle
    assert within([safe, middle, greedy], 10) == safe
    mix = best_mix([safe, middle, greedy], 20)
    assert mix == Mix(safe, middle, 0.5)
    assert (mix.win_mbb, mix.worst_mbb) == (35, 25)
    mix = best_mix([safe, middle, greedy], 136)
    assert (mix.safer, mix.greedier, mix.share) == (middle, greedy, pytest.approx(0.1))
    assert mix.worst_mbb == pytest.approx(safe.exploitability_mbb + 136)
    assert best_mix([safe, middle, greedy], 5000).win_mbb == 110


def test_coins_lead_from_the_safest_point_to_the_greediest():
    blueprint, safe, idle = Point(0, 10, 66, 0), Point(0.2, 60, 80, 0), Point(0.5, 61, 200, 0)
    greedy, worse = Point(1, 200, 480, 0), Point(0.9, 190, 900, 0)
    found = coins([blueprint, safe, idle, worse, greedy], 4)
    assert [(each.safer, each.greedier) for each in found[::4]] == [(blueprint, safe), (safe, greedy), (greedy, greedy)]
    assert [each.share for each in found] == [0, 0.25, 0.5, 0.75, 0, 0.25, 0.5, 0.75, 1]
    for each in found:
        best = best_mix([blueprint, safe, idle, worse, greedy], each.worst_mbb - 66)
        assert each.win_mbb == pytest.approx(best.win_mbb)
    assert coins([blueprint], 4) == [Mix(blueprint, blueprint, 1.0)]
    better = Point(0.2, 20, 60, 0)  # than the blueprint, in both
    assert coins([blueprint, better], 4) == [Mix(better, better, 1.0)]
