"""The command ``cfr spot``: an exact solve of one river, turn or flop."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cfr.cli import flags
from cfr.strategy.files.bundled import BUILT_INS, BUNDLED, DEFAULT, TRUNKS, located
from cfr.system.cores import usable_cores

if TYPE_CHECKING:
    from cfr.game.rules import Game
    from cfr.spots.settings import SpotSettings
    from cfr.spots.solve import SpotResult
    from cfr.strategy.spot import Spot
    from cfr.strategy.strategy import BaseStrategy

_KEYS = (
    "file",
    "board",
    "line",
    "iterations",
    "seconds",
    "exploitability_percent_of_pot",
    "exploitability_mbb",
    "river_rows",
    "value_button_mbb",
    "value_big_blind_mbb",
)
_EXPLOIT_KEYS = (
    "file",
    "board",
    "line",
    "opponent",
    "seat",
    "seconds",
    "best_response_mbb",
    "self_play_mbb",
    "gain_mbb",
    "gain_percent_of_pot",
)


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's command to the command line."""
    what = "solve one river, turn or flop exactly, without buckets"
    spot = command("spot", _spot, what, "cfr spot --board Td9d6hQc --line rc/crc/ --target 0.1")
    spot.add_argument("game", nargs="?", metavar="GAME", help="bundled game or .game file (default: the strategy's)")
    spot.add_argument("--board", metavar="CARDS", help="board cards so far, such as Td9d6hQc")
    spot.add_argument("--line", metavar="ACTIONS", help="actions so far: f, c, r and /, such as rc/crc/")
    what = "chips in the pot when the round begins, instead of --line"
    spot.add_argument("--pot", type=flags.chips, metavar="CHIPS", help=what)
    what = (
        "play of this file or built-in along the line gives the ranges (default with --line in hulhe: the one supplied)"
    )
    spot.add_argument("--strategy", metavar="FILE", help=what)
    what = "hands that the {} has, such as QQ+,AKs:0.5 (default: the strategy's, else any two)"
    spot.add_argument("--button", metavar="RANGE", help=what.format("button"))
    spot.add_argument("--bb", "--big-blind", dest="bb", metavar="RANGE", help=what.format("big blind"))
    what = "stop at an exploitability in percent of the pot (default: 0.1 where nothing else says when to stop)"
    spot.add_argument("--target", type=flags.amount, metavar="PERCENT", help=what)
    what = "stop after so many iterations; of a resumed solve, those before, too"
    spot.add_argument("--iterations", type=flags.count, metavar="N", help=what)
    spot.add_argument("--minutes", type=flags.amount, metavar="M", help="stop after so many minutes")
    what = "hold a decision after the spot's line: r:fold=0.4, r[QQ+]:raise=1 or r:@FILE.csv; may come again"
    spot.add_argument("--lock", action="append", default=[], metavar="LINE:SHARES", help=what)
    what = (
        "do not solve, but find what wins most against this file or built-in; it gives the ranges, too, unless "
        "--strategy does"
    )
    spot.add_argument("--exploit", metavar="FILE", help=what)
    what = "with --exploit: who exploits (default: who is to act)"
    spot.add_argument("--seat", choices=("button", "bb"), help=what)
    spot.add_argument("--threads", type=flags.threads, metavar="T", help=f"default: all cores ({usable_cores()})")
    spot.add_argument(
        "--out", type=Path, metavar="FILE", help="strategy file to write (default: a new spot-BOARD-LINE.h5)"
    )
    spot.add_argument("--overwrite", action="store_true", help="replace the file that is there")
    what = "number type of tables; bfloat16 takes half the memory, int8 about a quarter (default: the first that fits)"
    spot.add_argument("--tables", choices=("float32", "bfloat16", "int8"), default="auto", help=what)
    what = (
        "a row of the last round is a hand, or a strength: small and fast, but exact only to some tenths of a percent "
        "of the pot (default: by strength until the target needs hands)"
    )
    spot.add_argument("--river-rows", choices=("strength", "hands"), default="auto", help=what)
    what = "leave the last round out of the file, to be solved again from it (default: where it would be large)"
    spot.add_argument("--without-rivers", action="store_true", default=None, help=what)
    spot.add_argument("--resume", type=Path, metavar="FILE", help="continue a checkpoint; only limits are said again")
    spot.add_argument(
        "--dry-run", action="store_true", help="only forecast memory and time, and whether it could begin"
    )
    flags.add_progress(spot)
    flags.add_json(spot)


