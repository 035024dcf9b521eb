"""Cards: rank ``23456789TJQKA``, then suit ``cdhs``; a card's code is ``4 * rank + suit``, the deuce of clubs is 0."""

from __future__ import annotations

from collections.abc import Iterable

from cfr.system.checks import shown
from cfr.system.errors import BadInputError, MalformedTextError

RANKS = "23456789TJQKA"
SUITS = "cdhs"
_SUITS = SUITS + "\u2663\u2666\u2665\u2660" + "\u2667\u2662\u2661\u2664"  # black symbols, white ones
_BLANK = " ,[]\t\n\ufe0e\ufe0f"  # the last two ask for a symbol as text or as a picture
_NAMES = {4 * r + s: rank + suit for r, rank in enumerate(RANKS) for s, suit in enumerate(SUITS)}
_CODES = {name: code for code, name in _NAMES.items()}


def parse_card(text: str) -> int:
    """The code of one card.

    >>> parse_card("As")
    51

    Raises:
        MalformedTextError: ``text`` is not exactly one card.
    """
    cards = parse_cards(text)
    if len(cards) != 1:
        raise MalformedTextError(f"{text!r} is not one card; expected a rank and a suit such as 'As'")
    return cards[0]


def parse_cards(text: str) -> tuple[int, ...]:
    """Codes of the cards in ``text``, in order; spaces and commas may separate the cards, and brackets be around them.

    A ten is ``T`` or ``10``, a suit one of ``cdhs`` or its symbol. Letters may be in upper or lower case.

    >>> parse_cards("AsKh 2c"), parse_cards("10\u2660, kH"), parse_cards("[Kc 7h 2d] [5s]")
    ((51, 46, 0), (35, 46), (44, 22, 1, 15))

    Raises:
        MalformedTextError: an unknown rank or suit, half a card, or a card twice; the message gives the position.
    """
    if not isinstance(text, str):
        raise MalformedTextError(f"cards: {shown(text)}; expected text, such as Td9d6h")
    plain = [_CODES.get(text[place : place + 2], -1) for place in range(0, len(text), 2)]
    if -1 not in plain and len({*plain}) == len(plain):
        return tuple(plain)
    cards: list[int] = []
    position = 0
    while position < len(text):
        if text[position] in _BLANK:
            position += 1
            continue
        is_ten = text.startswith("10", position)
        rank = RANKS.index("T") if is_ten else RANKS.find(text[position].upper())
        if rank < 0:
            raise MalformedTextError(
                f"{text!r}: {text[position]!r} at position {position + 1} is not a rank; expected one of {RANKS}"
            )
        after = position + 1 + is_ten
        suit = _SUITS.find(text[after].lower()) % 4 if after < len(text) and text[after].lower() in _SUITS else -1
        if suit < 0:
            found = (
                f"{text[after]!r} at position {after + 1} is not a suit"
                if after < len(text)
                else f"the suit at position {after + 1} is missing"
            )
            raise MalformedTextError(f"{text!r}: {found}; expected one of {SUITS}")
        card = 4 * rank + suit
        if card in cards:
            raise MalformedTextError(f"{text!r}: {format_card(card)} at position {position + 1} is there twice")
        cards.append(card)
        position = after + 1
    return tuple(cards)


def format_card(card: int) -> str:
    """The two letters of a card's code.

    >>> format_card(51)
    'As'

    Raises:
        BadInputError: a code that no card has.
    """
    return format_cards([card])


def format_cards(cards: Iterable[int]) -> str:
    """The cards one after the other, as :func:`parse_cards` reads them.

    >>> format_cards([51, 46])
    'AsKh'

    Raises:
        BadInputError: a code that no card has.
    """
    try:
        return "".join([_NAMES[card] for card in cards])
    except KeyError as error:
        raise BadInputError(f"card code {error}; expected 0 to 51") from None
    except TypeError:
        raise BadInputError(f"cards: {shown(cards)}; expected codes of cards, such as [51, 46]") from None
