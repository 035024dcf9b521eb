"""Batches of sampled boards, against one board after the other that meets the tables from before the batch."""

import numpy as np
import pytest

from cfr.abstraction.abstraction import Abstraction
from cfr.game.rules import Game
from cfr.kernel.chance import enumerate_deal, sample_boards, sampled_deal
from cfr.kernel.traversal import Traversal, Visit, layout
from tests.small_games import GAMES, Coarse, Scattered, randomise
from tests.thorough import thorough

BOARDS, ENDS = 5, 2


class Tables:
    """Both seats' regrets, one seat's sums for the average, and a copy of all of them."""

    def __init__(self, kernel, rows, seed=None):
        self.regrets, self.averages = (kernel.zeros(rows.num_rows) for _ in range(2))
        if seed is not None:
            randomise(self.regrets, np.random.default_rng(seed))

    def copy(self):
        other = object.__new__(Tables)
        other.regrets, other.averages = (
            [tuple(table.copy() for table in pair) for pair in tables] for tables in (self.regrets, self.averages)
        )
        return other

    def sums(self, seat):
        return [pair[seat] for pair in self.averages]


def dealt(name, rows_on_a_board=7):
    game = GAMES.get(name) or Game.bundled(name)
    rows = Coarse(Scattered(game), rows_on_a_board)
    boards = sample_boards(game, BOARDS, np.random.default_rng(1), ENDS)
    return game, rows, sampled_deal(game, rows, boards, ends=ENDS)


def visits(kept=(1.0, 0.0)):
    return [Visit(root, weight=root + 1.0, kept=kept, step=0.5, seed=root) for root in range(BOARDS)]


def one_by_one(kernel, deal, tables, before, seat, mode, met):
    """The twin: each visit meets the tables ``before`` the batch, and the last round's as the visits before left it.

    ``before`` has the opponent's tables as they are met, and those that it responds from.
    """
    met_from, responded_from = before
    value = np.zeros(0)
    for visit in visits():
        frozen, last = met_from.copy(), len(tables.regrets) - 1
        for learnt, now in ((frozen.regrets, tables.regrets), (frozen.averages, tables.averages)):
            learnt[last][seat][...] = now[last][seat]
        if met:
            kernel.run(deal, responded_from.copy().regrets, 1 - seat, "respond", visit)
        free = frozen.copy()
        kernel.run(deal, free.regrets, seat, mode, _unclamped(visit), averages=free.sums(seat), met=met)
        if met:
            kernel.run(deal, responded_from.copy().regrets, 1 - seat, "respond", visit)
        value = kernel.run(deal, frozen.regrets, seat, mode, visit, averages=frozen.sums(seat), met=met)
        for round_ in range(last):
            old, new = met_from.regrets[round_][seat], free.regrets[round_][seat]
            tables.regrets[round_][seat][...] += new - old
            gained = free.averages[round_][seat] - met_from.averages[round_][seat]
            tables.averages[round_][seat][...] += gained
        tables.regrets[last][seat][...] = frozen.regrets[last][seat]
        tables.averages[last][seat][...] = frozen.averages[last][seat]
    for pair in tables.regrets:  # clamped once
        pair[seat][...] = np.maximum(pair[seat], 0)
    return value


def _unclamped(visit):
    return Visit(visit.root, visit.weight, (1.0, 1.0), visit.step, visit.seed)


@pytest.mark.parametrize("name", ["two rounds", "three rounds", "four bets", *thorough("hulhe")])
@pytest.mark.parametrize("met", [False, True])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_batch_learns_from_the_strategy_before_it(name, met, seat):
    game, rows, deal = dealt(name)
    kernel = Traversal(layout(game, np.float64), 1, np.float64, ENDS, batch=BOARDS)
    tables = Tables(kernel, rows, seed=3)
    twin, start = tables.copy(), tables.copy()
    if met:
        responses = kernel.prepare(deal, tables.regrets, 1 - seat, "respond", averages=tables.sums(1 - seat))
        responses.run_batch(visits())
    before = tables.copy()
    update = kernel.prepare(deal, tables.regrets, seat, "update", averages=tables.sums(seat), met=met)
    update.run_batch(visits())
    if met:
        one_by_one(kernel, deal, twin, (start, start), 1 - seat, "respond", False)
    value = one_by_one(kernel, deal, twin, (before, start), seat, "update", met)
    for learnt, expected in ((tables.regrets, twin.regrets), (tables.averages, twin.averages)):
        for pair, theirs in zip(learnt, expected, strict=True):
            for owner in (0, 1):
                np.testing.assert_allclose(pair[owner], theirs[owner], rtol=1e-9, atol=1e-9)
    alive = ~np.isin(game.hands, deal.rounds[-1].cards[-1]).any(axis=1)
    np.testing.assert_allclose(update.values[alive], value[alive], rtol=1e-9, atol=1e-11)