def _spot(options: argparse.Namespace) -> None:
    from cfr.spots.forecast import forecast_spot
    from cfr.spots.plan import plan_that_fits
    from cfr.spots.solve import solve_spot
    from cfr.system.disk.file_lock import Lock
    from cfr.system.disk.files import check_writable
    from cfr.system.errors import BadInputError

    if options.exploit is not None:
        _exploit(options)
        return
    if options.seat is not None:
        raise BadInputError("--seat says who exploits; say --exploit, too")
    settings, source = _settings(options)
    spot = settings.spot
    if settings.out is not None and not options.dry_run:
        check_writable(settings.out)
    if not options.json:
        print(_ranges(spot, options), file=sys.stderr)
    if options.dry_run:
        expected = forecast_spot(settings)
        flags.show(options, asdict(expected), str(expected))
        with flags.says_refusals():
            if settings.out is not None:
                check_writable(settings.out)
                _check_free(settings.out, settings.resume, options.overwrite)
            plan_that_fits(settings)
        return
    assert settings.out is not None
    with Lock(settings.out, "cfr spot"):
        _check_free(settings.out, settings.resume, options.overwrite)
        print(forecast_spot(settings), file=sys.stderr)
        result = solve_spot(settings, flags.wants_progress(options))
    values, text = _found(result)
    if source is not None and source.is_whole:
        from cfr.spots.blueprint_exploitability import blueprint_percent
        from cfr.system.text import digits

        percent = values["blueprint_exploitability_percent_of_pot"] = blueprint_percent(source, spot, settings.threads)
        is_default = settings.strategy == DEFAULT
        text += (
            f"\n{options.strategy or ('the supplied strategy' if is_default else settings.strategy)} is "
            f"{digits(percent)} % of the pot exploitable from here on"
        )
    if source is not None:
        source.close()
    flags.show(options, values, text)


def _exploit(options: argparse.Namespace) -> None:
    from cfr.spots.exploit import exploit_spot
    from cfr.spots.settings import AUTO
    from cfr.system.disk.file_lock import Lock
    from cfr.system.errors import BadInputError

    solving = ("target", "iterations", "minutes", "lock", "resume", "without_rivers", "dry_run")
    given = [name for name in solving if getattr(options, name)] + [
        name for name in ("tables", "river_rows") if getattr(options, name) != AUTO
    ]
    if named := [f"--{name.replace('_', '-')}" for name in given]:
        raise BadInputError(
            f"--exploit finds a best response in one go and solves nothing; leave out {', '.join(named)}"
        )
    from cfr.strategy.files.stored import open_strategy

    with ExitStack() as stack:
        game = _game(options)
        opponent = stack.enter_context(open_strategy(options.exploit, game))
        options.strategy, source = options.strategy or options.exploit, opponent
        if options.strategy != options.exploit:
            source = stack.enter_context(open_strategy(options.strategy, opponent.game))
        spot = _asked(options, source, opponent.game)
        out = options.out or _new_name(spot, "exploit")
        with Lock(out, "cfr spot"):
            _check_free(out, None, options.overwrite)
            if not options.json:
                print(_ranges(spot, options), file=sys.stderr)
            threads = options.threads or usable_cores()
            asked = spot.game.seat_called(options.seat)
            seat = spot.state.actor if asked is None else asked
            result = exploit_spot(spot, opponent, seat, threads, out)
    flags.show(options, {key: getattr(result, key) for key in _EXPLOIT_KEYS} | result.frequencies, str(result))


def _found(result: SpotResult) -> tuple[dict[str, Any], str]:
    return {key: getattr(result, key) for key in _KEYS} | result.frequencies, str(result)


def _settings(options: argparse.Namespace) -> tuple[SpotSettings, BaseStrategy | None]:
    """What to solve, and the strategy whose play gives a range, or gave it before a resumed solve was stopped."""
    from cfr.spots.lock import parse_lock
    from cfr.spots.settings import SpotSettings

    limits = {"target_percent": options.target, "iterations": options.iterations, "minutes": options.minutes}
    threads = options.threads or usable_cores()
    how = {"tables": options.tables, "river_rows": options.river_rows, "without_rivers": options.without_rivers}
    if options.resume is not None:
        settings = _resumed(options, limits, threads)
        return settings, _ranges_strategy(settings)
    source, game = _source(options)
    try:
        spot = _asked(options, source, game)
        locks = tuple(parse_lock(spot, text) for text in options.lock)
        out = options.out or _new_name(spot)
        name = None if source is None else _lasting_name(options.strategy)
        settings = SpotSettings(spot=spot, locks=locks, threads=threads, out=out, strategy=name, **limits, **how)
    except BaseException:
        if source is not None:
            source.close()
        raise
    return settings, source


def _asked(options: argparse.Namespace, source: BaseStrategy | None, game: Game | None) -> Spot:
    """The spot that the flags describe; ``source`` gives the ranges that are not given."""
    from cfr.spots.spot_text import make_spot
    from cfr.system.errors import BadInputError

    if options.board is None:
        raise BadInputError("say --board, such as --board Td9d6hQc")
    spot = make_spot(
        options.board,
        options.line,
        game=game,
        strategy=source,
        button=options.button,
        big_blind=options.bb,
        pot=options.pot,
    )
    _check_rivers(options, spot)
    return spot


def _check_rivers(options: argparse.Namespace, spot: Spot) -> None:
    from cfr.system.errors import BadInputError

    if options.without_rivers and spot.state.round == spot.game.num_rounds - 1:
        raise BadInputError(
            "--without-rivers leaves the last round out of the file, and this spot has no other; leave the flag out"
        )


