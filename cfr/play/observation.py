"""A hand of a match as AIVAT observes it: the one that a player held, or all that it could have held."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import State
from cfr.game.hand import Cards, Deal
from cfr.hands.showdown_margins import Margins
from cfr.play.pair_values import Plays, Value
from cfr.strategy.strategy import BaseStrategy


class Observation(ABC):
    """The hand of one seat against the hand that the other one holds, as the board comes.

    Args:
        strategies: what each seat plays, by seat.
        margins: of the game.
        deal: the hand of the match.
        seat: whose hand it is.

    Attributes:
        margin: on the board dealt so far.
    """

    margin: Value

    def __init__(self, strategies: Sequence[BaseStrategy], margins: Margins, deal: Deal, seat: int) -> None:
        self._strategies = strategies
        self._margins = margins
        self._seat = seat
        self._other = np.array([deal.hands[1 - seat]], np.uint8)
        self._board: Cards = ()

    @abstractmethod
    def plays(self, entry: State) -> tuple[Plays, Plays]:
        """By seat, the probability of each node-action of the round that begins."""

    @abstractmethod
    def mean(self, value: Value) -> float:
        """Of a value of each of the hands."""

    @abstractmethod
    def follow(self, probability: Value) -> None:
        """The seat took an action of this probability."""

    @abstractmethod
    def deal(self, board: Cards) -> None:
        """Cards were dealt; ``board`` is all of it."""

    def _others_plays(self, entry: State) -> Plays:
        seat = 1 - self._seat
        played = self._strategies[seat].round_probabilities(entry, self._other, self._board, seat)
        shares: list[float] = played[:, 0].tolist()
        return shares

    def _by_seat(self, own: Plays, others: Plays) -> tuple[Plays, Plays]:
        return (own, others) if self._seat == 0 else (others, own)


class Held(Observation):
    """The hand that the seat held; values are numbers."""

    def __init__(self, strategies: Sequence[BaseStrategy], margins: Margins, deal: Deal, seat: int) -> None:
        super().__init__(strategies, margins, deal, seat)
        self._own = np.array([deal.hands[seat]], np.uint8)
        self.deal(())

    def plays(self, entry: State) -> tuple[Plays, Plays]:
        own = self._strategies[self._seat].round_probabilities(entry, self._own, self._board, self._seat)[:, 0].tolist()
        return self._by_seat(own, self._others_plays(entry))

    def mean(self, value: Value) -> float:
        return float(value)

    def follow(self, probability: Value) -> None:
        """There is one hand, whatever it does."""

    def deal(self, board: Cards) -> None:
        self._board = board
        self.margin = float(self._margins.against(self._own, self._other[0].tolist(), board)[0])


class Imagined(Observation):
    """All hands that the seat could have held, each by its probability given all that the other seat sees.

    Values are ``(n,)``, of the hands whose probability is not 0.
    """

    def __init__(self, strategies: Sequence[BaseStrategy], margins: Margins, deal: Deal, seat: int) -> None:
        super().__init__(strategies, margins, deal, seat)
        self._hands = margins.game.hands
        self._weights = np.ones(len(self._hands))
        self._keep(self._misses(self._other))
        self.margin = margins.against(self._hands, self._other[0].tolist(), ())

    def plays(self, entry: State) -> tuple[Plays, Plays]:
        own = self._strategies[self._seat].round_probabilities(entry, self._hands, self._board, self._seat)
        return self._by_seat(own, self._others_plays(entry))

    def mean(self, value: Value) -> float:
        return float(self._weights @ value) if isinstance(value, np.ndarray) else value

    def follow(self, probability: Value) -> None:
        self._weights = self._weights * probability
        self._weights /= self._weights.sum()

    def deal(self, board: Cards) -> None:
        self._board = board
        self._keep(self._misses(board) & (self._weights > 0))
        self.margin = self._margins.against(self._hands, self._other[0].tolist(), board)

    def _misses(self, cards: NDArray[np.uint8] | Cards) -> NDArray[np.bool_]:
        live: NDArray[np.bool_] = np.logical_not(np.isin(self._hands, cards).any(axis=1))
        return live

    def _keep(self, live: NDArray[np.bool_]) -> None:
        self._hands, self._weights = self._hands[live], self._weights[live]
        self._weights = self._weights / self._weights.sum()
