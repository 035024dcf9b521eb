"""Requests about a database of reviewed hands: its players' totals, and its decisions part by part."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import date
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from cfr.game.betting import BettingTree
from cfr.game.words import ROUND_NAMES
from cfr.study.reviews.decision_list import DecisionList
from cfr.study.reviews.hand_database import Choice, HandDatabase
from cfr.study.reviews.hand_totals import days_of, player_totals, players_of
from cfr.web.review.questions import choice_of, decision_view, hand_view, number_of
from cfr.web.server.endpoints import MAX_NAME, Endpoint, json_response, text_of, to_json
from cfr.web.server.visitors import Visitors
from cfr.web.server.worker import BusyError, Worker

PART = 100  # decisions at a time
_MOST_WAITING = 16
_MOST_PLAYERS = 1_000
_MOST_LOST = 1_000_000  # mbb


class DatabaseRoutes:
    """The endpoints of a database; one question after the other, and totals, which take longer, beside them.

    Args:
        database: what is shown.
        betting: that of the database's game.
        visitors: who asks.
    """

    def __init__(self, database: HandDatabase, betting: BettingTree, visitors: Visitors) -> None:
        self._database, self._betting, self._count = database, betting, visitors.count
        self._beside = HandDatabase(database.path)  # two questions at a time need two connections
        self._worker, self._adder, self._waiting = Worker("database"), Worker("totals"), 0

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """By path."""
        return {
            "/api/database": Endpoint(self.about),
            "/api/database/totals": Endpoint(self.totals),
            "/api/database/decisions": Endpoint(self.decisions),
            "/api/database/hand": Endpoint(self.hand),
        }

    def close(self) -> None:
        """Answer no further."""
        self._worker.close()
        self._adder.close()

    async def about(self, request: Request) -> Response:
        self._count(request)
        return await self._answer(self._about)

    def _about(self) -> dict[str, Any]:
        database, days = self._database, days_of(self._database)
        players = [{"player": name, "hands": hands} for name, hands in players_of(database)[:_MOST_PLAYERS]]
        return {
            "name": database.path.name,
            "hands": database.hands,
            "has_ev": database.has_ev,
            "days": days and list(days),
            "players": players,
            "skipped": database.omissions().reasons,
        }

    async def totals(self, request: Request) -> Response:
        self._count(request)
        choice, tree = self._asked(request), self._betting
        if choice.player is None:
            raise HTTPException(400, "player: expected a name")
        big_blind = tree.game.big_blind
        return await self._answer(lambda: player_totals(self._beside, choice, tree).to_dict(big_blind), self._adder)

    async def decisions(self, request: Request) -> Response:
        self._count(request)
        found = DecisionList(self._database, self._asked(request))
        offset = number_of(request, "offset", 2**53) or 0

        def answer() -> dict[str, Any]:
            count, lost = found.totals()
            shown = [
                {**decision_view(each.decision), "hand_id": each.hand, "day": each.day}
                for each in found.part(offset, PART, self._betting)
            ]
            return {"count": count, "ev_lost_mbb": lost, "decisions": shown}

        return await self._answer(answer)

    async def hand(self, request: Request) -> Response:
        self._count(request)
        number, player = number_of(request, "hand", 2**53) or 0, text_of(request, "player", MAX_NAME)

        def answer() -> dict[str, Any]:
            found = self._database.find(number, self._betting)
            if found is None:
                raise HTTPException(404, f"hand {number}: no such hand is in the database")
            [(following,)] = self._database.rows("SELECT min(id) FROM hands WHERE id > ?", [number])
            return hand_view(*found, player, following)

        return await self._answer(answer)

    def _asked(self, request: Request) -> Choice:
        """What a request chooses."""
        return Choice(
            text_of(request, "player", MAX_NAME) or None,
            _day(request, "since"),
            _day(request, "until"),
            choice_of(request, "round", ("", *ROUND_NAMES)),
            text_of(request, "line"),
            number_of(request, "lost", _MOST_LOST),
            choice_of(request, "mistakes", ("", "0", "1")) == "1",
        ).read(self._betting)

    async def _answer(self, work: Callable[[], dict[str, Any]], worker: Worker | None = None) -> Response:
        if self._waiting >= _MOST_WAITING:
            raise BusyError("too many ask for hands; try again")
        self._waiting += 1
        try:
            return json_response(await (worker or self._worker).run(lambda: to_json(work())))
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            raise BusyError("the database is being written; try again") from None
        finally:
            self._waiting -= 1


def _day(request: Request, name: str) -> str:
    text = text_of(request, name)
    try:
        return text and date.fromisoformat(text).isoformat()
    except ValueError:
        raise HTTPException(400, f"{name} {text!r}; expected a day such as 2026-11-28") from None
