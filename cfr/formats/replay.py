"""A hand played again from the words of PHH: cards, actions and amounts, each checked against the rules."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from cfr.game.betting import BettingTree, State
from cfr.game.cards import format_cards, parse_cards
from cfr.game.evaluate import evaluate
from cfr.game.hand import Cards, SeenHand, raised_to
from cfr.system.errors import CfrError, MalformedTextError
from cfr.system.text import counted

_WHOLE_BOARD = 5  # cards
_STEP = Decimal("0.000001")  # amounts are multiples of it


def amount_of(value: Any) -> Fraction:
    """Exactly, in bounded time whatever the exponent; raises ValueError or ArithmeticError."""
    return Fraction(Decimal(str(value)).quantize(_STEP))


class Replay:
    """Plays the actions of a history again.

    Args:
        tree: the game's betting.
        scale: how many chips of the history are one of the game's.
        stacks: chips of the game that p1 and p2 begin with, None where that is not known. Once a whole bet takes all
            of them, what follows is no decision: the state stays where it was.

    Attributes:
        state: the betting so far.
    """

    def __init__(
        self, tree: BettingTree, scale: int | Fraction, stacks: tuple[Fraction | None, Fraction | None] = (None, None)
    ) -> None:
        self._scale, self._stacks = scale, stacks
        self._all_in: int | None = None
        self._folded: int | None = None
        self._is_called = False
        self.state: State = tree.root
        self._hands: list[Cards] = [(), ()]
        self._board: Cards = ()
        self._first_cards: list[Cards] = [(), ()]  # of hands that come card by card
        self._waiting: Cards = ()  # for the rest of the board

    def play(self, actions: Any) -> SeenHand:
        """The hand after a list of actions in PHH's words; errors as :meth:`take`, with the action."""
        if not isinstance(actions, list):
            raise MalformedTextError(f"actions {shown(actions)}; expected a list")
        for action in actions:
            try:
                self.take(str(action).partition("#")[0].split())
            except CfrError as error:
                raise type(error)(f"action {shown(action)}: {error}") from None
        return self.hand()

    def hand(self) -> SeenHand:
        """The hand so far; raises MalformedTextError for a card that is there twice or missing."""
        self._check_dealt()
        cards = [*self._hands[0], *self._hands[1], *self._board]
        if len(set(cards)) != len(cards):
            raise MalformedTextError(f"{format_cards(cards)}: a card is there twice")
        if self._all_in is not None and self._folded is None and len(self._board) != _WHOLE_BOARD:
            raise MalformedTextError("the hand is not over")
        return SeenHand(self.state, (self._hands[0], self._hands[1]), self._board[: self.state.num_board_cards])

    def won(self, small: Fraction) -> tuple[float, float] | None:
        """Chips of the game that each position wins with a ``small`` blind of its own; None where that is unknown."""
        stakes = [Fraction(each) for each in self.state.stakes]
        if self.state.line_string in ("", "f"):
            stakes[1] = small
        if self._is_called:
            stakes = [max(stakes)] * 2
        folded = self.state.folded if self._folded is None else self._folded
        stake = min(stakes)
        if folded is not None:
            winner: int | None = 1 - folded
        elif not all(self._hands) or len(self._board) != _WHOLE_BOARD:
            return None
        else:
            strength = evaluate([[*hand, *self._board] for hand in self._hands])
            winner = None if strength[0] == strength[1] else int(strength[1] > strength[0])
        if winner is None:
            return 0, 0
        chips = int(stake) if stake.denominator == 1 else float(stake)
        return (chips, -chips) if winner == 0 else (-chips, chips)

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
            case ["d", "dh", "p1" | "p2" as player, cards]:
                if "?" not in cards and cards != "-":
                    self._deal_to(int(player[1]) - 1, parse_cards(cards))
            case ["p1" | "p2" as player, "sm", cards]:
                if "?" not in cards and cards != "-":
                    self.show(int(player[1]) - 1, parse_cards(cards))
            case ["p1" | "p2", "sm"]:
                pass
            case ["d", "db", cards]:
                self._waiting += parse_cards(cards)
                if len(self._waiting) >= self._due():
                    waiting, self._waiting = self._waiting, ()
                    self.deal(waiting)
            case ["p1" | "p2" as player, "f"]:
                self.act(int(player[1]) - 1, "f")
            case ["p1" | "p2" as player, "cc"]:
                self.act(int(player[1]) - 1, "c")
            case ["p1" | "p2" as player, "cbr", amount]:
                self._check_amount(amount)
                self.act(int(player[1]) - 1, "r")
            case _:
                raise MalformedTextError("no action of limit hold'em for two")

    def deal(self, cards: Cards) -> None:
        """Put cards on the board; errors as :meth:`take`."""
        self._board += _counted(cards, self._due())

    def _check_dealt(self) -> None:
        """Refuse a board or a hand of which cards are missing."""
        if self._waiting:
            _counted(self._waiting, self._due())
        for cards in self._first_cards:
            if cards:
                _counted(cards, 2)

    def _due(self) -> int:
        """How many cards the board gets next."""
        if self._all_in is not None:
            return min(3 if not self._board else 1, _WHOLE_BOARD - len(self._board))
        return self.state.num_board_cards - len(self._board)

    def _deal_to(self, seat: int, cards: Cards) -> None:
        """Deal a seat's hand, which may come card by card; errors as :meth:`take`."""
        first = self._first_cards[seat]
        if len(first) + len(cards) == 1:
            self._first_cards[seat] = cards
        else:
            self._first_cards[seat] = ()
            self.show(seat, first + cards)

    def show(self, seat: int, hand: Cards) -> None:
        """Show a seat's cards; errors as :meth:`take`."""
        _counted(hand, 2)
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

    def act(self, seat: int, letter: str) -> None:
        """Play ``f``, ``c`` or ``r`` of a seat, without a look at its amount; errors as :meth:`take`."""
        state = self.state
        if self._all_in is not None:
            self._answer(seat, letter)
            return
        if state.is_over:
            raise MalformedTextError("the hand is over")
        self._check_dealt()
        if len(self._board) != state.num_board_cards:
            raise MalformedTextError(
                f"{counted(len(self._board), 'card')} on the board; expected {state.num_board_cards}"
            )
        if seat != state.actor:
            raise MalformedTextError(f"expected p{state.actor + 1} to act")
        self.state = state.act(letter)
        if (stack := self._stacks[seat]) is not None and not self.state.is_over and stack == self.state.stakes[seat]:
            self._all_in = seat

    def _answer(self, seat: int, letter: str) -> None:
        """What the other player does after an all-in."""
        is_due = self.state.stakes[seat] < max(self.state.stakes)
        if seat == self._all_in or letter == "r" or self._folded is not None or self._is_called:
            raise MalformedTextError(f"an action after p{(self._all_in or 0) + 1} is all-in")
        if letter == "f":
            self._folded = seat
        elif is_due:
            self._is_called = True


def shown(value: Any) -> str:
    """A field's value in a message, numbers as the file has them."""
    return (str(value).lower() if isinstance(value, Decimal) else repr(value))[:100]


def _counted(cards: Cards, count: int) -> Cards:
    if len(cards) != count:
        raise MalformedTextError(f"{counted(len(cards), 'card')}; expected {count}")
    return cards
