"""The kernel against its slow twin, published values, and itself at other thread counts and vector widths."""

from math import comb

import numpy as np
import pytest

from cfr import deals
from cfr import traversal as module
from cfr._cpu import levels
from cfr.abstraction import Abstraction
from cfr.cards import parse_cards
from cfr.deals import enumerate_below, enumerate_deal, sample_boards, sampled_deal
from cfr.evaluate import strengths
from cfr.game import Game
from cfr.reference import Reference
from cfr.response import measure
from cfr.traversal import Traversal, layout
from tests.small_games import GAMES, Nodes, Solver, all_boards, opponents, randomise, states


@pytest.mark.parametrize("name", GAMES)
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
            for hand, value in zip(live.tolist(), values, strict=True):
                reference.regrets[(state.line_string, board, hand)] = value
    for seat in (0, 1):
        sums = [tables[seat] for tables in solver.averages]
        mine = solver.traversal.run(solver.deal, solver.regrets, seat, "update", averages=sums, weight=3.0)
        np.testing.assert_allclose(mine, reference.update(seat, 3.0), rtol=1e-9, atol=1e-11)
    learnt = {"regrets": Nodes(solver, solver.regrets), "sums": Nodes(solver, solver.averages)}
    for state, board, live, numbers in spots:
        for kind, nodes in learnt.items():
            rows = nodes(state, numbers)
            total = rows.sum(axis=1, keepdims=True)
            mine = np.where(total > 0, rows / np.where(total > 0, total, 1), 1 / rows.shape[1])
            theirs = reference.strategy(state, board, kind)[live]
            np.testing.assert_allclose(mine, theirs, rtol=1e-7, atol=1e-9)
    for seat in (0, 1):
        average = solver.traversal.run(solver.deal, solver.averages, seat, "average")
        np.testing.assert_allclose(average, reference.average(seat), rtol=1e-9, atol=1e-11)
        best = solver.traversal.run(solver.deal, solver.averages, seat, "best")
        np.testing.assert_allclose(best, reference.best(seat), rtol=1e-9, atol=1e-11)
        assert (best >= average - 1e-12).all()


@pytest.mark.parametrize("opponent", ["table", "best"])
@pytest.mark.parametrize("name", ["two rounds", "three rounds", "leduc", "four bets"])
def test_sampled_boards_equal_the_reference(name, opponent):
    game = GAMES[name]
    # Rows that several hands share, as buckets do: regrets are summed over them and clamped once.
    shared = _Coarse(Abstraction.lossless(game), 5)
    boards = sample_boards(game, 6, np.random.default_rng(1))
    deal = sampled_deal(game, shared, boards)
    solver = Solver(game, tables=shared)
    reference = Reference(game, lambda r, board: shared.rows(r, np.array([board], np.uint8).reshape(1, -1))[0])
    visits = [(root, seat) for root in range(len(boards)) for seat in (0, 1)]
    for number, (root, seat) in enumerate(visits):
        # Regrets that learnt would be zero where actions tie, and a best response's choice a matter of rounding.
        randomise(solver.regrets, np.random.default_rng(number))
        _forget(solver.regrets, 1 - seat if root % 2 else seat)
        regrets = Nodes(solver, solver.regrets)
        for state in states(reference.betting):
            every = np.arange(shared.num_rows[state.round])
            for row, value in zip(every.tolist(), regrets(state, every), strict=True):
                reference.regrets[(state.line_string, (state.round,), row)] = value * opponents(game)
        board = tuple(boards[root].tolist())
        alive = ~np.isin(game.hands, board).any(axis=1)
        sums = [[tables[s] for tables in solver.averages] for s in (0, 1)]
        weight = number + 1.0
        if opponent == "best":
            mine = solver.traversal.run(
                deal, solver.regrets, 1 - seat, "respond", averages=sums[1 - seat], root=root, weight=weight
            )
            theirs = reference.respond(1 - seat, weight, board)
            np.testing.assert_allclose(mine[alive], theirs[alive], rtol=1e-9, atol=1e-11)
        met = opponent == "best"
        mine = solver.traversal.run(
            deal, solver.regrets, seat, "update", averages=sums[seat], root=root, weight=weight, met=met
        )
        theirs = (reference.meet if met else reference.update)(seat, weight, board)
        np.testing.assert_allclose(mine[alive], theirs[alive], rtol=1e-9, atol=1e-11)
        assert not mine[~alive].any()
        learnt = ((Nodes(solver, solver.regrets), reference.regrets), (Nodes(solver, solver.averages), reference.sums))
        for state in states(reference.betting):
            for nodes, kept in learnt:
                for row, mine in enumerate(nodes(state, np.arange(shared.num_rows[state.round]))):
                    theirs = kept.get((state.line_string, (state.round,), row), np.zeros(len(mine)))
                    np.testing.assert_allclose(mine * opponents(game), theirs, rtol=1e-9, atol=1e-11)


