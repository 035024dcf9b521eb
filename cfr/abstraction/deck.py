"""The deck of a hold'em-like game: its cards and hands, and how many it shows round by round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import NDArray

from cfr.game.rules import Game
from cfr.hands.isomorphism import canonical_hands, full_deck
from cfr.system.errors import CfrError

FLOP, TURN, RIVER = 1, 2, 3
_BOARDS = (0, 3, 1, 1)  # cards that rounds deal
FEWEST, MOST = 20, 52


@dataclass(frozen=True)
class Deck:
    """What hand-strength features depend on, and nothing of the betting.

    Attributes:
        num_ranks, num_suits: the deck holds the top ranks and the last suits of ``cdhs``.
        num_rounds: 2 to 4: the game may end after the flop or the turn.
    """

    num_ranks: int = 13
    num_suits: int = 4
    num_rounds: int = 4

    @classmethod
    def of(cls, game: Game) -> Deck:
        """The deck of a game; raises :class:`CfrError` for a game that is not hold'em-like."""
        if not is_holdem_like(game):
            raise CfrError(
                f"{game.name}: only hold'em-like games have buckets: two hole cards, {FEWEST} to {MOST} cards, "
                "a flop of three, then perhaps a turn and a river of one"
            )
        return cls(game.num_ranks, game.num_suits, game.num_rounds)

    @property
    def is_full(self) -> bool:
        """Whether these are the 52 cards and the four rounds of full hold'em."""
        return self == Deck()

    @property
    def last(self) -> int:
        """The last round's number."""
        return self.num_rounds - 1

    @cached_property
    def cards(self) -> NDArray[np.uint8]:
        """The card codes (cards,), ascending."""
        return full_deck(self.num_ranks, self.num_suits)

    @cached_property
    def hands(self) -> NDArray[np.uint8]:
        """The cards (H, 2) of every hand, in the order of :attr:`cfr.game.rules.Game.hands`."""
        high, low = np.tril_indices(len(self.cards), -1)
        return np.stack([self.cards[low], self.cards[high]], axis=1)

    def hand_number(self, hand: Sequence[int]) -> int:
        """The row in :attr:`hands` of two cards of the deck, in any order."""
        low, high = np.searchsorted(self.cards, np.sort(np.asarray(hand))).tolist()
        return int(high * (high - 1) // 2 + low)

    @property
    def starting_hands(self) -> NDArray[np.intp]:
        """The class (H,) of each hand, row by row of a grid of ranks, aces first, suited above the diagonal."""
        row, column = 12 - self.hands[:, 1].astype(np.intp) // 4, 12 - self.hands[:, 0].astype(np.intp) // 4
        suited = self.hands[:, 0] % 4 == self.hands[:, 1] % 4
        side = self.num_ranks
        return np.where(suited, side * row + column, side * column + row)  # cards ascend: `row` is the earlier

    def unseen(self, round_index: int) -> int:
        """How many cards neither a hand nor the board of a round shows."""
        return len(self.cards) - 2 - board_cards(round_index)

    @property
    def opponents(self) -> int:
        """How many hands an opponent may hold at showdown."""
        return comb(self.unseen(self.last), 2)

    def different_hands(self, round_index: int) -> int:
        """How many hands a round has, up to suits and the order of its board."""
        return canonical_hands((2, board_cards(round_index)), self.num_ranks, self.num_suits)[-1]


def is_holdem_like(game: Game) -> bool:
    """Whether a game deals as hold'em does, from 20 to 52 cards, and has a flop at least."""
    return (
        game.num_hole_cards == 2
        and FEWEST <= len(game.deck) <= MOST
        and 2 <= game.num_rounds <= len(_BOARDS)
        and tuple(game.num_board_cards) == _BOARDS[: game.num_rounds]
    )


def board_cards(round_index: int) -> int:
    """How many cards the board of the flop (1), turn (2) or river (3) has."""
    return sum(_BOARDS[: round_index + 1])
