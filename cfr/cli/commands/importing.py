"""The command ``cfr import``: somebody else's strategy as a strategy file."""

from __future__ import annotations

import argparse
import sys
from contextlib import redirect_stdout
from pathlib import Path

from cfr.cli import flags


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's command to the command line."""
    added = command(
        "import",
        _import,
        "make a strategy file of a table, a Python class or an OpenSpiel policy, in a small game",
        "cfr import chart.csv --game leduc --out chart.h5 && cfr exploit chart.h5",
    )
    what = "a .csv with a row for each hand at each spot, as cfr export --all writes it, or module:Class, or x.py:Class"
    added.add_argument("source", metavar="SOURCE", help=what)
    added.add_argument("--game", required=True, metavar="GAME", help="bundled game or .game file")
    added.add_argument("--out", required=True, type=Path, metavar="FILE", help="strategy file to write")
    added.add_argument("--overwrite", action="store_true", help="replace an earlier file, which else stays")
    flags.add_json(added)


def _import(options: argparse.Namespace) -> None:
    from cfr.formats.imported import import_strategy
    from cfr.game.rules import Game
    from cfr.hands.sizes import count

    game = Game.find(options.game)
    with redirect_stdout(sys.stderr):  # what a class prints is not the result
        path = import_strategy(options.source, game, options.out, options.overwrite)
    sets = count(game).information_sets
    values = {"file": str(path), "game": game.name, "information_sets": sets}
    text = f"{path}: {game.name}, {sets:,} hands at spots, from {options.source}; how much it loses: cfr exploit {path}"
    flags.show(options, values, text)
