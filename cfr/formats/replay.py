"""A hand played again from the words of PHH: cards, actions and amounts, each checked against the rules."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from cfr.game.betting import BettingTree, State
from cfr.game.cards import format_cards, parse_cards
from cfr.game.hand import Cards, SeenHand, raised_to
from cfr.system.errors import CfrError, MalformedTextError

_STEP = Decimal("0.000001")  # amounts are multiples of it


def amount_of(value: Any) -> Fraction:
    """Exactly, in bounded time whatever the exponent; raises ValueError or ArithmeticError."""
    return Fraction(Decimal(str(value)).quantize(_STEP))


class Replay:
    """Plays the actions of a history again.

    Args:
        tree: the game's betting.
        scale: how many chips of the history are one of the game's.

    Attributes:
        state: the betting so far.
    """

    def __init__(self, tree: BettingTree, scale: Fraction) -> None:
        self._scale = scale
        self.state: State = tree.root
        self._hands: list[Cards] = [(), ()]
        self._board: Cards = ()

    def play(self, actions: Any) -> SeenHand:
        """The hand after a list of actions in PHH's words; errors as :meth:`take`, with the action."""
        if not isinstance(actions, list):
            raise MalformedTextError(f"actions {actions!r}; expected a list")
        for action in actions:
            try:
                self.take(str(action).partition("#")[0].split())
            except CfrError as error:
                raise type(error)(f"action {action!r}: {error}") from None
        return self.hand()

    def hand(self) -> SeenHand:
        """The hand so far; raises MalformedTextError for a card that is there twice."""
        cards = [*self._hands[0], *self._hands[1], *self._board]
        if len(set(cards)) != len(cards):
            raise MalformedTextError(f"{format_cards(cards)}: a card is there twice")
        return SeenHand(self.state, (self._hands[0], self._hands[1]), self._board)

    @property
    def board(self) -> Cards:
        """The cards dealt so far."""
        return self._board

    def take(self, words: list[str]) -> None:
        """Play one action.

        Raises:
            MalformedTextError: words that are no action, or an action that has no place there.
            IllegalActionError: one that the rules do not allow.
        """
        match words:
            case []:
                pass
            case ["d", "dh", "p1" | "p2" as player, cards] | ["p1" | "p2" as player, "sm", cards]:
                if "?" not in cards and cards != "-":
                    self._show(int(player[1]) - 1, _parse(cards, 2))
            case ["p1" | "p2", "sm"]:
                pass
            case ["d", "db", cards]:
                self._board += _parse(cards, self.state.num_board_cards - len(self._board))
            case ["p1" | "p2" as player, "f"]:
                self._act(player, "f")
            case ["p1" | "p2" as player, "cc"]:
                self._act(player, "c")
            case ["p1" | "p2" as player, "cbr", amount]:
                self._check_amount(amount)
                self._act(player, "r")
            case _:
                raise MalformedTextError("no action of limit hold'em for two")

    def _show(self, seat: int, hand: Cards) -> None:
        if self._hands[seat] and set(self._hands[seat]) != set(hand):
            raise MalformedTextError(f"p{seat + 1} holds {format_cards(self._hands[seat])}")
        self._hands[seat] = hand

    def _check_amount(self, text: str) -> None:
        """Check that a bet has the round's size: a smaller one is all-in, which this game does not have."""
        expected = self._scale * raised_to(self.state)
        try:
            amount = amount_of(text)
        except (ValueError, ArithmeticError):
            raise MalformedTextError(f"{text!r} is no amount; expected {expected}") from None
        if amount != expected:
            raise MalformedTextError(f"a bet of {text}; expected {expected}")

    def _act(self, player: str, letter: str) -> None:
        state = self.state
        if state.is_over:
            raise MalformedTextError("the hand is over")
        if len(self._board) != state.num_board_cards:
            raise MalformedTextError(f"{len(self._board)} cards on the board; expected {state.num_board_cards}")
        if int(player[1]) - 1 != state.actor:
            raise MalformedTextError(f"expected p{state.actor + 1} to act")
        self.state = state.act(letter)


def _parse(text: str, count: int) -> Cards:
    cards = parse_cards(text)
    if len(cards) != count:
        raise MalformedTextError(f"{len(cards)} cards; expected {count}")
    return cards
