"""Requests about the trainer: deal, answer, what an answer lost, and what was trained."""

from __future__ import annotations

import io
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from cfr.game.cards import format_cards
from cfr.study.training.drill import Drill
from cfr.study.training.exercise import Exercise
from cfr.study.training.trainer import Trainer
from cfr.system.errors import IllegalActionError
from cfr.values.expected_values import SpotValues
from cfr.web.server.endpoints import MAX_TEXT, NO_STORE, Endpoint, body_of, json_response, text_of, to_json
from cfr.web.server.table import Table
from cfr.web.server.values import Spot, Valuer
from cfr.web.server.visitors import Visitors
from cfr.web.server.worker import BusyError
from cfr.web.store.group_commit import Together
from cfr.web.store.records import Session
from cfr.web.store.sessions import Sessions
from cfr.web.train.trainer_view import TrainerView
from cfr.web.train.training import Training, write_csv

PAGE = 20  # answers at a time
_DRILL: dict[str, type] = dict.fromkeys(("mode", "seat", "round", "line", "flop", "decision"), str)


class TrainerRoutes:
    """The endpoints of the trainer.

    Args:
        trainer: deals and judges.
        table: where whole hands are played.
        sessions: where exercises are kept.
        together: takes their writes together.
        valuer: works out EVs, also of hands that do not get to their spot.
        visitors: who asks.
    """

    def __init__(
        self,
        trainer: Trainer,
        table: Table,
        sessions: Sessions,
        together: Together,
        valuer: Valuer,
        visitors: Visitors,
    ) -> None:
        self._table, self._view = table, TrainerView(trainer, table)
        self._trainer, self._together = trainer, together
        self._kept = Training(sessions.file, sessions.transaction, sessions.limits.hands)
        self._valuer, self._visitors = valuer, visitors

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """By path."""
        return {
            "/api/train": Endpoint(self.state),
            "/api/train/deal": Endpoint(self.deal, "POST"),
            "/api/train/act": Endpoint(self.act, "POST"),
            "/api/train/values": Endpoint(self.values),
            "/api/train/answers": Endpoint(self.answers),
            "/api/train.csv": Endpoint(self.export_csv),
            "/api/train.json": Endpoint(self.export_json),
        }

    async def state(self, request: Request) -> Response:
        session = self._visitors.find(request)
        if session is None:
            return json_response('{"exercise":null,"feedback":null,"score":null,"repeats":0}')
        return self._shown(session.id)

    async def deal(self, request: Request) -> Response:
        body = await body_of(request, _DRILL)
        session = self._visitors.find(request)
        if any(len(text) > MAX_TEXT for text in body.values()):
            raise HTTPException(400, f"expected texts of at most {MAX_TEXT} characters")
        try:
            drill = Drill.read(self._trainer.strategy.betting, **body)
        except IllegalActionError as error:
            raise HTTPException(400, str(error)) from None
        last = session and self._kept.latest(session.id)
        number = last.number + 1 if last else 1
        exercise = self._due(session, number)
        if exercise is None:
            rng = self._table.random(number, "drill")
            exercise = await self._visitors.beside(self._trainer.deal, number, drill, rng)
        async with self._together:
            session, remember = self._visitors.admit(request, session)
            kept = self._kept.deal(session.id, exercise)
        if not kept:
            raise HTTPException(409, f"exercise {number} was already dealt")
        await self._look_ahead(exercise)
        response = self._shown(session.id)
        remember(response)
        return response

    def _due(self, session: Session | None, number: int) -> Exercise | None:
        """What went wrong before, where its turn has come."""
        if session is None:
            return None
        due = self._kept.repetition(session.id, self._trainer).due
        spot = None if due is None else self._kept.find(session.id, due)
        return spot and self._trainer.again(number, spot)

    async def act(self, request: Request) -> Response:
        body = await body_of(request, {"number": int, "line": str, "action": str})
        session = self._visitors.know(request)[0]
        exercise = self._kept.latest(session.id)
        if exercise is None or exercise.number != body["number"] or exercise.line != body["line"]:
            raise HTTPException(409, f"too late: exercise {body['number']} is not asked any more")
        if exercise.action is not None:
            raise HTTPException(409, f"too late: exercise {exercise.number} is answered")
        if not self._trainer.owns(exercise):
            raise HTTPException(409, f"exercise {exercise.number} is about another {exercise.strategy}; deal a new one")
        if len(body["action"]) != 1:
            raise HTTPException(400, f"action {body['action'][:MAX_TEXT]!r}; expected f, c or r")
        answered, then = await self._visitors.beside(self._trainer.answer, exercise, body["action"], self._view.play_on)
        async with self._together:
            kept = self._kept.answer(session.id, answered, then)
        if not kept:
            raise HTTPException(409, f"too late: exercise {exercise.number} is answered")
        await self._judge(request, session.id, answered)
        if then is not None:
            await self._look_ahead(then)
        return self._shown(session.id)

    async def values(self, request: Request) -> Response:
        session, number = self._visitors.know(request)[0], _number(text_of(request, "number"), "number")
        exercise = None if number is None else self._kept.find(session.id, number)
        if exercise is None or exercise.action is None:
            raise HTTPException(400, "number: expected that of an answered exercise")
        if self._trainer.owns(exercise) and exercise.waits():
            exercise = await self._judge(request, session.id, exercise)
        shown = {"feedback": self._view.feedback(exercise), **self._standing(session.id)}
        return json_response(to_json(shown), 202 if shown["feedback"]["working"] else 200)

    async def answers(self, request: Request) -> Response:
        session, before = self._visitors.know(request)[0], _number(text_of(request, "before"), "before")
        found = list(self._kept.exercises(session.id, PAGE + 1, before))
        shown = [self._view.feedback(each) for each in found[:PAGE]]
        return json_response(to_json({"answers": shown, "more": len(found) > PAGE}))

    async def export_csv(self, request: Request) -> Response:
        text = io.StringIO()
        write_csv(text, self._rows(request))
        return PlainTextResponse(text.getvalue(), headers=_attached("trained.csv"), media_type="text/csv")

    async def export_json(self, request: Request) -> Response:
        return Response(to_json(self._rows(request)), headers=_attached("trained.json"), media_type="application/json")

    def _rows(self, request: Request) -> list[dict[str, Any]]:
        betting = self._trainer.strategy.betting
        found = [each.row(betting) for each in self._kept.exercises(self._visitors.know(request)[0].id)]
        return found[::-1]

    async def _judge(self, request: Request, session: int, exercise: Exercise) -> Exercise:
        """The exercise with what its answer lost, which is kept; as it is where that takes longer."""
        spot = await self._spot(exercise)
        if spot is None:
            return exercise
        try:
            found: SpotValues | None = await self._valuer.values(spot, request.is_disconnected)
        except BusyError:
            found = None
        if found is None:
            return exercise
        judged = self._trainer.judge(exercise, found)
        async with self._together:
            self._kept.judge(session, judged)
        return judged

    async def _look_ahead(self, exercise: Exercise) -> None:
        """Begin to work out what the answer will lose while it is thought about."""
        spot = await self._spot(exercise)
        if spot is not None:
            self._valuer.begin(spot)

    async def _spot(self, exercise: Exercise) -> Spot | None:
        if not self._trainer.has_values(exercise):
            return None
        state = exercise.state(self._trainer.strategy.betting)
        board = format_cards(exercise.deal.board[: state.num_board_cards])
        return await self._visitors.beside(self._valuer.find, board, exercise.line)

    def _standing(self, session: int) -> dict[str, Any]:
        repeats = self._kept.repetition(session, self._trainer).waiting
        return {"score": self._kept.score(session, self._trainer).to_dict(), "repeats": repeats}

    def _shown(self, session: int) -> Response:
        exercise, answered = self._kept.latest(session), self._kept.latest(session, answered=True)
        if exercise and not self._trainer.owns(exercise):
            exercise = None
        view = "null" if exercise is None else self._view.exercise(exercise)
        feedback = {"feedback": None if answered is None else self._view.feedback(answered)}
        return json_response(f'{{"exercise":{view},{to_json(feedback | self._standing(session))[1:]}')


def _attached(name: str) -> dict[str, str]:
    return NO_STORE | {"content-disposition": f'attachment; filename="{name}"'}


def _number(text: str, name: str) -> int | None:
    if text and not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise HTTPException(400, f"{name} {text!r}; expected a number")
    return int(text) if text else None
