"""Rivers by strength: against a plain solver, known and golden counts, files, and from coarse to fine."""

import os
import signal
from itertools import combinations, count

import numpy as np
import pytest

import cfr
from cfr._native.cpu import levels
from cfr.game.evaluate import strengths
from cfr.hands.boards import BoardMap
from cfr.hands.isomorphism import permute_hands, suit_permutations
from cfr.hands.river_rows import RIVER_ROWS
from cfr.kernel import builds
from cfr.kernel.schedules import DISCOUNTED, SCHEDULED
from cfr.spots.fixed_play import fixed_play
from cfr.spots.forecast import forecast_spot
from cfr.spots.lock import parse_lock
from cfr.spots.memory import spot_size
from cfr.spots.plan import plan_spot
from cfr.spots.river_floor import Measured, RiverFloor
from cfr.spots.settings import SpotSettings
from cfr.spots.solve import solve_spot
from cfr.spots.solver import SpotSolver
from cfr.spots.spot_text import make_spot
from cfr.strategy import spot_rows
from cfr.strategy.files.spot_file import SpotStrategy
from cfr.strategy.spot import Spot
from cfr.system.errors import BadInputError, Interrupted
from tests.spots.plain_spot import PlainSpot
from tests.spots.random_spots import HULHE, NINES, ROYAL, SPOTS, spot_of
from tests.thorough import thorough

TURN = ("AsKs9dQd", "cc/rc/c")


def rounds_of(solver):
    return [table for pair in solver.averages for table in pair]


@pytest.mark.parametrize(
    ("game", "board", "line", "alike"),
    [
        (*SPOTS[0], False),
        (*SPOTS[0], True),
        pytest.param(*SPOTS[2], False, marks=pytest.mark.slow),
        *thorough((*SPOTS[2], True)),
    ],
)
def test_iterations_are_those_of_the_plain_solver(game, board, line, alike):
    spot = spot_of(game, board, line, alike=alike)
    solver = SpotSolver(spot, dtype=np.float64, river_rows="strength")
    plain = PlainSpot(spot, SCHEDULED, by_strength=True)
    for _ in range(3):
        solver.step(SCHEDULED)
        plain.step()
    measured, mass = solver.measure(), spot.mass
    for seat in (0, 1):  # best responses choose for each hand
        best, won = (plain.values(seat, mode) @ spot.ranges[seat] / mass for mode in ("best", "average"))
        assert measured.best_response[seat] == pytest.approx(best, rel=1e-9)
        assert measured.self_play[seat] == pytest.approx(won, abs=1e-9)
        assert best >= won
    strategy = solver.stored()[0]
    for (there, cards), _ in list(plain.sums.items())[::97]:
        state = spot.state.tree.parse(there)
        mine = strategy.range_at(state, cards)
        reached = mine.reach > 1e-6
        np.testing.assert_allclose(mine.frequencies[reached], plain.strategy(state, cards, "sums")[reached], atol=2e-4)


@pytest.mark.parametrize(("board", "hands", "by_strength"), [("Td9d6hQc", 51_888, 2_915), ("Kh8h3hKd", 28_397, 3_415)])
def test_rows_of_two_turns(board, hands, by_strength):
    spot = make_spot(board, pot=60, button="any", big_blind="any")
    assert spot_size(spot, 1).rows[-1] == hands
    size = spot_size(spot, 1, "strength")
    assert size.rows[-1] == by_strength
    assert size.rows[0] == spot_size(spot, 1).rows[0]
    solver = SpotSolver(spot, river_rows="strength")
    assert solver.rows.num_rows == (0, 0, *size.rows)
    held = sum(table.nbytes for kind in solver.tables.values() for pair in kind for table in pair)
    assert held == size.table_bytes["float32"]


