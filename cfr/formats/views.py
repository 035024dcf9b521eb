"""Hands that are told line by line, each line longer than the one before: by a dealer to its players, or by OpenSpiel.

A view is what the lines of one hand tell one player. Lines of several hands, matches and players may take turns.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

from cfr.game.hand import LoggedHand, SeenHand

PLAYERS = ("player 1", "player 2")
_FLOP = 3  # cards that two hands hardly share
_AT_ONCE = 16  # hands of one number that may take turns


@dataclass
class View:
    """What one player is told of a hand.

    Attributes:
        player: 0 or 1, who is told; None if nobody's cards are hidden.
        position: the player's; None likewise.
        hand: its number, its players and the longest of its lines.
        first, last: lines of the text, from 1.
        match: of the player, from 0: another one begins where numbers do not go up.
    """

    player: int | None
    position: int | None
    hand: LoggedHand
    first: int
    last: int
    match: int = 0

    def becomes(self, later: View) -> bool:
        """Whether the hand goes on as a later line says."""
        return not self.hand.seen.state.is_over and _fit(self.hand.seen, later.hand.seen)

    def has(self, late: View) -> bool:
        """Whether a line is of an earlier moment of this hand; the line that begins a hand is not, once it is over."""
        line = self.hand.seen.state.line_string if self.hand.seen.state.is_over else ""
        return late.hand.seen.state.line_string not in ("", line) and _fit(late.hand.seen, self.hand.seen)


class Views:
    """The hands of the lines that :meth:`hear` took."""

    def __init__(self) -> None:
        self._heard: list[View] = []
        self._newest: defaultdict[tuple[int | None, int | None, int], deque[View]] = defaultdict(_few)
        self._last: dict[int | None, View] = {}  # the newest of each player

    def hear(self, told: View) -> None:
        """Take the next line."""
        views = self._newest[told.player, told.position, told.hand.number]
        for view in reversed(views):
            if view.becomes(told):
                view.hand, view.last = told.hand, told.last
                return
            if view.has(told):
                return
        if before := self._last.get(told.player):
            told.match = before.match + (told.hand.number <= before.hand.number)
        self._last[told.player] = told
        views.append(told)
        self._heard.append(told)

    def hands(self) -> Iterator[View]:
        """Each hand once, by first lines. Both players' views of a match are one where they agree in all its hands."""
        seconds = {(each.match, each.hand.number): each for each in self._heard if each.player == 1}
        pairs: dict[int, list[tuple[View, View]]] = {}
        for one in self._heard:
            if one.player == 0 and (other := seconds.get((one.match, one.hand.number))):
                pairs.setdefault(one.match, []).append((one, other))
        merged: dict[int, View | None] = {}  # by first lines; None for a view that is part of an earlier one
        for found in pairs.values():
            wholes = [_together(*pair) for pair in found]
            if any(_are_surely_one(*pair) for pair in found) and None not in wholes:
                for pair, whole in zip(found, wholes, strict=True):
                    early, late = sorted(pair, key=lambda each: each.first)
                    merged |= {early.first: whole, late.first: None}
        for each in self._heard:
            if (view := merged.get(each.first, each)) is not None:
                yield view


def _few() -> deque[View]:
    return deque(maxlen=_AT_ONCE)


def _fit(before: SeenHand, after: SeenHand) -> bool:
    """Whether a hand can go on so."""
    return (
        after.state.line_string.startswith(before.state.line_string)
        and after.board[: len(before.board)] == before.board
        and all(not was or set(was) == set(now) for was, now in zip(before.hands, after.hands, strict=True))
    )


def _are_surely_one(one: View, other: View) -> bool:
    """Whether two views that agree are of one hand: they share a flop, or were told at the same time."""
    flop = min(len(one.hand.seen.board), len(other.hand.seen.board)) >= _FLOP
    return flop or (one.first <= other.last and other.first <= one.last)


def _together(one: View, other: View) -> View | None:
    """The hand of the first and the second player's view; None if they cannot be of one hand."""
    short, long = sorted((one, other), key=lambda each: len(each.hand.seen.state.line_string))
    before, seen = short.hand.seen, long.hand.seen
    hands = (before.hands[0] or seen.hands[0], before.hands[1] or seen.hands[1])
    whole = replace(seen, hands=hands)
    cards = [*hands[0], *hands[1], *whole.board]
    is_other = before.state.is_over and before.state.line_string != whole.state.line_string
    if one.position == other.position or is_other or len(set(cards)) < len(cards):
        return None
    if not _fit(before, whole) or not _fit(seen, whole):
        return None
    players = PLAYERS if one.position == 0 else PLAYERS[::-1]
    return replace(long, hand=replace(long.hand, seen=whole, players=players))
