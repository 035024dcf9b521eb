"""Players by name, as ``cfr match`` takes them, and strategies and objects, as notebooks have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from cfr.game.rules import Game
from cfr.play.acpc.dealer import PREFIX, AcpcPlayer
from cfr.play.learning_player import LearningPlayer, is_learner
from cfr.play.player import Player
from cfr.play.players import ForeignPlayer, RandomPlayer
from cfr.play.strategy_player import StrategyPlayer
from cfr.resolving.named_strategy import OFF, is_mix, open_named, open_whole, resolved_name, split_name
from cfr.strategy.files.bundled import BUILT_INS
from cfr.strategy.strategy import BaseStrategy
from cfr.system.cluster.foreign import is_python, named_class
from cfr.system.errors import BadInputError

Given = str | BaseStrategy | Player | Callable[[Game], Any]


def make_players(given: Sequence[Given], game: Game | None = None) -> tuple[Game, list[Player]]:
    """Players of one game.

    Args:
        given: for each player ``random``, a built-in strategy's name, a strategy file (``FILE+turn`` is the file
            re-solved from the turn on), a mix (``mix:FILE@SHARE,FILE``), ``learn:FILE@OPPONENT``, an ACPC port,
            ``module:Class``, a strategy, a class that is called with the game or with
            nothing, or an object with ``act``.
        game: default, that of the files and strategies, or full hold'em.

    Raises:
        BadInputError: strategies of different games, a port that is none, a class that makes no player, a Python file
            without its class, or two learning players that keep what they learn in one file.
        OSError, DamagedFileError: a file that cannot be opened.
    """
    for name in given:
        if isinstance(name, str) and is_file(name) and not Path(name).exists() and Path(f"{name}.py").is_file():
            raise BadInputError(f"player {name}: {name}.py is a Python file; name the class in it, too: {name}:Class")
    files = {name: open_whole(name, game=game) for name in given if isinstance(name, str) and is_file(name)}
    strategies = list(files.values())
    for each in given:
        if isinstance(each, BaseStrategy):
            strategies.append(each)
        elif isinstance(each, StrategyPlayer):
            strategies.append(each.strategy)
    given = [LearningPlayer(each) if isinstance(each, str) and is_learner(each) else each for each in given]
    learners = [each for each in given if isinstance(each, LearningPlayer)]
    kept_in = [each.kept_in for each in learners if each.kept_in is not None]
    if len(set(kept_in)) < len(kept_in):
        raise BadInputError(
            f"{' and '.join(each.name for each in learners)} would keep what they learn in one file; "
            "expected a file for each, such as a copy"
        )
    strategies += [each.strategy for each in learners]
    games = {each.text(): each for each in [*([game] if game else []), *(each.game for each in strategies)]}
    if len(games) > 1:
        raise BadInputError(f"{' and '.join(map(name_of, given))} are for different games")
    game = next(iter(games.values()), None) or Game.bundled("hulhe")
    players: list[Player] = []
    for each in given:
        name = name_of(each)
        if isinstance(each, BaseStrategy):
            players.append(StrategyPlayer(each, name))
        elif isinstance(each, RandomPlayer | StrategyPlayer | AcpcPlayer | LearningPlayer):
            players.append(each)
        elif not isinstance(each, str):
            players.append(ForeignPlayer(name, each if isinstance(each, type) else _itself(each), game))
        elif name == RandomPlayer.name:
            players.append(RandomPlayer())
        elif name in files:
            players.append(StrategyPlayer(files[name], name))
        elif _is_built_in(name):
            players.append(StrategyPlayer(open_named(name, game=game), name))
        elif is_port(name):
            players.append(AcpcPlayer.named(name))
        else:
            players.append(ForeignPlayer(name, named_class(name), game))
    return game, players


def resolved_player(name: str, resolve: str | None) -> str:
    """The name of a player who re-solves from the round ``resolve`` on; None leaves the name as it is.

    Raises:
        BadInputError: a player that is no strategy, so that nothing can be solved below it.
    """
    if resolve not in (None, OFF) and not (is_file(name) or _is_built_in(name)):
        raise BadInputError(f"resolve={resolve}: {name} is no strategy; expected a strategy file or a built-in")
    return resolved_name(name, resolve)


def _itself(player: object) -> Callable[[Game], object]:
    return lambda _: player


def name_of(given: Given) -> str:
    """What a player is called in logs and messages."""
    if isinstance(given, str):
        return given
    if isinstance(given, BaseStrategy):
        return given.facts().get("strategy", type(given).__name__)
    name = getattr(given, "name", None)
    if isinstance(given, type):
        return name if isinstance(name, str) and name else given.__name__  # a property of a class is no name
    return str(name or type(given).__name__)


def is_port(given: Given) -> bool:
    """Whether a player is an ACPC port: somebody else's program, which is there once."""
    return isinstance(given, str) and given.startswith(PREFIX)


def why_alone(given: Given) -> str:
    """What a player is that plays all hands of a match itself, in their order; empty for others."""
    return "a player at a port" if is_port(given) else "a player that learns" if is_learner(given) else ""


def is_file(name: str) -> bool:
    """Whether a player's name is that of a strategy file or a mix."""
    if is_mix(name):
        return True
    if name == RandomPlayer.name or _is_built_in(name) or is_port(name) or is_python(name):
        return False
    return ":" not in name or Path(name).exists()


def _is_built_in(name: str) -> bool:
    """Whether it is a built-in strategy, re-solved or not, which plays any game."""
    return split_name(name)[0] in BUILT_INS
