"""The command line: parse, call, print. What a command needs is imported when it runs, so that all start at once."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cfr.cli import bots, exploit, flags, query, serve, solve, spot, study
from cfr.cli.parser import BAD_INPUT, Parser, PrintCompletion, ShowVersion
from cfr.system.errors import CfrError, DamagedFileError
from cfr.system.interrupts import terminable

FAILURE, INTERRUPTED = 1, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0, 1 for a failure, 2 for bad input, 130 after Ctrl-C or SIGTERM."""
    # Threads of the kernel that wait for each other must not take a busy machine's cores from those they wait for.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # read when the first native module is loaded
    _mend_streams()
    try:
        options = _parser().parse_args(arguments)
        run: Callable[[argparse.Namespace], None] = options.run
        with terminable():
            run(options)
            sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output has gone; Python must not complain about it when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    except KeyboardInterrupt as stop:
        return _complain(str(stop) or "stopped", INTERRUPTED)
    except CfrError as error:
        from cfr.system.errors import SaveError

        return _complain(str(error), FAILURE if isinstance(error, DamagedFileError | SaveError) else BAD_INPUT)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _complain(f"{where}{error.strerror or error}", FAILURE)
    except MemoryError:
        return _complain("not enough memory", FAILURE)
    return 0


def _mend_streams() -> None:
    """Put something in the place of closed standard streams, and let the others show what they cannot encode."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open as long as the process
        elif isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="replace" if name == "stdin" else "backslashreplace")


def _complain(message: str, code: int) -> int:
    print(f"cfr: {' '.join(message.split())}", file=sys.stderr)
    return code


def _chart(options: argparse.Namespace) -> None:
    from cfr.study.chart import save_png, svg, terminal
    from cfr.system.errors import UnknownSpotError
    from cfr.system.files import replacing

    out: Path | None = options.out
    if out is not None and out.suffix.lower() not in (".svg", ".png"):
        raise UnknownSpotError(f"--out {out}: charts are written as .svg or .png")
    with flags.open_strategy(options) as strategy:
        values = None
        if options.ev:
            from cfr.subgame.values import expected_values

            values = expected_values(strategy, options.board, options.line, progress=flags.wants_progress(options))
        spot = (options.board, options.line, options.theme)
        if out is None:
            print(terminal(strategy, *spot, flags.wants_colour(options.color), values=values))
            return
        with replacing(out) as temporary:
            if out.suffix.lower() == ".svg":
                temporary.write_text(svg(strategy, *spot, values=values), "utf-8")
            else:
                save_png(temporary, strategy, *spot, values=values)


def _info(options: argparse.Namespace) -> None:
    from cfr.strategy.built_in import BUILT_INS
    from cfr.strategy.bundled import located
    from cfr.strategy.file import verify
    from cfr.strategy.stored import open_stored
    from cfr.system.errors import UnknownSpotError

    if options.file in BUILT_INS:
        raise UnknownSpotError(f"{options.file} is built in, there is no file that says how it was made")
    path = located(options.file)
    with open_stored(path) as strategy:
        values: dict[str, Any] = {"file": str(path), **strategy.attributes}
        values["rows"] = strategy.num_rows
        values["bytes"] = path.stat().st_size
    if options.verify:
        verify(path)
        values["verified"] = True
    text = "\n".join(f"{name:<18} {_plain(value)}" for name, value in values.items() if name != "game")
    flags.show(options, values, text)


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _games(options: argparse.Namespace) -> None:
    from cfr.game.rules import GAME_NAMES, Game
    from cfr.hands.sizes import count

    counts = [count(Game.bundled(name)) for name in GAME_NAMES]
    lines = [f"{'game':<14}{'information sets':>20}{'node-actions':>20}  betting nodes; canonical hands per round"]
    for each in counts:
        nodes, hands = (", ".join(f"{n:,}" for n in ns) for ns in (each.betting_nodes, each.canonical_hands))
        lines.append(f"{each.name:<14}{each.information_sets:>20,}{each.node_actions:>20,}  {nodes}; {hands}")
    flags.show(options, [asdict(each) for each in counts], "\n".join(lines))


def _equity(options: argparse.Namespace) -> None:
    from cfr.game.ranges import Range
    from cfr.hands.equity import equity, outs

    first, second = Range.parse(options.first), Range.parse(options.second)
    result = equity(first.weights, second.weights, options.board, progress=flags.wants_progress(options))
    text = str(result)
    found = outs(first.weights, second.weights, options.board)
    if found is not None:
        text += f"\n{found}"
    flags.show(options, asdict(result), text)


def _play(options: argparse.Namespace) -> None:
    from cfr.play.terminal import play

    with flags.open_strategy(options) as strategy:
        play(strategy, seat=options.seat, hands=options.hands, seed=options.seed, log=options.log)


def _match(options: argparse.Namespace) -> None:
    from cfr.play.match import play
    from cfr.subgame.opening import resolved_name

    result = play(
        (resolved_name(options.first, options.resolve), options.second),
        options.hands,
        seed=options.seed,
        duplicate=options.duplicate,
        log=options.log,
        resume=options.resume,
        aivat=options.aivat,
        imaginary=options.imaginary,
        processes=options.processes,
        progress=flags.wants_progress(options),
    )
    flags.show(options, asdict(result), str(result))


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="cfr",
        description="Solve heads-up limit hold'em on your own machine, look at the solution, and play it.",
        epilog="example: cfr solve hulhe --preset quick && cfr chart hulhe.h5 --line r",
    )
    what = "show the version, and the kernel that this processor runs, and exit"
    parser.add_argument("--version", action=ShowVersion, nargs=0, help=what)
    what = "print a script that completes commands and flags: bash, zsh or tcsh; needs shtab"
    shells = ("bash", "zsh", "tcsh")
    parser.add_argument("--print-completion", action=PrintCompletion, choices=shells, metavar="SHELL", help=what)
    parser.set_defaults(run=lambda _: parser.print_help())
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=Parser)

    def command(name: str, run: Callable[[argparse.Namespace], None], what: str, example: str) -> Parser:
        added = commands.add_parser(name, help=what, description=what.capitalize() + ".", epilog=f"example: {example}")
        added.set_defaults(run=run)
        return added

    solve.add_commands(command)
    spot.add_commands(command)

    query.add_commands(command)

    chart = command("chart", _chart, "the 13x13 grid of a spot", "cfr chart --line rc/ --board Td9d6h --out flop.svg")
    flags.add_file(chart)
    flags.add_resolve(chart)
    flags.add_spot(chart)
    what = "show what each hand wins in big blinds per hand instead of its frequencies; a flop's take seconds"
    chart.add_argument("--ev", action="store_true", help=what)
    flags.add_progress(chart)
    chart.add_argument("--out", type=Path, metavar="x.svg|.png", help="write a picture instead; .png needs matplotlib")
    chart.add_argument("--theme", choices=("standard", "colour-blind"), default="standard", help="colours")
    chart.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="terminal colours")

    study.add_commands(command)

    info = command("info", _info, "what a strategy file holds and how it was made", "cfr info hulhe.h5 --verify")
    info.add_argument("file", nargs="?", metavar="FILE", help="strategy file (default: the one supplied)")
    info.add_argument("--verify", action="store_true", help="read everything and check the checksum")
    flags.add_json(info)

    exploit.add_commands(command)

    play = command("play", _play, "play against a strategy in the terminal", "cfr play --seat button")
    flags.add_file(play)
    flags.add_resolve(play)
    play.add_argument("--seat", choices=("button", "bb", "alternate"), default="alternate", help="yours")
    play.add_argument("--hands", type=flags.count, metavar="N", help="stop after so many hands")
    flags.add_card_seed(play)
    play.add_argument(
        "--log", type=Path, metavar="FILE", help="append the hands: .log ACPC, .phhs PHH, .txt PokerStars"
    )

    serve.add_commands(command)

    _match_flags(
        command("match", _match, "bots against bots", "cfr match hulhe.h5 always-call --hands 10000 --duplicate")
    )

    equity = command("equity", _equity, "exact all-in equity of hands or ranges", "cfr equity AhKh QQ+ --board Td9d6h")
    equity.add_argument("first", metavar="HAND_OR_RANGE", help="such as AhKh or QQ+,AKs")
    equity.add_argument("second", metavar="HAND_OR_RANGE", help="the other side's")
    equity.add_argument("--board", default="", metavar="CARDS", help="board cards so far")
    flags.add_progress(equity)
    flags.add_json(equity)

    bots.add_commands(command)

    flags.add_json(command("games", _games, "bundled games and how large they are", "cfr games --json"))
    return parser


def _match_flags(match: argparse.ArgumentParser) -> None:
    match.add_argument(
        "first", metavar="A", help="strategy file, FILE+turn, built-in, random, acpc:PORT or module:Class"
    )
    match.add_argument("second", metavar="B", help="the same (docs/matches.md); the result is A's")
    match.add_argument("--hands", type=flags.count, required=True, metavar="N", help="how many")
    flags.add_resolve(match, "A: ")
    flags.add_card_seed(match)
    match.add_argument("--duplicate", action="store_true", help="play every deal twice, seats exchanged")
    match.add_argument("--no-aivat", dest="aivat", action="store_false", help="leave luck in; plays faster")
    match.add_argument("--imaginary", action="store_true", help="AIVAT over all hands that A could hold; slower")
    match.add_argument("--processes", type=flags.threads, default=1, metavar="P", help="how many play (default: 1)")
    match.add_argument(
        "--log", type=Path, metavar="FILE", help="write the hands: .log ACPC, .phhs PHH, .txt PokerStars"
    )
    match.add_argument("--resume", action="store_true", help="go on with an interrupted match; needs --log and --seed")
    flags.add_progress(match)
    flags.add_json(match)