def _forget(tables: list, seat: int) -> None:
    """Let ``seat`` never take its first round's last action: the other has lines to answer that nobody takes."""
    tables[0][seat][..., -1, :] = 0


def test_meeting_best_responses_makes_coarse_strategies_harder_to_beat():
    # Johanson et al. 2012: of all strategies that see only the rows, CFR-BR finds one that the real game beats least.
    game = GAMES["leduc"]
    coarse = _Merged(Abstraction.lossless(game))
    whole = enumerate_deal(game, coarse)
    boards = sample_boards(game, 4000, np.random.default_rng(0))
    deal = sampled_deal(game, coarse, boards)
    beaten = {}
    for met in (False, True):
        solver = Solver(game, tables=coarse)
        responders = solver.traversal.zeros(coarse.num_rows)
        for root in range(len(boards)):
            for seat in (0, 1):
                tables = solver.regrets
                if met:
                    others = zip(solver.regrets, responders, strict=True)
                    tables = [(mine[0], other[1]) if seat == 0 else (other[0], mine[1]) for mine, other in others]
                    solver.traversal.run(deal, tables, 1 - seat, "respond", root=root)
                sums = [pair[seat] for pair in solver.averages]
                solver.traversal.run(deal, tables, seat, "update", averages=sums, root=root, weight=root + 1.0, met=met)
        beaten[met] = measure(solver.traversal, whole, solver.averages).exploitability
    assert beaten[True] < 0.8 * beaten[False]


class _Merged:
    """Leduc's second round without the first card: a pair, or how high the board is."""

    def __init__(self, fine: Abstraction) -> None:
        self._fine = fine
        self.num_rows = (fine.num_rows[0], 2)

    def rows(self, round_: int, boards: np.ndarray, threads: int = 1) -> np.ndarray:
        rows = self._fine.rows(round_, boards)
        if round_ == 0:
            return rows
        paired = self._fine.game.hands[:, 0] // 4 == boards[:, :1] // 4
        return np.where(rows < 0, -1, paired).astype(np.int32)


def test_a_response_to_meet_must_have_been_given_on_the_board():
    solver = Solver(GAMES["leduc"])
    deal = sampled_deal(GAMES["leduc"], solver.abstraction, sample_boards(GAMES["leduc"], 2, np.random.default_rng(0)))
    solver.traversal.run(deal, solver.regrets, 1, "respond")
    for seat, root in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match="no response of the other seat on this board"):
            solver.traversal.run(deal, solver.regrets, seat, "update", root=root, met=True)
    with pytest.raises(ValueError, match="needs a sampled deal"):
        solver.traversal.run(solver.deal, solver.regrets, 1, "respond")


