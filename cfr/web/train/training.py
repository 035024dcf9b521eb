"""What people trained: the exercises of each session, in the file of sessions."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from cfr.game.cards import format_cards, parse_cards
from cfr.game.hand import Deal
from cfr.strategy.hand_table import cell
from cfr.study.training.exercise import Exercise
from cfr.study.training.repetition import Answered, Repetition, repetition
from cfr.study.training.score import Score
from cfr.study.training.trainer import Trainer
from cfr.web.store.sessions import FullError, of_session

_COLUMNS = (
    "number, strategy, seat, first, second, board, line, whole, again, action, after, mix_fold, mix_call, mix_raise, "
    "ev_fold, ev_call, ev_raise, ev_lost, mistake, key"
)
_KEEP = f"INSERT OR IGNORE INTO exercises (session, {_COLUMNS}) {of_session(21)}"
# Answers about a strategy, of which :func:`_about` has the values; see :meth:`cfr.study.training.trainer.Trainer.owns`.
_ABOUT = "session = ? AND ifnull(key = ?, strategy = ?) AND action IS NOT NULL"
_SCORE = f"""
SELECT count(*), ifnull(sum(mistake), 0),
    ifnull(sum(CASE action WHEN 'f' THEN mix_fold WHEN 'c' THEN mix_call ELSE mix_raise END), 0.0),
    count(ev_lost), ifnull(sum(ev_lost), 0.0), ifnull(sum(ev_lost * ev_lost), 0.0)
