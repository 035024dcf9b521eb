"""Texts of rooms that tell actions without a colon, ``Ann raises $1 to $2``: Winamax, Full Tilt, PartyPoker, OnGame.

The rooms differ in words only: a :class:`_Words` has the patterns of one of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from re import Pattern

from cfr.formats.amount import SIGNED, UNSIGNED, amount
from cfr.formats.glued import check_alone, is_action
from cfr.formats.header import header_pattern
from cfr.formats.skipped import CANCELLED, CUT_OFF, NO_LIMIT, PLAYERS, STAKES, OddHandError
from cfr.formats.told_hand import Told, ToldHand
from cfr.system.errors import MalformedTextError
from cfr.system.text import counted

_CHIPS = rf"[(\[]?{UNSIGNED}{{0,2}}({SIGNED}) ?(?:€|[A-Z]{{3}})?[)\]]?"
_ALL_IN = r"(,? and is all[- ]in| \[all[- ]in\])?"
_CARDS = r"\[ ?([^][]{2,14}?) ?\]"
_WORD = {"raise": "raises", "bet": "bets", "call": "calls", "check": "checks", "fold": "folds"}


@dataclass(frozen=True)
class _Words:
    """Patterns of one room's lines.

    ``stakes`` finds the bets of a limit hold'em table, ``shared`` the winners of a pot that is split,
    ``balance`` a summary's line of a player, with the name and what was collected.
    """

    stakes: Pattern[str]
    seat: Pattern[str]
    button: Pattern[str]
    board: Pattern[str]
    dealt: Pattern[str]
    collected: Pattern[str]
    end: Pattern[str]
    pot: Pattern[str] | None = None
    rake: Pattern[str] | None = None
    summed_up: Pattern[str] | None = None
    uncalled: Pattern[str] | None = None
    shared: Pattern[str] | None = None
    balance: Pattern[str] | None = None
    returns_uncalled: bool = False


_WINAMAX = _Words(
    stakes=header_pattern(rf"Winamax .* - Holdem fixed limit \({_CHIPS}/{_CHIPS}\) - .*"),
    seat=re.compile(rf"Seat ([0-9]{{1,2}}): (.{{1,100}}) \({_CHIPS}\)"),
    button=re.compile(r"Table:? .* Seat #([0-9]{1,2}) is the button"),
    board=re.compile(rf"\*\*\* (FLOP|TURN|RIVER) \*\*\*:? (?:\[[^][]+\] ?)?{_CARDS}"),
    dealt=re.compile(rf"Dealt to (.{{1,100}}) {_CARDS}"),
    collected=re.compile(rf"(.{{1,100}}) collected {_CHIPS} from (?:main )?pot"),
    end=re.compile(r"\*\*\* SUMMARY \*\*\*"),
    pot=re.compile(rf"Total pot {_CHIPS} \|.*"),
    rake=re.compile(rf".*\| (?:Rake {_CHIPS}|No rake)"),
    summed_up=re.compile(rf"Board:? {_CARDS}"),
    returns_uncalled=True,
)
_FULL_TILT = _Words(
    stakes=header_pattern(
        rf"Full ?Tilt.* - (?:{_CHIPS}/{_CHIPS} - (?:Fixed )?Limit Hold'em|"
        rf"(?:(?:Fixed )?Limit|FL) Hold'em - {_CHIPS}/{_CHIPS}) - .*"
    ),
    seat=_WINAMAX.seat,
    button=re.compile(r"The button is in seat #([0-9]{1,2})"),
    board=re.compile(rf"{_WINAMAX.board.pattern}(?: \(Total Pot: .*\))?"),
    dealt=_WINAMAX.dealt,
    collected=re.compile(rf"(.{{1,100}}?) (?:wins|ties for) the pot {_CHIPS}.*"),
    end=_WINAMAX.end,
    pot=_WINAMAX.pot,
    rake=_WINAMAX.rake,
    summed_up=_WINAMAX.summed_up,
    uncalled=re.compile(rf"Uncalled bet of {_CHIPS} returned to (.{{1,100}})"),
)
# The room's older texts have a summary.
_PARTY = _Words(
    stakes=header_pattern(
        rf"{_CHIPS}/{_CHIPS} (?:(?:FL )?(?:Texas )?Hold'em|Texas ?H(?:old'em )?T?GameTable \(Limit\)"
        r"|Texas Hold'em Game Table \(Limit\)) - .*"
    ),
    seat=re.compile(rf"Seat ([0-9]{{1,2}}): (.{{1,100}}) \( ?{_CHIPS} ?\)"),
    button=re.compile(r"(?:Table .* -- )?Seat ([0-9]{1,2}) is the button"),
    board=re.compile(rf"\*\* Dealing (Flop|Turn|River) \*\*(?: ?: ?)? *{_CARDS}"),
    dealt=_WINAMAX.dealt,
    collected=re.compile(rf"(.{{1,100}}) wins {_CHIPS}(?: .*)?"),
    end=re.compile(r"\*\* Summary \*\*"),
    pot=re.compile(rf"Main Pot: {_CHIPS}(?: .*)?"),
    rake=re.compile(rf".* Rake: {_CHIPS}"),
    summed_up=re.compile(rf"Board: {_CARDS}"),
    balance=re.compile(rf"(.{{1,100}}) balance .*?, (?:.*\bcollected {_CHIPS}.*|(?:lost|didn't bet|sits out).*)"),
    returns_uncalled=True,
)
_ONGAME = _Words(
    stakes=re.compile(rf"Table: .*\(LIMIT TEXAS_HOLDEM {_CHIPS}/{_CHIPS}, .*"),
    seat=_WINAMAX.seat,
    button=re.compile(r"Button: seat ([0-9]{1,2})"),
    board=re.compile(rf"--- Dealing (flop|turn|river) {_CARDS}"),
    dealt=re.compile(rf"Dealing to (.{{1,100}}): {_CARDS}"),
    collected=re.compile(rf"(?:Main )?pot: \S+ won by (.{{1,100}}?) \({_CHIPS}\)", re.IGNORECASE),
    shared=re.compile(r"(?:Main )?pot: \S+ won by (.{1,300})", re.IGNORECASE),
    end=re.compile(r"Summary:"),
    pot=re.compile(rf"Main pot: {_CHIPS} won by .*"),
    rake=re.compile(rf"Rake taken: {_CHIPS}"),
)
_GAME = re.compile(r"\d ?(?:€|[A-Z]{3})?/[^\d/]{0,2}\d|Hold'em|Omaha|Stud")  # in the line that names the game
_HEAD = 4  # lines, of which one tells the stakes
PLAYERS_DEALT = 2
_MARKS = ("*** ANTE/BLINDS ***", "*** HOLE CARDS ***", "*** PRE-FLOP ***", "*** SHOW DOWN ***")
_POST = re.compile(rf"posts (?:the )?(small|big) blind (?:of )?{_CHIPS}\.?{_ALL_IN}")
_ACTION = re.compile(rf"(fold|check|call|bet|raise)s(?: {_CHIPS})??(?: to {_CHIPS})?{_ALL_IN}")
_ALL_IN_WITH = re.compile(rf"is all-[Ii]n {{1,2}}{_CHIPS}")
_SHOWS = re.compile(rf"(?:shows|mucks|doesn't show) {_CARDS}.*")
_SUMMED_SHOWN = re.compile(rf".*(?:showed|mucked|, net: \S+,) {_CARDS}.*")
_CANCELLED = re.compile(r"Hand #[0-9]{1,40} has been cancell?ed\.?")
_OBSERVER = re.compile(r".{1,100} \(Observer\): ")
_BALANCE_SHOWN = re.compile(rf"balance .*? (?:net|lost) \S+ {_CARDS}.*")
_SILENT = re.compile(
    r"(?:mucks.*|does not show.*|doesn't show.*|shows .*|has .*|is .*|sits .*|stands .*|joins .*|leaves .*|adds .*|"
    r"will be using .*|(?:could|did) not respond .*|said.*|: .*)"
)


def read_winamax(site: str, number: str, lines: Sequence[tuple[int, str]], at: Callable[[int], None]) -> ToldHand:
    """A hand of Winamax; errors as :func:`cfr.formats.pokerstars_reader.read`."""
    return _read(_WINAMAX, ToldHand(site, number, lines[0][0]), lines, at)


def read_full_tilt(site: str, number: str, lines: Sequence[tuple[int, str]], at: Callable[[int], None]) -> ToldHand:
    """A hand of Full Tilt; errors as :func:`cfr.formats.pokerstars_reader.read`."""
    return _read(_FULL_TILT, ToldHand(site, number, lines[0][0]), lines, at)


def read_party(site: str, number: str, lines: Sequence[tuple[int, str]], at: Callable[[int], None]) -> ToldHand:
    """A hand of PartyPoker; errors as :func:`cfr.formats.pokerstars_reader.read`."""
    return _read(_PARTY, ToldHand(site, number, lines[0][0]), lines, at)


def read_ongame(site: str, number: str, lines: Sequence[tuple[int, str]], at: Callable[[int], None]) -> ToldHand:
    """A hand of OnGame; errors as :func:`cfr.formats.pokerstars_reader.read`."""
    return _read(_ONGAME, ToldHand(site, number, lines[0][0]), lines, at)


def _read(words: _Words, hand: ToldHand, lines: Sequence[tuple[int, str]], at: Callable[[int], None]) -> ToldHand:
    hand.returns_uncalled = words.returns_uncalled
    _check_not_cancelled(lines, at)
    stakes = next((found.groups() for _, text in lines[:6] if (found := words.stakes.fullmatch(text))), None)
    if stakes is None and len(lines) < _HEAD:
        raise OddHandError(CUT_OFF, "the text ends before the hand begins")
    if stakes is None:
        told = next((text for _, text in lines[:6] if _GAME.search(text)), lines[0][1])
        raise OddHandError(NO_LIMIT, f"{told[:80]!r}; expected a table of limit hold'em")
    small, big = filter(None, stakes)
    hand.bets = amount(small), amount(big)
    end = next((place for place, (_, text) in enumerate(lines) if words.end.fullmatch(text)), len(lines))
    chairs, button = _seats(words, hand, lines[1:end], at)
    at(lines[0][0])
    if len(chairs) < PLAYERS_DEALT and not any(_POST.search(text) for _, text in lines):
        raise OddHandError(CUT_OFF, "the text ends before the hand begins")
    if len(chairs) != PLAYERS_DEALT or len(hand.stacks) != PLAYERS_DEALT:
        raise OddHandError(PLAYERS, f"{counted(len(chairs), 'player')}; expected two")
    names = sorted(hand.stacks, key=len, reverse=True)
    chats = tuple(f"{name}: " for name in names)
    marks: set[str] = set()
    for number, text in lines[1:end]:
        at(number)
        if found := words.button.fullmatch(text):
            button = found[1]
        elif board := words.board.fullmatch(text):
            if board[1] in marks:
                raise MalformedTextError(f"{text[:60]!r}: the {board[1].lower()} is there twice")
            marks.add(board[1])
            hand.told.append(Told(number, "board", cards=_joined(board[2]), text=text))
        elif (dealt := words.dealt.fullmatch(text)) and dealt[1] in hand.stacks:
            hand.check_undealt(text)
            hand.told.append(Told(number, "shows", dealt[1], cards=_joined(dealt[2]), text=text))
        elif (won := words.collected.fullmatch(text)) and won[1] in hand.stacks:
            _collect(hand, won[1], won[2])
        elif words.uncalled and (back := words.uncalled.fullmatch(text)):
            check_alone(back[2], names)
            hand.give_back(back[1], text)
        else:
            name = next((each for each in names if text.startswith(f"{each} ")), None)
            if name is not None:
                _hear(hand, number, text, name, text[len(name) + 1 :])
            elif text.startswith("*** ") and text not in _MARKS:
                raise MalformedTextError(f"{text[:60]!r}; expected one of {', '.join(_MARKS)} or a board")
            elif not text.startswith(chats) and not _OBSERVER.match(text):
                check_alone(text, names)
    if button is not None:
        hand.button = chairs.get(button, "")
    hand.is_whole = end < len(lines) or bool(hand.collected)
    for number, text in lines[end + 1 :]:
        at(number)
        _sum_up(words, hand, number, text, chairs)
    return hand


def _check_not_cancelled(lines: Sequence[tuple[int, str]], at: Callable[[int], None]) -> None:
    for number, text in lines:
        if _CANCELLED.fullmatch(text):
            at(number)
            raise OddHandError(CANCELLED, "cancelled by the card room")


def _seats(
    words: _Words, hand: ToldHand, lines: Sequence[tuple[int, str]], at: Callable[[int], None]
) -> tuple[dict[str, str], str | None]:
    """Names by seats, and the button's seat where it is told before the blinds; the hand gets the stacks."""
    chairs: dict[str, str] = {}
    button = None
    for number, text in lines:
        at(number)
        if seat := words.seat.fullmatch(text):
            chairs[seat[1]] = seat[2]
            hand.stacks[seat[2]] = amount(seat[3])
        elif found := words.button.fullmatch(text):
            button = found[1]
        if _POST.search(text):
            break
    return _dealt_in(hand, chairs, lines), button


