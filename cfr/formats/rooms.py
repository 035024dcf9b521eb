"""Texts of card rooms: where each hand begins, whose it is, and who reads it.

A line that begins a hand ends the hand before it, whatever its room, its language or the digits of its number.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from cfr.formats import ipoker, irc, pokerstars_reader, spoken
from cfr.formats.glued import glued
from cfr.formats.header import header_pattern
from cfr.formats.skipped import CUT_OFF, NUMBER, SITE, OddHandError, Omissions, located
from cfr.formats.told_hand import ToldHand, play
from cfr.game.betting import BettingTree
from cfr.game.hand import LoggedHand
from cfr.system.errors import CfrError, MalformedTextError

Lines = Sequence[tuple[int, str]]  # numbers from 1, and lines
Reader = Callable[[str, str, Lines, Callable[[int], None]], ToldHand]


@dataclass(frozen=True)
class _Room:
    """A card room: the pattern of the line that begins its hands, of which a group is the number, and its reader."""

    site: str
    header: re.Pattern[str]
    read: Reader | None = None


_ROOMS = [
    _Room(
        "PokerStars",
        header_pattern(r"(?i:PokerStars(?: [a-z]{1,9}){0,3} (?:Hand|Game) #)([0-9]{1,40})(?: \[[^][]{1,40}\])?:.*\("),
        pokerstars_reader.read,
    ),
    _Room("GGPoker", header_pattern(r"Poker Hand #([A-Z]{0,4}[0-9]{1,40}): .*\("), pokerstars_reader.read),
    _Room("Winamax", header_pattern(r"Winamax Poker - .* - HandId: #([0-9-]{1,60}) - "), spoken.read_winamax),
    _Room(
        "Full Tilt",
        header_pattern(r"Full ?Tilt ?Poker(?:\.fr)? Game #([0-9]{1,40})(?: \(partial\))?: "),
        spoken.read_full_tilt,
    ),
    # Since 2016 on PokerStars' tables.
    _Room("Full Tilt", header_pattern(r"Full ?Tilt Hand #([0-9]{1,40}): .*\("), pokerstars_reader.read),
    _Room("888", header_pattern(r"\*{5} ?(?:888|Pacific|Cassava)[^*]{0,60} ([0-9]{1,40}) \*{5}")),
    _Room("PartyPoker", header_pattern(r"\*{5} Hand History [Ff]or Game ([0-9]{1,40})\w* \*{5}"), spoken.read_party),
    _Room("OnGame", header_pattern(r"\*{5} History for hand ([A-Z0-9-]{1,60}) \*{5}"), spoken.read_ongame),
    _Room("Bovada", header_pattern(r"(?:Bovada|Ignition|Bodog)\b.{0,30} Hand #([0-9]{1,40})")),
    _Room("Winning Poker", header_pattern(r"(?:Game ID: |Hand #)([0-9]{5,40}) (?:- |[0-9.]+/)")),
    _Room("iPoker", header_pattern(r'\s*<game gamecode="([0-9]{1,40})".*')),
    _Room("Merge", header_pattern(r'<game id="([0-9-]{1,60})"')),
    _Room("Everest", header_pattern(r'<HAND .*id="([0-9]{1,40})"')),
    _Room("Absolute", header_pattern(r"Stage #([0-9]{1,40}): ")),
    _Room("Boss", header_pattern(r'<HISTORY ID="([0-9]{1,40})"')),
    _Room("Microgaming", header_pattern(r'<Game hhversion="[0-9]{1,4}" id="?([0-9]{1,40})')),
]
_WORD = r"(?:hand|game|mano|main|mão|mao|hånd|hand-?id|spiel|giocata|mäng|käsi|ręka|рука|раздача|partie|juego|jogo)"
_NUMBER = r"(?:n\.?\s?[º°]|#|№|nr\.?|no\.?|:)"
_STRANGE = re.compile(rf"(?i).{{0,60}}?\b{_WORD}\b.{{0,20}}?{_NUMBER}\s*:?\s*([a-z]{{0,4}}[0-9][0-9-]{{5,59}})")
# The line that begins a hand of a room that is known, with something wrong in it.
_DAMAGED = re.compile(
    r"(?:PokerStars|Poker|Winamax Poker|Full ?Tilt ?Poker)\b.{0,60} #\S{1,60} .* - .*[0-9]"
    r"|\*{4,} ?[^*]{0,40}\b[Hh]istory\b"
)
_AFTER_GAP = re.compile(r".{0,60}?(?:#|№|n\.?\s?[º°])\s*:?\s*([A-Z]{0,4}[0-9]{4,60})\b|.{0,60}?\b([0-9]{8,60})\b")
_BETWEEN = re.compile(
    r"(?:Hand #[0-9]{1,9}:|\*{3,} ?# ?[0-9]{1,9} ?\*{3,}|Game #[0-9]+ starts\.|#Game No ?: ?[0-9]+)\s*"
)
_INNER = re.compile(
    r"(?:Seat|Table|Total pot|Board|Dealt to|Uncalled|Hand (?:#[0-9]+ has been )?cancell?ed|<\?xml |<session |\*\*\*"
    r"|\*\* |[^\"]{1,60} said, \")"
)
# Each line that can begin a hand has one of #, №, <, *****, Game ID or six digits; the rest of a hand, nearly all of a
# log, has none. The set of first characters makes the search twice as fast.
_MAY_BEGIN = re.compile(r"[#№<*G0-9S](?:(?<=S)TATE:|(?<=[#№<])|(?<=\*)\*{4}|(?<=G)ame ID|(?<=[0-9])[0-9-]{5})")
# A player's seat, in any language: two of them are of a hand, whatever its first line.
_SEATED = re.compile(r"[^\W\d_]{1,12} ?#?[0-9]{1,2} ?[:\uff1a].{1,100}[(\uff08][^0-9]{0,4}[0-9]")
_PLAYERS = 2
_WITH_CARDS = re.compile(r"\[ ?(?:10|[2-9TJQKA])[cdhs](?:,? (?:10|[2-9TJQKA])[cdhs])* ?\]")
_CHAT = ' said, "'
_BLANKS = "\t\u00a0\u202f"
_OF_PAGES = "\f\v"
_START = 12  # characters of a line that begins a hand, which no room has twice in it
# Where a file without a last line end was followed by another one.
_GLUED = re.compile("|".join(f"(?:{room.header.pattern})" for room in _ROOMS[:8]).replace("([", "(?:["))
_DAY = re.compile(r"\b([12][0-9]{3})[-/]([01][0-9])[-/]([0-3][0-9])\b")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"({'|'.join(_MONTHS)})[a-z]{{0,6}}"
# "April 25, 09:42:13 BST 2011", "Tue Jul 24 19:12:45 CEST 2012", and "20-Mar-2011".
_DAY_IN_WORDS = re.compile(rf"(?i)\b{_MONTH} ([0-3]?[0-9])\b.{{0,30}}?\b([12][0-9]{{3}})(?![0-9:])")
_DAY_BEFORE_MONTH = re.compile(rf"(?i)\b([0-3]?[0-9])[- ]{_MONTH}[- ,]{{1,2}}([12][0-9]{{3}})(?![0-9])")
_QUOTED = re.compile(r"(?:[>|]\s?|\s)*")


@dataclass
class _Part:
    """The lines of one hand, before they are read."""

    room: _Room
    number: str
    lines: list[tuple[int, str]]
    kind: str = ""  # of an XML session's games


def begins_a_hand(text: str) -> bool:
    """Whether a text has a line that begins a hand of a room."""
    return any(_header(line.lstrip("> |")) for _, line in _numbered(_with_blanks(text)))


def read(text: str, tree: BettingTree, omissions: Omissions | None) -> Iterator[LoggedHand]:
    """The hands of a text with LF at its line ends; lines before the first hand are passed over.

    Copies of one hand count once, with the cards that any of them shows.

    Args:
        text: the log.
        tree: the game's betting.
        omissions: takes the hands that are not read; without it, the first one is an error.

    Raises:
        CfrError: without ``omissions``, a hand that is not read; the message names line and hand.
        MalformedTextError: a text without a hand.
    """
    found: dict[tuple[str, str], tuple[int, LoggedHand]] = {}
    last = 0 if text.endswith("\n") else text.count("\n") + 1  # the number of a line that may be cut off
    order: list[tuple[str, str]] = []
    for part in _parts(_with_blanks(text)):
        place = deque([part.lines[0][0]], maxlen=1)
        try:
            hand = _read(part, tree, place.append)
            key = part.room.site, part.number
            if key in found:
                place[0] = part.lines[0][0]
                hand = merged(found[key][1], hand)
                if omissions is not None:
                    omissions.copies += 1
            else:
                order.append(key)
            found[key] = place[0], hand
        except CfrError as refused:
            error = refused
            if place[0] == part.lines[-1][0] == last and _is_cut_off(part, tree, refused):
                error = OddHandError(CUT_OFF, f"{part.lines[-1][1][:80]!r}: the text ends before the hand is over")
            if omissions is None:
                raise located(error, f"line {place[0]}: hand {part.number}: ") from None
            omissions.add(place[0], part.number, error)
    if not order and (omissions is None or not omissions.skipped):
        expected = "lines that begin with PokerStars Hand #"
        if irc.is_of_database(text.partition("\n")[0]):
            expected = "the IRC poker database's files with their names, hdb, hroster and pdb.NAME, in one folder"
        raise MalformedTextError(f"line 1: no hand of PokerStars or of another card room; expected {expected}")
    for key in order:
        yield found[key][1]


def _with_blanks(text: str) -> str:
    """The text with plain blanks for tabs and for what web pages and word processors write, without ends of pages."""
    for each in _BLANKS:
        text = text.replace(each, " ")
    for each in _OF_PAGES:
        text = text.replace(each, "")
    return text


def _read(part: _Part, tree: BettingTree, at: Callable[[int], None]) -> LoggedHand:
    header = part.lines[0][1]
    for number, line in part.lines:
        if _CHAT in line and not line.endswith('"', line.index(_CHAT) + len(_CHAT)):
            at(number)
            raise MalformedTextError(f"{line[:100]!r}: chat that goes on in the next line; expected it in one line")
    if header.count(header[:_START]) > 1:
        raise MalformedTextError(f"{header[:100]!r}: two hands begin in one line")
    if part.room.site == "iPoker":
        told = ipoker.read(part.room.site, part.number, part.lines, at, part.kind)
    elif part.room.read is None:
        raise OddHandError(SITE, f"a hand of {part.room.site}, which is not read")
    else:
        told = part.room.read(part.room.site, part.number, part.lines, at)
    if part.room.site != "iPoker" and (place := glued([line for _, line in part.lines], told.stacks)) is not None:
        number, line = part.lines[place]
        at(number)
        raise MalformedTextError(f"{line[:100]!r}: another line begins in it")
    told.day = _day_of(part.lines)
    return play(told, tree, at)


def _is_cut_off(part: _Part, tree: BettingTree, error: CfrError) -> bool:
    """Whether a hand that ends the text, in a line that is not understood, goes on behind that line."""
    if len(part.lines) == 1:
        return True
    try:
        _read(replace(part, lines=part.lines[:-1]), tree, lambda _: None)
    except OddHandError as other:
        return other.reason == CUT_OFF
    except CfrError:
        return False
    return "is no amount" not in str(error)  # whole words


def _day_of(lines: Lines) -> str:
    """The day that the first lines name, year first."""
    for _, line in lines[:4]:
        if found := _DAY.search(line):
            return "-".join(found.groups())
        if found := _DAY_IN_WORDS.search(line):
            month, day, year = found.groups()
        elif found := _DAY_BEFORE_MONTH.search(line):
            day, month, year = found.groups()
        else:
            continue
        return f"{year}-{_MONTHS.index(month.lower()) + 1:02}-{int(day):02}"
    return ""


def _parts(text: str) -> Iterator[_Part]:
    part: _Part | None = None
    after_gap, quoted, kind = True, "", ""
    looked_at: set[int] = set()
    reached, line_number = 0, 1
    nobodys: list[tuple[int, str]] = []  # lines of a paragraph before any hand
    for found in _MAY_BEGIN.finditer(text):
        line_number += text.count("\n", reached, found.start())
        reached = found.start()
        looked_at.add(line_number)
    for number, raw in _numbered(text):
        line = raw.rstrip().removeprefix("\ufeff")
        if quoted:
            line = line.removeprefix(quoted) if line.startswith(quoted) else line.removeprefix(quoted.rstrip())
        if not line:
            after_gap = True
            continue
        begins_alike = part is not None and part.room.site and line.startswith(part.lines[0][1][:_START])
        if part is not None and not after_gap and number not in looked_at and not begins_alike:
            part.lines.append((number, line))
            continue
        if part is not None and not quoted and (place := _header_within(line)):
            part.lines.append((number, line[:place]))
            line = line[place:]
        if "<gametype>" in line and (game := ipoker.GAME_TYPE.search(line)):
            kind = game[1]
        start = line if part is not None else _QUOTED.sub("", line, count=1)
        begin = _header(start) or _of_match(start)
        if begin is None and not _BETWEEN.fullmatch(line):
            begin = _unknown(line) if begins_alike else _strange(start, after_gap and part is not None)
        again = _QUOTED.match(line) if begin is None and part is not None and after_gap and not quoted else None
        if again and again[0]:
            begin, start = _header(line[again.end() :]), line[again.end() :]
        if begin is not None:
            if part is not None:
                yield part
            quoted = line[: len(line) - len(start)] or quoted
            part = _Part(begin[0], begin[1], [(number, start)], kind)
        elif _BETWEEN.fullmatch(line):
            if part is not None:
                yield part
                part = None
        elif part is not None:
            part.lines.append((number, line))
        else:
            nobodys = [*([] if after_gap else nobodys), (number, line)]
            if sum(bool(_SEATED.match(said)) for _, said in nobodys) == _PLAYERS or _WITH_CARDS.search(line):
                part = _Part(_HEADLESS, _unknown(nobodys[0][1])[1], nobodys)
        after_gap = False
    if part is not None:
        yield part


def _numbered(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers; each game of XML that is in one line counts as a line of this number."""
    lines = enumerate(text.split("\n"), 1)
    if "<game " not in text:
        return lines
    return ((number, part) for number, line in lines for part in re.split("(?<=.)(?=<game )", line))


