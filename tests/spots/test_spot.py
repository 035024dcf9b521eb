"""Exact spots: against a plain solver, by hand, and as their files answer."""

from dataclasses import replace

import numpy as np
import pytest

import cfr
from cfr.game.betting import BettingTree
from cfr.game.cards import parse_cards
from cfr.game.ranges import Range
from cfr.game.rules import Game
from cfr.hands.isomorphism import board_symmetries, permute_hands
from cfr.kernel.schedules import DISCOUNTED, SCHEDULED
from cfr.spots.asked import make_spot
from cfr.spots.fixed_play import fixed_play
from cfr.spots.lock import parse_lock
from cfr.spots.memory import spot_size
from cfr.spots.settings import SpotSettings
from cfr.spots.solve import solve_spot
from cfr.spots.solver import SpotSolver
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.spot_file import SpotStrategy
from cfr.strategy.spot import Spot, line_with_pot, parse_range
from cfr.system.errors import BadInputError, IllegalActionError, MalformedTextError
from tests.spots.plain_spot import PlainSpot
from tests.thorough import but, thorough

HULHE = Game.bundled("hulhe")
ROYAL = Game.bundled("royal")
NINES = replace(ROYAL, name="24 cards", num_ranks=6, max_raises=(3, 2, 2, 2))
SPOTS = [
    # A river, in the middle of its round.
    (ROYAL, "AsKsTdJhQd", "cc/cc/cc/cr"),
    # Turns: no suit alike; two alike, with ranges that tell them apart and with ranges that do not; hearts are missing.
    (ROYAL, "AsKhTdQc", "rc/rrc/"),
    (NINES, "AsKs9dQd", "cc/rc/c"),
]


def spot_of(game, board, line, seed=1, alike=False):
    """A spot with random ranges; they are the same after all suit permutations that keep the board, if ``alike``."""
    rng = np.random.default_rng(seed)
    ranges = rng.random((2, game.num_hands))
    if alike:
        kept = board_symmetries(parse_cards(board), game.num_board_cards, game.num_suits)
        ranges = ranges[:, permute_hands(game.hands, game.num_suits)[kept]].max(axis=1)
    else:
        ranges *= rng.random(ranges.shape) < 0.6
    return Spot(BettingTree(game).parse(line), parse_cards(board), ranges)


def random_play(spot, never=0.3, seed=3):
    """A solution of a spot that is drawn at random: ties of hands hide nothing in it."""
    rng, solver = np.random.default_rng(seed), SpotSolver(spot)
    for pair in solver.averages:
        for table in pair:
            table[...] = rng.random(table.shape) * (rng.random(table.shape) >= never)
    return solver.stored()[0]


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


def test_locks_are_not_held_in_eight_bits():
    spot = spot_of(HULHE, "Td9d6hQc2s", "rc/rc/rc/")
    locks = (parse_lock(spot, ":raise=0.9"),)
    with pytest.raises(BadInputError, match="int8 cannot hold locks"):
        SpotSettings(spot=spot, locks=locks, tables="int8")
    with pytest.raises(BadInputError, match="int8 cannot hold locks"):
        SpotSolver(spot, locks=locks, tables="int8")
    size = spot_size(spot, 1)
    assert SpotSettings(spot=spot, locks=locks).table_type(size, 0) == "bfloat16"


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


def test_the_first_line_with_a_pot():
    betting = BettingTree(HULHE)
    assert line_with_pot(betting, 2, 80) in ("rrc/rc/", "rc/rrc/", "cc/rrrc/")
    assert sum(betting.parse(line_with_pot(betting, 2, 80)).stakes) == 80
    with pytest.raises(
        BadInputError, match="pot 75: no betting line of hulhe enters this round with it; pots are 20, 40"
    ):
        line_with_pot(betting, 2, 75)


def test_ranges_of_other_decks():
    assert parse_range(ROYAL, "AA, KTs:0.5").sum() == 6 + 4 * 0.5
    leduc = Game.bundled("leduc")
    assert parse_range(leduc, "Ks, Qh:0.25").sum() == 1.25
    with pytest.raises(MalformedTextError, match="expected cards such as Ks"):
        parse_range(leduc, "KQ")
    assert parse_range(leduc, "any").tolist() == [1] * 6
    assert parse_range(leduc, "Qh:0.5 Qh:.5").sum() == 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Qh:nan", "weight 'nan' at position 4; expected a number from 0 to 1"),
        ("Qh:inf", "weight 'inf' at position 4"),
        ("Qh:-1", "weight '-1' at position 4"),
        ("Ks:-1,Qh:2", "weight '-1' at position 4"),
        ("Ks, Qh:2", "weight '2' at position 8"),
        ("Qh:", "weight '' at position 4"),
        ("Qh:1,Qh:0.5", "Qh at position 6 has weight 0.5, but 1 before"),
    ],
)
def test_weights_of_one_card_hands_are_checked(text, message):
    with pytest.raises(MalformedTextError, match=message):
        make_spot("Ks", "rc/", game=Game.bundled("leduc"), button=text)


