"""Hands of a match: cards, betting, payoffs and players."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cfr.game.betting import State
from cfr.game.evaluate import evaluate
from cfr.game.rules import Game
from cfr.system.errors import BadInputError

Cards = tuple[int, ...]
MAX_NAME = 64
STACK_BIG_BLINDS = 100  # stack at the start of every hand, in logs that state stacks


@dataclass(frozen=True)
class Deal:
    """All cards of a hand before it is played: the two hands by seat, and the whole board."""

    hands: tuple[Cards, Cards]
    board: Cards

    def seen_by(self, seat: int, state: State) -> SeenHand:
        """What a seat sees in a state: its own hand, at a showdown both, and the board so far."""
        first, second = (hand if n == seat or state.at_showdown else () for n, hand in enumerate(self.hands))
        return SeenHand(state, (first, second), self.board[: state.num_board_cards])


@dataclass(frozen=True)
class HandRecord:
    """A finished hand: its deal, its last state, and the chips that each seat won."""

    deal: Deal
    state: State
    chips: tuple[int, int]

    @classmethod
    def of(cls, deal: Deal, state: State) -> HandRecord:
        """The hand that ends in ``state``, paid as the rules say."""
        return cls(deal, state, state.payoff(showdown_winner(state, deal)))


@dataclass(frozen=True)
class SeenHand:
    """The part of a hand that was played, and its visible cards.

    Attributes:
        state: the betting.
        hands: the cards by seat; empty for an unseen hand.
        board: the cards dealt so far.
    """

    state: State
    hands: tuple[Cards, Cards]
    board: Cards

    @property
    def chips(self) -> tuple[int, int] | None:
        """Chips that each seat wins; None before the hand is over, or if its showdown hides a hand."""
        if not self.state.is_over or (self.state.at_showdown and not all(self.hands)):
            return None
        return self.state.payoff(showdown_winner(self.state, Deal(self.hands, self.board)))


@dataclass(frozen=True)
class LoggedHand:
    """A hand from a log.

    Attributes:
        number: in the log.
        players: by seat.
        seen: the known part of the hand; it ends before the end of the hand where a whole bet put a player all-in.
        won: chips that each seat won before rake, where they are not those of :attr:`chips` without them: with another
            small blind, with an all-in, or where the log says who won and the cards seen do not.
        rake: chips that the card room took of the pot.
        other_blinds: whether the small blind is not the game's.
        site: the card room; empty for a match's log, whose numbers begin anew with each match.
        day: when it was played, such as ``2026-11-28``; empty where the log does not say.
    """

    number: int
    players: tuple[str, str]
    seen: SeenHand
    won: tuple[float, float] | None = None
    rake: float = 0
    other_blinds: bool = False
    site: str = ""
    day: str = ""

    @property
    def chips(self) -> tuple[float, float] | None:
        """Chips that each seat wins before rake; None if that is not known.

        A hand that is not shown at a showdown lost to the one that is.
        """
        state, shown = self.seen.state, [bool(each) for each in self.seen.hands]
        if self.won is None and not self.other_blinds and state.at_showdown and sum(shown) == 1:
            return state.payoff(shown.index(True))
        return self.seen.chips if self.won is None else self.won


def deal_hand(game: Game, rng: random.Random) -> Deal:
    """Deal two hands and a board."""
    hole, board = game.num_hole_cards, sum(game.num_board_cards)
    cards = rng.sample(game.deck.tolist(), 2 * hole + board)
    return Deal((tuple(cards[:hole]), tuple(cards[hole : 2 * hole])), tuple(cards[2 * hole :]))


def showdown_winner(state: State, deal: Deal) -> int | None:
    """The seat that wins the showdown; None for a tie or without a showdown."""
    if not state.at_showdown:
        return None
    strength = evaluate([[*hand, *deal.board] for hand in deal.hands])
    return None if strength[0] == strength[1] else int(strength[1] > strength[0])


def decisions(state: State) -> Iterator[tuple[State, str]]:
    """The decisions that led to a state, in order: the state before the action, and the action's letter."""
    before = state.tree.root
    for letter in state.line_string.replace("/", ""):
        yield before, letter
        before = before.act(letter)


def raised_to(state: State) -> int:
    """Chips that the seat to act will have put in during this round if it bets or raises."""
    return max(state.round_stakes) + state.tree.game.raise_sizes[state.round]


def show_order(state: State) -> tuple[int, int]:
    """The seats in the order of showing: first the last seat to bet in the last round, else the first seat to act."""
    first = state.tree.game.first_players[-1]
    for before, letter in decisions(state):
        if letter == "r" and before.round == state.round:
            first = before.actor
    return first, 1 - first


def new_board_cards(board: Sequence[int], round_: int, game: Game) -> Sequence[int]:
    """The cards of a board that a round deals."""
    start = sum(game.num_board_cards[:round_])
    return board[start : start + game.num_board_cards[round_]]


def clean_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names that no log format misreads: different names of letters, digits and ``._+-/@`` only.

    >>> clean_names(["my bot: 1|2", "Ann", "Ann"])
    ('my_bot__1_2', 'Ann', 'Ann-2')
    """
    cleaned: list[str] = []
    for name in names:
        kept = "".join(letter if letter.isalnum() or letter in "._+-/@" else "_" for letter in name[-MAX_NAME:])
        base, copy = kept or "player", 1
        unique = base
        while unique in cleaned:
            copy += 1
            suffix = f"-{copy}"
            unique = base[-(MAX_NAME - len(suffix)) :] + suffix
        cleaned.append(unique)
    return tuple(cleaned)


def require_limit_holdem(game: Game, what: str, *, any_button: bool = False) -> None:
    """Raise BadInputError unless a game is limit hold'em for two players, with the rules of card rooms.

    Stakes are free, but bets double on the turn, and every line costs less than :data:`STACK_BIG_BLINDS`. With
    ``any_button`` the small blind may act first in all rounds, as where the button posts the big blind.
    """
    orders = [(1, 0, 0, 0), (1, 1, 1, 1)][: 1 + any_button]
    small, big = game.raise_sizes[0], game.raise_sizes[-1]
    if (
        len(game.deck) != 52
        or game.num_hole_cards != 2
        or game.num_board_cards != (0, 3, 1, 1)
        or game.first_players not in orders
        or not 0 < game.blinds[1] < game.blinds[0]
        or game.raise_sizes != (small, small, big, big)
        or max(game.max_raises) > 4
        or game.max_stake >= STACK_BIG_BLINDS * game.big_blind
    ):
        raise BadInputError(f"{what} is for limit hold'em, not for {game.name}; its log is an ACPC one: .log")
