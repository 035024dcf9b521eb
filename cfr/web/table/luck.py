"""Results without luck: AIVAT adjusts people's finished hands in a process of its own, so that no action waits.

Of the two players only the bot's strategy is known, so the terms are those of the cards and of the bot's actions; they
have mean zero whoever plays (:mod:`cfr.play.aivat`). The bot's hand is replaced by all that it could have held: the
process is given nothing but what the person has seen, and its numbers cannot tell more.
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from cfr.game.betting import BettingTree
from cfr.game.cards import format_cards
from cfr.web.store.group_commit import Together
from cfr.web.store.records import Hand
from cfr.web.store.sessions import Sessions

_PROCESS = "cfr.web.table.luck_process"
_AGAIN = 5.0  # seconds until what could not be kept is tried again
_AT_A_TIME = 16  # hands, a fifth of a second
_LULL = 0.02  # seconds by which the event loop may be late where nobody waits for it
_LOOK_EVERY = 0.05  # seconds
_MAX_LOOKS = 100  # then the hands have waited long enough


class Adjuster:
    """Works out the luck of finished hands, one process for all sessions.

    Args:
        source: the bot's strategy, a file or built-in.
        bot: its name; hands against others wait until they are back.
        betting: the game's lines.
    """

    def __init__(self, source: str, bot: str, betting: BettingTree) -> None:
        self._source, self._bot, self._betting = source, bot, betting
        self._finished = asyncio.Event()

    def wake(self) -> None:
        """A hand was finished."""
        self._finished.set()

    @asynccontextmanager
    async def running(self, sessions: Sessions, together: Together) -> AsyncIterator[None]:
        """Work in the background; hands that are not done at the end are, at the next beginning."""
        task = asyncio.create_task(self._run(sessions, together))
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _run(self, sessions: Sessions, together: Together) -> None:
        self._finished.set()  # an earlier server may have left some
        process = None
        try:
            while True:
                await self._finished.wait()
                self._finished.clear()
                while hands := sessions.waiting(self._bot, _AT_A_TIME):
                    process = process or await self._start()
                    await _lull()
                    found = await _ask(process, [request(hand, self._betting) for _, hand in hands])
                    if found is None:
                        print("luck-adjusted results stop until the next start: their process ended", file=sys.stderr)
                        return
                    numbers = [(session, hand.number) for session, hand in hands]
                    try:
                        async with together:
                            sessions.adjust((*each, chips) for each, chips in zip(numbers, found, strict=True))
                    except sqlite3.Error as error:  # such as a file that another process keeps locked
                        print(f"luck-adjusted results wait: {error}", file=sys.stderr)
                        await asyncio.sleep(_AGAIN)
        finally:
            if process:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()

    async def _start(self) -> Process:
        command = (sys.executable, "-m", _PROCESS, self._source)
        return await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)


async def _lull() -> None:
    """Wait while a crowd plays: on two cores they and their luck get in each other's way."""
    loop = asyncio.get_running_loop()
    for _ in range(_MAX_LOOKS):
        due = loop.time() + _LOOK_EVERY
        await asyncio.sleep(_LOOK_EVERY)
        if loop.time() - due < _LULL:
            break


async def _ask(process: Process, requests: Sequence[str]) -> list[float] | None:
    """The answer to each; None where the process has ended."""
    assert process.stdin
    assert process.stdout
    try:
        process.stdin.write("".join(requests).encode())
        await process.stdin.drain()
        return [float(await process.stdout.readline()) for _ in requests]
    except (ValueError, ConnectionError):
        return None


def request(hand: Hand, betting: BettingTree) -> str:
    """A line for the process: the person's seat, cards, board, betting and chips; nothing that was not shown."""
    board = hand.deal.board[: betting.parse(hand.line).num_board_cards]
    cards = format_cards(hand.deal.hands[hand.seat])
    return f"{hand.seat},{cards},{format_cards(board)},{hand.line},{hand.chips}\n"
