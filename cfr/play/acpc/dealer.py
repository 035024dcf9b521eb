"""Somebody else's program at a table of ours: the dealer's side of the ACPC's protocol 2.0.0 over TCP.

The program gets every state of a hand as its seat may see it. When the program is to act, it sends the same line back
with its action. The competition's dealer mends some bad answers; here every bad answer ends the match.
"""

from __future__ import annotations

import random
import re
import socket
import sys
import time
from collections import deque
from collections.abc import Sequence
from select import select
from typing import Self

from tqdm import tqdm

from cfr.formats.acpc import match_state_line
from cfr.game.betting import State
from cfr.game.hand import SeenHand
from cfr.play.acpc.wire import LineBuffer, network
from cfr.system.errors import BadInputError, MalformedTextError

PREFIX = "acpc:"
LOOPBACK = "127.0.0.1"
WAIT_SECONDS = 300.0  # for a program to connect
ANSWER_SECONDS = 60.0  # for one action
_ADDRESS = re.compile(r"(?:(?P<host>[^:\[\]]+|\[[0-9a-fA-F:.]+\]):)?(?P<port>[0-9]{1,5})")
_VERSION = re.compile(r"VERSION:2\.0\.[0-9]+")


class AcpcPlayer:
    """The player behind a port: a program that connects to it. As a context it listens there from the beginning.

    Args:
        host, port: where to listen; port 0 takes a free one, which :attr:`port` then is.
        wait: seconds within which the program must connect, once the first hand is dealt.
        answer: seconds for each of its actions.

    Raises:
        OSError: from ``with``, nobody can listen there.
    """

    def __init__(
        self, host: str, port: int, *, wait: float = WAIT_SECONDS, answer: float = ANSWER_SECONDS, name: str = ""
    ) -> None:
        self.name = name or f"{PREFIX}{host}:{port}"
        self.host = host
        self.port = port
        self._wait = wait
        self._answer = answer
        self._listener: socket.socket | None = None
        self._connection: socket.socket | None = None
        self._lines = LineBuffer()
        self._unread: deque[str] = deque()
        self._said = ""
        self._where = "before the first hand"

    @classmethod
    def named(cls, name: str) -> AcpcPlayer:
        """The player ``acpc:PORT`` or ``acpc:HOST:PORT``; without a host it listens on the loopback address.

        Raises:
            BadInputError: neither.

        >>> AcpcPlayer.named("acpc:18791").host
        '127.0.0.1'
        """
        match = _ADDRESS.fullmatch(name.removeprefix(PREFIX))
        if match is None or int(match["port"]) > 65535:
            raise BadInputError(f"player {name!r}; expected acpc:PORT or acpc:HOST:PORT, port 0 to 65535")
        return cls((match["host"] or LOOPBACK).strip("[]"), int(match["port"]), name=name)

    def __enter__(self) -> Self:
        with network(f"player {self.name}: cannot listen at {self.host}:{self.port}"):
            family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
            self._listener = socket.create_server((self.host, self.port), family=family, backlog=1)
        self.port = self._listener.getsockname()[1]
        return self

    def __exit__(self, *error: object) -> None:
        for each in (self._connection, self._listener):
            if each is not None:
                each.close()
        self._connection = self._listener = None

    def watch(self, seat: int, number: int, seen: SeenHand) -> None:
        """Send the state to the program; before the first hand, wait for the program.

        Raises:
            ConnectionError: it has gone away.
            TimeoutError: it does not come.
            MalformedTextError: it does not begin with its version.
        """
        if self._connection is None:
            self._connection = self._meet()
        self._said = match_state_line(seat, number, seen)
        self._where = f"at {seen.state.line_string!r} of hand {number}"
        self._connection.settimeout(self._answer)
        with network(self._gone()):
            self._connection.sendall(f"{self._said}\r\n".encode("ascii"))

    def act(self, state: State, hand: Sequence[int], board: Sequence[int], rng: random.Random) -> str:
        """The program's answer to the state that it got last.

        Raises:
            MalformedTextError: anything else than that line, a colon and one letter.
            ConnectionError: it goes away.
            TimeoutError: it is late.
        """
        answer = self._read(self._answer, "no action")
        action = answer.removeprefix(self._said + ":")
        if action == answer or len(action) != 1:
            raise MalformedTextError(
                f"player {self.name}, {self._where}: {answer[:200]!r}; expected {self._said!r} and : and an action"
            )
        return action

    def _meet(self) -> socket.socket:
        if self._listener is None:
            raise BadInputError(f"player {self.name}: is not listening; use it in a with statement")
        # Through tqdm, so that a bar on the same terminal stays whole.
        tqdm.write(f"cfr: waiting {self._wait:g} s for a player at {self.host}:{self.port}", file=sys.stderr)
        self._listener.settimeout(self._wait)
        try:
            self._connection, _ = self._listener.accept()
        except TimeoutError:
            raise TimeoutError(f"player {self.name}: nobody came within {self._wait:g} s") from None
        # One program plays; whoever else tries is refused at once.
        self._listener.close()
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        version = self._read(self._answer, "no version")
        if not _VERSION.fullmatch(version):
            raise MalformedTextError(f"player {self.name}: {version[:100]!r}; expected VERSION:2.0.0")
        return self._connection

    def _read(self, seconds: float, missing: str) -> str:
        """The next line; a program that sends byte by byte gets no more time."""
        deadline = time.monotonic() + seconds
        while not self._unread:
            self._receive(deadline, f"player {self.name}, {self._where}: {missing} within {seconds:g} s")
        return self._unread.popleft()

    def _receive(self, deadline: float, late: str) -> None:
        assert self._connection is not None
        left = deadline - time.monotonic()
        if left <= 0 or not select([self._connection], [], [], left)[0]:
            raise TimeoutError(late)
        with network(self._gone()):
            data = self._connection.recv(1 << 16)
        if not data:
            raise ConnectionError(self._gone())
        try:
            self._unread.extend(self._lines.feed(data))
        except MalformedTextError as error:
            raise MalformedTextError(f"player {self.name}, {self._where}: {error}") from None

    def _gone(self) -> str:
        return f"player {self.name} went away {self._where}"
