"""The commands for study: a spot as a table, what happens on all flops, and how solves converge."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cfr.cli import flags
from cfr.cli.flag_names import as_flags
from cfr.system.errors import BadInputError
from cfr.system.text import counted

if TYPE_CHECKING:
    from cfr.strategy.hand_table import Columns
    from cfr.strategy.spot_range import SpotRange

_KINDS = {
    "paired": "only these flops: unpaired, paired or trips",
    "suits": "only these: rainbow, two-tone or monotone",
    "straights": "how connected: only flops on which 0, 1, 2 or 3 pairs of ranks make a straight",
    "high": "only flops with these high cards, such as A,K",
}


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's commands to the command line."""
    export = command(
        "export",
        _export,
        "a spot as a table: frequencies, expected values, equity of every hand",
        "cfr export --line rc/cr --board Td9d6h --out spot.csv",
    )
    flags.add_file(export)
    flags.add_spot(export)
    export.add_argument("--seat", choices=("bb", "button"), help="whose hands (default: who is to act)")
    export.add_argument("--classes", action="store_true", help="a row for each class such as AKs, not for each hand")
    export.add_argument("--action-ev", action="store_true", help="add the expected value of each action")
    export.add_argument(
        "--no-ev", action="store_true", help="leave expected values and equity empty: a flop's take seconds"
    )
    what = "every hand at every spot of a small game, with columns line and board, as cfr import reads them"
    export.add_argument("--all", action="store_true", help=what)
    flags.add_resolve(export)
    flags.add_progress(export)
    _out_flags(export, "CSV")

    flops = command(
        "flops",
        _flops,
        "how often each seat bets, checks back, raises and folds over all flops, or those of a kind",
        "cfr flops --line rc/ --suits monotone --by high",
    )
    flags.add_file(flops)
    what = "three-bets, four-bets and folds to them before the flop instead; takes no flops"
    flops.add_argument("--preflop", action="store_true", help=what)
    flops.add_argument("--line", action="append", metavar="ACTIONS", help="before the flop, such as rc/ (default: all)")
    for kind, what in _KINDS.items():
        flops.add_argument(f"--{kind}", metavar="A,B", help=what)
    flops.add_argument("--by", choices=[*_KINDS, "flop"], help="a row for each kind of flop, or for each flop")
    flags.add_ray(flops)
    _out_flags(flops, "a table in percent")
    flags.add_progress(flops)

    plot = command(
        "plot",
        _plot,
        "draw how exploitability falls during solves",
        "cfr solve leduc --iterations 4096 --history plain.csv && cfr plot plain.csv --out plain.svg",
    )
    what = "table of cfr solve --history; several are drawn in one picture"
    plot.add_argument("histories", nargs="+", type=Path, metavar="x.csv", help=what)
    what = "picture to write; needs matplotlib"
    plot.add_argument("--out", required=True, type=Path, metavar="x.svg|.png", help=what)
    what = "what goes along the horizontal axis (default: iterations)"
    plot.add_argument("--by", choices=("iterations", "seconds"), default="iterations", help=what)


def _out_flags(added: argparse.ArgumentParser, printed: str) -> None:
    added.add_argument("--out", type=Path, metavar="x.csv|.parquet", help=f"write a file (default: print {printed})")
    added.add_argument("--json", action="store_true", help="print the rows as JSON")


def _export(options: argparse.Namespace) -> None:
    from cfr.strategy.files.rows_file import all_rows
    from cfr.strategy.hand_table import check_out
    from cfr.values.expected_values import values_of, why_unvalued

    with flags.open_strategy(options) as strategy:
        if options.out is not None:
            check_out(options.out)  # now, not when the work is done
        if options.all:
            _check_all(options)
            _deliver(options, all_rows(strategy), _print_csv)
            return
        position = strategy.at(options.board, options.line)
        seat = strategy.game.seat_called(options.seat)
        why = "" if options.no_ev else why_unvalued(strategy, position.state)
        if why:
            print(f"cfr: ev and equity stay empty: {as_flags(why)}", file=sys.stderr)
        if not why and not options.no_ev:
            spot: SpotRange = values_of(position, seat, progress=flags.wants_progress(options))
        else:
            spot = position.range(seat)
    table = spot.by_class() if options.classes else spot.table()
    _deliver(options, table.columns(options.action_ev), _print_csv)


