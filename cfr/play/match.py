"""Matches between players, on several processes or machines.

Each process opens the players itself and plays a share of the hands at a time. The match puts the shares together in
order, so the result is the same at any number of processes, as long as players keep nothing from hand to hand.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, nullcontext
from functools import partial
from itertools import chain
from pathlib import Path

from tqdm import tqdm

from cfr.formats.logs import ACPC, HandLog
from cfr.game.rules import Game, NamedGame, game_of
from cfr.hands.showdown_margins import Margins
from cfr.play.aivat import Aivat
from cfr.play.match_result import MatchResult
from cfr.play.named_players import Given, is_file, make_players, name_of, why_alone
from cfr.play.players import known_strategy
from cfr.play.strategy_player import StrategyPlayer
from cfr.play.table import HANDS_AT_A_TIME, Played, Share, Table, check_hands, chosen_seed, collect, shares
from cfr.resolving.named_strategy import MIX, OFF, is_mix, split_mix, split_name
from cfr.strategy.files.bundled import BUILT_INS, located
from cfr.system.checks import check_count, check_path, check_seed, check_whole
from cfr.system.cluster.workers import Processes, Workers, in_order
from cfr.system.cores import usable_cores
from cfr.system.disk.shared_file import SharedFile
from cfr.system.errors import BadInputError, Interrupted
from cfr.system.text import counted

AIVAT_FROM = 1000
MANY = 500  # hands: worth the second until the file's tables are in memory
LONG = 20_000  # hands: worth the seconds until all flops and turns are in memory

MakeTable = Callable[..., Table]


def match(
    first: Given,
    second: Given,
    hands: int = 1000,
    *,
    game: NamedGame | None = None,
    seed: int | None = None,
    duplicate: bool = False,
    log: str | Path | None = None,
    resume: bool = False,
    overwrite: bool = False,
    aivat: bool = True,
    imaginary: bool = False,
    processes: int | Workers = 1,
    progress: bool = False,
) -> MatchResult:
    """Play a match; seats alternate.

    Args:
        first, second: the players, by name or as objects; see :func:`cfr.play.named_players.make_players`. The result
            is the first's.
        hands: how many; with ``duplicate`` an even number.
        game: the rules, or a bundled game's name, or the path of a ``.game`` file; default, that of the players'
            strategies, or full hold'em.
        seed: of cards and actions; None takes the operating system's randomness.
        duplicate: play every deal twice, seats exchanged.
        log: write the hands there, in the format of its suffix (:mod:`cfr.formats.logs`).
        resume: go on with the ``log`` of an interrupted match of the same players and ``seed``; the result is that of
            a match without the interruption. Hands of the log are played again (:meth:`cfr.play.table.Table.play`),
            so that it shows if a strategy has changed.
        overwrite: replace a ``log`` that holds something; without it such a log is refused.
        aivat: take luck out of the result, too, if a player's strategy is known and there are at least
            :data:`AIVAT_FROM` hands; fewer are not worth the seconds that it takes to begin.
        imaginary: average over all hands that a player could have held (:class:`cfr.play.aivat.Aivat`).
        processes: how many play, or a Ray cluster's (:class:`cfr.system.cluster.cluster.Cluster`); the result does not
            depend on it. Players that are objects play in this process.
        progress: show a bar on stderr, from the start: it says what is prepared.

    Raises:
        CfrError: hands, players or a log that cannot be, or a player's mistake, in one line.
        OSError: a file that cannot be opened or written, or a player at a port that does not come, goes away or is
            late.
        Interrupted: Ctrl-C; the log then holds the hands that are done.
    """
    check_whole("hands", hands)
    check_hands(hands, duplicate)
    check_seed(seed)
    rules = None if game is None else game_of(game)
    if log is not None:
        check_path("log", log)
    _check_options(log, resume, overwrite, aivat, imaginary)
    players = first, second
    workers = _workers(processes, players, hands)
    if resume:
        _check_resumable(players, seed, log)
    make_table = partial(
        _make_table, rules, chosen_seed(seed), duplicate, hands, aivat and hands >= AIVAT_FROM, imaginary
    )
    names = name_of(first), name_of(second)
    named = [each for each in players if isinstance(each, str)]  # both, where other processes play
    title = "match" if workers is None else f"match{workers.where}"
    done = 0
    try:
        begins = f"{title}, opening the players"
        with tqdm(desc=begins, total=hands, unit="hands", disable=not progress, mininterval=0.5, leave=False) as bar:

            def say(what: str) -> None:
                bar.set_description(f"{title}, {what}")

            def advance(count: int) -> None:
                nonlocal done
                if not done:
                    bar.set_description(title, refresh=False)
                    bar.leave = True  # a match that ends before its first hands leaves no bar
                done += count
                bar.update(count)

            # This one is first: it says what is wrong with the players, and leaves tables in the cache for the others.
            table = make_table(players, processes if isinstance(processes, int) else usable_cores(), say)
            say("playing the first hands" if workers is None else "opening the players in each process")
            bar.unpause()
            with (
                nullcontext()
                if log is None
                else HandLog(log, table.betting.game, names, hands=hands, resume=resume) as writer,
                table,
            ):
                waiting = shares(hands, () if writer is None else writer.lines)
                with closing(_play(table, partial(_Seating, make_table, named), waiting, workers)) as played:
                    return collect(table.betting, played, hands, duplicate=duplicate, log=writer, progress=advance)
    except KeyboardInterrupt:
        raise Interrupted(f"stopped after {done:,} of {counted(hands, 'hand')}") from None


def _workers(processes: int | Workers, players: Sequence[Given], hands: int) -> Workers | None:
    """Who plays; None for this process."""
    said = f"processes: {processes}" if isinstance(processes, int) else "ray"
    if not isinstance(processes, Workers):
        check_count("processes", processes)
    alone = next(filter(None, map(why_alone, players)), "")
    if processes != 1 and alone:
        raise BadInputError(f"{said}; a match with {alone} is played by 1")
    objects = [name_of(each) for each in players if not isinstance(each, str)]
    if processes != 1 and objects:
        raise BadInputError(f"{said}; a match of an object ({objects[0]}) is played by 1, one of module:Class by any")
    if not isinstance(processes, int):
        return processes
    count = min(processes, -(-hands // HANDS_AT_A_TIME))
    return None if count == 1 else Processes(count)


def _check_options(log: str | Path | None, resume: bool, overwrite: bool, aivat: bool, imaginary: bool) -> None:
    """Raise BadInputError for options that mean nothing together, and for a log that would be lost."""
    if imaginary and not aivat:
        why = "imaginary hands are AIVAT's, and it is off"
        raise BadInputError(f"{why}; leave out one of imaginary=True, aivat=False")
    if overwrite and resume:
        raise BadInputError("a log is resumed or overwritten, not both; leave out resume=True or overwrite=True")
    if overwrite and log is None:
        raise BadInputError("there is no log to overwrite; add log=FILE, or leave out overwrite=True")
    if log is not None and not (resume or overwrite) and Path(log).is_file() and Path(log).stat().st_size:
        resumed = "resume=True, " * (Path(log).suffix.lower() in ACPC)
        raise BadInputError(f"{log}: hands are there already; say {resumed}overwrite=True or another file")


def _check_resumable(players: tuple[Given, Given], seed: int | None, log: str | Path | None) -> None:
    if seed is None or log is None:
        raise BadInputError("a match is resumed from its log and by its seed; name both")
    if alone := next(filter(None, map(why_alone, players)), ""):
        raise BadInputError(f"a match with {alone} is not resumed: that player has not seen its hands")


def _make_table(
    game: Game | None,
    seed: int,
    duplicate: bool,
    hands: int,
    aivat: bool,
    imaginary: bool,
    given: tuple[Given, Given],
    threads: int = 1,
    say: Callable[[str], object] = lambda _: None,
) -> Table:
    """The table of a match; ``say`` hears what is prepared."""
    game, players = make_players(given, game)
    known = [player.strategy for player in players if isinstance(player, StrategyPlayer)]
    if hands >= MANY:
        say("reading tables")
        for strategy in known:
            strategy.hold_tables()
    if hands >= LONG:
        say("placing hands on all flops and turns")  # read from the cache, or made in seconds
        for strategy in known:
            strategy.hold_rows(threads)
    adjust = None
    if aivat and any(known_strategy(player, game) is not None for player in players):
        adjust = Aivat(game, players, imaginary=imaginary, margins=Margins(game, threads=threads))
    return Table(game, players, seed, duplicate=duplicate, adjust=adjust)


def _play(
    table: Table, seating: Callable[[], _Seating], waiting: Iterator[Share], workers: Workers | None
) -> Generator[list[Played], None, None]:
    """The shares in order, one after another at the table, or by workers at tables of their own."""
    if workers is None:
        yield from map(table.play_some, waiting)
    else:
        with closing(workers.run(seating(), waiting)) as results:
            yield from in_order(results)


class _Seating:
    """Begins the work of a process: opens the players, and gives what plays a share of the hands.

    Args:
        make_table: the match.
        names: of the players.
    """

    def __init__(self, make_table: MakeTable, names: Sequence[str]) -> None:
        self._names = [_pieces(name) if is_file(name) else [name] for name in names]
        self._make_table = make_table

    def __call__(self) -> Callable[[Share], list[Played]]:
        first, second = ("".join(os.fspath(each) for each in pieces) for pieces in self._names)
        return self._make_table((first, second)).play_some


def _pieces(name: str) -> list[str | SharedFile]:
    """A player's name, cut where it names files."""
    if is_mix(name):
        parts = [[*_pieces(part), f"@{share!r}", ","] for part, share in split_mix(name)]
        return [MIX, *chain.from_iterable(parts)][:-1]
    base, resolve = split_name(name)
    return [base if base in BUILT_INS else SharedFile(located(base)), "" if resolve == OFF else f"+{resolve}"]
