"""The commands that say what a strategy file and the bundled games hold."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from cfr.cli import flags

_MOST_SHOWN = 1000  # characters of a value
_JSON_ONLY = ("game", "refined_by")  # of many lines, or said by other attributes


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's commands to the command line."""
    info = command("info", _info, "what a strategy file holds and how it was made", "cfr info --verify")
    info.add_argument("file", nargs="?", metavar="FILE", help="strategy file (default: the one supplied)")
    info.add_argument("--verify", action="store_true", help="read everything and check the checksum")
    flags.add_json(info)

    flags.add_json(command("games", _games, "bundled games and how large they are", "cfr games --json"))


def _info(options: argparse.Namespace) -> None:
    from cfr.strategy.files.bundled import BUILT_INS, located
    from cfr.strategy.files.file import verify
    from cfr.strategy.files.measured import measured_of
    from cfr.strategy.files.spot_file import SpotStrategy
    from cfr.strategy.files.stored import open_stored
    from cfr.strategy.files.trunk_file import attributes_by_owner
    from cfr.system.errors import BadInputError

    if options.file in BUILT_INS:
        raise BadInputError(f"{options.file} is built in, there is no file that says how it was made")
    path = located(options.file)
    with open_stored(path, under_refined=True) as strategy:
        attributes = strategy.attributes if isinstance(strategy, SpotStrategy) else strategy.file_attributes
        values: dict[str, Any] = {"file": str(path), **attributes_by_owner(attributes)}
        values["rows"] = strategy.num_rows
        values["bytes"] = path.stat().st_size
    if options.verify:
        verify(path)
        values["verified"] = True
    said = {name: f" ({of})" for name, of in measured_of(values).items()}
    shown = {name: _plain(value) + said.get(name, "") for name, value in values.items() if name not in _JSON_ONLY}
    width = max(map(len, shown))
    text = "\n".join(f"{name:<{width}}  {value}" for name, value in shown.items())
    flags.show(options, values, text)


def _plain(value: Any) -> str:
    """A value in a line; of tables, such as a model's parameters, only how long they are: ``--json`` has them."""
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= _MOST_SHOWN else f"({len(text):,} characters; --json shows them)"


def _games(options: argparse.Namespace) -> None:
    from cfr.game.rules import GAME_NAMES, Game
    from cfr.hands.sizes import count

    counts = [count(Game.bundled(name)) for name in GAME_NAMES]
    lines = [f"{'game':<14}{'information sets':>20}{'node-actions':>20}  betting nodes; canonical hands per round"]
    for each in counts:
        nodes, hands = (", ".join(f"{n:,}" for n in ns) for ns in (each.betting_nodes, each.canonical_hands))
        lines.append(f"{each.name:<14}{each.information_sets:>20,}{each.node_actions:>20,}  {nodes}; {hands}")
    flags.show(options, [asdict(each) for each in counts], "\n".join(lines))
