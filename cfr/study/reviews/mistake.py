"""What a mistake is: the same in a review, in the trainer and on the page.

A mistake is an action that the strategy takes less often than :data:`OFTEN` and that loses more than its noise. So it
is never the strategy's own main action, and nobody is drilled against the noise of an abstraction.
"""

from __future__ import annotations

from cfr.values.expected_values import CHECKED_DOWN

LEAST = 10.0  # mbb: the noise of an EV; a smaller difference is no mistake and no contradiction
OFTEN = 0.25  # of the time: what the strategy does so often is no mistake
_CHECKED_DOWN_NOISE = 1_000.0  # mbb: what 95 % of losses are off by, see benchmarks/studies/checked_down.py


def is_mistake(share: float, lost: float | None, stand_in: str | None = None) -> bool:
    """Whether an action is a mistake.

    Args:
        share: how often the strategy takes the action there, 0 to 1.
        lost: mbb by which the action wins less than the best one; None where that is not known: no mistake.
        stand_in: as :attr:`cfr.values.expected_values.SpotValues.stand_in`, which decides about the noise.
    """
    return lost is not None and share < OFTEN and lost >= noise_of(stand_in)


def noise_of(stand_in: str | None) -> float:
    """Mbb that a loss has to reach to count."""
    return _CHECKED_DOWN_NOISE if stand_in == CHECKED_DOWN else LEAST
