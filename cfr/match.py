"""Hands between two players, and matches of many with an interval for the result."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cfr.betting import BettingTree, State
from cfr.cards import format_cards
from cfr.errors import IllegalActionError, UnknownSpotError
from cfr.evaluate import evaluate
from cfr.game import Game
from cfr.players import Player

Cards = tuple[int, ...]


@dataclass(frozen=True)
class Deal:
    """All cards of a hand before it is played: the two hands by seat, and the whole board."""

    hands: tuple[Cards, Cards]
    board: Cards


@dataclass(frozen=True)
class HandRecord:
    """A finished hand: its deal, its last state, and the chips that each seat won."""

    deal: Deal
    state: State
    chips: tuple[int, int]

    def log_line(self, number: int, names: Sequence[str]) -> str:
        """The hand as a ``STATE:`` line of an ACPC log: number, betting, cards, chips, players, by position."""
        game = self.state.tree.game
        board, start, shown = "", 0, self.state.num_board_cards
        for new in game.num_board_cards[1:]:
            if start + new > shown:
                break
            board += "/" + format_cards(self.deal.board[start : start + new])
            start += new
        cards = "|".join(format_cards(hand) for hand in self.deal.hands) + board
        chips = "|".join(map(str, self.chips))
        return f"STATE:{number}:{self.state.line_string}:{cards}:{chips}:{'|'.join(names)}"


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


def showdown_winner(state: State, deal: Deal) -> int | None:
    """The seat that wins the showdown; None for a tie or where there is none."""
    if not state.at_showdown:
        return None
    strength = evaluate([[*hand, *deal.board] for hand in deal.hands])
    return None if strength[0] == strength[1] else int(strength[1] > strength[0])


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
        log: write ACPC ``STATE:`` lines there.

    Raises:
        UnknownSpotError: a number of hands that cannot be played.
        IllegalActionError: a player's mistake.
        OSError: the log cannot be written.
    """
    if hands < 1 or (duplicate and hands % 2):
        raise UnknownSpotError(f"hands: {hands}; expected at least 1, and an even number for duplicate matches")
    source = random.SystemRandom() if seed is None else random.Random(seed)
    betting = BettingTree(game)
    won = np.zeros(hands)
    with nullcontext() if log is None else Path(log).open("w", encoding="ascii") as stream:
        deal = None
        for number in range(hands):
            if deal is None or not (duplicate and number % 2):
                deal = deal_hand(game, source)
            seats = (first, second) if number % 2 == 0 else (second, first)
            record = play_hand(betting, deal, seats, source)
            won[number] = record.chips[number % 2]
            if stream is not None:
                stream.write(record.log_line(number, [player.name for player in seats]) + "\n")
    won *= 1000 / game.big_blind
    samples = won.reshape(-1, 2).mean(axis=1) if duplicate else won
    spread = float(samples.std(ddof=1)) / math.sqrt(len(samples)) if len(samples) > 1 else math.inf
    return MatchResult(hands, float(won.mean()), 1.96 * spread)
