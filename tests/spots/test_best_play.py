"""Best responses as strategies: they win what a best response wins, and their files play them."""

from dataclasses import replace

import numpy as np
import pytest

import cfr
from cfr.spots.best_play import best_play
from cfr.spots.blueprint_exploitability import blueprint_percent
from cfr.spots.fixed_play import fixed_play
from cfr.spots.solver import SpotSolver
from cfr.spots.spot_text import make_spot
from cfr.system.errors import BadInputError
from tests.spots.random_spots import NINES, ROYAL, SPOTS, random_play, spot_of
from tests.thorough import thorough

TURN = (ROYAL, "AsKhTdQc", "rc/rrc/")


@pytest.mark.parametrize(("game", "board", "line"), SPOTS, ids=lambda each: str(getattr(each, "name", each)))
@pytest.mark.parametrize("seat", [0, 1])
def test_the_play_wins_what_a_best_response_wins(game, board, line, seat):
    """The kernel's best response, which is that of a plain solver (test_spot), never chooses an action for a file."""
    spot = spot_of(game, board, line, seed=seat)
    found = best_play(SpotSolver(spot, dtype=np.float64), random_play(spot).source, seat)
    assert found.won == pytest.approx(found.opponent.best_response[seat], rel=1e-9)
    assert found.won > found.opponent.self_play[seat] + 0.1


def test_the_play_is_pure_and_the_opponents_is_its_own():
    spot = spot_of(*TURN)
    solver, opponent = SpotSolver(spot, dtype=np.float64), random_play(spot).source
    best_play(solver, opponent, 0)
    fixed = fixed_play(opponent, solver)
    for number, (pair, played) in enumerate(zip(solver.averages, fixed, strict=True)):
        assert set(np.unique(pair[0])) == {0, 1}
        nodes = solver.tree.rounds[number].seats[0]
        for first, count in zip(nodes.node_first - 1, nodes.node_count, strict=True):
            assert pair[0][:, :, first : first + count].sum(axis=2).max() == 1
        np.testing.assert_array_equal(pair[1], played[1])


