"""Cases of over a second of processor time each, for the thorough run alone (CONTRIBUTING.md)."""

from collections.abc import Iterable
from typing import Any

import pytest


def thorough(*cases: Any) -> list[Any]:
    """The cases, marked; a case of several arguments is a tuple."""
    return [pytest.param(*_arguments(case), marks=pytest.mark.thorough) for case in cases]


def with_thorough(longer: Iterable[Any], cases: Iterable[Any]) -> list[Any]:
    """All cases in order; those in ``longer`` are marked."""
    longer = list(longer)
    return [each for case in cases for each in (thorough(case) if case in longer else [case])]


def _arguments(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
