"""The command that draws the grid of a spot."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from cfr.cli import flags


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's command to the command line."""
    chart = command(
        "chart", _chart, "the grid of a spot, 13x13 in hold'em", "cfr chart --line rc/ --board Td9d6h --out flop.svg"
    )
    flags.add_file(chart)
    flags.add_spot(chart)
    what = "show what each hand wins in big blinds per hand instead of its frequencies; a flop's take seconds"
    chart.add_argument("--ev", action="store_true", help=what)
    flags.add_progress(chart)
    chart.add_argument("--out", type=Path, metavar="x.svg|.png", help="write a picture instead; .png needs matplotlib")
    chart.add_argument("--theme", choices=("standard", "colour-blind"), default="standard", help="colours")
    flags.add_resolve(chart)
    flags.add_json(chart)
    chart.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="terminal colours")


def _chart(options: argparse.Namespace) -> None:
    from cfr.game.hand_classes import has_classes
    from cfr.study.picture import save_png, svg
    from cfr.study.text_chart import terminal
    from cfr.system.disk.files import replacing
    from cfr.system.errors import BadInputError

    out: Path | None = options.out
    if out is not None and out.suffix.lower() not in (".svg", ".png"):
        raise BadInputError(f"--out {out}: charts are written as .svg or .png")
    with flags.open_strategy(options) as strategy:
        values = None
        if options.ev:
            from cfr.values.expected_values import values_of

            position = strategy.at(options.board, options.line)
            values = values_of(position, progress=flags.wants_progress(options))
        if options.json:
            if out is not None:
                raise BadInputError("--json prints the chart; leave out --out")
            from cfr.strategy.hand_table import rows_of

            found = values or strategy.range(options.board, options.line)
            table = found.by_class() if has_classes(strategy.game) else found.table()
            print(json.dumps(rows_of(table.columns(action_ev=options.ev))))
            return
        spot = (options.board, options.line, options.theme)
        if out is None:
            print(terminal(strategy, *spot, flags.wants_colour(options.color), values=values))
            return
        with replacing(out) as temporary:
            if out.suffix.lower() == ".svg":
                temporary.write_text(svg(strategy, *spot, values=values), "utf-8")
            else:
                save_png(temporary, strategy, *spot, values=values)
        print(f"wrote {out}")
