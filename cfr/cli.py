"""The command line: parse, call, print. What a command needs is imported when it runs, so that all start at once."""

from __future__ import annotations

import argparse
import errno
import json
import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from cfr import cli_exploit
from cfr.cli_bots import add_commands as add_bot_commands
from cfr.cli_study import add_commands as add_study_commands
from cfr.errors import CfrError, DamagedFileError
from cfr.schedules import CFR_PLUS, SCHEDULES
from cfr.serve import add_serve

if TYPE_CHECKING:
    from cfr.game import Game
    from cfr.settings import Settings
    from cfr.strategy import BuiltIn, Strategy

BAD_INPUT, FAILURE, INTERRUPTED = 2, 1, 130
DEFAULT_ITERATIONS = 200
MAX_THREADS = 256
_SOLVE_KEYS = ("file", "game", "iterations", "seconds", "seed", "threads")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {' '.join(message.split())}; see {self.prog} --help\n")


class _ShowVersion(argparse.Action):
    """Looking the version up takes as long as a query: only when asked."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from cfr.version import VERSION

        print(f"cfr {VERSION}")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0, 1 for a failure, 2 for bad input, 130 after Ctrl-C."""
    options = _parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], None] = options.run
    try:
        run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output has gone; Python must not complain about it when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    except KeyboardInterrupt as stop:
        return _complain(str(stop) or "stopped", INTERRUPTED)
    except CfrError as error:
        from cfr.store import SaveError

        return _complain(str(error), FAILURE if isinstance(error, DamagedFileError | SaveError) else BAD_INPUT)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _complain(f"{where}{error.strerror or error}", FAILURE)
    except MemoryError:
        return _complain("not enough memory", FAILURE)
    return 0


def _complain(message: str, code: int) -> int:
    print(f"cfr: {' '.join(message.split())}", file=sys.stderr)
    return code


def _solve(options: argparse.Namespace) -> None:
    from cfr.forecast import check_memory, make_forecast
    from cfr.solver import solve

    settings = _settings(options)
    if not options.dry_run:
        _check_writable(settings.out)
    expected = make_forecast(settings)
    if options.dry_run:
        _print(options, asdict(expected), str(expected))
        return
    check_memory(settings)
    print(expected, file=sys.stderr)
    result = solve(settings, progress=options.progress or sys.stderr.isatty())
    text = str(result)
    if not options.json and _has_grid(settings.game):
        from cfr.chart import terminal
        from cfr.strategy import Strategy

        with Strategy.open(settings.out) as strategy:
            text += f"\n\n{terminal(strategy, colour=_wants_colour('auto'))}"
    _print(options, {key: getattr(result, key) for key in _SOLVE_KEYS}, text)


def _settings(options: argparse.Namespace) -> Settings:
    from cfr.checkpoint import identity_of
    from cfr.errors import UnknownSpotError
    from cfr.game import Game
    from cfr.settings import PRESETS, Settings

    preset = PRESETS[options.preset or "quick"]
    if options.resume is not None:
        chosen = {
            "GAME": options.game,
            "--buckets": options.buckets,
            "--preset": options.preset,
            "--seed": options.seed,
            "--schedule": options.schedule,
        }
        if given := [name for name, value in chosen.items() if value is not None]:
            raise UnknownSpotError(
                f"--resume takes game, buckets, schedule and seed from its file; leave out {', '.join(given)}"
            )
        identity = identity_of(options.resume)
        game, buckets, seed, schedule = identity.game, identity.buckets, identity.seed, identity.schedule
        preset = next((each for each in PRESETS.values() if each.buckets == buckets), preset)
    else:
        game, seed = Game.find(options.game or "hulhe"), options.seed or 0
        bucketed = game.name == "hulhe" and options.buckets is None
        buckets = preset.buckets if bucketed else _buckets(options.buckets)
        schedule = options.schedule or (CFR_PLUS.name if buckets is None else preset.schedule)
        if options.preset is not None and game.name != "hulhe":
            raise UnknownSpotError(f"presets are for hulhe; for {game.name} say --iterations, --minutes or --target")
    purge = options.purge
    if purge is None:
        purge = 0.0 if buckets is None else preset.purge
    minutes, iterations = options.minutes, options.iterations
    if minutes is None and iterations is None and options.target is None:
        if game.name == "hulhe":
            minutes = preset.minutes
        else:
            iterations = DEFAULT_ITERATIONS
    out = options.out
    if out is None:
        checkpointed = options.resume is not None and options.resume.suffix == ".checkpoint"
        out = options.resume.with_suffix("") if checkpointed else Path(f"{game.name}.h5")
    return Settings(
        game,
        buckets,
        iterations,
        minutes,
        options.target,
        options.threads,
        seed,
        out,
        options.resume,
        purge,
        options.compact,
        schedule,
        preset.warm_up if options.warm_up is None else options.warm_up,
    )


