"""The command ``cfr learn``: responses for a player that learns, and what it knows of its opponents."""

from __future__ import annotations

import argparse
from pathlib import Path

from cfr.cli import flags
from cfr.system.errors import BadInputError, SaveError


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's command to the command line."""
    what = "make a player that learns from its hands, see what it learnt, or let it forget"
    learn = command("learn", _learn, what, "cfr learn bot.json small beat-ann.h5 --models ann.h5 --risk 60")
    learn.add_argument("file", type=Path, metavar="FILE", help="of the player; cfr match learn:FILE@NAME plays it")
    what = "strategies to mix, the equilibrium first; FILE@MBB states an exploitability; none shows what is learnt"
    learn.add_argument("responses", nargs="*", default=[], metavar="RESPONSE", help=what)
    what = "files of cfr model that responses were made for: how likely each is tells the player which response fits"
    learn.add_argument("--models", nargs="+", default=[], metavar="MODEL", help=what)
    what = "how much more than the equilibrium the mix may lose, mbb/g (default: 60)"
    learn.add_argument("--risk", type=flags.amount, metavar="MBB", help=what)
    learn.add_argument("--forget", metavar="NAME", help="what was learnt of this opponent")
    learn.add_argument("--overwrite", action="store_true", help="replace the player, with all that it learnt")
    flags.add_json(learn)


def _learn(options: argparse.Namespace) -> None:
    from cfr.play.portfolio import Portfolio
    from cfr.system.disk.file_lock import Lock
    from cfr.system.disk.files import check_writable

    path: Path = options.file
    if options.responses:
        if options.forget is not None:
            raise BadInputError("--forget is about a player that is there; leave out the responses")
        if path.exists() and not options.overwrite:
            raise SaveError(f"{path} is there already; say --overwrite, or name another file")
        check_writable(path)
        risk = 60.0 if options.risk is None else options.risk
        portfolio = Portfolio.make(options.responses, risk, options.models)
        with Lock(path, "cfr learn"):
            portfolio.save(path)
    elif options.risk is not None or options.overwrite or options.models:
        raise BadInputError("--risk, --models and --overwrite make a player; name its responses, the equilibrium first")
    elif options.forget is not None:
        with Portfolio.changing(path, "cfr learn") as portfolio:
            if portfolio.learnt.pop(options.forget, None) is None:
                known = ", ".join(portfolio.learnt) or "nobody"
                raise BadInputError(f"{path}: nothing was learnt of {options.forget!r}; it knows {known}")
    else:
        portfolio = Portfolio.read(path)
    flags.show(options, portfolio.to_dict(), str(portfolio))
