"""Hands of a match: their cards, how they went, what they paid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cfr.betting import State
from cfr.cards import format_cards
from cfr.errors import UnknownSpotError
from cfr.evaluate import evaluate

Cards = tuple[int, ...]


@dataclass(frozen=True)
class Deal:
    """All cards of a hand before it is played: the two hands by seat, and the whole board."""

    hands: tuple[Cards, Cards]
    board: Cards


@dataclass(frozen=True)
class HandRecord:
    """A finished hand: its deal, its last state, and the chips that each seat won."""

    deal: Deal
    state: State
    chips: tuple[int, int]

    def log_line(self, number: int, names: Sequence[str]) -> str:
        """The hand as a ``STATE:`` line of an ACPC log: number, betting, cards, chips, players, by position."""
        game = self.state.tree.game
        board, start, shown = "", 0, self.state.num_board_cards
        for new in game.num_board_cards[1:]:
            if start + new > shown:
                break
            board += "/" + format_cards(self.deal.board[start : start + new])
            start += new
        cards = "|".join(format_cards(hand) for hand in self.deal.hands) + board
        chips = "|".join(map(str, self.chips))
        return f"STATE:{number}:{self.state.line_string}:{cards}:{chips}:{'|'.join(names)}"


@dataclass(frozen=True)
class SeenHand:
    """A hand as far as it has gone, and those of its cards that can be seen.

    Attributes:
        state: the betting.
        hands: by seat; empty where unseen.
        board: the cards dealt so far.
    """

    state: State
    hands: tuple[Cards, Cards]
    board: Cards

    @property
    def chips(self) -> tuple[int, int]:
        """What each seat wins in a hand that is over; raises UnknownSpotError if a showdown hides a hand."""
        if self.state.at_showdown and not all(self.hands):
            raise UnknownSpotError(f"the showdown after {self.state.line_string!r} does not show both hands")
        return self.state.payoff(showdown_winner(self.state, Deal(self.hands, self.board)))


def showdown_winner(state: State, deal: Deal) -> int | None:
    """The seat that wins the showdown; None for a tie or where there is none."""
    if not state.at_showdown:
        return None
    strength = evaluate([[*hand, *deal.board] for hand in deal.hands])
    return None if strength[0] == strength[1] else int(strength[1] > strength[0])
