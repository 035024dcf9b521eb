"""Settings of a spot's solve, checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cfr.hands.river_rows import RIVER_ROWS, RiverRows
from cfr.kernel.numbers import TYPES
from cfr.kernel.schedules import SCHEDULED, schedule_named
from cfr.spots.lock import Lock, locked_spot
from cfr.spots.memory import SpotSize
from cfr.strategy.files.round_rows import MOST_STORED
from cfr.strategy.spot import Spot
from cfr.strategy.spot_rows import NO_LOCKS_BY_STRENGTH, suits_strengths
from cfr.system.checks import check_amount, check_count, check_threads
from cfr.system.errors import BadInputError

AUTO = "auto"
DEFAULT_TARGET = 0.1  # percent of the pot
_TYPICAL = (0.1, 70, 1.7)  # of a turn: percent of the pot, iterations, and how steeply they rise; docs/spots.md
_LONGER = (0.8, 1.0, 2.2, 4.0)  # as many of the iterations with one, two, three and four rounds


def typical_iterations(target_percent: float, rounds: int) -> float:
    """How many iterations a target takes, estimated from other spots of so many rounds."""
    percent, iterations, steepness = _TYPICAL
    longer = _LONGER[min(rounds, len(_LONGER)) - 1]
    return float(longer * iterations * (percent / target_percent) ** (1 / steepness))


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
        tables: the number type of the tables: ``float32``; ``bfloat16`` and ``int8``, which take half and about a
            quarter of the memory and round at random; or ``auto``, the first that fits. ``int8`` holds no locks.
        river_rows: what a row of the last round is: ``hands``; ``strength``, small and fast, and exact but for a floor
            of some tenths of a percent of the pot; or ``auto``, by strength until the target needs hands. Locks need
            hands.
        without_rivers: leave the last round out of the file; None does where it would be large.
        out: the file to write; None keeps the solution in memory.
        resume: a checkpoint to continue.
        strategy: whose play gave a range, by file or name; a checkpoint keeps it, and nothing else depends on it.

    Raises:
        BadInputError: values that make no sense.
    """

    spot: Spot
    target_percent: float | None = None
    iterations: int | None = None
    minutes: float | None = None
    schedule: str = SCHEDULED.name
    locks: tuple[Lock, ...] = ()
    threads: int = 1
    tables: str = AUTO
    river_rows: str = AUTO
    without_rivers: bool | None = None
    out: Path | None = None
    resume: Path | None = None
    strategy: str | None = None

    def __post_init__(self) -> None:
        schedule = schedule_named(self.schedule)
        if schedule.responds or schedule.predictive:
            raise BadInputError(f"schedule {self.schedule}: spots are solved by cfr, cfr+, linear, dcfr or hs-dcfr")
        if self.tables not in (AUTO, *TYPES):
            raise BadInputError(f"tables: {self.tables!r}; expected {', '.join((AUTO, *TYPES))}")
        if self.tables == "int8" and self.locks:
            raise BadInputError("tables of int8 cannot hold locks; use float32 or bfloat16")
        if self.river_rows not in (AUTO, *RIVER_ROWS):
            raise BadInputError(f"river rows: {self.river_rows!r}; expected {', '.join((AUTO, *RIVER_ROWS))}")
        if self.river_rows == "strength" and self.locks:
            raise BadInputError(NO_LOCKS_BY_STRENGTH)
        check_threads(self.threads)
        if self.iterations is not None:
            check_count("iterations", self.iterations)
        for name, value in (("target", self.target_percent), ("minutes", self.minutes)):
            if value is not None:
                check_amount(name, value)
        if (self.target_percent, self.iterations, self.minutes) == (None, None, None):
            object.__setattr__(self, "target_percent", DEFAULT_TARGET)
        object.__setattr__(self, "spot", locked_spot(self.spot, self.locks))

    @property
    def first_river_rows(self) -> RiverRows:
        """How the solve begins.

        Without a target nothing would say when to go on by hand.
        """
        if self.river_rows != AUTO:
            return "strength" if self.river_rows == "strength" else "hands"
        pays = self.target_percent is not None and suits_strengths(self.spot.game, self.spot.state.round)
        return "strength" if pays and not self.locks and self.tables != "int8" else "hands"

    @property
    def may_go_on_by_hand(self) -> bool:
        """Whether a solve that begins by strength goes on by hand where its target needs that."""
        return self.river_rows == AUTO and self.first_river_rows == "strength"

    def table_type(self, size: SpotSize, free: int, stays_by_strength: bool = False) -> str:
        """The number type of the tables, given the free memory.

        A solve that stays by strength has a floor far above what 16 bits cost, so it takes no more.
        """
        if self.tables != AUTO:
            return self.tables
        left_out = "float32" if stays_by_strength else "int8" if self.locks else None
        return size.fitting(free, [name for name in TYPES if name != left_out], bool(self.locks))

    def leaves_out(self, size: SpotSize) -> bool:
        """Whether the file has no last round."""
        has_more = self.spot.state.round + 1 < self.spot.game.num_rounds
        wanted = size.stored > MOST_STORED if self.without_rivers is None else self.without_rivers
        return wanted and has_more
