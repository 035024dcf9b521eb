"""Locks of a spot: they hold, the other seat adapts, and best responses stay within them."""

import numpy as np
import pytest

import cfr
from cfr.game.cards import parse_cards
from cfr.kernel.schedules import SCHEDULED
from cfr.spots.fixed_play import fixed_play
from cfr.spots.lock import parse_lock
from cfr.spots.memory import spot_size
from cfr.spots.settings import SpotSettings
from cfr.spots.solve import solve_spot
from cfr.spots.solver import SpotSolver
from cfr.spots.spot_text import make_spot
from cfr.strategy.built_in import BuiltIn
from cfr.system.errors import BadInputError, MalformedTextError
from tests.spots.plain_spot import PlainSpot
from tests.spots.random_spots import HULHE, ROYAL, SPOTS, random_play, spot_of
from tests.thorough import with_thorough


def test_locks_are_not_held_in_eight_bits():
    spot = spot_of(HULHE, "Td9d6hQc2s", "rc/rc/rc/")
    locks = (parse_lock(spot, ":raise=0.9"),)
    with pytest.raises(BadInputError, match="int8 cannot hold locks"):
        SpotSettings(spot=spot, locks=locks, tables="int8")
    with pytest.raises(BadInputError, match="int8 cannot hold locks"):
        SpotSolver(spot, locks=locks, tables="int8")
    size = spot_size(spot, 1)
    assert SpotSettings(spot=spot, locks=locks).table_type(size, 0) == "bfloat16"


def test_a_lock_holds_and_the_other_seat_adapts():
    locked = ["r:fold=0.4", "r[AsKh]:call=1"]
    plain = cfr.solve_spot("Td9d6hQc2s", "rc/rc/rc/", iterations=100, threads=1)
    free = plain.range("Td9d6hQc2s", "rc/rc/rc/r")
    held = cfr.solve_spot("Td9d6hQc2s", "rc/rc/rc/", iterations=100, threads=1, locks=locked)
    there = held.range("Td9d6hQc2s", "rc/rc/rc/r")
    live = there.frequencies.sum(axis=1) > 0
    number = HULHE.hand_number(parse_cards("AsKh"))
    assert there.frequencies[number].tolist() == [0, 1, 0]
    live[number] = False
    np.testing.assert_allclose(there.frequencies[live], [[0.4, 0.3, 0.3]] * live.sum(), atol=1e-12)
    assert not np.allclose(free.frequencies[live], 1 / 3, atol=0.2)
    # Who may not fold less than 0.4 is bluffed more often.
    assert held.frequencies["raise"] > plain.frequencies["raise"]
    assert held.value_button_mbb < plain.value_button_mbb


def test_a_lock_on_one_hand_leaves_isomorphic_hands_free():
    """The board has clubs and spades alike; two locks of such hands differ."""
    board = "Td9d6dQh2h"
    locks = ["[AcKc]:call=1", "[AsKs]:raise=1"]
    ranges = {"button": "any", "big_blind": "any"}
    held = cfr.solve_spot(board, "rc/rc/rc/", iterations=5, threads=1, locks=locks, **ranges)
    assert held.probabilities("AcKc", board, "rc/rc/rc/") == {"call": 1.0, "raise": 0.0}
    assert held.probabilities("AsKs", board, "rc/rc/rc/") == {"call": 0.0, "raise": 1.0}
    free = cfr.solve_spot(board, "rc/rc/rc/", iterations=50, threads=1, **ranges)
    once = cfr.solve_spot(board, "rc/rc/rc/", iterations=50, threads=1, locks=["[AcKc]:raise=1"], **ranges)
    assert once.probabilities("AsKs", board, "rc/rc/rc/")["raise"] < 0.9
    assert free.strategy.num_rows[3] < once.strategy.num_rows[3]
    # A lock on both keeps them in one row.
    both = cfr.solve_spot(board, "rc/rc/rc/", iterations=5, threads=1, locks=["[AcKc,AsKs]:raise=1"], **ranges)
    assert both.strategy.num_rows == free.strategy.num_rows


def test_what_is_no_table_is_no_lock(tmp_path):
    spot = make_spot("Td9d6dQh2h", "rc/rc/rc/", button="any", big_blind="any")
    (tmp_path / "x.h5").write_bytes(b"\x89HDF\r\n\x1a\n\xff\xfe")
    with pytest.raises(MalformedTextError, match="not a table; expected CSV in UTF-8"):
        parse_lock(spot, f":@{tmp_path / 'x.h5'}")
    (tmp_path / "x.csv").write_text("hand,call,raise\nAcKc,0,1\n", encoding="utf-8-sig")  # as spreadsheets write it
    assert np.nansum(parse_lock(spot, f":@{tmp_path / 'x.csv'}").frequencies) == 1


