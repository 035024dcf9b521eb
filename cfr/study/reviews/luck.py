"""The luck of the cards in the hands of a log, whose players' strategies are not known.

The adjustment is AIVAT's (:mod:`cfr.play.aivat`) with the terms of the cards alone: the deal, and each card of the
board. Their mean is zero whoever plays. What cards are worth is said by the strategy of the review.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from cfr.game.betting import State
from cfr.game.hand import Deal, HandRecord, LoggedHand
from cfr.play.aivat import Aivat
from cfr.strategy.strategy import BaseStrategy
from cfr.system.errors import IllegalActionError

_LEAST = 2  # hands: one says nothing about the mean


class _Somebody:
    """A player of whom nothing is known; its hands are over."""

    name = "somebody"

    def act(self, state: State, hand: Sequence[int], board: Sequence[int], rng: random.Random) -> str:
        raise IllegalActionError("the hand is over")


def without_luck(
    hands: Sequence[LoggedHand], strategy: BaseStrategy, go_on: Callable[[], object] = lambda: None
) -> list[float | None] | None:
    """Chips of position 0 in each hand, without the luck of the cards.

    Args:
        hands: of a log.
        strategy: says what cards are worth; one that re-solves, by its blueprint.
        go_on: called before each hand; what it raises ends the work.

    Returns:
        None of a hand that ends early because a player was all-in. None of all for fewer than two hands, or where the
        cards of a hand are not all in the log: those that are shown are no fair sample of all.
    """
    ended = [hand for hand in hands if hand.seen.state.is_over]
    if len(ended) < _LEAST or not all(hand.seen.chips is not None and all(hand.seen.hands) for hand in ended):
        return None
    whole = strategy.blueprint
    go_on()
    aivat = Aivat(whole.game, [_Somebody(), _Somebody()], assumed=whole)
    found: list[float | None] = []
    for hand in hands:
        go_on()
        seen = hand.seen
        if not seen.state.is_over:
            found.append(None)
            continue
        assert seen.chips is not None
        found.append(aivat(HandRecord(Deal(seen.hands, seen.board), seen.state, seen.chips), 0))
    return found
