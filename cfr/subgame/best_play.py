"""A best response as a strategy: pure play of one seat that wins most against a fixed opponent, from a spot on.

Policy iteration finds it (Howard 1960, "Dynamic Programming and Markov Processes", chapter 4): a sweep gives every
decision the action that is best if the play after it stays. Decisions that are followed by none of the seat's own are
right after the first sweep, those before them after the second, and so on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cfr.game.betting import State
from cfr.kernel.tables import Source
from cfr.kernel.tree import Seat
from cfr.subgame.fixed_play import fixed_play
from cfr.subgame.spot_solver import SpotMeasurement, SpotSolver


@dataclass(frozen=True)
class BestPlay:
    """What a best response to a fixed strategy wins; chips per hand that gets to the spot.

    Attributes:
        opponent: the fixed strategy against best responses and against itself, by exact values over all boards.
        won: what the seat's pure play wins against the fixed strategy.
    """

    opponent: SpotMeasurement
    won: float


def best_play(solver: SpotSolver, source: Source, seat: int) -> BestPlay:
    """Find a seat's best response to what ``source`` plays below the spot of a new ``solver``.

    The solver's averages become that pure play and, in the other seat, the fixed one. Where all actions win the same,
    as where the opponent never comes, the play is uniform.

    Raises:
        UnknownSpotError: a source that does not know the hands of the spot.
    """
    fixed = fixed_play(source, solver)
    measured = solver.measure(fixed)
    own, regrets = ([pair[seat] for pair in tables] for tables in (solver.averages, solver.regrets))
    solver.averages = [(mine, pair[1]) if seat == 0 else (pair[0], mine) for mine, pair in zip(own, fixed, strict=True)]
    sweep = solver.traversal.prepare(solver.deal, solver.averages, seat, "update", accumulated=regrets)
    for _ in range(_most_decisions(solver.spot.state, seat)):
        before = [table.copy() for table in own]  # the kernel leaves regrets where it found the play
        sweep.run()
        for table, kept, gains, current in zip(own, before, regrets, solver.tree.rounds, strict=True):
            table[...] = kept
            _improve(table, gains, current.seats[seat])
    values = solver.traversal.run(solver.deal, solver.averages, seat, "average")
    return BestPlay(measured, float(values @ solver.spot.ranges[seat]) / solver.spot.mass)


def _improve(play: np.ndarray, regrets: np.ndarray, seat: Seat) -> None:
    """Play each node's action with most regret where that is positive, and forget the regrets."""
    for first, count in zip(seat.node_first - 1, seat.node_count, strict=True):
        actions, gains = play[:, :, first : first + count], regrets[:, :, first : first + count]
        best = np.arange(count)[:, None] == gains.argmax(axis=2)[:, :, None]
        actions[...] = np.where(gains.max(axis=2, keepdims=True) > 0, best, actions)
    regrets[...] = 0


def _most_decisions(state: State, seat: int) -> int:
    """How many decisions a seat may have to make from a state to the end of the hand."""
    if state.is_over:
        return 0
    return (state.actor == seat) + max(_most_decisions(state.act(action), seat) for action in state.legal)
