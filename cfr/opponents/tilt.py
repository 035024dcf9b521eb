"""A tilt: few parameters that change a blueprint's probabilities by situation and by strength of the hand.

Where the blueprint has the probabilities ``p`` of the legal actions, a tilted strategy has those in proportion to
``((1 - floor) p + floor / legal actions) exp(t)``. ``t`` is 0 for a call; for a fold and for a raise it is a sum of
four shapes over the strength ``s`` of the hand, 0 to 1, each times a parameter of the situation: 1 (intercept),
``2 s - 1`` (slope), ``max(0, 1 - 3 s)`` (weak end) and ``max(0, 3 s - 2)`` (strong end).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import BettingTree
from cfr.game.rules import Game
from cfr.opponents import situation
from cfr.opponents.hand_strength import LEVELS

Floats = NDArray[np.float64]
TILTED = (0, 2)  # fold and raise, by the actions' order; a call is what they are compared with
SHAPES = 4


def shapes() -> Floats:
    """``(LEVELS, SHAPES)`` the four shapes in the middle of each level of strength."""
    s = (np.arange(LEVELS) + 0.5) / LEVELS
    return np.stack([np.ones(LEVELS), 2 * s - 1, np.maximum(0, 1 - 3 * s), np.maximum(0, 3 * s - 2)], axis=1)


@dataclass(frozen=True, eq=False)
class Tilt:
    """The parameters.

    Attributes:
        parameters: ``(situations, 2, SHAPES)`` of fold and raise.
        floor: the share of play that the blueprint does not have at all, 0 to 1: all legal actions alike.
    """

    parameters: Floats
    floor: float = 0.0

    @classmethod
    def none(cls, game: Game) -> Tilt:
        """The tilt that leaves a blueprint as it is."""
        return cls(np.zeros((situation.count(game), len(TILTED), SHAPES)))

    @property
    def is_none(self) -> bool:
        """Whether it leaves a blueprint as it is."""
        return self.floor == 0 and not self.parameters.any()

    @property
    def factors(self) -> Floats:
        """``(situations, LEVELS, 3)`` of the probabilities of fold, call and raise."""
        found = np.ones((len(self.parameters), LEVELS, 3))
        found[:, :, TILTED] = np.exp(np.einsum("gak,lk->gla", self.parameters, shapes()))
        return found

    def only(self, kept: int) -> Tilt:
        """The tilt of one situation alone."""
        parameters = np.zeros_like(self.parameters)
        parameters[kept] = self.parameters[kept]
        return Tilt(parameters, self.floor)

    def apply(
        self, shares: NDArray[np.floating[Any]], levels: NDArray[np.uint8], tree: BettingTree, round_: int
    ) -> None:
        """Tilt rows of a round in place.

        Args:
            shares: ``(n, node_actions, lines)`` probabilities of the blueprint, in any unit; floats.
            levels: ``(n,)`` level of strength of each row.
            tree: the game's betting.
            round_: the round.
        """
        if self.is_none:
            return
        factors = self.factors.astype(shares.dtype)
        of_nodes = situation.of_nodes(tree, round_)
        for node, numbers in enumerate(tree.rounds[round_].action_index):
            legal = np.flatnonzero(numbers >= 0)
            taken = numbers[legal]
            part = shares[:, taken]
            part /= part.sum(axis=1, keepdims=True)
            part *= 1 - self.floor
            part += self.floor / len(legal)
            part *= factors[of_nodes[node]][levels][:, legal, None]
            part /= part.sum(axis=1, keepdims=True)
            shares[:, taken] = part
