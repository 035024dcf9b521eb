"""Writes of many requests in one transaction: a crowd's cost is that of a few commits."""

from __future__ import annotations

import asyncio
import sqlite3

from cfr.web.store.sessions import Sessions

_PATIENCE, _PAUSE = 5.0, 0.02  # seconds that a block waits for another process to end its writes, and looks again


class Together:
    """A block that writes; it ends when what was written is committed. All blocks of one round of the event loop share
    a transaction. ::

        async with together:
            sessions.add(...)

    A block must not wait inside. Where the file cannot be written, all blocks of the round fail and nothing is kept.
    While another process has the file locked, blocks wait and everything else goes on.
    """

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._waiting: list[asyncio.Future[None]] = []
        self._is_open = False

    async def __aenter__(self) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + _PATIENCE
        while not self._is_open:
            try:
                with self._sessions.at_once():
                    self._sessions.begin()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or loop.time() > until:
                    raise
                await asyncio.sleep(_PAUSE)
            else:
                self._is_open = True
                loop.call_soon(self._commit)

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, sqlite3.Error):
            self._fail(error)
        elif error is None:
            done = asyncio.get_running_loop().create_future()
            self._waiting.append(done)
            await done

    def _commit(self) -> None:
        if not self._is_open:  # it failed
            return
        try:
            self._sessions.commit()
        except sqlite3.Error as error:
            self._fail(error)
        else:
            self._end(None)

    def _fail(self, error: sqlite3.Error) -> None:
        try:
            self._sessions.roll_back()
        finally:
            self._end(error)

    def _end(self, error: sqlite3.Error | None) -> None:
        waiting, self._waiting, self._is_open = self._waiting, [], False
        for each in waiting:
            if each.done():  # who waited was cancelled
                continue
            if error is None:
                each.set_result(None)
            else:
                each.set_exception(error)
