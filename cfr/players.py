"""Players: who acts in a hand, by a strategy, at random, or by hand."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol

from cfr.betting import State
from cfr.errors import UnknownSpotError
from cfr.game import Game
from cfr.strategy import BUILT_INS, AnyStrategy, BuiltIn, Strategy


class Player(Protocol):
    """Chooses actions; ``name`` is for logs."""

    name: str

    def act(self, state: State, hand: Sequence[int], board: Sequence[int], rng: random.Random) -> str:
        """A legal action's letter, for the seat to act, which sees its own ``hand`` and the ``board``."""
        ...


class StrategyPlayer:
    """Samples its actions from a strategy."""

    def __init__(self, strategy: AnyStrategy, name: str) -> None:
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


class RandomPlayer:
    """Takes any legal action with equal probability."""

    name = "random"

    def act(self, state: State, hand: Sequence[int], board: Sequence[int], rng: random.Random) -> str:
        return rng.choice(state.legal)


def make_players(names: Sequence[str]) -> tuple[Game, list[Player]]:
    """Players of one game, each ``random``, a built-in strategy or a strategy file; the files say which game.

    Raises:
        UnknownSpotError: files of different games.
        OSError, DamagedFileError: a file that cannot be opened.
    """
    files = {name: Strategy.open(name) for name in names if name not in (*BUILT_INS, RandomPlayer.name)}
    games = {strategy.game.text(): strategy.game for strategy in files.values()}
    if len(games) > 1:
        raise UnknownSpotError(f"{' and '.join(files)} are for different games")
    game = next(iter(games.values()), None) or Game.bundled("hulhe")
    players: list[Player] = []
    for name in names:
        if name == RandomPlayer.name:
            players.append(RandomPlayer())
        else:
            players.append(StrategyPlayer(files.get(name) or BuiltIn(name, game), name))
    return game, players


def seat_name(seat: int, first_player: int) -> str:
    """``button`` or ``big blind``: before the flop the button acts first."""
    return "button" if seat == first_player else "big blind"


def action_word(letter: str, state: State) -> str:
    """What an action is called at a state: fold, check or call, bet or raise."""
    if letter == "f":
        return "fold"
    facing = state.stakes[state.actor] < max(state.stakes)
    if letter == "c":
        return "call" if facing else "check"
    # The big blind that has its option raises; later rounds open with a bet.
    return "raise" if facing or (state.round == 0 and state.tree.game.blinds[0] != state.tree.game.blinds[1]) else "bet"