@pytest.mark.slow
def test_rows_of_all_holdem():
    """Counted on the 134,459 boards of five cards up to suits; each stands for several orders of dealing."""
    dealt, boards = BoardMap((3, 1, 1), HULHE.deck), BoardMap((5,), HULHE.deck)
    number = boards.locate(dealt.boards)[0]
    groups = np.empty(len(boards), np.int64)
    for start in range(0, len(boards), 4096):
        found = np.sort(strengths(boards.boards[start : start + 4096], HULHE.hands), axis=1)
        groups[start : start + 4096] = (np.diff(found, axis=1) > 0).sum(axis=1)  # from 0, which is no strength
    assert len(boards) == 134_459
    assert int(groups[number].sum()) == 197_555_422
    every = np.array(list(combinations(range(52), 5)), np.uint8)
    assert groups[boards.locate(every)[0]].mean() == pytest.approx(74.70443254, abs=1e-8)


def test_the_value_is_zero_sum_and_suits_do_not_matter():
    spot = spot_of(NINES, *TURN)
    suits = suit_permutations(4)[9].astype(int)
    board = [(card & 0xFC) + int(suits[card & 3]) for card in spot.board]
    images = permute_hands(NINES.hands, 4)[9]
    ranges = np.empty_like(spot.ranges)
    ranges[:, images] = spot.ranges
    other = Spot(spot.state, tuple(board), ranges)
    found = []
    for each in (spot, other):
        solver = SpotSolver(each, dtype=np.float64, river_rows="strength")
        for _ in range(3):  # later, rounding decides between actions that are worth the same
            solver.step(SCHEDULED)
        found.append(solver.measure())
        assert sum(found[-1].self_play) == 0
        assert found[-1].exploitability > 0
    assert found[0].exploitability == pytest.approx(found[1].exploitability, rel=1e-9)
    assert found[0].self_play == pytest.approx(found[1].self_play, rel=1e-9)


@pytest.mark.parametrize("tables", ["float32", "bfloat16", "int8"])
def test_threads_change_no_bit(tables):
    spot = spot_of(NINES, "AsKs9d", "cc/", 2)
    once = [SpotSolver(spot, threads, tables=tables, river_rows="strength") for threads in (1, 2)]
    for solver in once:
        for _ in range(3):
            solver.step(DISCOUNTED)
    assert all(np.array_equal(one, two) for one, two in zip(*map(rounds_of, once), strict=True))


@pytest.mark.parametrize("tables", ["float32", "bfloat16", "int8"])
@pytest.mark.parametrize("game", [ROYAL, NINES], ids=["four bets", "two bets"])
def test_every_build_computes_the_same_bits(monkeypatch, game, tables):
    spot = spot_of(game, "AsKsTdQd", "cc/rc/c", alike=True)
    found = []
    for level in ("base", *levels()):
        monkeypatch.setitem(builds.KERNELS, np.dtype(np.float32), (builds.load_level("traverse", level),))
        for river_rows in RIVER_ROWS:
            solver = SpotSolver(spot, tables=tables, river_rows=river_rows)
            for _ in range(3):
                solver.step(DISCOUNTED)
            found.append(
                [
                    numbers
                    for kind in (solver.regrets, solver.averages)
                    for number, pair in enumerate(kind)
                    for numbers in solver.tree.by_line(pair, number)
                ]
            )
    for other in range(len(RIVER_ROWS), len(found)):
        assert all(map(np.array_equal, found[other], found[other % len(RIVER_ROWS)]))


@pytest.mark.parametrize("tables", ["float32", "bfloat16"])
def test_hands_begin_as_their_strengths_played(tables):
    spot = spot_of(NINES, *TURN, alike=True)
    coarse = SpotSolver(spot, tables=tables, river_rows="strength")
    for _ in range(10):
        coarse.step(SCHEDULED)
    fine = coarse.by_hand()
    assert (fine.iterations, fine.table_type, fine.rows.river_rows) == (10, tables, "hands")
    assert fine.rows.num_rows[3] > 2 * coarse.rows.num_rows[3]
    assert fine.exploitability() == pytest.approx(coarse.exploitability(), rel=1e-2 if tables == "bfloat16" else 1e-5)
    for _ in range(150):
        coarse.step(SCHEDULED)
        fine.step(SCHEDULED)
    assert fine.exploitability() < coarse.exploitability() / 2


