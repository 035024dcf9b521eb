"""Runouts: what each next card is worth to the seat that is to act on it, and how often that seat bets."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from cfr.game.cards import format_cards, parse_cards
from cfr.strategy.strategy import Spots
from cfr.system.errors import UnknownSpotError
from cfr.web.server.endpoints import to_json
from cfr.web.server.worker import Worker
from cfr.web.spots.exact import ExactSpots

_KEPT = 32
_LEFT_AFTER = 5.0  # seconds after which who has not asked again has moved on


@dataclass
class _Map:
    """The cards of one line, as far as they are worked out."""

    solved: Spots
    board: str
    line: str
    seat: str
    left: list[str]
    asked: float
    is_running: bool = False
    found: list[dict[str, Any]] = field(default_factory=list)


class Runouts:
    """Works maps of the next card out, one card after the other while somebody asks; remembers the last few."""

    def __init__(self, exact: ExactSpots, worker: Worker) -> None:
        self._exact, self._worker = exact, worker
        self._known: dict[tuple[str, str, str], _Map] = {}  # the latest asked last

    def answer(self, id_: str, solved: Spots, board: str, line: str) -> tuple[bytes, bool]:
        """The map as JSON, and whether it is whole; who gets a part of it asks again.

        Args:
            id_: of the solve.
            solved: the solution.
            board: the cards before the one to come.
            line: the actions, up to the end of a round, such as ``rc/crc/cc/``.

        Raises:
            CfrError: a line that no card follows, or a spot that was not solved.
        """
        board = format_cards(parse_cards(board))
        place = (id_, board, line)
        found = self._known.pop(place, None) or _begin(solved, board, line)
        found.asked = time.monotonic()
        self._known[place] = found
        if len(self._known) > _KEPT:
            del self._known[next(iter(self._known))]
        if found.left and not found.is_running:
            found.is_running = True
            self._worker.put(lambda: self._go_on(found))
        cards, is_whole = list(found.found), not found.left
        shown = {"board": board, "line": line, "seat": found.seat, "cards": cards, "working": not is_whole}
        return to_json(shown).encode(), is_whole

    def _go_on(self, each: _Map) -> None:
        """Work out one card, then let the other maps have their turn."""
        if not each.left or time.monotonic() - each.asked > _LEFT_AFTER:
            each.is_running = False
            return
        card = each.left[0]
        try:
            each.found.append({"card": card, **self._exact.runout(each.solved, each.board + card, each.line)})
        except BaseException:
            each.is_running = False  # who asks again begins again
            raise
        each.left.pop(0)
        self._worker.put(lambda: self._go_on(each))


def _begin(solved: Spots, board: str, line: str) -> _Map:
    game = solved.game
    on_board = {board[place : place + 2] for place in range(0, len(board), 2)}
    left = [card for card in _cards(game.deck.tolist()) if card not in on_board]
    state, _ = solved.spot(board + left[0], line)
    if not line.endswith("/") or len(on_board) < 3:
        raise UnknownSpotError(f"line {line!r}: no card follows; expected the end of a flop or turn round")
    return _Map(solved, board, line, game.seat_names[state.actor], left, time.monotonic())


def _cards(deck: Iterable[int]) -> list[str]:
    return [format_cards([card]) for card in deck]
