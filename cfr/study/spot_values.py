"""What hands win at a spot of a strategy, which may be named."""

from __future__ import annotations

from os import PathLike
from typing import Any

from cfr.resolving.named_strategy import opened
from cfr.strategy.position import Position
from cfr.strategy.strategy import BaseStrategy
from cfr.system.errors import BadInputError
from cfr.system.progress import Progress
from cfr.values.expected_values import SpotValues, values_of


def expected_values(
    strategy: BaseStrategy | Position[Any] | str | PathLike[str],
    board: str = "",
    line: str = "",
    seat: int | str | None = None,
    unreached: bool = False,
    *,
    progress: bool | Progress = False,
) -> SpotValues:
    """What each hand and action wins at a spot when both seats play the strategy from there on.

    A river spot takes milliseconds, a turn spot less than a second, a flop spot seconds. A spot of the first round is
    answered from the values of its leaves if the file has them; full hold'em is not answered there without. Its first
    equity counts all pairs of starting hands, 14 s once, and keeps the counts in the cache.

    Args:
        strategy: a file, a built-in, or the name of one; or a position of one, which knows its board and line.
        board: the cards dealt so far, such as ``Td9d6h``.
        line: the actions so far in ACPC letters, such as ``rc/cr``.
        seat: whose hands, ``button`` or ``big blind`` (or ACPC position: 0 big blind, 1 button); default, who is to
            act.
        unreached: give numbers also for hands that only another way of playing brings to the spot; they have no weight.
            Where no hand gets to the spot, the hands of the presumed range have numbers and weight.
        progress: show a bar on stderr; or a function that hears the fraction done.

    Raises:
        MalformedTextError, IllegalActionError: text that cannot be read or played.
        BadInputError: cards that do not fit, or a spot without values.
        OSError, DamagedFileError: a named file that cannot be opened.

    >>> values = expected_values("always-call", board="AsKsQsJsTs", line="cc/cc/cc/")
    >>> float(values.mean_ev), float(values.mean_equity)  # the board plays: all split
    (0.0, 0.5)
    """
    if isinstance(strategy, Position):
        if board or line:
            raise BadInputError("a position knows its board and line; leave board and line out")
        return values_of(strategy, seat, unreached, progress=progress)
    with opened(strategy) as found:
        return values_of(found.at(board, line), seat, unreached, progress=progress)
