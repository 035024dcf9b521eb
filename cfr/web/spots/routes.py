"""Requests about exact spots: forecasts, solves, their solutions and the maps of their next cards."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from cfr.strategy.strategy import BaseStrategy
from cfr.system.errors import BadInputError
from cfr.web.server.endpoints import MAX_TEXT, Endpoint, body_of, json_response, text_of, to_json
from cfr.web.server.runouts import Runouts
from cfr.web.server.visitors import Visitors
from cfr.web.server.worker import BusyError, Worker
from cfr.web.spots.exact import ExactSpots, Wanted
from cfr.web.spots.solves import Solve, Solves

MAX_BODY = 1 << 15  # bytes: two ranges that name every hand
MOST_ASKED = 32  # questions that wait for an answer
_FIELDS: dict[str, type] = {"board": str, "line": str, "button": str, "bb": str, "locks": list, "target": float}
_CACHED_SPOTS = 64  # 150 kB each


class SpotRoutes:
    """The endpoints of exact spots.

    Args:
        exact: what solves spots.
        visitors: who asks.
    """

    def __init__(self, exact: ExactSpots, visitors: Visitors) -> None:
        self._exact, self._count = exact, visitors.count
        self._solves = Solves(exact)
        self._worker = Worker("exact")
        self._runouts = Runouts(self._worker)
        self._answers: OrderedDict[tuple[str, str, str], bytes] = OrderedDict()
        self._asked = 0

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """By path."""
        return {
            "/api/exact": Endpoint(self.state),
            "/api/exact/forecast": Endpoint(self.forecast, "POST"),
            "/api/exact/solve": Endpoint(self.solve, "POST"),
            "/api/exact/stop": Endpoint(self.stop, "POST"),
            "/api/exact/spot": Endpoint(self.spot),
            "/api/exact/runouts": Endpoint(self.runouts),
        }

    async def forecast(self, request: Request) -> Response:
        self._count(request)
        wants = await self._wanted(request)
        return json_response(to_json(wants.answer() | {"is_known": self._solves.is_known(wants.id)}))

    async def solve(self, request: Request) -> Response:
        self._count(request)
        wants = await self._wanted(request)
        if wants.refusal is not None:
            raise BadInputError(wants.refusal)
        return json_response(to_json(self._solves.state(self._solves.start(wants))))

    async def state(self, request: Request) -> Response:
        self._count(request)
        return json_response(to_json(self._solves.state(self._known(text_of(request, "id")))))

    async def stop(self, request: Request) -> Response:
        self._count(request)
        body = await body_of(request, {"id": str})
        self._solves.stop(self._known(body["id"]))
        return json_response("{}")

    async def spot(self, request: Request) -> Response:
        self._count(request)
        id_, solved = self._solved(request)
        board, line = (text_of(request, name) for name in ("board", "line"))
        answer = self._answers.get((id_, board, line))
        if answer is None:
            answer = await self._ask(partial(self._exact.solution, solved, board, line))
            self._answers[id_, board, line] = answer
            if len(self._answers) > _CACHED_SPOTS:
                self._answers.popitem(last=False)
        return Response(answer, media_type="application/json")

    async def runouts(self, request: Request) -> Response:
        self._count(request)
        id_, solved = self._solved(request)
        board, line = (text_of(request, name) for name in ("board", "line"))
        return self._runouts.answer(id_, solved, board, line)

    def close(self) -> None:
        """Stop what is being solved."""
        self._solves.close()
        self._worker.close()

    async def _wanted(self, request: Request) -> Wanted:
        body = await body_of(request, _FIELDS, MAX_BODY)
        for name in ("board", "line"):
            if len(body[name]) > MAX_TEXT:
                raise HTTPException(400, f"{name}: {len(body[name])} characters; expected at most {MAX_TEXT}")
        found: Wanted = await self._ask(partial(self._exact.wanted, body))
        return found

    async def _ask(self, work: Callable[[], Any]) -> Any:
        if self._asked >= MOST_ASKED:
            raise BusyError
        self._asked += 1
        try:
            return await self._worker.run(work)
        finally:
            self._asked -= 1

    def _known(self, id_: str) -> Solve:
        found = self._solves.find(id_)
        if found is None:
            raise HTTPException(404, "no such spot is being solved, or it was forgotten; solve it again")
        return found

    def _solved(self, request: Request) -> tuple[str, BaseStrategy]:
        found = self._known(text_of(request, "id"))
        if found.outcome is None:
            raise HTTPException(409, "the spot is not solved yet")
        return found.wanted.id, found.outcome.strategy
