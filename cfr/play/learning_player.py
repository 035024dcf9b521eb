"""The player that learns: a mix of responses whose weights follow what each would have won so far."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from cfr.game.betting import State
from cfr.game.hand import SeenHand
from cfr.play.learnt import learnt_from
from cfr.play.portfolio import Portfolio
from cfr.play.strategy_player import StrategyPlayer
from cfr.system.disk.file_lock import Lock
from cfr.system.errors import BadInputError

PREFIX = "learn:"
_SAVED_EVERY = 100  # hands


class LearningPlayer:
    """Plays a portfolio's mix, and changes its weights after each hand.

    As a context it keeps what it learns of a named opponent in the portfolio's file, which nobody else may use then.

    Args:
        name: ``learn:FILE@OPPONENT``; without an opponent it begins with nothing and keeps nothing.

    Attributes:
        strategy: the mix that it plays.
        models: the players that the mix's parts were made for; None where none is known.
        portfolio: what it knows.

    Raises:
        BadInputError: a response that has changed, or a name without a file.
        OSError, DamagedFileError: a file that cannot be opened.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._path, self._opponent = _split(name)
        self.portfolio = Portfolio.read(self._path)
        self.strategy = self.portfolio.open()
        self.models = self.portfolio.open_models()
        self._inside = StrategyPlayer(self.strategy, name)
        self._held = ExitStack()

    @property
    def kept_in(self) -> Path | None:
        """The file that keeps what it learns; None if nothing is kept."""
        return self._path.resolve() if self._opponent else None

    def __enter__(self) -> Self:
        if self._opponent:
            with ExitStack() as held:
                held.enter_context(Lock(self._path, "a learning player"))
                opened, self.portfolio = self.portfolio, Portfolio.read(self._path)
                if self.portfolio.responses != opened.responses:
                    raise BadInputError(f"{self._path}: its responses have changed since it was opened; begin again")
                held.callback(lambda: self.portfolio.save(self._path))
                self._held = held.pop_all()
        self.strategy.shares = self.portfolio.weights(self._opponent)
        return self

    def __exit__(self, *error: object) -> None:
        self._held.close()

    def act(self, state: State, hand: Sequence[int], board: Sequence[int], rng: random.Random) -> str:
        return self._inside.act(state, hand, board, rng)

    def watch(self, seat: int, number: int, seen: SeenHand) -> None:
        """Learn from a hand that is over."""
        found = learnt_from(self.strategy, self.models, seat, seen)
        if found is None:
            return
        self.portfolio.learn(self._opponent, found)
        self.strategy.shares = self.portfolio.weights(self._opponent)
        if self._opponent and self.portfolio.learnt[self._opponent].hands % _SAVED_EVERY == 0:
            self.portfolio.save(self._path)


def open_learner(name: str | None, resolve: str | None = None) -> LearningPlayer | None:
    """The player that learns of this name; None for other names.

    Raises:
        CfrError, OSError: as :class:`LearningPlayer`, and BadInputError where it is to be re-solved.
    """
    if not is_learner(name):
        return None
    if resolve is not None:
        raise BadInputError(f"{name}: a player that learns is not re-solved; its responses may be: FILE+turn")
    return LearningPlayer(str(name))


def is_learner(given: object) -> bool:
    """Whether a player is one that learns, or its name."""
    return isinstance(given, LearningPlayer) or (isinstance(given, str) and given.startswith(PREFIX))


def _split(name: str) -> tuple[Path, str]:
    """The portfolio's file and the opponent of a player's name."""
    whole = name.removeprefix(PREFIX)
    base, at, opponent = ("", "", whole) if Path(whole).exists() else whole.rpartition("@")
    base, opponent = (base, opponent) if at else (opponent, "")
    if not base or (at and not opponent):
        raise BadInputError(f"player {name!r}; expected learn:FILE or learn:FILE@OPPONENT, FILE of cfr learn")
    return Path(base), opponent
