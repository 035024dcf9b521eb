"""Values of pairs of hands whose strategies are known: exact to the end of a round, by showdown margins from there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import BettingTree, State
from cfr.game.betting_round import ILLEGAL, LEAF, BettingRound

Floats = NDArray[np.float64]
Value = Floats | float  # of several pairs of hands, ``(n,)``, or of one
Plays = Sequence[Floats] | Sequence[float] | Floats  # the probability of each node-action of a round


class _Edge(NamedTuple):
    """An action of a round: its node, who acts there, its number, and what it leads to.

    Attributes:
        child: a node, or -1: the round is over.
        folder: the seat that folds, or -1.
        added: chips that whoever loses then has put in during the round.
    """

    node: int
    actor: int
    number: int
    child: int
    folder: int
    added: int


class PairValues:
    """What a seat's hands win in chips against a hand of the other seat.

    At the end of a round that is not the last, and then until somebody acts, a pair is worth its showdown margin
    (:mod:`cfr.hands.showdown_margins`) times the seat's chips in the pot times a factor for what is still to come.
    Margins are exact over all boards: the mean of this value over the cards that can be dealt is the value before.

    Args:
        betting: the game's lines.
        seat: whose chips.
        factors: of each round's end; the last is 1.

    A margin is a number for one pair, or ``(n,)`` for several; the values have the same shape.
    """

    def __init__(self, betting: BettingTree, seat: int, factors: Sequence[float]) -> None:
        self.betting = betting
        self.seat = seat
        self.factors = list(factors)
        self._edges = [_edges(current) for current in betting.rounds]

    def stake(self, entry: State) -> int:
        """Chips that each seat has in when a round begins."""
        return int(self.betting.stakes[entry.round][entry.line])

    def between(self, entry: State, margin: Value) -> Value:
        """The value when a round begins, before or after its cards are dealt, by the margin then."""
        return self.factors[entry.round - 1] * self.stake(entry) * margin

    def of_round(self, entry: State, plays: tuple[Plays, Plays], margin: Value) -> tuple[list[Value], list[Value]]:
        """Values at each node of a round, and after each of its node-actions.

        Args:
            entry: the state in which the round begins.
            plays: by seat; only the numbers at the seat's own nodes are read.
            margin: on the round's board.
        """
        shared, stake = self.betting.rounds[entry.round], self.stake(entry)
        shown = self.factors[entry.round] * margin
        node: list[Value] = [0.0] * shared.num_nodes
        action: list[Value] = [0.0] * shared.node_actions
        for here, actor, number, child, folder, added in self._edges[entry.round]:
            value: Value
            if child >= 0:
                value = node[child]
            elif folder < 0:
                value = (stake + added) * shown
            else:
                value = float(-stake - added if folder == self.seat else stake + added)
            action[number] = value
            node[here] = node[here] + plays[actor][number] * value
        return node, action


def fitted_factor(predicted: Sequence[float], values: Sequence[float]) -> float:
    """The factor that brings predictions nearest to values, by least squares; 1 where there is nothing to fit."""
    squares = float(np.dot(predicted, predicted))
    return float(np.dot(predicted, values)) / squares if squares > 0 else 1.0


def _edges(current: BettingRound) -> list[_Edge]:
    """A round's actions; those below an action come before it."""
    found = []
    for node in range(current.num_nodes - 1, -1, -1):
        for number, child in zip(current.action_index[node].tolist(), current.child[node].tolist(), strict=True):
            if number == ILLEGAL:
                continue
            folder, added = -1, 0
            if child < 0:
                kind = int(current.outcome_kind[-child - 2])
                folder = -1 if kind == LEAF else kind
                added = int(current.outcome_added[-child - 2, 0 if kind == LEAF else kind])
            found.append(_Edge(node, int(current.actor[node]), number, max(child, -1), folder, added))
    return found