def _dealt_in(hand: ToldHand, chairs: dict[str, str], lines: Sequence[tuple[int, str]]) -> dict[str, str]:
    """The seats of the two who post or act, where others sit at the table; else all seats."""
    if len(chairs) <= PLAYERS_DEALT:
        return chairs
    names = sorted(hand.stacks, key=len, reverse=True)
    spoken = ((next((each for each in names if text.startswith(f"{each} ")), ""), text) for _, text in lines)
    acting = {name for name, text in spoken if name and is_action(text[len(name) + 1 :])}
    if len(acting) != PLAYERS_DEALT:
        return chairs
    hand.stacks = {name: chips for name, chips in hand.stacks.items() if name in acting}
    return {chair: name for chair, name in chairs.items() if name in acting}


def _collect(hand: ToldHand, name: str, chips: str) -> None:
    if name in hand.stacks:
        hand.collected[name] = hand.collected.get(name, 0) + amount(chips.rstrip(".,"))


def _hear(hand: ToldHand, number: int, text: str, name: str, said: str) -> None:
    if post := _POST.fullmatch(said):
        if post[1] in hand.posts:
            raise OddHandError(STAKES, f"{text[:100]!r}; expected one {post[1]} blind")
        hand.posts[post[1]] = name, amount(post[2]), bool(post[3]), number
    elif said.startswith("posts "):
        raise OddHandError(STAKES, f"{text[:100]!r}; expected a small blind, a big blind and nothing else")
    elif shown := _SHOWS.fullmatch(said):
        check_alone(said, hand.stacks)
        hand.told.append(Told(number, "shows", name, cards=_joined(shown[1]), text=text))
    elif action := _ACTION.fullmatch(said.removesuffix(".")):
        _check_unpaid(hand, text)
        verb, chips, to, all_in = action.groups()
        told = Told(number, _WORD[verb], name, text=text, is_all_in=bool(all_in))
        told.amount = amount(chips.removesuffix(",")) if chips else None
        told.to = amount(to.removesuffix(",")) if to else told.amount if verb == "bet" else None
        if (verb in ("bet", "call") and told.amount is None) or (verb == "raise" and not (chips or to)):
            raise MalformedTextError(f"{text[:100]!r}; expected chips")
        hand.told.append(told)
    elif all_in := _ALL_IN_WITH.fullmatch(said.removesuffix(".")):
        _check_unpaid(hand, text)
        hand.told.append(Told(number, "all-in", name, amount(all_in[1]), text=text, is_all_in=True))
    elif _SILENT.fullmatch(said):
        check_alone(said, hand.stacks)
    else:
        raise MalformedTextError(f"{text[:100]!r}; expected an action such as 'folds' or 'raises $1 to $2'")