def _buckets(text: str | None) -> tuple[int | str, ...] | None:
    from cfr.errors import MalformedTextError

    if text is None or text == "lossless":
        return None
    entries: list[int | str] = []
    for position, entry in enumerate(text.split(","), 1):
        if entry != "lossless" and not (entry.isdecimal() and int(entry) > 0):
            raise MalformedTextError(f"buckets {text!r}: {entry!r} at place {position}; expected a number or lossless")
        entries.append(entry if entry == "lossless" else int(entry))
    return tuple(entries)


def _check_writable(path: Path) -> None:
    """Say before hours of work that its result has nowhere to go."""
    from cfr.store import SaveError

    if path.is_dir():
        reason = os.strerror(errno.EISDIR)
    elif not path.parent.is_dir():
        reason = f"there is no folder {path.parent}"
    elif not os.access(path.parent, os.W_OK):
        reason = os.strerror(errno.EACCES)
    else:
        return
    raise SaveError(f"cannot write {path}: {reason}")


def _has_grid(game: Game) -> bool:
    return game.num_hole_cards == 2 and len(game.deck) == 52


def _query(options: argparse.Namespace) -> None:
    with _open(options.file) as strategy:
        shares = strategy.probabilities(options.hand, options.board, options.line)
        spot = {"hand": options.hand, "board": options.board, "line": options.line}
        text = "  ".join(f"{name} {share:.3f}" for name, share in shares.items())
        _print(options, spot | shares, text)


def _chart(options: argparse.Namespace) -> None:
    from cfr.chart import save_png, svg, terminal
    from cfr.errors import UnknownSpotError
    from cfr.store import replacing

    out: Path | None = options.out
    if out is not None and out.suffix.lower() not in (".svg", ".png"):
        raise UnknownSpotError(f"--out {out}: charts are written as .svg or .png")
    with _open(options.file) as strategy:
        spot = (options.board, options.line, options.theme)
        if out is None:
            print(terminal(strategy, *spot, _wants_colour(options.color)))
            return
        if not _has_grid(strategy.game):
            raise UnknownSpotError(f"{strategy.game.name} has no 13x13 grid; its chart is a table in the terminal")
        with replacing(out) as temporary:
            if out.suffix.lower() == ".svg":
                temporary.write_text(svg(strategy, *spot), "utf-8")
            else:
                save_png(temporary, strategy, *spot)


def _info(options: argparse.Namespace) -> None:
    from cfr.errors import UnknownSpotError
    from cfr.store import verify
    from cfr.strategy import BUILT_INS, Strategy, default_path

    if options.file in BUILT_INS:
        raise UnknownSpotError(f"{options.file} is built in, there is no file that says how it was made")
    path = Path(options.file or default_path())
    with Strategy.open(path) as strategy:
        values: dict[str, Any] = {"file": str(path), **strategy.attributes}
        values["rows"] = [int(strategy.table(r).shape[0]) for r in range(strategy.game.num_rounds)]
        values["bytes"] = path.stat().st_size
    if options.verify:
        verify(path)
        values["verified"] = True
    text = "\n".join(f"{name:<18} {_plain(value)}" for name, value in values.items() if name != "game")
    _print(options, values, text)


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _games(options: argparse.Namespace) -> None:
    from cfr.counts import count
    from cfr.game import GAME_NAMES, Game

    counts = [count(Game.bundled(name)) for name in GAME_NAMES]
    lines = [f"{'game':<14}{'information sets':>20}{'node-actions':>20}  betting nodes; canonical hands per round"]
    for each in counts:
        nodes, hands = (", ".join(f"{n:,}" for n in ns) for ns in (each.betting_nodes, each.canonical_hands))
        lines.append(f"{each.name:<14}{each.information_sets:>20,}{each.node_actions:>20,}  {nodes}; {hands}")
    _print(options, [asdict(each) for each in counts], "\n".join(lines))


def _equity(options: argparse.Namespace) -> None:
    from cfr.equity import equity, outs
    from cfr.ranges import Range

    first, second = Range.parse(options.first), Range.parse(options.second)
    result = equity(first.weights, second.weights, options.board)
    text = str(result)
    found = outs(first.weights, second.weights, options.board)
    if found is not None:
        text += f"\n{found}"
    _print(options, asdict(result), text)