def test_threads_change_no_bit():
    spot = spot_of(NINES, "AsKs9dQd", "cc/rc/c")
    opponent, solvers = random_play(spot), [SpotSolver(spot, threads) for threads in (1, 2)]
    assert len({best_play(solver, opponent.source, 1).won for solver in solvers}) == 1
    for one, two in zip(*(solver.averages for solver in solvers), strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


@pytest.mark.parametrize("seat", ["button", "big blind"])
def test_its_file_plays_it(tmp_path, seat):
    path, spot = tmp_path / "exploit.h5", spot_of(*TURN)
    found = cfr.exploit_spot("AsKhTdQc", "rc/rrc/", opponent=random_play(spot), seat=seat, out=path)
    assert found.gain_mbb == pytest.approx(found.best_response_mbb - found.self_play_mbb)
    assert found.gain_percent_of_pot == pytest.approx(found.gain_mbb * ROYAL.big_blind / 10 / found.strategy.spot_.pot)
    with cfr.SpotStrategy.open(path) as strategy:
        solver = SpotSolver(strategy.spot_)
        number = ROYAL.button if seat == "button" else 1 - ROYAL.button
        won = solver.measure(fixed_play(strategy.source, solver)).self_play[number] * 1000 / ROYAL.big_blind
        assert won == pytest.approx(found.best_response_mbb, abs=0.1)
        # What hands win by the file is what they win against this opponent.
        values = cfr.expected_values(strategy, "AsKhTdQc", "rc/rrc/")
        assert spot.state.actor != ROYAL.button  # the big blind
        mean = np.nansum(values.ev * values.weight) / values.weight.sum()
        assert mean * (1 if seat == "big blind" else -1) == pytest.approx(won, abs=1)
        assert strategy.attributes["seat"] == seat


def test_a_spots_file_is_exploited_as_far_as_it_is_exploitable():
    solved = cfr.solve_spot("AsKhTdQc", "rc/rrc/", game=ROYAL, iterations=20, threads=1)
    gains = [
        cfr.exploit_spot("AsKhTdQc", "rc/rrc/", opponent=solved.strategy, seat=seat).gain_percent_of_pot
        for seat in ("button", "big blind")
    ]
    assert sum(gains) / 2 == pytest.approx(solved.exploitability, rel=1e-3)


def test_an_opponent_that_tells_suits_apart_is_played_against_as_it_is():
    """Against a lock on hands of one suit; as a symmetric spot they would share rows with those of the others."""
    game = replace(NINES, max_raises=(1, 1, 1, 1))
    asked = ("AsKs9sQs", "cc/cc/")
    solved = cfr.solve_spot(*asked, game=game, iterations=20, locks=["[AcKc]:raise=1", "[AhKh]:check=1"], threads=1)
    other = "button" if solved.strategy.spot_.state.actor != game.button else "big blind"
    found = cfr.exploit_spot(*asked, opponent=solved.strategy, seat=other, threads=1)
    shown = found.strategy.range(*asked)
    assert not found.strategy.source.rows.is_symmetric
    np.testing.assert_allclose(shown.frequencies, solved.strategy.range(*asked).frequencies, atol=1e-4)
    plain = cfr.solve_spot(*asked, game=game, iterations=2, threads=1).strategy
    assert cfr.exploit_spot(*asked, opponent=plain, threads=1).strategy.source.rows.is_symmetric


def test_a_solved_spot_is_exploited_where_it_plays():
    solved = cfr.solve_spot("AsKhTdQc", "rc/rrc/", game=ROYAL, button="QQ+", big_blind="TT+", iterations=2).strategy
    how = {"opponent": solved, "button": "QQ+", "big_blind": "TT+"}
    for line in ("cc/cc/", "rrc/rrc/"):
        with pytest.raises(BadInputError, match=f"line {line!r}: only what follows board AsKhTdQc, line 'rc/rrc/'"):
            cfr.exploit_spot("AsKhTdQc", line, **how)
    assert cfr.exploit_spot("AsKhTdQc", "rc/rrc/", **how).gain_mbb > 0
    with pytest.raises(BadInputError, match="is solved without some hands in the ranges of"):
        cfr.exploit_spot("AsKhTdQc", "rc/rrc/", **how | {"button": "TT+"})
    with pytest.raises(BadInputError, match=r"^threads: -1; expected 1 to 4096$"):
        cfr.exploit_spot("AsKhTdQc", "rc/rrc/", **how, threads=-1)


def test_what_cannot_be_exploited():
    narrow = cfr.solve_spot("AsKhTdQc", "rc/rrc/", game=ROYAL, button="QQ+", big_blind="QQ+", iterations=2)
    with pytest.raises(BadInputError, match="without some hands"):
        cfr.exploit_spot("AsKhTdQc", "rc/rrc/", opponent=narrow.strategy, button="JJ+", big_blind="JJ+")
    with pytest.raises(BadInputError, match="expected button or big blind"):
        cfr.exploit_spot("AsKhTdQc", "rc/rrc/", opponent=narrow.strategy, seat="dealer")
    with pytest.raises(BadInputError, match="only what follows board AsKhTdQc"):
        cfr.exploit_spot("AsKhTdQd", "rc/rrc/", opponent=narrow.strategy)


@pytest.mark.parametrize(
    ("game", "board", "line"), [TURN, (NINES, "AsKs9dQd", "cc/rc/c"), *thorough((ROYAL, "AsKhTd", "rc/cr"))]
)
def test_a_strategy_is_as_exploitable_by_its_own_rows_as_hand_by_hand(game, board, line):
    spot = spot_of(game, board, line)
    played = random_play(spot)
    solver = SpotSolver(spot, dtype=np.float64)
    exact = 100 * solver.measure(fixed_play(played.source, solver)).exploitability / spot.pot
    assert blueprint_percent(played, spot) == pytest.approx(exact, rel=1e-6)
    assert blueprint_percent(played, spot, threads=2) == blueprint_percent(played, spot)


def test_buckets_are_as_exploitable_as_their_hands():
    """Ranges that tell suits apart, and the middle of a round, too."""
    with cfr.Strategy.open() as strategy:
        for line, ranges in (("rc/crc/c", {}), ("rc/crc/", {"button": "AsKs,QQ,JTs", "big_blind": "88+,AdKd,KQ"})):
            spot = make_spot("Td9d6hQc", line, strategy=strategy, **ranges)
            solver = SpotSolver(spot)
            exact = 100 * solver.measure(fixed_play(strategy.source, solver)).exploitability / spot.pot
            assert blueprint_percent(strategy, spot) == pytest.approx(exact, rel=1e-4)
