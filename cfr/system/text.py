"""Quantities as people read them."""

from __future__ import annotations


def counted(number: int, what: str) -> str:
    """So many of a noun whose plural ends with s."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def duration(seconds: float) -> str:
    """The duration in words, to follow ``about``."""
    if seconds < 120:
        return counted(round(seconds), "second")
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"
