"""The command that lets two players play a match."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext, redirect_stdout
from dataclasses import asdict
from pathlib import Path

from cfr.cli import flags


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's command to the command line."""
    match = command("match", _match, "bots against bots", "cfr match small always-call --hands 10000 --duplicate")
    what = "strategy file, FILE+turn, mix:FILE@SHARE,FILE, learn:FILE@NAME, built-in, random, acpc:PORT or module:Class"
    match.add_argument("first", metavar="A", help=what)
    match.add_argument("second", metavar="B", help="the same (docs/matches.md); the result is A's")
    what = "bundled game or .game file for players that bring none (default: that of the files, or hulhe)"
    match.add_argument("--game", metavar="GAME", help=what)
    match.add_argument("--hands", type=flags.count, default=1000, metavar="N", help="how many (default: %(default)s)")
    flags.add_resolve(match, "A: ")
    flags.add_card_seed(match)
    match.add_argument("--duplicate", action="store_true", help="play every deal twice, seats exchanged")
    what = "leave luck in; plays faster; fewer than 1,000 hands are always so"
    match.add_argument("--no-aivat", dest="aivat", action="store_false", help=what)
    what = "AIVAT over all hands that A could hold (B, if A's strategy is unknown); slower"
    match.add_argument("--imaginary", action="store_true", help=what)
    what = "how many play (default: 1, with --ray all cores)"
    match.add_argument("--processes", type=flags.threads, metavar="P", help=what)
    flags.add_ray(match)
    match.add_argument(
        "--log", type=Path, metavar="FILE", help="write the hands: .log ACPC, .phhs PHH, .txt PokerStars"
    )
    match.add_argument("--resume", action="store_true", help="go on with an interrupted match; needs --log and --seed")
    match.add_argument("--overwrite", action="store_true", help="replace an earlier log, which else stays")
    flags.add_progress(match)
    flags.add_json(match)


def _match(options: argparse.Namespace) -> None:
    from cfr.game.rules import Game
    from cfr.play.match import match
    from cfr.play.named_players import resolved_player

    with (
        redirect_stdout(sys.stderr),  # what a class prints is not the result
        nullcontext() if options.ray is None else flags.workers(options, options.processes) as workers,
    ):
        result = match(
            resolved_player(options.first, options.resolve),
            options.second,
            options.hands,
            game=None if options.game is None else Game.find(options.game),
            seed=options.seed,
            duplicate=options.duplicate,
            log=options.log,
            resume=options.resume,
            overwrite=options.overwrite,
            aivat=options.aivat,
            imaginary=options.imaginary,
            processes=workers or options.processes or 1,
            progress=flags.wants_progress(options),
        )
    flags.show(options, asdict(result), str(result))
