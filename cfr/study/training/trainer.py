"""The trainer: exercises of one strategy, dealt, answered, and judged by what each action wins."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from cfr.game.betting import State
from cfr.strategy.strategy import BaseStrategy
from cfr.study.training.drill import Drill
from cfr.study.training.exercise import Exercise
from cfr.values.expected_values import SpotValues, has_values

PlayOn = Callable[[Exercise, State], State]


class Trainer:
    """Deals and judges. It remembers nothing: exercises come from their owner and go back to it.

    Args:
        strategy: that is trained.
        name: the strategy's, which is shown.

    Attributes:
        key: the strategy's checksum, or the name of a built-in one, with the round of its re-solving; progress goes by
            it, for two files may have one name.
    """

    def __init__(self, strategy: BaseStrategy, name: str) -> None:
        self.strategy, self.name = strategy, name
        identity = strategy.identity
        self.key = "+".join(identity[part] for part in ("strategy", "resolve") if part in identity)

    def owns(self, exercise: Exercise) -> bool:
        """Whether an exercise is about this strategy; one without a key is if its strategy has the same name."""
        return exercise.strategy == self.name if exercise.key is None else exercise.key == self.key

    def deal(self, number: int, drill: Drill, rng: random.Random) -> Exercise:
        """A new exercise; errors as :meth:`cfr.study.training.drill.Drill.deal`."""
        deal, state = drill.deal(self.strategy, rng)
        return Exercise(number, self.name, state.actor, deal, state.line_string, drill.mode == "hands", key=self.key)

    def again(self, number: int, spot: Exercise) -> Exercise:
        """A spot that was answered before, as a new exercise."""
        asked = (number, self.name, spot.seat, spot.deal, spot.line)
        return Exercise(*asked, again=spot.again or spot.number, key=self.key)

    def answer(self, exercise: Exercise, letter: str, play_on: PlayOn) -> tuple[Exercise, Exercise | None]:
        """The answered exercise, and the next decision of its hand, if it goes on.

        ``play_on`` lets the bot play from a state to the person's next decision, or to the end.

        Raises:
            IllegalActionError: the rules do not allow the action.
        """
        answered = exercise.answered(self.strategy, letter, self.has_values(exercise))
        if not exercise.whole:
            return answered, None
        after = play_on(exercise, exercise.state(self.strategy.betting).act(letter))
        answered = replace(answered, after=after.line_string)
        if after.is_over:
            return answered, None
        asked = (exercise.number + 1, self.name, exercise.seat, exercise.deal, after.line_string)
        return answered, Exercise(*asked, whole=True, key=self.key)

    def has_values(self, exercise: Exercise) -> bool:
        """Whether the EVs of an exercise can be known."""
        return has_values(self.strategy, exercise.state(self.strategy.betting))

    def judge(self, exercise: Exercise, values: SpotValues) -> Exercise:
        """The answered exercise with what it lost by the values at its spot, unreached hands' too."""
        hand = self.strategy.game.hand_number(exercise.hole())
        return exercise.judged(self.strategy.betting, values.action_ev[hand])
