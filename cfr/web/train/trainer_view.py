"""Exercises of the trainer as its person sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cfr.game.betting import State
from cfr.game.betting_round import ACTIONS
from cfr.game.cards import format_cards
from cfr.game.spot_words import acting_seat, pot_words, spot_title
from cfr.study.reviews.contradiction import why
from cfr.study.reviews.mistake import LEAST
from cfr.study.training.exercise import Exercise
from cfr.study.training.trainer import Trainer
from cfr.web.server.betting_line import action
from cfr.web.server.endpoints import to_json
from cfr.web.server.table import Table
from cfr.web.store.records import Hand


class TrainerView:
    """Makes JSON of exercises; see ``docs/trainer.md``.

    Args:
        trainer: of the strategy that is trained.
        table: where the hands are played.
    """

    def __init__(self, trainer: Trainer, table: Table) -> None:
        self._trainer, self._strategy, self._table = trainer, trainer.strategy, table

    def exercise(self, exercise: Exercise) -> str:
        """The table at an exercise, or after its answer where the hand went on."""
        head: dict[str, Any] = {"number": exercise.number, "again": exercise.again, "whole": exercise.whole}
        head["answered"] = exercise.action is not None
        hand = self._hand(exercise)
        hand = hand if exercise.after is None else self._table.at(hand, exercise.after)
        return f'{to_json(head)[:-1]},"hand":{self._table.view(hand)}}}'

    def play_on(self, exercise: Exercise, state: State) -> State:
        """The bot's play from a state to the person's next decision, or to the end."""
        return self._strategy.betting.parse(self._table.play_on(self._hand(exercise), state).line)

    def _hand(self, exercise: Exercise) -> Hand:
        trainer = self._trainer
        bot, is_chosen = trainer.against or trainer.name, bool(trainer.against)
        return Hand(exercise.number, bot, exercise.seat, exercise.deal, exercise.line, None, chosen=is_chosen)

    def feedback(self, exercise: Exercise) -> dict[str, Any]:
        """An answer beside what the strategy does and what each action wins."""
        assert exercise.mix is not None
        state, here = exercise.state(self._strategy.betting), self._trainer.owns(exercise)
        decision = exercise.decision(self._strategy.betting)
        places = [ACTIONS.index(letter) for letter in state.legal]
        options = [action(state, ACTIONS[n]) | {"share": exercise.mix[n], "ev_mbb": exercise.ev[n]} for n in places]
        return {
            "number": exercise.number,
            "again": exercise.again,
            "strategy": exercise.strategy,
            "seat": acting_seat(state),
            "cards": format_cards(exercise.hole()),
            "board": format_cards(exercise.deal.board[: state.num_board_cards]),
            "line": exercise.line,
            "title": f"{spot_title(state)}, {pot_words(state)}",
            "options": options,
            "action": exercise.action,
            "probability": decision.probability,
            "ev_lost_mbb": exercise.ev_lost,
            "mistake": exercise.mistake,
            "is_costly": exercise.ev_lost is not None and exercise.ev_lost >= LEAST,
            "working": here and exercise.waits(),
            "why": self._why(state) if here and _contradicts(exercise, places) else None,
        }

    def _why(self, state: State) -> str:
        """How another action can win more than what the strategy does."""
        if not self._trainer.against:
            return why(self._strategy, state)
        return f"The strategy is on guard against everybody; best play looks at {self._trainer.against} alone."


def _contradicts(exercise: Exercise, places: Sequence[int]) -> bool:
    """Whether another action than what the strategy does most wins at least :data:`LEAST` mbb more."""
    assert exercise.mix is not None
    known = [ev for ev in exercise.ev if ev is not None]
    most = exercise.ev[max(places, key=exercise.mix.__getitem__)]
    return most is not None and max(known) - most >= LEAST
