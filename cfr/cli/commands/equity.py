"""The command that says the exact equity of hands and ranges."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from cfr.cli import flags
from cfr.system.errors import BadInputError
from cfr.system.text import counted

_SIDES = 2
_BETWEEN = ("vs", "v", "versus", "against")  # words between the sides


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's command to the command line."""
    equity = command("equity", _equity, "exact all-in equity of hands or ranges", "cfr equity AhKh QQ+ --board Td9d6h")
    what = "two of them, such as AhKh QQ+,AKs; a vs between them is read over"
    equity.add_argument("sides", nargs="+", metavar="HAND_OR_RANGE", help=what)
    equity.add_argument("--board", default="", metavar="CARDS", help="board cards so far")
    flags.add_progress(equity)
    flags.add_json(equity)


def _equity(options: argparse.Namespace) -> None:
    from cfr.game.ranges import Range
    from cfr.hands.equity import equity, outs

    sides = [side for side in options.sides if side.lower().rstrip(".") not in _BETWEEN]
    if len(sides) != _SIDES:
        board = "; the board's cards go with --board" if len(sides) > _SIDES else ""
        given = counted(len(sides), "hand or range", "hands or ranges")
        raise BadInputError(f"{given}; expected two, such as AhKh QQ+{board}")
    first, second = map(Range.parse, sides)
    result = equity(first.weights, second.weights, options.board, progress=flags.wants_progress(options))
    text = str(result)
    found = outs(first.weights, second.weights, options.board)
    if found is not None:
        text += f"\n{found}"
    flags.show(options, asdict(result), text)
