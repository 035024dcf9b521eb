"""Policy iteration: one seat's best response to fixed play of the other seat, as a strategy and not only as a value.

A sweep of the kernel gives the regret of every action, given the play after this action. Each decision then takes the
action with most regret (Howard 1960, "Dynamic Programming and Markov Processes", chapter 4). A seat's last decisions
are right after the first sweep, the decisions before them after the second, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from cfr.game.betting import State
from cfr.kernel.chance import Deal
from cfr.kernel.numbers import narrowed, widened
from cfr.kernel.tables import Tables
from cfr.kernel.traversal import Traversal
from cfr.kernel.tree import ROWS_AT_A_TIME, Seat


def best_tables(
    traversal: Traversal,
    deal: Deal,
    tables: Sequence[Tables],
    seat: int,
    start: State,
    hold: Callable[[Sequence[Tables]], object] = lambda _: None,
) -> list[Tables]:
    """Replace a seat's play by its best response to the other seat's.

    Args:
        traversal, deal: for the boards that follow.
        tables: per round, both seats' tables, which do not change.
        seat: the seat that responds.
        start: the state where the traversal begins.
        hold: writes fixed decisions, such as locks, into the tables.

    Returns:
        The tables with the response: probabilities of 0 and 1. Rows are 0 where all actions win the same, for example
        on lines that the other seat never takes; the kernel reads such rows as uniform.
    """
    own = [np.zeros_like(pair[seat]) for pair in tables]
    paired: list[Tables] = [
        (mine, pair[1]) if seat == 0 else (pair[0], mine) for mine, pair in zip(own, tables, strict=True)
    ]
    regrets = [np.zeros_like(each) for each in own]
    sweep = traversal.prepare(deal, paired, seat, "update", accumulated=regrets)
    hold(paired)
    for _ in range(_most_decisions(start, seat)):
        before = [table.copy() for table in own]  # the kernel overwrites the play with regrets
        sweep.run()
        for play, kept, gains, current in zip(own, before, regrets, traversal.tree.rounds, strict=True):
            play[...] = kept
            _improve(play, gains, current.seats[seat])
        hold(paired)
    return paired


def _improve(play: np.ndarray, regrets: np.ndarray, seat: Seat) -> None:
    """Play each node's action with most regret if this regret is positive, and forget the regrets."""
    for begin in range(0, len(play), ROWS_AT_A_TIME):
        rows = slice(begin, begin + ROWS_AT_A_TIME)
        for first, count in zip(seat.node_first - 1, seat.node_count, strict=True):
            node = (rows, slice(None), slice(first, first + count))
            gains = widened(regrets[node])
            best = (np.arange(count)[:, None] == gains.argmax(axis=2)[:, :, None]).astype(gains.dtype)
            play[node] = np.where(gains.max(axis=2, keepdims=True) > 0, narrowed(best, play.dtype), play[node])
        regrets[rows] = 0


def _most_decisions(state: State, seat: int) -> int:
    """The most decisions of a seat from a state to the end of the hand."""
    if state.is_over:
        return 0
    return (state.actor == seat) + max(_most_decisions(state.act(action), seat) for action in state.legal)
