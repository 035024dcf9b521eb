"""Checks of numbers that people give."""

from __future__ import annotations

from math import inf
from operator import index
from typing import SupportsFloat, SupportsIndex

from cfr.system.errors import BadInputError

MOST_THREADS = 4096  # more than a machine has; each takes some memory


def check_count(name: str, value: object, least: int = 1, most: int | None = None, why: str = "") -> None:
    """Refuse what is no whole number from ``least`` to ``most``; ``why`` says what so many are needed for.

    Raises:
        BadInputError: in one line that begins with the name.
    """
    if not isinstance(value, SupportsIndex):
        raise BadInputError(f"{name}: {value!r}; expected a whole number")
    if index(value) < least or (most is not None and index(value) > most):
        limits = f"at least {least}" if most is None else f"{least} to {most}"
        raise BadInputError(f"{name}: {value}; expected {limits}{why and ', '}{why}")


def check_amount(name: str, value: object) -> None:
    """Refuse what is no finite number above 0; raises BadInputError in one line that begins with the name."""
    if not isinstance(value, SupportsFloat) or not 0 < float(value) < inf:
        raise BadInputError(f"{name}: {value!r}; expected more than 0")


def check_threads(value: object) -> None:
    """Refuse what is no number of threads or processes; raises BadInputError."""
    check_count("threads", value, 1, MOST_THREADS)