def _header(line: str) -> tuple[_Room, str] | None:
    """The room and the number of a line that begins a hand of a room that is known."""
    if (
        not line.startswith("STATE:")
        and "#" not in line
        and "*****" not in line
        and "<" not in line
        and "Game ID" not in line
    ):
        return None
    for room in _ROOMS:
        if (found := room.header.match(line)) and not _BETWEEN.fullmatch(line):
            return room, found[1]
    return None


def _of_match(line: str) -> tuple[_Room, str] | None:
    """The same of a line of a match, which a ``.log`` has."""
    found = re.match(r"STATE:([0-9]{1,18}):[^:]*:[^:]*:[^:]*:", line) if line.startswith("STATE:") else None
    return (_MATCH, found[1]) if found else None


def _header_within(line: str) -> int:
    """Where in a line of a hand the next hand begins, or 0."""
    found = None if "said, " in line or _header(line) else _GLUED.search(line, 1)
    before = line[: found.start()] if found else ""
    # A room that is not known, such as "Coin" before "Poker Hand #", is one word or ends with a space.
    return len(before) if " " in before and not before.endswith(" ") else 0


def _strange(line: str, after_gap: bool) -> tuple[_Room, str] | None:
    """The same of a line that seems to begin a hand of a room or language that is not known."""
    if re.search(r": (?:folds|checks|calls|bets|raises|posts|shows|mucks)\b| said, ", line):
        return None
    if _DAMAGED.match(line):
        return _unknown(line)
    if _INNER.match(line):
        return None
    found = _STRANGE.match(line) or (_AFTER_GAP.match(line) if after_gap else None)
    if found is None:
        return None
    return _UNKNOWN, next(filter(None, found.groups()), "")


