"""The decisions of a database as a list: how many there are, and those of some places in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cfr.game.betting import BettingTree
from cfr.study.reviews.decision import Decision
from cfr.study.reviews.hand_database import DECISION, Choice, HandDatabase, decision_of


@dataclass(frozen=True)
class Listed:
    """A decision in its place.

    Attributes:
        hand: the ``id`` of its hand in the database.
        day: of the hand, empty if that is not known.
        decision: what was done.
    """

    hand: int
    day: str
    decision: Decision


@dataclass(frozen=True)
class DecisionList:
    """The chosen decisions of a database, those that lose most first; of equal ones the latest first.

    Args:
        database: what has them.
        choice: which ones.
    """

    database: HandDatabase
    choice: Choice

    def totals(self) -> tuple[int, float | None]:
        """How many there are, and mbb lost in them; None where no loss is known."""
        source, values = self._source()
        [(count, lost)] = self.database.rows(f"SELECT count(*), sum(ev_lost_mbb) {source}", values)
        return count, lost

    def part(self, offset: int, most: int, tree: BettingTree) -> list[Listed]:
        """At most so many from a place on, counted from 0."""
        source, values = self._source()
        order = "ORDER BY ev_lost_mbb DESC, {}id DESC"
        asked = (
            f"SELECT hands.id, day, number, {_COLUMNS} FROM (SELECT id AS found {source} {order.format('')} "
            f"LIMIT ? OFFSET ?) JOIN decisions ON decisions.id = found JOIN hands ON hands.id = hand "
            f"{order.format('decisions.')}"
        )
        rows = self.database.rows(asked, [*values, most, offset])
        return [Listed(hand, day, decision_of(int(number), row, tree)) for hand, day, number, *row in rows]

    def _source(self) -> tuple[str, list[Any]]:
        """Where they come from in SQL: an index that has all that is asked for, so that nothing else is read."""
        where, values = self.choice.of_decisions()
        days, more = self.choice.of_days()
        index = "decisions_by_loss" if self.choice.player is None else "decisions_by_player"
        within = f" AND hand IN (SELECT id FROM hands WHERE {days})" if more else ""
        return f"FROM decisions INDEXED BY {index} WHERE {where}{within}", values + more


_COLUMNS = ", ".join(f"decisions.{each}" for each in DECISION.split(", "))
