"""Quantities as people read them."""

from __future__ import annotations

_DAY = 86_400
_YEAR = 365.25 * _DAY


def counted(number: float, what: str, plural: str = "") -> str:
    """So many of a noun; its plural ends with s unless it is said.

    >>> counted(1, "hand"), counted(2000, "hand"), counted(1.0, "minute"), counted(2, "entry", "entries")
    ('1 hand', '2,000 hands', '1 minute', '2 entries')
    """
    shown = f"{number:g}" if isinstance(number, float) else f"{number:,}"
    return f"{shown} {what if number == 1 else plural or f'{what}s'}"


def signed(number: float, decimals: int = 1) -> str:
    """The number with its sign; what rounds to zero has none."""
    text = f"{number:+.{decimals}f}"
    return text if text.strip("+-0.") else text[1:]


def digits(number: float, count: int = 3) -> str:
    """The number to so many digits, and a large one to the last digit before the point, not as a power of ten.

    >>> digits(0.01234), digits(12.34), digits(1234.5), digits(12345.6, 4)
    ('0.0123', '12.3', '1,234', '12,346')
    """
    return f"{number:,.0f}" if abs(number) >= 10**count - 0.5 else f"{number:,.{count}g}"


def size(number: int) -> str:
    """So many bytes, in GB, or in MB where there are few."""
    return f"{number / 1e9:.1f} GB" if number >= 5e7 else f"{max(number / 1e6, 1):.0f} MB"


def duration(seconds: float) -> str:
    """The duration in words, to follow ``about``; in milliseconds below a second, at least a hundredth of one."""
    if 0 < seconds < 0.95:
        return f"{1000 * seconds:.0f} ms" if seconds >= 0.0095 else f"{max(1000 * seconds, 0.01):.2g} ms"
    if seconds < 120:
        return counted(round(seconds), "second")
    if seconds < 7200:
        return f"{seconds / 60:.0f} minutes"
    if seconds < 3 * _DAY:
        return f"{seconds / 3600:.1f} hours"
    return f"{seconds / _DAY:.0f} days" if seconds < 2 * _YEAR else f"{seconds / _YEAR:,.0f} years"


def taken(seconds: float) -> str:
    """The seconds that work took: whole ones from ten on, two digits below, at least a thousandth.

    >>> taken(0), taken(0.0234), taken(2.34), taken(2340.5)
    ('0.001 s', '0.023 s', '2.3 s', '2340 s')
    """
    return f"{seconds:.0f} s" if seconds >= 9.95 else f"{max(seconds, 0.001):.2g} s"


def brief(seconds: float) -> str:
    """The duration to three digits, in milliseconds below a second; in words from 100 seconds on, and where it is 0."""
    if seconds >= 99.95 or not seconds:
        return duration(seconds)
    return f"{seconds:.3g} s" if seconds >= 0.9995 else f"{1000 * seconds:.3g} ms"


def share_of(text: str) -> float:
    """The share that people write as a number or in percent; raises ValueError.

    >>> share_of("0.4"), share_of("40%"), share_of("40 %")
    (0.4, 0.4, 0.4)
    """
    number = text.strip().removesuffix("%")
    return float(number) / 100 if number != text.strip() else float(number)
