"""The ACPC's text: what a dealer sends to its players.

The parts of a line are joined by colons: betting as :meth:`cfr.betting.BettingTree.parse` reads it, then cards, the
hands by position and the board by round: ``TdAs|8hTc/2c8c3h/9c/Kh``. A hand that is not seen is empty.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cfr.betting import BettingTree
from cfr.cards import RANKS, SUITS, format_cards, parse_cards
from cfr.errors import MalformedTextError, UnknownSpotError
from cfr.record import SeenHand

_CARDS = f"(?:[{RANKS}][{SUITS}])*"
_DEALT = re.compile(f"({_CARDS})\\|({_CARDS})((?:/{_CARDS})*)")
_MATCH_STATE = re.compile(r"MATCHSTATE:([01]):([0-9]{1,10}):([^:]*):([^:]*)")


@dataclass(frozen=True)
class MatchState:
    """What a dealer tells a player: where it sits, which hand it is, and the hand so far.

    Attributes:
        line: the text.
        position: the player's; 0 is the big blind in hold'em.
        number: of the hand, counted from 0.
        seen: the hand; the player's own cards are always there, at a showdown both hands.
    """

    line: str
    position: int
    number: int
    seen: SeenHand

    @classmethod
    def parse(cls, line: str, tree: BettingTree) -> MatchState:
        """The state in a ``MATCHSTATE:position:hand:betting:cards`` line, without its end.

        Raises:
            MalformedTextError, IllegalActionError, UnknownSpotError: as :func:`parse_hand`, or no such line.
        """
        match = _MATCH_STATE.fullmatch(line)
        if match is None:
            raise MalformedTextError(f"{line[:100]!r}; expected MATCHSTATE:position:hand:betting:cards")
        position, seen = int(match[1]), parse_hand(match[3], match[4], tree)
        if not seen.hands[position]:
            raise MalformedTextError(f"{line!r}: position {position} does not see its own cards")
        if seen.state.at_showdown and not all(seen.hands):
            raise MalformedTextError(f"{line!r}: a showdown that does not show both hands")
        return cls(line, position, int(match[2]), seen)


def parse_hand(betting: str, cards: str, tree: BettingTree) -> SeenHand:
    """The hand that these two parts of a line describe.

    Raises:
        MalformedTextError: a part that cannot be read, or a card twice.
        IllegalActionError: betting that the rules do not allow.
        UnknownSpotError: cards that do not fit the game or the betting.
    """
    state, game = tree.parse(betting), tree.game
    match = _DEALT.fullmatch(cards)
    if match is None:
        raise MalformedTextError(f"cards {cards!r}; expected hands and board such as AsKh|/Td9d6h")
    first, second, *board = map(parse_cards, (match[1], match[2], *match[3].split("/")[1:]))
    for position, hand in enumerate((first, second)):
        if len(hand) not in (0, game.num_hole_cards):
            raise UnknownSpotError(
                f"cards {cards!r}: {len(hand)} in position {position}; expected {game.num_hole_cards} or none"
            )
    found, expected = [len(new) for new in board], list(game.num_board_cards[1 : state.round + 1])
    if found != expected:
        raise UnknownSpotError(f"cards {cards!r}: board of {found} cards; after {betting!r} expected {expected}")
    seen = [*first, *second, *(card for new in board for card in new)]
    if len(set(seen)) != len(seen):
        raise MalformedTextError(f"cards {cards!r}: a card is there twice")
    if foreign := set(seen) - set(game.deck.tolist()):
        raise UnknownSpotError(f"cards {cards!r}: {format_cards(sorted(foreign))} not in the deck of {game.name}")
    return SeenHand(state, (first, second), tuple(seen[len(first) + len(second) :]))
