"""What hands do in a whole round on one betting line, read at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import ACTIONS, State
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.quantise import ONE
from cfr.strategy.stored import Strategy
from cfr.strategy.strategy import AnyStrategy

Floats = NDArray[np.float64]
_FEW = 4  # hands that are placed one by one


class LineReader:
    """Reads a strategy by rounds: all nodes of a betting line at once."""

    def __init__(self, strategy: AnyStrategy) -> None:
        self._strategy = strategy
        self._betting = strategy.betting
        self._nodes = lru_cache(1024)(self._walk)

    def read(self, entry: State, hands: NDArray[np.uint8], board: Sequence[int]) -> Floats:
        """``(node_actions, n)`` probabilities of what ``(n, hole)`` hands do in a round.

        Args:
            entry: the state in which the round begins.
            hands: card codes; none shares a card with the board.
            board: the cards dealt so far.
        """
        strategy, round_, line = self._strategy, entry.round, entry.line
        if isinstance(strategy, Strategy) and len(hands) <= _FEW:
            few = [strategy.row_of(round_, hand, board)[:, line] for hand in hands.tolist()]
            return np.array(few, np.float64).T / ONE
        if isinstance(strategy, Strategy):
            rows = strategy.abstraction.rows(round_, np.array([board], np.uint8).reshape(1, -1))[0]
            used, where = np.unique(rows[strategy.game.hand_numbers(hands)], return_inverse=True)
            many = [strategy.row(round_, row)[:, line] for row in used.tolist()]
            return (np.array(many, np.float64) / ONE).T[:, where]
        return self._ask(entry, hands, board)

    def _ask(self, entry: State, hands: NDArray[np.uint8], board: Sequence[int]) -> Floats:
        """Node by node and hand by hand; a rule answers for all hands at once."""
        found = np.zeros((self._betting.rounds[entry.round].node_actions, len(hands)))
        for state, numbers in self._nodes(entry):
            if isinstance(self._strategy, BuiltIn):
                found[numbers] = np.array(self._strategy.mix(state.legal))[
                    [ACTIONS.index(a) for a in state.legal], None
                ]
                continue
            for column, hand in enumerate(hands.tolist()):
                played = self._strategy.distribution(state, hand, board)
                found[numbers, column] = [played[ACTIONS.index(letter)] for letter in state.legal]
        return found

    def _walk(self, entry: State) -> list[tuple[State, list[int]]]:
        """The round's nodes, and the numbers of their actions."""
        found, waiting = [], [entry]
        while waiting:
            state = waiting.pop()
            if state.is_over or state.round != entry.round:
                continue
            numbers = self._betting.rounds[state.round].action_index[state.node]
            found.append((state, numbers[numbers >= 0].tolist()))
            waiting += [state.act(letter) for letter in state.legal]
        return found
