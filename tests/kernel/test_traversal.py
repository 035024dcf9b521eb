"""The kernel against its slow twin, published values, and itself at other thread counts and vector widths."""

from math import comb

import numpy as np
import pytest

from cfr._native.cpu import levels
from cfr.abstraction.abstraction import Abstraction
from cfr.game.cards import parse_cards
from cfr.game.evaluate import strengths
from cfr.game.rules import Game
from cfr.kernel import builds, chance
from cfr.kernel.best_response import measure
from cfr.kernel.chance import enumerate_below, enumerate_deal, in_visiting_order, sample_boards, sampled_deal
from cfr.kernel.reference import Reference
from cfr.kernel.traversal import Traversal, Visit, layout
from tests.small_games import (
    GAMES,
    Coarse,
    Nodes,
    Scattered,
    Solver,
    all_boards,
    of_hands,
    opponents,
    randomise,
    states,
)
from tests.thorough import thorough, with_thorough


@pytest.mark.parametrize("name", with_thorough(["three rounds"], GAMES))
def test_all_modes_equal_the_reference(name):
    game = GAMES[name]
    solver, reference = Solver(game), Reference(game)
    randomise(solver.regrets, np.random.default_rng(0))
    # A row of the kernel is the sum of all hands and boards that suit symmetry exchanges; the twin keeps them apart.
    spots = []
    regrets = Nodes(solver, solver.regrets)
    for state in states(reference.betting):
        boards = all_boards(game, state.round)
        cards = np.array(boards, np.uint8).reshape(len(boards), -1)
        rows = solver.abstraction.rows(state.round, cards)
        together = np.bincount(rows[rows >= 0])
        for board, numbers in zip(boards, rows, strict=True):
            live = np.flatnonzero(numbers >= 0)
            spots.append((state, board, live, numbers[live]))
            share = opponents(game) / together[numbers[live], None]
            values = regrets(state, numbers[live]) * share
            reference.regrets[state.line_string, board] = of_hands(game, live, values)
    for seat in (0, 1):
        sums = [tables[seat] for tables in solver.averages]
        mine = solver.traversal.run(solver.deal, solver.regrets, seat, "update", Visit(weight=3.0), averages=sums)
        np.testing.assert_allclose(mine, reference.update(seat, 3.0), rtol=1e-9, atol=1e-11)
    learnt = {"regrets": Nodes(solver, solver.regrets), "sums": Nodes(solver, solver.averages)}
    for kind, nodes in learnt.items():
        mine = np.concatenate([played(nodes(state, numbers)).ravel() for state, _, _, numbers in spots])
        theirs = np.concatenate(
            [reference.strategy(state, board, kind)[live].ravel() for state, board, live, _ in spots]
        )
        np.testing.assert_allclose(mine, theirs, rtol=1e-7, atol=1e-9)
    for seat in (0, 1):
        average = solver.traversal.run(solver.deal, solver.averages, seat, "average")
        np.testing.assert_allclose(average, reference.average(seat), rtol=1e-9, atol=1e-11)
        best = solver.traversal.run(solver.deal, solver.averages, seat, "best")
        np.testing.assert_allclose(best, reference.best(seat), rtol=1e-9, atol=1e-11)
        assert (best >= average - 1e-12).all()


def played(rows):
    """The strategy of rows that are not negative."""
    total = rows.sum(axis=1, keepdims=True)
    return np.where(total > 0, rows / np.where(total > 0, total, 1), 1 / rows.shape[1])


def test_a_step_weighs_regrets_and_not_the_average():
    found = []
    for step in (1.0, 0.25):
        solver = Solver(GAMES["leduc"])
        sums = [pair[0] for pair in solver.averages]
        values = solver.traversal.run(
            solver.deal, solver.regrets, 0, "update", Visit(weight=3.0, kept=(1.0, 1.0), step=step), averages=sums
        )
        found.append((values, [pair[0] for pair in solver.regrets], sums))
    (values, regrets, sums), (fewer, less, same) = found
    np.testing.assert_allclose(fewer, 0.25 * values, rtol=1e-12)
    for each, other in zip(regrets, less, strict=True):
        np.testing.assert_allclose(other, 0.25 * each, rtol=1e-12)
    for each, other in zip(sums, same, strict=True):
        assert each.any()
        np.testing.assert_allclose(other, each, rtol=1e-12)


