"""PokerStars' text of limit hold'em for two, and that of its relatives: GGPoker, converters of home games.

Names stand before a colon: ``Ann: raises $1 to $2``. PokerKit's parser of this text knows no-limit games only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from cfr.formats.amount import SIGNED, UNSIGNED, amount
from cfr.formats.glued import check_alone, is_action
from cfr.formats.header import header_pattern
from cfr.formats.skipped import CANCELLED, CUT_OFF, NO_LIMIT, PLAYERS, STAKES, OddHandError
from cfr.formats.told_hand import Told, ToldHand
from cfr.system.errors import MalformedTextError
from cfr.system.text import counted

_CHIPS = rf"{UNSIGNED}{{0,4}}({SIGNED})(?: ?[€£])?(?: ?[A-Z]{{3}})?"
# Cash games, mixed ones, tournaments of PokerStars and of GGPoker, and mixed tournaments.
_LIMIT = header_pattern(
    r"(?i:Hold['\u2019]?em (?:Fixed )?Limit(?: \(|, "
    r"|\)?(?: -)?(?: Match Round [IVXLCDM]{1,12},)? Level ?[IVXLCDM0-9]{1,12} ?\() ?)"
    rf"{_CHIPS}/{_CHIPS}\)"
)
_TABLE = re.compile(r"Table .*Seat #([0-9]{1,2}) is the button.*")
_SEAT = re.compile(rf"Seat ([0-9]{{1,2}}): (.{{1,100}}) \({_CHIPS} in chips(?:, .{{1,40}} bounty)?\)(.*)")
_BLIND = re.compile(rf"posts (small|big) blind {_CHIPS}( and is all-in)?")
_HAND = r"[^][]{4,7}"  # some converters write 10 for T, or no blank
_BOARD = re.compile(r"\*\*\* (FLOP|TURN|RIVER) \*\*\*(.{0,60})\[([^][]{2,11})\]")
_SUMMED_UP = re.compile(r"Board:? \[([^][]{2,20})\]")
_UNCALLED = re.compile(rf"Uncalled bet \({_CHIPS}\) returned to (.{{1,100}})")
_COLLECTED = re.compile(rf"(.{{1,100}}) collected {_CHIPS} from (?:the )?(?:main )?pot")
_POT = re.compile(rf"Total pot:? {_CHIPS}(.*)")
_RAKE = re.compile(rf"\| ?(?:Rake|Jackpot|Bingo|Fortune|Tax):? {_CHIPS}")
_ACTION = re.compile(
    rf"(?:(folds)(?: \[{_HAND}\])?|(checks)|(calls|bets|raises) {_CHIPS}(?: to {_CHIPS})?)( and is all-in)?"
)
_SHOWS = re.compile(rf"(?:shows|mucks) \[({_HAND})\].*")
_ACTS = re.compile(r"(.{1,100}): (?:folds|checks|calls|bets|raises)\b")
_SILENT = re.compile(r"(?:doesn't show hand|mucks hand|sits out|is sitting out|shows \[.{2,11}\].*|.* said, \".*)")
_DEALT = re.compile(rf"({_HAND})\]")
_SUMMED_SHOWN = re.compile(rf"(?: \([a-z ]{{1,20}}\)){{0,3}} (?:showed|mucked) \[({_HAND})\].*")
_SUMMED = re.compile(r"\) (?:collected|folded|showed|mucked)")
_OF_TOURNAMENT = re.compile(
    r".{1,100} (?:(?:wins|finished) the tournament\b[^:]*"
    r"|wins (?:an? |\D{0,3}[0-9])[^:]{0,40} for (?:eliminating|splitting) .*)"
)
# Of somebody at the table whose name looks like a player's action: "Ann: folds leaves the table".
_OF_ANOTHER = re.compile(
    r".{1,100}(?: (?:leaves|joins) the table(?: at seat #[0-9]{1,2})?| is (?:dis)?connected"
    r"|: (?:sits out|is sitting out))"
)
_OUT = ("out of hand", "sitting out")
PLAYERS_DEALT = 2
_WAITS = ":? (?:is sitting out|sits out|will be allowed to play after the button)$"
_HOLE, _END = "*** HOLE CARDS ***", "*** SUMMARY ***"
_PASSED_OVER = ("*** SHOW DOWN ***", "*** SHOWDOWN ***")


def read(site: str, number: str, lines: Sequence[tuple[int, str]], at: Callable[[int], None]) -> ToldHand:
    """What the lines of one hand say; the first one begins it.

    Raises:
        OddHandError: another game, a hand that was cancelled, antes.
        MalformedTextError: lines that cannot be of one hand.
    """
    hand = ToldHand(site, number, lines[0][0])
    _Reader(hand, at).read(lines)
    return hand


class _Reader:
    def __init__(self, hand: ToldHand, at: Callable[[int], None]) -> None:
        self._hand, self._at = hand, at
        self._chairs: dict[int, str] = {}
        self._marks: set[str] = set()
        self._seated: set[int] = set()  # numbers of lines

    def read(self, lines: Sequence[tuple[int, str]]) -> None:
        hand = self._hand
        _read_header(hand, lines[0][1])
        texts = [text for _, text in lines]
        hole, end = (texts.index(mark) if mark in texts else len(lines) for mark in (_HOLE, _END))
        if "Hand cancelled" in texts:
            at = texts.index("Hand cancelled")
            self._at(lines[at][0])
            raise OddHandError(CANCELLED, "cancelled by the card room")
        button = None
        for number, text in lines[1 : min(hole, end)]:
            self._at(number)
            if text.startswith("Seat ") and (seat := _SEAT.fullmatch(text)):
                self._sit(int(seat[1]), seat[2], seat[3], seat[4])
                self._seated.add(number)
            elif text.startswith("Table ") and (table := _TABLE.fullmatch(text)):
                button = int(table[1])
        self._at(lines[0][0])
        if len(hand.stacks) > PLAYERS_DEALT:
            self._leave_out_who_waits(texts[1:end])
        if len(hand.stacks) < PLAYERS_DEALT and {_HOLE, _END}.isdisjoint(texts):
            raise OddHandError(CUT_OFF, "the text ends before the hand begins")
        if len(hand.stacks) != PLAYERS_DEALT or len(self._chairs) < len(hand.stacks):
            raise OddHandError(PLAYERS, f"{counted(len(hand.stacks), 'player')}; expected two")
        if button is not None:
            hand.button = self._chairs.get(button, "")
        self._begins = [(name, f"{name}: ") for name in sorted(hand.stacks, key=len, reverse=True)]
        for number, text in lines[1:end]:
            if number in self._seated:  # a player may be called "Seat 1"
                continue
            self._at(number)
            self._take(number, text, before_cards=number < lines[hole][0] if hole < len(lines) else True)
        hand.is_whole = end < len(lines)
        for number, text in lines[end + 1 :]:
            self._at(number)
            self._sum_up(number, text)

    def _sit(self, chair: int, name: str, chips: str, said: str) -> None:
        if any(each in said for each in _OUT):
            return
        if chair in self._chairs or name in self._hand.stacks:
            raise MalformedTextError(f"seat {chair} and {name!r} twice")
        self._chairs[chair] = name
        self._hand.stacks[name] = amount(chips)

    def _leave_out_who_waits(self, texts: Sequence[str]) -> None:
        """Leave out players who say that they sit out, or wait for the button, and do not act."""
        said = "\n".join(texts)
        for name in list(self._hand.stacks):
            acts = any(text.startswith(f"{name}: ") and is_action(text[len(name) + 2 :]) for text in texts)
            if not acts and re.search(rf"^{re.escape(name)}{_WAITS}", said, re.MULTILINE):
                del self._hand.stacks[name]

    def _take(self, number: int, text: str, before_cards: bool) -> None:
        hand = self._hand
        if text.startswith("*** ") and (board := _BOARD.fullmatch(text)):
            self._mark(board[1])
            if earlier := "".join(re.findall(r"\[([^][]+)\]", board[2])).replace(" ", ""):
                hand.told.append(Told(number, "repeats", cards=earlier, text=text))
            hand.told.append(Told(number, "board", cards=board[3].replace(" ", ""), text=text))
            return
        name, said = self._said(text)
        if name is not None:
            self._hear(number, text, name, said, before_cards)
        elif text.startswith("Dealt to "):
            for each, _ in self._begins:
                start = f"Dealt to {each} ["
                if text.startswith(start) and (dealt := _DEALT.fullmatch(text, len(start))):
                    hand.check_undealt(text)
                    self._show(number, each, dealt[1], text)
        elif " collected " in text and (won := _COLLECTED.fullmatch(text)) and won[1] in hand.stacks:
            hand.collected[won[1]] = hand.collected.get(won[1], 0) + amount(won[2])
        elif text.startswith("Uncalled bet") and (back := _UNCALLED.fullmatch(text)) and self._is_dealt_in(back[2]):
            hand.give_back(back[1], text)
        elif text.startswith("*** "):
            self._mark(text)
            if text != _HOLE and text not in _PASSED_OVER:
                raise MalformedTextError(f"{text[:60]!r}; expected *** FLOP ***, *** TURN *** or *** RIVER *** once")
        else:
            self._pass_over(text)

    def _is_dealt_in(self, name: str) -> bool:
        """Whether a name that ends a line is of a player; blanks at its end are not in the line."""
        return any(name == each.rstrip() for each in self._hand.stacks)

    def _pass_over(self, text: str) -> None:
        """A line that says nothing of the hand."""
        if text.startswith(("Seat ", "Table ")) or _OF_TOURNAMENT.fullmatch(text):  # read before, or of no hand
            return
        check_alone(text, self._hand.stacks)
        if text.startswith(("Total pot", "Board [")):
            raise MalformedTextError(f"{text[:60]!r} before {_END}")
        if (acts := _ACTS.match(text)) and " said, " not in text:
            raise OddHandError(PLAYERS, f"{text[:100]!r}; {acts[1]} is not dealt in")

    def _mark(self, mark: str) -> None:
        if mark in self._marks:
            raise MalformedTextError(f"{mark} is there twice")
        self._marks.add(mark)

    def _hear(self, number: int, text: str, name: str, said: str, before_cards: bool) -> None:
        hand = self._hand
        if said.startswith("posts "):
            blind = _BLIND.fullmatch(said)
            if blind is None or blind[1] in hand.posts or not before_cards:
                raise OddHandError(STAKES, f"{text[:100]!r}; expected a small blind, a big blind and nothing else")
            hand.posts[blind[1]] = name, amount(blind[2]), bool(blind[3]), number
        elif action := _action(said):
            if hand.collected or not self._marks.isdisjoint(_PASSED_OVER):
                raise MalformedTextError(f"{text[:100]!r} after the showdown")
            kind, chips, to, is_all_in = action
            hand.told.append(Told(number, kind, name, chips, to, "", is_all_in, text))
        elif shown := _SHOWS.fullmatch(said):
            check_alone(said, hand.stacks)
            self._show(number, name, shown[1], text)
        elif _SILENT.fullmatch(said) or _OF_ANOTHER.fullmatch(said):
            check_alone(said, hand.stacks)
        else:
            raise MalformedTextError(f"{text[:100]!r}; expected an action such as 'folds' or 'raises $1 to $2'")

    def _show(self, number: int, name: str, cards: str, text: str) -> None:
        self._hand.told.append(Told(number, "shows", name, cards=cards.replace(" ", ""), text=text))

    def _sum_up(self, number: int, text: str) -> None:
        """The pot, the board, and cards that only the summary has."""
        hand = self._hand
        if text.startswith("Total pot"):
            pot = _POT.fullmatch(text)
            if pot is None or hand.pot is not None:
                raise MalformedTextError(f"{text[:60]!r}; expected one pot")
            hand.pot = amount(pot[1])
            rakes = _RAKE.findall(pot[2])
            hand.rake = sum(map(amount, rakes)) if rakes else None
        elif text.startswith("Board") and (board := _SUMMED_UP.fullmatch(text)):
            hand.told.append(Told(number, "repeats", cards=board[1].replace(" ", ""), text=text))
        elif text.startswith("*** ") or (not _SUMMED.search(text) and _SEAT.fullmatch(text)) or self._acts(text):
            raise MalformedTextError(f"{text[:60]!r} after the hand's end")
        else:
            for chair, name in self._chairs.items():
                start = f"Seat {chair}: {name}"
                if text.startswith(start):
                    self._mark(f"Seat {chair}")
                    if shown := _SUMMED_SHOWN.fullmatch(text, len(start)):
                        self._show(number, name, shown[1], text)

    def _acts(self, text: str) -> bool:
        name, said = self._said(text)
        return name is not None and is_action(said)

    def _said(self, text: str) -> tuple[str | None, str]:
        """Who acts in a line, and what the line says; None for a line of nobody's."""
        for name, begin in self._begins:
            if text.startswith(begin):
                return name, text[len(begin) :]
        return None, ""


@lru_cache(4096)
def _action(said: str) -> tuple[str, int | None, int | None, bool] | None:
    """The kind of an action, its chips, what they are raised to, and whether it says all-in; None for other words."""
    found = _ACTION.fullmatch(said)
    if found is None:
        return None
    folds, checks, bets, chips, to, all_in = found.groups()
    put = amount(chips) if bets else None
    return folds or checks or bets, put, amount(to) if to else put if bets == "bets" else None, bool(all_in)


def _read_header(hand: ToldHand, header: str) -> None:
    if len(re.findall("(?:Hand|Game) {1,3}#[A-Z]{0,4}[0-9]", header)) > 1:
        raise MalformedTextError(f"{header[:100]!r}: two hands begin in one line")
    stakes = _LIMIT.search(header)
    if stakes is None:
        raise OddHandError(NO_LIMIT, f"{header[:100]!r}; expected Hold'em Limit")
    hand.bets = amount(stakes[1]), amount(stakes[2])
