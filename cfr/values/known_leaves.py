"""A betting round whose leaves are known: what hands win at any of its decisions is added up without another pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cfr.game.betting import ACTIONS
from cfr.strategy.position import Position
from cfr.strategy.strategy import Floats, Spots


@dataclass(frozen=True)
class KnownLeaves:
    """What a seat's hands win behind each line that leaves a betting round, when both seats play the strategy.

    Chips are counted from the start of the hand and summed over the opponent's hands as often as they are expected
    (:meth:`cfr.strategy.position.Position.expected`). What the opponent never does adds nothing before it was done.

    Attributes:
        seat: whose hands (ACPC position).
        round_: the betting round.
        leaves: ``(H,)`` chips behind each line that enters the next round, by the line's number.
    """

    seat: int
    round_: int
    leaves: Mapping[int, Floats] | Floats

    def behind(self, position: Position[Spots]) -> Floats:
        """``(H,)`` chips that the seat wins behind a position of the round, or after one that leaves it or ends it."""
        state, others = position.state, 1 - self.seat
        if state.round > self.round_:
            leaf: Floats = self.leaves[state.line]
            return leaf
        if state.is_over:
            folded: Floats = state.tree.game.apart @ position.expected(others)
            return folded * state.payoff(None)[self.seat]
        total: Floats = np.zeros(state.tree.game.num_hands)
        for letter, child in position.children.items():
            taken = position.frequencies[:, ACTIONS.index(letter)]
            if state.actor == self.seat:
                total += taken * self.behind(child)
            elif (position.expected(others) * taken).any():  # how often the opponent does it is in what is expected
                total += self.behind(child)
        return total
