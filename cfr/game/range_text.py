"""Reading ranges: the notation of this program, and what other programs write.

Read as well: bare weights of all 1,326 hands (PioSolver), weights in brackets around parts (Flopzilla, GTO+), a percent
before parts (Equilab), a list of weights after the parts (PokerCruncher), a percent after ``@`` (ProPokerTools).
Anything else is refused, with its position.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cfr.game.cards import RANKS, SUITS, format_cards, parse_card
from cfr.game.hand_classes import NUM_HANDS, class_hands, normal
from cfr.system.errors import MalformedTextError
from cfr.system.text import share_of

_EVERYTHING = ("random", "any", "anytwo", "all")
_LONGEST = 60  # characters of a text that a message repeats
# Signs of other keyboards and word processors: dashes, full-width commas and colons, quotes.
_SIGNS = (
    dict.fromkeys([*range(0x2010, 0x2016), 0x2212], "-")
    | {0xFF0C: ",", 0x3001: ",", 0xFF1B: ";", 0xFF1A: ":"}
    | dict.fromkeys(map(ord, "\"'\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb"), " ")
    | dict.fromkeys([0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF], " ")  # characters without width, as web pages have them
    | {code: chr(code - 0xFEE0) for code in range(0xFF10, 0xFF5B) if chr(code - 0xFEE0).isalnum()}  # full-width
)
_SYMBOLS = {
    ord(symbol): suit
    for symbol, suit in zip("\u2663\u2666\u2665\u2660\u2667\u2662\u2661\u2664", 2 * "cdhs", strict=True)
}
_SYMBOLS |= dict.fromkeys([0xFE0E, 0xFE0F], "")  # say how a symbol is drawn
# Matches a part with its weight; blanks may surround - and :, and split "any two". Matches text that is no part, too.
_PART = re.compile(
    r"(?:any\s+two\b|[^\s,;:@\[\]-]+(?:\s+\+(?=[\s,;:@]|$))?)(?:\s*[-:@]+\s*[^\s,;:@\[\]-]+)*[-:@]*"
    r"|[^\s,;\[\]]+|[\[\]]",
    re.IGNORECASE,
)
_OPENING = re.compile(r"\[\s*([0-9]+(?:\.[0-9]*)?)\s*%?\s*\]")
_CLOSING = re.compile(r"\[\s*/\s*([0-9]+(?:\.[0-9]*)?)\s*%?\s*\]")
_RANK = rf"(?:10|[{RANKS}])"
# A percent before parts. Two ranks may be a class with its weight ("98:1"); they are a percent before no number.
_HEADING = re.compile(
    rf"([0-9]{{1,3}}(?:\.[0-9]+)?)\s*%?\s*:(?=\s*(?:[A-Za-z]|{_RANK}[A-Za-z]|{_RANK}{_RANK}\s*[-+so]))", re.IGNORECASE
)
_HEADING_ONLY = re.compile(rf"(?:[0-9]*[01][0-9]*|[0-9]\.[0-9]+|[0-9]{{2,}}\.[0-9]+)\s*%?\s*:(?=\s*{_RANK}{_RANK})")
_LIST_OF_WEIGHTS = re.compile(r";\s*weights\s*:", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?|\.[0-9]+([eE][-+]?[0-9]+)?")
# "AKs:0,75": a weight of 0 and the hands 75, if it were read.
_DECIMAL_COMMA = re.compile(r":\s*(0,[0-9]+)(?=\s*(?:[,;\n]|$))")
# "33,3: AA": a percent of Equilab's, in another country.
_PERCENT_WITH_COMMA = re.compile(
    r"(?:^|[;,\s\[])\s*([0-9]{1,3},[0-9]{1,3})\s*%?\s*(?::(?=\s*(?:[AKQJTakqjt]|[2-9](?:[2-9]|[so+-])))|\](?=[A-Za-z0-9]))"
)
_BEST = re.compile(r"(?:top\s*)?([0-9]+(?:\.[0-9]+)?)\s*%", re.IGNORECASE)
_MOST_BARE = 13  # numbers that can be pairs or classes; longer lists of numbers are weights

_CARD = re.compile(rf"[{RANKS}](?:[{SUITS}]|[\u2660-\u2667][\ufe0e\ufe0f]?)", re.IGNORECASE | re.ASCII)
_TWO_CARDS = re.compile(rf"(?:{_CARD.pattern}){{2}}", re.IGNORECASE | re.ASCII)
_TWO_SUITS = re.compile(rf"([{RANKS}X*])([{SUITS}])([{RANKS}X*])([{SUITS}])", re.IGNORECASE | re.ASCII)


class _Part(NamedTuple):
    """What one part of the text names: hands, their weight, and the part's place, counted from 1."""

    hands: list[int]
    weight: float
    position: int


