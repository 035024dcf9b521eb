"""Settings of a spot's solve, checked."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from pathlib import Path

from cfr.kernel.schedules import SCHEDULED, schedule_named
from cfr.strategy.spot import Spot
from cfr.subgame.lock import Lock
from cfr.subgame.spot_memory import MOST_STORED, SpotSize
from cfr.system.errors import UnknownSpotError

TABLES = ("auto", "float32", "bfloat16")
DEFAULT_TARGET = 0.1  # percent of the pot
_TYPICAL = (0.1, 75, 1.7)  # percent of the pot, iterations, and how steeply they rise; docs/spots.md


def typical_iterations(target_percent: float) -> float:
    """How many iterations a target takes, estimated from other spots."""
    percent, iterations, steepness = _TYPICAL
    return float(iterations * (percent / target_percent) ** (1 / steepness))


@dataclass(frozen=True, kw_only=True)
class SpotSettings:
    """What to solve, and for how long; the first limit that is met ends it.

    Attributes:
        spot: where the subgame begins, and both ranges.
        target_percent: exploitability in percent of the pot that is enough.
        iterations, minutes: when to stop at the latest.
        schedule: of the iterations, by name.
        locks: decisions that are held to frequencies.
        threads: how many; the result does not depend on it.
        tables: ``float32``; ``bfloat16``, which takes half the memory and rounds at random; or ``auto``, the first
            where it fits.
        without_rivers: leave the last round out of the file; None does where it would be large.
        out: the file to write; None keeps the solution in memory.
        resume: a checkpoint to continue.

    Raises:
        UnknownSpotError: values that make no sense.
    """

    spot: Spot
    target_percent: float | None = None
    iterations: int | None = None
    minutes: float | None = None
    schedule: str = SCHEDULED.name
    locks: tuple[Lock, ...] = ()
    threads: int = 1
    tables: str = "auto"
    without_rivers: bool | None = None
    out: Path | None = None
    resume: Path | None = None

    def __post_init__(self) -> None:
        schedule = schedule_named(self.schedule)
        if schedule.responds or schedule.predictive:
            raise UnknownSpotError(f"schedule {self.schedule}: spots are solved by cfr, cfr+, linear, dcfr or hs-dcfr")
        if self.tables not in TABLES:
            raise UnknownSpotError(f"tables: {self.tables!r}; expected {', '.join(TABLES)}")
        if self.threads < 1:
            raise UnknownSpotError(f"threads: {self.threads}; expected at least 1")
        for name, value in (
            ("target", self.target_percent),
            ("iterations", self.iterations),
            ("minutes", self.minutes),
        ):
            if value is not None and not 0 < value < inf:
                raise UnknownSpotError(f"{name}: {value}; expected more than 0")
        if (self.target_percent, self.iterations, self.minutes) == (None, None, None):
            object.__setattr__(self, "target_percent", DEFAULT_TARGET)

    def halves(self, size: SpotSize, free: int) -> bool:
        """Whether tables are of 16 bits, given the free memory."""
        return self.tables == "bfloat16" or (self.tables == "auto" and size.needs_halves(free, bool(self.locks)))

    def leaves_out(self, size: SpotSize) -> bool:
        """Whether the file has no last round."""
        has_more = self.spot.state.round + 1 < self.spot.game.num_rounds
        wanted = size.stored > MOST_STORED if self.without_rivers is None else self.without_rivers
        return wanted and has_more
