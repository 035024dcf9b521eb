"""Reviewed hands in one SQLite file, which later reviews extend without counting a hand twice.

``docs/bots.md`` lists the tables. Numbers of a hand are those of the log; chips are the game's.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any

from cfr.formats import rooms
from cfr.formats.collection import key_of
from cfr.formats.skipped import Omissions, Skipped
from cfr.game.betting import BettingTree, State
from cfr.game.cards import format_cards, parse_cards
from cfr.game.hand import LoggedHand, SeenHand
from cfr.game.line_text import read_line
from cfr.game.words import ROUND_NAMES
from cfr.strategy.strategy import BaseStrategy
from cfr.study.reviews.decision import Decision
from cfr.study.reviews.mistake import OFTEN, noise_of
from cfr.system.errors import BadInputError, DamagedFileError, SaveError
from cfr.values.expected_values import CHECKED_DOWN

FORMAT = 2
_APPLICATION = 0x63667248  # "cfrH", which tells the file from other SQLite files
_SCHEMA = """
CREATE TABLE facts(name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE hands(
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, site TEXT NOT NULL, number TEXT NOT NULL, day TEXT NOT NULL,
    big_blind TEXT NOT NULL, button TEXT NOT NULL, line TEXT NOT NULL, board TEXT NOT NULL,
    big_blind_hand TEXT NOT NULL, button_hand TEXT NOT NULL, won_big_blind REAL, won_button REAL,
    rake REAL NOT NULL, other_blinds INTEGER NOT NULL);
CREATE TABLE decisions(
    id INTEGER PRIMARY KEY, hand INTEGER NOT NULL REFERENCES hands(id), player TEXT NOT NULL, cards TEXT NOT NULL,
    board TEXT NOT NULL, line TEXT NOT NULL, round TEXT NOT NULL, fold REAL NOT NULL, call REAL NOT NULL,
    "raise" REAL NOT NULL, action TEXT NOT NULL, ev_lost_mbb REAL,
    stand_in TEXT);
CREATE TABLE skipped(
    file TEXT NOT NULL, line INTEGER NOT NULL, hand TEXT NOT NULL, reason TEXT NOT NULL, said TEXT NOT NULL,
    UNIQUE(file, line, hand, said));
CREATE INDEX decisions_of_hand ON decisions(hand);
CREATE INDEX decisions_by_loss ON decisions(ev_lost_mbb);
CREATE INDEX decisions_by_player ON decisions(player);
CREATE INDEX hands_by_day ON hands(day);
PRAGMA user_version = 1;
"""
# What format 2 added: whether a decision is a mistake, and indexes that have all that a list of decisions filters by.
_ADDED = f"""
ALTER TABLE decisions ADD COLUMN mistake INTEGER GENERATED ALWAYS AS (
    coalesce(ev_lost_mbb, -1) >= CASE coalesce(stand_in, '') WHEN '{CHECKED_DOWN}' THEN {noise_of(CHECKED_DOWN)}
        ELSE {noise_of(None)} END
    AND CASE action WHEN 'f' THEN fold WHEN 'c' THEN call ELSE "raise" END < {OFTEN}) VIRTUAL;
DROP INDEX decisions_by_loss;
DROP INDEX decisions_by_player;
CREATE INDEX decisions_by_loss ON decisions(ev_lost_mbb, id, player, mistake, round, line, hand);
CREATE INDEX decisions_by_player ON decisions(player, ev_lost_mbb, id, mistake, round, line, hand);
PRAGMA user_version = 2;
"""


@dataclass(frozen=True)
class Choice:
    """Which hands and decisions are looked at, of a database or a log; None and empty text leave nothing out.

    Attributes:
        player: of the decisions.
        since, until: first and last day, such as ``2026-11-28``; hands without a day are left out then.
        round: ``preflop`` to ``river``.
        line: the betting before the decision, or how it begins if it ends with ``*``.
        least: mbb that a decision loses at least.
        mistakes: whether only mistakes are looked at, see :mod:`cfr.study.reviews.mistake`.
    """

    player: str | None = None
    since: str = ""
    until: str = ""
    round: str = ""
    line: str = ""
    least: float | None = None
    mistakes: bool = False

    def of_hands(self) -> tuple[str, list[Any]]:
        """A condition on hands in SQL, and its values."""
        days, values = self.of_days()
        return (
            (days, values) if self.player is None else (f"? IN (big_blind, button) AND {days}", [self.player, *values])
        )

    def of_days(self) -> tuple[str, list[Any]]:
        """The same, whoever plays."""
        return _together(("day >= ?", self.since or None), ("day != '' AND day <= ?", self.until or None))

    def of_decisions(self) -> tuple[str, list[Any]]:
        """The same of the decisions of hands that are looked at."""
        begins, line = self.line.endswith("*"), self.line.removesuffix("*")
        return _together(
            ("player = ?", self.player),
            ("round = ?", self.round or None),
            ("instr(line, ?) = 1" if begins else "line = ?", (line.removeprefix("-") if line else None)),
            # No mistake loses less than the least noise: the index begins there.
            ("ev_lost_mbb >= ?", max(self.least or 0, noise_of(None)) if self.mistakes else self.least),
            ("mistake = ?", 1 if self.mistakes else None),
        )

    def has_day(self, day: str) -> bool:
        """:meth:`of_days` without SQL; an empty text is an unknown day."""
        return (not self.since or day >= self.since) and (not self.until or "" != day <= self.until)

    def is_of(self, decision: Decision) -> bool:
        """The part of :meth:`of_decisions` that is known before what a decision loses, without SQL."""
        return self.player in (None, decision.player) and self.is_at(decision.state)

    def is_at(self, state: State) -> bool:
        """Whether decisions at a state are looked at, whoever decides."""
        begins, line = self.line.endswith("*"), self.line.removesuffix("*").removeprefix("-")
        there = state.line_string
        return self.round in ("", ROUND_NAMES[state.round]) and (
            not self.line or (there.startswith(line) if begins else there == line)
        )

    def read(self, tree: BettingTree) -> Choice:
        """The same with :attr:`line` as the ACPC writes it, whose end of a round and words people write as they like.

        Raises:
            CfrError: as :func:`cfr.game.line_text.read_line`.
        """
        text, begins = self.line.removesuffix("*").removeprefix("-"), "*" if self.line.endswith("*") else ""
        return replace(self, line=f"{read_line(tree, text).line_string}{begins}") if text else self

    def costs_enough(self, decision: Decision) -> bool:
        """The rest of :meth:`of_decisions` without SQL: what a decision loses, and whether it is a mistake."""
        is_enough = self.least is None or (decision.ev_lost is not None and decision.ev_lost >= self.least)
        return is_enough and (not self.mistakes or decision.is_mistake)


def _together(*terms: tuple[str, Any]) -> tuple[str, list[Any]]:
    """Those conditions that have a value, and their values."""
    known = [each for each in terms if each[1] is not None]
    return " AND ".join(["1", *(term for term, _ in known)]), [value for _, value in known]


class HandDatabase:
    """A file of reviewed hands; a ``with`` block closes it. What is added is kept from :meth:`commit` on.

    Args:
        path: the file; it is made if it does not exist and a strategy is given.
        strategy: which reviews; None to read only.
        ev: whether the losses of EV are computed.

    Raises:
        BadInputError: a file that does not exist, or that another strategy reviewed, or without EVs.
        DamagedFileError: a file that is no such database, or of a later format.
        SaveError: it cannot be opened, or on leaving the block, written.
    """

    def __init__(self, path: str | Path, strategy: BaseStrategy | None = None, *, ev: bool = True) -> None:
        self.path = Path(path)
        if strategy is None and not self.path.is_file():
            raise BadInputError(f"{path}: no such file; `cfr review LOG... --db {path}` begins it")
        try:
            # One thread at a time is the caller's promise; which one may change.
            self._connection = sqlite3.connect(self.path, check_same_thread=False)
            try:
                self._open(strategy, ev)
            except BaseException:
                self._connection.close()
                raise
        except sqlite3.OperationalError as error:
            raise SaveError(f"{path}: {error}") from None
        except sqlite3.Error as error:
            raise DamagedFileError(f"{path}: {error}; expected a database of cfr review --db") from None

    def _open(self, strategy: BaseStrategy | None, ev: bool) -> None:
        ours = {} if strategy is None else _facts_of(strategy, ev)
        (application,) = self._connection.execute("PRAGMA application_id").fetchone()
        (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if not tables and ours:
            self._connection.executescript(f"BEGIN; PRAGMA application_id = {_APPLICATION}; {_SCHEMA} {_ADDED} COMMIT;")
            self._connection.executemany("INSERT INTO facts VALUES (?, ?)", ours.items())
            self._connection.commit()
        elif application != _APPLICATION:
            raise DamagedFileError(f"{self.path}: not a database of cfr review --db")
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        if version > FORMAT:
            raise DamagedFileError(f"{self.path}: format {version}; this cfr reads up to {FORMAT}")
        if version == 1:
            self._connection.executescript(f"BEGIN; {_ADDED} COMMIT;")
        self._facts = dict(self._connection.execute("SELECT name, value FROM facts"))
        if ours and ours["strategy"] != self._facts["strategy"]:
            raise BadInputError(f"{self.path}: another strategy reviewed its hands; name another file")
        if ours and ours["ev"] != self._facts["ev"]:
            said = "with" if self._facts["ev"] == "1" else "without"
            raise BadInputError(f"{self.path}: was begun {said} expected values; go on so, or name another file")

    def __enter__(self) -> HandDatabase:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()
        if isinstance(error, sqlite3.Error):  # locked by another program, no room left, damaged pages
            raise SaveError(f"{self.path}: {error}") from None

    @property
    def game(self) -> str:
        """The text of the game whose hands there are."""
        return str(self._facts["game"])

    @property
    def has_ev(self) -> bool:
        """Whether the losses of EV are computed; without them no mistake is known."""
        return bool(self._facts["ev"] == "1")

    @property
    def hands(self) -> int:
        """How many hands there are."""
        return int(self._connection.execute("SELECT count(*) FROM hands").fetchone()[0])

    def lacking(self, hand: LoggedHand) -> LoggedHand | None:
        """The hand to review: itself, or with the cards of both copies where it shows new ones; None if all is there.

        Raises:
            CfrError: the database has another hand of this number.
        """
        row = self._connection.execute(f"SELECT {_HAND} FROM hands WHERE key = ?", (_key(hand),)).fetchone()
        if row is None:
            return hand
        there = _hand(row, hand.seen.state.tree)
        both = rooms.merged(there, hand)
        return both if both.seen.hands != there.seen.hands else None

    def add(self, hand: LoggedHand, decisions: Sequence[Decision]) -> None:
        """Add a hand with its decisions, or replace what was there of it."""
        key, chips = _key(hand), hand.chips or (None, None)
        run = self._connection.execute
        for (old,) in run("SELECT id FROM hands WHERE key = ?", (key,)).fetchall():
            run("DELETE FROM decisions WHERE hand = ?", (old,))
            run("DELETE FROM hands WHERE id = ?", (old,))
        seen = hand.seen
        cards = (format_cards(each) for each in (seen.board, *seen.hands))
        added = run(
            f"INSERT INTO hands(key, {_HAND[4:]}) VALUES ({', '.join('?' * 14)})",
            (
                key,
                hand.site,
                str(hand.number),
                hand.day,
                *hand.players,
                seen.state.line_string,
                *cards,
                *chips,
                hand.rake,
                hand.other_blinds,
            ),
        ).lastrowid
        self._connection.executemany(
            f"INSERT INTO decisions(hand, round, {DECISION}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    added,
                    ROUND_NAMES[each.state.round],
                    each.player,
                    each.hand,
                    each.board,
                    each.state.line_string,
                    *each.mix,
                    each.action,
                    each.ev_lost,
                    each.stand_in,
                )
                for each in decisions
            ),
        )

    def skip(self, skipped: Sequence[Skipped]) -> None:
        """Add hands that were not read; those of an earlier run that are the same count once."""
        self._connection.executemany(
            "INSERT OR IGNORE INTO skipped VALUES (?, ?, ?, ?, ?)",
            ((each.file, each.line, each.hand, each.reason, each.said) for each in skipped),
        )

    def commit(self) -> None:
        """Keep what was added."""
        self._connection.commit()

    def omissions(self) -> Omissions:
        """The hands that were not read, in all runs."""
        rows = self._connection.execute("SELECT line, hand, reason, said, file FROM skipped")
        (blinds,) = self._connection.execute("SELECT count(*) FROM hands WHERE other_blinds").fetchone()
        return Omissions([Skipped(*row) for row in rows], other_blinds=blinds)

    def players(self, choice: Choice) -> list[str]:
        """The players of the chosen hands, by name."""
        where, values = choice.of_hands()
        asked = f"SELECT big_blind FROM hands WHERE {where} UNION SELECT button FROM hands WHERE {where}"
        return sorted(name for (name,) in self._connection.execute(asked, values * 2))

    def read(self, choice: Choice, tree: BettingTree) -> Iterator[tuple[LoggedHand, list[Decision]]]:
        """The chosen hands in the order in which they came, one at a time, each with its chosen decisions."""
        where, values = choice.of_hands()
        rows = self._connection.execute(f"SELECT {_HAND} FROM hands WHERE {where} ORDER BY id", values)
        for row in rows:
            yield self._played(row, choice, tree)

    def find(self, id_: int, tree: BettingTree) -> tuple[LoggedHand, list[Decision]] | None:
        """The hand with this ``id`` and its decisions; None if there is none."""
        row = self._connection.execute(f"SELECT {_HAND} FROM hands WHERE id = ?", (id_,)).fetchone()
        return None if row is None else self._played(row, Choice(), tree)

    def _played(self, row: Sequence[Any], choice: Choice, tree: BettingTree) -> tuple[LoggedHand, list[Decision]]:
        """A hand and its chosen decisions."""
        hand, (taken, values) = _hand(row, tree), choice.of_decisions()
        asked = f"SELECT {DECISION} FROM decisions INDEXED BY decisions_of_hand WHERE hand = ? AND {taken} ORDER BY id"
        return hand, [decision_of(hand.number, each, tree) for each in self.rows(asked, [row[0], *values])]

    def rows(self, asked: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> Iterator[Sequence[Any]]:
        """What a question in SQL finds; ``values`` are those of its ``?``, or of its names."""
        return self._connection.execute(asked, values)


_HAND = (
    "id, site, number, day, big_blind, button, line, board, big_blind_hand, button_hand, won_big_blind, won_button, "
    "rake, other_blinds"
)
DECISION = 'player, cards, board, line, fold, call, "raise", action, ev_lost_mbb, stand_in'


def _hand(row: Sequence[Any], tree: BettingTree) -> LoggedHand:
    _, site, number, day, big, small, line, board, first, second, won, lost, rake, other_blinds = row
    seen = SeenHand(state_of(tree, line), (parse_cards(first), parse_cards(second)), parse_cards(board))
    found = LoggedHand(int(number), (big, small), seen, None, rake, bool(other_blinds), site, day)
    return found if won is None or (won, lost) == found.chips else replace(found, won=(won, lost))


def _key(hand: LoggedHand) -> str:
    return json.dumps(key_of(hand), ensure_ascii=False)


def decision_of(number: int, row: Sequence[Any], tree: BettingTree) -> Decision:
    """The decision in a row of the columns :data:`DECISION`, in a hand of this number."""
    player, cards, board, line, fold, call, raise_, action, lost, stand_in = row
    hole, dealt = parse_cards(cards), parse_cards(board)
    return Decision(number, player, hole, dealt, state_of(tree, line), (fold, call, raise_), action, lost, stand_in)


@lru_cache(100_000)
def state_of(tree: BettingTree, line: str) -> State:
    """The state after a line, which a database says over and over."""
    return tree.parse(line)


def _facts_of(strategy: BaseStrategy, ev: bool) -> dict[str, str]:
    """What must stay the same from run to run; a strategy is known by what it does before the flop."""
    root = strategy.betting.root
    play = sha256(strategy.game.text().encode())
    for state in (root, *(root.act(letter) for letter in root.legal if letter != "f")):
        play.update(strategy.all_hands(state, ()).tobytes())
    return {
        "game": strategy.game.text(),
        "strategy": f"{play.hexdigest()} {strategy.re_solved_from}",
        "ev": str(int(ev)),
    }
