"""The player that follows a strategy."""

from __future__ import annotations

import random
from collections.abc import Sequence

from cfr.game.betting import State
from cfr.strategy.strategy import BaseStrategy


class StrategyPlayer:
    """Samples its actions from a strategy."""

    def __init__(self, strategy: BaseStrategy, name: str) -> None:
        self.strategy = strategy
        self.name = name

    def act(self, state: State, hand: Sequence[int], board: Sequence[int], rng: random.Random) -> str:
        fold, call, _ = self.strategy.distribution(state, hand, board)
        drawn = rng.random()
        if drawn < fold:
            return "f"
        if drawn < fold + call or "r" not in state.legal:
            return "c"
        return "r"
