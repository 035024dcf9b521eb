"""The boards that a solve samples, a batch at a time."""

from __future__ import annotations

import numpy as np

from cfr.game.rules import Game
from cfr.kernel.chance import Deal, sample_boards, sampled_deal
from cfr.kernel.tables import Rows


class BoardSampler:
    """Deals of sampled boards by the number of their batch.

    The boards depend on the seed, the batch and how many they are, alone.

    Args:
        game: the rules.
        abstraction: gives every hand its row.
        seed: of all batches.
        ends: boards of the last round below each one of the round before.
    """

    def __init__(self, game: Game, abstraction: Rows, seed: int, ends: int = 1) -> None:
        self._game = game
        self._abstraction = abstraction
        self._seed = seed
        self._ends = ends
        self._ready: dict[tuple[int, int], Deal] = {}  # by batch and size; one at most

    def deal(self, batch: int, count: int, threads: int = 1) -> Deal:
        """The ``count`` boards of a batch: those of :meth:`prepare`, or made now."""
        self.prepare(batch, count, threads)
        return self._ready[batch, count]

    def prepare(self, batch: int, count: int, threads: int = 1) -> None:
        """Have a batch ready for the next :meth:`deal`, perhaps in another thread than that."""
        if (batch, count) in self._ready:
            return
        boards = sample_boards(self._game, count, np.random.default_rng((self._seed, batch)), self._ends)
        self._ready = {(batch, count): sampled_deal(self._game, self._abstraction, boards, threads, self._ends)}
