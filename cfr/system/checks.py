"""Checks of what people give: each refuses in one line that begins with the argument's name."""

from __future__ import annotations

import os
from math import inf
from operator import index
from typing import Any, SupportsFloat

from cfr.system.errors import BadInputError

MOST_THREADS = 4096  # more than a machine has; each takes some memory
_LONGEST = 80  # characters of a value in a message


def check_count(name: str, value: object, least: int = 1, most: int | None = None, why: str = "") -> None:
    """Refuse what is no whole number from ``least`` to ``most``; ``why`` says what so many are needed for.

    Raises:
        BadInputError: in one line that begins with the name.
    """
    number = check_whole(name, value)
    if number < least or (most is not None and number > most):
        limits = f"at least {least}" if most is None else f"{least} to {most}"
        raise BadInputError(f"{name}: {value}; expected {limits}{why and ', '}{why}")


def check_seed(value: object) -> None:
    """Refuse what is neither a whole number nor None; raises BadInputError."""
    if value is not None:
        check_whole("seed", value)


def check_whole(name: str, value: object) -> int:
    """The whole number that is given; raises BadInputError for anything else."""
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        raise BadInputError(f"{name}: {shown(value)}; expected a whole number") from None


def check_amount(name: str, value: object) -> None:
    """Refuse what is no finite number above 0; raises BadInputError in one line that begins with the name."""
    if not 0 < number_of(name, value, "more than 0") < inf:
        raise BadInputError(f"{name}: {shown(value)}; expected more than 0")


def number_of(name: str, value: object, expected: str = "a number") -> float:
    """The number that is given; text is none. Raises BadInputError."""
    if isinstance(value, SupportsFloat) and not isinstance(value, str):
        try:
            return float(value)
        except (TypeError, ValueError):
            pass
    raise BadInputError(f"{name}: {shown(value)}; expected {expected}")


def check_text(name: str, value: object, example: str) -> None:
    """Refuse what is no text; raises BadInputError, which gives the example."""
    check_kind(name, value, str, f"text, such as {example!r}")


def check_path(name: str, value: object, expected: str = "the path of a file") -> None:
    """Refuse what is no path: text, or an ``os.PathLike`` of text; raises BadInputError."""
    if not isinstance(value, str) and not (isinstance(value, os.PathLike) and isinstance(os.fspath(value), str)):
        raise BadInputError(f"{name}: {shown(value)}; expected {expected}")


def check_texts(name: str, value: object, example: str) -> None:
    """Refuse what is no list of texts, such as a single one; raises BadInputError."""
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise BadInputError(f"{name}: {shown(value)}; expected a list of texts, such as [{example!r}]")


def check_kind(name: str, value: object, kind: Any, expected: str) -> None:
    """Refuse what is not of a kind, as ``isinstance`` knows it; raises BadInputError."""
    if not isinstance(value, kind):
        raise BadInputError(f"{name}: {shown(value)}; expected {expected}")


def check_called(name: str, value: object) -> None:
    """Refuse what cannot be called, but None; raises BadInputError."""
    if value is not None and not callable(value):
        raise BadInputError(f"{name}: {shown(value)}; expected a function")


def shown(value: object) -> str:
    """A value in a few words of one line."""
    words = " ".join(repr(value).split())
    return words if len(words) <= _LONGEST else words[: _LONGEST - 3] + "..."


def check_threads(value: object) -> None:
    """Refuse what is no number of threads or processes; raises BadInputError."""
    check_count("threads", value, 1, MOST_THREADS)
