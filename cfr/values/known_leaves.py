"""A betting round whose leaves are known: what hands win at any of its decisions is added up without another pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import EllipsisType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting_round import ACTIONS
from cfr.strategy.position import Position
from cfr.strategy.strategy import BaseStrategy, Floats


@dataclass(frozen=True)
class KnownLeaves:
    """What a seat's hands win behind each line that leaves a betting round, when both seats play the strategy.

    With ``is_best`` the seat plays best instead, each hand what wins most, against the strategy in the other seat.
    Chips are counted from the start of the hand and summed over the opponent's hands as often as they are expected
    (:meth:`cfr.strategy.position.Position.expected`). What the opponent never does adds nothing before it was done.

    Attributes:
        seat: whose hands (ACPC position).
        round_: the betting round.
        leaves: ``(H,)`` chips behind each line that enters the next round, by the line's number.
        hands: ``(n,)`` numbers of the hands that are asked for, and whose chips ``leaves`` have; all by default.
        margins: ``(n, H)`` in the last round, 1 where the hand beats one of the opponent's, -1 where it loses, else 0.
        is_best: whether the seat plays best in the round; the leaves say how it plays behind them.
    """

    seat: int
    round_: int
    leaves: Mapping[int, Floats] | Floats
    hands: NDArray[np.intp] | EllipsisType = ...
    margins: NDArray[Any] | None = None
    is_best: bool = False

    def action_ev(self, position: Position[BaseStrategy]) -> Floats:
        """``(H, 3)`` mbb that fold, call and raise win with each hand of the seat, which acts there, in the whole hand.

        NaN for illegal actions and for hands that the board blocks or that no hand of the opponent's can meet.
        """
        game = position.strategy.game
        mass = game.apart[self.hands] @ position.expected(1 - self.seat)
        asked = (mass > 0) & position.live[self.hands]
        found = np.full((len(mass), len(ACTIONS)), np.nan)
        if asked.any():
            for letter, child in position.children.items():
                found[asked, ACTIONS.index(letter)] = self.behind(child)[asked] / mass[asked]
        return found * game.mbb

    def behind(self, position: Position[BaseStrategy]) -> Floats:
        """``(H,)`` chips that the seat wins behind a position of the round, or after one that leaves it or ends it."""
        state, others = position.state, 1 - self.seat
        if state.round > self.round_:
            leaf: Floats = self.leaves[state.line]
            return leaf
        if state.at_showdown and self.margins is not None:
            shown: Floats = self.margins @ position.expected(others)
            return shown * state.stakes[self.seat]
        if state.is_over:
            folded: Floats = state.tree.game.apart[self.hands] @ position.expected(others)
            return folded * state.payoff(None)[self.seat]
        if self.is_best and state.actor == self.seat:
            best: Floats = np.max([self.behind(child) for child in position.children.values()], axis=0)
            return best
        frequencies = position.frequencies
        total: Floats = np.zeros(len(frequencies[self.hands]))
        for letter, child in position.children.items():
            taken = frequencies[:, ACTIONS.index(letter)]
            if state.actor == self.seat:
                total += taken[self.hands] * self.behind(child)
            elif (position.expected(others) * taken).any():  # how often the opponent does it is in what is expected
                total += self.behind(child)
        return total
