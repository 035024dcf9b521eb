"""Target values: the most that every hand can win against a strategy below one board."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cfr.game.betting import State
from cfr.kernel.builds import dtype_for, lanes
from cfr.kernel.chance import enumerate_below
from cfr.kernel.tables import Tables
from cfr.kernel.traversal import Traversal
from cfr.kernel.tree import build_tree
from cfr.strategy.realisation import Target, plan_tables
from cfr.strategy.strategy import BaseStrategy, Floats
from cfr.values.used_rows import UsedRows


def target_values(
    strategy: BaseStrategy, entries: Sequence[State], board: Sequence[int], seat: int, own: Floats, threads: int = 1
) -> Floats:
    """The winnings of a best response against one seat's play in a round and all later rounds.

    Args:
        strategy: a file or a built-in.
        entries: states in which the board's round begins, by ascending betting line.
        board: card codes.
        seat: the seat that plays the strategy (ACPC position).
        own: ``(n, H)`` reach of the seat's hands in each state.
        threads: number of threads; the result does not depend on threads.

    Returns:
        ``(n, H)`` chips that each hand of the other seat wins, summed over the seat's hands by their reach.
    """
    game, source, dtype = strategy.game, strategy.source, dtype_for(strategy.game)
    used = UsedRows(source.rows)
    boards = enumerate_below(game, used, np.array(board, np.uint8), strategy.is_suit_blind)
    tree = build_tree(game, lanes(dtype), entries[0].round, [each.line for each in entries])
    tables: list[Tables] = []
    for number, level in enumerate(tree.rounds):
        play = used.play(source, tree.first + number, level.betting_line)
        (plan,) = plan_tables(play, [Target(tree, number, seat)], dtype)
        other = np.zeros(tree.table_shape(number, 1 - seat, len(plan)), dtype)
        tables.append((plan, other) if seat == 0 else (other, plan))
    entering = np.zeros((2, tree.rounds[0].stride, game.num_hands))
    entering[seat, : len(entries)] = own
    traversal = Traversal(tree, threads, dtype)
    return traversal.run_round(0, boards, tables, 1 - seat, "best", entering, scale=1.0)[: len(entries)].astype(float)
