"""Players by name, as ``cfr match`` takes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cfr.game.rules import Game
from cfr.play.acpc_dealer import PREFIX, AcpcPlayer
from cfr.play.player import Player
from cfr.play.players import ClassPlayer, RandomPlayer
from cfr.play.strategy_player import StrategyPlayer
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.bundled import BUILT_INS
from cfr.subgame.named_strategy import open_named
from cfr.system.errors import UnknownSpotError


def make_players(names: Sequence[str]) -> tuple[Game, list[Player]]:
    """Players of one game, each ``random``, a built-in strategy, a strategy file, an ACPC port or a class.

    ``FILE+turn`` is the file re-solved from the turn on.

    Files say which game.

    Raises:
        UnknownSpotError: files of different games, a port that is none, or a class that makes no player.
        OSError, DamagedFileError: a file that cannot be opened.
    """
    files = {name: open_named(name) for name in names if is_file(name)}
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


def is_file(name: str) -> bool:
    """Whether a player's name is that of a strategy file."""
    if name in (*BUILT_INS, RandomPlayer.name) or is_port(name):
        return False
    return ":" not in name or Path(name).exists()
