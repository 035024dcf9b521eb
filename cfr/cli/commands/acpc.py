"""The command that plays at a dealer of the computer poker competition (ACPC)."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from cfr.cli import flags


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's command to the command line."""
    acpc = command(
        "acpc",
        _acpc,
        "play at a dealer of the computer poker competition",
        "cfr acpc small localhost 18791",
    )
    what = "strategy file, small, mix:FILE@SHARE,FILE, learn:FILE@NAME or built-in"
    acpc.add_argument("file", metavar="FILE", help=what)
    acpc.add_argument("host", metavar="HOST", help="where the dealer is")
    acpc.add_argument("port", type=flags.port, metavar="PORT", help="where it waits for this player")
    flags.add_resolve(acpc)
    flags.add_game(acpc)
    flags.add_json(acpc)


def _acpc(options: argparse.Namespace) -> None:
    from cfr.play.acpc.client import play_match
    from cfr.play.learning_player import open_learner
    from cfr.resolving.named_strategy import open_whole, split_name

    game = flags.game_of(options, split_name(options.file)[0])
    with open_learner(options.file, options.resolve) or open_whole(options.file, options.resolve, game) as strategy:
        result = play_match(strategy, options.host, options.port)
    flags.show(options, asdict(result), str(result))
