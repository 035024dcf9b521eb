"""Sampled boards, and opponents that respond on them (CFR-BR), against the slow twin and by their properties."""

import numpy as np
import pytest

from cfr.abstraction.abstraction import Abstraction
from cfr.game.rules import Game
from cfr.kernel.best_response import measure
from cfr.kernel.chance import BoardSampler, enumerate_deal, sample_boards, sampled_deal
from cfr.kernel.reference import Reference
from cfr.kernel.traversal import Traversal, Visit, layout
from tests.small_games import GAMES, Coarse, Nodes, Scattered, Solver, opponents, randomise, states


@pytest.mark.parametrize("opponent", ["table", "best"])
@pytest.mark.parametrize("name", ["two rounds", "three rounds", "leduc", "four bets"])
def test_sampled_boards_equal_the_reference(name, opponent):
    game = GAMES[name]
    # Rows that several hands share, as buckets do: regrets are summed over them and clamped once.
    shared = Coarse(Abstraction.lossless(game), 5)
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
            reference.regrets[state.line_string, ()] = regrets(state, every) * opponents(game)
        board = tuple(boards[root].tolist())
        alive = ~np.isin(game.hands, board).any(axis=1)
        sums = [[tables[s] for tables in solver.averages] for s in (0, 1)]
        weight = number + 1.0
        if opponent == "best":
            mine = solver.traversal.run(
                deal, solver.regrets, 1 - seat, "respond", Visit(root, weight=weight), averages=sums[1 - seat]
            )
            theirs = reference.respond(1 - seat, weight, board)
            np.testing.assert_allclose(mine[alive], theirs[alive], rtol=1e-9, atol=1e-11)
        met = opponent == "best"
        mine = solver.traversal.run(
            deal, solver.regrets, seat, "update", Visit(root, weight=weight), averages=sums[seat], met=met
        )
        theirs = (reference.meet if met else reference.update)(seat, weight, board)
        np.testing.assert_allclose(mine[alive], theirs[alive], rtol=1e-9, atol=1e-11)
        assert not mine[~alive].any()
        learnt = ((Nodes(solver, solver.regrets), reference.regrets), (Nodes(solver, solver.averages), reference.sums))
        for state in states(reference.betting):
            for nodes, kept in learnt:
                mine = nodes(state, np.arange(shared.num_rows[state.round]))
                theirs, learnt_rows = np.zeros(mine.shape), kept.get((state.line_string, ()), mine[:0])
                theirs[: len(learnt_rows)] = learnt_rows
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
                    solver.traversal.run(deal, tables, 1 - seat, "respond", Visit(root))
                sums = [pair[seat] for pair in solver.averages]
                solver.traversal.run(
                    deal, tables, seat, "update", Visit(root, weight=root + 1.0), averages=sums, met=met
                )
        beaten[met] = measure(solver.traversal, whole, solver.averages).exploitability
    assert beaten[True] < 0.8 * beaten[False]


class _Merged:
    """Leduc's second round without the first card: a pair, or how high the board is."""

    def __init__(self, fine: Abstraction) -> None:
        self._fine = fine
        self.num_rows = (fine.num_rows[0], 2)
        self.separates_boards = False

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
            solver.traversal.run(deal, solver.regrets, seat, "update", Visit(root), met=True)
    with pytest.raises(ValueError, match="needs a sampled deal"):
        solver.traversal.run(solver.deal, solver.regrets, 1, "respond")


@pytest.mark.parametrize(
    ("name", "seat", "never"),
    [("two rounds", 1, ("c",)), ("two rounds", 0, ("cr", "rr")), ("four bets", 1, ("r",)), ("hulhe", 1, ("c", "rrr"))],
)
def test_without_what_own_play_never_does_nothing_else_changes(name, seat, never):
    """The whole tree with a probability of zero there is the twin."""
    game = GAMES.get(name) or Game.bundled(name)
    rows = Coarse(Scattered(game), 5)
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
            kernel.run(deal, _copied(regrets), 1 - seat, "respond", Visit(root))
        sums = [np.zeros_like(pair[seat]) for pair in regrets]
        won = kernel.run(deal, _copied(regrets), seat, "update", Visit(root), averages=sums, met=met)
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
        self._game, self._coarse = game, Coarse(Scattered(game), 5)
        self.num_rows = (*self._coarse.num_rows[:-1], 5 * (int(max(game.deck)) + 1))

    def rows(self, round_: int, boards: np.ndarray, threads: int = 1) -> np.ndarray:
        rows = self._coarse.rows(round_, boards)
        if round_ < self._game.num_rounds - 1:
            return rows
        last = boards[:, -self._game.num_board_cards[-1] :].max(axis=1).astype(np.int32)
        return np.where(rows < 0, -1, rows + 5 * last[:, None])


def _copied(tables: list) -> list:
    return [(first.copy(), second.copy()) for first, second in tables]


def test_no_more_boards_are_remembered_than_there_is_room_for():
    game = GAMES["two rounds"]
    rows = Coarse(Scattered(game), 5)
    kernel = Traversal(layout(game, np.float64), 1, np.float64, 2)
    deal = sampled_deal(game, rows, sample_boards(game, 1, np.random.default_rng(0), 2), ends=2)
    kernel.run(deal, kernel.zeros(rows.num_rows), 0, "respond")
    narrow = Traversal(layout(game, np.float64), 1, np.float64)
    with pytest.raises(ValueError, match="choices on 1 last boards are remembered, of 2"):
        narrow.run(deal, kernel.zeros(rows.num_rows), 0, "respond")


def test_boards_that_are_prepared_ahead_are_those_that_would_be_dealt():
    game = GAMES["two rounds"]
    rows = Abstraction.lossless(game)
    ahead, at_once = (BoardSampler(game, rows, seed=3, ends=2) for _ in range(2))
    ahead.prepare(7, 4)
    deal = ahead.deal(7, 4)
    assert ahead.deal(7, 4) is deal  # nothing is done twice
    cards = [each.cards for each in deal.rounds]
    for each, same in zip(cards, at_once.deal(7, 4).rounds, strict=True):
        np.testing.assert_array_equal(each, same.cards)
    for other in (ahead.deal(8, 4), ahead.deal(7, 5), BoardSampler(game, rows, seed=4, ends=2).deal(7, 4)):
        assert not np.array_equal(other.rounds[-1].cards, cards[-1])
