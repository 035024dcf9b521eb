"""Drills: which decisions are trained, and hands that come to one of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cfr.game.betting import BettingTree, State
from cfr.game.hand import Deal, deal_hand
from cfr.game.line_text import read_line
from cfr.game.words import ROUND_NAMES
from cfr.hands.flops import TEXTURES, texture
from cfr.play.strategy_player import StrategyPlayer
from cfr.strategy.strategy import BaseStrategy
from cfr.study.reviews.decision import KINDS
from cfr.system.errors import BadInputError
from cfr.values.best_values import has_best_values

ANY = "any"
MODES = ("spots", "hands")
SEATS = (ANY, "button", "bb")
ROUNDS = (ANY, *ROUND_NAMES)
FLOPS = (ANY, *TEXTURES)
DECISIONS = {ANY: tuple(KINDS), **{kind: (legal,) for legal, kind in KINDS.items()}}
MOST_DEALS = 5_000  # with the flop that is wanted; about a second


@dataclass(frozen=True)
class Drill:
    """A filter of decisions; the default takes all.

    Attributes:
        mode: ``spots``, one decision of a hand, or ``hands``, which are played on to their end.
        seat: ``button``, ``bb`` or ``any``.
        round: ``preflop``, ``flop``, ``turn``, ``river`` or ``any``.
        line: the betting begins with this, an ACPC string without a slash at its end.
        flop: a texture, ``paired``, ``monotone``, ``two-tone``, ``rainbow``, or ``any``.
        decision: ``check-bet``, ``fold-call-raise``, ``fold-call`` or ``any``: what can be done.
    """

    mode: str = "spots"
    seat: str = ANY
    round: str = ANY
    line: str = ""
    flop: str = ANY
    decision: str = ANY

    @classmethod
    def read(cls, betting: BettingTree, **asked: str) -> Drill:
        """A drill of texts as people write them, by the attributes' names.

        Raises:
            BadInputError: a value that there is not, or a line after which the hand is over.
            MalformedTextError, IllegalActionError: a line that cannot be read or played.
        """
        known = {"mode": MODES, "seat": SEATS, "round": ROUNDS, "flop": FLOPS, "decision": tuple(DECISIONS)}
        for name, values in known.items():
            if asked.get(name, values[0]) not in values:
                raise BadInputError(f"{name} {asked[name]!r}; expected one of {', '.join(values)}")
        state = read_line(betting, asked.get("line", ""))
        if state.is_over:
            raise BadInputError(f"line {asked['line']!r}: the hand is over, there is nobody to act")
        return cls(**asked | {"line": state.line_string.rstrip("/")})

    def deal(
        self, strategy: BaseStrategy, rng: random.Random, opponent: BaseStrategy | None = None
    ) -> tuple[Deal, State]:
        """Cards and a decision of the drill, to which both seats come by the strategy's own play.

        A seat and a hand are drawn until the seat has such decisions in the hand. One of them is drawn, or in the mode
        ``hands`` the first is taken. An opponent plays the other seat instead; decisions are then those with EVs by
        best play (:func:`cfr.values.best_values.has_best_values`).

        Raises:
            BadInputError: the play comes to no such decision in :data:`MOST_DEALS` hands, or to none with EVs.
        """
        own = StrategyPlayer(strategy, "trainer")
        other = own if opponent is None else StrategyPlayer(opponent, "opponent")
        if opponent is not None and self.round == ROUND_NAMES[0] and not has_best_values(strategy.betting.root):
            raise BadInputError(f"round {self.round}: too many boards follow to know best play; expected a later round")
        for _ in range(MOST_DEALS):
            deal = self._dealt(strategy, rng)
            seat = strategy.game.seat_called(self.seat)
            seat = rng.randrange(2) if seat is None else seat
            seated = (own, other) if seat == 0 else (other, own)
            found = [state for state in self._played(seated, deal, rng) if state.actor == seat and self.takes(state)]
            if opponent is not None:
                found = [state for state in found if has_best_values(state)]
            if found:
                return deal, found[0] if self.mode == "hands" else rng.choice(found)
        raise BadInputError(f"the strategy comes to no decision of this drill in {MOST_DEALS:,} hands; make it wider")

    def takes(self, state: State) -> bool:
        """Whether a decision is of the drill, whoever's it is."""
        line, played = self.line.replace("/", ""), state.line_string.replace("/", "")
        return (
            played.startswith(line)
            and self.round in (ANY, ROUND_NAMES[state.round])
            and "".join(sorted(state.legal, key="fcr".index)) in DECISIONS[self.decision]
            and (self.flop == ANY or state.round > 0)
        )

    def _dealt(self, strategy: BaseStrategy, rng: random.Random) -> Deal:
        """Cards with a flop of the drill; raises BadInputError where the game deals none."""
        cards = sum(strategy.game.num_board_cards[:2])
        for _ in range(MOST_DEALS):
            deal = deal_hand(strategy.game, rng)
            if self.flop == ANY or (cards > 1 and texture(np.array(deal.board[:cards])) == self.flop):
                return deal
        raise BadInputError(f"{strategy.game.name} deals no {self.flop} flop")

    def _played(
        self, players: tuple[StrategyPlayer, StrategyPlayer], deal: Deal, rng: random.Random
    ) -> Iterator[State]:
        """The decisions of a hand, by the player of each seat, until it leaves the drill's line."""
        state, line = players[0].strategy.betting.root, self.line.replace("/", "")
        while not state.is_over:
            played = state.line_string.replace("/", "")
            if not (line.startswith(played) or played.startswith(line)):
                return
            yield state
            board = deal.board[: state.num_board_cards]
            state = state.act(players[state.actor].act(state, deal.hands[state.actor], board, rng))