def _check_unpaid(hand: ToldHand, text: str) -> None:
    if hand.collected:
        raise MalformedTextError(f"{text[:100]!r} after the pot was collected")


def _sum_up(words: _Words, hand: ToldHand, number: int, text: str, chairs: dict[str, str]) -> None:
    if words.pot and text.startswith(("Total pot", "Main pot", "Main Pot")):
        pot = words.pot.fullmatch(text)
        if pot is None or hand.pot is not None:
            raise MalformedTextError(f"{text[:60]!r}; expected one pot")
        hand.pot = amount(pot[1])
    if words.rake and (rake := words.rake.fullmatch(text)):
        hand.rake = amount(rake[1] or "0")
    if words.summed_up and (board := words.summed_up.fullmatch(text)):
        hand.told.append(Told(number, "repeats", cards=_joined(board[1]), text=text))
    _sum_up_winners(words, hand, text)
    acts = any(text.startswith(f"{name} ") and is_action(text[len(name) + 1 :]) for name in chairs.values())
    if text.startswith("*** ") or words.board.fullmatch(text) or acts:
        raise MalformedTextError(f"{text[:60]!r} after the hand's end")
    for chair, name in chairs.items():
        shown = None
        if text.startswith(f"Seat {chair}: {name} "):
            shown = _SUMMED_SHOWN.fullmatch(text[len(name) + 8 :])
        elif words.balance and text.startswith(f"{name} "):
            shown = _BALANCE_SHOWN.fullmatch(text, len(name) + 1)
        if shown:
            hand.told.append(Told(number, "shows", name, cards=_joined(shown[1]), text=text))


def _sum_up_winners(words: _Words, hand: ToldHand, text: str) -> None:
    """What a line of a summary says of who gets the pot, or a part of it."""
    if (won := words.collected.fullmatch(text)) and won[1] in hand.stacks:
        _collect(hand, won[1], won[2])
    elif words.shared and (shared := words.shared.fullmatch(text)):
        for name in hand.stacks:
            for part in re.finditer(rf"(?:^|, ){re.escape(name)} \({_CHIPS}\)(?=$|, )", shared[1]):
                _collect(hand, name, part[1])
    elif words.balance and (balance := words.balance.fullmatch(text)) and balance[2]:
        _collect(hand, balance[1], balance[2])


def _joined(cards: str) -> str:
    return re.sub(r"[ ,]", "", cards).replace("10", "T")
