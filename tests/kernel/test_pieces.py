"""A traversal in pieces is the whole traversal, to the same bits."""

from dataclasses import replace

import numpy as np
import pytest

from cfr.abstraction.abstraction import Abstraction
from cfr.game.rules import Game
from cfr.kernel.chance import Piece, enumerate_deal, in_visiting_order
from cfr.kernel.numbers import by_round
from cfr.kernel.pieces import all_boards, canonical_rows, piece_deal, rows_of_boards
from cfr.kernel.schedules import schedule_named
from cfr.kernel.traversal import Traversal, Visit, layout
from tests.small_games import GAMES

SPLIT = {name: game for name, game in GAMES.items() if game.num_rounds > 1}
SCHEDULE = schedule_named("hs-dcfr")


def pieces_of(game: Game, size: int):
    """Deals of so many boards of the second round each, the first row of each, and whether it is the last."""
    levels = all_boards(game)
    rows, count = rows_of_boards(game, levels), len(levels[1].cards)
    return [
        (piece_deal(game, levels, first, min(first + size, count)), rows[:first].sum(axis=0), first + size >= count)
        for first in range(0, count, size)
    ]


@pytest.mark.parametrize("name", SPLIT)
def test_pieces_have_the_rows_of_the_whole(name):
    game = SPLIT[name]
    abstraction = Abstraction.lossless(game)
    deal, moved = in_visiting_order(enumerate_deal(game, abstraction), abstraction)
    seen = [0] * game.num_rounds
    for piece, first_rows, _ in pieces_of(game, 2):
        assert first_rows[1:].tolist() == seen[1:]
        for r in range(1, game.num_rounds):
            canonical = canonical_rows(piece.rounds[r], abstraction, r)
            assert moved.places[r][canonical].tolist() == list(range(seen[r], seen[r] + piece.num_rows[r]))
            seen[r] += piece.num_rows[r]
    assert tuple(seen[1:]) == deal.num_rows[1:]


@pytest.mark.parametrize("tables", ["float64", "float32", "bfloat16", "int8"])
@pytest.mark.parametrize("name", SPLIT)
def test_pieces_add_up_to_the_whole(name, tables):
    game = SPLIT[name]
    abstraction = Abstraction.lossless(game)
    deal, _ = in_visiting_order(enumerate_deal(game, abstraction), abstraction)
    dtype = np.float64 if tables == "float64" else np.float32
    numbers = None if tables == "float64" else by_round(tables, game.num_rounds)

    def made(threads):
        traversal = Traversal(layout(game, dtype), threads, dtype, table_dtype=numbers)
        return traversal, traversal.zeros(deal.num_rows), traversal.zeros(deal.num_rows, sums=True)

    whole, regrets, averages = made(1)
    parted, parts, part_averages = made(2)
    for iteration in range(1, 5):
        visit = Visit(0, SCHEDULE.weight(iteration), SCHEDULE.kept(iteration), seed=iteration)
        for seat in (0, 1):
            values = whole.run(deal, regrets, seat, "update", visit, averages=[pair[seat] for pair in averages])
            carried = parted.carried()
            for piece, first, is_last in pieces_of(game, 1 + iteration % 3):
                rows = [slice(None), *(slice(a, a + n) for a, n in zip(first[1:], piece.num_rows[1:], strict=True))]
                prepared = parted.prepare(
                    replace(piece, piece=Piece(carried, first.tolist(), is_last)),
                    [(pair[0][part], pair[1][part]) for pair, part in zip(parts, rows, strict=True)],
                    seat,
                    "update",
                    averages=[pair[seat][part] for pair, part in zip(part_averages, rows, strict=True)],
                )
                prepared.run(visit)
            assert np.array_equal(prepared.values, values)
    for one, other in zip([*regrets, *averages], [*parts, *part_averages], strict=True):
        for seat in (0, 1):
            assert np.array_equal(one[seat], other[seat])
    assert any(np.any(pair[0]) for pair in regrets)


def test_a_round_may_keep_no_average():
    game = GAMES["leduc"]
    abstraction = Abstraction.lossless(game)
    deal, _ = in_visiting_order(enumerate_deal(game, abstraction), abstraction)
    traversal = Traversal(layout(game), 1)
    regrets, averages = traversal.zeros(deal.num_rows), traversal.zeros(deal.num_rows)
    traversal.run(deal, regrets, 0, "update", averages=[averages[0][0], None])
    assert averages[0][0].any()
    assert regrets[1][0].any()


def test_carried_values_of_another_tree_are_refused():
    game = GAMES["leduc"]
    (piece, first, _), *_ = pieces_of(game, 99)
    traversal = Traversal(layout(game), 1)
    tables = traversal.zeros(piece.num_rows)
    part = replace(piece, piece=Piece(traversal.carried()[:, :1], first.tolist(), True))
    with pytest.raises(ValueError, match="carried values of shape"):
        traversal.prepare(part, tables, 0, "best")
