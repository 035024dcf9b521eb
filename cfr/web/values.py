"""What hands win at a spot: worked out beside the event loop, one spot at a time, and remembered.

A flop spot takes seconds. The worker is a thread of lower priority whose kernel runs without Python's lock, so nobody
who asks for frequencies or plays waits for it. Suit-isomorphic spots are one: its values are permuted.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.betting import ACTION_NAMES, ACTIONS
from cfr.cards import format_cards
from cfr.errors import UnknownSpotError
from cfr.ev import SpotValues, canonical_board, expected_values, has_values
from cfr.handtable import HandTable
from cfr.players import seat_name
from cfr.strategy import Floats, Spots

_CACHED_SPOTS = 256  # 100 kB each
_NICENESS = 5  # below those who wait for an answer


@dataclass(frozen=True)
class Spot:
    """A spot that has values, and how its hands are numbered on the canonical board.

    Attributes:
        board, line: as asked for, as plain text.
        canonical: the board that stands for all isomorphic ones.
        images: ``(H,)`` which hand each hand becomes there.
    """

    board: str
    line: str
    canonical: str
    images: NDArray[np.intp]


@dataclass
class _Work:
    """A spot that is being worked out, or waits for it, and how many visitors wait."""

    task: asyncio.Task[SpotValues]
    visitors: int = 0
    started: bool = False


class BusyError(Exception):
    """Too many spots wait."""


class Valuer:
    """Works out the values of one strategy's spots; remembers the last few hundred.

    Args:
        strategy: a file or a built-in, with the 1,326 hands of hold'em.
        waiting: how many spots may be unanswered at a time.
    """

    def __init__(self, strategy: Spots, waiting: int) -> None:
        self._strategy, self._waiting = strategy, waiting
        self._worker = ThreadPoolExecutor(1, "values", _step_back)
        self._known: dict[tuple[str, str], SpotValues] = {}  # the latest asked last
        self._work: dict[tuple[str, str], _Work] = {}

    def find(self, board: str, line: str) -> Spot:
        """The spot, checked; some milliseconds.

        Raises:
            MalformedTextError, IllegalActionError, UnknownSpotError: as :func:`cfr.ev.expected_values`.
        """
        state, cards = self._strategy.spot(board, line)
        if not has_values(self._strategy, state):
            raise UnknownSpotError(
                "no expected values are stored for before the flop; `cfr exploit FILE --save` stores them"
            )
        canonical, images = canonical_board(self._strategy.game, state.round, cards)
        return Spot(format_cards(cards), state.line_string, format_cards(canonical), images)

    async def values(self, spot: Spot) -> SpotValues:
        """The values at the spot, to the last bit those of :func:`cfr.ev.expected_values`.

        Where nobody waits for a spot any more it is not begun; one that was begun is finished and remembered.

        Raises:
            BusyError: too many spots wait.
            DamagedFileError: the strategy cannot be read.
        """
        place = (spot.canonical, spot.line)
        found = self._known.pop(place, None)
        if found is not None:
            self._known[place] = found
        else:
            found = await self._ask(place)
        images = spot.images
        return replace(
            found,
            reach=found.reach[images],
            frequencies=found.frequencies[images],
            weight=found.weight[images],
            ev=found.ev[images],
            action_ev=found.action_ev[images],
            equity=found.equity[images],
        )

    async def _ask(self, place: tuple[str, str]) -> SpotValues:
        work = self._work.get(place)
        if work is None:
            if len(self._work) >= self._waiting:
                raise BusyError
            work = self._work[place] = _Work(asyncio.create_task(self._work_out(place)))
            work.task.add_done_callback(lambda task: task.cancelled() or task.exception())  # somebody asked for it
        work.visitors += 1
        try:
            return await asyncio.shield(work.task)
        finally:
            work.visitors -= 1
            if not work.visitors and not work.started:
                work.task.cancel()
                self._work.pop(place, None)

    async def _work_out(self, place: tuple[str, str]) -> SpotValues:
        work = self._work[place]

        def begin() -> SpotValues:
            work.started = True
            return expected_values(self._strategy, *place)

        try:
            found = await asyncio.get_running_loop().run_in_executor(self._worker, begin)
        finally:
            if self._work.get(place) is work:
                del self._work[place]
        self._known[place] = found
        if len(self._known) > _CACHED_SPOTS:
            del self._known[next(iter(self._known))]
        return found

    def answer(self, spot: Spot, found: SpotValues) -> bytes:
        """The values as JSON, see ``docs/web.md``; what is unreached or illegal is null."""
        first = self._strategy.game.first_players[0]
        value = {
            "board": spot.board,
            "line": spot.line,
            "seat": seat_name(found.seat, first),
            "stake": found.stake,
            "ev": _number(found.mean_ev),
            "equity": _number(found.mean_equity),
            "classes": _columns(found.by_class()),
            "hands": _columns(found.table()),
        }
        return json.dumps(value, separators=(",", ":")).encode()

    def close(self) -> None:
        """Begin nothing more; what was begun ends on its own."""
        self._worker.shutdown(wait=False, cancel_futures=True)


def _columns(table: HandTable) -> dict[str, Any]:
    assert table.ev is not None
    assert table.equity is not None
    assert table.action_ev is not None
    legal = [ACTIONS.index(letter) for letter in table.legal]
    return {
        "ev": _numbers(table.ev),
        "equity": _numbers(table.equity),
        "action_ev": {ACTION_NAMES[n]: _numbers(table.action_ev[:, n]) for n in legal},
    }


def _numbers(values: Floats) -> list[float | None]:
    return [_number(value) for value in values.tolist()]


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _step_back() -> None:
    """Lower the thread's priority, where threads have one of their own."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), os.getpriority(os.PRIO_PROCESS, 0) + _NICENESS)
