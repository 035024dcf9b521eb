"""Leduc hold'em, history by history: the plainest CFR+, one deal and one action at a time.

Its sums are taken in the order of a walk through all histories, as textbook solvers take them; so its digits after 1000
iterations are theirs, where the kernel, which adds in another order, has drifted apart (docs/method.md).
"""

import numpy as np
import pytest

from cfr.game.betting import BettingTree, State
from cfr.game.evaluate import evaluate
from cfr.game.rules import Game
from cfr.kernel.reference import Reference
from tests.thorough import thorough

LEDUC = Game.bundled("leduc")
TERMINAL, CHANCE, DECISION = range(3)


class Histories:
    """CFR+ over the explicit tree; ``regrets`` and ``sums`` by (line, board, own card)."""

    def __init__(self) -> None:
        self.regrets: dict = {}
        self.sums: dict = {}
        self.policy: dict = {}
        cards = LEDUC.deck.tolist()
        root = BettingTree(LEDUC).root
        deals = [(1 / 6, (CHANCE, [(1 / 5, self._build(root, a, b, ())) for b in cards if b != a])) for a in cards]
        self.root = (CHANCE, deals)
        self.iteration = 0

    def _build(self, state: State, a: int, b: int, board: tuple[int, ...]) -> tuple:
        if state.is_over:
            winner = None
            if state.at_showdown:
                mine, theirs = (int(s) for s in evaluate([[a, *board], [b, *board]]))
                winner = None if mine == theirs else int(theirs > mine)
            return (TERMINAL, float(state.payoff(winner)[0]))
        if len(board) < state.num_board_cards:
            rest = [card for card in LEDUC.deck.tolist() if card not in (a, b)]
            return (CHANCE, [(1 / 4, self._build(state, a, b, (card,))) for card in rest])
        key = (state.line_string, board, a if state.actor == 0 else b)
        count = len(state.legal)
        self.regrets.setdefault(key, [0.0] * count)
        self.sums.setdefault(key, [0.0] * count)
        self.policy.setdefault(key, [1 / count] * count)
        return (DECISION, state.actor, key, [self._build(state.act(x), a, b, board) for x in state.legal])

    def iterate(self, until: int) -> None:
        while self.iteration < until:
            self.iteration += 1
            for seat in (0, 1):
                self._walk(self.root, 1.0, 1.0, 1.0, seat)
                for key, regrets in self.regrets.items():
                    regrets[:] = [max(regret, 0.0) for regret in regrets]
                    total = sum(regrets)
                    count = len(regrets)
                    self.policy[key] = [r / total for r in regrets] if total > 0 else [1 / count] * count

    def _walk(self, node: tuple, first: float, second: float, chance: float, seat: int) -> float:
        """The first seat's value of a history."""
        if node[0] == TERMINAL:
            return node[1]
        value = 0.0
        if node[0] == CHANCE:
            for odds, child in node[1]:
                value += odds * self._walk(child, first, second, chance * odds, seat)
            return value
        if first == 0 and second == 0:
            return 0.0
        _, actor, key, children = node
        policy, values = self.policy[key], []
        for played, child in zip(policy, children, strict=True):
            if actor == 0:
                values.append(self._walk(child, first * played, second, chance, seat))
            else:
                values.append(self._walk(child, first, second * played, chance, seat))
            value += played * values[-1]
        if actor == seat:
            sign, others, own = (1, second * chance, first) if actor == 0 else (-1, first * chance, second)
            regrets, sums = self.regrets[key], self.sums[key]
            for k, played in enumerate(policy):
                regrets[k] += others * (sign * (values[k] - value))
                sums[k] += self.iteration * own * played
        return value

    def exploitability(self) -> float:
        """In antes, by the reference's best response."""
        reference = Reference(LEDUC)
        cards = LEDUC.deck.tolist()
        for (line, board, card), sums in self.sums.items():
            table = reference.sums.setdefault((line, board), np.zeros((len(cards), len(sums))))
            table[cards.index(card)] = sums
        return reference.exploitability()


@pytest.mark.parametrize(
    ("iterations", "digits"),
    [(10, "0.610439"), *thorough((100, "0.013416")), pytest.param(1000, "0.000257152", marks=pytest.mark.slow)],
)
def test_the_published_digits(iterations, digits):
    solver = Histories()
    solver.iterate(iterations)
    assert f"{solver.exploitability():.6g}" == digits
