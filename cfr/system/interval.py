"""95 % intervals of means, right for few samples, too."""

from __future__ import annotations

import math
from functools import lru_cache

_LEVEL = 0.975  # 2.5 % lie on either side
_FEW = 30  # samples; so many that are all the same say something, fewer do not
_SAME = 1e-9  # a standard deviation that is rounding
_NEIGHBOURS = 3  # the least sample in which neighbours differ more than once


def half_width(spread: float, count: int) -> float:
    """Half the width of the 95 % interval of a mean, by Student's t.

    Args:
        spread: standard deviation of the samples, in any unit.
        count: how many there are; fewer than two say nothing, nor do fewer than 30 that are all the same: the
            interval is infinite.
    """
    if spread < _SAME and count < _FEW:
        return math.inf
    return half_width_of(spread / math.sqrt(max(count, 1)), count)


def half_width_or_none(spread: float, count: int) -> float | None:
    """:func:`half_width`, None where there are too few samples: for JSON."""
    found = half_width(spread, count)
    return None if math.isinf(found) else found


def half_width_of(standard_error: float, count: int) -> float:
    """:func:`half_width` of an estimate from ``count`` samples, given its standard error, in the error's unit."""
    return math.inf if count < 2 else _quantile(count - 1) * standard_error


def neighbours_error(standard_error: float, count: int) -> float:
    """A standard error from differences of neighbours in a sample, in its unit; infinite where it says nothing.

    Args:
        standard_error: what the differences say.
        count: size of the sample. Two have one difference, which is near 0 by chance; fewer than 30 that are all the
            same say nothing, as in :func:`half_width`.
    """
    is_unknown = count < _NEIGHBOURS or (standard_error < _SAME and count < _FEW)
    return math.inf if is_unknown else standard_error


@lru_cache(4096)
def _quantile(degrees: int) -> float:
    from scipy.special import stdtrit  # takes a tenth of a second

    return float(stdtrit(degrees, _LEVEL))
