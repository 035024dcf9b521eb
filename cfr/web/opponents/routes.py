"""Requests about players: who was found, one of them, the files, and logs from which others are learnt."""

from __future__ import annotations

from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from cfr.opponents.shelf import Shelf
from cfr.web.opponents.modelled_logs import ModelledLog, ModelledLogs
from cfr.web.opponents.player_view import listed, player_view
from cfr.web.server.endpoints import MAX_NAME, NO_STORE, Endpoint, body_of, json_response, log_of, text_of, to_json
from cfr.web.server.visitors import Visitors

MOST_BYTES = 8_000_000  # of a log


class OpponentRoutes:
    """The endpoints of players.

    Args:
        shelf: the files.
        named: the page's name for the strategy of a checksum; None for one that it does not show.
        visitors: who asks.
        logs: learns from logs that visitors drop; None takes none.
    """

    def __init__(
        self, shelf: Shelf, named: Callable[[str], str | None], visitors: Visitors, logs: ModelledLogs | None
    ) -> None:
        self._shelf, self._named, self._visitors, self._logs = shelf, named, visitors, logs

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """By path."""
        found = {"/api/opponents": Endpoint(self.players), "/api/opponents/player": Endpoint(self.player)}
        if self._logs is not None:
            found["/api/opponents/log"] = Endpoint(self.log)
            found["/api/opponents/log/start"] = Endpoint(self.start, "POST")
            found["/api/opponents/log/learn"] = Endpoint(self.learn, "POST")
            found["/api/opponents/log/stop"] = Endpoint(self.stop, "POST")
        return found

    @property
    def downloads(self) -> dict[str, Endpoint]:
        """By path; files that are compressed already."""
        return {"/api/opponents/file": Endpoint(self.file)}

    @property
    def most_bytes(self) -> int | None:
        """Of a log; None where none is taken."""
        return None if self._logs is None else MOST_BYTES

    def close(self) -> None:
        """Learn no further."""
        if self._logs is not None:
            self._logs.close()

    async def start(self, request: Request) -> Response:
        session = self._visitors.find(request)
        name, text = await log_of(request, MOST_BYTES)
        session, remember = self._visitors.admit(request, session)
        response = self._progress(self._learns.start(session.id, name, text))
        remember(response)
        return response

    async def log(self, request: Request) -> Response:
        self._visitors.count(request)
        return self._progress(self._known(text_of(request, "id")))

    async def learn(self, request: Request) -> Response:
        self._visitors.count(request)
        body = await body_of(request, {"id": str, "player": str})
        job = self._known(body["id"])
        await self._visitors.beside(self._learns.learn, job, body["player"])
        return self._progress(job)

    async def stop(self, request: Request) -> Response:
        self._visitors.count(request)
        job = self._learns.find((await body_of(request, {"id": str}))["id"])
        if job is not None:
            self._learns.stop(job)
        return json_response("{}")

    @property
    def _learns(self) -> ModelledLogs:
        assert self._logs is not None
        return self._logs

    def _known(self, id_: str) -> ModelledLog:
        job = self._learns.find(id_)
        if job is None:
            raise HTTPException(404, "no such log is kept; drop it again")
        return job

    def _progress(self, job: ModelledLog) -> Response:
        return json_response(to_json(self._learns.state(job)))

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
