"""Requests for what takes a second to count: both ranges at a spot, and all flops after a line."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from cfr.game.betting import State
from cfr.web.answers import Answers
from cfr.web.endpoints import Endpoint, json_response, strategy_of, text_of
from cfr.web.flops import all_flops, flop_root
from cfr.web.library import Volume
from cfr.web.ranges import both_ranges
from cfr.web.worker import BusyError

_CACHED_ANSWERS = 64  # 200 kB each


class StudyRoutes:
    """The endpoints of what is counted.

    Args:
        find: gives a strategy by its name, or refuses it.
        count: counts a request against its sender's rate; refuses it where it is too fast.
        beside: does some work while the event loop goes on.
        waiting: how many questions may be unanswered at a time.
    """

    def __init__(
        self,
        find: Callable[[str], Volume],
        count: Callable[[Request], None],
        beside: Callable[..., Awaitable[Any]],
        waiting: int,
    ) -> None:
        self._find, self._count, self._beside = find, count, beside
        self._answers = Answers[tuple[str, ...], bytes]("study", waiting, _CACHED_ANSWERS)

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """By path."""
        return {"/api/ranges": Endpoint(self.ranges), "/api/flops": Endpoint(self.flops)}

    def close(self) -> None:
        """Begin nothing more."""
        self._answers.close()

    async def ranges(self, request: Request) -> Response:
        self._count(request)
        board, line, name = text_of(request, "board"), text_of(request, "line"), strategy_of(request)
        volume = self._find(name)
        state, cards = await self._beside(volume.strategy.spot, board, line)
        question = ("ranges", name, state.line_string, repr(cards))
        return await self._answered(question, partial(self._ranges, volume, state, cards))

    def _ranges(self, volume: Volume, state: State, board: tuple[int, ...]) -> bytes:
        return both_ranges(volume.explorer.positions.at(state, board))

    async def flops(self, request: Request) -> Response:
        self._count(request)
        line, name = text_of(request, "line"), strategy_of(request)
        strategy = self._find(name).strategy
        root = await self._beside(flop_root, strategy, line)
        return await self._answered(("flops", name, root.line_string), partial(all_flops, strategy, root))

    async def _answered(self, question: tuple[str, ...], work: Callable[[], bytes]) -> Response:
        try:
            found = await self._answers.find(question, work)
        except BusyError:
            raise HTTPException(429, "too many answers are being counted; try again", {"retry-after": "1"}) from None
        if found is None:
            return json_response('{"working":true}', 202)
        return Response(found, media_type="application/json")
