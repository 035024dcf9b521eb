"""Decisions for one action at one state, counted together."""

from __future__ import annotations

from dataclasses import dataclass

from cfr.game.betting import State
from cfr.game.betting_round import ACTIONS
from cfr.study.reviews.decision import Decision, Mix, kind_of


@dataclass(frozen=True)
class Tally:
    """Decisions of one player that differ in cards alone.

    Attributes:
        state: the betting before them.
        action: the letter of what was done.
        count: how many.
        mix: sums of the strategy's probabilities of fold, call and raise there.
        likeliest: how many were what the strategy does most often there.
        never: how many were what the strategy never does there.
        valued: those whose loss of EV is known.
        ev_lost: mbb lost in these together.
        mistakes: see :func:`cfr.study.reviews.mistake.is_mistake`.
    """

    state: State
    action: str
    count: int
    mix: Mix
    likeliest: int
    never: int
    valued: int
    ev_lost: float
    mistakes: int

    @classmethod
    def of(cls, one: Decision) -> Tally:
        """That of one decision."""
        likeliest, never = one.probability == max(one.mix), one.probability == 0
        return cls(
            one.state,
            one.action,
            1,
            one.mix,
            int(likeliest),
            int(never),
            int(one.ev_lost is not None),
            one.ev_lost or 0.0,
            int(one.is_mistake),
        )

    @property
    def same(self) -> float:
        """Sum of the probabilities with which the strategy would have done the same."""
        return self.mix[ACTIONS.index(self.action)]

    @property
    def kind(self) -> str:
        """As :attr:`cfr.study.reviews.decision.Decision.kind`."""
        return kind_of(self.state)
