"""A strategy of small games that is drawn at random, for tests: ties of hands hide nothing in it."""

from functools import cached_property

import numpy as np

from cfr.abstraction.lossless import LosslessRows
from cfr.game.betting import BettingTree, State
from cfr.game.rules import Game
from cfr.kernel.tables import Source
from cfr.strategy.strategy import BaseStrategy, Cards, Floats


class RandomStrategy(BaseStrategy):
    """Every canonical hand plays as drawn; a share of the actions, ``never``, is not played at all."""

    is_whole = True

    def __init__(self, game: Game, seed: int = 0, never: float = 0.0) -> None:
        self.game, self.betting = game, BettingTree(game)
        self._seed, self._never = seed, never

    @cached_property
    def source(self) -> Source:
        rng, rows = np.random.default_rng(self._seed), LosslessRows(self.game)
        rounds: list[np.ndarray] = []
        for count, shared, lines in zip(rows.num_rows, self.betting.rounds, self.betting.num_lines, strict=True):
            shares = rng.random((count, shared.node_actions, lines))
            shares[rng.random(shares.shape) < self._never] = 0
            for numbers in shared.action_index:
                legal = numbers[numbers >= 0]
                at_node = shares[:, legal]
                at_node[:, 0] += (at_node.sum(axis=1) == 0) * 1.0
                shares[:, legal] = at_node / at_node.sum(axis=1, keepdims=True)
            rounds.append(shares)
        return Source(rows, rounds)

    @property
    def identity(self) -> dict[str, str]:
        return {"strategy": f"random {self._seed}", "game": self.game.text()}

    def distribution(self, state: State, hand: Cards, board: Cards) -> tuple[float, float, float]:
        fold, call, raise_ = self.all_hands(state, board)[self.game.hand_number(tuple(hand))].tolist()
        return fold, call, raise_

    def all_hands(self, state: State, board: Cards) -> Floats:
        rows = self.source.rows.rows(state.round, np.array([board], np.uint8).reshape(1, -1))[0]
        numbers = self.betting.rounds[state.round].action_index[state.node]
        shares = self.source.rounds[state.round][:][np.maximum(rows, 0)][:, numbers, state.line]
        return np.where((numbers >= 0) & (rows >= 0)[:, None], shares, 0)
