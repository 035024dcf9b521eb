"""Logs of matches and sessions. The name's suffix says the format:

======================== ===================================== ===============
suffix                   format                                games
======================== ===================================== ===============
``.log``, none           ACPC: ``STATE:`` and ``SCORE:`` lines all
``.phhs``                PHH, many hands                       limit hold'em
``.phh``                 PHH, one hand                         limit hold'em
``.txt``                 PokerStars' text; written only        limit hold'em
======================== ===================================== ===============
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import count, takewhile
from pathlib import Path
from typing import TextIO

from cfr.formats import acpc, phh, pokerstars
from cfr.game.betting import BettingTree
from cfr.game.hand import HandRecord, LoggedHand, clean_names, require_limit_holdem
from cfr.game.rules import Game
from cfr.system.closing import Closing
from cfr.system.errors import CfrError, MalformedTextError, UnknownSpotError

MAX_LINE = 100_000  # characters of a log's line; a hand has some hundred
ACPC, PHH, POKERSTARS = ("", ".log"), (".phh", ".phhs"), (".txt",)


class HandLog(Closing):
    """Writes the hands of a match, each at once; a ``with`` block closes it.

    Args:
        path: the file; its suffix says the format.
        game: the rules.
        players: names, the first player's and the second's; what could be taken for another part of a line is replaced.
        hands: how many there will be; None if that is open.
        append: add to what is there, instead of replacing it.
        resume: continue an ACPC log that ends in the middle of a match. :meth:`write` then expects the hands of the
            match from the first one on, and compares those that the log has instead of writing them.

    Attributes:
        lines: betting of the hands that the log has.

    Raises:
        UnknownSpotError: a suffix that is none, a game that the format does not describe, several hands
            for ``.phh``, no PokerKit for ``.phh`` and ``.phhs``, or a format that cannot be resumed.
        MalformedTextError, IllegalActionError: a log to resume that cannot be read.
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
    ) -> None:
        path = Path(path)
        suffix = _suffix(path)
        if resume and suffix not in ACPC:
            raise UnknownSpotError(f"{path}: {suffix} cannot be resumed; a .log can")
        if suffix not in ACPC:
            require_limit_holdem(game, suffix)
        first, second = clean_names(players)
        before = path.read_text("utf-8", errors="replace") if append and path.exists() and suffix in PHH else ""
        if suffix == ".phh" and (hands != 1 or before):
            raise UnknownSpotError(f"{path}: a .phh file holds one hand; for more name it .phhs")
        self._format: _Format
        if suffix in PHH:
            self._format = _PhhFormat((first, second), phh.last_section(before) if suffix == ".phhs" else None)
        else:
            self._format = (_AcpcFormat if suffix in ACPC else _PokerStarsFormat)((first, second))
        self._path = path
        kept = _whole_hands(path) if resume and path.exists() else []
        tree = BettingTree(game)
        self.lines = [_betting(path, number, text, tree) for number, text in enumerate(kept, 1)]
        self._kept = deque(kept)
        if hands is not None and len(kept) > hands:
            raise UnknownSpotError(f"{path}: holds {len(kept):,} hands already, more than {hands:,}")
        # Line by line, so that a program that is stopped leaves whole hands.
        self._stream = path.open("a" if append or kept else "w", encoding="utf-8", buffering=1, newline="\n")
        if kept:
            self._stream.truncate(sum(len(text.encode()) for text in kept))

    def write(self, record: HandRecord, first_seat: int) -> None:
        """Add a finished hand, in which the first player sat at ``first_seat``.

        Raises:
            UnknownSpotError: a resumed log has another hand in this place.
        """
        text = self._format.hand(record, first_seat)
        if not self._kept:
            self._stream.write(text)
        elif (kept := self._kept.popleft()) != text:
            raise UnknownSpotError(
                f"{self._path}: {kept.strip()} is not of this match, which has {text.strip()}; resume with the players "
                "and the seed that the log was begun with"
            )

    def close(self) -> None:
        """Write what ends the log, and close it."""
        self._stream.write(self._format.end())
        self._stream.close()


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
    def __init__(self, players: tuple[str, str]) -> None:
        super().__init__(players)
        self._hands = 0
        self._totals = [0, 0]

    def hand(self, record: HandRecord, first_seat: int) -> str:
        line = acpc.state_line(record, self._hands, self._names(first_seat))
        self._hands += 1
        self._totals[0] += record.chips[first_seat]
        self._totals[1] += record.chips[1 - first_seat]
        return line + "\n"

    def end(self) -> str:
        return acpc.score_line(self._totals, self._players) + "\n" if self._hands else ""


