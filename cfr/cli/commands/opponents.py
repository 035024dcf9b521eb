"""The commands ``cfr model`` and ``cfr counter``: a player's model from a log, and strategies that win from it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cfr.cli import flags
from cfr.system.cores import usable_cores
from cfr.system.errors import BadInputError, SaveError

if TYPE_CHECKING:
    from cfr.formats.skipped import Omissions
    from cfr.game.betting import BettingTree
    from cfr.game.hand import LoggedHand
    from cfr.strategy.files.stored import Strategy
    from cfr.system.progress import Progress

_HELD_BYTES = 1 << 30  # of a round's table
_MEASURED = 3  # leaks whose worth is measured
_CONFIDENCES = [0.2, 0.5, 0.8, 0.95, 1.0]


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's commands to the command line."""
    what = "learn how a player plays from logs, and what is wrong with it"
    model = command("model", _model, what, "cfr model session.log --player ann --out ann.h5")
    log = "ACPC (.log), PHH (.phh, .phhs), a card room's text (.txt, .xml) or the IRC poker database (hdb); a folder "
    log += "with all below it; - for standard input; each hand counts once"
    model.add_argument("logs", nargs="+", metavar="LOG", help=log)
    model.add_argument("--player", required=True, metavar="NAME", help="whose hands")
    what = "the blueprint, which the model tilts: a strategy file, or small, the one supplied (default)"
    model.add_argument("--strategy", metavar="FILE", help=what)
    what = "say what the largest leaks are worth, by best responses on a sample of N flops, or on all (takes minutes)"
    model.add_argument("--flops", type=flags.flops, metavar="N|all", default=argparse.SUPPRESS, help=what)
    what = "write the model, a strategy file that other commands take"
    model.add_argument("--out", type=Path, required=True, metavar="x.h5", help=what)
    model.add_argument("--overwrite", action="store_true", help="replace the file if it is there")
    what = "default: all cores (%(default)s)"
    model.add_argument("--threads", type=flags.threads, default=usable_cores(), metavar="T", help=what)
    flags.add_progress(model)
    flags.add_json(model)

    what = "win from a model, with a bound on what it may cost"
    counter = command("counter", _counter, what, "cfr counter ann.h5 --risk 30 --out beat-ann.h5")
    counter.add_argument("model", metavar="MODEL", help="a file of cfr model")
    what = "how much more exploitable than the blueprint the counter-strategy may be, mbb/g (default: %(default)s)"
    counter.add_argument("--risk", type=flags.amount, default=60.0, metavar="MBB", help=what)
    what = "the chances of the model in the solves, 0 to 1: more is greedier (default: 0.2 0.5 0.8 0.95 1)"
    counter.add_argument("--confidence", type=flags.share, nargs="+", default=_CONFIDENCES, metavar="P", help=what)
    what = "of each solve (default: 1000; 4000 with buckets, where each visits a sampled board)"
    counter.add_argument("--iterations", type=flags.count, metavar="N", help=what)
    what = "measure on a sample of N flops (default: all, exactly)"
    counter.add_argument("--flops", type=flags.flops, metavar="N|all", help=what)
    what = "say what each strategy wins from N draws of the model, at most 20: the middle 80 %% (default: 20 where a "
    what += "measurement takes less than a second, else 0)"
    counter.add_argument("--draws", type=flags.count_from_0, metavar="N", help=what)
    counter.add_argument("--seed", type=flags.seed, default=0, metavar="S", help="of sampled boards (default: 0)")
    what = "write the strategy that wins most from the model within the risk; x-0.5.h5 is that of confidence 0.5"
    counter.add_argument("--out", type=Path, metavar="x.h5", help=what)
    counter.add_argument("--resume", action="store_true", help="go on after an interruption; say all else as before")
    counter.add_argument("--overwrite", action="store_true", help="replace files that are there")
    what = "default: all cores (%(default)s)"
    counter.add_argument("--threads", type=flags.threads, default=usable_cores(), metavar="T", help=what)
    flags.add_progress(counter)
    flags.add_json(counter)


def _model(options: argparse.Namespace) -> None:
    from cfr.hands.flops import first_boards, sample
    from cfr.opponents.model import model_of, with_worth
    from cfr.strategy.files.file import set_attributes
    from cfr.strategy.files.stored import Strategy
    from cfr.strategy.whole import check_whole

    name = options.strategy or "small"
    with Strategy(options.strategy) as strategy:
        for log in options.logs:
            if log != "-":
                Path(log).stat()  # a file that is missing is named first
        _check_out(options)
        check_whole(strategy, name)
        if "flops" in options:
            sample(first_boards(strategy.game), options.flops, 0)  # a wrong number is refused before the file is there
        progress = flags.wants_progress(options)
        hands, omissions = _read_hands(options.logs, options.player, strategy.betting, progress)
        strategy.hold_tables(_HELD_BYTES)
        found = model_of(hands, options.player, strategy, name, options.threads, _hears("model", progress))
        found.save(options.out, _hears("file", progress))
        if "flops" in options:
            found = with_worth(found, _MEASURED, options.flops, options.threads, progress)
            set_attributes(options.out, found.leak_attributes())
    values = found.to_dict() | {"skipped": omissions.to_dict(), "file": str(options.out)}
    flags.show(options, values, "\n".join(filter(None, [str(found), str(omissions), f"wrote {options.out}"])))


