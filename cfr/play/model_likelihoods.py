"""How likely each of some players would have done what the opponent did in a hand."""

from __future__ import annotations

import numpy as np

from cfr.game.hand import SeenHand
from cfr.strategy.mixed import Mixed
from cfr.strategy.strategy import Floats

_ODD = 0.01  # share of hands that an opponent plays in an odd way, so that no hand rules a player out


def log_likelihoods(models: Mixed, seat: int, seen: SeenHand) -> Floats:
    """``(parts,)`` log-likelihoods of the opponent's decisions in a hand, by player.

    They are sums over the holdings that no seen card blocks; cards that were shown leave one. Of a hundred hands an
    opponent plays one like the mean of the players.

    Args:
        models: the players; the shares do not count.
        seat: ACPC position of who saw the hand; the other one is the opponent.
        seen: the hand, as the seat saw it.
    """
    other, game = 1 - seat, models.game
    shown = seen.hands[other]
    hands = game.hands[[game.hand_number(shown)] if shown else game.live((*seen.board, *seen.hands[seat]))]
    likely = models.reaches(seen.state, hands, seen.board, other).sum(axis=1)
    with np.errstate(divide="ignore"):  # hands that no player plays so
        found: Floats = np.log((1 - _ODD) * likely + _ODD * likely.mean())
    return found if np.isfinite(found).all() else np.zeros(len(found))