def test_a_lock_needs_a_hand_of_the_range(tmp_path):
    """Of the range of the seat that decides there, whether the hands are said or in a file."""
    spot = make_spot("Td9d6dQh2h", "rc/rc/rc/", button="KK", big_blind="AcKc,7c7s")
    (tmp_path / "x.csv").write_text("hand,call,raise\nAsKs,0,1\nKcKs,0,1\n")
    for text in ("[AsKs,KK]:raise=1", f":@{tmp_path / 'x.csv'}"):
        with pytest.raises(BadInputError, match="no hand of it is in the range that decides there"):
            parse_lock(spot, text)
    (tmp_path / "x.csv").write_text("hand,call,raise\nAsKs,0,1\nAcKc,0,1\n")
    for text in ("[AsKs,AcKc]:raise=1", f":@{tmp_path / 'x.csv'}"):
        assert np.nansum(parse_lock(spot, text).frequencies) == 2


@pytest.mark.parametrize("seat", [0, 1])
def test_a_lock_of_all_that_a_seat_does_leaves_the_best_response_to_fixed_play(seat):
    spot = spot_of(ROYAL, "AsKhTdQcJd", "cc/cc/cc/")
    uniform = BuiltIn("uniform", ROYAL)
    lines = ["", "c", "r", "cr", "rr", "crr", "rrr", "crrr", "rrrr", "crrrr"]
    states = [spot.state.tree.parse(spot.state.line_string + line) for line in lines]
    locks = [
        parse_lock(spot, f"{line}:call={1 / len(state.legal)}")
        for line, state in zip(lines, states, strict=True)
        if state.actor == seat
    ]
    solver = SpotSolver(spot, locks=locks, dtype=np.float64)
    solver.step(SCHEDULED)
    fixed = solver.measure(fixed_play(uniform.source, SpotSolver(spot, dtype=np.float64)))
    plain = SpotSolver(spot, dtype=np.float64)
    expected = plain.measure(fixed_play(uniform.source, plain)).best_response[1 - seat]
    assert fixed.best_response[1 - seat] == pytest.approx(expected, rel=1e-12)
    # Who is locked everywhere has nothing to gain.
    measured = solver.measure()
    assert measured.best_response[seat] == pytest.approx(measured.self_play[seat], rel=1e-12)


def test_a_locked_spot_meets_its_target():
    spot = make_spot("Td9d6hQc2s", "rc/rc/rc/", button="QQ+", big_blind="JJ-88")
    locks = (parse_lock(spot, ":raise=0.9"),)
    result = solve_spot(SpotSettings(spot=spot, target_percent=0.1, iterations=1000, locks=locks))
    assert result.iterations < 1000
    assert 0 <= result.exploitability_percent_of_pot <= 0.1
    # Without the lock the big blind has better play against the same button.
    free = SpotSolver(spot).measure(fixed_play(result.strategy.source, SpotSolver(spot)))
    assert 100 * free.exploitability / spot.pot > 1


@pytest.mark.parametrize(
    ("game", "board", "line"), with_thorough(SPOTS[1:], SPOTS), ids=lambda each: str(getattr(each, "name", each))
)
def test_best_responses_within_locks_are_those_of_the_plain_solver(game, board, line):
    """Locks of both seats, of all hands and of some, in the spot's round and in the last one."""
    spot = spot_of(game, board, line)
    last = "r" if spot.state.round == game.num_rounds - 1 else "c/" if line.endswith("c") else "cc/"
    first = "fold=0.7" if "f" in spot.state.legal else "call=0.7"
    locks = [parse_lock(spot, text) for text in (f":{first}", f"{last}[AA,KQ]:call=0.2", "r[KK,AQ]:raise=0.3")]
    locks = list({lock.state.line_string: lock for lock in locks}.values())
    assert {lock.state.actor for lock in locks} == {0, 1}
    solver, plain = SpotSolver(spot, locks=locks, dtype=np.float64), PlainSpot(spot, SCHEDULED, locks)
    played = random_play(spot)
    plain.step()
    for there, cards in plain.sums:
        plain.sums[there, cards] = played.all_hands(spot.state.tree.parse(there), cards)
    measured = solver.measure(fixed_play(played.source, solver))
    for seat in (0, 1):
        expected = plain.values(seat, "best") @ spot.ranges[seat] / spot.mass
        assert measured.best_response[seat] == pytest.approx(expected, rel=1e-9)
    unlocked = SpotSolver(spot, dtype=np.float64).measure(fixed_play(played.source, solver))
    assert measured.exploitability < unlocked.exploitability
