"""Kinds of players beside those that follow a strategy: at random, or by somebody else's class."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from cfr.game.betting import State
from cfr.game.line_text import action_letter
from cfr.game.rules import Game
from cfr.play.player import Player
from cfr.play.strategy_player import StrategyPlayer
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.strategy import BaseStrategy
from cfr.system.cluster.foreign import ERRORS, made_with, what_went_wrong
from cfr.system.errors import BadInputError, CfrError


class RandomPlayer:
    """Takes any legal action with equal probability."""

    name = "random"

    def act(self, state: State, hand: Sequence[int], board: Sequence[int], rng: random.Random) -> str:
        return rng.choice(state.legal)


class ForeignPlayer:
    """A player that somebody else wrote: an object with ``act``, as :class:`Player` has it.

    Args:
        name: for logs and messages.
        make: makes the player; is called with the game, or with nothing if it takes nothing.
        game: the rules.

    Raises:
        BadInputError: ``make`` makes no player.
    """

    def __init__(self, name: str, make: Callable[[Game], Any], game: Game) -> None:
        self.name = name
        try:
            self._player: Any = made_with(make, game)
        except ERRORS as error:
            what = what_went_wrong(error, "a class that is made by Class(game), or by Class()")
            raise BadInputError(f"player {name}: {what}") from error
        if not callable(getattr(self._player, "act", None)):
            raise BadInputError(f"player {name}: has no method act(state, hand, board, rng)")

    def act(self, state: State, hand: Sequence[int], board: Sequence[int], rng: random.Random) -> str:
        """What the object answers, a letter or a word such as ``raise``; raises CfrError for whatever it raises."""
        try:
            answer = str(self._player.act(state, hand, board, rng))
            return answer if answer in state.legal else action_letter(answer, state) or answer
        except ERRORS as error:
            what = what_went_wrong(error, "act(state, hand, board, rng)")
            raise CfrError(f"player {self.name}, after {state.line_string!r}: {what}") from error


def known_strategy(player: Player, game: Game) -> BaseStrategy | None:
    """The strategy that a player follows; None for one that somebody else wrote."""
    if isinstance(player, RandomPlayer):
        return BuiltIn("uniform", game)
    return player.strategy if isinstance(player, StrategyPlayer) else None
