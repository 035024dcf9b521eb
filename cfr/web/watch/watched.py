"""Matches that visitors watch: two players, hand by hand, with what each of them considered.

A hand depends on the seed, on the two players and on its number alone, so everybody sees the same match.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from cfr.game.betting import BettingTree, State
from cfr.game.hand import HandRecord, SeenHand, deal_hand
from cfr.play.aivat import Aivat
from cfr.play.hand import play_hand
from cfr.play.player import Player
from cfr.play.players import known_strategy
from cfr.strategy.strategy import BaseStrategy
from cfr.system.errors import BadInputError
from cfr.web.server.replay import mixed, replayed
from cfr.web.store.records import Session

SIMPLE = ("always-call", "always-raise", "call-raise", "uniform")  # players that every page offers
_KEPT_HANDS = 64  # of a match, for those who watch it together
_NOTHING = Session(0, 0, 0, 0)


class WatchedMatches:
    """Matches of each player against each, itself too; one thread at a time.

    Args:
        betting: the game's lines.
        players: who can play.
        seed: of all cards and actions; None takes the operating system's randomness.
    """

    def __init__(self, betting: BettingTree, players: Sequence[Player], seed: int | None = None) -> None:
        self._betting, self._players = betting, players
        self._seed = random.SystemRandom().getrandbits(64) if seed is None else seed
        self._matches: dict[tuple[int, int], WatchedMatch] = {}

    @property
    def names(self) -> list[str]:
        """The players'."""
        return [player.name for player in self._players]

    def hand(self, first: int, second: int, number: int) -> dict[str, Any]:
        """A hand between two players, counted from 0; errors as :meth:`WatchedMatch.hand`."""
        match = self._matches.get((first, second))
        if match is None:
            players = (self._players[first], self._players[second])
            match = self._matches[first, second] = WatchedMatch(
                self._betting, players, f"{self._seed} {first} {second}"
            )
        return match.hand(number)


class WatchedMatch:
    """A match of two players; the first has the button in odd hands.

    Args:
        betting: the game's lines.
        players: the first and the second.
        seed: of cards and actions, with the players' names and the hand's number.
    """

    def __init__(self, betting: BettingTree, players: Sequence[Player], seed: str) -> None:
        self._betting, self._players, self._seed = betting, players, seed
        self._strategies = [known_strategy(player, betting.game) for player in players]
        try:
            self._adjust: Aivat | None = Aivat(betting.game, players)
        except BadInputError:
            self._adjust = None
        self._results = [_NOTHING]  # after each hand
        self.hand = lru_cache(_KEPT_HANDS)(self._hand)  # several people watch the same one

    def _hand(self, number: int) -> dict[str, Any]:
        """A hand and the result up to it, for JSON, see ``docs/web.md``; a new one comes after those before it.

        Raises:
            BadInputError: a hand further ahead.
            CfrError: whatever a player of somebody's own does wrong.
        """
        if number > len(self._results):
            raise BadInputError(f"hand {number} was not played yet; the next one is {len(self._results)}")
        record = self._play(number)
        if number == len(self._results):
            self._add(record, number)
        return self._view(record, number)

    def _first_seat(self, number: int) -> int:
        button = self._betting.game.button
        return button if number % 2 else 1 - button

    def _play(self, number: int) -> HandRecord:
        rng, seats = random.Random(f"{self._seed} {number}"), self._players
        if self._first_seat(number):
            seats = seats[::-1]
        return play_hand(self._betting, deal_hand(self._betting.game, rng), seats, rng)

    def _add(self, record: HandRecord, number: int) -> None:
        first, before = self._first_seat(number), self._results[-1]
        chips, adjusted, luck = record.chips[first], before.adjusted, (before.adjusted_chips, before.adjusted_squares)
        if self._adjust is not None:
            found = self._adjust(record, first)
            adjusted, luck = adjusted + 1, (luck[0] + found, luck[1] + found**2)
        sums = (before.hands + 1, before.chips + chips, before.squares + chips**2)
        self._results.append(Session(0, *sums, adjusted, *luck))

    def _view(self, record: HandRecord, number: int) -> dict[str, Any]:
        first, end = self._first_seat(number), record.state
        order = (first, 1 - first)
        seen = SeenHand(end, record.deal.hands, record.deal.board[: end.num_board_cards])
        return {
            "number": number,
            "players": [player.name for player in self._players],
            **replayed(
                seen,
                order,
                record.chips[first],
                lambda state: {"mix": self._mix(self._strategies[order.index(state.actor)], record, state)},
            ),
            "result": self._results[number].result(self._betting.game.big_blind),
        }

    def _mix(self, strategy: BaseStrategy | None, record: HandRecord, state: State) -> list[dict[str, Any]] | None:
        """Legal actions with their probabilities; None of a player whose strategy nobody knows."""
        if strategy is None:
            return None
        hand, board = record.deal.hands[state.actor], record.deal.board[: state.num_board_cards]
        return mixed(state, strategy.distribution(state, hand, board))
