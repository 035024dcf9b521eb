"""How long work has taken, those seconds before an interruption included, and when its next checkpoint is due."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from math import inf

from tqdm import tqdm

from cfr.system.errors import SaveError

CHECKPOINT_SECONDS = 600.0
CHECKPOINT_SHARE = 0.02  # of the time, at most; large tables take half a minute


class Clock:
    """The seconds of work that may be interrupted and resumed.

    Args:
        before: seconds that were spent before it was resumed.

    Attributes:
        before: as above.
    """

    def __init__(self, before: float = 0.0) -> None:
        self.before = before
        self._started = time.monotonic()
        self.begin()

    def begin(self, every: float = inf) -> None:
        """End the preparation; a checkpoint is due after so many seconds, at most ten minutes, and again after them."""
        self._every = min(every, CHECKPOINT_SECONDS)
        self._begun = time.monotonic()
        self._save_at = self._begun + self._every

    @property
    def seconds(self) -> float:
        """Seconds in all, without interruptions."""
        return self.before + time.monotonic() - self._started

    @property
    def preparation(self) -> float:
        """Seconds from the start, or the resumption, until :meth:`begin`."""
        return self._begun - self._started

    @property
    def since_begun(self) -> float:
        """Seconds since :meth:`begin`."""
        return time.monotonic() - self._begun

    def save_if_due(self, save: Callable[[], object]) -> None:
        """Write a checkpoint where one is due, but as seldom as keeps that to 2 % of the time.

        A checkpoint that cannot be written is said on stderr: there may be room again by the end.
        """
        now = time.monotonic()
        if now <= self._save_at:
            return
        try:
            save()
        except SaveError as error:
            tqdm.write(f"cfr: no checkpoint this time: {error}", file=sys.stderr)
        after = time.monotonic()
        self._save_at = after + max(self._every, (after - now) / CHECKPOINT_SHARE)
