"""Bars on stderr: of work whose steps take different times, and of work that tells the share that is done."""

from __future__ import annotations

from typing import Any

from tqdm import tqdm


def work_bar(title: str, total: int, done: int, unit: str, progress: bool) -> Any:
    """A bar on stderr: ``done`` of ``total`` units were finished before. Its rate is a mean over the whole run."""
    return tqdm(
        desc=title,
        total=total,
        initial=done,
        unit=unit,
        disable=not progress,
        mininterval=0.5,
        smoothing=0.02,
        leave=None,
    )


class ShareBar:
    """A bar for each of several works, one after the other; told the share that is done, from 0 to 1.

    A work that is over within a second shows no bar, and no bar stays.
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self._bar: Any = None

    def __call__(self, share: float) -> None:
        if self._bar is None:
            what = "{desc}: {percentage:3.0f}%|{bar}| [{elapsed}<{remaining}]"
            self._bar = tqdm(desc=self._title, total=1.0, bar_format=what, mininterval=0.5, delay=1, leave=False)
        self._bar.update(share - self._bar.n)
        if share >= 1:
            self._bar.close()
            self._bar = None
