"""The trainer: exercises of one strategy, dealt, answered, and judged by what each action wins.

Against the strategy itself, an action wins what it does when both seats play the strategy afterwards. Against another
opponent, such as a player's model, it wins what best play afterwards does.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from cfr.game.betting import State
from cfr.strategy.strategy import BaseStrategy, Floats
from cfr.study.training.drill import Drill
from cfr.study.training.exercise import Exercise
from cfr.system.errors import BadInputError
from cfr.system.progress import Progress
from cfr.values.best_values import best_action_ev, has_best_values, why_not_beaten
from cfr.values.canonical_spot import CanonicalSpot, canonical_spot
from cfr.values.expected_values import has_values, values_at

PlayOn = Callable[[Exercise, State], State]


class Trainer:
    """Deals and judges. It remembers nothing: exercises come from their owner and go back to it.

    Args:
        strategy: that is trained.
        name: the strategy's, which is shown.
        opponent: whom the person plays against; None for the strategy itself.
        against: the opponent's name.

    Attributes:
        bot: who plays against the person.
        name: what is trained, as it is shown: the strategy's name, and the opponent's.
        key: the strategy's checksum, or the name of a built-in one, with the round of its re-solving, and the
            opponent's; progress goes by it, for two files may have one name.

    Raises:
        BadInputError: an opponent of another game, or one against whom best play is not known.
    """

    def __init__(
        self, strategy: BaseStrategy, name: str, opponent: BaseStrategy | None = None, against: str = ""
    ) -> None:
        self.strategy, self.name, self.against = strategy, name, against
        self.bot, self._opponent, self.key = strategy, opponent, _key(strategy)
        if opponent is not None:
            if opponent.game != strategy.game:
                raise BadInputError(f"{against} plays {opponent.game.name}; expected {strategy.game.name}, as {name}")
            if why := why_not_beaten(opponent):
                raise BadInputError(f"{against}: {why}")
            self.bot, self.name = opponent, f"{name} against {against}"
            self.key += f" against {_key(opponent)}"

    def owns(self, exercise: Exercise) -> bool:
        """Whether an exercise is about this strategy; one without a key is if its strategy has the same name."""
        return exercise.strategy == self.name if exercise.key is None else exercise.key == self.key

    def deal(self, number: int, drill: Drill, rng: random.Random) -> Exercise:
        """A new exercise; errors as :meth:`cfr.study.training.drill.Drill.deal`."""
        deal, state = drill.deal(self.strategy, rng, self._opponent)
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
        state = exercise.state(self.strategy.betting)
        return has_values(self.strategy, state) if self._opponent is None else has_best_values(state)

    def spot(self, exercise: Exercise) -> tuple[CanonicalSpot, int]:
        """The canonical spot of an exercise, and the number that the person's hand has there."""
        state, game = exercise.state(self.strategy.betting), self.strategy.game
        found, images = canonical_spot(self.bot, state, exercise.deal.board[: state.num_board_cards])
        return found, int(images[game.hand_number(exercise.hole())])

    def action_ev(self, spot: CanonicalSpot, progress: Progress) -> Floats:
        """``(H, 3)`` mbb that fold, call and raise win at a spot that has values, unreached hands' too.

        ``progress`` hears the share of the work that is done; what it raises ends the work.
        """
        if self._opponent is None:
            return values_at(self.strategy, spot, unreached=True, progress=progress).action_ev
        return best_action_ev(self._opponent.at(spot.state, spot.board), progress)

    def judge(self, exercise: Exercise, action_ev: Floats) -> Exercise:
        """The answered exercise with what it lost, by the EVs of its spot, see :meth:`action_ev`.

        Against an opponent an answer is a mistake by its loss alone, whatever the strategy does: best play has no noise
        of buckets.
        """
        ev = action_ev[self.spot(exercise)[1]]
        return exercise.judged(self.strategy.betting, ev, by_loss_alone=self._opponent is not None)


def _key(strategy: BaseStrategy) -> str:
    identity = strategy.identity
    return "+".join(identity[part] for part in ("strategy", "resolve") if part in identity)