def _resumed(options: argparse.Namespace, limits: dict[str, Any], threads: int) -> SpotSettings:
    from cfr.spots import checkpoint as spot_checkpoint
    from cfr.spots.settings import AUTO, SpotSettings
    from cfr.system.errors import BadInputError

    fixed = ("game", "board", "line", "pot", "strategy", "button", "bb", "lock")
    chosen = [name for name in ("tables", "river_rows") if getattr(options, name) != AUTO]
    if named := [name for name in fixed if getattr(options, name)] + chosen:
        raise BadInputError(f"--resume takes what is solved from its file; leave out {', '.join(named)}")
    kept = spot_checkpoint.read(options.resume)
    _check_rivers(options, kept.spot)
    path: Path = options.resume
    out = options.out or (path.with_suffix("") if path.suffix == ".checkpoint" else _new_name(kept.spot))
    return SpotSettings(
        spot=kept.spot,
        locks=kept.locks,
        schedule=kept.schedule,
        tables=kept.tables,
        river_rows=AUTO if kept.goes_on_by_hand else kept.river_rows,
        without_rivers=kept.without_rivers if options.without_rivers is None else options.without_rivers,
        threads=threads,
        out=out,
        resume=path,
        strategy=kept.strategy,
        **limits,
    )


def _lasting_name(strategy: str | None) -> str:
    """A strategy's name that means the same in every folder."""
    if strategy is None or strategy in BUILT_INS:
        return strategy or DEFAULT
    return str(located(strategy).resolve())


def _ranges_strategy(settings: SpotSettings) -> BaseStrategy | None:
    """The strategy that gave a resumed solve its ranges, to compare it with the solution; None if there is none."""
    from cfr.strategy.files.stored import open_strategy
    from cfr.system.disk.files import first_line
    from cfr.system.errors import CfrError

    if settings.strategy is None:
        return None
    try:
        return open_strategy(settings.strategy, settings.spot.game)
    except (CfrError, OSError) as error:
        print(f"note: how exploitable the strategy is from here on is left out: {first_line(error)}", file=sys.stderr)
        return None


def _game(options: argparse.Namespace) -> Game | None:
    """The game that is said; raises BadInputError for what is none, such as a strategy."""
    from cfr.game.rules import Game
    from cfr.system.errors import BadInputError

    if options.game in (*BUNDLED, *TRUNKS, *BUILT_INS):
        raise BadInputError(f"{options.game} is a strategy, not a game; say --strategy {options.game}")
    return None if options.game is None else Game.find(options.game)


def _source(options: argparse.Namespace) -> tuple[BaseStrategy | None, Game | None]:
    """The strategy along whose line ranges come, and the game if it is said."""
    from cfr.strategy.files.stored import open_strategy

    game = _game(options)
    both = options.button is not None and options.bb is not None
    if options.strategy is not None:
        return open_strategy(options.strategy, game), game
    if options.line is not None and not both and (game is None or game.name == "hulhe"):
        return open_strategy(), game
    return None, game


def _ranges(spot: Spot, options: argparse.Namespace) -> str:
    """Both ranges in a line each, as a person checks them."""
    from cfr.game.hand_classes import NUM_HANDS

    lines = []
    for seat in sorted((0, 1), key=lambda each: each != spot.game.button):
        weights = spot.ranges[seat]
        name = spot.game.seat_names[seat]
        given = options.button if name == "button" else options.bb
        if given is None and spot.game.num_hands == NUM_HANDS:
            heaviest = ", ".join(_heaviest(spot, seat))
            given = f"most of all {heaviest}"
        lines.append(f"{name}: {weights.sum():,.1f} combos{'' if given is None else ', ' + given}")
    return "\n".join(lines)


def _heaviest(spot: Spot, seat: int) -> list[str]:
    """The classes that make up most of a range."""
    import numpy as np

    from cfr.game.hand_classes import CLASS_NAMES, class_numbers

    weights = np.bincount(class_numbers(), weights=spot.ranges[seat], minlength=len(CLASS_NAMES))
    first = np.argsort(-weights, kind="stable")[:8]
    return [f"{CLASS_NAMES[number]} {weights[number]:.1f}" for number in first.tolist() if weights[number] > 0]


def _new_name(spot: Spot, kind: str = "spot") -> Path:
    """A file that is not there yet."""
    from cfr.game.cards import format_cards

    line = spot.state.line_string.strip("/").replace("/", "-")
    start = f"{kind}-{format_cards(spot.board)}-{line}"
    number = 1
    while (path := Path(f"{start}{'' if number == 1 else f'-{number}'}.h5")).exists():
        number += 1
    return path


def _check_free(out: Path, resume: Path | None, overwrite: bool) -> None:
    from cfr.strategy.files.table_archive import path_for
    from cfr.system.errors import SaveError

    kept = path_for(out)
    if overwrite or (resume is not None and resume.resolve() == kept.resolve()):
        return
    if kept.exists():
        raise SaveError(
            f"{kept}: an unfinished solve is there already; continue it with: cfr spot --resume {kept}, or say "
            "--overwrite to lose it"
        )
    if out.exists():
        raise SaveError(f"{out} is there already; say --overwrite to replace it, or --out for another file")
