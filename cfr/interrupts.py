"""Ctrl-C in long work that must not stop half way through a step."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from cfr.closing import Closing


class Interrupts(Closing):
    """Puts Ctrl-C off until the work asks for it; a second one is raised at once, as a ``KeyboardInterrupt``.

    Signals reach the main thread alone: elsewhere this does nothing, and so it does where Ctrl-C is ignored.

    Attributes:
        came: whether Ctrl-C was pressed.
    """

    def __init__(self) -> None:
        self.came = False
        self._put_off = True
        self._before = signal.getsignal(signal.SIGINT)
        # What was not set from Python could not be set again.
        self._listens = threading.current_thread() is threading.main_thread() and self._before not in (
            None,
            signal.SIG_IGN,
        )
        if self._listens:
            signal.signal(signal.SIGINT, self._hear)

    def close(self) -> None:
        """Let Ctrl-C do what it did before."""
        if self._listens:
            signal.signal(signal.SIGINT, self._before)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Let Ctrl-C end what is done meanwhile: the block is left at once, without an exception."""
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
