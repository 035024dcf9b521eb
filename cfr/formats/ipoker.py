"""iPoker's XML: sessions of games, whose actions have numbers for words and suits before ranks.

Actions have numbers that say their order; some programs write them by player.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from xml.etree import ElementTree

from cfr.formats.amount import MILLIONTHS, amount
from cfr.formats.skipped import CUT_OFF, NO_LIMIT, OddHandError
from cfr.formats.told_hand import Told, ToldHand
from cfr.system.errors import MalformedTextError

GAME_TYPE = re.compile(r"<gametype>([^<]{0,100})</gametype>")
_STAKES = re.compile(
    r"(?:\bLH\b|(?<!No )(?<!Pot )\bLimit Hold'?em|Hold'?em (?:Limit|L|FL)\b)"
    r".*?\D{0,3}([0-9.,]+)\D{0,3}/\D{0,3}([0-9.,]+)\D{0,4}$"
)
_WORDS = {"0": "folds", "3": "calls", "4": "checks", "5": "bets", "6": "raises", "23": "raises"}
_BLINDS = {"1": "small", "2": "big"}
_BOARDS = ("Flop", "Turn", "River")
_ALL_IN, _RAISE_TO = "7", "23"
_SITS_OUT = ("8", "9")
_BARE = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)")
_LAST = 1 << 30  # the place of an action that has none
_CARD = re.compile(r"[CDHS](10|[2-9TJQKA])", re.IGNORECASE)


def read(site: str, number: str, lines: Sequence[tuple[int, str]], at: Callable[[int], None], kind: str) -> ToldHand:
    """A ``<game>`` of a session of some kind; errors as :func:`cfr.formats.pokerstars_reader.read`."""
    text = "\n".join(line for _, line in lines)
    begin, end = text.find("<game "), text.find("</game>")
    if text.count("<game ") > 1:
        raise MalformedTextError("two hands begin in one line")
    if end < 0:
        raise OddHandError(CUT_OFF, "the text ends before </game>")
    if "<!" in text[begin:end]:
        raise MalformedTextError("a declaration; expected elements only")
    try:
        game = ElementTree.fromstring(_BARE.sub("&amp;", text[begin : end + len("</game>")]))
    except ElementTree.ParseError as error:
        at(lines[min(error.position[0], len(lines)) - 1][0])
        raise MalformedTextError(f"no XML: {str(error).partition(':')[0]}") from None
    hand = ToldHand(site, number, lines[0][0], is_whole=True, returns_uncalled=True)
    stakes = _STAKES.search(kind)
    if stakes is None:
        raise OddHandError(NO_LIMIT, f"{kind[:80]!r}; expected limit hold'em")
    actions = [each for each in game.iter("action") if each.get("type") not in _SITS_OUT]
    acting = {each.get("player", "") for each in actions}
    players = list(game.iter("player"))
    for player in players:
        name = player.get("name", "")
        if not name:
            continue  # an empty seat
        if name in hand.stacks:
            raise MalformedTextError(f"player {name!r} is there twice")
        if len(players) > 2 and len(acting) == 2 and name not in acting:
            continue  # sits out
        hand.stacks[name] = _chips(player.get("chips"))
        if player.get("dealer") == "1":
            hand.button = name
        if (won := _chips(player.get("win"))) > 0:
            hand.collected[name] = won
    if len({each.get("no", id(each)) for each in actions}) < len(actions):
        raise MalformedTextError("two actions have one number")
    for each in _in_order(game):
        if each.tag == "cards":
            _deal(hand, each)
        elif each.get("type") not in _SITS_OUT:
            _act(hand, each)
    if "big" in hand.posts:
        hand.bets = hand.posts["big"][1], 2 * hand.posts["big"][1]
    return hand


def _in_order(game: ElementTree.Element) -> Iterator[ElementTree.Element]:
    """Cards and actions round by round: first the cards, then the actions by their numbers."""
    for each in sorted(game.iter("round"), key=_number):
        yield from each.iter("cards")
        yield from sorted(each.iter("action"), key=_number)


def _number(each: ElementTree.Element) -> int:
    found = each.get("no", "")
    return int(found) if re.fullmatch("[0-9]{1,6}", found) else _LAST


def _deal(hand: ToldHand, each: ElementTree.Element) -> None:
    cards = (each.text or "").replace(",", " ").split()
    text = f"{each.get('type')} {' '.join(cards)}"
    if not cards or any("x" in card.lower() for card in cards):
        return
    if wrong := [card for card in cards if not _CARD.fullmatch(card)]:
        raise MalformedTextError(f"card {wrong[0]!r}; expected a suit and a rank, such as H7")
    joined = "".join(f"{card[1:].replace('10', 'T')}{card[0].lower()}" for card in cards)
    if each.get("type") == "Pocket":
        hand.told.append(Told(hand.line, "shows", each.get("player", ""), cards=joined, text=text))
    elif each.get("type") in _BOARDS:
        hand.told.append(Told(hand.line, "board", cards=joined, text=text))


def _act(hand: ToldHand, each: ElementTree.Element) -> None:
    name, kind, chips = each.get("player", ""), each.get("type", ""), _chips(each.get("sum"))
    text = f"{name} {_WORDS.get(kind, f'type {kind}')} {chips / MILLIONTHS:g}"
    if kind in _BLINDS:
        if _BLINDS[kind] in hand.posts:
            raise MalformedTextError(f"two {_BLINDS[kind]} blinds")
        hand.posts[_BLINDS[kind]] = name, chips, False, hand.line
    elif kind in _WORDS:
        to = chips if kind == _RAISE_TO or _WORDS[kind] == "bets" else None
        hand.told.append(Told(hand.line, _WORDS[kind], name, chips, to, text=text))
    elif kind == _ALL_IN:
        hand.told.append(Told(hand.line, "all-in", name, chips, text=f"{name} is all-in", is_all_in=True))
    else:
        raise MalformedTextError(f"action of type {kind!r}")


def _chips(text: str | None) -> int:
    return amount(re.sub(r"[^0-9.,\u2212\u2013-]", "", text or "") or "0")