def learnt(name, threads, in_batches, table_dtype=None, batch=BOARDS):
    """All tables after some visits of CFR-BR in float32."""
    game, rows, deal = dealt(name)
    kernel = Traversal(layout(game), threads, ends=ENDS, table_dtype=table_dtype, batch=batch)
    tables = Tables(kernel, rows)
    for seat in (0, 1):
        chain = [
            kernel.prepare(deal, tables.regrets, 1 - seat, "respond"),
            kernel.prepare(deal, tables.regrets, seat, "update", averages=tables.sums(seat), met=True),
        ]
        for part in in_batches:
            for prepared in chain:
                if isinstance(part, int):
                    prepared.run(visits()[part])
                else:
                    prepared.run_batch([visits()[root] for root in part])
    return [table for kept in (tables.regrets, tables.averages) for pair in kept for table in pair]


@pytest.mark.parametrize("numbers", [np.float32, np.uint16])
@pytest.mark.parametrize("name", ["three rounds", "hulhe"])
def test_any_number_of_threads_computes_the_same_bits(name, numbers):
    expected = learnt(name, 1, [range(3), range(3, 5)], numbers)
    assert any(table.any() for table in expected)
    for threads in (2, 5):
        for table, same in zip(learnt(name, threads, [range(3), range(3, 5)], numbers), expected, strict=True):
            np.testing.assert_array_equal(table, same)


@pytest.mark.parametrize("name", ["two rounds", "hulhe"])
def test_batches_of_one_board_are_single_visits(name):
    expected = learnt(name, 1, range(BOARDS), batch=1)
    for in_batches in (range(BOARDS), [[root] for root in range(BOARDS)]):
        for table, same in zip(learnt(name, 2, in_batches), expected, strict=True):
            np.testing.assert_array_equal(table, same)
    larger = learnt(name, 2, [range(BOARDS)])
    assert any((table != same).any() for table, same in zip(larger, expected, strict=True))


def test_every_task_is_measured():
    game, rows, deal = dealt("hulhe")
    kernel = Traversal(layout(game), 1, ends=ENDS, batch=BOARDS)
    tables = Tables(kernel, rows)
    update = kernel.prepare(deal, tables.regrets, 0, "update", averages=tables.sums(0))
    assert update.run_batch(visits()) == []
    steps = update.run_batch(visits()[:3], traced=True)
    blocks = [each.stride // kernel.tree.lanes for each in kernel.tree.rounds]
    shares = len(steps[-1])  # of the one block before the flop
    down = [3 * count for count in blocks[:-1]]
    up = [tasks for count in reversed(blocks[:-1]) for tasks in (3 * count, shares * count)]
    assert [len(step) for step in steps] == [*down, blocks[-1], *up]
    assert all((step >= 0).all() for step in steps)
    assert sum(step.sum() for step in steps) > 0


def test_a_batch_that_cannot_be():
    game, rows, deal = dealt("two rounds")
    kernel = Traversal(layout(game, np.float64), 1, np.float64, ENDS, batch=2)
    tables = Tables(kernel, rows)
    update = kernel.prepare(deal, tables.regrets, 0, "update")
    for many in ([], visits()[:3]):
        with pytest.raises(ValueError, match=f"^a batch of {len(many)} boards: there is room for 2$"):
            update.run_batch(many)
    meets = kernel.prepare(deal, tables.regrets, 0, "update", met=True)
    kernel.prepare(deal, tables.regrets, 1, "respond").run_batch(visits()[:2])
    for other in (visits()[:1], visits()[1:3]):
        with pytest.raises(ValueError, match="no response of the other seat on this board"):
            meets.run_batch(other)
    meets.run_batch(visits()[:2])
    for kept in ((0.5, 0.0), (1.0, 0.5)):
        with pytest.raises(ValueError, match=rf"^a batch keeps regrets or drops them: factors {kept[0]}, {kept[1]}$"):
            update.run_batch(visits(kept)[:1])
    leduc = GAMES["leduc"]
    whole = enumerate_deal(leduc, Abstraction.lossless(leduc))
    many = Traversal(layout(leduc, np.float64), 1, np.float64, batch=2)
    for prepared in (
        many.prepare(whole, many.zeros(whole.num_rows), 0, "update"),
        kernel.prepare(deal, tables.regrets, 0, "best"),
        kernel.prepare(deal, tables.regrets, 0, "update", accumulated=[pair[0] for pair in tables.averages]),
    ):
        with pytest.raises(ValueError, match=r"^a batch of 2 boards: there is room for 0$|the deal has 1 boards"):
            prepared.run_batch(visits()[:2])
    narrow = Traversal(layout(game, np.float64), 1, np.float64, ENDS)
    with pytest.raises(ValueError, match=r"^a batch of 1 boards: there is room for 0$"):
        narrow.prepare(deal, tables.regrets, 0, "update").run_batch(visits()[:1])
