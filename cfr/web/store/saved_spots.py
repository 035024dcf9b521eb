"""Spots that people saved, with names and notes, in the file of sessions."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from cfr.web.store.sessions import FullError, Sessions, of_session

MOST = 100  # spots of a session


@dataclass(frozen=True)
class SavedSpot:
    """A spot that somebody saved.

    Attributes:
        number: counted from 1 in its session; 0 before it is kept.
        name: the person's.
        note: the person's, of some lines.
        address: what follows the question mark in the spot's address on the page.
    """

    number: int
    name: str
    note: str
    address: str


class SavedSpots:
    """Saved spots in the file; ``session`` is a session's number in it.

    Args:
        sessions: the file.
    """

    def __init__(self, sessions: Sessions) -> None:
        self._file: sqlite3.Connection = sessions.file
        self._transaction = sessions.transaction

    def all(self, session: int) -> list[SavedSpot]:
        """A session's spots, the latest first."""
        rows = self._file.execute(
            "SELECT number, name, note, address FROM spots WHERE session = ? ORDER BY number DESC", (session,)
        )
        return [SavedSpot(*row) for row in rows]

    def keep(self, session: int, spot: SavedSpot) -> bool:
        """Keep a new spot (number 0), or another name, note and address of one; False where there is no such spot.

        Raises:
            FullError: the session has its spots.
        """
        values = (spot.name, spot.note, spot.address)
        with self._transaction():
            if spot.number:
                statement = "UPDATE spots SET name = ?, note = ?, address = ? WHERE session = ? AND number = ?"
                return self._file.execute(statement, (*values, session, spot.number)).rowcount == 1
            [count, last] = self._file.execute(
                "SELECT count(*), ifnull(max(number), 0) FROM spots WHERE session = ?", (session,)
            ).fetchone()
            if count >= MOST:
                raise FullError(f"{MOST} spots are saved; remove one first")
            statement = f"INSERT INTO spots (session, number, name, note, address) {of_session(5)}"
            return self._file.execute(statement, (session, last + 1, *values)).rowcount == 1

    def remove(self, session: int, number: int) -> None:
        """Forget a spot; nothing where there is no such spot."""
        self._file.execute("DELETE FROM spots WHERE session = ? AND number = ?", (session, number))
