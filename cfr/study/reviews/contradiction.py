"""Hands whose best action by EV is not what a strategy does most with them, and how that can be."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import State
from cfr.strategy.strategy import BaseStrategy, Floats
from cfr.study.reviews.mistake import LEAST


class Values(Protocol):
    """Mixes and values of hands at a spot, ``(H, 3)`` each: :class:`cfr.values.expected_values.SpotValues`."""

    @property
    def action_ev(self) -> Floats: ...
    @property
    def frequencies(self) -> Floats: ...


def contradicted(values: Values) -> NDArray[np.bool_]:
    """``(H,)`` whether another action than the one played most wins at least :data:`LEAST` mbb more."""
    best = np.max(values.action_ev, axis=1, initial=-np.inf, where=~np.isnan(values.action_ev))
    likeliest = np.nan_to_num(values.frequencies).argmax(axis=1)
    played = np.take_along_axis(values.action_ev, likeliest[:, None], axis=1)[:, 0]
    found: NDArray[np.bool_] = best - played >= LEAST  # NaN is not
    return found


def why(strategy: BaseStrategy, state: State) -> str:
    """What keeps a strategy from the best action, in a sentence or two."""
    made = getattr(strategy.blueprint, "attributes", {})
    reasons = []
    if strategy.re_solves(state.round):
        return "The play here is re-solved without buckets, in a limited number of iterations."
    if made.get("buckets"):
        reasons.append(
            "The hands of a bucket share a mix, which fits them on average: noise of the card abstraction."
            if state.round
            else "EVs count on the later rounds, where hands of a bucket share a mix: noise of the card abstraction."
        )
    if made.get("purge"):
        reasons.append(f"Actions played less than {100 * made['purge']:g} % of the time were purged: stored as 0.")
    return " ".join(reasons or ["The strategy is no equilibrium: it was not solved long enough, or is a rule."])
