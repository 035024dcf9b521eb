"""Strategies by rule, which do not look at their cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cfr.game.betting import ACTIONS, BettingTree, State
from cfr.game.rules import Game
from cfr.system.errors import UnknownSpotError

if TYPE_CHECKING:
    pass
from cfr.strategy.strategy import Cards, Floats, Spots

BUILT_INS = ("always-call", "always-fold", "always-raise", "call-raise", "uniform")


class BuiltIn(Spots):
    """A strategy by rule, which does not look at its cards.

    ``always-fold`` (checks if that is free), ``always-call``, ``always-raise`` (calls where raises are capped),
    ``call-raise`` (either with probability 1/2, never folds), ``uniform`` (all legal actions alike).
    """

    def __init__(self, name: str, game: Game | None = None) -> None:
        if name not in BUILT_INS:
            raise UnknownSpotError(f"unknown strategy {name!r}; built in are {', '.join(BUILT_INS)}")
        self.name = name
        self.game = game or Game.bundled("hulhe")
        self.betting = BettingTree(self.game)

    def distribution(self, state: State, hand: Cards, board: Cards) -> tuple[float, float, float]:
        return self.mix(state.legal)

    def mix(self, legal: str) -> tuple[float, float, float]:
        """Probabilities of fold, call and raise where ``legal`` actions such as ``cr`` are to be had."""
        if self.name == "uniform":
            fold, call, raise_ = (float(letter in legal) / len(legal) for letter in ACTIONS)
            return fold, call, raise_
        if self.name == "call-raise" and "r" in legal:
            return 0.0, 0.5, 0.5
        wanted = {"always-fold": "f", "always-raise": "r"}.get(self.name, "c")
        played = wanted if wanted in legal else "c"
        return float(played == "f"), float(played == "c"), float(played == "r")

    def _all_hands(self, state: State, board: Cards) -> Floats:
        return np.tile(np.array(self.distribution(state, (), board)), (self.game.num_hands, 1))
