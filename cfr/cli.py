"""The command line: parse, call, print. What a command needs is imported when it runs, so that all start at once."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from cfr.errors import CfrError, DamagedFileError
from cfr.version import VERSION

if TYPE_CHECKING:
    from cfr.game import Game
    from cfr.solver import Settings
    from cfr.strategy import BuiltIn, Strategy

BAD_INPUT, FAILURE, INTERRUPTED = 2, 1, 130
DEFAULT_ITERATIONS = 200


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see {self.prog} --help\n")


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
        return _complain("not enough memory; use fewer buckets or fewer threads", FAILURE)
    return 0


def _complain(message: str, code: int) -> int:
    print(f"cfr: {' '.join(message.split())}", file=sys.stderr)
    return code


def _solve(options: argparse.Namespace) -> None:
    from cfr.solver import forecast, solve

    settings = _settings(options)
    expected = forecast(settings)
    if options.dry_run:
        _print(options, asdict(expected), str(expected))
        return
    print(expected, file=sys.stderr)
    result = solve(settings, progress=options.progress or sys.stderr.isatty())
    text = str(result)
    if not options.json and settings.game.num_hole_cards == 2 and len(settings.game.deck) == 52:
        from cfr.strategy import Strategy

        with Strategy.open(settings.out) as strategy:
            text += "\n\n" + _chart_text(strategy, "", "", "standard", _wants_colour("auto"))
    _print(options, asdict(result), text)


def _settings(options: argparse.Namespace) -> Settings:
    from cfr.checkpoint import identity_of
    from cfr.errors import UnknownSpotError
    from cfr.solver import PRESETS, Settings

    if options.resume is not None:
        identity = identity_of(options.resume)
        game, buckets, seed = identity.game, identity.buckets, identity.seed
    else:
        game, buckets, seed = _game(options.game or "hulhe"), _buckets(options.buckets), options.seed
    minutes, iterations = options.minutes, options.iterations
    unlimited = minutes is None and iterations is None and options.target is None
    if game.name == "hulhe":
        preset = PRESETS[options.preset or "quick"]
        buckets = buckets or preset.buckets
        minutes = preset.minutes if unlimited else minutes
    elif options.preset is not None:
        raise UnknownSpotError(f"presets are for hulhe; for {game.name} say --iterations, --minutes or --target")
    elif unlimited:
        iterations = DEFAULT_ITERATIONS
    out = options.out
    if out is None:
        checkpointed = options.resume is not None and options.resume.suffix == ".checkpoint"
        out = options.resume.with_suffix("") if checkpointed else Path(f"{game.name}.h5")
    return Settings(game, buckets, iterations, minutes, options.target, options.threads, seed, out, options.resume)


def _game(name: str) -> Game:
    from cfr.game import GAME_NAMES, Game

    return Game.bundled(name) if name in GAME_NAMES or not Path(name).exists() else Game.read(name)


def _buckets(text: str | None) -> tuple[int | str, ...] | None:
    from cfr.errors import MalformedTextError

    if text is None or text == "lossless":
        return None
    entries: list[int | str] = []
    for position, entry in enumerate(text.split(","), 1):
        if entry != "lossless" and not (entry.isdigit() and int(entry) > 0):
            raise MalformedTextError(f"buckets {text!r}: {entry!r} at place {position}; expected a number or lossless")
        entries.append(entry if entry == "lossless" else int(entry))
    return tuple(entries)


def _query(options: argparse.Namespace) -> None:
    with _open(options.file) as strategy:
        shares = strategy.probabilities(options.hand, options.board, options.line)
        spot = {"hand": options.hand, "board": options.board, "line": options.line}
        text = "  ".join(f"{name} {share:.3f}" for name, share in shares.items())
        _print(options, spot | shares, text)


def _chart(options: argparse.Namespace) -> None:
    from cfr.errors import UnknownSpotError

    with _open(options.file) as strategy:
        if options.out is None:
            print(_chart_text(strategy, options.board, options.line, options.theme, _wants_colour(options.color)))
            return
        if options.out.suffix.lower() != ".svg":
            raise UnknownSpotError(f"--out {options.out}: charts are written as .svg")
        from cfr.chart import grid, svg
        from cfr.store import replacing

        title, labels = _titles(strategy, options.board, options.line)
        _check_holdem(strategy)
        picture = svg(grid(strategy.range(options.board, options.line)), title, labels, options.theme)
        with replacing(options.out) as temporary:
            temporary.write_text(picture, "utf-8")


def _chart_text(strategy: Strategy | BuiltIn, board: str, line: str, theme: str, colour: bool) -> str:
    from cfr.chart import grid, table, terminal

    title, labels = _titles(strategy, board, line)
    spot = strategy.range(board, line)
    if len(spot.hands) != 1326:
        return f"{title}\n\n{table(spot)}"
    return terminal(grid(spot), title, labels, theme, colour)


def _titles(strategy: Strategy | BuiltIn, board: str, line: str) -> tuple[str, tuple[str, str, str]]:
    from cfr.chart import action_labels
    from cfr.players import seat_name

    state, _ = strategy.spot(board, line)
    who = seat_name(state.actor, strategy.game.first_players[0])
    where = (f"board {board}, " if board else "") + (f"after {line}" if line else "first to act")
    return f"{strategy.game.name}: {who}, {where}", action_labels("f" in state.legal)


def _check_holdem(strategy: Strategy | BuiltIn) -> None:
    from cfr.errors import UnknownSpotError

    if strategy.game.num_hands != 1326:
        raise UnknownSpotError(f"{strategy.game.name} has no 13x13 grid; its chart is a table in the terminal")


def _info(options: argparse.Namespace) -> None:
    from cfr.store import verify
    from cfr.strategy import Strategy, default_path

    path = options.file or default_path()
    with Strategy.open(path) as strategy:
        values: dict[str, Any] = {"file": str(path), **strategy.attributes}
        values["rows"] = [int(strategy.table(r).shape[0]) for r in range(strategy.game.num_rounds)]
        values["bytes"] = Path(path).stat().st_size
    if options.verify:
        verify(path)
        values["verified"] = True
    text = "\n".join(f"{name:<18}{value}" for name, value in values.items() if name != "game")
    _print(options, values, text)


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


def _play(options: argparse.Namespace) -> None:
    from cfr.play import play

    with _open(options.file) as strategy:
        play(strategy, seat=options.seat, hands=options.hands, seed=options.seed, log=options.log)


def _match(options: argparse.Namespace) -> None:
    from cfr.errors import UnknownSpotError
    from cfr.match import match
    from cfr.players import StrategyPlayer, make_player

    players = [make_player(options.first), make_player(options.second)]
    games = {p.strategy.game.text(): p.strategy.game for p in players if isinstance(p, StrategyPlayer)}
    if len(games) > 1:
        raise UnknownSpotError(f"{options.first} and {options.second} are for different games")
    game = next(iter(games.values()), None) or _game("hulhe")
    result = match(
        game, players[0], players[1], options.hands, seed=options.seed, duplicate=options.duplicate, log=options.log
    )
    _print(options, asdict(result), str(result))


def _open(name: str | None) -> Strategy | BuiltIn:
    from cfr.strategy import open_strategy

    return open_strategy(name)


def _wants_colour(choice: str) -> bool:
    if choice == "auto":
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return choice == "always"


def _print(options: argparse.Namespace, value: Any, text: str) -> None:
    print(json.dumps(value, default=str) if options.json else text)


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}; expected a whole number of at least 1")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="cfr",
        description="Solve heads-up limit hold'em on your own machine, look at the solution, and play it.",
        epilog="example: cfr solve hulhe --preset quick && cfr chart hulhe.h5 --line r",
    )
    parser.add_argument("--version", action="version", version=f"cfr {VERSION}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND", parser_class=_Parser)

    def command(name: str, run: Callable[[argparse.Namespace], None], what: str, example: str) -> _Parser:
        added = commands.add_parser(name, help=what, description=what.capitalize() + ".", epilog=f"example: {example}")
        added.set_defaults(run=run)
        return added

    def json_flag(added: argparse.ArgumentParser) -> None:
        added.add_argument("--json", action="store_true", help="print the result as JSON")

    def spot_flags(added: argparse.ArgumentParser) -> None:
        added.add_argument("--board", default="", metavar="CARDS", help="board cards so far, such as Td9d6h")
        added.add_argument("--line", default="", metavar="ACTIONS", help="actions so far: f, c, r and /, such as rc/cr")

    solve = command("solve", _solve, "solve a game and write a strategy file", "cfr solve hulhe --preset quick")
    solve.add_argument("game", nargs="?", metavar="GAME", help="bundled game or .game file (default: hulhe)")
    solve.add_argument("--preset", choices=("quick", "laptop", "workstation"), help="buckets and minutes for hulhe")
    solve.add_argument("--buckets", metavar="F,T,R", help="rows of flop, turn and river, or lossless")
    solve.add_argument("--minutes", type=float, metavar="M", help="be done after so many minutes, all included")
    solve.add_argument("--iterations", type=_positive, metavar="N", help="stop after so many iterations")
    solve.add_argument("--target", type=float, metavar="MBB", help="stop at an exploitability in mbb/g (lossless games)")
    solve.add_argument("--threads", type=_positive, default=os.cpu_count() or 1, metavar="T", help="default: all cores")
    solve.add_argument("--seed", type=int, default=0, metavar="S", help="of clusters and boards (default: 0)")
    solve.add_argument("--out", type=Path, metavar="FILE", help="strategy file to write (default: GAME.h5)")
    solve.add_argument("--resume", type=Path, metavar="FILE", help="continue a checkpoint")
    solve.add_argument("--dry-run", action="store_true", help="only forecast memory, disk and time")
    solve.add_argument("--progress", action="store_true", help="show bars even if stderr is not a terminal")
    json_flag(solve)

    query = command("query", _query, "one hand's frequencies at a spot", "cfr query hulhe.h5 --hand AsKh --line r")
    query.add_argument("file", nargs="?", metavar="FILE", help="strategy file or built-in (default: the one supplied)")
    query.add_argument("--hand", required=True, metavar="CARDS", help="hole cards, such as AsKh")
    spot_flags(query)
    json_flag(query)

    chart = command("chart", _chart, "the 13x13 grid of a spot", "cfr chart --line rc/ --board Td9d6h --out flop.svg")
    chart.add_argument("file", nargs="?", metavar="FILE", help="strategy file or built-in (default: the one supplied)")
    spot_flags(chart)
    chart.add_argument("--out", type=Path, metavar="x.svg", help="write a picture instead")
    chart.add_argument("--theme", choices=("standard", "colour-blind"), default="standard", help="colours")
    chart.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="terminal colours")

    info = command("info", _info, "what a strategy file holds and how it was made", "cfr info hulhe.h5 --verify")
    info.add_argument("file", nargs="?", metavar="FILE", help="strategy file (default: the one supplied)")
    info.add_argument("--verify", action="store_true", help="read everything and check the checksum")
    json_flag(info)

    play = command("play", _play, "play against a strategy in the terminal", "cfr play --seat button")
    play.add_argument("file", nargs="?", metavar="FILE", help="strategy file or built-in (default: the one supplied)")
    play.add_argument("--seat", choices=("button", "bb", "alternate"), default="alternate", help="yours")
    play.add_argument("--hands", type=_positive, metavar="N", help="stop after so many hands")
    play.add_argument("--seed", type=int, metavar="S", help="of the cards (default: the system's randomness)")
    play.add_argument("--log", type=Path, metavar="FILE", help="append each hand as an ACPC STATE line")

    match = command("match", _match, "bots against bots", "cfr match hulhe.h5 always-call --hands 10000 --duplicate")
    match.add_argument("first", metavar="A", help="strategy file, built-in or random; the result is this one's")
    match.add_argument("second", metavar="B", help="strategy file, built-in or random")
    match.add_argument("--hands", type=_positive, required=True, metavar="N", help="how many")
    match.add_argument("--seed", type=int, metavar="S", help="of cards and actions (default: the system's randomness)")
    match.add_argument("--duplicate", action="store_true", help="play every deal twice, seats exchanged")
    match.add_argument("--log", type=Path, metavar="FILE", help="write each hand as an ACPC STATE line")
    json_flag(match)

    equity = command("equity", _equity, "exact all-in equity of hands or ranges", "cfr equity AhKh QQ+,AKs --board Td9d6h")
    equity.add_argument("first", metavar="HAND_OR_RANGE", help="such as AhKh or QQ+,AKs")
    equity.add_argument("second", metavar="HAND_OR_RANGE", help="the other side's")
    equity.add_argument("--board", default="", metavar="CARDS", help="board cards so far")
    json_flag(equity)

    games = command("games", _games, "bundled games and how large they are", "cfr games --json")
    json_flag(games)
    return parser
