"""The command that plays against a strategy in the terminal."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from cfr.cli import flags


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's command to the command line."""
    play = command("play", _play, "play against a strategy in the terminal", "cfr play --seat button")
    flags.add_file(play)
    play.add_argument("--seat", choices=("button", "bb", "alternate"), default="alternate", help="yours")
    play.add_argument("--hands", type=flags.count, metavar="N", help="stop after so many hands")
    flags.add_card_seed(play)
    play.add_argument(
        "--log", type=Path, metavar="FILE", help="append the hands: .log ACPC, .phhs PHH, .txt PokerStars"
    )
    flags.add_resolve(play)


def _play(options: argparse.Namespace) -> None:
    from cfr.play.learning_player import open_learner
    from cfr.play.terminal import play
    from cfr.resolving.named_strategy import open_whole

    opened = open_learner(options.file, options.resolve) or open_whole(options.file, options.resolve)
    with flags.with_solve_bar(opened) as strategy:
        won = play(strategy, seat=options.seat, hands=options.hands, seed=options.seed, log=options.log)
    if won and options.log is not None:
        print(f"wrote {options.log}; what each decision lost: {_review(options)}")


def _review(options: argparse.Namespace) -> str:
    """The command that reviews what was played."""
    from cfr.play.terminal import Person

    is_one = options.file is not None and ":" not in options.file  # of a mix or a learner the supplied one is the judge
    judge = ["--strategy", options.file] if is_one else []
    return shlex.join(["cfr", "review", str(options.log), *judge, "--player", Person.name])
