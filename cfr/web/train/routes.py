"""Requests about the trainer: deal, answer, what an answer lost, and what was trained."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from cfr.strategy.strategy import BaseStrategy, Floats
from cfr.study.training.drill import Drill
from cfr.study.training.exercise import Exercise
from cfr.study.training.trainer import Trainer
from cfr.system.errors import IllegalActionError
from cfr.values.canonical_spot import CanonicalSpot
from cfr.web.server.answers import Answers
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
from cfr.web.server.table import Table
from cfr.web.server.visitors import Visitors
from cfr.web.server.worker import BusyError
from cfr.web.store.group_commit import Together
from cfr.web.store.records import Session
from cfr.web.store.sessions import Sessions
from cfr.web.train.trainer_view import TrainerView
from cfr.web.train.training import Training, write_csv

PAGE = 20  # answers at a time
_CACHED_SPOTS = 256  # 30 kB each
_DRILL: dict[str, type] = dict.fromkeys(("mode", "seat", "round", "line", "flop", "decision"), str)


class TrainerRoutes:
    """The endpoints of the trainer.

    Args:
        strategy: that is trained.
        name: the strategy's, which is shown.
        find: the strategy of an opponent by its name, which a person may choose.
        table: where whole hands are played.
        sessions: where exercises are kept.
        together: takes their writes together.
        waiting: how many spots may wait for their EVs.
        visitors: who asks.
    """

    def __init__(
        self,
        strategy: BaseStrategy,
        name: str,
        find: Callable[[str], BaseStrategy],
        table: Table,
        sessions: Sessions,
        together: Together,
        waiting: int,
        visitors: Visitors,
    ) -> None:
        self._strategy, self._name, self._find, self._table = strategy, name, find, table
        self._own, self._together, self._visitors = Trainer(strategy, name), together, visitors
        self._kept = Training(sessions.file, sessions.transaction, sessions.limits.hands)
        self._answers = Answers[tuple[str, CanonicalSpot], Floats]("trainer", waiting, _CACHED_SPOTS)

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

    def close(self) -> None:
        """Stop working EVs out."""
        self._answers.close()

    async def _trainer(self, request: Request) -> Trainer:
        """Who deals and judges against the opponent of a request."""
        against = against_of(request)
        return await self._visitors.beside(self._against, against) if against else self._own

    def _against(self, name: str) -> Trainer:
        return Trainer(self._strategy, self._name, self._find(name), name)

    async def state(self, request: Request) -> Response:
        session, trainer = self._visitors.find(request), await self._trainer(request)
        if session is None:
            return json_response('{"exercise":null,"feedback":null,"score":null,"repeats":0}')
        return self._shown(session.id, trainer)

    async def deal(self, request: Request) -> Response:
        body = await body_of(request, _DRILL)
        session = self._visitors.find(request)
        if any(len(text) > MAX_TEXT for text in body.values()):
            raise HTTPException(400, f"expected texts of at most {MAX_TEXT} characters")
        try:
            drill = Drill.read(self._strategy.betting, **body)
        except IllegalActionError as error:
            raise HTTPException(400, str(error)) from None
        trainer = await self._trainer(request)
        last = session and self._kept.latest(session.id)
        number = last.number + 1 if last else 1
        exercise = self._due(session, number, trainer)
        if exercise is None:
            rng = self._table.random(number, "drill")
            exercise = await self._visitors.beside(trainer.deal, number, drill, rng)
        async with self._together:
            session, remember = self._visitors.admit(request, session)
            kept = self._kept.deal(session.id, exercise)
        if not kept:
            raise HTTPException(409, f"exercise {number} was already dealt")
        await self._look_ahead(exercise, trainer)
        response = self._shown(session.id, trainer)
        remember(response)
        return response

    def _due(self, session: Session | None, number: int, trainer: Trainer) -> Exercise | None:
        """What went wrong before, where its turn has come."""
        if session is None:
            return None
        due = self._kept.repetition(session.id, trainer).due
        spot = None if due is None else self._kept.find(session.id, due)
        return spot and trainer.again(number, spot)

    async def act(self, request: Request) -> Response:
        body = await body_of(request, {"number": int, "line": str, "action": str})
        session, trainer = self._visitors.know(request)[0], await self._trainer(request)
        exercise = self._kept.latest(session.id)
        if exercise is None or exercise.number != body["number"] or exercise.line != body["line"]:
            raise HTTPException(409, f"too late: exercise {body['number']} is not asked any more")
        if exercise.action is not None:
            raise HTTPException(409, f"too late: exercise {exercise.number} is answered")
        if not trainer.owns(exercise):
            about = f"exercise {exercise.number} is about another strategy, {exercise.strategy}"
            raise HTTPException(409, f"{about}; deal a new one")
        if len(body["action"]) != 1:
            raise HTTPException(400, f"action {body['action'][:MAX_TEXT]!r}; expected f, c or r")
        play_on = TrainerView(trainer, self._table).play_on
        answered, then = await self._visitors.beside(trainer.answer, exercise, body["action"], play_on)
        async with self._together:
            kept = self._kept.answer(session.id, answered, then)
        if not kept:
            raise HTTPException(409, f"too late: exercise {exercise.number} is answered")
        await self._judge(request, session.id, answered, trainer)
        if then is not None:
            await self._look_ahead(then, trainer)
        return self._shown(session.id, trainer)

    async def values(self, request: Request) -> Response:
        session, number = self._visitors.know(request)[0], _number(text_of(request, "number"), "number")
        trainer = await self._trainer(request)
        exercise = None if number is None else self._kept.find(session.id, number)
        if exercise is None or exercise.action is None:
            raise HTTPException(400, "number: expected that of an answered exercise")
        if trainer.owns(exercise) and exercise.waits():
            exercise = await self._judge(request, session.id, exercise, trainer)
        feedback = TrainerView(trainer, self._table).feedback(exercise)
        shown = {"feedback": feedback, **self._standing(session.id, trainer)}
        return json_response(to_json(shown), 202 if shown["feedback"]["working"] else 200)

    async def answers(self, request: Request) -> Response:
        session, before = self._visitors.know(request)[0], _number(text_of(request, "before"), "before")
        trainer = await self._trainer(request)
        view, about = TrainerView(trainer, self._table), trainer if trainer.against else None
        found = list(self._kept.exercises(session.id, PAGE + 1, before, about=about))
        shown = [view.feedback(each) for each in found[:PAGE]]
        return json_response(to_json({"answers": shown, "more": len(found) > PAGE}))

    async def export_csv(self, request: Request) -> Response:
        text = io.StringIO()
        write_csv(text, self._rows(request))
        return PlainTextResponse(text.getvalue(), headers=_attached("trained.csv"), media_type="text/csv")

    async def export_json(self, request: Request) -> Response:
        return Response(to_json(self._rows(request)), headers=_attached("trained.json"), media_type="application/json")

    def _rows(self, request: Request) -> list[dict[str, Any]]:
        betting = self._strategy.betting
        found = [each.row(betting) for each in self._kept.exercises(self._visitors.know(request)[0].id)]
        return found[::-1]

    async def _judge(self, request: Request, session: int, exercise: Exercise, trainer: Trainer) -> Exercise:
        """The exercise with what its answer lost, which is kept; as it is where that takes longer."""
        if not trainer.has_values(exercise):
            return exercise
        spot = await self._visitors.beside(_spot, trainer, exercise)
        try:
            found = await self._answers.find(
                (trainer.key, spot), partial(trainer.action_ev, spot), request.is_disconnected
            )
        except BusyError:
            found = None
        if found is None:
            return exercise
        judged = trainer.judge(exercise, found)
        async with self._together:
            self._kept.judge(session, judged)
        return judged

    async def _look_ahead(self, exercise: Exercise, trainer: Trainer) -> None:
        """Begin to work out what the answer will lose while it is thought about."""
        if trainer.has_values(exercise):
            spot = await self._visitors.beside(_spot, trainer, exercise)
            self._answers.begin((trainer.key, spot), partial(trainer.action_ev, spot))

    def _standing(self, session: int, trainer: Trainer) -> dict[str, Any]:
        repeats = self._kept.repetition(session, trainer).waiting
        return {"score": self._kept.score(session, trainer).to_dict(), "repeats": repeats}

    def _shown(self, session: int, trainer: Trainer) -> Response:
        exercise, answered = self._kept.latest(session), self._kept.latest(session, answered=True)
        view = TrainerView(trainer, self._table)
        hand = "null" if exercise is None or not trainer.owns(exercise) else view.exercise(exercise)
        answered = None if answered is None or (trainer.against and not trainer.owns(answered)) else answered
        feedback = {"feedback": None if answered is None else view.feedback(answered)}
        return json_response(f'{{"exercise":{hand},{to_json(feedback | self._standing(session, trainer))[1:]}')


def _spot(trainer: Trainer, exercise: Exercise) -> CanonicalSpot:
    return trainer.spot(exercise)[0]


def _attached(name: str) -> dict[str, str]:
    return NO_STORE | {"content-disposition": f'attachment; filename="{name}"'}


def _number(text: str, name: str) -> int | None:
    if text and not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise HTTPException(400, f"{name} {text!r}; expected a number")
    return int(text) if text else None