@pytest.mark.parametrize("caps", [(1, 1, 1, 1), pytest.param((3, 4, 4, 4), marks=pytest.mark.slow)])
def test_river_boards_of_the_full_deck_equal_brute_force(caps):
    game = Game("capped", (10, 5), (10, 10, 20, 20), (1, 0, 0, 0), caps, 4, 13, 2, (0, 3, 1, 1))
    rng = np.random.default_rng(2)
    rows = Coarse(Scattered(game), 7)
    boards = sample_boards(game, 2, rng)
    deal = sampled_deal(game, rows, boards)
    wide, narrow = (Traversal(layout(game, dtype), 1, dtype) for dtype in (np.float64, np.float32))
    tables = [tuple(rng.random(t.shape, np.float32) for t in pair) for pair in narrow.zeros(rows.num_rows)]
    exact = [  # in vectors of another width
        tuple(wide.tree.taken_over(t, r, seat, narrow.tree).astype(np.float64) for seat, t in enumerate(pair))
        for r, pair in enumerate(tables)
    ]
    for seat in (0, 1):
        theirs = _brute_force(wide, rows, exact, seat, boards[seat])
        np.testing.assert_allclose(wide.run(deal, exact, seat, "average", Visit(seat)), theirs, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(narrow.run(deal, tables, seat, "average", Visit(seat)), theirs, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize(
    ("board", "suits"),
    [("2c3c4cKcAc", 3), ("2c2d4cKdAc", 2), ("2h2s2d2cAc", 3), ("2c3d4hKcAd", 1), ("2c3c4cKc", 3), ("2c2d4cKd", 2)],
)
def test_what_suit_symmetries_exchange_is_computed_once(monkeypatch, board, suits):
    """The same values as hand by hand, from a board of which ``suits`` suits are alike."""
    game = Game("capped", (10, 5), (10, 10, 20, 20), (1, 0, 0, 0), (1, 1, 1, 4), 4, 13, 2, (0, 3, 1, 1))
    rng, kernel = np.random.default_rng(4), Traversal(layout(game, np.float64), 1, np.float64)
    rows, cards = Coarse(Abstraction.lossless(game), 30), parse_cards(board)
    first = len(cards) - 2
    tables = [tuple(rng.random(t.shape) for t in pair) for pair in kernel.zeros(rows.num_rows)]
    for round_ in range(first, 4):
        for seat in (0, 1):
            kernel.tree.plan(tables[round_][seat], round_, seat)
    reach = rng.random((2, kernel.tree.rounds[first].stride, rows.num_rows[first]))
    numbers = rows.rows(first, np.array([cards], np.uint8))[0]
    reach = np.where(numbers >= 0, reach[:, :, numbers], 0.0)  # the hands of a row alike
    once = [None] * first + enumerate_below(game, rows, np.array(cards))
    alone = np.arange(4, dtype=np.uint8), np.arange(game.num_hands, dtype=np.int16)
    with monkeypatch.context() as context:
        for every, each in zip((chance.suit_classes, chance.hand_classes), alone, strict=True):

            def classes(boards, *rest, every=every, each=each):
                return np.tile(each, (len(boards), 1)) if boards.shape[1] == 5 else every(boards, *rest)

            context.setattr(chance, every.__name__, classes)
        singly = [None] * first + enumerate_below(game, rows, np.array(cards))
    assert once[3].showdowns.suit_count.max() == suits
    assert once[3].showdowns.alike.max() == (1, 2, 6)[suits - 1]
    parts = [below[3].showdowns.by_card_end[:, -1].sum() for below in (once, singly)]
    assert (parts[0] < parts[1]) == (suits > 1)
    for seat in (0, 1):
        for mode in ("average", "best", "measure"):
            found, expected = (
                kernel.run_round(first, below, tables, seat, mode, reach, scale=0.5) for below in (once, singly)
            )
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
            assert expected.any()


def _brute_force(kernel: Traversal, rows: Coarse, tables: list, seat: int, board: np.ndarray) -> np.ndarray:
    """Value of every hand over one dealt board: each betting line, every pair of hands, one matrix of results."""
    game, betting = kernel.tree.game, kernel.tree.betting
    merged = [kernel.tree.by_line(pair, r).astype(float) for r, pair in enumerate(tables)]
    strength = strengths([board], game.hands)[0].astype(int)
    apart = (game.hands[:, None, :, None] != game.hands[None, :, None, :]).all(axis=(2, 3)).astype(float)
    result = np.sign(strength[:, None] - strength[None, :]) * apart
    dealt = np.cumsum(game.num_board_cards)
    numbers = [rows.rows(r, np.array([board[:k]]))[0] for r, k in enumerate(dealt)]
    odds = [
        comb(52 - int(k) + n - 2, n) / comb(52 - int(k) + n - 4, n)
        for k, n in zip(dealt, game.num_board_cards, strict=True)
    ]

    def walk(state, reach):
        live = numbers[state.round] >= 0
        if state.is_over:
            chips = state.payoff(seat)[seat] if state.folded is None else state.payoff(None)[seat]
            return chips * ((result if state.at_showdown else apart) @ (reach * live)) * live
        index = betting.rounds[state.round].action_index[state.node]
        table = merged[state.round][numbers[state.round][:, None], index[index >= 0], state.line]
        played = table / table.sum(axis=1, keepdims=True)
        value = np.zeros(len(live))
        for a, action in enumerate(state.legal):
            after = state.act(action)
            chance = odds[after.round] if after.round > state.round else 1.0
            if state.actor == seat:
                value += chance * played[:, a] * walk(after, reach * live)
            else:
                value += chance * walk(after, reach * live * played[:, a])
        return value * live

    return walk(betting.root, np.ones(game.num_hands)) * (numbers[-1] >= 0) / comb(50, 2)


@pytest.mark.parametrize(("game", "chips"), [("kuhn", -1 / 18), ("leduc", -0.085606424078)])
def test_published_values(game, chips):
    solver = Solver(Game.bundled(game))
    solver.iterate(3000)
    measured = measure(solver.traversal, solver.deal, solver.averages)
    scale = Game.bundled(game).big_blind / 1000
    value = measured.self_play[0] * scale
    assert value == pytest.approx(chips, abs=2e-5)
    assert measured.self_play[0] == pytest.approx(-measured.self_play[1], abs=1e-9)
    assert -measured.best_response[1] * scale <= chips <= measured.best_response[0] * scale
    assert measured.exploitability * scale < 1e-4


@pytest.mark.parametrize(("game", "antes"), [("kuhn", 0.458333), ("leduc", 2.373611)])
def test_uniform_play(game, antes):
    assert Solver(Game.bundled(game)).exploitability() == pytest.approx(antes, abs=1e-6)


def test_leduc_after_10_and_100_iterations():
    # After 1000, rounding decides the second digit: CFR+ amplifies it tenfold every 20 iterations (docs/method.md).
    solver = Solver(GAMES["leduc"])
    solver.iterate(10)
    assert f"{solver.exploitability():.7g}" == "0.6104389"
    solver.iterate(90)
    assert f"{solver.exploitability():.6g}" == "0.013416"
    assert solver.exploitability() == pytest.approx(0.01341599, abs=5e-9)
    solver.iterate(900)
    assert solver.exploitability() == pytest.approx(0.0002571516, rel=0.1)


@pytest.mark.parametrize("name", ["leduc", *thorough("three rounds"), "two rounds"])
def test_float32_solves_too(name):
    narrow, wide = Solver(GAMES[name], dtype=np.float32), Solver(GAMES[name])
    # Not fewer: while exact ties between actions last, rounding chooses, and the two differ by a fifth either way.
    narrow.iterate(500)
    wide.iterate(500)
    big_blind = GAMES[name].big_blind
    assert narrow.exploitability() < wide.exploitability() + 1e-4 * big_blind


def _sampled_tables(threads: int, met: bool) -> list[np.ndarray]:
    game = Game.bundled("hulhe")
    rows = Coarse(Scattered(game), 20)
    deal = sampled_deal(game, rows, sample_boards(game, 2, np.random.default_rng(3)), threads)
    kernel = Traversal(layout(game), threads)
    regrets, averages = kernel.zeros(rows.num_rows), kernel.zeros(rows.num_rows)
    for root in (0, 1, 0):
        for seat in (0, 1):
            sums = [tables[seat] for tables in averages]
            if met:
                kernel.run(deal, regrets, 1 - seat, "respond", Visit(root))
            kernel.run(deal, regrets, seat, "update", Visit(root, weight=root + 1.0), averages=sums, met=met)
    return [kernel.tree.by_line(pair, r) for tables in (regrets, averages) for r, pair in enumerate(tables)]


@pytest.mark.parametrize("met", [False, True])
def test_same_bits_at_any_number_of_threads_and_vector_width(monkeypatch, met):
    expected = _sampled_tables(1, met)
    for threads in (2, 3):
        assert all(map(np.array_equal, _sampled_tables(threads, met), expected))
    for level in levels():
        monkeypatch.setitem(builds.KERNELS, np.dtype(np.float32), (builds.load_level("traverse", level),))
        assert all(map(np.array_equal, _sampled_tables(2, met), expected))


@pytest.mark.parametrize("name", ["two rounds", "three rounds"])
def test_boards_side_by_side_give_the_same_bits(name):
    one, two = Solver(GAMES[name], 1), Solver(GAMES[name], 2)
    for a, b in zip(one.iterate(3), two.iterate(3), strict=True):
        assert np.array_equal(a, b)
    assert _same(one.regrets + one.averages, two.regrets + two.averages)


def _same(some: list, others: list) -> bool:
    pairs = zip(some, others, strict=True)
    return all(np.array_equal(a, b) for one, two in pairs for a, b in zip(one, two, strict=True))


def test_tables_of_another_shape_are_refused():
    solver = Solver(GAMES["leduc"])
    solver.regrets[1] = solver.regrets[0]
    with pytest.raises(ValueError, match="round 1, seat 0: expected a C-contiguous"):
        solver.iterate(1)


def test_a_prepared_traversal_repeats_like_single_ones():
    once, often = Solver(GAMES["leduc"]), Solver(GAMES["leduc"])
    prepared = [
        often.traversal.prepare(
            often.deal, often.regrets, seat, "update", averages=[tables[seat] for tables in often.averages]
        )
        for seat in (0, 1)
    ]
    values = []
    for iteration in range(1, 6):
        for traversal in prepared:
            traversal.run(Visit(weight=float(iteration)))
            values.append(traversal.values.copy())
    for mine, expected in zip(values, once.iterate(5), strict=True):
        assert np.array_equal(mine, expected)
    assert _same(often.regrets + often.averages, once.regrets + once.averages)


def test_a_prepared_traversal_keeps_its_tables_and_boards():
    solver = Solver(GAMES["leduc"])
    randomise(solver.regrets, np.random.default_rng(1))
    expected = solver.traversal.run(solver.deal, solver.regrets, 0, "best")
    prepared = solver.traversal.prepare(
        enumerate_deal(GAMES["leduc"], solver.abstraction),
        [(pair[0].copy(), pair[1].copy()) for pair in solver.regrets],
        0,
        "best",
    )
    for tables in [solver.traversal.zeros(solver.abstraction.num_rows) for _ in range(3)]:
        randomise(tables, np.random.default_rng(2))  # in memory that is free, if any is
    prepared.run()
    assert np.array_equal(prepared.values, expected)


def test_rows_in_visiting_order_change_where_they_stand_and_nothing_else():
    game = GAMES["leduc"]
    abstraction = Abstraction.lossless(game)
    plain = enumerate_deal(game, abstraction)
    ordered, rows = in_visiting_order(plain, abstraction)
    for number, (before, after) in enumerate(zip(plain.rounds, ordered.rounds, strict=True)):
        visited = [row for board, count in zip(after.rows, after.row_count, strict=True) for row in board[:count]]
        assert list(dict.fromkeys(visited)) == list(range(abstraction.num_rows[number]))
        found = rows.rows(number, after.cards)
        live = found >= 0
        assert np.array_equal(np.take_along_axis(after.rows, after.slot.astype(int), axis=1)[live], found[live])
        assert np.array_equal(live, abstraction.rows(number, before.cards) >= 0)
        assert np.array_equal(before.slot, after.slot)
    kernel = Traversal(layout(game, np.float64), dtype=np.float64)
    tables = [kernel.zeros(abstraction.num_rows) for _ in range(2)]
    randomise(tables[0], np.random.default_rng(3))
    for number, (pair, other) in enumerate(zip(*tables, strict=True)):
        for table, target in zip(pair, other, strict=True):
            target[rows.places[number]] = table
    values = [kernel.run(deal, each, 0, "best") for deal, each in zip((plain, ordered), tables, strict=True)]
    assert np.array_equal(*values)


def test_few_lines_have_narrower_vectors():
    widths = builds.widths(np.float32)
    narrow, wide = layout(Game.bundled("holdem-2-1")), layout(Game.bundled("hulhe"))
    assert (narrow.lanes, wide.lanes) == (widths[-1], widths[0])
    assert narrow.lanes == builds.kernel_of(np.float32, narrow.lanes).LANES
    assert layout(Game.bundled("hulhe"), never=("c", "rrr")).lanes == wide.lanes