def test_a_file_says_what_its_rivers_are_and_answers(tmp_path):
    spot = spot_of(NINES, *TURN, 3)
    how = {"spot": spot, "iterations": 20, "tables": "float32"}
    result = solve_spot(SpotSettings(**how, out=tmp_path / "x.h5", river_rows="strength"))
    assert "rivers by strength" in str(result)
    assert result.river_rows == "strength"
    with SpotStrategy.open(tmp_path / "x.h5") as strategy:
        assert strategy.attributes["river_rows"] == "strength"
        assert strategy.attributes["format_version"] == 7
        assert strategy.num_rows == result.strategy.num_rows
        for seat, expected in ((1, result.value_button_mbb), (0, result.value_big_blind_mbb)):
            assert cfr.expected_values(strategy, seat=seat).mean_ev == pytest.approx(expected, abs=1e-3)
        solver = SpotSolver(spot)
        measured = solver.measure(fixed_play(strategy.source, solver))
        assert 1000 * measured.exploitability / NINES.big_blind == pytest.approx(result.exploitability_mbb, rel=1e-5)
        river, board = strategy.spot("AsKs9dQdTh", "cc/rc/cc/")
        there = strategy.range_at(river, board)
        strength = strengths(np.array([board], np.uint8), NINES.hands)[0] * spot.held
        for tied in np.unique(strength[strength > 0]):
            assert np.ptp(there.frequencies[strength == tied], axis=0).max() == 0
        strategy.save(tmp_path / "again.h5")
    with SpotStrategy.open(tmp_path / "again.h5") as again:
        assert again.num_rows == result.strategy.num_rows
    solve_spot(SpotSettings(**how, out=tmp_path / "hands.h5"))
    with SpotStrategy.open(tmp_path / "hands.h5") as strategy:  # as before, whatever reads it
        assert strategy.attributes["format_version"] == 4
        assert strategy.attributes["river_rows"] == "hands"


@pytest.fixture
def small_decks(monkeypatch):
    monkeypatch.setattr(spot_rows, "_SMALLEST_DECK", 20)


def test_a_target_below_the_floor_ends_by_hand(small_decks):
    spot = spot_of(NINES, *TURN)
    floor = solve_spot(SpotSettings(spot=spot, target_percent=0.05, river_rows="strength"))
    assert floor.river_rows == "strength"
    assert floor.exploitability_percent_of_pot > 0.05
    assert "the target of 0.05 % was not reached, --river-rows hands has no floor" in str(floor)
    fine = solve_spot(SpotSettings(spot=spot, target_percent=0.05))
    assert fine.river_rows == "hands"
    assert 0 < fine.exploitability_percent_of_pot <= 0.05
    assert "rivers by hand" in str(fine)
    assert solve_spot(SpotSettings(spot=spot, target_percent=3)).river_rows == "strength"


def test_a_resumed_solve_goes_on_by_hand_when_it_would_have(tmp_path, small_decks):
    spot = spot_of(NINES, *TURN)

    def solved(stop=None, resume=None):
        def watch(iterations, _percent):
            if iterations == stop:
                os.kill(os.getpid(), signal.SIGINT)

        out = tmp_path / "x.h5"
        return solve_spot(SpotSettings(spot=spot, target_percent=0.05, out=out, resume=resume), watch=watch)

    whole = solved()
    assert whole.river_rows == "hands"
    for stop, now in ((10, "strength"), (30, "strength"), (whole.iterations - 5, "hands")):
        with pytest.raises(Interrupted):
            solved(stop)
        kept = tmp_path / "x.h5.checkpoint"
        assert cfr.spots.checkpoint.read(kept).river_rows == now
        again = solved(resume=kept)
        assert again.iterations == whole.iterations
        for one, two in zip(again.strategy.rounds, whole.strategy.rounds, strict=True):
            assert np.array_equal(one.stored, two.stored)
            assert np.array_equal(one.left, two.left)


