"""What each response of a mix would have won in a hand that the mix played.

The seat could have held other hands, and the other seat would have seen the same. So the hand counts as if the seat had
played it with every hand that the seen cards allow: each response's wins, by the probability that it takes the seat's
actions, over the probability that the mix takes them (Bowling, Johanson, Burch and Szafron 2008, "Strategy evaluation
in extensive games with importance sampling"). At a showdown that is unbiased against any opponent. After a fold the
opponent's cards are unknown; they block as they would if the opponent played the mix's first part.
"""

from __future__ import annotations

import numpy as np

from cfr.game.hand import SeenHand
from cfr.hands.showdown_margins import margins_of
from cfr.strategy.mixed import Mixed
from cfr.strategy.strategy import Floats

_ANYBODY = 1e-6  # reach of each hand of the opponent, beside that of the first part


def imagined_values(mix: Mixed, seat: int, seen: SeenHand) -> Floats | None:
    """``(parts,)`` estimates of the chips that each part wins from this opponent in a hand.

    Args:
        mix: what the seat played; the parts with a share of 0 count, too, but only with hands that others play so.
        seat: ACPC position.
        seen: the hand, over, as the seat saw it.

    Returns:
        None where a showdown hides the opponent's cards: such a hand is not missing at random.
    """
    game, state, board = mix.game, seen.state, seen.board
    other = seen.hands[1 - seat]
    if state.at_showdown and not other:
        return None
    live = game.live((*board, *(other if state.at_showdown else ())))
    hands = game.hands[live]
    if state.at_showdown:
        won = state.stakes[seat] * margins_of(game).against(hands, other, board)
        weights = np.ones(len(hands))
    else:
        won = np.full(len(hands), float(state.payoff(None)[seat]))
        others = mix.parts[0].at(state, board).expected(1 - seat) + _ANYBODY * game.live(board)
        weights = game.weight_apart(others)[live]
    reaches = mix.reaches(state, hands, board, seat)
    found: Floats = reaches @ (weights * won) / (mix.shares @ reaches @ weights)
    return found