def _hears(title: str, progress: bool) -> Progress:
    """A bar that is told the share of a work that is done, or nobody."""
    from cfr.system.work_bar import ShareBar

    return ShareBar(title) if progress else lambda _: None


def _counter(options: argparse.Namespace) -> None:
    from shutil import copyfile
    from tempfile import TemporaryDirectory

    from cfr.opponents.counter import usual_iterations
    from cfr.opponents.draws import draws_of
    from cfr.opponents.family import Family
    from cfr.opponents.trade import best_mix, within
    from cfr.strategy.files.stored import Strategy
    from cfr.system.disk.files import replacing

    if options.resume and options.out is None:
        raise BadInputError("--resume: without --out nothing was kept")
    confidences = tuple(sorted({*options.confidence} - {0.0}))
    with (
        Strategy.open(options.model) as model,
        _blueprint_of(model, options.model) as blueprint,
        TemporaryDirectory() as folder,
    ):
        if options.out is not None:
            _check_out(options)
        out = options.out or Path(folder) / "counter.h5"
        iterations = options.iterations or usual_iterations(model)
        of_solves = (confidences, iterations, options.flops, options.seed, options.threads)
        family = Family(model, blueprint, *of_solves, out, draws_of(model, blueprint, options.draws, options.flops))
        if not options.resume:
            family.discard() if options.overwrite else family.check_free()
        points = family.solve(flags.wants_progress(options), lambda said: print(said, file=sys.stderr))
        chosen, mix = within(points, options.risk), best_mix(points, options.risk)
        names = {0.0: str(model.attributes["model_blueprint"])} | {each: str(family.file(each)) for each in confidences}
        lines = [*map(str, points), f"within a risk of {options.risk:g} mbb/g: {chosen}"]
        coin = mix.player(names) if 0 < mix.share < 1 else None
        if coin is not None:
            lines.append(str(mix))
        if options.out is not None:
            if coin is not None:
                lines.append(f"the coin plays by: cfr match {coin} OPPONENT --hands 1000")
            if chosen.confidence:
                with replacing(out) as temporary:
                    copyfile(family.file(chosen.confidence), temporary)
                lines.append(f"wrote {out}, and {', '.join(map(names.__getitem__, confidences))}")
            else:
                lines.append(f"nothing wins more within the risk than the blueprint; {out} is not written")
    values = {
        "points": [each.to_dict() for each in points],
        "chosen": chosen.to_dict(),
        "mix": mix.to_dict() | {"player": coin if options.out else None},
        "file": str(options.out) if chosen.confidence and options.out else None,
    }
    flags.show(options, values, "\n".join(lines))


def _blueprint_of(model: Strategy, name: str) -> Strategy:
    """The open blueprint of a model; raises BadInputError for what is no model, or has not its blueprint any more."""
    from cfr.strategy.files.stored import Strategy

    if "model_blueprint" not in model.attributes:
        raise BadInputError(f"{name}: no model; expected a file of cfr model")
    named = str(model.attributes["model_blueprint"])
    try:
        blueprint = Strategy.open(named)
    except FileNotFoundError:
        raise BadInputError(
            f"{name}: its blueprint {named} is gone; put it back, or make the model again: cfr model"
        ) from None
    if blueprint.attributes.get("checksum") != model.attributes["model_blueprint_checksum"]:
        blueprint.close()
        raise BadInputError(f"{name}: a model of another blueprint than {named} is now; make it again: cfr model")
    return blueprint


def _check_out(options: argparse.Namespace) -> None:
    """Raise SaveError for a file that may not be written."""
    from cfr.system.disk.files import check_writable

    if options.out.exists() and not options.overwrite:
        raise SaveError(f"{options.out} is there already; say --overwrite, or name another file")
    check_writable(options.out)


def _read_hands(
    logs: Sequence[str], player: str, tree: BettingTree, progress: bool
) -> tuple[list[LoggedHand], Omissions]:
    """The hands of a player in some logs, each once, and what was not read; raises BadInputError for a player in none.

    Errors are those of :class:`cfr.formats.collection.Collection` and its ``hands``, too.
    """
    from cfr.formats.collection import Collection
    from cfr.formats.skipped import Omissions
    from cfr.study.reviews.decision import unknown_player

    omissions = Omissions()
    found = list(Collection(logs).hands(tree, omissions, progress=progress))
    hands = [hand for hand in found if player in hand.players and hand.players[0] != hand.players[1]]
    if not hands:
        where = ", ".join(logs)
        if not found and omissions.skipped:
            raise BadInputError(f"{where}: no hand is read: {omissions.summary()}")
        raise unknown_player(where, player, sorted({name for hand in found for name in hand.players}))
    return hands, omissions
