"""Memory that a spot takes, known before anything is allocated."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from cfr.hands.isomorphism import collisions, hand_classes
from cfr.kernel.chance import Dealt, boards_below
from cfr.kernel.tree import Tree
from cfr.strategy.spot import Spot

_SCRATCH = 40_000_000  # of each thread
_PER_HAND = 52  # bytes of the arrays that describe a hand on a board, showdowns included


def spot_bytes(spot: Spot, threads: int) -> int:
    """What a solve takes at the peak."""
    levels = boards_below(spot.game, np.array(spot.board, np.uint8), spot.is_symmetric)
    boards = sum(len(level.cards) for level in levels)
    return tables_bytes(spot, levels) + boards * spot.game.num_hands * _PER_HAND + threads * _SCRATCH + 100_000_000


def tables_bytes(spot: Spot, levels: list[Dealt]) -> int:
    return _bytes_of(
        spot.tree(), [rows_of(spot, number, level) for number, level in enumerate(levels, spot.state.round)]
    )


def rows_of(spot: Spot, number: int, level: Dealt) -> int:
    game = spot.game
    if spot.is_symmetric:
        classes = hand_classes(level.cards, game.num_board_cards[1 : number + 1], game.hands, game.deck)[:, spot.held]
        return sum(len(np.unique(each[each >= 0])) for each in classes)
    return int((~collisions(level.cards, game.hands[spot.held])).sum())


def _bytes_of(tree: Tree, num_rows: Sequence[int]) -> int:
    """Regrets and averages in float32."""
    sizes = [prod(tree.table_shape(r, seat, rows)) for r, rows in enumerate(num_rows) for seat in (0, 1)]
    return 2 * 4 * sum(sizes)
