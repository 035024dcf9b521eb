"""What hands win at a spot: worked out beside the event loop, one spot at a time, and remembered.

A flop spot takes seconds. The worker is a thread of lower priority whose kernel runs without Python's lock, so nobody
who asks for frequencies or plays waits for it. Suit-isomorphic spots are one: its values are permuted.
"""

from __future__ import annotations

import asyncio
import math
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import ACTIONS
from cfr.game.cards import format_cards
from cfr.game.words import ACTION_NAMES, seat_name
from cfr.strategy.hand_table import HandTable
from cfr.strategy.strategy import Floats, Spots
from cfr.study.contradiction import contradicted, why
from cfr.subgame.canonical_spot import CanonicalSpot, canonical_spot
from cfr.subgame.values import SpotValues, has_values, values_at
from cfr.system.errors import UnknownSpotError
from cfr.web.endpoints import to_json
from cfr.web.worker import BusyError, Worker

_CACHED_SPOTS = 256  # 100 kB each
_PATIENCE = 0.5  # seconds that a question waits for its values; a server that is stopped waits for it, too
_LEFT_AFTER = 5.0  # seconds after which who has not asked again has moved on


@dataclass(frozen=True)
class Spot:
    """A spot that has values, and how its hands are numbered on the canonical board.

    Attributes:
        board: card codes, as asked for.
        canonical: the spot that stands for all isomorphic ones.
        images: ``(H,)`` which hand each hand becomes there.
    """

    board: tuple[int, ...]
    canonical: CanonicalSpot
    images: NDArray[np.intp]


@dataclass
class _Work:
    """A spot that is being worked out, or waits for it, and when somebody asked for it last."""

    asked: float
    task: asyncio.Task[SpotValues]


class _LeftError(Exception):
    """Nobody asks for a spot any more."""


class Valuer:
    """Works out the values of one strategy's spots; remembers the last few hundred.

    Args:
        strategy: a file or a built-in, with the 1,326 hands of hold'em.
        waiting: how many spots may be unanswered at a time.
        unreached: give numbers also for hands that do not get to a spot.
    """

    def __init__(self, strategy: Spots, waiting: int, unreached: bool = False) -> None:
        self._strategy, self._waiting, self._unreached = strategy, waiting, unreached
        self._worker = Worker("values")
        self._known: dict[CanonicalSpot, SpotValues] = {}  # the latest asked last
        self._work: dict[CanonicalSpot, _Work] = {}

    def find(self, board: str, line: str) -> Spot:
        """The spot, checked; some milliseconds.

        Raises:
            MalformedTextError, IllegalActionError, UnknownSpotError: as :func:`cfr.subgame.values.expected_values`.
        """
        state, cards = self._strategy.spot(board, line)
        if not has_values(self._strategy, state):
            raise UnknownSpotError(
                "no expected values are stored for before the flop; `cfr exploit FILE --save` stores them"
            )
        return Spot(cards, *canonical_spot(self._strategy, state, cards))

    async def values(self, spot: Spot) -> SpotValues | None:
        """The values at the spot, to the last bit those of :func:`cfr.expected_values`; None if they take longer.

        Then ask again: a spot that nobody asks for any more when its turn comes is not begun. One that was begun is
        finished and remembered.

        Raises:
            BusyError: too many spots wait.
            DamagedFileError: the strategy cannot be read.
        """
        place = spot.canonical
        found = self._known.pop(place, None)
        if found is None:
            task = self._ask(place)
            await asyncio.wait([task], timeout=_PATIENCE)
            if not task.done() or isinstance(task.exception(), _LeftError):
                return None
            found = task.result()
        else:
            self._known[place] = found
        return found.renumbered(spot.images)

    def begin(self, spot: Spot) -> None:
        """Work out the values before they are asked for, unless too many spots wait."""
        if spot.canonical not in self._known:
            with suppress(BusyError):
                self._ask(spot.canonical)

    def _ask(self, place: CanonicalSpot) -> asyncio.Task[SpotValues]:
        now = time.monotonic()
        if work := self._work.get(place):
            work.asked = now
            return work.task
        if sum(now - each.asked < _LEFT_AFTER for each in self._work.values()) >= self._waiting:
            raise BusyError
        task = asyncio.create_task(self._work_out(place))
        task.add_done_callback(lambda task: task.cancelled() or task.exception())  # who asked may have left
        self._work[place] = _Work(now, task)
        return task

    async def _work_out(self, place: CanonicalSpot) -> SpotValues:
        work = self._work[place]

        def begin() -> SpotValues:
            if time.monotonic() - work.asked > _LEFT_AFTER:
                raise _LeftError
            return values_at(self._strategy, place, unreached=self._unreached)

        try:
            found = await self._worker.run(begin)
        finally:
            del self._work[place]
        self._known[place] = found
        if len(self._known) > _CACHED_SPOTS:
            del self._known[next(iter(self._known))]
        return found

    def answer(self, spot: Spot, found: SpotValues) -> bytes:
        """The values as JSON, see ``docs/web.md``; what is unreached or illegal is null."""
        line, first = spot.canonical.state.line_string, self._strategy.game.first_players[0]
        value = {"board": format_cards(spot.board), "line": line, "seat": seat_name(found.seat, first), **shown(found)}
        value["contradicted"] = contradicted(found).tolist()
        value["why"] = why(self._strategy, spot.canonical.state)
        return to_json(value).encode()

    def close(self) -> None:
        """Begin nothing more; what was begun ends on its own, or with the process."""
        self._worker.close()


def shown(found: SpotValues) -> dict[str, Any]:
    """The numbers of a spot's values for JSON."""
    return {
        "stake": found.stake,
        "ev": number(found.mean_ev),
        "equity": number(found.mean_equity),
        "classes": _columns(found.by_class()),
        "hands": _columns(found.table()),
    }


def _columns(table: HandTable) -> dict[str, Any]:
    assert table.ev is not None
    assert table.equity is not None
    assert table.action_ev is not None
    legal = [ACTIONS.index(letter) for letter in table.legal]
    return {
        "ev": numbers(table.ev),
        "equity": numbers(table.equity),
        "action_ev": {ACTION_NAMES[n]: numbers(table.action_ev[:, n]) for n in legal},
    }


def numbers(values: Floats) -> list[float | None]:
    """For JSON: null where there is none."""
    return [number(value) for value in values.tolist()]


def number(value: float) -> float | None:
    """For JSON: null where there is none."""
    return None if math.isnan(value) else value
