"""A spot solved the plain way: every board card, every hand against every hand, dictionaries instead of tables."""

from itertools import combinations
from math import comb

import numpy as np

from cfr.game.betting_round import ACTIONS
from cfr.game.evaluate import strengths


class PlainSpot:
    """DCFR with alternating seats over the spot's tree; strategies and sums by (line, board), ``(hands, 3)`` each.

    ``locks`` hold decisions on all boards, of best responses too. ``by_strength``: hands that tie on a last board have
    one strategy.
    """

    def __init__(self, spot, schedule, locks=(), by_strength=False):
        self.by_strength = by_strength
        self.spot, self.game, self.schedule = spot, spot.game, schedule
        self.hands = spot.game.hands
        self.compatible = np.array(
            [[not set(a) & set(b) for b in self.hands.tolist()] for a in self.hands.tolist()], float
        )
        self.regrets, self.sums = {}, {}
        self.locks = {lock.state.line_string: lock.frequencies for lock in locks}
        self.iterations = 0

    def step(self):
        self.iterations += 1
        for seat in (0, 1):
            self.values(seat, "learn")

    def exploitability(self):
        """The mean gain of both best responses against the average strategy, in chips."""
        mass = self.spot.ranges[0] @ self.compatible @ self.spot.ranges[1]
        return sum(self.values(seat, "best") @ self.spot.ranges[seat] for seat in (0, 1)) / 2 / mass

    def values(self, seat, mode):
        spot = self.spot
        return self._visit(spot.state, spot.board, spot.ranges[1 - seat], spot.ranges[seat], seat, mode)

    def strategy(self, state, board, kind):
        key = state.line_string, board
        legal = np.array([letter in state.legal for letter in ACTIONS])
        positive = np.maximum(
            (self.regrets if kind == "regrets" else self.sums).get(key, np.zeros((len(self.hands), 3))), 0
        )
        total = positive.sum(axis=1, keepdims=True)
        learnt = np.where(total > 0, positive / np.where(total > 0, total, 1), legal / legal.sum())
        held = self.locks.get(state.line_string, np.full_like(learnt, np.nan))
        return np.where(np.isnan(held), learnt, held)

    def _visit(self, state, board, reach, own, seat, mode):
        if state.is_over:
            return self._payoff(state, board, reach, seat)
        if len(board) < state.num_board_cards:
            return self._deal(state, board, reach, own, seat, mode)
        played = self.strategy(state, board, "regrets" if mode == "learn" else "sums")
        live = np.array([not set(hand) & set(board) for hand in self.hands.tolist()])
        numbers = [ACTIONS.index(letter) for letter in state.legal]
        if state.actor != seat:
            children = [
                self._visit(state.act(ACTIONS[n]), board, reach * played[:, n], own, seat, mode) for n in numbers
            ]
            return np.sum(children, axis=0)
        children = np.zeros((len(self.hands), 3))
        for n in numbers:
            children[:, n] = self._visit(state.act(ACTIONS[n]), board, reach, own * played[:, n], seat, mode)
        value = (played * children).sum(axis=1)
        if mode == "best":
            free = np.isnan(self.locks.get(state.line_string, np.full((1, 3), np.nan))[:, 0])
            return np.where(free, children[:, numbers].max(axis=1), value) * live
        if mode == "learn":
            key, t = (state.line_string, board), self.iterations
            regrets = self.regrets.get(key, np.zeros_like(children))
            gains = np.zeros_like(children)
            gains[:, numbers] = children[:, numbers] - value[:, None]
            regrets = regrets + self._shared(board, gains)
            keep_positive, keep_negative = self.schedule.kept(t)
            self.regrets[key] = np.where(regrets > 0, keep_positive, keep_negative) * regrets
            sums = self.sums.get(key, np.zeros_like(children))
            self.sums[key] = sums + self._shared(board, self.schedule.weight(t) * own[:, None] * played)
        return value * live

    def _shared(self, board, values):
        """Sums of ``(hands, 3)`` over the hands that share a row; each hand gets the sum."""
        if not self.by_strength or len(board) < sum(self.game.num_board_cards):
            return values
        strength = strengths(np.array([board], np.uint8), self.hands)[0] * self.spot.held
        alike = (strength[:, None] == strength) & (strength > 0)
        return alike @ values

    def _deal(self, state, board, reach, own, seat, mode):
        new = state.num_board_cards - len(board)
        rest = [card for card in self.game.deck.tolist() if card not in board]
        ways = comb(len(rest) - 2 * self.game.num_hole_cards, new)
        values = np.zeros(len(self.hands))
        for cards in combinations(rest, new):
            free = np.array([not set(hand) & set(cards) for hand in self.hands.tolist()])
            values += self._visit(state, board + cards, reach * free / ways, own * free, seat, mode)
        return values

    def _payoff(self, state, board, reach, seat):
        live = np.array([not set(hand) & set(board) for hand in self.hands.tolist()])
        if state.folded is not None:
            chips = state.stakes[state.folded]
            return (-chips if state.folded == seat else chips) * (self.compatible @ reach) * live
        strength = strengths(np.array([board], np.uint8), self.hands)[0].astype(int)
        won = np.sign(strength[:, None] - strength[None, :]) * self.compatible
        return state.stakes[seat] * (won @ (reach * live)) * live
