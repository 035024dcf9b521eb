"""Requests about players: who was found, one of them, and the files of their models and of counter-strategies."""

from __future__ import annotations

from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from cfr.opponents.shelf import Shelf
from cfr.web.opponents.player_view import listed, player_view
from cfr.web.server.endpoints import MAX_NAME, NO_STORE, Endpoint, json_response, text_of, to_json
from cfr.web.server.visitors import Visitors


class OpponentRoutes:
    """The endpoints of players.

    Args:
        shelf: the files.
        named: the page's name for the strategy of a checksum; None for one that it does not show.
        visitors: who asks.
    """

    def __init__(self, shelf: Shelf, named: Callable[[str], str | None], visitors: Visitors) -> None:
        self._shelf, self._named, self._visitors = shelf, named, visitors

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """By path."""
        return {"/api/opponents": Endpoint(self.players), "/api/opponents/player": Endpoint(self.player)}

    @property
    def downloads(self) -> dict[str, Endpoint]:
        """By path; files that are compressed already."""
        return {"/api/opponents/file": Endpoint(self.file)}

    async def players(self, request: Request) -> Response:
        self._visitors.count(request)
        return json_response(to_json(await self._visitors.beside(lambda: listed(self._shelf.contents()))))

    async def player(self, request: Request) -> Response:
        self._visitors.count(request)
        return json_response(await self._visitors.beside(self._player, text_of(request, "name", MAX_NAME)))

    async def file(self, request: Request) -> Response:
        self._visitors.count(request)
        name = text_of(request, "name", MAX_NAME)
        found = await self._visitors.beside(self._shelf.find, name)
        if found is None:
            raise HTTPException(404, f"file {name!r}: there is no such model or counter-strategy")
        return FileResponse(found.path, headers=NO_STORE, filename=found.path.name, media_type="application/x-hdf5")

    def _player(self, name: str) -> str:
        contents = self._shelf.contents()
        found = next((each for each in contents.models if each.path.stem == name), None)
        if found is None:
            raise HTTPException(404, f"player {name!r}: there is no such model")
        return to_json(player_view(found, contents, self._named(found.blueprint_checksum)))
