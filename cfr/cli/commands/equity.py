"""The command that says the exact equity of hands and ranges."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from cfr.cli import flags


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's command to the command line."""
    equity = command("equity", _equity, "exact all-in equity of hands or ranges", "cfr equity AhKh QQ+ --board Td9d6h")
    equity.add_argument("first", metavar="HAND_OR_RANGE", help="such as AhKh or QQ+,AKs")
    equity.add_argument("second", metavar="HAND_OR_RANGE", help="the other side's")
    equity.add_argument("--board", default="", metavar="CARDS", help="board cards so far")
    flags.add_progress(equity)
    flags.add_json(equity)


def _equity(options: argparse.Namespace) -> None:
    from cfr.game.ranges import Range
    from cfr.hands.equity import equity, outs

    first, second = Range.parse(options.first), Range.parse(options.second)
    result = equity(first.weights, second.weights, options.board, progress=flags.wants_progress(options))
    text = str(result)
    found = outs(first.weights, second.weights, options.board)
    if found is not None:
        text += f"\n{found}"
    flags.show(options, asdict(result), text)
