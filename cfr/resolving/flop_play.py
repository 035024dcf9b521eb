"""The play before the turn of a strategy with refined flops, and what re-solving needs to go on from there."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import State
from cfr.hands.isomorphism import permute_hands, permuted_suits
from cfr.resolving.resolver import rounded_reach
from cfr.strategy.files.refined_flops import RefinedFlop, RefinedFlops, turn_steps
from cfr.strategy.position import Position
from cfr.strategy.spot_rows import SpotRows, all_rows
from cfr.strategy.strategy import HELD_BYTES, BaseStrategy, Cards, Floats

_FLOP, _TURN = 1, 2
_HELD = 32  # rows of flops, and positions where flops begin, in memory


class _Place(NamedTuple):
    """A line on a refined flop: the flop, its canonical cards, the line's column, and the permutation to its suits."""

    flop: RefinedFlop
    cards: tuple[int, ...]
    column: int
    suits: int


class FlopPlay(BaseStrategy):
    """A blueprint, with refined flops where a file has them; later rounds are the blueprint's.

    The strategy is not safe by itself: on refined flops the turn is to be solved anew, against :meth:`known_targets`.

    Args:
        blueprint: the blueprint, a whole strategy.
        flops: the refined flops.
    """

    def __init__(self, blueprint: BaseStrategy, flops: RefinedFlops) -> None:
        self._blueprint = blueprint
        self.flops = flops
        self.game, self.betting = blueprint.game, blueprint.betting
        self.re_solved_from = _FLOP if flops.solves_missing else None
        self._images = permute_hands(self.game.hands, self.game.num_suits)
        self._steps = turn_steps(self.betting)
        self._rows = lru_cache(_HELD)(self._find_rows)
        self._begins = lru_cache(_HELD)(self._find_begin)

    def __reduce__(self) -> tuple[Any, ...]:
        return FlopPlay, (self._blueprint, self.flops)

    @property
    def blueprint(self) -> BaseStrategy:
        return self._blueprint

    @property
    def identity(self) -> dict[str, str]:
        return self._blueprint.identity | self.flops.identity

    def facts(self) -> dict[str, str]:
        return self._blueprint.facts() | self.flops.facts()

    def hold_tables(self, most: int = HELD_BYTES) -> None:
        self._blueprint.hold_tables(most)

    def hold_rows(self, threads: int = 1) -> None:
        self._blueprint.hold_rows(threads)

    def close(self) -> None:
        self.flops.close()
        self._blueprint.close()

    def distribution(self, state: State, hand: Cards, board: Cards) -> tuple[float, float, float]:
        if state.round != _FLOP or self._place(state, board, state.actor) is None:
            return self._blueprint.distribution(state, hand, board)
        fold, call, raise_ = self.all_hands(state, board)[self.game.hand_number(tuple(hand))].tolist()
        return fold, call, raise_

    def all_hands(self, state: State, board: Cards) -> Floats:
        played = self._blueprint.all_hands(state, board)
        if state.round != _FLOP:
            return played
        place = self._place(state, board, state.actor)
        if place is None:
            return played
        rows = self._rows(place.cards).rows(_FLOP, np.array([place.cards], np.uint8))[0][self._images[place.suits]]
        held = (rows >= 0) & (rounded_reach(self._begins(state.line, tuple(board)).reach(state.actor)) > 0)
        numbers = self.betting.rounds[_FLOP].action_index[state.node]
        shares = place.flop.probabilities[rows[held]][:, numbers, place.column].astype(np.float64)
        shares[:, numbers < 0] = 0
        played[held] = shares / shares.sum(axis=1, keepdims=True)
        return played

    def round_probabilities(
        self, entry: State, hands: NDArray[np.uint8], board: Cards, seat: int | None = None
    ) -> Floats:
        found = self._blueprint.round_probabilities(entry, hands, board, seat)
        if entry.round != _FLOP:
            return found
        numbers = self.game.hand_numbers(hands)
        for state in entry.decisions(seat):
            if self._place(state, board, state.actor) is not None:
                index = self.betting.rounds[_FLOP].action_index[state.node]
                found[index[index >= 0]] = self.all_hands(state, board)[numbers][:, index >= 0].T
        return found

    def flop_rows(self, number: int) -> NDArray[np.int32]:
        """``(H,)`` row of every hand on a canonical flop; -1 where they share a card."""
        cards = tuple(self.flops.boards.boards[number].tolist())
        found: NDArray[np.int32] = self._rows(cards).rows(_FLOP, np.array([cards], np.uint8))[0]
        return found

    def known_targets(self, entry: State, board: Cards, seat: int, own: Floats) -> Floats | None:
        """The most that hands win from a turn on against the solved play of a seat; None where it is not refined."""
        place = self._place(entry, board, seat)
        if place is None:
            return None
        there = permuted_suits(board, place.suits, self.game.num_suits)
        rows = self._rows(place.cards).rows(_TURN, np.array([there], np.uint8))[0][self._images[place.suits]]
        column, _ = place.flop.turn_line(entry.line, self.betting.num_lines[_FLOP])
        each = place.flop.turn_values[1 - seat, np.maximum(rows, 0), column] / self._steps
        found: Floats = np.where(rows >= 0, each * (own @ self.game.apart), 0)
        return found

    def _place(self, state: State, board: Cards, seat: int) -> _Place | None:
        """The refined line that a state follows; None if the seat's play there is the blueprint's."""
        if state.round < _FLOP:
            return None
        dealt = self.game.num_board_cards[_FLOP]
        number, suits = self.flops.boards.locate(np.array([board[:dealt]], np.uint8))
        line = state.round_start(_FLOP).line
        flop = self.flops.behind(int(number[0]), line, seat, self.hears)
        column = None if flop is None else flop.column(line, seat)
        if flop is None or column is None:
            return None
        return _Place(flop, tuple(self.flops.boards.boards[int(number[0])].tolist()), column, int(suits[0]))

    def _find_begin(self, line: int, board: tuple[int, ...]) -> Position[BaseStrategy]:
        """The blueprint's position where a flop begins."""
        return self._blueprint.at(self.betting.entry(_FLOP, line), board)

    def _find_rows(self, cards: tuple[int, ...]) -> SpotRows:
        return all_rows(self.game, cards, _TURN)
