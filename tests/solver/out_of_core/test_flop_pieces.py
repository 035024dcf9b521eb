"""A flop in pieces of some turns: the play of its spots, solved in memory."""

from dataclasses import replace

import numpy as np
import pytest

from cfr.abstraction.abstraction import Abstraction
from cfr.game.betting import BettingTree
from cfr.kernel.chance import boards_below
from cfr.kernel.schedules import schedule_named
from cfr.kernel.tree import build_tree
from cfr.solver.memory_need import number_types
from cfr.solver.out_of_core import piece_plan
from cfr.solver.out_of_core.disk_solver import DiskSolver
from cfr.solver.out_of_core.piece_plan import split
from cfr.solver.out_of_core.piece_tables import PieceTables
from cfr.solver.settings import Settings
from cfr.spots.solver import SpotSolver
from cfr.strategy.spot import Spot
from tests.small_games import short_deck

GAME = short_deck("flops", 2, 5, (0, 2, 1, 1), (1, 1, 1, 1))
LINES = ("cc/", "rc/", "crc/")
ITERATIONS = 6


def flop_from_disk(tmp_path, boards, states, reach, tables="float32"):
    how = {"lossless": True, "tables": tables, "memory_gb": 0.3, "threads": 2, "out": tmp_path / "x.h5"}
    settings = Settings(GAME, None, ITERATIONS, **how)
    tree = build_tree(GAME, 8, 1, [state.line for state in states])
    _, numbers = number_types(settings)
    laid_out = PieceTables.of(tree, np.dtype(np.float32), numbers[1:], schedule_named(settings.schedule))
    levels = boards_below(GAME, np.array(boards, np.uint8))
    plan = split(settings, laid_out, levels)
    nothing_stays = replace(settings, memory_gb=(plan.least_bytes + 1) / 1e9)
    plan = split(nothing_stays, laid_out, levels)
    return DiskSolver(nothing_stays, Abstraction.lossless(GAME), plan, reach=reach)


@pytest.mark.parametrize("tables", ["float32", "int8"])
@pytest.mark.parametrize("board", [(0, 4), (0, 1)])  # of two ranks, and a pair
def test_all_lines_of_a_flop_play_like_their_spots(board, tables, tmp_path, monkeypatch):
    monkeypatch.setattr(piece_plan, "_LARGEST", 20_000)
    betting, deck = BettingTree(GAME), GAME.deck.tolist()
    cards = tuple(deck[place] for place in board)
    states = [betting.parse(line) for line in LINES]
    by_rank = np.array([[0.1 + (hand >> 2).sum() % n for hand in GAME.hands] for n in (3, 4)])
    spots = [Spot(state, cards, by_rank[:: 1 - 2 * (n % 2)]) for n, state in enumerate(states)]
    reach = np.array([[spot.ranges[seat] for spot in spots] for seat in (0, 1)])
    with flop_from_disk(tmp_path, cards, states, reach, tables) as solver:
        assert solver.plan.count > 2
        for _ in range(ITERATIONS):
            solver.step()
        found = solver.exploitability_mbb()
        assert solver.files.bytes_read > solver.files.bytes_written > 0
    each = []
    for spot in spots:
        alone = SpotSolver(spot, dtype=np.float32)
        for _ in range(ITERATIONS):
            alone.step(solver.schedule)
        each.append(alone.exploitability() * 1000 / GAME.big_blind)
    expected = np.average(each, weights=[spot.mass for spot in spots])
    assert found == pytest.approx(expected, rel=1e-4 if tables == "float32" else 0.1)
    assert max(each) > 1.05 * min(each)  # lines that are weighed wrongly show