def _exploit(options: argparse.Namespace) -> None:
    from cfr.cli_exploit import run

    run(options, _print)


def _play(options: argparse.Namespace) -> None:
    from cfr.play import play

    with _open(options.file) as strategy:
        play(strategy, seat=options.seat, hands=options.hands, seed=options.seed, log=options.log)


def _match(options: argparse.Namespace) -> None:
    from cfr.contest import play

    result = play(
        (options.first, options.second),
        options.hands,
        seed=options.seed,
        duplicate=options.duplicate,
        log=options.log,
        aivat=options.aivat,
        imaginary=options.imaginary,
        processes=options.processes,
        progress=options.progress or sys.stderr.isatty(),
    )
    _print(options, asdict(result), str(result))


def _open(name: str | None) -> Strategy | BuiltIn:
    from cfr.strategy import open_strategy

    return open_strategy(name)


def _wants_colour(choice: str) -> bool:
    if choice == "auto":
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return choice == "always"


def _print(options: argparse.Namespace, value: Any, text: str) -> None:
    if not options.json:
        print(text)
        return
    if isinstance(value, dict):
        # JSON has no infinity: what is not known yet is null.
        value = {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in value.items()}
    print(json.dumps(value))


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}; expected a whole number of at least 1")
    return int(text)


def _threads(text: str) -> int:
    if _count(text) > MAX_THREADS:
        raise argparse.ArgumentTypeError(f"{text!r}; expected at most {MAX_THREADS}")
    return int(text)


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r}; expected a whole number of at least 0")
    return int(text)


def _amount(text: str) -> float:
    try:
        amount = float(text)
    except ValueError:
        amount = math.nan
    if not 0 < amount < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r}; expected a number above 0")
    return amount


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="cfr",
        description="Solve heads-up limit hold'em on your own machine, look at the solution, and play it.",
        epilog="example: cfr solve hulhe --preset quick && cfr chart hulhe.h5 --line r",
    )
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND", parser_class=_Parser)

    def command(name: str, run: Callable[[argparse.Namespace], None], what: str, example: str) -> _Parser:
        added = commands.add_parser(name, help=what, description=what.capitalize() + ".", epilog=f"example: {example}")
        added.set_defaults(run=run)
        return added

    _solve_flags(command("solve", _solve, "solve a game and write a strategy file", "cfr solve hulhe --preset quick"))

    query = command("query", _query, "one hand's frequencies at a spot", "cfr query hulhe.h5 --hand AsKh --line r")
    _file_argument(query)
    query.add_argument("--hand", required=True, metavar="CARDS", help="hole cards, such as AsKh")
    _spot_flags(query)
    _json_flag(query)

    chart = command("chart", _chart, "the 13x13 grid of a spot", "cfr chart --line rc/ --board Td9d6h --out flop.svg")
    _file_argument(chart)
    _spot_flags(chart)
    chart.add_argument("--out", type=Path, metavar="x.svg|.png", help="write a picture instead; .png needs matplotlib")
    chart.add_argument("--theme", choices=("standard", "colour-blind"), default="standard", help="colours")
    chart.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="terminal colours")

    add_study_commands(command, _file_argument, _spot_flags)

    info = command("info", _info, "what a strategy file holds and how it was made", "cfr info hulhe.h5 --verify")
    info.add_argument("file", nargs="?", metavar="FILE", help="strategy file (default: the one supplied)")
    info.add_argument("--verify", action="store_true", help="read everything and check the checksum")
    _json_flag(info)

    exploit = command("exploit", _exploit, "how much a strategy can lose", "cfr exploit hulhe.h5 --flops 100 --report")
    cli_exploit.add_flags(exploit, _threads, _seed)
    _json_flag(exploit)

    play = command("play", _play, "play against a strategy in the terminal", "cfr play --seat button")
    _file_argument(play)
    play.add_argument("--seat", choices=("button", "bb", "alternate"), default="alternate", help="yours")
    play.add_argument("--hands", type=_count, metavar="N", help="stop after so many hands")
    _card_seed_flag(play)
    play.add_argument(
        "--log", type=Path, metavar="FILE", help="append the hands: .log ACPC, .phhs PHH, .txt PokerStars"
    )

    add_serve(command)

    _match_flags(
        command("match", _match, "bots against bots", "cfr match hulhe.h5 always-call --hands 10000 --duplicate")
    )

    equity = command("equity", _equity, "exact all-in equity of hands or ranges", "cfr equity AhKh QQ+ --board Td9d6h")
    equity.add_argument("first", metavar="HAND_OR_RANGE", help="such as AhKh or QQ+,AKs")
    equity.add_argument("second", metavar="HAND_OR_RANGE", help="the other side's")
    equity.add_argument("--board", default="", metavar="CARDS", help="board cards so far")
    _json_flag(equity)

    add_bot_commands(command, _json_flag, _print)

    _json_flag(command("games", _games, "bundled games and how large they are", "cfr games --json"))
    return parser


