"""What hands win at a spot: worked out beside the event loop, one spot at a time, and remembered.

A flop spot takes seconds. The worker is a thread of lower priority whose kernel runs without Python's lock, so nobody
who asks for frequencies or plays waits for it. Suit-isomorphic spots are one: its values are permuted.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting_round import ACTIONS
from cfr.game.cards import format_cards
from cfr.game.words import ACTION_NAMES
from cfr.strategy.hand_table import HandTable
from cfr.strategy.strategy import BaseStrategy
from cfr.study.reviews.contradiction import contradicted, why
from cfr.system.errors import BadInputError
from cfr.system.progress import Progress
from cfr.values.canonical_spot import CanonicalSpot, canonical_spot
from cfr.values.expected_values import SpotValues, values_at, why_unvalued
from cfr.web.server.answers import Answers
from cfr.web.server.endpoints import number, numbers, to_json

_CACHED_SPOTS = 256  # 100 kB each


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


class Valuer:
    """Works out the values of one strategy's spots; remembers the last few hundred.

    Args:
        strategy: a file or a built-in, with the 1,326 hands of hold'em.
        waiting: how many spots may be unanswered at a time.
    """

    def __init__(self, strategy: BaseStrategy, waiting: int) -> None:
        self._strategy = strategy
        self._answers = Answers[CanonicalSpot, SpotValues]("values", waiting, _CACHED_SPOTS)

    def find(self, board: str, line: str) -> Spot:
        """The spot, checked; some milliseconds.

        Raises:
            MalformedTextError, IllegalActionError, BadInputError: as
                :func:`cfr.expected_values`.
        """
        state, cards = self._strategy.spot(board, line)
        if reason := why_unvalued(self._strategy, state):
            raise BadInputError(reason)
        return Spot(cards, *canonical_spot(self._strategy, state, cards))

    async def values(self, spot: Spot, gone: Callable[[], Awaitable[bool]]) -> SpotValues | None:
        """The values at the spot, to the last bit those of :func:`cfr.expected_values`; None if they take longer.

        Args:
            spot: as :meth:`find` gives it.
            gone: whether who asks has left.

        Raises:
            BusyError: too many spots wait.
            DamagedFileError: the strategy cannot be read.
        """
        found = await self._answers.find(spot.canonical, self._work(spot), gone)
        return None if found is None else found.renumbered(spot.images)

    def done(self, spot: Spot) -> float:
        """The share of the work on a spot's values that is done, 0 to 1."""
        return self._answers.done(spot.canonical)

    def _work(self, spot: Spot) -> Callable[[Progress], SpotValues]:
        return lambda hears: values_at(self._strategy, spot.canonical, progress=hears)

    def answer(self, spot: Spot, found: SpotValues) -> bytes:
        """The values as JSON, see ``docs/web.md``; what is unreached or illegal is null."""
        line, names = spot.canonical.state.line_string, self._strategy.game.seat_names
        value = {"board": format_cards(spot.board), "line": line, "seat": names[found.seat], **shown(found)}
        value["contradicted"] = contradicted(found).tolist()
        value["why"] = why(self._strategy, spot.canonical.state)
        return to_json(value).encode()

    def close(self) -> None:
        """Begin nothing more; what was begun ends on its own, or with the process."""
        self._answers.close()


def shown(found: SpotValues) -> dict[str, Any]:
    """The numbers of a spot's values for JSON."""
    return {
        "stake": found.stake,
        "stand_in": found.stand_in,
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
