"""Requests of players: deal, act, hints, the hands so far, and an end to all of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from cfr.play.learning_player import PREFIX, is_learner
from cfr.strategy.strategy import BaseStrategy
from cfr.system.errors import BadInputError
from cfr.web.server.endpoints import (
    MAX_TEXT,
    NO_STORE,
    Endpoint,
    against_of,
    body_of,
    json_response,
    text_of,
    to_json,
)
from cfr.web.server.table import SEATS, Table
from cfr.web.server.visitors import COOKIE, Visitors
from cfr.web.store.group_commit import Together
from cfr.web.store.records import Hand, Session
from cfr.web.store.sessions import Sessions
from cfr.web.table.learner import Learner, opponent
from cfr.web.table.luck import Adjuster

PAGE = 20  # hands of the log at a time
_EMPTY = Session(0, 0, 0, 0)
T = TypeVar("T")


class TableRoutes:
    """The endpoints of the table.

    Args:
        strategy: the bot's.
        table: where hands are played.
        sessions: where hands are kept.
        together: takes their writes together.
        adjuster: works out luck-adjusted results; None leaves hands without.
        visitors: who asks.
        learner: the player that learns from visitors; None offers none.
    """

    def __init__(
        self,
        strategy: BaseStrategy,
        table: Table,
        sessions: Sessions,
        together: Together,
        adjuster: Adjuster | None,
        visitors: Visitors,
        learner: Learner | None = None,
    ) -> None:
        self._strategy, self._table, self._sessions = strategy, table, sessions
        self._together, self._adjuster, self._visitors = together, adjuster, visitors
        self._learner = learner
        self._solved: float | None = None  # share of the bot's solve under way
        strategy.hears = self._hear

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """By path."""
        return {
            "/api/table": Endpoint(self.show),
            "/api/table/act": Endpoint(self.act, "POST"),
            "/api/table/deal": Endpoint(self.deal, "POST"),
            "/api/table/hint": Endpoint(self.hint),
            "/api/table/solving": Endpoint(self.solving),
            "/api/table/learnt": Endpoint(self.unlearn, "DELETE"),
            "/api/hands": Endpoint(self.hands),
            "/api/hands.log": Endpoint(self.export),
            "/api/session": Endpoint(self.forget, "DELETE"),
        }

    async def show(self, request: Request) -> Response:
        found = self._visitors.look_up(request)
        against = against_of(request)
        bot = await self._visitors.beside(self._table.bot, against) if against else self._table.bot("")
        return await self._shown(*found, "" if bot is self._table.bot("") else against)

    async def deal(self, request: Request) -> Response:
        body = await body_of(request, {"seat": str})
        if body["seat"] not in SEATS:
            raise HTTPException(400, f"seat {body['seat'][:MAX_TEXT]!r}; expected one of {', '.join(SEATS)}")
        session, last = self._visitors.look_up(request)
        if last and last.chips is None:
            raise HTTPException(409, f"hand {last.number} is not over yet")
        against, number = against_of(request), last.number + 1 if last else 1
        learner = self._learning(against)
        shares = await learner.ask(learner.shares, against, session and session.id) if learner else ()
        hand = await self._played(against, self._table.deal, number, body["seat"], against, shares)
        async with self._together:
            session, remember = self._visitors.admit(request, session)
            session = self._sessions.add(session, hand)
        if session is None:
            raise HTTPException(409, f"hand {hand.number} was already dealt")
        await self._learn(session, hand)
        response = await self._shown(session, hand, hand.against)
        remember(response)
        return response

    async def act(self, request: Request) -> Response:
        body = await body_of(request, {"hand": int, "line": str, "action": str})
        session, hand = self._visitors.know(request)
        if hand is None or hand.number != body["hand"]:
            raise HTTPException(409, f"hand {body['hand']} is not being played")
        if hand.chips is not None:
            raise HTTPException(409, f"too late: hand {hand.number} is over")
        if hand.line != body["line"]:
            raise HTTPException(409, f"too late: hand {hand.number} went on, its line is {hand.line!r}")
        if len(body["action"]) > 1:
            raise HTTPException(400, f"action {body['action'][:MAX_TEXT]!r}; expected f, c or r")
        after = await self._played(hand.against, self._table.act, hand, body["action"])
        async with self._together:
            then = self._sessions.advance(session, hand, after)
        if then is None:
            raise HTTPException(409, f"too late: hand {hand.number} went on")
        await self._learn(session, after)
        return await self._shown(then, after, after.against)

    async def hint(self, request: Request) -> Response:
        _, hand = self._visitors.know(request)
        if hand is None or hand.chips is not None:
            raise HTTPException(409, "no hand is being played")
        shares = await self._played("", self._table.hint, hand)
        return json_response(to_json({"hand": hand.number, "line": hand.line, "shares": shares}))

    async def solving(self, request: Request) -> Response:
        """What share of the bot's solve is done: one solves at a time, whoever waits for it."""
        self._visitors.count(request)
        return json_response(to_json({"share": self._solved}))

    def _hear(self, share: float) -> None:
        self._solved = share if share < 1 else None

    async def hands(self, request: Request) -> Response:
        (session, _), before = self._visitors.know(request), text_of(request, "before")
        if before and not (before.isascii() and before.isdecimal() and len(before) < 16):
            raise HTTPException(400, f"before {before!r}; expected the number of a hand")
        against = against_of(request)
        against = "" if against == self._table.bot("").name else against
        found = list(self._sessions.hands(session, PAGE + 1, int(before) if before else None, against))
        shown = ",".join(self._table.view(hand) for hand in found[:PAGE] if hand.chips is not None)
        more = to_json(len(found) > PAGE)
        return json_response(f'{{"hands":[{shown}],"more":{more}}}')

    async def export(self, request: Request) -> Response:
        (session, _), before = self._visitors.know(request), None
        lines: list[str] = []
        while found := list(self._sessions.hands(session, 10 * PAGE, before)):
            lines += [self._table.log_line(session.id, hand) + "\n" for hand in found if hand.chips is not None]
            before = found[-1].number
            await asyncio.sleep(0)  # the other players' turn
        attachment = {"content-disposition": 'attachment; filename="hands.log"'}
        return PlainTextResponse("".join(reversed(lines)), headers=NO_STORE | attachment)

    async def forget(self, request: Request) -> Response:
        session, _ = self._visitors.know(request)
        async with self._together:
            self._sessions.forget(session)
        if self._learner is not None:
            await self._learner.ask(self._learner.forget, PREFIX, session.id)
        response = await self._shown(None, None, "")
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")
        return response

    async def unlearn(self, request: Request) -> Response:
        """Forget what a player that learns knows of the visitor's name, or of this session without one."""
        session, hand = self._visitors.look_up(request)
        against = against_of(request)
        learner = self._learning(against)
        if learner is None:
            raise HTTPException(400, f"against {against[:MAX_TEXT]!r}; expected a player that learns, {PREFIX}NAME")
        opponent(against)
        try:
            await learner.ask(learner.forget, against, session and session.id)
        except BadInputError as error:
            raise HTTPException(409, str(error)) from None
        return await self._shown(session, hand, against)

    def _learning(self, against: str) -> Learner | None:
        """The player that learns, where this name is one of its names."""
        return self._learner if is_learner(against) else None

    async def _learn(self, session: Session, hand: Hand) -> None:
        """Learn from a hand that was kept, where it is over and the bot learns."""
        learner = self._learning(hand.against)
        if learner is not None and hand.chips is not None:
            seen = self._table.common(hand)
            await learner.ask(learner.learn, hand.against, session.id, hand.shares, 1 - hand.seat, seen)

    async def _played(self, against: str, work: Callable[..., T], *arguments: object) -> T:
        """What the table answers: at once, or one player after the other.

        The latter where the bot solves subgames, or its file may have to be opened.
        """
        if learner := self._learning(against):
            return await learner.ask(work, *arguments)
        if self._strategy.re_solved_from is None and not against:
            return work(*arguments)
        return await self._visitors.beside(work, *arguments)

    async def _shown(self, session: Session | None, hand: Hand | None, against: str) -> Response:
        """The hand that is played, or the last one against a bot, and the result against the hand's or that bot."""
        if hand and hand.chips is None:
            against = hand.against
        elif hand and hand.against != against:
            hand = None
        if self._adjuster and hand and hand.chips is not None and hand.adjusted is None:
            self._adjuster.wake()
        player = session or _EMPTY
        player = self._sessions.against(player, against) if against else player
        result = to_json({"against": against} | player.result(self._strategy.game.big_blind))
        view = self._table.view(hand) if hand else "null"
        learnt = ""
        if learner := self._learning(against):
            about: dict[str, Any] = await learner.ask(learner.about, against, session and session.id)
            learnt = f',"learner":{to_json(about)}'
        return json_response(f'{{"hand":{view},"result":{result}{learnt}}}')