FROM exercises WHERE {_ABOUT}
"""


class Training:
    """Exercises in the file; ``session`` is a session's number in it.

    Args:
        file: of the sessions.
        transaction: keeps what is written inside, or nothing of it.
        most: exercises of a session.
    """

    def __init__(
        self, file: sqlite3.Connection, transaction: Callable[[], AbstractContextManager[None]], most: int
    ) -> None:
        self._file, self._transaction, self._most = file, transaction, most

    def latest(self, session: int, answered: bool = False) -> Exercise | None:
        """The exercise that was dealt last, or that was answered last."""
        found = self.exercises(session, 1, answered=answered)
        return next(found, None)

    def find(self, session: int, number: int) -> Exercise | None:
        """The exercise of a number."""
        row = self._file.execute(
            f"SELECT {_COLUMNS} FROM exercises WHERE session = ? AND number = ?", (session, number)
        ).fetchone()
        return None if row is None else _exercise(*row)

    def exercises(
        self,
        session: int,
        limit: int = -1,
        before: int | None = None,
        answered: bool = True,
        about: Trainer | None = None,
    ) -> Iterator[Exercise]:
        """Exercises, the latest first, from number ``before - 1`` on; those that are answered, or all.

        ``about`` leaves those of other trainers out.
        """
        of_trainer = (about is None, *((None, None) if about is None else (about.key, about.name)))
        rows = self._file.execute(
            f"SELECT {_COLUMNS} FROM exercises WHERE session = ? AND number < ? AND (action IS NOT NULL OR ?)"
            " AND (? OR ifnull(key = ?, strategy = ?)) ORDER BY number DESC LIMIT ?",
            (session, 1 << 60 if before is None else before, not answered, *of_trainer, limit),
        )
        return (_exercise(*row) for row in rows)

    def deal(self, session: int, exercise: Exercise) -> bool:
        """Keep an exercise in the place of one that is not answered; False where its number is taken.

        Raises:
            FullError: the session has too many.
        """
        self._check_room(exercise)
        with self._transaction():
            self._file.execute(
                "DELETE FROM exercises WHERE session = ? AND number < ? AND action IS NULL", (session, exercise.number)
            )
            return self._add(session, exercise)

    def answer(self, session: int, exercise: Exercise, then: Exercise | None) -> bool:
        """Keep an answer, and the next decision of the hand; False where it was answered already: too late."""
        values = _row(exercise)
        with self._transaction():
            kept = self._file.execute(
                "UPDATE exercises SET action = ?, after = ?, mix_fold = ?, mix_call = ?, mix_raise = ?, mistake = ?"
                " WHERE session = ? AND number = ? AND action IS NULL",
                (*values[9:14], exercise.mistake, session, exercise.number),
            ).rowcount
            if kept:
                self._file.execute("UPDATE sessions SET trained = trained + 1 WHERE id = ?", (session,))
                if then is not None:
                    self._add(session, then)
        return bool(kept)

    def keep(self, session: int, exercise: Exercise) -> Exercise:
        """Keep an answer, as the last one where another lesson dealt over the exercise; gives it as it is kept.

        Raises:
            FullError: the session has too many.
        """
        with self._transaction():
            if self.answer(session, exercise, None):
                return exercise
            added = replace(exercise, number=self.next_number(session))
            self._check_room(added)
            self._add(session, added)
            self._file.execute("UPDATE sessions SET trained = trained + 1 WHERE id = ?", (session,))
        return added

    def next_number(self, session: int) -> int:
        """The number of the next exercise."""
        last = self.latest(session)
        return last.number + 1 if last else 1

    def judge(self, session: int, exercise: Exercise) -> None:
        """Keep what an answer lost."""
        self._file.execute(
            "UPDATE exercises SET ev_fold = ?, ev_call = ?, ev_raise = ?, ev_lost = ?, mistake = ?"
            " WHERE session = ? AND number = ?",
            (*exercise.ev, exercise.ev_lost, exercise.mistake, session, exercise.number),
        )

    def score(self, session: int, trainer: Trainer) -> Score:
        """Of all answers about a trainer's strategy."""
        return Score(*self._file.execute(_SCORE, _about(session, trainer)).fetchone())

    def waiting(self, session: int, trainer: Trainer) -> list[Exercise]:
        """Answers about a trainer's strategy that are not judged yet, the earliest first."""
        rows = self._file.execute(
            f"SELECT {_COLUMNS} FROM exercises WHERE {_ABOUT} AND mistake IS NULL ORDER BY number",
            _about(session, trainer),
        )
        return [_exercise(*row) for row in rows]

    def repetition(self, session: int, trainer: Trainer) -> Repetition:
        """What is to be repeated of the spots of a trainer's strategy."""
        rows = self._file.execute(
            f"SELECT number, again, mistake FROM exercises WHERE {_ABOUT} ORDER BY number", _about(session, trainer)
        )
        return repetition(
            Answered(number, again, None if mistake is None else bool(mistake)) for number, again, mistake in rows
        )

    def _check_room(self, exercise: Exercise) -> None:
        if exercise.number > self._most:
            raise FullError(f"this session has its {self._most:,} exercises; export them and start a new one")

    def _add(self, session: int, exercise: Exercise) -> bool:
        return self._file.execute(_KEEP, (session, *_row(exercise))).rowcount == 1


def write_csv(file: Any, rows: list[dict[str, Any]]) -> None:
    """Write rows of exercises, a header first; unknown numbers are empty."""
    if rows:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: cell(value) for name, value in row.items()} for row in rows)


def _about(session: int, trainer: Trainer) -> tuple[int, str, str]:
    return session, trainer.key, trainer.name


def _row(each: Exercise) -> tuple[Any, ...]:
    cards = (*map(format_cards, each.deal.hands), format_cards(each.deal.board))
    asked = (each.number, each.strategy, each.seat, *cards, each.line, each.whole, each.again)
    mix = each.mix or (None,) * 3
    return (*asked, each.action, each.after, *mix, *each.ev, each.ev_lost, each.mistake, each.key)


def _exercise(*columns: Any) -> Exercise:
    number, strategy, seat, first, second, board, line, whole, again, action, after, *values = columns
    deal = Deal((parse_cards(first), parse_cards(second)), parse_cards(board))
    fold, call, raise_, *ev, lost, mistake, key = values
    mix = None if action is None else (fold, call, raise_)
    judged = None if mistake is None else bool(mistake)
    evs = (ev[0], ev[1], ev[2])
    asked = (number, strategy, seat, deal, line, bool(whole), again)
    return Exercise(*asked, action, after, mix, evs, lost, judged, key)