def _check_all(options: argparse.Namespace) -> None:
    """Refuse flags that say nothing beside ``--all``."""
    of_spot = ("line", "board", "seat", "classes", "action_ev", "no_ev")
    if given := [f"--{name.replace('_', '-')}" for name in of_spot if getattr(options, name)]:
        raise BadInputError(f"--all: every spot, without expected values; leave out {', '.join(given)}")


def _flops(options: argparse.Namespace) -> None:
    from cfr.strategy.files.stored import open_strategy
    from cfr.strategy.hand_table import check_out
    from cfr.study.flop_statistics import aggregate, before_the_flop, check_kinds

    if options.out is not None:
        check_out(options.out)
    wanted = {kind: getattr(options, kind).split(",") for kind in _KINDS if getattr(options, kind) is not None}
    check_kinds(wanted)
    if options.preflop:
        if wanted or options.line or options.by or options.ray is not None:
            raise BadInputError("--preflop is about no flop: it goes without --line, --by, --ray and kinds of flops")
        with open_strategy(options.file) as strategy:
            _deliver(options, before_the_flop(strategy), _print_shares)
        return
    with open_strategy(options.file) as strategy, flags.workers(options, None) as workers:
        found = aggregate(strategy, options.line, workers=workers, progress=flags.wants_progress(options))
    chosen = found.select(**wanted)
    if not chosen.any():
        raise BadInputError("there is no flop of all these kinds")
    _deliver(options, found.columns(chosen, options.by), _print_shares if options.line else _print_reached)


def _plot(options: argparse.Namespace) -> None:
    from cfr.solver.convergence import draw_convergence

    draw_convergence(options.histories, options.out, options.by)
    print(f"wrote {options.out}")


def _deliver(options: argparse.Namespace, columns: Columns, show: Callable[[Columns], None]) -> None:
    """Write the file that is asked for, print JSON, or else ``show``."""
    import json

    from cfr.strategy.hand_table import rows_of, write

    if options.out is not None:
        write(options.out, columns)
        if not options.json:
            print(f"wrote {options.out}: {counted(len(next(iter(columns.values()))), 'row')}")
    if options.json:
        print(json.dumps(rows_of(columns)))
    elif options.out is None:
        show(columns)


def _print_csv(columns: Columns) -> None:
    from cfr.strategy.hand_table import write_csv

    write_csv(sys.stdout, columns)


def _print_reached(columns: Columns) -> None:
    """The rows of spots that hands come to, and how many others there are."""
    is_reached = columns["reached"] > 0
    _print_shares({name: values[is_reached] for name, values in columns.items()})
    if left_out := int((~is_reached).sum()):
        print(
            f"cfr: left out {counted(left_out, 'row')} of spots that no hand comes to; --line shows them",
            file=sys.stderr,
        )


def _print_shares(columns: Columns) -> None:
    """Aligned, shares in percent; a dash where there is none."""
    from cfr.strategy.hand_table import rows_of

    lines = [[*columns], *([_shown(value) for value in row.values()] for row in rows_of(columns))]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    numeric = [values.dtype.kind in "if" for values in columns.values()]
    for line in lines:
        cells = zip(line, widths, numeric, strict=True)
        print("  ".join(f"{text:>{width}}" if right else f"{text:<{width}}" for text, width, right in cells).rstrip())


def _shown(value: str | float | None) -> str:
    if isinstance(value, float):
        return f"{100 * value:.1f} %"
    return "-" if value is None else str(value)
