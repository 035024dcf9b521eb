"""Players: who acts in a hand, by a strategy, at random, or by hand."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from typing import Any, Protocol, runtime_checkable

from cfr.game.betting import State
from cfr.game.hand import SeenHand
from cfr.game.rules import Game
from cfr.play.acpc_dealer import PREFIX, AcpcPlayer
from cfr.strategy.built_in import BUILT_INS, BuiltIn
from cfr.strategy.stored import Strategy
from cfr.strategy.strategy import AnyStrategy
from cfr.system.errors import CfrError, UnknownSpotError


class Player(Protocol):
    """Chooses actions; ``name`` is for logs."""

    name: str

    def act(self, state: State, hand: Sequence[int], board: Sequence[int], rng: random.Random) -> str:
        """A legal action's letter, for the seat to act, which sees its own ``hand`` and the ``board``."""
        ...


@runtime_checkable
class Watcher(Protocol):
    """A player that is told of every state of a hand, not only of those where it acts.

    A table enters it as a context before the first hand and leaves it after the last.
    """

    def __enter__(self) -> object: ...
    def __exit__(self, *error: object) -> None: ...
    def watch(self, seat: int, number: int, seen: SeenHand) -> None:
        """The hand of this number has come so far; ``seen`` holds what the watcher, in ``seat``, may know."""
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


class ClassPlayer:
    """A player that somebody else wrote: an object with ``act``, as :class:`Player` has it.

    Args:
        name: ``module:Class``.
        game: what the class is called with.

    Raises:
        UnknownSpotError: there is no such class, or it makes no player.
    """

    def __init__(self, name: str, game: Game) -> None:
        self.name = name
        made = _named(name)
        try:
            self._player: Any = made(game)
        except Exception as error:
            raise UnknownSpotError(f"player {name}: {_what_went_wrong(error)}") from error
        if not callable(getattr(self._player, "act", None)):
            raise UnknownSpotError(f"player {name}: has no method act(state, hand, board, rng)")

    def act(self, state: State, hand: Sequence[int], board: Sequence[int], rng: random.Random) -> str:
        """What the object answers; raises CfrError for whatever it raises."""
        try:
            return str(self._player.act(state, hand, board, rng))
        except Exception as error:
            raise CfrError(f"player {self.name}, after {state.line_string!r}: {_what_went_wrong(error)}") from error


def make_players(names: Sequence[str]) -> tuple[Game, list[Player]]:
    """Players of one game, each ``random``, a built-in strategy, a strategy file, an ACPC port or a class.

    Files say which game.

    Raises:
        UnknownSpotError: files of different games, a port that is none, or a class that makes no player.
        OSError, DamagedFileError: a file that cannot be opened.
    """
    files = {name: Strategy.open(name) for name in names if _is_file(name)}
    games = {strategy.game.text(): strategy.game for strategy in files.values()}
    if len(games) > 1:
        raise UnknownSpotError(f"{' and '.join(files)} are for different games")
    game = next(iter(games.values()), None) or Game.bundled("hulhe")
    players: list[Player] = []
    for name in names:
        if name == RandomPlayer.name:
            players.append(RandomPlayer())
        elif name in files:
            players.append(StrategyPlayer(files[name], name))
        elif name in BUILT_INS:
            players.append(StrategyPlayer(BuiltIn(name, game), name))
        elif is_port(name):
            players.append(AcpcPlayer.named(name))
        else:
            players.append(ClassPlayer(name, game))
    return game, players


def is_port(name: str) -> bool:
    """Whether a player's name is that of an ACPC port: somebody else's program, which is there once."""
    return name.startswith(PREFIX)


def known_strategy(player: Player, game: Game) -> AnyStrategy | None:
    """The strategy that a player follows; None for one that somebody else wrote."""
    if isinstance(player, RandomPlayer):
        return BuiltIn("uniform", game)
    return player.strategy if isinstance(player, StrategyPlayer) else None


def _is_file(name: str) -> bool:
    if name in (*BUILT_INS, RandomPlayer.name) or is_port(name):
        return False
    return ":" not in name or Path(name).exists()


def _named(name: str) -> Any:
    """What ``module:Class`` names; modules of the working directory are found, too."""
    module, _, wanted = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        return getattr(import_module(module), wanted)
    except ImportError as error:
        raise UnknownSpotError(f"player {name}: {error}; expected module:Class") from error
    except (AttributeError, ValueError, TypeError):
        raise UnknownSpotError(f"player {name}: no {wanted!r} in {module!r}; expected module:Class") from None
    except Exception as error:
        raise UnknownSpotError(f"player {name}: {_what_went_wrong(error)}") from error


def _what_went_wrong(error: Exception) -> str:
    """An error of somebody else's code, and where it was raised, in one line."""
    last = extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"
