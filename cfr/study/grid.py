"""The grid of a spot, 13x13 in hold'em: how often each class of hands gets there, and what it does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from cfr.game.hand_classes import classes_of
from cfr.strategy.spot_range import SpotRange
from cfr.system.errors import BadInputError

_NEVER = 0.0005  # a class that reaches the spot less often than this is shown as not there


@dataclass(frozen=True)
class Grid:
    """The classes at a spot, in the order of their grid; 169 in hold'em.

    Attributes:
        names: of the classes.
        weight: ``(classes,)`` mean reach of the class's hands that the board leaves; 0 where none gets there.
        mix: ``(classes, 3)`` fold, call and raise, weighted by reach; 0 where the class does not get there.
        total: ``(3,)`` the whole range's mix.
        combos: hands that get there, weighted by reach.
        is_played: whether some hand gets there. If none does, weights, mixes and the total are those of the presumed
            range (:attr:`cfr.strategy.strategy.SpotRange.presumed`), and ``combos`` is 0.
    """

    names: tuple[str, ...]
    weight: NDArray[np.float64]
    mix: NDArray[np.float64]
    total: NDArray[np.float64]
    combos: float
    is_played: bool = True

    @property
    def side(self) -> int:
        """Rows, and columns."""
        return isqrt(len(self.names))

    @property
    def is_partial(self) -> bool:
        """Whether some class gets there with only a part of its hands."""
        return bool(((self.weight > 0) & (self.weight < 0.995)).any())


def grid(spot: SpotRange) -> Grid:
    """Gather the hands by class; raises BadInputError for those that are not of two cards."""
    known = classes_of(spot.hands)
    if known is None:
        raise BadInputError(f"{len(spot.hands)} hands are not of two cards; their chart is a table in the terminal")
    classes = replace(spot, reach=spot.shown).by_class()
    # A spot that is hardly ever played has no blank grid either.
    there = classes.reach > _NEVER * min(1.0, float(classes.reach.max()))
    mix = np.where(there[:, None], classes.frequencies, 0)
    return Grid(known.names, classes.reach * there, mix, total_mix(spot), float(spot.reach.sum()), spot.is_played)


def total_mix(spot: SpotRange) -> NDArray[np.float64]:
    """The mix of the whole range, ``(3,)``; 0 where no hand gets there."""
    played: NDArray[np.float64] = spot.shown @ spot.frequencies
    return played / max(float(spot.shown.sum()), 1e-300)
