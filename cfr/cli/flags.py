"""The command line's flags: the types of their values, flags that commands share, and how results are printed.

Each type reads a value or says in one line what it expects.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from cfr.cli.flag_names import in_one_line
from cfr.system.checks import MOST_THREADS
from cfr.system.errors import BadInputError, CfrError

if TYPE_CHECKING:
    from cfr.game.rules import Game
    from cfr.strategy.strategy import BaseStrategy
    from cfr.system.cluster.workers import Workers

T = TypeVar("T")
_GROUPED = re.compile(r"\d{1,3}(,\d{3})+")  # digits by threes
_MOST = 1e9  # minutes, GB: more than anybody has


class AddCommand(Protocol):
    """Adds a command to the command line; returns its parser, which is still without flags."""

    def __call__(
        self, name: str, run: Callable[[argparse.Namespace], None], what: str, example: str
    ) -> argparse.ArgumentParser: ...


def count(text: str) -> int:
    """A number of things, at least 1; ``10,000`` as results write it, too."""
    return _whole(text.replace(",", "") if _GROUPED.fullmatch(text) else text, 1, None)


def chips(text: str) -> int:
    """A number of chips, at least 1."""
    return _whole(text, 1, None, "whole number of chips")


def count_from_0(text: str) -> int:
    """A number of things, perhaps none."""
    return _whole(text, 0, None)


def flops(text: str) -> int | None:
    """A number of flops to draw, at least 2; None for all."""
    if text == "all":
        return None
    if not text.isdecimal() or int(text) < 2:
        raise argparse.ArgumentTypeError(f"{text!r}; expected all, or a number of at least 2")
    return int(text)


def seed(text: str) -> int:
    """A seed of random numbers, from 0 on, that files can keep."""
    found = _whole(text, 0, None)
    if found >= 2**63:
        raise argparse.ArgumentTypeError(f"{text!r}; expected less than 2^63")
    return found


def threads(text: str) -> int:
    """A number of threads or processes."""
    return _whole(text, 1, MOST_THREADS)


def port(text: str) -> int:
    """A port to connect to."""
    return _whole(text, 1, 65535, "port")


def port_or_free(text: str) -> int:
    """A port to listen on; 0 for any that is free."""
    return _whole(text, 0, 65535, "number")


def amount(text: str) -> float:
    """A number above 0, and of a size that anything has."""
    number = _number(text)
    if not 0 < number <= _MOST:
        raise argparse.ArgumentTypeError(f"{text!r}; expected a number above 0, and at most {_MOST:g}")
    return number


def share(text: str) -> float:
    """A share from 0 to 1."""
    number = _number(text)
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text!r}; expected a share from 0 to 1")
    return number


def add_file(command: argparse.ArgumentParser) -> None:
    """Add the strategy that a command is about."""
    command.add_argument(
        "file", nargs="?", metavar="FILE", help="strategy file, built-in, or small, the one supplied (default)"
    )


def add_game(command: argparse.ArgumentParser) -> None:
    """Add ``--game`` of built-in strategies, which :func:`game_of` reads."""
    command.add_argument("--game", metavar="GAME", help="of built-ins: bundled game or .game file (default: hulhe)")


def game_of(options: argparse.Namespace, *names: str) -> Game | None:
    """What ``--game`` says of strategies of these names; raises BadInputError where one of them is a file."""
    from cfr.game.rules import Game
    from cfr.strategy.files.bundled import BUILT_INS

    if options.game is None:
        return None
    if any(name not in BUILT_INS for name in names):
        raise BadInputError("--game: a strategy file has its own game; only built-ins take one")
    return Game.find(options.game)


def add_resolve(command: argparse.ArgumentParser, whose: str = "") -> None:
    """Add ``--resolve``; ``whose`` play it is about comes first."""
    command.add_argument(
        "--resolve",
        choices=("off", "river", "turn", "flop"),
        help=f"{whose}re-solve from this round on, without buckets; FILE+turn asks for the same (default: off)",
    )


def add_river_rows(command: argparse._ActionsContainer, default: str | None = None) -> None:
    """Add ``--river-rows`` of re-solves; ``default`` is the value where the user does not say it."""
    what = (
        "a row of the last round is a hand, or a strength: several times faster, exact to some tenths of a percent of "
        "the pot (default: strength where rivers follow and the deck has 40 cards or more)"
    )
    command.add_argument("--river-rows", choices=("strength", "hands"), default=default, help=what)


def add_spot(command: argparse.ArgumentParser) -> None:
    """Add ``--board`` and ``--line``."""
    command.add_argument("--board", default="", metavar="CARDS", help="board cards so far, such as Td9d6h")
    command.add_argument(
        "--line",
        default="",
        metavar="ACTIONS",
        help="actions so far: f, c, r and /, such as rc/cr, or words: raise call check",
    )


def add_card_seed(command: argparse.ArgumentParser, what: str = "of cards and actions") -> None:
    """Add ``--seed`` of what is random unless it is given."""
    command.add_argument("--seed", type=seed, metavar="S", help=f"{what} (default: the system's randomness)")


def add_progress(command: argparse.ArgumentParser) -> None:
    """Add ``--progress``, which :func:`wants_progress` reads."""
    command.add_argument("--progress", action="store_true", help="show bars even if stderr is not a terminal")


def add_ray(command: argparse.ArgumentParser, when: str = "") -> None:
    """Add ``--ray``, which :func:`workers` reads; ``when`` begins its help."""
    what = (
        f"{when}on a Ray cluster: auto, host:port or ray://host:port, or without ADDRESS on this machine; the same "
        "result; needs Ray (docs/cluster.md)"
    )
    command.add_argument("--ray", nargs="?", const="", type=_ray_address, metavar="ADDRESS", help=what)


def workers(options: argparse.Namespace, count: int | None) -> Workers:
    """The workers: a Ray cluster if :func:`add_ray` says so, else ``count`` threads.

    Raises:
        CfrError: Ray is not installed, or there is no cluster.
    """
    if options.ray is None:
        from cfr.system.cluster.workers import Threads

        return Threads(count or 1)
    from cfr.system.cluster.cluster import Cluster

    return Cluster(options.ray or None, count)


def add_json(command: argparse.ArgumentParser) -> None:
    """Add ``--json``, which :func:`show` reads."""
    command.add_argument("--json", action="store_true", help="print the result as JSON")


def open_strategy(options: argparse.Namespace) -> BaseStrategy:
    """The strategy of :func:`add_file`, re-solved where :func:`add_resolve` says so."""
    from cfr.resolving.named_strategy import open_or_default

    return with_solve_bar(open_or_default(options.file, options.resolve))


def with_solve_bar(strategy: T) -> T:
    """The strategy; at a terminal it shows a bar on stderr while it re-solves a round."""
    if sys.stderr.isatty() and getattr(strategy, "re_solved_from", None) is not None:
        from cfr.game.words import ROUND_NAMES
        from cfr.system.work_bar import ShareBar

        whole = cast("BaseStrategy", strategy)
        for each in (whole, whole.trunk):  # a trunk's own, if it solves flops, comes last
            if each.re_solved_from is not None:
                each.hears = ShareBar(f"solving the {ROUND_NAMES[each.re_solved_from]}")
    return strategy


def wants_progress(options: argparse.Namespace) -> bool:
    """Whether to show bars on stderr."""
    return bool(options.progress) or sys.stderr.isatty()


def wants_colour(choice: str = "auto") -> bool:
    """Whether to print in colours: ``always``, ``never``, or ``auto`` by the terminal."""
    if choice == "auto":
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return choice == "always"


def show(options: argparse.Namespace, value: Any, text: str) -> None:
    """Print a result: ``value`` as JSON if that is asked for, else ``text``."""
    if not options.json:
        print(text)
        return
    print(json.dumps(_for_json(value)))


@contextmanager
def says_refusals() -> Iterator[None]:
    """Say why a command would not begin, as things are: a forecast is none the worse for it."""
    try:
        yield
    except CfrError as error:
        print(f"cfr: as things are, this would not begin: {in_one_line(error)}", file=sys.stderr)


def _for_json(value: Any) -> Any:
    """A value for JSON, which has no infinity: what is not known is None."""
    if isinstance(value, dict):
        return {key: _for_json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_for_json(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _ray_address(text: str) -> str:
    if text and not re.fullmatch(r"auto|(ray://)?([^\s:/]+|\[[\da-fA-F:]+\]):\d{1,5}", text):
        raise argparse.ArgumentTypeError(f"{text!r}; expected auto, host:port or ray://host:port, or --ray at the end")
    return text


def _whole(text: str, least: int, most: int | None, what: str = "whole number") -> int:
    if not (text.isascii() and text.isdecimal() and least <= int(text) and (most is None or int(text) <= most)):
        limits = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise argparse.ArgumentTypeError(f"{text!r}; expected a {what} {limits}")
    return int(text)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
