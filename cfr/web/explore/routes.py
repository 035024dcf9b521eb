"""Requests about spots: what hands do, what they win, both ranges, each next card, and all flops after a line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import Response

from cfr.game.betting import State
from cfr.system.errors import BadInputError, IllegalActionError, MalformedTextError
from cfr.system.progress import Progress
from cfr.web.explore.flops import all_flops, flop_root
from cfr.web.explore.library import Library, Volume
from cfr.web.explore.nearest_spot import nearest_spot
from cfr.web.explore.ranges import both_ranges
from cfr.web.server.answers import Answers
from cfr.web.server.endpoints import Endpoint, json_response, strategy_of, text_of, to_json
from cfr.web.server.runouts import Runouts
from cfr.web.server.visitors import Visitors
from cfr.web.server.worker import Worker

_CACHED_ANSWERS = 64  # 200 kB each


class ExploreRoutes:
    """The endpoints of spots.

    Args:
        library: the strategies.
        visitors: who asks.
        waiting: how many questions may be unanswered at a time.
    """

    def __init__(self, library: Library, visitors: Visitors, waiting: int) -> None:
        self._find, self._visitors = library.find, visitors
        self._answers = Answers[tuple[str, ...], bytes](
            "study", waiting, _CACHED_ANSWERS, "too many answers are being counted"
        )
        self._worker = Worker("runouts")
        self._runouts = Runouts(self._worker)

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """By path."""
        return {
            "/api/spot": Endpoint(self.spot),
            "/api/values": Endpoint(self.values),
            "/api/ranges": Endpoint(self.ranges),
            "/api/flops": Endpoint(self.flops),
            "/api/runouts": Endpoint(self.runouts),
        }

    def close(self) -> None:
        """Begin nothing more."""
        self._answers.close()
        self._worker.close()

    async def spot(self, request: Request) -> Response:
        volume, board, line = self._asked(request)
        try:
            found = await self._visitors.beside(volume.explorer.spot, board, line)
        except (IllegalActionError, MalformedTextError, BadInputError) as error:
            nearest = await self._visitors.beside(nearest_spot, volume.strategy, board, line)
            return json_response(to_json({"error": str(error), "nearest": asdict(nearest)}), 400)
        return Response(found, media_type="application/json")

    async def values(self, request: Request) -> Response:
        volume, board, line = self._asked(request)
        spot = await self._visitors.beside(volume.valuer.find, board, line)
        found = await volume.valuer.values(spot, request.is_disconnected)
        if found is None:
            return json_response(to_json({"working": True, "done": volume.valuer.done(spot)}), 202)
        answer = await self._visitors.beside(volume.valuer.answer, spot, found)
        return Response(answer, media_type="application/json")

    def _asked(self, request: Request) -> tuple[Volume, str, str]:
        """The strategy that a request is about, its board and its line; counts the request."""
        self._visitors.count(request)
        board, line, name = text_of(request, "board"), text_of(request, "line"), strategy_of(request)
        return self._find(name), board, line

    async def ranges(self, request: Request) -> Response:
        volume, board, line = self._asked(request)
        state, cards = await self._visitors.beside(volume.strategy.spot, board, line)
        question = ("ranges", volume.key, state.line_string, repr(cards))
        return await self._answered(request, question, lambda _: self._ranges(volume, state, cards))

    def _ranges(self, volume: Volume, state: State, board: tuple[int, ...]) -> bytes:
        return both_ranges(volume.explorer.positions.at(state, board))

    async def flops(self, request: Request) -> Response:
        self._visitors.count(request)
        line, volume = text_of(request, "line"), self._find(strategy_of(request))
        strategy = volume.strategy
        root = await self._visitors.beside(flop_root, strategy, line)
        question = ("flops", volume.key, root.line_string)
        return await self._answered(request, question, lambda _: all_flops(strategy, root))

    async def runouts(self, request: Request) -> Response:
        volume, board, line = self._asked(request)
        return self._runouts.answer(volume.key, volume.strategy, board, line)

    async def _answered(
        self, request: Request, question: tuple[str, ...], work: Callable[[Progress], bytes]
    ) -> Response:
        found = await self._answers.find(question, work, request.is_disconnected)
        if found is None:
            return json_response('{"working":true}', 202)
        return Response(found, media_type="application/json")
