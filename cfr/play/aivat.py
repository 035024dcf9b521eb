"""AIVAT: what a hand was worth once the luck that can be computed is taken out of it.

Burch, Schmid, Moravcik, Morrill and Bowling 2018, "AIVAT: A New Variance Reduction Technique for Agent Evaluation in
Imperfect Information Games" (AAAI). To the chips won it adds, for the deal, for every later chance event and for every
action of a player whose strategy is known, the expected value of what could have happened there less the value of what
did. Each of these terms has mean zero *whatever the values are*, so the estimate is unbiased; good values make it
precise. With imaginary hands, one known player's hand is replaced by all that could have got here, each by its
probability given the opponent's hand, the board and the line: every term then is a conditional mean of the plain one.

The values are those of pairs of hands (:mod:`cfr.play.pair_values`), from the strategies themselves. A player whose
strategy is unknown is taken to play like the other one; being wrong about that costs precision, not truth.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cfr.game.betting import BettingTree, State
from cfr.game.betting_round import ACTIONS
from cfr.game.hand import HandRecord, deal_hand, decisions
from cfr.game.rules import Game
from cfr.hands.showdown_margins import Margins
from cfr.play.hand import play_hand
from cfr.play.observation import Held, Imagined, Observation
from cfr.play.pair_values import PairValues, Plays, Value, fitted_factor
from cfr.play.player import Player
from cfr.play.players import known_strategy
from cfr.play.strategy_player import StrategyPlayer
from cfr.strategy.strategy import BaseStrategy
from cfr.system.errors import BadInputError

_FITTED_HANDS = 400  # in each order of the seats
_FITTED_SEED = 2018


class Aivat:
    """Adjusts the results of a match, hand by hand.

    Args:
        game: the rules.
        players: the first and the second.
        imaginary: average over all hands of the first player whose strategy is known, instead of taking the one that
            it held; more precise, and slower.
        margins: of the game.
        factors: of :class:`cfr.play.pair_values.PairValues`; None fits them to hands that
            the strategies play for that alone, re-solving ones as their blueprints.
        assumed: where neither player's strategy is known, values are as if both played this one, and only the luck of
            the cards is taken out.

    Attributes:
        factors: as given, or fitted.

    Raises:
        BadInputError: neither player's strategy is known, and none is assumed.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        *,
        imaginary: bool = False,
        margins: Margins | None = None,
        factors: Sequence[float] | None = None,
        assumed: BaseStrategy | None = None,
    ) -> None:
        strategies = [known_strategy(player, game) for player in players]
        followed = [each for each in strategies if each is not None]
        if not followed and assumed is not None:
            followed = [assumed]
        if not followed:
            names = " and ".join(player.name for player in players)
            raise BadInputError(f"AIVAT needs a player whose strategy is known; those of {names} are not")
        if len(followed) == 1:
            followed *= 2
        known = [strategy is not None for strategy in strategies]
        self._estimated = known.index(True) if any(known) else 0  # the player whose chips are estimated
        betting, margins = BettingTree(game), margins or Margins(game)
        kind = Imagined if imaginary else Held
        orders = (_Order(followed, self._estimated), _Order(followed[::-1], 1 - self._estimated))
        self.factors = _fit(betting, margins, orders) if factors is None else factors
        self._by_first_seat = [
            Seating(betting, margins, order, knows, kind, self.factors)
            for order, knows in zip(orders, (known, known[::-1]), strict=True)
        ]

    def __call__(self, record: HandRecord, first_seat: int) -> float:
        """Chips that the first player won, adjusted; it sat at ``first_seat``."""
        estimate = self._by_first_seat[first_seat].estimate(record)
        return estimate if self._estimated == 0 else -estimate


@dataclass(frozen=True)
class _Order:
    """What each seat plays, by seat, and the seat whose chips are estimated."""

    strategies: Sequence[BaseStrategy]
    seat: int


