"""Logs of matches and sessions. The name's suffix says the format:

======================== ===================================== ===============
suffix                   format                                games
======================== ===================================== ===============
``.log``, none           ACPC: ``STATE:`` and ``SCORE:`` lines all
``.phhs``                PHH, many hands                       limit hold'em
``.phh``                 PHH, one hand                         limit hold'em
``.txt``, ``.xml``       text of a card room                   limit hold'em
``hdb`` (a name)         the IRC poker database of its folder  limit hold'em
======================== ===================================== ===============
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from io import StringIO
from itertools import count
from pathlib import Path
from typing import TextIO

from cfr.formats import acpc, irc, phh, pokerstars, rooms
from cfr.formats.skipped import Omissions, located
from cfr.game.betting import BettingTree
from cfr.game.hand import HandRecord, LoggedHand, clean_names, require_limit_holdem
from cfr.game.rules import Game
from cfr.system.closing import Closing
from cfr.system.disk.decoded import decoded, other_than_text, with_line_feeds
from cfr.system.disk.file_lock import lock_log
from cfr.system.disk.files import saving
from cfr.system.errors import BadInputError, CfrError, MalformedTextError
from cfr.system.text import counted

MAX_LINE = 100_000  # characters of a log's line; a hand has some hundred
_EXPECTED = "hands of a match or of a card room"
ACPC, PHH, ROOMS = ("", ".log"), (".phh", ".phhs"), (".txt", ".xml")
_NUMBER = re.compile(r"^(?:STATE:|hand = )([0-9]{1,18})\b", re.MULTILINE)
_ACPC_LINE = re.compile(r"\s*(?:TO [12] at [0-9.]+ |S->\s*|ACPC State: ?)?(?:MATCH)?STATE:[0-9]")


class HandLog(Closing):
    """Writes the hands of a match, each at once; a ``with`` block closes it.

    Args:
        path: the file; its suffix says the format.
        game: the rules.
        players: names, the first player's and the second's; characters that separate parts of a line are replaced.
        hands: how many there will be; None if that is open.
        append: add to what is there, instead of replacing it; numbers of hands go on after the highest there.
        number: of the first hand where nothing is there; PokerStars' text has numbers of its own.
        resume: continue an ACPC log that ends in the middle of a match. :meth:`write` then expects the hands of the
            match from the first one on, and compares those that the log has instead of writing them.

    Attributes:
        lines: betting of the hands that the log has.

    Raises:
        BadInputError: a suffix that is none, a game that the format does not describe, several hands
            for ``.phh``, no PokerKit for ``.phh`` and ``.phhs``, or a format that cannot be resumed.
        MalformedTextError, IllegalActionError: a log to resume that cannot be read.
        SaveError: another process is writing it, or the folder cannot be written.
        OSError: the file cannot be read or written.
    """

    def __init__(
        self,
        path: str | Path,
        game: Game,
        players: Sequence[str],
        *,
        hands: int | None = None,
        append: bool = False,
        resume: bool = False,
        number: int = 0,
    ) -> None:
        path = Path(path)
        suffix = _suffix(path, written=True)
        if resume and suffix not in ACPC:
            raise BadInputError(f"{path}: {suffix} cannot be resumed; a .log can")
        if suffix not in ACPC:
            require_limit_holdem(game, suffix)
        with ExitStack() as held:
            held.enter_context(lock_log(path))
            self._open(path, game, clean_names(players), hands, append, resume, number)
            self._held = held.pop_all()

    def _open(
        self,
        path: Path,
        game: Game,
        names: Sequence[str],
        hands: int | None,
        append: bool,
        resume: bool,
        number: int,
    ) -> None:
        suffix, (first, second) = _suffix(path), names
        before = path.read_text("utf-8", errors="replace") if append and path.is_file() and suffix not in ROOMS else ""
        number = max([number, *(int(each) + 1 for each in _NUMBER.findall(before))])
        if suffix == ".phh" and (hands != 1 or before):
            raise BadInputError(f"{path}: a .phh file holds one hand; for more name it .phhs")
        self._format: _Format
        if suffix in PHH:
            section = phh.last_section(before) if suffix == ".phhs" else None
            self._format = _PhhFormat((first, second), section, max(number, 1))
        elif suffix in ACPC:
            self._format = _AcpcFormat((first, second), number)
        else:
            self._format = _PokerStarsFormat((first, second))
        self._path = path
        kept = _whole_hands(path) if resume and path.exists() else []
        tree = BettingTree(game)
        self.lines = [_betting(path, number, text, tree) for number, text in enumerate(kept, 1)]
        self._kept = deque(kept)
        if hands is not None and len(kept) > hands:
            raise BadInputError(f"{path}: holds {counted(len(kept), 'hand')} already, more than {hands:,}")
        # Line by line, so that a program that is stopped leaves whole hands.
        self._stream = path.open("a" if append or kept else "w", encoding="utf-8", buffering=1, newline="\n")
        # What follows the hands of a log stays until it is known that the log is of this match.
        self._cut = sum(len(text.encode()) for text in kept) if kept else None
        if append and _ends_within_a_line(path):
            self._stream.write("\n")

    def write(self, record: HandRecord, first_seat: int) -> None:
        """Add a finished hand, in which the first player sat at ``first_seat``.

        Raises:
            BadInputError: a resumed log has another hand in this place.
            SaveError: the file cannot be written.
        """
        text = self._format.hand(record, first_seat)
        if not self._kept:
            with saving(self._path):
                self._go_on()
                self._stream.write(text)
            return
        if (kept := self._kept[0]) != text:
            said = f"{self._path}: {kept.strip()} is not of this match, which has {text.strip()}"
            if _is_played_otherwise(kept, text):
                raise BadInputError(
                    f"{said}; a strategy is not the one that played this log, resume with the file that did"
                )
            raise BadInputError(f"{said}; resume with the players and the seed that the log was begun with")
        self._kept.popleft()

    def close(self) -> None:
        """Write what ends the log, and close it; a log to resume of which hands are left stays as it was.

        Raises:
            SaveError: the file cannot be written.
        """
        with saving(self._path), self._held, self._stream:
            if not self._kept:
                self._go_on()
                self._stream.write(self._format.end())

    def _go_on(self) -> None:
        if self._cut is not None:
            self._stream.truncate(self._cut)
            self._cut = None


class _Format(ABC):
    """What a log says of each hand, and at its end."""

    def __init__(self, players: tuple[str, str]) -> None:
        self._players = players

    @abstractmethod
    def hand(self, record: HandRecord, first_seat: int) -> str: ...

    def end(self) -> str:
        return ""

    def _names(self, first_seat: int) -> tuple[str, str]:
        """By seat."""
        first, second = self._players
        return (first, second) if first_seat == 0 else (second, first)


class _AcpcFormat(_Format):
    def __init__(self, players: tuple[str, str], number: int) -> None:
        super().__init__(players)
        self._first = self._next = number
        self._totals = [0, 0]

    def hand(self, record: HandRecord, first_seat: int) -> str:
        line = acpc.state_line(record, self._next, self._names(first_seat))
        self._next += 1
        self._totals[0] += record.chips[first_seat]
        self._totals[1] += record.chips[1 - first_seat]
        return line + "\n"

    def end(self) -> str:
        return acpc.score_line(self._totals, self._players) + "\n" if self._next > self._first else ""


class _PhhFormat(_Format):
    def __init__(self, players: tuple[str, str], last_section: int | None, number: int) -> None:
        super().__init__(players)
        phh.require_pokerkit()
        self._last_section, self._next = last_section, number

    def hand(self, record: HandRecord, first_seat: int) -> str:
        text = phh.history(record, self._next, self._names(first_seat)) + "\n"
        self._next += 1
        if self._last_section is None:
            return text
        self._last_section += 1
        return f"[{self._last_section}]\n{text}\n"


class _PokerStarsFormat(_Format):
    def __init__(self, players: tuple[str, str]) -> None:
        super().__init__(players)
        # Trackers tell hands by their numbers: the microsecond in which the log began makes them its own.
        self._next = int(datetime.now(UTC).timestamp() * 1_000_000)

    def hand(self, record: HandRecord, first_seat: int) -> str:
        now = datetime.now(UTC)
        text = pokerstars.hand_text(record, self._next, self._names(first_seat), first_seat, now)
        self._next += 1
        return text + "\n\n\n"


def read_log(path: str | Path, tree: BettingTree, omissions: Omissions | None = None) -> Iterator[LoggedHand]:
    """The hands of a log.

    Args:
        path: the file.
        tree: the game's betting.
        omissions: takes the hands that are not read; without it, the first one is an error.

    Raises:
        OSError: the file cannot be read.
        CfrError: as :func:`read_text`.
    """
    path = Path(path)
    if database := irc.database_of(path):
        require_limit_holdem(tree.game, "the IRC poker database", any_button=True)
        yield from _named(database, irc.read(database, tree, omissions), omissions)
        return
    if _suffix(path) not in ACPC + ROOMS:
        require_limit_holdem(tree.game, _suffix(path))
    yield from read_text(decoded(_bytes_of(path)), path, tree, omissions)


def _bytes_of(path: Path) -> bytes:
    """All that the file has; raises MalformedTextError, before it reads on, if the first line never ends."""
    with path.open("rb") as file:
        start = file.read(4 * MAX_LINE)
        if len(start) == 4 * MAX_LINE and not {*b"\r\n"} & {*start}:
            raise MalformedTextError(f"{path}: line 1: more than {MAX_LINE:,} characters; expected a log of hands")
        return start + file.read()


def read_text(
    text: str, name: str | Path, tree: BettingTree, omissions: Omissions | None = None
) -> Iterator[LoggedHand]:
    """The hands of a log's text; the name's suffix says the format, or the text where many formats share the suffix.

    Raises:
        MalformedTextError, IllegalActionError, BadInputError: as :func:`cfr.formats.acpc.read_log`,
            :func:`cfr.formats.phh.read` and :func:`cfr.formats.rooms.read`; the message begins with the name. A log of
            which no hand is read is an error, too.
    """
    text, other = with_line_feeds(text), ""
    if not text.strip("\0 \n\t\x1a"):
        raise MalformedTextError(f"{name}: the file is empty; expected {_EXPECTED}")
    if kind := other_than_text(text):
        raise BadInputError(f"{name}: {kind}; expected a log of hands as text")
    suffix = _suffix_of(text, "" if name == "-" else _suffix(Path(name)))
    if suffix in PHH:
        require_limit_holdem(tree.game, suffix)
        hands = phh.read(text, tree, many=suffix == ".phhs", omissions=omissions)
    elif _is_acpc(text, suffix):
        hands = acpc.read_log(_lines(StringIO(text, newline="\n")), tree, omissions)
        other = text
    else:
        require_limit_holdem(tree.game, suffix or "a card room's text", any_button=True)
        hands = rooms.read(text, tree, omissions)
    yield from _named(name, hands, omissions, lambda: _other_game(other, tree.game))


def _other_game(text: str, game: Game) -> str:
    """A clause for a log of which no hand is read, where it is of another game; else empty."""
    found = acpc.game_of(text)
    if found in ("", game.name):
        return ""
    return f"the hands are of another game than {game.name}, such as {found}; say strategy=FILE of that game; "


def _suffix_of(text: str, named: str) -> str:
    """The suffix that a text should have, whatever it is named."""
    if phh.FIRST_FIELD.search(text):
        return named if named in PHH else ".phhs"
    return "" if named in PHH and (_is_acpc(text, named) or rooms.begins_a_hand(text)) else named


def _is_acpc(text: str, suffix: str) -> bool:
    """Whether a text is an ACPC log; the suffix says it unless the first lines speak for another form."""
    if any(map(_ACPC_LINE.match, text[:MAX_LINE].split("\n"))):
        return not rooms.begins_a_hand(text[:MAX_LINE])
    return suffix in ACPC and not rooms.begins_a_hand(text)


def _named(
    name: str | Path,
    hands: Iterator[LoggedHand],
    omissions: Omissions | None,
    other_game: Callable[[], str] = lambda: "",
) -> Iterator[LoggedHand]:
    """The hands; errors begin with the log's name, and a log of which no hand is read is an error."""
    found, before = 0, 0 if omissions is None else len(omissions.skipped)
    try:
        for hand in hands:
            found += 1
            yield hand
    except CfrError as error:
        raise located(error, f"{name}: ") from None
    if found:
        return
    skipped = Omissions([] if omissions is None else omissions.skipped[before:])
    if not skipped.skipped:
        raise MalformedTextError(f"{name}: no hand is in it; expected {_EXPECTED}")
    said = skipped.summary() if len(skipped.skipped) == 1 else f"no hand is read: {skipped.summary()}"
    raise BadInputError(f"{name}: {other_game()}{said}")


