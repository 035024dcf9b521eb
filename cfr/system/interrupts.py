"""Ctrl-C, and SIGTERM like it, in long work that must not stop half way through a step."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from cfr.system.closing import Closing


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM be a ``KeyboardInterrupt``, as Ctrl-C is, where it would end the process without a word.

    It is what ``kill``, systemd, Slurm and Docker send, and what reaches a job that a shell has put in the background,
    where Ctrl-C is ignored.
    """
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


class Interrupts(Closing):
    """Puts Ctrl-C off until the work asks for it; a second one is raised at once, as a ``KeyboardInterrupt``.

    So it does with SIGTERM where a handler is set (:func:`terminable`). Signals reach the main thread alone: elsewhere
    this does nothing, nor does it where they are ignored.

    Attributes:
        came: whether Ctrl-C was pressed, or SIGTERM came.
    """

    def __init__(self) -> None:
        self.came = False
        self._put_off = True
        self._before: dict[int, Callable[[int, FrameType | None], Any]] = {}
        if threading.current_thread() is not threading.main_thread():
            return
        for number in (signal.SIGINT, signal.SIGTERM):
            before = signal.getsignal(number)
            # What is ignored or ends the process stays so; what was not set from Python could not be set again.
            if callable(before):
                self._before[number] = before
                signal.signal(number, self._hear)

    def close(self) -> None:
        """Let them do what they did before."""
        for number, before in self._before.items():
            signal.signal(number, before)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Let them end what is done meanwhile: the block is left at once, without an exception."""
        self._put_off = False
        try:
            with suppress(KeyboardInterrupt):
                yield
        finally:
            self._put_off = True

    def _hear(self, number: int, frame: FrameType | None) -> None:
        waits = self._put_off and not self.came
        self.came = True
        if not waits:
            raise KeyboardInterrupt
