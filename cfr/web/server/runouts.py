"""Runouts: how often the seat that is to act bets on each next card, and what the card is worth to it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from starlette.responses import Response

from cfr.game.betting import State
from cfr.game.betting_round import ACTIONS
from cfr.game.cards import format_cards, parse_cards
from cfr.strategy.position import Position
from cfr.strategy.positions import Positions
from cfr.strategy.strategy import BaseStrategy
from cfr.study.grid import grid
from cfr.system.errors import BadInputError
from cfr.values.canonical_spot import CanonicalSpot, canonical_spot
from cfr.values.expected_values import values_of
from cfr.web.server.endpoints import json_response, number, to_json
from cfr.web.server.worker import Worker

_KEPT = 32
_LEFT_AFTER = 5.0  # seconds after which who has not asked again has moved on
_RAISE = ACTIONS.index("r")


@dataclass
class CardMap:
    """The cards that may follow a line, as far as they are worked out.

    Attributes:
        strategy: whose play.
        state: the betting so far, with a card to come.
        board: card codes before it.
        cards: the codes that it may have.
        asked: when somebody asked last.
        found: by card, its name, and ``bet`` and ``ev`` as soon as they are there.
    """

    strategy: BaseStrategy
    state: State
    board: tuple[int, ...]
    cards: list[int]
    asked: float = field(default_factory=time.monotonic)
    is_running: bool = False
    found: dict[int, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, strategy: BaseStrategy, board: str, line: str) -> CardMap:
        """An empty map; arguments and errors as :meth:`Runouts.answer`."""
        codes = parse_cards(board)
        left = [code for code in strategy.game.deck.tolist() if code not in codes]
        state, on_board = strategy.spot(format_cards([*codes, left[0]]), line)
        if not line.endswith("/") or len(codes) < 3:
            raise BadInputError(f"line {line!r}: no card follows; expected the end of a flop or turn round")
        return cls(strategy, state, on_board[:-1], left)

    @property
    def done(self) -> float:
        """The share of the work that is done; 1 of a whole map."""
        return sum(len(each) - 1 for each in list(self.found.values())) / (2 * len(self.cards))

    def steps(self) -> Iterator[bool]:
        """Work out what is missing, True after each number: first how often all cards are bet, then their EVs.

        Cards that suits alone tell apart are one.
        """
        positions, alike = Positions(self.strategy), dict[CanonicalSpot, list[int]]()
        for card in self.cards:
            alike.setdefault(canonical_spot(self.strategy, self.state, (*self.board, card))[0], []).append(card)
        for name, what in (("bet", _bet), ("ev", _ev)):
            for spot, cards in alike.items():
                if name in self.found.get(cards[0], {}):
                    continue
                value = what(positions.at(spot.state, spot.board))
                for card in cards:
                    self.found[card] = self.found.get(card, {"card": format_cards([card])}) | {name: value}
                yield True


class Runouts:
    """Works maps of the next card out, one number after the other while somebody asks; remembers the last few."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._known: dict[tuple[str, str, str], CardMap] = {}  # the latest asked last

    def answer(self, name: str, strategy: BaseStrategy, board: str, line: str) -> Response:
        """The map, with status 202 while it is not whole; who gets a part of it asks again.

        Args:
            name: of the strategy or of the solve.
            strategy: whose play is mapped.
            board: the cards before the one to come.
            line: the actions, up to the end of a round, such as ``rc/crc/cc/``.

        Raises:
            CfrError: a line that no card follows, or a spot that was not solved.
        """
        board = format_cards(parse_cards(board))
        place = (name, board, line)
        found = self._known.pop(place, None) or CardMap.of(strategy, board, line)
        found.asked = time.monotonic()
        self._known[place] = found
        if len(self._known) > _KEPT:
            del self._known[next(iter(self._known))]
        done = found.done
        if done < 1 and not found.is_running:
            found.is_running = True
            steps = found.steps()
            self._worker.put(lambda: self._go_on(found, steps))
        cards = [{"ev": None} | each for each in list(found.found.values())]
        seat = strategy.game.seat_names[found.state.actor]
        shown = {"board": board, "line": line, "seat": seat, "cards": cards, "working": done < 1, "done": done}
        return json_response(to_json(shown), 202 if done < 1 else 200)

    def _go_on(self, each: CardMap, steps: Iterator[bool]) -> None:
        """Work out one number, then let the other maps have their turn."""
        try:
            goes_on = time.monotonic() - each.asked <= _LEFT_AFTER and next(steps, False)
        except BaseException:
            each.is_running = False  # who asks again begins again
            raise
        if goes_on:
            self._worker.put(lambda: self._go_on(each, steps))
        else:
            each.is_running = False


def _bet(position: Position[BaseStrategy]) -> float | None:
    """How often the seat to act bets; None where no hand gets there."""
    chart = grid(position.range())
    return float(chart.total[_RAISE]) if chart.combos else None


def _ev(position: Position[BaseStrategy]) -> float | None:
    """What the seat to act wins, in mbb; None where that is unknown, as on rivers that a large flop leaves out."""
    try:
        return number(values_of(position).mean_ev)
    except BadInputError:
        return None