def _ends_within_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        has_end = file.seekable() and file.seek(0, os.SEEK_END) > 0
        return has_end and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n"


def _whole_hands(path: Path) -> list[str]:
    """``STATE:`` lines of a log, to a last line that is cut off or the score.

    Raises:
        BadInputError: other lines, which a resumed match would replace.
    """
    kept: list[str] = []
    with path.open(encoding="utf-8", errors="replace", newline="\n") as stream:
        lines = _lines(stream)
        for line in lines:
            if line.startswith("STATE:") and line.endswith("\n"):
                kept.append(line)
            elif next(lines, None) is None and ("STATE:".startswith(line[:6]) or "SCORE:".startswith(line[:6])):
                break
            else:
                raise BadInputError(
                    f"{path}: line {len(kept) + 1}: {line.strip()[:80]!r}; a log to resume has a match's STATE: lines "
                    "and no others"
                )
    return kept


def _is_played_otherwise(kept: str, text: str) -> bool:
    """Whether two ``STATE:`` lines that can be read are of one deal to the same players, who then went other ways."""
    (_, number, line, cards, _, names), (_, same_number, other, dealt, _, same) = (
        each.strip().split(":") for each in (kept, text)
    )
    hole, same_hole = cards.partition("/")[0], dealt.partition("/")[0]
    return line != other and (number, hole, names) == (same_number, same_hole, same)


def _betting(path: Path, number: int, text: str, tree: BettingTree) -> str:
    """The betting of a ``STATE:`` line."""
    try:
        return acpc.parse_state(text.rstrip("\r\n"), tree).seen.state.line_string
    except CfrError as error:
        raise type(error)(f"{path}: line {number}: {error}") from None


def _lines(stream: TextIO) -> Iterator[str]:
    """Lines of a log; raises MalformedTextError for one that never ends."""
    for number in count(1):
        line = stream.readline(MAX_LINE + 1)
        if not line:
            return
        if len(line) > MAX_LINE:
            raise MalformedTextError(f"line {number}: more than {MAX_LINE:,} characters; expected a STATE: line")
        yield line


def _suffix(path: Path, *, written: bool = False) -> str:
    """The suffix of a log to read, or of one to write."""
    suffix = path.suffix.lower()
    if suffix not in ACPC + PHH + ROOMS or (written and suffix == ".xml"):
        known = ".log, .phhs, .phh or .txt" if written else ".log, .phhs, .phh, .txt or .xml"
        raise BadInputError(
            f"{path}: {suffix} is no log; expected {known}{', unpacked' * (suffix in ('.zip', '.gz', '.7z', '.rar'))}"
        )
    return suffix
