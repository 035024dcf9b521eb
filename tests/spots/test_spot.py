"""Exact spots: against a plain solver, by hand, and as their files answer."""

from dataclasses import replace

import numpy as np
import pytest

import cfr
from cfr.game.betting import BettingTree
from cfr.game.cards import parse_cards
from cfr.kernel.schedules import DISCOUNTED, SCHEDULED
from cfr.spots.fixed_play import fixed_play
from cfr.spots.memory import spot_size
from cfr.spots.settings import SpotSettings
from cfr.spots.solve import solve_spot
from cfr.spots.solver import SpotSolver
from cfr.spots.spot_text import make_spot
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.spot_file import SpotStrategy
from cfr.strategy.spot import Spot
from cfr.system.errors import BadInputError
from tests.spots.plain_spot import PlainSpot
from tests.spots.random_spots import HULHE, NINES, ROYAL, SPOTS, spot_of
from tests.thorough import thorough


@pytest.mark.parametrize(
    ("game", "board", "line", "alike"),
    [
        (*SPOTS[0], False),
        pytest.param(*SPOTS[1], False, marks=pytest.mark.slow),
        *thorough((*SPOTS[2], False)),
        (*SPOTS[0], True),
        pytest.param(*SPOTS[1], True, marks=pytest.mark.slow),  # whose board has no suits alike
        *thorough((*SPOTS[2], True)),
    ],
    ids=lambda each: {True: "suits alike", False: "suits apart"}[each] if isinstance(each, bool) else None,
)
def test_iterations_are_those_of_the_plain_solver(game, board, line, alike):
    """Ranges are random: where two actions are worth the same, rounding would decide."""
    spot = spot_of(game, board, line, alike=alike)
    assert spot.is_symmetric == (alike and board == "AsKs9dQd")
    solver, plain = SpotSolver(spot, dtype=np.float64), PlainSpot(spot, SCHEDULED)
    for _ in range(3):
        solver.step(SCHEDULED)
        plain.step()
    assert solver.exploitability() == pytest.approx(plain.exploitability(), rel=1e-9)
    mass = spot.mass
    measured = solver.measure()
    for seat in (0, 1):
        assert measured.best_response[seat] == pytest.approx(
            plain.values(seat, "best") @ spot.ranges[seat] / mass, rel=1e-9
        )
        assert measured.self_play[seat] == pytest.approx(
            plain.values(seat, "average") @ spot.ranges[seat] / mass, abs=1e-9
        )
    strategy, stored = solver.stored()
    # A file keeps probabilities to 1 / 32,130.
    assert stored.exploitability == pytest.approx(measured.exploitability, abs=3e-5 * spot.pot)
    for (there, cards), _ in list(plain.sums.items())[::97]:
        state = spot.state.tree.parse(there)
        mine = strategy.range_at(state, cards)
        reached = mine.reach > 1e-6
        theirs = plain.strategy(state, cards, "sums")
        np.testing.assert_allclose(mine.frequencies[reached], theirs[reached], atol=2e-4)


def test_a_river_of_one_hand_each_is_known():
    """With the nuts against nothing the button bets always, is paid as often as the pot says, and wins it at least."""
    spot = cfr.solve_spot("AsKsQsJs2d", "rc/rc/rc/", button="TsTh", big_blind="3c3d", iterations=2000, threads=1)
    pot = spot.strategy.spot_.pot
    assert spot.value_button_mbb == pytest.approx(1000 * pot / 2 / HULHE.big_blind, rel=1e-3)
    assert spot.exploitability < 0.05
    weak = spot.probabilities("3c3d", "AsKsQsJs2d", "rc/rc/rc/cr")
    assert weak["fold"] > 0.999


def test_one_hand_that_bluffs_as_often_as_the_pot_says():
    """The polar river (Chen and Ankenman 2006, the [0, 1] game's toy): value and bluffs in the ratio of pot and bet.

    The button holds the nuts or nothing equally often, the big blind a hand that beats nothing alone, and checks. With
    one bet of b into a pot of p the button bluffs with b / (p + b) of its weak hands, and p / (p + b) of the bets are
    called.
    """
    one_bet = replace(HULHE, max_raises=(3, 4, 4, 1))
    solved = cfr.solve_spot(
        "AsKsQs2d7h", "rc/rc/cc/c", game=one_bet, button="JsTs, 4c3c", big_blind="AhQd", iterations=3000, threads=1
    )
    pot, bet = solved.strategy.spot_.pot, 20
    assert solved.probabilities("JsTs")["raise"] > 0.99
    assert solved.probabilities("4c3c")["raise"] == pytest.approx(bet / (pot + bet), abs=0.01)
    called = solved.probabilities("AhQd", "AsKsQs2d7h", "rc/rc/cc/cr")
    assert called["call"] == pytest.approx(pot / (pot + bet), abs=0.01)


