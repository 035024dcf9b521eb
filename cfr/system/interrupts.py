"""Ctrl-C and SIGTERM in long work that must not stop half way through a step."""

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
    """Let SIGTERM raise ``KeyboardInterrupt``, as Ctrl-C does; without it SIGTERM ends the process with no message.

    ``kill``, systemd, Slurm and Docker send SIGTERM. A job in the background of a shell ignores Ctrl-C, but gets
    SIGTERM.
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
    """Ctrl-C put off until the work asks for it; a second Ctrl-C raises ``KeyboardInterrupt`` at once.

    SIGTERM is put off, too, if a handler is set (:func:`terminable`). Signals reach the main thread only, so in other
    threads the class does nothing. Ignored signals stay ignored.

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
            # Signals that are ignored or end the process stay so. A handler set outside Python could not be restored.
            if callable(before):
                self._before[number] = before
                signal.signal(number, self._hear)

    def close(self) -> None:
        """Restore the handlers of the signals."""
        for number, before in self._before.items():
            signal.signal(number, before)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Let a signal end the block at once, without an exception."""
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
