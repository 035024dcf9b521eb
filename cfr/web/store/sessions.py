"""Sessions of players and their hands, in one SQLite file.

The file is the only state of the page: every hand is in it as soon as it is dealt and after each action, so that a
server that is killed goes on where it was. A session is known by a random token, of which the file has only the hash.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import secrets
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from cfr.game.cards import format_cards, parse_cards
from cfr.game.hand import Deal
from cfr.game.rules import Game
from cfr.system.errors import BadInputError, DamagedFileError
from cfr.web.store.records import Hand, Session
from cfr.web.store.schema import ADDED, SCHEMA, VERSION

DAY = 86_400.0
# With fewer hands, answers and saved spots, a session that lay idle makes room where all places are taken.
_FEW = 20
_IDLE_FOR_ROOM = 600.0  # seconds
_CROWD, _CROWD_SHARE = 16, 4  # an address has a crowd with so many sessions, and one place in so many
_PATIENCE = 5.0  # seconds that a write waits for another process to end its own
_TOUCH_SECONDS = 60.0  # a session's last use is written at most this often
_CACHED_CARDS = 4096

# What somebody would miss: hands, answers and saved spots.
_DONE = (
    "hands + trained + (SELECT count(*) FROM spots WHERE session = id)"
    " + (SELECT count(*) FROM hands WHERE session = id AND chosen)"
)
_SESSION = "id, hands, sessions.chips, squares, sessions.adjusted, adjusted_chips, adjusted_squares"
_HAND = "number, bot, seat, first, second, board, line, hands.chips, hands.adjusted, chosen, shares"
_FIND = f"""
SELECT used, {_SESSION}, {_HAND} FROM sessions
LEFT JOIN hands ON session = id AND number = (SELECT max(number) FROM hands WHERE session = id)
WHERE token = ?
"""
_FINISH = f"""
UPDATE sessions SET hands = hands + 1, chips = chips + ?, squares = squares + ? WHERE id = ? RETURNING {_SESSION}
"""
# A hand is read again for each action in it.
_parse_cards = lru_cache(_CACHED_CARDS)(parse_cards)


class FullError(BadInputError):
    """No room for another session, or for another hand, exercise or saved spot of one."""


@dataclass(frozen=True)
class Limits:
    """How much is kept: sessions, hands of each, and seconds that a session may lie idle."""

    sessions: int = 1_000
    hands: int = 10_000
    idle_seconds: float = 90 * DAY


class Sessions:
    """The file, for one thread at a time; several processes may share it.

    Args:
        path: made where it does not exist, readable by its owner only: it holds the bot's cards.
        game: whose hands it has.
        clock: seconds since the epoch.

    Attributes:
        file: the connection, for what else is kept in it.

    Raises:
        BadInputError: it has hands of another game.
        DamagedFileError: no such file, of a newer version, or damaged.
        OSError: it cannot be made.
    """

    def __init__(
        self, path: Path, game: Game, limits: Limits | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self.path, self.limits, self._clock = path, limits or Limits(), clock
        self._address: dict[int, str] = {}  # of the visitors of sessions that this process began
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        # One thread at a time is the caller's promise; which one may change.
        self.file = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(game.text())
        except sqlite3.DatabaseError as error:
            self.file.close()
            raise DamagedFileError(f"{path}: not a file of sessions: {error}") from None
        except BaseException:
            self.file.close()
            raise

    def _prepare(self, game: str) -> None:
        # Written ahead and not waited for: a killed server loses nothing, a power cut may lose the last moments.
        for setting in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
            self.file.execute(f"PRAGMA {setting}")
        with self.transaction():
            [version] = self.file.execute("PRAGMA user_version").fetchone()
            [tables] = self.file.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if version == tables == 0:
                self._run(SCHEMA)
                self.file.execute("INSERT INTO about VALUES (?)", (game,))
                version = 1
            if version not in range(1, VERSION + 1):
                raise DamagedFileError(f"{self.path}: no file of sessions, or of version {version}, not {VERSION}")
            for script in ADDED[version - 1 :]:
                self._run(script)
            [kept] = self.file.execute("SELECT game FROM about").fetchone()
            if kept != game:
                raise BadInputError(f"{self.path}: has hands of another game; name another file")
            self._forget_idle()

    def _run(self, script: str) -> None:
        for statement in script.split(";"):
            self.file.execute(statement)

    def close(self) -> None:
        """Close the file; further calls fail."""
        self.file.close()

    def start(self, address: str = "") -> tuple[str, Session]:
        """A new session and its token; raises FullError where there is no room.

        ``address`` is the visitor's, if it is known.
        """
        with self.transaction():
            [count] = self.file.execute("SELECT count(*) FROM sessions").fetchone()
            if count >= self.limits.sessions:
                self._forget_idle()
                if not self._forget_one_of_a_crowd():
                    # Nobody misses a session without play, and few people one of some hands that they left.
                    self.file.execute(
                        "DELETE FROM sessions WHERE id = (SELECT id FROM sessions"
                        f" WHERE {_DONE} = 0 OR ({_DONE} < ? AND used < ?)"
                        f" ORDER BY {_DONE} > 0, used LIMIT 1)",
                        (_FEW, self._clock() - _IDLE_FOR_ROOM),
                    )
                [count] = self.file.execute("SELECT count(*) FROM sessions").fetchone()
            if count >= self.limits.sessions:
                raise FullError(f"all {count:,} places are taken; come back later")
            token = secrets.token_urlsafe(32)
            # A number is never used again: a request of a session that was deleted meanwhile finds nobody else's.
            number = secrets.randbits(53)
            row = number, _hash(token), self._clock()
            self.file.execute("INSERT INTO sessions (id, token, used) VALUES (?, ?, ?)", row)
        if address:
            self._address[number] = address
        return token, Session(number, 0, 0, 0)

    def _forget_one_of_a_crowd(self) -> bool:
        """Delete the session of few hands that was used longest ago, of the address that began most; not of a few."""
        found = self.file.execute(f"SELECT id, {_DONE} FROM sessions ORDER BY used, id").fetchall()
        self._address = {id_: self._address[id_] for id_, _ in found if id_ in self._address}
        few = [id_ for id_, done in found if done < _FEW and id_ in self._address]
        begun = Counter(self._address[id_] for id_ in few).most_common(1)
        if not begun or begun[0][1] < max(_CROWD, self.limits.sessions // _CROWD_SHARE):
            return False
        chosen = next(id_ for id_ in few if self._address[id_] == begun[0][0])
        self.file.execute("DELETE FROM sessions WHERE id = ?", (chosen,))
        return True

    def find(self, token: str) -> tuple[Session, Hand | None] | None:
        """The session of a token, which counts as its use, and its latest hand; None where there is none."""
        row = self.file.execute(_FIND, (_hash(token),)).fetchone()
        if row is None:
            return None
        used, session, hand = row[0], Session(*row[1:8]), row[8:]
        now = self._clock()
        if now - used > self.limits.idle_seconds:
            with suppress(sqlite3.OperationalError), self.at_once():
                self._forget_idle()
            return None
        if now - used > _TOUCH_SECONDS:
            with suppress(sqlite3.OperationalError), self.at_once():  # where it cannot, the next request does
                self.file.execute("UPDATE sessions SET used = ? WHERE id = ?", (now, session.id))
        return session, None if hand[0] is None else _hand(hand)

    def forget(self, session: Session) -> None:
        """Delete a session with all its hands."""
        self.file.execute("DELETE FROM sessions WHERE id = ?", (session.id,))

    def hands(
        self, session: Session, limit: int, before: int | None = None, against: str | None = None
    ) -> Iterator[Hand]:
        """Hands, the latest first, from number ``before - 1`` on; against a bot as in :attr:`Hand.against`, or all."""
        rows = self.file.execute(
            f"SELECT {_HAND} FROM hands WHERE session = ?1 AND number < ?2"
            " AND (?3 IS NULL OR ?3 = CASE WHEN chosen THEN bot ELSE '' END) ORDER BY number DESC LIMIT ?4",
            (session.id, 1 << 60 if before is None else before, against, limit),
        )
        return map(_hand, rows)

    def against(self, session: Session, bot: str) -> Session:
        """The same player with the hands against a bot that was chosen, which nobody adjusts for luck."""
        sums = self.file.execute(
            "SELECT count(chips), ifnull(sum(chips), 0), ifnull(sum(chips * chips), 0) FROM hands"
            " WHERE session = ? AND bot = ? AND chosen",
            (session.id, bot),
        ).fetchone()
        return Session(session.id, *sums)

    def waiting(self, bot: str, limit: int) -> list[tuple[int, Hand]]:
        """Finished hands against a bot whose luck is not worked out, each with its session's number."""
        rows = self.file.execute(
            f"SELECT session, {_HAND} FROM waiting JOIN hands USING (session, number) WHERE bot = ? LIMIT ?",
            (bot, limit),
        )
        return [(session, _hand(columns)) for session, *columns in rows]

    def adjust(self, found: Iterable[tuple[int, int, float]]) -> None:
        """Keep what hands were worth without their luck: session, number and chips of each that still waits.

        Chips that are not finite say that the strategy is not the one that played: such a hand waits no more.
        """
        with self.transaction():
            for session, number, chips in found:
                hand = (session, number)
                # Another process, or the session's end, may have come first.
                waited = self.file.execute("DELETE FROM waiting WHERE session = ? AND number = ?", hand).rowcount
                if waited and math.isfinite(chips):
                    self.file.execute("UPDATE hands SET adjusted = ? WHERE session = ? AND number = ?", (chips, *hand))
                    self.file.execute(
                        "UPDATE sessions SET adjusted = adjusted + 1, adjusted_chips = adjusted_chips + ?,"
                        " adjusted_squares = adjusted_squares + ? WHERE id = ?",
                        (chips, chips**2, session),
                    )

    def add(self, session: Session, hand: Hand) -> Session | None:
        """Keep a hand that was just dealt; the session then, None where its number is taken.

        Raises FullError where the session has too many.
        """
        if hand.number > self.limits.hands:
            raise FullError(f"this session has its {self.limits.hands:,} hands; export them and start a new one")
        cards = (*map(format_cards, hand.deal.hands), format_cards(hand.deal.board))
        played = (hand.line, hand.chips, hand.adjusted, hand.chosen, json.dumps(hand.shares) if hand.shares else None)
        return self._keep(
            session,
            hand,
            f"INSERT OR IGNORE INTO hands {of_session(12)}",
            (session.id, hand.number, hand.bot, hand.seat, *cards, *played),
        )

    def advance(self, session: Session, before: Hand, after: Hand) -> Session | None:
        """Keep what happened in a hand; the session then, None where it is no longer at ``before``: too late."""
        return self._keep(
            session,
            after,
            "UPDATE hands SET line = ?, chips = ? WHERE session = ? AND number = ? AND line = ? AND chips IS NULL",
            (after.line, after.chips, session.id, after.number, before.line),
        )

    def _keep(self, session: Session, hand: Hand, statement: str, values: tuple[object, ...]) -> Session | None:
        """Write a hand, and with its end the result; the session then, None where there was no row to write."""
        with self.transaction() if hand.chips is not None else nullcontext():
            if self.file.execute(statement, values).rowcount != 1:
                return None
            if hand.chips is None or hand.chosen:
                return session
            self.file.execute("INSERT INTO waiting VALUES (?, ?)", (session.id, hand.number))
            return Session(*self.file.execute(_FINISH, (hand.chips, hand.chips**2, session.id)).fetchone())

    def _forget_idle(self) -> None:
        self.file.execute("DELETE FROM sessions WHERE used < ?", (self._clock() - self.limits.idle_seconds,))

    def begin(self) -> None:
        """Begin a transaction that takes in all that follows."""
        self.file.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Keep the transaction's writes."""
        self.file.execute("COMMIT")

    def roll_back(self) -> None:
        """Forget the transaction's writes, if there is one still: SQLite may have ended it."""
        if self.file.in_transaction:
            self.file.execute("ROLLBACK")

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Let writes fail at once where another process writes, and not after seconds: the server waits otherwise."""
        self.file.execute("PRAGMA busy_timeout = 0")
        try:
            yield
        finally:
            self.file.execute(f"PRAGMA busy_timeout = {1000 * _PATIENCE:.0f}")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Keep what is written inside, or nothing of it."""
        if self.file.in_transaction:  # which decides on what is written here, too
            yield
            return
        self.begin()
        try:
            yield
        except BaseException:
            self.roll_back()
            raise
        self.commit()


def of_session(values: int) -> str:
    """The end of an INSERT of so many values, the first a session's number: nothing if the session was forgotten."""
    columns = ", ".join(f"?{number}" for number in range(1, values + 1))
    return f"SELECT {columns} WHERE EXISTS (SELECT 1 FROM sessions WHERE id = ?1)"


def default_path(game: Game) -> Path:
    """Where sessions are kept unless told otherwise: in the user's state directory (XDG)."""
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(home) / "cfr" / f"sessions-{game.name}.sqlite3"


def _hand(columns: Sequence[Any]) -> Hand:
    number, bot, seat, first, second, board, line, chips, adjusted, chosen, shares = columns
    deal = Deal((_parse_cards(first), _parse_cards(second)), _parse_cards(board))
    return Hand(number, bot, seat, deal, line, chips, adjusted, bool(chosen), tuple(json.loads(shares or "[]")))


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
