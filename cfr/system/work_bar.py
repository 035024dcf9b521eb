"""The bar of work whose steps take different times."""

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
