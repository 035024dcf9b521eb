"""Strategies by rule, which ignore their cards."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import BettingTree, State
from cfr.game.betting_round import ACTIONS
from cfr.game.rules import Game, NamedGame, game_of
from cfr.hands.isomorphism import collisions
from cfr.kernel.tables import Source
from cfr.strategy.files.bundled import BUILT_INS
from cfr.strategy.strategy import BaseStrategy, Cards, Floats
from cfr.system.checks import shown
from cfr.system.errors import BadInputError


class BuiltIn(BaseStrategy):
    """A strategy by rule, which ignores its cards.

    ``always-fold`` (checks if a check is legal), ``always-call``, ``always-raise`` (calls if raises are capped),
    ``call-raise`` (either with probability 1/2, never folds), ``uniform`` (all legal actions alike).

    Args:
        name: one of these.
        game: the rules, or a bundled game's name, or the path of a ``.game`` file; default, full hold'em.

    Raises:
        BadInputError: another name, or no such game.
    """

    is_whole = True

    def __init__(self, name: str, game: NamedGame | None = None) -> None:
        if name not in BUILT_INS:
            raise BadInputError(f"unknown strategy {shown(name)}; built in are {', '.join(BUILT_INS)}")
        self.name = name
        self.game = game_of("hulhe" if game is None else game)
        self.betting = BettingTree(self.game)

    def __reduce__(self) -> tuple[Any, ...]:
        return BuiltIn, (self.name, self.game)

    def distribution(self, state: State, hand: Cards, board: Cards) -> tuple[float, float, float]:
        return self._mix(state.legal)

    def mix(self, legal: str) -> tuple[float, float, float]:
        """Probabilities of fold, call and raise among the ``legal`` actions, such as ``cr``."""
        if not isinstance(legal, str) or not legal:
            raise BadInputError(f"legal: {shown(legal)}; expected letters of actions, such as 'cr'")
        return self._mix(legal)

    def _mix(self, legal: str) -> tuple[float, float, float]:
        if self.name == "uniform":
            fold, call, raise_ = (float(letter in legal) / len(legal) for letter in ACTIONS)
            return fold, call, raise_
        if self.name == "call-raise" and "r" in legal:
            return 0.0, 0.5, 0.5
        wanted = {"always-fold": "f", "always-raise": "r"}.get(self.name, "c")
        played = wanted if wanted in legal else "c"
        return float(played == "f"), float(played == "c"), float(played == "r")

    @cached_property
    def source(self) -> Source:
        betting = self.betting
        return Source(OneRow(self.game), [self._round(betting, number) for number in range(self.game.num_rounds)])

    def facts(self) -> dict[str, str]:
        return {"strategy": self.name} | super().facts()

    @property
    def identity(self) -> dict[str, str]:
        return {"strategy": self.name, "game": self.game.text()}

    def _round(self, betting: BettingTree, number: int) -> Floats:
        """``(1, node_actions, lines)`` probabilities of one round."""
        shared = betting.rounds[number]
        merged = np.zeros((1, shared.node_actions, betting.num_lines[number]))
        for numbers in shared.action_index:
            legal = "".join(letter for letter, each in zip(ACTIONS, numbers, strict=True) if each >= 0)
            merged[0, numbers[numbers >= 0]] = np.array(self._mix(legal))[numbers >= 0, None]
        return merged

    def round_probabilities(
        self, entry: State, hands: NDArray[np.uint8], board: Cards, seat: int | None = None
    ) -> Floats:
        return np.repeat(self.source.rounds[entry.round][:1][0, :, entry.line, None], len(hands), axis=1)

    def all_hands(self, state: State, board: Cards) -> Floats:
        found: Floats = self.game.live(board)[:, None] * np.array(self.distribution(state, (), board))
        return found


class OneRow:
    """The abstraction of a strategy that ignores its cards."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self.num_rows = (1,) * game.num_rounds
        self.separates_boards = False

    def rows(self, round_index: int, boards: np.ndarray, threads: int = 1) -> np.ndarray:
        rows: np.ndarray = -collisions(boards, self._game.hands).astype(np.int32)
        return rows