class _PhhFormat(_Format):
    def __init__(self, players: tuple[str, str], last_section: int | None) -> None:
        super().__init__(players)
        phh.require_pokerkit()
        self._last_section = last_section

    def hand(self, record: HandRecord, first_seat: int) -> str:
        names = self._names(first_seat)
        if self._last_section is None:
            return phh.history(record, 1, names) + "\n"
        self._last_section += 1
        return f"[{self._last_section}]\n{phh.history(record, self._last_section, names)}\n\n"


class _PokerStarsFormat(_Format):
    def __init__(self, players: tuple[str, str]) -> None:
        super().__init__(players)
        # Trackers tell hands by their numbers: the second in which the log began makes them its own.
        self._next = int(datetime.now(UTC).timestamp()) * 1_000_000

    def hand(self, record: HandRecord, first_seat: int) -> str:
        now = datetime.now(UTC)
        text = pokerstars.hand_text(record, self._next, self._names(first_seat), first_seat, now)
        self._next += 1
        return text + "\n\n\n"


def read_log(path: str | Path, tree: BettingTree) -> Iterator[LoggedHand]:
    """The hands of an ACPC or PHH log.

    Raises:
        OSError: the file cannot be read.
        MalformedTextError, IllegalActionError, UnknownSpotError: as :func:`cfr.formats.acpc.read_log` and
            :func:`cfr.formats.phh.read`; the message begins with the file's name.
    """
    path = Path(path)
    suffix = _suffix(path)
    if suffix in POKERSTARS:
        raise UnknownSpotError(f"{path}: hands are read back from .log, .phh and .phhs, not from .txt")
    try:
        if suffix in ACPC:
            with path.open(encoding="utf-8", errors="replace") as stream:
                yield from acpc.read_log(_lines(stream, path), tree)
        else:
            require_limit_holdem(tree.game, suffix)
            yield from phh.read(path, tree, many=suffix == ".phhs")
    except CfrError as error:
        raise type(error)(f"{path}: {error}") from None


def _whole_hands(path: Path) -> list[str]:
    """``STATE:`` lines from the beginning of a log to what is cut off, or to the score."""
    with path.open(encoding="utf-8", errors="replace", newline="\n") as stream:
        return list(takewhile(lambda line: line.startswith("STATE:") and line.endswith("\n"), _lines(stream, path)))


def _betting(path: Path, number: int, text: str, tree: BettingTree) -> str:
    """The betting of a ``STATE:`` line."""
    try:
        return acpc.parse_state(text.rstrip("\r\n"), tree).seen.state.line_string
    except CfrError as error:
        raise type(error)(f"{path}: line {number}: {error}") from None


def _lines(stream: TextIO, path: Path) -> Iterator[str]:
    """Lines of a log; raises MalformedTextError for one that never ends."""
    for number in count(1):
        line = stream.readline(MAX_LINE + 1)
        if not line:
            return
        if len(line) > MAX_LINE:
            raise MalformedTextError(f"line {number}: more than {MAX_LINE:,} characters; expected a STATE: line")
        yield line


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in ACPC + PHH + POKERSTARS:
        raise UnknownSpotError(f"{path}: {suffix} is no log; expected .log, .phhs, .phh or .txt")
    return suffix
