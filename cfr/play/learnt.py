"""What hands teach a player that mixes responses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cfr.game.hand import SeenHand
from cfr.play.imagined_values import imagined_values
from cfr.play.model_likelihoods import log_likelihoods
from cfr.strategy.mixed import Mixed


@dataclass(frozen=True)
class Learnt:
    """What hands against one opponent said of each response.

    Attributes:
        hands: that were seen to their end.
        gains: sums of what each response would have won more than the mix that played, in big blinds.
        squares: sums of the squares of these.
        likelihoods: log-likelihoods of the opponent's decisions, under the player that each response was made for.
    """

    hands: int
    gains: list[float]
    squares: list[float]
    likelihoods: list[float]


def learnt_from(mix: Mixed, models: Mixed | None, seat: int, seen: SeenHand) -> Learnt | None:
    """What a hand says of each response, as :meth:`cfr.play.portfolio.Portfolio.learn` takes it.

    Args:
        mix: what played the seat, with the shares of that hand.
        models: the player that each part was made for; None where none is known.
        seat: ACPC position of the mix.
        seen: the hand, over, by the cards that may count: at a showdown both hands.

    Returns:
        None of a hand that says nothing: one that is not over, whose showdown is hidden, or that the mix never plays.
    """
    if not seen.state.is_over:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):  # a line that the mix never plays
        values = imagined_values(mix, seat, seen)
    if values is None or not np.isfinite(values).all():
        return None
    gains = (values - mix.shares @ values) / mix.game.big_blind
    likely = np.zeros(len(gains)) if models is None else log_likelihoods(models, seat, seen)
    return Learnt(1, gains.tolist(), (gains**2).tolist(), likely.tolist())