@pytest.mark.parametrize(
    ("name", "seat", "never"),
    [("two rounds", 1, ("c",)), ("two rounds", 0, ("cr", "rr")), ("four bets", 1, ("r",)), ("hulhe", 1, ("c", "rrr"))],
)
def test_without_what_own_play_never_does_nothing_else_changes(name, seat, never):
    """The whole tree with a probability of zero there is the twin."""
    game = GAMES.get(name) or Game.bundled(name)
    rows = _Coarse(_Scattered(game), 5)
    deal = sampled_deal(game, rows, sample_boards(game, 1, np.random.default_rng(1)))
    whole = Traversal(layout(game, np.float64), 1, np.float64)
    part = Traversal(layout(game, np.float64, never), 1, np.float64)
    regrets, averages = (whole.zeros(rows.num_rows) for _ in range(2))
    randomise(regrets, np.random.default_rng(2))
    columns = [kernel.tree.rounds[0].seats[seat].columns for kernel in (whole, part)]
    left_out = ~np.isin(*columns)
    assert left_out.any()
    regrets[0][seat][:, :, left_out] = 0

    def taken(tables: list) -> list:
        return [
            tuple(part.tree.taken_over(table, r, s, whole.tree) for s, table in enumerate(pair))
            for r, pair in enumerate(tables)
        ]

    fewer, sums = taken(regrets), taken(averages)
    for mode, traverser in (("average", 0), ("average", 1), ("best", 1 - seat), ("respond", 1 - seat)):
        expected = whole.run(deal, regrets, traverser, mode)
        np.testing.assert_allclose(part.run(deal, fewer, traverser, mode), expected, rtol=1e-9, atol=1e-9)
    expected = whole.run(deal, regrets, seat, "update", averages=[pair[seat] for pair in averages], met=True)
    mine = part.run(deal, fewer, seat, "update", averages=[pair[seat] for pair in sums], met=True)
    np.testing.assert_allclose(mine, expected, rtol=1e-9, atol=1e-9)
    for learnt, exact in ((fewer, taken(regrets)), (sums, taken(averages))):
        for pair, theirs in zip(learnt, exact, strict=True):
            np.testing.assert_allclose(pair[seat], theirs[seat], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["two rounds", "three rounds", "hulhe"])
@pytest.mark.parametrize("met", [False, True])
def test_values_below_several_last_boards_are_the_mean_of_each_alone(name, met):
    game = GAMES.get(name) or Game.bundled(name)
    rows, ends = _Apart(game), 2
    before, new = sum(game.num_board_cards[:-1]), game.num_board_cards[-1]
    boards = sample_boards(game, 2, np.random.default_rng(5), ends)
    assert boards.shape == (2, before + ends * new)
    assert all(len(set(board)) == before + ends * new for board in boards.tolist())
    kernel = Traversal(layout(game, np.float64), 1, np.float64, ends)
    regrets = kernel.zeros(rows.num_rows)
    randomise(regrets, np.random.default_rng(6))

    def values(dealt, number, seat, root):
        deal = sampled_deal(game, rows, dealt, ends=number)
        if met:
            kernel.run(deal, _copied(regrets), 1 - seat, "respond", root=root)
        sums = [np.zeros_like(pair[seat]) for pair in regrets]
        won = kernel.run(deal, _copied(regrets), seat, "update", averages=sums, root=root, met=met)
        return won, sums[-1]

    for root, seat in ((0, 0), (1, 1)):
        together, sums = values(boards, ends, seat, root)
        parts = [np.delete(boards, np.s_[before:], 1), *np.split(boards[:, before:], ends, axis=1)]
        alone = [values(np.hstack([parts[0], last]), 1, seat, root) for last in parts[1:]]
        alive = ~np.isin(game.hands, boards[root]).any(axis=1)
        expected = np.mean([won for won, _ in alone], axis=0)
        np.testing.assert_allclose(together[alive], expected[alive], rtol=1e-9, atol=1e-11)
        np.testing.assert_array_equal(together[~alive], 0)
        if not met:
            np.testing.assert_allclose(sums.sum(), np.mean([total.sum() for _, total in alone]), rtol=1e-9)