class Seating:
    """One order of the players.

    Args:
        betting: the game's lines.
        margins: the game's.
        order: what each seat plays, and whose chips are estimated; it is known what this one plays.
        known: by seat, whether it plays that; else it is a guess.
        kind: what is observed of the hand of the seat whose chips are estimated.
        factors: of :class:`cfr.play.pair_values.PairValues`.
    """

    def __init__(
        self,
        betting: BettingTree,
        margins: Margins,
        order: _Order,
        known: Sequence[bool],
        kind: type[Observation],
        factors: Sequence[float],
    ) -> None:
        self.betting = betting
        self.margins = margins
        self.strategies = order.strategies
        self.seat = order.seat
        self._known = known
        self._kind = kind
        self._values = PairValues(betting, self.seat, factors)
        self._mean = self._mean_of_all_deals()

    def _mean_of_all_deals(self) -> float:
        root, hands = self.betting.root, self.betting.game.hands
        everybody = [each.round_probabilities(root, hands, ()) for each in self.strategies]
        margins, total, pairs = self.margins.all_pairs(), 0.0, 0
        for number, other in enumerate(hands):
            plays: list[Plays] = [everybody[0], everybody[1]]
            plays[1 - self.seat] = everybody[1 - self.seat][:, number].tolist()
            free = ~np.isin(hands, other).any(axis=1)
            value = self._values.of_round(root, (plays[0], plays[1]), margins[:, number])[0][0]
            total += float(np.broadcast_to(value, free.shape)[free].sum())
            pairs += int(free.sum())
        return total / pairs

    def estimate(self, record: HandRecord) -> float:
        """Chips that the seat won, adjusted."""
        values, actors = self._values, [current.actor for current in self.betting.rounds]
        hand = self._kind(self.strategies, self.margins, record.deal, self.seat)
        node: list[Value] = []
        action: list[Value] = []
        estimate = self._mean
        for state, letter in decisions(record.state):
            if state.node == 0:  # a round begins
                if state.round:
                    estimate += hand.mean(values.between(state, hand.margin))
                    hand.deal(record.deal.board[: state.num_board_cards])
                    estimate -= hand.mean(values.between(state, hand.margin))
                plays = hand.plays(state)
                node, action = values.of_round(state, plays, hand.margin)
                if not state.round:
                    estimate -= hand.mean(node[0])
            number = int(self.betting.rounds[state.round].action_index[state.node, ACTIONS.index(letter)])
            actor = int(actors[state.round][state.node])
            before = hand.mean(node[state.node])
            if actor == self.seat:
                hand.follow(plays[actor][number])
            if self._known[actor]:
                estimate += before - hand.mean(action[number])
        if record.state.at_showdown:
            return estimate + hand.mean(record.state.stakes[0] * hand.margin)
        return estimate + record.chips[self.seat]


def _fit(betting: BettingTree, margins: Margins, orders: Sequence[_Order]) -> list[float]:
    """The factors with which values at a round's begin come nearest to what the round then is worth."""
    rng = random.Random(_FITTED_SEED)
    rounds = betting.game.num_rounds
    # A re-solving strategy would solve for minutes; factors need not be exact.
    orders = [_Order([each.blueprint for each in order.strategies], order.seat) for order in orders]
    models = [[StrategyPlayer(strategy, "model") for strategy in order.strategies] for order in orders]
    seen: list[list[tuple[int, State, tuple[Plays, Plays], float]]] = [[] for _ in range(rounds)]
    for number in range(2 * _FITTED_HANDS if rounds > 1 else 0):
        order, seats = orders[number % 2], models[number % 2]
        record = play_hand(betting, deal_hand(betting.game, rng), seats, rng)
        hand = Held(order.strategies, margins, record.deal, order.seat)
        for state, _ in decisions(record.state):
            if state.round and state.node == 0:
                hand.deal(record.deal.board[: state.num_board_cards])
                seen[state.round].append((order.seat, state, hand.plays(state), hand.mean(hand.margin)))
    factors = [1.0] * rounds
    for round_ in range(rounds - 1, 0, -1):
        predicted, found = [], []
        for seat, entry, plays, margin in seen[round_]:
            values = PairValues(betting, seat, factors)
            predicted.append(values.stake(entry) * margin)
            found.append(float(values.of_round(entry, plays, margin)[0][0]))
        factors[round_ - 1] = fitted_factor(predicted, found)
    return factors
