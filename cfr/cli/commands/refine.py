"""The command ``cfr refine``: a strategy's flops, solved without buckets."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

from cfr.cli import flags
from cfr.system.cores import usable_cores
from cfr.system.errors import BadInputError, SaveError


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's command to the command line."""
    what = "solve a strategy's flops without buckets, and write a file that plays them from memory"
    refine = command("refine", _refine, what, "cfr refine --flops 40 --dry-run")
    flags.add_file(refine)
    what = "refine a stratified sample of N flops (default: all); on other flops the blueprint plays the flop"
    refine.add_argument("--flops", type=flags.flops, metavar="N|all", help=what)
    what = (
        "add flops to the file for H hours, first those that play came to, then the likeliest; say it again whenever "
        "the machine is free"
    )
    refine.add_argument("--hours", type=flags.amount, metavar="H", help=what)
    what = "with --flops and another --seed: add the flops to the file as one more sample"
    refine.add_argument("--add", action="store_true", help=what)
    what = "of each solve (default: %(default)s)"
    refine.add_argument("--iterations", type=flags.count, default=120, metavar="N", help=what)
    flags.add_river_rows(refine)
    what = (
        "preflop lines to refine behind: those that both seats take (default), or all that the seat takes whose play "
        "is refined"
    )
    refine.add_argument("--lines", choices=("played", "all"), default="played", help=what)
    what = "number type of the tables (default: bfloat16 where it fits, else int8, which takes half of it)"
    refine.add_argument("--tables", choices=("float32", "bfloat16", "int8"), default="auto", help=what)
    refine.add_argument("--seed", type=flags.seed, default=0, metavar="S", help="of the sample (default: 0)")
    what = "default: all cores (%(default)s)"
    refine.add_argument("--threads", type=flags.threads, default=usable_cores(), metavar="T", help=what)
    flags.add_ray(refine)
    what = "file to write (default: FILE-refined.h5 in the current folder)"
    refine.add_argument("--out", type=Path, metavar="FILE", help=what)
    refine.add_argument("--overwrite", action="store_true", help="replace the file that is there")
    refine.add_argument("--resume", action="store_true", help="go on after an interruption")
    refine.add_argument(
        "--dry-run", action="store_true", help="only forecast memory, disk and time, and whether it could begin"
    )
    flags.add_progress(refine)
    flags.add_json(refine)


def _refine(options: argparse.Namespace) -> None:
    from cfr.resolving.refine import check_start, refine
    from cfr.resolving.refine_forecast import forecast_refine
    from cfr.resolving.refine_settings import RefineSettings
    from cfr.resolving.resolver import Effort
    from cfr.strategy.files.bundled import BUILT_INS, located
    from cfr.strategy.files.stored import Strategy
    from cfr.system.disk.file_lock import Lock

    if options.file in BUILT_INS:
        raise BadInputError(f"{options.file} is built in; refining takes a strategy file")
    if options.overwrite and (options.hours is not None or options.add):
        grows = "--add" if options.add else "--hours"
        raise BadInputError(f"--overwrite: {grows} adds flops to the file that is there; leave it out")
    path = located(options.file)
    out = options.out or Path(f"{path.stem}-refined.h5")
    with Strategy(path) as strategy:
        settings = RefineSettings(
            strategy=strategy,
            out=out,
            flops=options.flops,
            seed=options.seed,
            hours=options.hours,
            adds=options.add,
            effort=Effort(options.iterations, river_rows=options.river_rows),
            takes_all=options.lines == "all",
            tables=options.tables,
        )
        expected = forecast_refine(settings, options.threads)
        if settings.ends_samples:
            ended = "its flops are samples, and with the likeliest among them no more: cfr exploit draws from all flops"
            print(f"cfr: {out}: {ended}", file=sys.stderr)
        if options.dry_run:
            flags.show(options, asdict(expected), str(expected))
            with flags.says_refusals():
                _check_out(options, out)
                check_start(settings, expected if options.ray is None else None, options.resume)
            return
        with Lock(out, "cfr refine"), flags.workers(options, options.threads) as workers:
            _check_out(options, out)
            print(expected, file=sys.stderr)
            result = refine(settings, expected, workers, options.resume, flags.wants_progress(options))
    flags.show(options, asdict(result), str(result))


def _check_out(options: argparse.Namespace, out: Path) -> None:
    """Raise SaveError for a file that cannot be written, or is there already and may neither be replaced nor grow."""
    from cfr.system.disk.files import check_writable

    check_writable(out)
    if out.exists() and not options.overwrite and not options.add and options.hours is None:
        raise SaveError(
            f"{out} is there already; say --overwrite to replace it, --add to add a sample of flops to it, or --out "
            "for another file"
        )