class _Apart:
    """Five rows for hands; on each last board its own, so that the update of one does not move the next."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self.num_rows = (*(5,) * (game.num_rounds - 1), 5 * (int(max(game.deck)) + 1))

    def rows(self, round_: int, boards: np.ndarray, threads: int = 1) -> np.ndarray:
        game = self._game
        collide = (game.hands[None, :, :, None] == boards[:, None, None, :]).any(axis=(2, 3))
        rows = np.tile(np.arange(game.num_hands) % 5, (len(boards), 1))
        if round_ == game.num_rounds - 1:
            rows += 5 * boards[:, -game.num_board_cards[-1] :].max(axis=1).astype(int)[:, None]
        return np.where(collide, -1, rows).astype(np.int32)


def _copied(tables: list) -> list:
    return [(first.copy(), second.copy()) for first, second in tables]


def test_no_more_boards_are_remembered_than_there_is_room_for():
    game = GAMES["two rounds"]
    rows = _Coarse(_Scattered(game), 5)
    kernel = Traversal(layout(game, np.float64), 1, np.float64, 2)
    deal = sampled_deal(game, rows, sample_boards(game, 1, np.random.default_rng(0), 2), ends=2)
    kernel.run(deal, kernel.zeros(rows.num_rows), 0, "respond")
    narrow = Traversal(layout(game, np.float64), 1, np.float64)
    with pytest.raises(ValueError, match="choices on 1 last boards are remembered, of 2"):
        narrow.run(deal, kernel.zeros(rows.num_rows), 0, "respond")


def test_a_step_weighs_regrets_and_not_the_average():
    found = []
    for step in (1.0, 0.25):
        solver = Solver(GAMES["leduc"])
        sums = [pair[0] for pair in solver.averages]
        values = solver.traversal.run(
            solver.deal, solver.regrets, 0, "update", averages=sums, weight=3.0, kept=(1.0, 1.0), step=step
        )
        found.append((values, [pair[0] for pair in solver.regrets], sums))
    (values, regrets, sums), (fewer, less, same) = found
    np.testing.assert_allclose(fewer, 0.25 * values, rtol=1e-12)
    for each, other in zip(regrets, less, strict=True):
        np.testing.assert_allclose(other, 0.25 * each, rtol=1e-12)
    for each, other in zip(sums, same, strict=True):
        assert each.any()
        np.testing.assert_allclose(other, each, rtol=1e-12)


class _Coarse:
    """Another abstraction's rows, taken together by remainder."""

    def __init__(self, fine: Abstraction, rows: int) -> None:
        self._fine = fine
        self.num_rows = tuple(min(rows, n) for n in fine.num_rows)

    def rows(self, round_: int, boards: np.ndarray, threads: int = 1) -> np.ndarray:
        rows = self._fine.rows(round_, boards)
        return np.where(rows < 0, -1, rows % self.num_rows[round_]).astype(np.int32)


