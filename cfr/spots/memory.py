"""The memory of a spot's solve, known before any allocation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from cfr.hands.isomorphism import collisions, hand_classes
from cfr.hands.river_rows import RiverRows, strength_ranks
from cfr.kernel.chance import Dealt, boards_below
from cfr.kernel.numbers import TYPES
from cfr.strategy.files.round_rows import MOST_STORED
from cfr.strategy.spot import Spot

_SCRATCH = 40_000_000  # bytes of each thread
_PER_HAND = 52  # bytes of the arrays that describe a hand on a board, showdowns included
_RESPONSE = 0.75  # share of the tables' memory: regrets, new and old play of one seat
_WRITING = 5  # bytes of each stored probability while the file is written, beside the averages
_SHARE = 0.8  # largest share of the free memory for a solve; beyond it, smaller numbers are chosen


@dataclass(frozen=True)
class SpotSize:
    """The size of a spot, and the memory of its solve.

    Attributes:
        boards: last-round boards that each iteration visits.
        rows: rows of each round from the spot's on: hands on all boards, isomorphic hands once; of the last round
            strengths on all boards where its rows go by strength.
        stored: probabilities of the last round in a file.
        table_bytes: bytes of regrets and averages, by the number type of the tables, the largest first.
        other_bytes: bytes of everything but the tables.
    """

    boards: int
    rows: tuple[int, ...]
    stored: int
    table_bytes: dict[str, int]
    other_bytes: int

    def memory_bytes(self, tables: str, responds: bool = False) -> int:
        """Peak memory of a solve with tables of this number type.

        ``responds``: whether the solve also finds a best response as a strategy, as solves with locks do.
        """
        whole = self.table_bytes[tables]
        written = _WRITING * self.stored if self.stored <= MOST_STORED else 0
        return int(max((1 + responds * _RESPONSE) * whole, whole / 2 + written)) + self.other_bytes

    def fitting(self, free: int, types: Sequence[str], responds: bool = False) -> str:
        """The first of ``types`` whose tables fit well into the free memory, else the last."""
        return next((name for name in types if self.memory_bytes(name, responds) <= _SHARE * free), types[-1])


def spot_size(spot: Spot, threads: int, river_rows: RiverRows = "hands") -> SpotSize:
    """Measure the size of a spot, in some milliseconds, or in a second for a flop with symmetries."""
    levels = boards_below(spot.game, np.array(spot.board, np.uint8), spot.is_symmetric)
    rows = tuple(_rows(spot, number, level, river_rows) for number, level in enumerate(levels, spot.state.round))
    tree = spot.tree()
    entries = {
        name: sum(prod(tree.table_shape(r, seat, count, dtype)) for r, count in enumerate(rows) for seat in (0, 1))
        for name, dtype in TYPES.items()
    }
    boards = sum(len(level.cards) for level in levels)
    return SpotSize(
        boards=len(levels[-1].cards),
        rows=rows,
        stored=rows[-1] * spot.state.tree.rounds[-1].node_actions * len(tree.rounds[-1].entry),
        table_bytes={name: 2 * count * TYPES[name].itemsize for name, count in entries.items()},
        other_bytes=boards * spot.game.num_hands * _PER_HAND + threads * _SCRATCH + 100_000_000,
    )


def _rows(spot: Spot, number: int, level: Dealt, river_rows: RiverRows) -> int:
    game = spot.game
    if river_rows == "strength" and number == game.num_rounds - 1:
        return int((strength_ranks(game, level.cards, spot.held).max(axis=1) + 1).sum())
    if spot.is_symmetric:
        classes = hand_classes(level.cards, game.num_board_cards[1 : number + 1], game.hands, game.deck)[:, spot.held]
        return sum(len(np.unique(each[each >= 0])) for each in classes)
    return int((~collisions(level.cards, game.hands[spot.held])).sum())
