"""The one who hears how far a work is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[float], object]  # hears the share of the work that is done; may end it by an exception


@contextmanager
def heard(hears: Progress | None) -> Iterator[Progress]:
    """Whom a work in the block tells its share: 0 when the block begins, 1 when it ends, also by an error."""
    if hears is None:
        yield lambda _: None
        return
    hears(0.0)
    try:
        yield hears
    finally:
        hears(1.0)