def test_ranges_are_notation_ranges_or_weights():
    board, text = ("AsKhTdQcJd", "cc/cc/cc/"), "QQ+,AJs:0.5"
    for game in (HULHE, ROYAL):
        spots = [
            make_spot(*board, game=game, button=given)
            for given in (text, Range.parse(text), parse_range(game, text), parse_range(game, text).tolist())
        ]
        for spot in spots[1:]:
            np.testing.assert_array_equal(spot.ranges, spots[0].ranges)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.full(1326, -1.0), "a range's weights are 0 to 1; 2d2c has -1"),
        (np.full(1326, 2.0), "2d2c has 2"),
        (np.full(1326, np.nan), "2d2c has nan"),
        (np.full(1326, np.inf), "2d2c has inf"),
        (np.ones(1), r"needs 1326 weights, not an array of \(1,\)"),
        (np.ones(3), r"needs 1326 weights, not an array of \(3,\)"),
        (np.ones((2, 1326)), r"needs 1326 weights, not an array of \(2, 1326\)"),
        (1.0, r"needs 1326 weights, not an array of \(\)"),
        ([[1], [1, 2]], "needs 1326 weights, not list"),
        ({"AA": 1}, "needs 1326 weights, not dict"),
    ],
)
def test_weights_that_are_no_range_are_refused(given, message):
    for seat in ("button", "big_blind"):
        with pytest.raises(MalformedTextError, match=message):
            cfr.solve_spot("Td9d6hQc2s", "rc/rc/rc/", iterations=1, **{seat: given})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"button": "TdTs"}, "the button's range has no hand that the board does not block"),
        ({"big_blind": "AA:0"}, "the big blind's range has no hand"),
        ({"button": "AsKs", "big_blind": "AsQs"}, "every hand of one range shares a card with every hand of the other"),
        ({"pot": 20}, "pot 20: after line 'rc/rc/rc/' there are"),
        ({"line": "rc/rc/"}, "board 'Td9d6hQc2s': 5 cards, but after line 'rc/rc/' there are 4"),
        ({"line": "rc/rc/rc/cc"}, "the hand is over"),
        ({"line": None}, "say how the hand came here"),
        ({"line": None, "pot": 0}, "pot 0: no betting line"),
        ({"board": "", "line": ""}, "preflop spots of hulhe are too large"),
        ({"iterations": 0}, "iterations: 0; expected at least 1"),
        ({"locks": ["r:fold=0.4,call=0.9"]}, "the shares sum to 1.3; expected 1"),
        ({"locks": [":fold=1"]}, "fold is illegal there; legal are call, raise"),
        ({"locks": ["r:fold=2"]}, "expected a share from 0 to 1"),
        ({"locks": ["rf:fold=1"]}, "the hand is over after 'rc/rc/rc/rf'"),
        ({"locks": ["fold"]}, "expected LINE:fold=0.4"),
        ({"locks": [":call=1,check=0.5"]}, "'check=0.5'; call has a share before"),
        ({"locks": [":call=0.3,call=0.6"]}, "'call=0.6'; call has a share before"),
        ({"locks": [":call=0.3,call=0.3"]}, "'call=0.3'; call has a share before"),
        ({"locks": ["[QQ:0.25]:call=0"]}, "a hand is held or free; leave out weights between 0 and 1"),
        ({"locks": ["[QQ]:@x.csv"]}, "a file says itself which hands it holds; leave out the brackets"),
        ({"locks": ["r:dance=1"]}, "expected fold=, call= or raise= and a share"),
        ({"locks": ["r:fold=0.4,check=0.1"]}, "check is illegal there; legal are fold, call, raise"),
        ({"locks": ["r:@a\0b"]}, "not a table; expected CSV in UTF-8"),
    ],
)
def test_what_cannot_be_solved_is_said_in_one_line(changes, message):
    asked = {"board": "Td9d6hQc2s", "line": "rc/rc/rc/", "iterations": 1, **changes}
    with pytest.raises((BadInputError, MalformedTextError, IllegalActionError)) as caught:
        cfr.solve_spot(asked.pop("board"), asked.pop("line"), **asked)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


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
    ("game", "board", "line"), but(SPOTS[1:], SPOTS), ids=lambda each: str(getattr(each, "name", each))
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
