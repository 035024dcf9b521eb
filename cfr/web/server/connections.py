"""Connections of the page: how many may be open, how long a request may take, and which one is closed for room."""

from __future__ import annotations

import asyncio
import logging
import resource
import time
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST = 2048  # connections open at once
BACKLOG = 1024  # connections that may wait until they are taken: a crowd comes at once
DOWNLOAD_SECONDS = 600.0  # from the answer to its last byte
REQUEST_SECONDS = 20.0  # from the connection, or the answer before, to the last byte of a request
_SPARE = 128  # descriptors of files, of the strategy and of the sessions
_TAKEN = 4  # the event loop may hold so many backlogs before it has closed those for which there is no room
_SHARE = 4  # an address may hold one part in so many
_SWEEP_SECONDS = 1.0
_LOG_SECONDS = 60.0
_KINDS = 100  # of messages that are remembered


def room_for_connections() -> tuple[int, int]:
    """How many connections may be open, and how many may wait to be accepted, below the limit of descriptors.

    The limit is raised as far as the system lets it.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST + _TAKEN * BACKLOG + _SPARE
    if soft != resource.RLIM_INFINITY and soft < wanted:
        raised = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, raised), hard))
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if soft == resource.RLIM_INFINITY:
        return MOST, BACKLOG
    left = max(2 * _TAKEN, soft - _SPARE)
    backlog = min(BACKLOG, left // (2 * _TAKEN))
    return min(MOST, left - _TAKEN * backlog), backlog


class Connections:
    """The connections that are open, and those among them that wait for their visitor.

    A connection waits until its request is whole, and again after the answer. If there is no room, the one that waits
    longest is closed: a browser opens another when it needs it.

    Args:
        most: how many may be open.
        proxies: addresses that bring many visitors, so that an address's share does not bind them.
        clock: seconds.
    """

    def __init__(self, most: int, proxies: Collection[str] = (), clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._of_address = most, max(1, most // _SHARE)
        self._proxies, self._clock = frozenset(proxies), clock
        self._address: dict[Any, str] = {}
        self._count: Counter[str] = Counter()
        self._waiting: dict[Any, float] = {}  # since when, the longest first

    def enter(self, connection: Any, address: str) -> bool:
        """Count a new connection, which waits; False where there is no room for it."""
        is_full = len(self._address) >= self._most
        idle = (each for each in self._waiting if not _is_sending(each))
        if address not in self._proxies and self._count[address] >= self._of_address:
            found = next((each for each in idle if self._address[each] == address), None)
        else:
            found = next(idle, None)
            if not is_full:
                found = connection
        if found is None:
            return False
        if found is not connection:
            self.leave(found)
            found.transport.abort()
        self._address[connection] = address
        self._count[address] += 1
        self.waits(connection)
        return True

    def leave(self, connection: Any) -> None:
        """Forget a connection."""
        self._waiting.pop(connection, None)
        address = self._address.pop(connection, None)
        if address is not None:
            self._count[address] -= 1
            if not self._count[address]:
                del self._count[address]

    def waits(self, connection: Any) -> None:
        """A connection waits for its visitor's next request."""
        self._waiting.pop(connection, None)
        if connection in self._address:
            self._waiting[connection] = self._clock()

    def works(self, connection: Any) -> None:
        """A connection has brought a whole request."""
        self._waiting.pop(connection, None)

    def close_late(self) -> None:
        """Close those that have waited for too long, or take too long to read an answer."""
        now = self._clock()
        for connection in [each for each, since in self._waiting.items() if now - since > _patience(each)]:
            self.leave(connection)
            connection.transport.abort()

    async def sweep(self) -> None:
        """Close late connections from time to time, for ever."""
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            self.close_late()


def _is_sending(connection: Any) -> bool:
    """Whether a part of the last answer is still to be read at the other end."""
    return bool(connection.transport.get_write_buffer_size())


def _patience(connection: Any) -> float:
    return DOWNLOAD_SECONDS if _is_sending(connection) else REQUEST_SECONDS


def protocol(connections: Connections) -> type[HttpToolsProtocol]:
    """Uvicorn's protocol, whose connections are counted."""

    class Counted(HttpToolsProtocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if not connections.enter(self, self.client[0] if self.client else ""):
                transport.abort()

        def connection_lost(self, exc: Exception | None) -> None:
            connections.leave(self)
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            if not self.transport.is_closing():
                super().data_received(data)

        def on_message_complete(self) -> None:
            if not self.cycle.response_complete:
                connections.works(self)
            super().on_message_complete()

        def on_response_complete(self) -> None:
            connections.waits(self)
            super().on_response_complete()

    return Counted


class OncePerMinute(logging.Filter):
    """Lets a message pass once a minute; the next one says how many were left out."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._seen: dict[str, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        now, kind = self._clock(), str(record.msg).partition("\n")[0]
        since, left_out = self._seen.pop(kind, (now - _LOG_SECONDS, 0))
        is_next = now - since >= _LOG_SECONDS
        self._seen[kind] = (now, 0) if is_next else (since, left_out + 1)
        if len(self._seen) > _KINDS:
            del self._seen[next(iter(self._seen))]
        if not is_next:
            return False
        if left_out:
            record.msg = f"{record.msg} ({left_out:,} more since the last line)"
        return True
