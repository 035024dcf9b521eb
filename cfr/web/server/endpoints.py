"""Requests for JSON: reading and checking what they bring, and answering, refusals included."""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable, Mapping
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from cfr.study.reviews.decision import printable
from cfr.system.errors import CfrError, DamagedFileError, IllegalActionError
from cfr.web.server.guard import App, Message
from cfr.web.server.worker import BusyError
from cfr.web.store.sessions import FullError

MAX_BODY = 1024  # bytes
MAX_TEXT = 64  # characters of a line or a board; the longest line has 27
_MAX_LOG_NAME = 100
MAX_NAME = 260  # of a strategy: as long as a file's name, and +river
NO_STORE = {"cache-control": "no-store"}
to_json = json.JSONEncoder(separators=(",", ":")).encode


class Endpoint:
    """A coroutine that answers requests of one method, as an ASGI application; what it raises becomes an answer.

    Args:
        answer: what answers.
        method: the one it takes; ``GET`` takes ``HEAD``, too.
    """

    def __init__(self, answer: Callable[[Request], Awaitable[Response]], method: str = "GET") -> None:
        self._answer = answer
        self.methods = ("GET", "HEAD") if method == "GET" else (method,)

    async def __call__(
        self, scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
    ) -> None:
        request = Request(scope, receive)
        try:
            if scope["method"] not in self.methods:
                raise HTTPException(405, "Method Not Allowed", {"allow": ", ".join(self.methods)})
            response = await self._answer(request)
        except (HTTPException, CfrError, BusyError) as error:
            response = refusal(request, error)
        except Exception:
            failed = _error("the server failed; its log says why", 500)
            await failed(scope, receive, send)
            raise  # for the log
        await response(scope, receive, send)


class Endpoints:
    """Endpoints by path; a look-up, where a router would try one pattern after the other.

    Args:
        endpoints: by path.
        otherwise: what answers for other paths.
    """

    def __init__(self, endpoints: Mapping[str, App], otherwise: App) -> None:
        self.endpoints, self.otherwise = endpoints, otherwise

    async def __call__(
        self, scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
    ) -> None:
        app = self.endpoints.get(scope["path"]) if scope["type"] == "http" else None
        await (app or self.otherwise)(scope, receive, send)


def refusal(request: Request, error: Exception) -> Response:
    """The answer to a request that is refused, or that is a mistake."""
    if isinstance(error, BusyError):
        error = HTTPException(429, str(error), {"retry-after": str(error.seconds)})
    if isinstance(error, HTTPException):
        response = _error(error.detail, error.status_code)
        response.headers.update(error.headers or {})
        return response
    status = 400
    if isinstance(error, DamagedFileError):
        status = 500
    elif isinstance(error, FullError) or (isinstance(error, IllegalActionError) and request.method == "POST"):
        status = 409
    return _error(str(error), status)


def json_response(text: str, status: int = 200) -> Response:
    """A response of JSON that no cache may keep."""
    return Response(text, status, headers=NO_STORE, media_type="application/json")


def header_of(request: Request, name: bytes) -> str:
    """A header by its name in lower case, empty where it is missing; sooner than by ``request.headers``."""
    for each, value in request.scope["headers"]:
        if each == name:
            return str(value, "latin-1")
    return ""


def cookie_of(request: Request, name: str) -> str:
    """A cookie whose value needs no quotes, empty where it is missing."""
    for each in header_of(request, b"cookie").split(";"):
        key, _, value = each.partition("=")
        if key.strip() == name:
            return value.strip()
    return ""


def text_of(request: Request, name: str, most: int = MAX_TEXT) -> str:
    """A query parameter of at most so many characters, empty where it is missing."""
    text: str = request.query_params.get(name, "")
    if len(text) > most:
        raise HTTPException(400, f"{name}: {len(text)} characters; expected at most {most}")
    return text


def strategy_of(request: Request) -> str:
    """The name of the strategy that a request is about, empty for the first."""
    return text_of(request, "strategy", MAX_NAME)


def against_of(request: Request) -> str:
    """The name of the bot that a request is about, empty for the first."""
    return text_of(request, "against", 2 * MAX_NAME + 20)  # a mix of two


_KINDS = {str: "text", int: "a number", float: "a number", list: "a list of texts"}


async def body_of(request: Request, types: dict[str, type], most: int = MAX_BODY) -> dict[str, Any]:
    """The JSON object that a request brings in at most so many bytes, with just these names and types.

    ``float`` takes whole numbers, too; ``list`` is one of texts.
    """
    if header_of(request, b"content-type").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "expected application/json")
    read, more = b"", True
    while more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise HTTPException(400, "the request was broken off")
        read += message.get("body", b"")
        more = message.get("more_body", False)
        if len(read) > most:
            raise HTTPException(413, f"more than {most} bytes")
    try:
        value = json.loads(read.decode())
    except (ValueError, RecursionError):
        raise HTTPException(400, "the body is not JSON") from None
    if not isinstance(value, dict) or value.keys() != types.keys():
        raise HTTPException(400, f"expected an object with {', '.join(types)}")
    for name, kind in types.items():
        if not _is(value[name], kind):
            raise HTTPException(400, f"{name}: expected {_KINDS[kind]}")
    return value


async def log_of(request: Request, most: int) -> tuple[str, str]:
    """The name, without folders, and the text of a log that a request brings, of at most so many bytes."""
    body = await body_of(request, {"name": str, "text": str}, most + most // 2)  # line ends are two characters there
    name = printable(PurePath(body["name"].replace("\\", "/")).name)
    if not name or len(name) > _MAX_LOG_NAME:
        raise HTTPException(400, f"name: expected 1 to {_MAX_LOG_NAME} characters")
    text = body["text"].encode("utf-8", "replace")  # half a pair of surrogates, which JSON may hold, is in no log
    if len(text) > most:
        raise HTTPException(413, f"{name}: {len(text):,} bytes; expected at most {most:,}")
    return name, text.decode()


def _is(value: object, kind: type) -> bool:
    if kind is list:
        return isinstance(value, list) and all(type(each) is str for each in value)
    return type(value) is kind or (kind is float and type(value) is int)


def numbers(values: NDArray[np.float64]) -> list[float | None]:
    """For JSON: null where there is none."""
    return [number(value) for value in values.tolist()]


def number(value: float) -> float | None:
    """For JSON: null where there is none."""
    return None if math.isnan(value) else value


def _error(reason: str, status: int) -> Response:
    return json_response(to_json({"error": reason}), status)
