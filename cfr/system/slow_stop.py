"""How long a stop by Ctrl-C or SIGTERM takes, which a forecast says before the work begins."""

from __future__ import annotations

from cfr.system.text import size

SOON = 8.0  # seconds; Docker waits for ten before it kills
_BYTES_PER_SECOND = 2.5e8  # of a disk


def seconds_to_write(checkpoint_bytes: int) -> float:
    """Seconds that a checkpoint of so many bytes takes."""
    return checkpoint_bytes / _BYTES_PER_SECOND


def slow_stop(seconds: float, checkpoint_bytes: int, when: str = "") -> str:
    """The words that a forecast adds where ending takes longer than :data:`SOON`; ``when`` says when the write is."""
    if seconds <= SOON:
        return ""
    return (
        f"; Ctrl-C and SIGTERM take about {seconds:.0f} s: the iteration under way ends, and a checkpoint of "
        f"{size(checkpoint_bytes)} is written{' ' * bool(when)}{when}"
    )
