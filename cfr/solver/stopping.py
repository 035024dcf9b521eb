"""How long a solve takes to end: after Ctrl-C or SIGTERM, which is said before it begins, and to write its file."""

from __future__ import annotations

from math import inf

from cfr.game.betting import BettingTree
from cfr.solver.memory_need import num_rows
from cfr.solver.settings import Settings
from cfr.system.text import size

SOON = 8.0  # seconds; Docker waits for ten before it kills
_OVERHEAD_SECONDS = 4.0  # of writing a strategy file, whatever its size
_BYTES_PER_SECOND = 2.5e8  # of a disk
_CODES_PER_SECOND = 130_000.0  # that a slow core finds: a solve had better end early than late
_CODES_WRITTEN_PER_SECOND = 1e7  # that a core compresses; there is no second core for it


def seconds_to_write(checkpoint_bytes: int) -> float:
    """Seconds that a checkpoint of so many bytes takes."""
    return checkpoint_bytes / _BYTES_PER_SECOND


def seconds_to_code(settings: Settings) -> float:
    """About how long the codebooks of a compact file take; 0 for other files."""
    lines, rows = BettingTree(settings.game).num_lines[1:], num_rows(settings.game, settings.buckets)[1:]
    codes = 2 * sum(count * each for count, each in zip(lines, rows, strict=True))
    return settings.compact * codes * (1 / _CODES_PER_SECOND / settings.threads + 1 / _CODES_WRITTEN_PER_SECOND)


def seconds_to_finish(settings: Settings, table_bytes: int) -> float:
    """About how long a solve with buckets takes to write its file, after its last iteration."""
    return _OVERHEAD_SECONDS + seconds_to_write(table_bytes) + seconds_to_code(settings)


def seconds_kept(settings: Settings, table_bytes: int) -> float:
    """Seconds that a solve by time keeps free to write its file: at most half of its minutes, so that it learns."""
    return min(seconds_to_finish(settings, table_bytes), 30 * (settings.minutes or inf))


def slow_stop(seconds: float, checkpoint_bytes: int, when: str = "") -> str:
    """The words that a forecast adds where ending takes longer than :data:`SOON`; ``when`` says when the write is."""
    if seconds <= SOON:
        return ""
    return (
        f"; Ctrl-C and SIGTERM take about {seconds:.0f} s: the iteration under way ends, and a checkpoint of "
        f"{size(checkpoint_bytes)} is written{' ' * bool(when)}{when}"
    )
