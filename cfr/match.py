"""Hands between two players, and matches of many with an interval for the result."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cfr.betting import BettingTree
from cfr.errors import IllegalActionError, UnknownSpotError
from cfr.game import Game
from cfr.history import Deal, HandRecord, showdown_winner
from cfr.logs import HandLog
from cfr.players import Player


@dataclass(frozen=True)
class MatchResult:
    """The first player's result.

    Attributes:
        hands: played; a duplicate pair counts as two.
        mbb_per_game: mean win in mbb/g.
        interval_95: half-width of its 95 % interval in mbb/g, from hands, or from pairs when duplicate.
    """

    hands: int
    mbb_per_game: float
    interval_95: float

    @classmethod
    def of(cls, chips: NDArray[np.floating | np.integer], game: Game, *, duplicate: bool = False) -> MatchResult:
        """The result of ``(hands,)`` chips won, in order; with ``duplicate`` two and two are of the same deal."""
        won = chips * (1000 / game.big_blind)
        samples = won.reshape(-1, 2).mean(axis=1) if duplicate else won
        spread = float(samples.std(ddof=1)) / math.sqrt(len(samples)) if len(samples) > 1 else math.inf
        return cls(len(won), float(won.mean()), 1.96 * spread)

    def __str__(self) -> str:
        return (
            f"{self.mbb_per_game:+.1f} mbb/g, 95 % interval +- {self.interval_95:.1f} mbb/g, "
            f"{self.mbb_per_game / 10:+.2f} big blinds per 100 hands, over {self.hands:,} hands"
        )


def deal_hand(game: Game, rng: random.Random) -> Deal:
    """Deal two hands and a board."""
    hole, board = game.num_hole_cards, sum(game.num_board_cards)
    cards = rng.sample(game.deck.tolist(), 2 * hole + board)
    return Deal((tuple(cards[:hole]), tuple(cards[hole : 2 * hole])), tuple(cards[2 * hole :]))


def play_hand(betting: BettingTree, deal: Deal, players: Sequence[Player], rng: random.Random) -> HandRecord:
    """Play one hand; ``players`` by seat.

    Raises:
        IllegalActionError: a player did what the rules do not allow.
    """
    state = betting.root
    while not state.is_over:
        seat = state.actor
        action = players[seat].act(state, deal.hands[seat], deal.board[: state.num_board_cards], rng)
        if action not in state.legal or len(action) != 1:
            raise IllegalActionError(f"{players[seat].name}, after {state.line_string!r}: {state.illegal(action)}")
        state = state.act(action)
    return HandRecord(deal, state, state.payoff(showdown_winner(state, deal)))


def match(
    game: Game,
    first: Player,
    second: Player,
    hands: int,
    *,
    seed: int | None = None,
    duplicate: bool = False,
    log: str | Path | None = None,
) -> MatchResult:
    """Play a match; seats alternate.

    Args:
        game: the rules.
        first, second: the players; the result is the first's.
        hands: how many; with ``duplicate`` an even number.
        seed: of cards and actions; None takes the operating system's randomness.
        duplicate: play every deal twice, seats exchanged.
        log: write the hands there, in the format of its suffix (:mod:`cfr.logs`).

    Raises:
        UnknownSpotError: a number of hands that cannot be played, or a log that cannot hold them.
        IllegalActionError: a player's mistake.
        OSError: the log cannot be written.
    """
    if hands < 1 or (duplicate and hands % 2):
        raise UnknownSpotError(f"hands: {hands}; expected at least 1, and an even number for duplicate matches")
    source = random.SystemRandom() if seed is None else random.Random(seed)
    betting = BettingTree(game)
    won = np.zeros(hands)
    with nullcontext() if log is None else HandLog(log, game, (first.name, second.name), hands=hands) as writer:
        deal = None
        for number in range(hands):
            if deal is None or not (duplicate and number % 2):
                deal = deal_hand(game, source)
            seats = (first, second) if number % 2 == 0 else (second, first)
            record = play_hand(betting, deal, seats, source)
            won[number] = record.chips[number % 2]
            if writer is not None:
                writer.write(record, number % 2)
    return MatchResult.of(won, game, duplicate=duplicate)
