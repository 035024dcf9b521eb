"""An exercise of the trainer: a decision that is asked for, then answered, then valued."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan
from typing import Any

from cfr.game.betting import BettingTree, State
from cfr.game.betting_round import ACTIONS
from cfr.game.hand import Cards, Deal
from cfr.game.words import ACTION_NAMES
from cfr.strategy.strategy import BaseStrategy, Floats
from cfr.study.reviews.decision import Decision, Mix
from cfr.study.reviews.mistake import LEAST

PLAYER = "you"
Evs = tuple[float | None, float | None, float | None]


@dataclass(frozen=True)
class Exercise:
    """A decision of the trainer.

    Attributes:
        number: counted up in a session; those that were dealt over are left out.
        strategy: the name of the strategy that answers.
        seat: of the person who trains.
        deal: all cards of the hand.
        line: the betting before the decision.
        whole: whether the hand goes on.
        again: the number of the exercise that this one repeats; None for a new one.
        action: the letter of the answer; None before it.
        after: the betting when the person is to act again, or the hand is over; None where it does not go on.
        mix: the strategy's probabilities of fold, call and raise; None before the answer.
        ev: mbb that fold, call and raise win with the hand; None of each that is not known or illegal.
        ev_lost: mbb by which the answer wins less than the best action; None where it is not known.
        mistake: see :meth:`judged`; None before that is known.
        key: tells strategies of one name apart, see :class:`cfr.study.training.trainer.Trainer`; None in answers of old
            files.
    """

    number: int
    strategy: str
    seat: int
    deal: Deal
    line: str
    whole: bool = False
    again: int | None = None
    action: str | None = None
    after: str | None = None
    mix: Mix | None = None
    ev: Evs = (None, None, None)
    ev_lost: float | None = None
    mistake: bool | None = None
    key: str | None = None

    def hole(self) -> Cards:
        """The person's cards."""
        return self.deal.hands[self.seat]

    def state(self, betting: BettingTree) -> State:
        """The betting before the decision."""
        return betting.parse(self.line)

    def answered(self, strategy: BaseStrategy, letter: str, valued: bool) -> Exercise:
        """The exercise with an answer and the strategy's mix; raises IllegalActionError.

        ``valued`` says whether its EVs can be known, so that it waits for them.
        """
        state = self.state(strategy.betting)
        state.act(letter)
        mix = strategy.distribution(state, self.hole(), self.deal.board[: state.num_board_cards])
        mistake = None if valued else mix[ACTIONS.index(letter)] == 0
        return replace(self, action=letter, mix=mix, mistake=mistake)

    def judged(self, betting: BettingTree, action_ev: Floats, by_loss_alone: bool = False) -> Exercise:
        """The exercise with what it lost, the same as in a review.

        :func:`cfr.study.reviews.mistake.is_mistake` says what a mistake is. Where there are no EVs, what the strategy
        never does comes back like one.

        Args:
            betting: of the game.
            action_ev: ``(3,)`` mbb that fold, call and raise win with the hand; NaN where there is none.
            by_loss_alone: what the strategy does often is a mistake, too, if it loses as much.
        """
        decision = self.decision(betting).with_loss(action_ev)
        fold, call, raise_ = (None if isnan(value) else value for value in action_ev.tolist())
        mistake = decision.is_mistake
        if decision.ev_lost is None:
            mistake = decision.probability == 0
        elif by_loss_alone:
            mistake = decision.ev_lost >= LEAST
        return replace(self, ev=(fold, call, raise_), ev_lost=decision.ev_lost, mistake=mistake)

    def waits(self) -> bool:
        """Whether an answer is not judged yet."""
        return self.action is not None and self.mistake is None

    def decision(self, betting: BettingTree) -> Decision:
        """The answer as reviews have it."""
        assert self.action is not None
        assert self.mix is not None
        state = self.state(betting)
        board = self.deal.board[: state.num_board_cards]
        return Decision(self.number, PLAYER, self.hole(), board, state, self.mix, self.action, self.ev_lost)

    def row(self, betting: BettingTree) -> dict[str, Any]:
        """For an export: as reviews have it, with the EV of each action in mbb; null where there is none."""
        found = self.decision(betting).to_dict()
        del found["player"]
        mix = {name: found.pop(name, None) for name in ACTION_NAMES}
        evs = {f"ev_{name}_mbb": value for name, value in zip(ACTION_NAMES, self.ev, strict=True)}
        strategy = {"strategy": self.strategy}
        return strategy | found | mix | evs | {"mistake": self.mistake, "again": self.again}