def read_range(text: str) -> NDArray[np.float64]:
    """``(1326,)`` weights from 0 to 1, in the order of :attr:`cfr.game.rules.Game.hands`.

    Raises:
        MalformedTextError: text that cannot be read, or a hand with two weights; the message gives the position.
    """
    text = text.removeprefix("\ufeff").translate(_SIGNS)
    if (bare := _bare_weights(text)) is not None:
        return bare
    start = 0
    given, corrected = text, ""
    if (weights_begin := _LIST_OF_WEIGHTS.search(text)) is not None:
        start = weights_begin.end()
        given, corrected = text[: weights_begin.start()], text[start:]
    weights = np.full(NUM_HANDS, -1.0)
    where = prefix(text)
    if (comma := _DECIMAL_COMMA.search(text) or _PERCENT_WITH_COMMA.search(text)) is not None:
        raise MalformedTextError(
            f"{where}weight {comma[1]!r} at position {comma.start(1) + 1}; expected a decimal point"
        )
    for part in _parts(given, where, 0):
        for hand in part.hands:
            if weights[hand] >= 0 and weights[hand] != part.weight:
                raise MalformedTextError(
                    f"{where}{hand_name(hand)} at position {part.position} has weight {part.weight:g}, "
                    f"but {weights[hand]:g} before"
                )
            weights[hand] = part.weight
    if not (weights >= 0).any():
        raise MalformedTextError("a range is empty; expected hands such as 'QQ+,AKs'")
    for part in _parts(corrected, where, start):
        outside = [hand for hand in part.hands if weights[hand] < 0]
        if outside:
            raise MalformedTextError(
                f"{where}{hand_name(outside[0])} at position {part.position} has a weight, but is no hand of the range"
            )
        weights[part.hands] = part.weight
    found: NDArray[np.float64] = np.maximum(weights, 0)
    return found


def prefix(text: str) -> str:
    """The words with which an error about a range begins; a long text is cut."""
    return f"range {text if len(text) <= _LONGEST else text[:_LONGEST] + '...'!r}: "


def read_weight(text: str, where: str, position: int) -> float:
    """A weight from 0 to 1, or a percent with its sign.

    Raises:
        MalformedTextError: any other text; the message begins with ``where`` and names the position.
    """
    number = text.removesuffix("%").rstrip()
    weight = share_of(text) if _NUMBER.fullmatch(number) else -1.0
    if weight == 0 and re.search("[1-9]", re.split("[eE]", number)[0]):
        raise MalformedTextError(f"{where}weight {_cut(text)} at position {position} is too small for a number")
    if not 0 <= weight <= 1:
        raise MalformedTextError(
            f"{where}weight {_cut(text)} at position {position}; expected a number from 0 to 1 or a percent, 50%"
        )
    return weight


