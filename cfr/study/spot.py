"""Exact solutions from a board, a betting line and ranges as people write them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from cfr.game.hand_classes import has_classes
from cfr.game.notebook import lines_html
from cfr.game.ranges import Range
from cfr.game.rules import NamedGame
from cfr.resolving.named_strategy import opened
from cfr.spots.exploit import SpotExploit
from cfr.spots.exploit import exploit_spot as exploit_plain
from cfr.spots.lock import parse_lock
from cfr.spots.settings import SpotSettings
from cfr.spots.solve import SpotResult
from cfr.spots.solve import solve_spot as solve_settings
from cfr.spots.spot_text import make_spot
from cfr.strategy.files.spot_file import SpotStrategy
from cfr.strategy.spot_range import SpotRange
from cfr.strategy.strategy import BaseStrategy, Floats
from cfr.study.picture import svg
from cfr.system.checks import check_path, check_texts, check_threads
from cfr.system.cores import usable_cores
from cfr.system.disk.files import check_writable
from cfr.values.expected_values import SpotValues, values_of


class _Answers:
    """What a result with a strategy answers: all that the strategy does.

    Boards and lines are whole, as for every strategy; without both, the spot itself is meant.
    """

    strategy: SpotStrategy

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "strategy":  # absent while a copy is made
            raise AttributeError(name)
        return getattr(self.strategy, name)

    def probabilities(self, hand: str, board: str = "", line: str = "") -> dict[str, float]:
        """What to do with a hand; see :meth:`cfr.strategy.strategy.BaseStrategy.probabilities`."""
        return self.strategy.probabilities(hand, board, line)

    def range(self, board: str = "", line: str = "", seat: int | str | None = None) -> SpotRange:
        """All hands; see :meth:`cfr.strategy.strategy.BaseStrategy.range`."""
        return self.strategy.range(board, line, seat)

    def values(self, board: str = "", line: str = "", seat: int | str | None = None) -> SpotValues:
        """All hands with what they win; see :func:`cfr.expected_values`."""
        return values_of(self.strategy.at(board, line), seat)

    def save(self, path: str | Path) -> None:
        """Write the strategy file; raises SaveError."""
        self.strategy.save(path)

    def _repr_html_(self) -> str:
        """The numbers and the chart, for notebooks."""
        has_grid = has_classes(self.strategy.game)
        return lines_html(str(self)) + (svg(self.strategy) if has_grid else self.strategy.range()._repr_html_())


@dataclass(frozen=True, kw_only=True)
class SolvedSpot(_Answers, SpotResult):
    """An exact solution of a spot and of all that follows; see :class:`cfr.spots.solve.SpotResult`.

    Boards and lines are whole, as for every strategy; without both, the spot itself is meant.
    """

    @property
    def exploitability(self) -> float:
        """In percent of the pot, by exact best response."""
        return self.exploitability_percent_of_pot


@dataclass(frozen=True, kw_only=True)
class ExploitedSpot(_Answers, SpotExploit):
    """A best response to a fixed opponent from a spot on; see :class:`cfr.spots.exploit.SpotExploit`.

    Expected values are of that best response against that opponent.
    """


def solve_spot(
    board: str,
    line: str | None = None,
    *,
    game: NamedGame | None = None,
    strategy: BaseStrategy | str | PathLike[str] | None = None,
    button: str | Range | Floats | None = None,
    big_blind: str | Range | Floats | None = None,
    pot: int | None = None,
    target: float | None = None,
    iterations: int | None = None,
    minutes: float | None = None,
    locks: Sequence[str] = (),
    river_rows: Literal["auto", "strength", "hands"] = "auto",
    threads: int | None = None,
    out: str | Path | None = None,
    progress: bool = False,
) -> SolvedSpot:
    """Solve a spot of any round without buckets.

    Args:
        board, line, game, strategy, button, big_blind, pot: the spot, see :func:`cfr.spots.spot_text.make_spot`. A
            range that is not said is that of ``strategy``, else any two cards; ``cfr spot`` takes that of ``"small"``.
        target: exploitability in percent of the pot that is enough; default, 0.1 unless another limit is given.
        iterations, minutes: when to stop at the latest.
        locks: decisions that are held, see :func:`cfr.spots.lock.parse_lock`.
        river_rows: what a row of the last round is, see :class:`cfr.spots.settings.SpotSettings`.
        threads: how many; default, all that the process may use. The result does not depend on it.
        out: a strategy file to write.
        progress: show a bar on stderr.

    Raises:
        CfrError: a spot that cannot be solved, or a file that cannot be written.
    """
    check_texts("locks", locks, ":fold=0.4")
    if threads is not None:
        check_threads(threads)
    with nullcontext() if strategy is None else opened(strategy) as known:
        spot = make_spot(board, line, game=game, strategy=known, button=button, big_blind=big_blind, pot=pot)
    file = _file(out)
    settings = SpotSettings(
        spot=spot,
        target_percent=target,
        iterations=iterations,
        minutes=minutes,
        locks=tuple(parse_lock(spot, text) for text in locks),
        river_rows=river_rows,
        threads=usable_cores() if threads is None else threads,
        out=file,
    )
    return SolvedSpot(**vars(solve_settings(settings, progress)))


def exploit_spot(
    board: str,
    line: str | None = None,
    *,
    opponent: BaseStrategy | str | PathLike[str],
    seat: int | str | None = None,
    strategy: BaseStrategy | str | PathLike[str] | None = None,
    button: str | Range | Floats | None = None,
    big_blind: str | Range | Floats | None = None,
    pot: int | None = None,
    threads: int | None = None,
    out: str | Path | None = None,
) -> ExploitedSpot:
    """Find what wins most against a fixed opponent from a spot on.

    Args:
        board, line, button, big_blind, pot: the spot, see :func:`cfr.spots.spot_text.make_spot`.
        opponent: who is exploited, or the name of its strategy.
        seat: who exploits, ``button`` or ``big blind`` (or its ACPC position); default, who is to act.
        strategy: gives the ranges that are not given; default, the opponent.
        threads: how many; default, all that the process may use. The result does not depend on it.
        out: a strategy file to write.

    Raises:
        CfrError: a spot that cannot be solved, an opponent that does not know it, or a file that cannot be written.
    """
    if threads is not None:
        check_threads(threads)
    with opened(opponent) as fixed, nullcontext(fixed) if strategy is None else opened(strategy) as known:
        spot = make_spot(board, line, game=fixed.game, strategy=known, button=button, big_blind=big_blind, pot=pot)
        exploits = spot.state.actor if seat is None else spot.game.seat(seat)
        threads = usable_cores() if threads is None else threads
        return ExploitedSpot(**vars(exploit_plain(spot, fixed, exploits, threads, _file(out))))


def _file(out: str | Path | None) -> Path | None:
    """The file to write, checked before the work; raises SaveError."""
    if out is None:
        return None
    check_path("out", out)
    check_writable(Path(out))
    return Path(out)
