"""The decision where an address that leads nowhere was last right."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from cfr.game.betting import State
from cfr.game.cards import format_cards, parse_cards
from cfr.game.hand import decisions
from cfr.game.line_text import read_line
from cfr.strategy.strategy import BaseStrategy
from cfr.system.errors import CfrError

Read = TypeVar("Read")


@dataclass(frozen=True)
class NearestSpot:
    """The last decision to which a line and a board lead.

    Attributes:
        line: the line there.
        board: its cards.
        missing: how many cards the board lacks, if the whole line is right and nothing but cards is missing; else 0.
    """

    line: str
    board: str
    missing: int


def nearest_spot(strategy: BaseStrategy, board: str, line: str) -> NearestSpot:
    """Where a line and a board that the strategy refuses were last right; at worst the first decision."""
    deck = frozenset(strategy.game.deck.tolist())

    def of_deck(text: str) -> tuple[int, ...]:
        found = parse_cards(text)
        if not deck.issuperset(found):
            raise CfrError(text)
        return found

    state, read = _longest(line, lambda text: read_line(strategy.betting, text))
    cards, dealt = _longest(board, of_deck)
    points: list[State] = [before for before, _ in decisions(state)]
    if not state.is_over:
        points.append(state)
    last = next(each for each in reversed(points) if each.num_board_cards <= len(cards))
    is_right = not state.is_over and read == line and dealt == board
    missing = max(0, state.num_board_cards - len(cards)) if is_right else 0
    return NearestSpot(last.line_string, format_cards(cards[: last.num_board_cards]), missing)


def _longest(text: str, read: Callable[[str], Read]) -> tuple[Read, str]:
    """What the longest beginning that can be read says, and that beginning; the empty one always can."""
    for end in range(len(text), 0, -1):
        with suppress(CfrError):
            return read(text[:end]), text[:end]
    return read(""), ""
