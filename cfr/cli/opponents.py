"""The command ``cfr model``: a player's model from a log."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cfr.cli import flags
from cfr.system.cores import usable_cores
from cfr.system.errors import SaveError, UnknownSpotError

if TYPE_CHECKING:
    from cfr.formats.skipped import Omissions
    from cfr.game.betting import BettingTree
    from cfr.game.hand import LoggedHand

_HELD_BYTES = 1 << 30  # of a round's table


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's commands to the command line."""
    what = "learn how a player plays from logs, and what is wrong with it"
    model = command("model", _model, what, "cfr model session.log --player ann --out ann.h5")
    log = "ACPC (.log), PHH (.phh, .phhs) or a card room's text (.txt, .xml)"
    model.add_argument("logs", nargs="+", type=Path, metavar="LOG", help=log)
    model.add_argument("--player", required=True, metavar="NAME", help="whose hands")
    what = "the blueprint, which the model tilts: a strategy file, or small, the one supplied (default)"
    model.add_argument("--strategy", metavar="FILE", help=what)
    what = "write the model, a strategy file that other commands take"
    model.add_argument("--out", type=Path, required=True, metavar="x.h5", help=what)
    model.add_argument("--overwrite", action="store_true", help="replace the file if it is there")
    what = "default: all cores (%(default)s)"
    model.add_argument("--threads", type=flags.threads, default=usable_cores(), metavar="T", help=what)
    flags.add_json(model)


def _model(options: argparse.Namespace) -> None:
    from cfr.opponents.model import model_of
    from cfr.strategy.stored import Strategy
    from cfr.strategy.whole import check_whole
    from cfr.system.files import check_writable

    if options.out.exists() and not options.overwrite:
        raise SaveError(f"{options.out} is there already; say --overwrite, or name another file")
    check_writable(options.out)
    name = options.strategy or "small"
    with Strategy.open(options.strategy) as strategy:
        check_whole(strategy, name)
        hands, omissions = _read_hands(options.logs, options.player, strategy.betting)
        strategy.hold_tables(_HELD_BYTES)
        found = model_of(hands, options.player, strategy, name, options.threads)
        found.save(options.out)
    values = found.to_dict() | {"skipped": omissions.to_dict(), "file": str(options.out)}
    flags.show(options, values, "\n".join(filter(None, [str(found), str(omissions), f"wrote {options.out}"])))


def _read_hands(logs: Sequence[Path], player: str, tree: BettingTree) -> tuple[list[LoggedHand], Omissions]:
    """The hands of a player in some logs, and what was not read; raises UnknownSpotError for a player in none."""
    from cfr.formats.logs import read_log
    from cfr.formats.skipped import Omissions

    omissions, hands, names = Omissions(), [], set()
    for log in logs:
        for hand in read_log(log, tree, omissions):
            names |= {*hand.players}
            if player in hand.players and hand.players[0] != hand.players[1]:
                hands.append(hand)
    if not hands:
        known = ", ".join(sorted(names)) or "no players"
        raise UnknownSpotError(f"{', '.join(map(str, logs))}: there is no player {player!r}; it has {known}")
    return hands, omissions