def _unknown(line: str) -> tuple[_Room, str]:
    """No room, and the number of a hand in a damaged line that begins it."""
    return _UNKNOWN, (re.search("[0-9]{4,60}", line) or [""])[0]


def _read_unknown(site: str, number: str, lines: Lines, at: Callable[[int], None]) -> ToldHand:
    raise OddHandError(SITE, f"{lines[0][1][:80]!r}: a hand in a language or of a site that is not known")


def _read_headless(site: str, number: str, lines: Lines, at: Callable[[int], None]) -> ToldHand:
    said = f"{lines[0][1][:80]!r}: a hand without its first line, or in a language or of a site that is not known"
    raise OddHandError(SITE, said)


def _read_state(site: str, number: str, lines: Lines, at: Callable[[int], None]) -> ToldHand:
    raise OddHandError(SITE, f"{lines[0][1][:80]!r}: a line of an ACPC log among hands of card rooms; expected a .log")


_MATCH = _Room("ACPC", re.compile("(?!)"), _read_state)
_UNKNOWN = _Room("", re.compile("(?!)"), _read_unknown)
_HEADLESS = _Room("", re.compile("(?!)"), _read_headless)


def merged(one: LoggedHand, other: LoggedHand) -> LoggedHand:
    """One hand of two copies; raises OddHandError if they are not of one hand."""
    same = (one.players, one.seen.state.line_string, one.seen.board, one.rake) == (
        other.players,
        other.seen.state.line_string,
        other.seen.board,
        other.rake,
    )
    pairs = list(zip(one.seen.hands, other.seen.hands, strict=True))
    if not same or any(first and second and set(first) != set(second) for first, second in pairs):
        raise OddHandError(NUMBER, "was there before, with other lines")
    first, second = ((mine or theirs) for mine, theirs in pairs)
    if set(first) & set(second):
        raise OddHandError(NUMBER, "was there before, with other lines")
    return replace(one, seen=replace(one.seen, hands=(first, second)), won=one.won or other.won)