@pytest.mark.parametrize("tables", ["bfloat16", *thorough("float32", "int8")])
def test_threads_change_no_bit(tables):
    spot = spot_of(NINES, "AsKs9d", "cc/", 2)
    once = [SpotSolver(spot, threads, tables=tables) for threads in (1, 2)]
    for solver in once:
        for _ in range(3):
            solver.step(DISCOUNTED)
    for one, two in zip(*(solver.averages for solver in once), strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


@pytest.mark.parametrize("river_rows", ["strength", pytest.param("hands", marks=pytest.mark.slow)])
def test_narrow_tables_lose_at_most_a_tenth(river_rows):
    spot = spot_of(NINES, "AsKs9dQd", "cc/rc/c")
    found = {}
    for tables in ("float32", "bfloat16", "int8"):
        solver = SpotSolver(spot, tables=tables, river_rows=river_rows)
        for _ in range(80):
            solver.step(SCHEDULED)
        found[tables] = solver.exploitability()
    for tables in ("bfloat16", "int8"):
        assert found[tables] != found["float32"]
        assert found[tables] < 1.1 * found["float32"]


def test_tables_are_the_widest_that_fit():
    spot = spot_of(HULHE, "Td9d6hQc", "rc/crc/")
    size, settings = spot_size(spot, 1), SpotSettings(spot=spot)
    needs = [size.memory_bytes(name) for name in ("float32", "bfloat16", "int8")]
    assert needs == sorted(needs, reverse=True)
    assert [settings.table_type(size, int(1.3 * need)) for need in needs] == ["float32", "bfloat16", "int8"]
    assert settings.table_type(size, 0) == "int8"
    assert SpotSettings(spot=spot, tables="float32").table_type(size, 0) == "float32"
    for name in ("float32", "bfloat16", "int8"):
        solver = SpotSolver(spot, tables=name)
        held = sum(table.nbytes for kind in solver.tables.values() for pair in kind for table in pair)
        assert held == size.table_bytes[name]


def test_symmetric_ranges_are_solved_once_for_all_suits():
    alike, apart = (spot_of(NINES, "AsKs9sQs", "cc/cc/", alike=True) for _ in range(2))
    assert len(alike.symmetries) == 6
    apart.__dict__["is_symmetric"] = False
    few, every = SpotSolver(alike, dtype=np.float64), SpotSolver(apart, dtype=np.float64)
    assert few.rows.num_rows[3] < every.rows.num_rows[3] / 3
    for solver in (few, every):
        solver.step(SCHEDULED)
    assert few.exploitability() == pytest.approx(every.exploitability(), rel=1e-9)
    for solver in (few, every):
        for _ in range(100):
            solver.step(SCHEDULED)
    # By now rounding has decided ties differently; what one of them has learnt is worth the same in the other.
    solution, stored = few.stored()
    there = every.measure(fixed_play(solution.source, every))
    assert there.exploitability == pytest.approx(stored.exploitability, rel=1e-9)
    assert there.self_play[0] == pytest.approx(every.measure().self_play[0], abs=2 * stored.exploitability)


@pytest.mark.parametrize("name", ["always-call", "call-raise", "uniform"])
def test_a_fixed_strategy_is_measured_from_the_spot_on(name):
    """Against the values of a strategy that is asked hand by hand."""
    strategy = BuiltIn(name, ROYAL)
    state = BettingTree(ROYAL).parse("cc/cc/")
    spot = Spot(state, parse_cards("AsKhTdQc"), np.ones((2, ROYAL.num_hands)))
    solver = SpotSolver(spot, dtype=np.float64)
    measured = solver.measure(fixed_play(strategy.source, solver))
    values = cfr.expected_values(strategy, "AsKhTdQc", "cc/cc/", 1)
    assert measured.self_play[1] == pytest.approx(values.mean_ev * ROYAL.big_blind / 1000, abs=1e-9)
    assert measured.exploitability > 0


def test_expected_values_of_a_solution_sum_to_what_the_solver_says(tmp_path):
    spot = spot_of(NINES, "AsKs9dQd", "cc/rc/c", 3)
    result = solve_spot(SpotSettings(spot=spot, iterations=20, out=tmp_path / "spot.h5"))
    with SpotStrategy.open(tmp_path / "spot.h5") as strategy:
        for seat, expected in ((1, result.value_button_mbb), (0, result.value_big_blind_mbb)):
            assert cfr.expected_values(strategy, seat=seat).mean_ev == pytest.approx(expected, abs=1e-3)
        below = strategy.spot("AsKs9dQdTh", "cc/rc/cc/")
        assert below[0].round == 3


def test_a_file_answers_for_its_spot_and_nothing_else(tmp_path):
    solved = cfr.solve_spot("AsKhTdQc", "cc/rc/", game=ROYAL, iterations=5, out=tmp_path / "royal.h5")
    with SpotStrategy.open(tmp_path / "royal.h5") as strategy:
        assert strategy.spot("", "") == (strategy.spot_.state, parse_cards("AsKhTdQc"))
        assert strategy.probabilities("JsJc") == solved.probabilities("JsJc")
        river = strategy.range("AsKhTdQcJh", "cc/rc/rc/")
        np.testing.assert_array_equal(river.frequencies, solved.range("AsKhTdQcJh", "cc/rc/rc/").frequencies)
        assert [line for line, _ in strategy.walk("AsKhTdQcJh", "cc/rc/rc/")] == ["cc/rc/", "cc/rc/r", "cc/rc/rc/"]
        for board, line in [("AsKhTd", "cc/"), ("AsKhTdJc", "cc/rc/"), ("AsKhTdQc", "cc/cc/")]:
            with pytest.raises(BadInputError, match="only what follows board AsKhTdQc"):
                strategy.range(board, line)
    with pytest.raises(BadInputError, match="the solution of a spot, not of a whole game"):
        cfr.Strategy.open(tmp_path / "royal.h5")


def test_a_watch_hears_every_iteration_and_may_end_the_solve():
    spot = make_spot("Td9d6hQc2s", "rc/rc/rc/", button="QQ+", big_blind="JJ-88")
    heard = []
    result = solve_spot(SpotSettings(spot=spot, target_percent=0.5), watch=lambda *now: heard.append(now))
    assert [iterations for iterations, _ in heard] == list(range(1, result.iterations + 1))
    assert heard[0][1] is None
    assert heard[-1][1] <= 0.5

    def leave(iterations, percent):
        if iterations == 5:
            raise KeyError(percent)

    with pytest.raises(KeyError):
        solve_spot(SpotSettings(spot=spot, target_percent=0.5), watch=leave)


@pytest.mark.parametrize("button", ["AA,KK,QJs,87s", "AA"])
@pytest.mark.parametrize("board", ["Td9d6d2d", "Td9d6h2h", "Td9d9h2c"])
def test_symmetric_ranges_of_few_hands_are_measured_as_those_of_many(board, button):
    alike, apart = (make_spot(board, "rc/rc/", button=button, big_blind="JJ-88,AQs,KQo:0.5") for _ in range(2))
    assert alike.is_symmetric == (board != "Td9d9h2c")
    apart.__dict__["is_symmetric"] = False
    result = solve_spot(SpotSettings(spot=alike, iterations=60))
    every = SpotSolver(apart)
    there = every.measure(fixed_play(result.strategy.source, every))
    percent = 100 * there.exploitability / alike.pot
    assert result.exploitability_percent_of_pot == pytest.approx(percent, abs=1e-4)


@pytest.mark.parametrize("tables", ["bfloat16", *thorough("int8")])
def test_a_flop_in_small_numbers_is_stored_without_its_rivers(tables):
    """Rounds that are stored are measured in other numbers than the last one, which is as it was solved."""
    spot = spot_of(replace(NINES, max_raises=(1, 1, 1, 1)), "AsKs9d", "cc/")
    results = [
        solve_spot(SpotSettings(spot=spot, iterations=5, tables=each, without_rivers=True))
        for each in ("float32", tables)
    ]
    plain, small = (each.exploitability_percent_of_pot for each in results)
    assert small == pytest.approx(plain, rel=0.1)
    assert small != plain
    assert [each.strategy.attributes["tables"] for each in results] == ["float32", tables]
    assert len(results[1].strategy.rounds) == 2
