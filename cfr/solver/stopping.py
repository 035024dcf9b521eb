"""How long a solve takes to write its file."""

from __future__ import annotations

from math import inf

from cfr.game.betting import BettingTree
from cfr.solver.memory_need import rows_of
from cfr.solver.settings import Settings
from cfr.system.slow_stop import seconds_to_write

_OVERHEAD_SECONDS = 4.0  # of writing a strategy file, whatever its size
_CODES_PER_SECOND = 130_000.0  # that a slow core finds: a solve had better end early than late
_CODES_WRITTEN_PER_SECOND = 1e7  # that a core compresses; there is no second core for it


def seconds_to_code(settings: Settings) -> float:
    """About how long the codebooks of a compact file take; 0 for other files."""
    lines, rows = BettingTree(settings.game).num_lines[1:], rows_of(settings)[1:]
    codes = 2 * sum(count * each for count, each in zip(lines, rows, strict=True))
    return settings.compact * codes * (1 / _CODES_PER_SECOND / settings.threads + 1 / _CODES_WRITTEN_PER_SECOND)


def seconds_to_finish(settings: Settings, table_bytes: int) -> float:
    """About how long a solve with buckets takes to write its file, after its last iteration."""
    return _OVERHEAD_SECONDS + seconds_to_write(table_bytes) + seconds_to_code(settings)


def seconds_kept(settings: Settings, table_bytes: int) -> float:
    """Seconds that a solve by time keeps free to write its file: at most half of its minutes, so that it learns."""
    return min(seconds_to_finish(settings, table_bytes), 30 * (settings.minutes or inf))