def test_the_default_follows_the_table():
    turn, river = make_spot("Td9d6hQc", "rc/crc/", button="any"), make_spot("Td9d6hQc2s", "rc/crc/cc/", button="any")
    locks = (parse_lock(turn, ":raise=0.9"),)
    assert SpotSettings(spot=turn).first_river_rows == "strength"
    for settings in (
        SpotSettings(spot=turn, iterations=9),
        SpotSettings(spot=turn, locks=locks),
        SpotSettings(spot=turn, tables="int8"),
        SpotSettings(spot=turn, river_rows="hands"),
        SpotSettings(spot=river),
        SpotSettings(spot=spot_of(ROYAL, "AsKhTdQc", "rc/rrc/")),
    ):
        assert (settings.first_river_rows, settings.may_go_on_by_hand) == ("hands", False)
    forecast = forecast_spot(SpotSettings(spot=turn, river_rows="strength", target_percent=0.1))
    assert "rivers by strength;" in str(forecast)
    assert forecast.rows < 3_000
    both = forecast_spot(SpotSettings(spot=turn, target_percent=0.1))
    assert "rivers by strength first;" in str(both)
    by_hand = forecast_spot(SpotSettings(spot=turn, river_rows="hands", target_percent=0.1))
    assert forecast.memory_bytes < by_hand.memory_bytes < both.memory_bytes


def test_a_solve_stays_by_strength_where_hands_fit_in_8_bits_alone():
    """The kernel alone writes tables of 8 bits, so that a solve could not go on in them."""
    turn = make_spot("Td9d6hQc", "rc/crc/", button="any")
    settings = SpotSettings(spot=turn, target_percent=0.1)
    large, small = plan_spot(settings, 4_000_000_000), plan_spot(settings, 200_000_000)
    assert (large.river_rows, large.goes_on_by_hand, large.tables) == ("strength", True, "float32")
    assert (small.river_rows, small.goes_on_by_hand, small.tables) == ("strength", False, "bfloat16")
    assert small.memory_bytes < 200_000_000 < large.memory_bytes


def test_a_forecast_counts_what_cores_cost_each_other(monkeypatch):
    """By a clock that goes a second at each look: one core takes a second for a board and a block of lines."""
    clock = count()
    monkeypatch.setattr("cfr.spots.forecast.time.perf_counter", lambda: float(next(clock)))
    turn = make_spot("Td9d6hQc", "rc/crc/", button="any")
    one, sixteen, many = (
        forecast_spot(SpotSettings(spot=turn, river_rows="hands", iterations=9, threads=threads)).seconds_per_iteration
        for threads in (1, 16, 24)
    )
    assert one == round(one)
    assert sixteen == pytest.approx(1.6 * one / 16)
    assert many == pytest.approx(1.6 * one / 24)


def test_what_rivers_by_strength_cannot_do_is_said_in_one_line(tmp_path):
    spot = make_spot("Td9d6hQc2s", "rc/rc/rc/", button="any")
    locks = (parse_lock(spot, ":raise=0.9"),)
    for wrong in (
        lambda: SpotSettings(spot=spot, locks=locks, river_rows="strength"),
        lambda: SpotSolver(spot, locks=locks, river_rows="strength"),
    ):
        with pytest.raises(BadInputError, match="cannot hold locks, which are about hands; use river rows by hand"):
            wrong()
    with pytest.raises(BadInputError, match="river rows: 'cards'; expected auto, hands, strength"):
        SpotSettings(spot=spot, river_rows="cards")


@pytest.mark.parametrize("floor", [0.0, 0.12])
def test_the_floor_of_a_curve_is_found(floor):
    found = RiverFloor()
    for iterations in (16, 18, 32, 64):  # 18 is too near 16
        found.add(Measured(iterations, floor + 100 * iterations**-1.7))
    assert found.percent == pytest.approx(floor, abs=1e-12)
    assert found.slows(0.1) == (floor > 0.05)
    assert not found.ends(0.1)  # there is still much to solve
    found.add(Measured(1000, floor + 100 * 1000**-1.7))
    assert found.ends(0.1) == (floor > 0.1)
    assert not found.ends(0.2)