@pytest.mark.parametrize("caps", [(1, 1, 1, 1), pytest.param((3, 4, 4, 4), marks=pytest.mark.slow)])
def test_river_boards_of_the_full_deck_equal_brute_force(caps):
    game = Game("capped", (10, 5), (10, 10, 20, 20), (1, 0, 0, 0), caps, 4, 13, 2, (0, 3, 1, 1))
    rng = np.random.default_rng(2)
    rows = _Coarse(_Scattered(game), 7)
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
        np.testing.assert_allclose(wide.run(deal, exact, seat, "average", root=seat), theirs, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(narrow.run(deal, tables, seat, "average", root=seat), theirs, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize(
    ("board", "suits"),
    [("2c3c4cKcAc", 3), ("2c2d4cKdAc", 2), ("2h2s2d2cAc", 3), ("2c3d4hKcAd", 1), ("2c3c4cKc", 3), ("2c2d4cKd", 2)],
)
def test_what_suit_symmetries_exchange_is_computed_once(monkeypatch, board, suits):
    """The same values as hand by hand, from a board of which ``suits`` suits are alike."""
    game = Game("capped", (10, 5), (10, 10, 20, 20), (1, 0, 0, 0), (1, 1, 1, 4), 4, 13, 2, (0, 3, 1, 1))
    rng, kernel = np.random.default_rng(4), Traversal(layout(game, np.float64), 1, np.float64)
    rows, cards = _Coarse(Abstraction.lossless(game), 30), parse_cards(board)
    first = len(cards) - 2
    tables = [tuple(rng.random(t.shape) for t in pair) for pair in kernel.zeros(rows.num_rows)]
    for round_ in range(first, 4):
        for seat in (0, 1):
            kernel.tree.plan(tables[round_][seat], round_, seat)
    reach = rng.random((2, kernel.tree.rounds[first].stride, rows.num_rows[first]))
    numbers = rows.rows(first, np.array([cards], np.uint8))[0]
    reach = np.where(numbers >= 0, reach[:, :, numbers], 0.0)  # the hands of a row alike
    once = enumerate_below(game, rows, np.array(cards))
    alone = np.arange(4, dtype=np.uint8), np.arange(game.num_hands, dtype=np.int16)
    with monkeypatch.context() as context:
        for every, each in zip((deals.suit_classes, deals.hand_classes), alone, strict=True):

            def classes(boards, *rest, every=every, each=each):
                return np.tile(each, (len(boards), 1)) if boards.shape[1] == 5 else every(boards, *rest)

            context.setattr(deals, every.__name__, classes)
        singly = enumerate_below(game, rows, np.array(cards))
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


class _Scattered:
    """Some row for every hand."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self.num_rows = (1000,) * game.num_rounds

    def rows(self, round_: int, boards: np.ndarray, threads: int = 1) -> np.ndarray:
        blocked = (self._game.hands[None, :, :, None] == boards[:, None, None, :]).any(axis=(2, 3))
        return np.where(blocked, -1, (np.arange(self._game.num_hands) * 7919 + round_) % 1000).astype(np.int32)


def _brute_force(kernel: Traversal, rows: _Coarse, tables: list, seat: int, board: np.ndarray) -> np.ndarray:
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


@pytest.mark.parametrize("name", ["leduc", "three rounds", "two rounds"])
def test_float32_solves_too(name):
    narrow, wide = Solver(GAMES[name], dtype=np.float32), Solver(GAMES[name])
    # Not fewer: while exact ties between actions last, rounding chooses, and the two differ by a fifth either way.
    narrow.iterate(500)
    wide.iterate(500)
    big_blind = GAMES[name].big_blind
    assert narrow.exploitability() < wide.exploitability() + 1e-4 * big_blind


def _sampled_tables(threads: int, met: bool) -> list[np.ndarray]:
    game = Game.bundled("hulhe")
    rows = _Coarse(_Scattered(game), 20)
    deal = sampled_deal(game, rows, sample_boards(game, 2, np.random.default_rng(3)), threads)
    kernel = Traversal(layout(game), threads)
    regrets, averages = kernel.zeros(rows.num_rows), kernel.zeros(rows.num_rows)
    for root in (0, 1, 0):
        for seat in (0, 1):
            sums = [tables[seat] for tables in averages]
            if met:
                kernel.run(deal, regrets, 1 - seat, "respond", root=root)
            kernel.run(deal, regrets, seat, "update", averages=sums, root=root, weight=root + 1.0, met=met)
    return [kernel.tree.by_line(pair, r) for tables in (regrets, averages) for r, pair in enumerate(tables)]


@pytest.mark.parametrize("met", [False, True])
def test_same_bits_at_any_number_of_threads_and_vector_width(monkeypatch, met):
    expected = _sampled_tables(1, met)
    for threads in (2, 3):
        assert all(map(np.array_equal, _sampled_tables(threads, met), expected))
    for level in levels():
        monkeypatch.setitem(module._KERNELS, np.dtype(np.float32), module._load_level("_traverse", level))
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
            traversal.run(weight=float(iteration))
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
