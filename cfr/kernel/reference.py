"""The slow plain reference for the traversal kernel: the same values from short code.

The reference walks every betting line and every board one by one, in float64, with a full matrix of hands against hands
at the end of each. Kernel and reference share the rules alone. Tests compare both on small games.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import BettingTree, State
from cfr.game.evaluate import strengths
from cfr.game.rules import Game

Board = tuple[int, ...]
Floats = NDArray[np.float64]
Table = dict[tuple[str, Board], Floats]
Variant = Literal["cfr", "cfr+", "linear", "dcfr", "hs-dcfr", "pcfr+"]
Rows = Callable[[int, Board], NDArray[np.int32]]


class Reference:
    """Counterfactual regret minimisation and best response on a small game.

    Args:
        game: the rules.
        rows: row of every hand on a board, ``rows(round, board) -> (hands,)``, -1 for hands that collide with it; hands
            with equal rows share regrets. By default every hand of every board has its own row.
        schedule: how regrets and the average accumulate, exactly as in the paper, without rescaling.

    Attributes:
        regrets: ``{(line, board): (hands, actions)}``, created when first visited; with ``rows`` it is
            ``{(line, ()): (rows, actions)}``.
        predictions: regrets of the last iteration alone, of the same form, for predictive CFR+.
        sums: sums of the average strategy, of the same form.
        choices: ``{line: (hands, actions)}`` actions of each hand in the last round of the last response.
    """

    def __init__(self, game: Game, rows: Rows | None = None, schedule: Variant = "cfr+") -> None:
        self.game = game
        self.betting = BettingTree(game)
        self.hands = game.hands
        disjoint = (self.hands[:, None, :, None] != self.hands[None, :, None, :]).all(axis=(2, 3))
        self._compatible = disjoint.astype(float)
        self._rows = rows
        self._schedule = schedule
        self.regrets: Table = {}
        self.predictions: Table = {}
        self.sums: Table = {}
        self.choices: dict[str, Floats] = {}
        self._live = lru_cache(1 << 12)(self._find_live)
        self._outcomes = lru_cache(1 << 12)(self._find_outcomes)

    def update(self, seat: int, iteration: float = 1.0, board: Board | None = None) -> Floats:
        """Iteration ``iteration`` of ``seat``, over all boards or over the full ``board``: ``(hands,)`` values."""
        return self._start(seat, "update", iteration, board)

    def respond(self, seat: int, iteration: float, board: Board) -> Floats:
        """Like :meth:`update` on one board, but the seat chooses in the last round and keeps its ``choices``.

        Hands that tie and share a row choose together what is best for their sum.
        """
        self.choices = {}
        return self._start(seat, "respond", iteration, board)

    def meet(self, seat: int, iteration: float, board: Board) -> Floats:
        """Like :meth:`update` on one board, but the other seat plays its ``choices`` in the last round."""
        return self._start(seat, "meet", iteration, board)

    def average(self, seat: int, board: Board | None = None) -> Floats:
        """Value of each of the seat's hands when both seats play their average strategies."""
        return self._start(seat, "average", 0.0, board)

    def best(self, seat: int, board: Board | None = None) -> Floats:
        """Value of each of the seat's hands when the seat plays best against the other seat's average strategy."""
        return self._start(seat, "best", 0.0, board)

    def exploitability(self) -> float:
        """Exploitability of the average strategy, in chips per game."""
        return float(self.best(0).mean() + self.best(1).mean()) / 2

    def strategy(self, state: State, board: Board, kind: Literal["regrets", "sums"] = "sums") -> Floats:
        """``(hands, legal actions)`` probabilities at a node; rows of colliding hands are uniform."""
        rows = self._read(self.regrets if kind == "regrets" else self.sums, state, board)
        if kind == "regrets" and self.predictions:
            rows = rows + self._read(self.predictions, state, board)
        positive = np.maximum(rows, 0)
        total = positive.sum(axis=1, keepdims=True)
        return np.where(total > 0, positive / np.where(total > 0, total, 1), 1 / rows.shape[1])

    def _start(self, seat: int, mode: str, iteration: float, board: Board | None) -> Floats:
        ones = np.ones(len(self.hands))
        hole, deck = self.game.num_hole_cards, len(self.game.deck)
        values = self._visit(self.betting.root, (), ones, ones, seat, mode, iteration, board)
        return values / comb(deck - hole, hole)

    def _place(self, state: State, board: Board) -> tuple[tuple[str, Board], NDArray[np.intp]]:
        """The table of a node on a board, and each hand's row there."""
        if self._rows is None:
            return (state.line_string, board), np.arange(len(self.hands))
        return (state.line_string, ()), self._rows(state.round, board).astype(np.intp)

    def _read(self, table: Table, state: State, board: Board) -> Floats:
        """``(hands, legal actions)`` numbers of a node; 0 where nothing was learnt."""
        key, rows = self._place(state, board)
        learnt = table.get(key, np.zeros((0, len(state.legal))))
        found = np.zeros((len(rows), len(state.legal)))
        known = (rows >= 0) & (rows < len(learnt))
        found[known] = learnt[rows[known]]
        return found

    def _find_live(self, board: Board) -> NDArray[np.bool_]:
        live: NDArray[np.bool_] = np.logical_not(np.isin(self.hands, board).any(axis=1))
        return live

    def _find_outcomes(self, board: Board) -> Floats:
        """``(hands, hands)`` 1 where the first hand wins a showdown, -1 where it loses, 0 for a tie or a collision."""
        strength = strengths(np.array([board], dtype=np.uint8).reshape(1, -1), self.hands)[0].astype(int)
        return np.asarray(np.sign(strength[:, None] - strength[None, :]) * self._compatible)

    def _visit(
        self,
        state: State,
        board: Board,
        reach: Floats,
        own: Floats,
        seat: int,
        mode: str,
        iteration: float,
        full: Board | None,
    ) -> Floats:
        live = self._live(board)
        reach, own = reach * live, own * live
        if state.is_over:
            return live * self._payoff(state, board, reach, seat)
        if sum(self.game.num_board_cards[: state.round + 1]) > len(board):
            return live * self._deal(state, board, reach, own, seat, mode, iteration, full)
        kind: Literal["regrets", "sums"] = "sums" if mode in ("average", "best") else "regrets"
        strategy = self.strategy(state, board, kind)
        is_last = state.round == self.game.num_rounds - 1
        if mode == "meet" and is_last and state.actor != seat:
            strategy = self.choices[state.line_string]
        values = np.zeros((len(self.hands), len(state.legal)))
        for a, action in enumerate(state.legal):
            played = strategy[:, a]
            theirs, mine = (reach, own * played) if state.actor == seat else (reach * played, own)
            values[:, a] = self._visit(state.act(action), board, theirs, mine, seat, mode, iteration, full)
        if state.actor != seat:
            return np.asarray(values.sum(axis=1))
        if mode == "respond" and is_last:
            chosen = _pure(self._together(state, board, values), state.legal.index("c"))
            self.choices[state.line_string] = chosen
            return np.asarray((chosen * values).sum(axis=1))
        if mode == "best":
            return np.asarray(values.max(axis=1))
        value: Floats = (strategy * values).sum(axis=1)
        if mode != "average":
            # A hand that collides with a later card of a sampled board has no value to learn from.
            updated = live if full is None else self._live(full)
            self._learn(state, board, values - value[:, None], strategy * own[:, None], iteration, updated)
        return value

    def _together(self, state: State, board: Board, values: Floats) -> Floats:
        """The sums of values over the hands that tie and share a row, for each of these hands."""
        strength = strengths(np.array([board], dtype=np.uint8), self.hands)[0].astype(np.int64)
        rows = self._place(state, board)[1]
        _, cell = np.unique(np.column_stack([strength, rows]), axis=0, return_inverse=True)
        sums = np.zeros((int(cell.max()) + 1, values.shape[1]))
        np.add.at(sums, cell.reshape(-1), values)
        found: Floats = sums[cell.reshape(-1)]
        return found

    def _learn(
        self, state: State, board: Board, gain: Floats, played: Floats, iteration: float, updated: NDArray[np.bool_]
    ) -> None:
        key, rows = self._place(state, board)
        rows = rows[updated]
        touched, which = np.unique(rows, return_inverse=True)
        added = np.zeros((2, len(touched), len(state.legal)))
        np.add.at(added[0], which, gain[updated])
        np.add.at(added[1], which, played[updated])
        regrets, sums = (
            _grown(table, key, int(rows.max(initial=-1)) + 1, added) for table in (self.regrets, self.sums)
        )
        regrets[touched] = self._more_regrets(regrets[touched], added[0], iteration)
        sums[touched] = self._more_sums(sums[touched], added[1], iteration)
        if self._schedule == "pcfr+":
            _grown(self.predictions, key, len(regrets), added)[touched] = added[0]

    def _more_regrets(self, before: Floats, gain: Floats, iteration: float) -> Floats:
        after: Floats = before + gain
        match self._schedule:
            case "cfr":
                return after
            case "cfr+" | "pcfr+":
                return np.maximum(after, 0)
            case "linear":
                return before + iteration * gain
            case "dcfr":
                return after * np.where(after > 0, iteration**1.5 / (iteration**1.5 + 1), 1 / 2)
            case "hs-dcfr":
                alpha = 1 + iteration / 50
                return after * np.where(after > 0, iteration**alpha / (iteration**alpha + 1), 1 / (iteration**2 + 1))

    def _more_sums(self, before: Floats, played: Floats, iteration: float) -> Floats:
        match self._schedule:
            case "cfr":
                return before + played
            case "cfr+" | "linear":
                return before + iteration * played
            case "dcfr":
                return before * ((iteration - 1) / iteration) ** 2 + played
            case "hs-dcfr":
                return before + iteration**5 * played
            case "pcfr+":
                return before + iteration**2 * played

    def _deal(
        self,
        state: State,
        board: Board,
        reach: Floats,
        own: Floats,
        seat: int,
        mode: str,
        iteration: float,
        full: Board | None,
    ) -> Floats:
        new = self.game.num_board_cards[state.round]
        hole, unseen = self.game.num_hole_cards, len(self.game.deck) - len(board)
        ways = comb(unseen - 2 * hole, new)
        if full is not None:
            # The own hand leaves C(unseen - hole, new) equally likely boards; this board is one of them.
            odds = comb(unseen - hole, new) / ways
            longer = full[: len(board) + new]
            return self._visit(state, longer, reach * odds, own * odds, seat, mode, iteration, full)
        rest = [int(card) for card in self.game.deck if card not in board]
        values = np.zeros(len(self.hands))
        for cards in combinations(rest, new):
            values += self._visit(state, board + cards, reach / ways, own / ways, seat, mode, iteration, full)
        return values

    def _payoff(self, state: State, board: Board, reach: Floats, seat: int) -> Floats:
        if state.folded is not None:
            chips = state.stakes[state.folded]
            return np.asarray((-chips if state.folded == seat else chips) * (self._compatible @ reach))
        return np.asarray(state.stakes[seat] * (self._outcomes(board) @ reach))


def _grown(table: Table, key: tuple[str, Board], rows: int, added: Floats) -> Floats:
    """A node's table with at least so many rows, the new ones 0."""
    known = table.get(key, np.zeros((0, added.shape[-1])))
    if len(known) < rows:
        known = table[key] = np.concatenate([known, np.zeros((rows - len(known), added.shape[-1]))])
    return known


def _pure(values: Floats, call: int) -> Floats:
    """``(hands, actions)`` 1 at the best action; ties go to the call."""
    best = np.where(values[:, call] == values.max(axis=1), call, values.argmax(axis=1))
    return np.eye(values.shape[1])[best]
