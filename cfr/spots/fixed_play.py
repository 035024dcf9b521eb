"""A fixed strategy in the tables of a spot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cfr.kernel.numbers import narrowed
from cfr.kernel.tables import Source, Tables
from cfr.spots.solver import SpotSolver
from cfr.system.errors import BadInputError

_PROBABILITIES = 1 << 22  # in one read


def fixed_play(source: Source, solver: SpotSolver, seats: Sequence[int] = (0, 1)) -> list[Tables]:
    """Per round from the spot's on, both seats' tables with a strategy's play; zeros for seats outside ``seats``.

    Raises:
        BadInputError: a solved spot that lacks hands of this spot.
    """
    tree, rows, found = solver.tree, solver.rows, []
    for number, (level, tables) in enumerate(zip(tree.rounds, solver.averages, strict=True)):
        round_ = tree.first + number
        boards, lines = rows.boards[number], level.betting_line
        mine, theirs = rows.rows(round_, boards), source.rows.rows(round_, boards)
        pair: Tables = (np.zeros_like(tables[0]), np.zeros_like(tables[1]))
        per_board = mine.shape[1] * tree.betting.rounds[round_].node_actions * len(lines)
        step = max(1, _PROBABILITIES // per_board)
        for start in range(0, len(boards), step):
            part = mine[start : start + step], theirs[start : start + step]
            live = part[0] >= 0
            if (part[1][live] < 0).any():
                raise BadInputError(f"the strategy has no play for some hands in the ranges of {solver.spot}")
            used, where = np.unique(part[1][live], return_inverse=True)
            own, first = np.unique(part[0][live], return_index=True)
            shares = source.probabilities(round_, used, lines)[where[first]]
            for seat in seats:
                laid_out = tree.of_seat(shares, number, seat, solver.traversal.dtype)
                pair[seat][own] = narrowed(laid_out, pair[seat].dtype)
        found.append(pair)
    return found