def hand_name(hand: int) -> str:
    """The two cards of a hand's number, the higher one first."""
    high = (1 + isqrt(1 + 8 * hand)) // 2
    return format_cards((high, hand - high * (high - 1) // 2))


def _bare_weights(text: str) -> NDArray[np.float64] | None:
    """PioSolver's text of a range: a weight for each hand, in the order of hands; None for any other text."""
    words = text.replace(",", " ").replace(";", " ").split()
    if len(words) <= _MOST_BARE or not all(map(_NUMBER.fullmatch, words)):
        return None
    if len(words) != NUM_HANDS:
        raise MalformedTextError(
            f"{prefix(text)}{len(words):,} bare weights; expected {NUM_HANDS:,}, of 2d2c 2h2c 2h2d ... AsAh, "
            "or hands with weights such as AKs:0.5"
        )
    weights = np.array(words, np.float64)
    if (weights > 1).any():
        hand = int(np.argmax(weights > 1))
        raise MalformedTextError(
            f"{prefix(text)}weight {words[hand]} of {hand_name(hand)}; expected numbers from 0 to 1"
        )
    return weights


def _parts(text: str, where: str, offset: int) -> Iterator[_Part]:
    """The parts of a text that begins ``offset`` characters after the first one."""
    place = 0
    heading: float | None = None
    bracket: tuple[str, float] | None = None
    while place < len(text):
        if text[place] in ",;" or text[place].isspace():
            place += 1
            continue
        position = offset + place + 1
        if (closing := _CLOSING.match(text, place)) is not None:
            if bracket is None or float(bracket[0]) != float(closing[1]):
                raise MalformedTextError(f"{where}{closing[0]!r} at position {position} closes no bracket")
            bracket, place = None, closing.end()
        elif (opening := _OPENING.match(text, place)) is not None:
            if bracket is not None:
                raise MalformedTextError(f"{where}{opening[0]!r} at position {position} is inside of [{bracket[0]}]")
            bracket = opening[1], read_weight(opening[1] + "%", where, position)
            place = opening.end()
        elif found := _HEADING.match(text, place) or _HEADING_ONLY.match(text, place):
            number = found[0].partition(":")[0].rstrip(" %\t\n")
            heading, place = read_weight(number + "%", where, position), found.end()
        elif (best := _BEST.match(text, place)) is not None:
            if float(best[1]) != 100:
                raise MalformedTextError(
                    f"{where}{_cut(best[0])} at position {position}: programs differ in which hands are the best "
                    f"{best[1]} %; expected hands such as QQ+,AKs, 100%, or AKs:50% for a weight"
                )
            yield _Part(list(range(NUM_HANDS)), 1.0, position)
            place = best.end()
        else:
            match = _PART.match(text, place)
            assert match is not None  # the pattern takes any text that is no separator
            weight = 1.0 if heading is None else heading
            weight = weight if bracket is None else bracket[1]
            yield _part(match[0], weight, where, position)
            place = match.end()
    if bracket is not None:
        raise MalformedTextError(f"{where}[{bracket[0]}] is not closed; expected [/{bracket[0]}] at the end")


def _part(text: str, weight: float, where: str, position: int) -> _Part:
    body, sign, given = text, "", ""
    if (separator := re.search(r"[:@]", text)) is not None:
        body, sign, given = text[: separator.start()], separator[0], text[separator.end() :]
    if sign:
        at = position + len(text) - len(given.lstrip())
        given = given.strip()
        if sign == "@":
            if re.fullmatch(r"0*\.[0-9]*[1-9][0-9]*", given):
                raise MalformedTextError(
                    f"{where}weight {given!r} at position {at} after @ is a percent; expected @50 or :0.5 for half"
                )
            given = f"{plain}%" if (plain := given.removesuffix("%").rstrip()) else ""
        weight = read_weight(given, where, at)
    return _Part(_hands_of(body.rstrip(), where, position), weight, position)


def _hands_of(typed: str, where: str, position: int) -> list[int]:
    """The hands that one part without its weight stands for."""
    body = typed.replace("10", "T").translate(_SYMBOLS)
    text = normal(body)
    if text.lower() in _EVERYTHING:
        return list(range(NUM_HANDS))
    place = f"{where}{_cut(typed)} at position {position}"
    if _TWO_CARDS.fullmatch(body):
        first, second = (parse_card(half) for half in _CARD.findall(body))
        if first == second:
            raise MalformedTextError(f"{place} is the same card twice")
        return [_number(first, second)]
    if (suits := _TWO_SUITS.fullmatch(body)) is not None:
        return _of_suits(*suits.groups())
    if (ace := re.fullmatch(r"A[X*]([so])", text)) is not None:
        text = f"A2{ace[1]}+"
    if (any_rank := re.fullmatch(rf"([{RANKS}])[X*]([so]?)", text)) is not None:
        rank, kind = any_rank.groups()
        doubtful = f"A{rank}{kind}" if kind else 2 * rank
        right = f"{rank}2{kind}+" if rank != "2" else f"A2{kind}, K2{kind} and so on"
        raise MalformedTextError(f"{place} leaves open whether {doubtful} belongs to it; expected {right}")
    if re.fullmatch(rf"{_CARD.pattern}[X*]?", body, re.IGNORECASE | re.ASCII):
        raise MalformedTextError(f"{place} is one card; expected two, as AsKh, or AhXh for all of one suit")
    pattern = rf"([{RANKS}])([{RANKS}])([so]?)"
    match = re.fullmatch(rf"{pattern}(\+|-{pattern})?", text)
    if match is None:
        raise MalformedTextError(f"{place} is no hand; expected the like of AKs, QQ+, JJ-88, A5s-A2s or AsKh")
    high, low = sorted((RANKS.index(match[1]), RANKS.index(match[2])), reverse=True)
    kind = match[3]
    if high == low and kind:
        raise MalformedTextError(f"{place}: a pair is neither suited nor offsuit")
    pairs = [(high, low)]
    if match[4] == "+":
        pairs = (
            [(each, each) for each in range(low, 13)] if high == low else [(high, each) for each in range(low, high)]
        )
    elif match[4]:
        last_high, last_low = sorted((RANKS.index(match[5]), RANKS.index(match[6])), reverse=True)
        same_gap, same_card = high - low == last_high - last_low, high == last_high and high != low != last_high
        if match[7] != kind or not (same_gap or (same_card and last_high != last_low)):
            raise MalformedTextError(
                f"{place}: a span keeps the higher card (A5s-A2s) or the distance of the cards (JJ-88, JTs-54s), "
                "and the suits"
            )
        lows = range(min(low, last_low), max(low, last_low) + 1)
        pairs = [(each + high - low if same_gap else high, each) for each in lows]
    hands: list[int] = []
    for high, low in pairs:
        row, column = 12 - high, 12 - low
        if kind != "o":
            hands += class_hands(row * 13 + column)
        if high != low and kind != "s":
            hands += class_hands(column * 13 + row)
    return hands


def _of_suits(first: str, suit: str, second: str, other: str) -> list[int]:
    """The hands of two suits, one with each rank; ``X`` or ``*`` is any rank."""
    ranks = [RANKS if rank in "xX*" else rank.upper() for rank in (first, second)]
    cards = [
        [parse_card(rank + side.lower()) for rank in some] for some, side in zip(ranks, (suit, other), strict=True)
    ]
    return sorted({_number(one, two) for one in cards[0] for two in cards[1] if one != two})


def _number(first: int, second: int) -> int:
    high, low = max(first, second), min(first, second)
    return high * (high - 1) // 2 + low


def _cut(text: str) -> str:
    return repr(text if len(text) <= _LONGEST else text[:_LONGEST] + "...")
