"""A best response of one seat to a fixed opponent from a spot on, in a solver's tables."""

from __future__ import annotations

from dataclasses import dataclass

from cfr.kernel.tables import Source
from cfr.spots.fixed_play import fixed_play
from cfr.spots.policy_iteration import best_tables
from cfr.spots.solver import SpotMeasurement, SpotSolver


@dataclass(frozen=True)
class BestPlay:
    """The winnings of a best response to a fixed strategy, in chips per hand that gets to the spot.

    Attributes:
        opponent: the fixed strategy against best responses and against itself, by exact values over all boards.
        won: winnings of the seat's pure play against the fixed strategy.
    """

    opponent: SpotMeasurement
    won: float


def best_play(solver: SpotSolver, source: Source, seat: int) -> BestPlay:
    """Find a seat's best response to the strategy ``source`` below the spot of a new ``solver``.

    The solver's averages become this pure play and, in the other seat, the fixed strategy. The play is uniform where
    all actions win the same, for example on lines that the opponent never takes.

    Raises:
        BadInputError: a source that does not know the hands of the spot.
    """
    fixed = fixed_play(source, solver)
    measured = solver.measure(fixed)
    solver.averages = best_tables(solver.traversal, solver.deal, fixed, seat, solver.spot.state)
    values = solver.traversal.run(solver.deal, solver.averages, seat, "average")
    return BestPlay(measured, float(values @ solver.spot.ranges[seat]) / solver.spot.mass)