def _solve_flags(solve: argparse.ArgumentParser) -> None:
    solve.add_argument("game", nargs="?", metavar="GAME", help="bundled game or .game file (default: hulhe)")
    solve.add_argument("--preset", choices=("quick", "laptop", "workstation"), help="buckets and minutes for hulhe")
    solve.add_argument("--buckets", metavar="F,T,R", help="rows of flop, turn and river, each a number or lossless")
    what = f"how regrets and the average accumulate (default: {CFR_PLUS.name}, the preset's with buckets)"
    solve.add_argument("--schedule", choices=list(SCHEDULES), help=what)
    what = "share of the iterations or minutes that cfr-br begins with by cfr+ (default: the preset's)"
    solve.add_argument("--warm-up", type=float, metavar="SHARE", help=what)
    solve.add_argument("--minutes", type=_amount, metavar="M", help="be done after so many minutes, all included")
    solve.add_argument("--iterations", type=_count, metavar="N", help="stop after so many iterations")
    solve.add_argument("--target", type=_amount, metavar="MBB", help="stop at an exploitability in mbb/g (lossless)")
    threads = os.cpu_count() or 1
    solve.add_argument(
        "--threads", type=_threads, default=threads, metavar="T", help="default: all cores (%(default)s)"
    )
    what = "store probabilities under P as 0 (default: the preset's with buckets, else 0)"
    solve.add_argument("--purge", type=float, metavar="P", help=what)
    what = "store later rounds in steps of 1/17 and calls where own play never comes: a smaller file, hardly weaker"
    solve.add_argument("--compact", action="store_true", help=what)
    solve.add_argument("--seed", type=_seed, metavar="S", help="of clusters and boards (default: 0)")
    solve.add_argument("--out", type=Path, metavar="FILE", help="strategy file to write (default: GAME.h5)")
    solve.add_argument("--resume", type=Path, metavar="FILE", help="continue a checkpoint")
    solve.add_argument("--dry-run", action="store_true", help="only forecast memory, disk and time")
    solve.add_argument("--progress", action="store_true", help="show bars even if stderr is not a terminal")
    _json_flag(solve)


def _match_flags(match: argparse.ArgumentParser) -> None:
    match.add_argument("first", metavar="A", help="strategy file, built-in, random or module:Class; the result is its")
    match.add_argument("second", metavar="B", help="the same; a class is called with the game (docs/matches.md)")
    match.add_argument("--hands", type=_count, required=True, metavar="N", help="how many")
    _card_seed_flag(match)
    match.add_argument("--duplicate", action="store_true", help="play every deal twice, seats exchanged")
    match.add_argument("--no-aivat", dest="aivat", action="store_false", help="leave luck in; plays faster")
    match.add_argument("--imaginary", action="store_true", help="AIVAT over all hands that A could hold; slower")
    match.add_argument("--processes", type=_threads, default=1, metavar="P", help="how many play (default: 1)")
    match.add_argument(
        "--log", type=Path, metavar="FILE", help="write the hands: .log ACPC, .phhs PHH, .txt PokerStars"
    )
    match.add_argument("--progress", action="store_true", help="show a bar even if stderr is not a terminal")
    _json_flag(match)


def _file_argument(added: argparse.ArgumentParser) -> None:
    added.add_argument("file", nargs="?", metavar="FILE", help="strategy file or built-in (default: the one supplied)")


def _spot_flags(added: argparse.ArgumentParser) -> None:
    added.add_argument("--board", default="", metavar="CARDS", help="board cards so far, such as Td9d6h")
    added.add_argument("--line", default="", metavar="ACTIONS", help="actions so far: f, c, r and /, such as rc/cr")


def _card_seed_flag(added: argparse.ArgumentParser) -> None:
    what = "of cards and actions (default: the system's randomness)"
    added.add_argument("--seed", type=_seed, metavar="S", help=what)


def _json_flag(added: argparse.ArgumentParser) -> None:
    added.add_argument("--json", action="store_true", help="print the result as JSON")
