"""A betting round whose leaves are known: what hands win at any of its decisions is added up without another pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cfr.game.betting import ACTIONS, State
from cfr.strategy.strategy import Floats, Spots


@dataclass(frozen=True)
class KnownLeaves:
    """What a seat's hands win behind each line that leaves a betting round, when both seats play the strategy.

    Chips are counted from the start of the hand and summed over the opponent's hands by their reach.

    Attributes:
        strategy: a file or a built-in.
        board: the cards dealt so far.
        seat: whose hands (ACPC position).
        round_: the betting round.
        leaves: ``(H,)`` chips behind each line that enters the next round, by the line's number.
    """

    strategy: Spots
    board: Sequence[int]
    seat: int
    round_: int
    leaves: Mapping[int, Floats] | Floats

    def behind(self, state: State) -> Floats:
        """``(H,)`` chips that the seat wins behind a state of the round, or one that leaves it or ends the hand."""
        if state.round > self.round_:
            leaf: Floats = self.leaves[state.line]
            return leaf
        if state.is_over:
            folded: Floats = self.strategy.game.apart @ self.strategy.reach(state, self.board, 1 - self.seat)
            return folded * state.payoff(None)[self.seat]
        values: Floats = np.array([self.behind(state.act(letter)) for letter in state.legal])
        if state.actor == self.seat:  # what the opponent does is in its reach
            played = self.strategy.all_hands(state, self.board)
            values *= played[:, [ACTIONS.index(letter) for letter in state.legal]].T
        total: Floats = values.sum(axis=0)
        return total
