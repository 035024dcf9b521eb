"""Matches between players by name, on several processes.

A process opens the players itself and plays a share of the hands at a time; the shares are put together in order. So
the result is the same at any number of processes, as long as players keep nothing from one hand to the next.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, nullcontext
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from tqdm import tqdm

from cfr.formats.logs import HandLog
from cfr.hands.showdown_margins import Margins
from cfr.play.aivat import Aivat
from cfr.play.named_players import is_port, make_players
from cfr.play.players import StrategyPlayer, known_strategy
from cfr.play.table import HANDS_AT_A_TIME, MatchResult, Played, Share, Table, check_hands, chosen_seed, collect, shares
from cfr.system.errors import CfrError, Interrupted, UnknownSpotError

AIVAT_FROM = 1000
LONG = 20_000  # hands: worth the seconds until all flops and turns are in memory
_AHEAD = 3  # shares of the hands that are given to each process at a time
_own_table: Table  # of a process


MakeTable = Callable[..., Table]


def play(
    names: tuple[str, str],
    hands: int,
    *,
    seed: int | None = None,
    duplicate: bool = False,
    log: str | Path | None = None,
    resume: bool = False,
    aivat: bool = True,
    imaginary: bool = False,
    processes: int = 1,
    progress: bool = False,
) -> MatchResult:
    """Play a match; seats alternate.

    Args:
        names: the players, as :func:`cfr.play.players.make_players` takes them; the result is the first's.
        hands: how many; with ``duplicate`` an even number.
        seed: of cards and actions; None takes the operating system's randomness.
        duplicate: play every deal twice, seats exchanged.
        log: write the hands there, in the format of its suffix (:mod:`cfr.formats.logs`).
        resume: go on with the ``log`` of an interrupted match of the same players and ``seed``; the result is that of
            a match without the interruption.
        aivat: take luck out of the result, too, if a player's strategy is known and there are at least
            :data:`AIVAT_FROM` hands; fewer are not worth the seconds that it takes to begin.
        imaginary: average over all hands that a player could have held (:class:`cfr.play.aivat.Aivat`).
        processes: how many play; the result does not depend on it.
        progress: show a bar on stderr.

    Raises:
        CfrError: hands, players or a log that cannot be, or a player's mistake, in one line.
        OSError: a file that cannot be opened or written, or a player at a port that does not come, goes away or is
            late.
        Interrupted: Ctrl-C; the log then holds the hands that are done.
    """
    check_hands(hands, duplicate)
    if processes > 1 and any(map(is_port, names)):
        raise UnknownSpotError(f"processes: {processes}; a match with a player at a port is played by 1")
    if resume:
        _check_resumable(names, seed, log)
    processes = min(processes, -(-hands // HANDS_AT_A_TIME))
    make_table = partial(
        _make_table, names, chosen_seed(seed), duplicate, hands >= LONG, aivat and hands >= AIVAT_FROM, imaginary
    )
    # This one is first: it says what is wrong with the players, and leaves tables in the cache for the others.
    table = make_table(processes)
    with (
        nullcontext() if log is None else HandLog(log, table.betting.game, names, hands=hands, resume=resume) as writer,
        table,
        tqdm(desc="match", total=hands, unit="hands", disable=not progress, mininterval=0.5) as bar,
    ):
        waiting = shares(hands, () if writer is None else writer.lines)
        done = 0

        def advance(count: int) -> None:
            nonlocal done
            done += count
            bar.update(count)

        try:
            with closing(
                _alone(table, waiting) if processes == 1 else _together(make_table, waiting, processes)
            ) as played:
                return collect(table.betting, played, hands, duplicate=duplicate, log=writer, progress=advance)
        except KeyboardInterrupt:
            raise Interrupted(f"stopped after {done:,} of {hands:,} hands") from None


def _check_resumable(names: tuple[str, str], seed: int | None, log: str | Path | None) -> None:
    if seed is None or log is None:
        raise UnknownSpotError("a match is resumed from its log and by its seed; name both")
    if any(map(is_port, names)):
        raise UnknownSpotError("a match with a player at a port is not resumed: that program has not seen its hands")


def _make_table(
    names: tuple[str, str],
    seed: int,
    duplicate: bool,
    long: bool,
    aivat: bool,
    imaginary: bool,
    threads: int = 1,
) -> Table:
    game, players = make_players(names)
    known = [player.strategy for player in players if isinstance(player, StrategyPlayer)]
    if long:
        for strategy in known:
            strategy.hold_rows(threads)
    adjust = None
    if aivat and any(known_strategy(player, game) is not None for player in players):
        adjust = Aivat(game, players, imaginary=imaginary, margins=Margins(game, threads=threads))
    return Table(game, players, seed, duplicate=duplicate, adjust=adjust)


def _alone(table: Table, waiting: Iterator[Share]) -> Generator[list[Played], None, None]:
    """The shares, one after another."""
    yield from map(table.play_some, waiting)


def _together(make_table: MakeTable, waiting: Iterator[Share], processes: int) -> Generator[list[Played], None, None]:
    """The shares in order, played by several processes."""
    # Spawned, not forked: open files and the threads of the native modules do not survive a fork.
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _begin, (make_table,))
    running: deque[Future[list[Played]]] = deque()
    ahead = _AHEAD * processes
    try:
        while True:
            # The first hands start the processes, which inherit that Ctrl-C and SIGTERM wait: they may get them, too.
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
            try:
                running.extend(pool.submit(_play, share) for share in islice(waiting, ahead - len(running)))
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
            if not running:
                return
            yield running.popleft().result()
    except BrokenProcessPool:
        raise CfrError("a process of the match came to an end before its hands did") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(make_table: MakeTable) -> None:
    global _own_table  # noqa: PLW0603
    _own_table = make_table()


def _play(share: Share) -> list[Played]:
    return _own_table.play_some(share)
