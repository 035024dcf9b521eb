"""OpenSpiel's C++ CFR+ beside ours: average strategies and exploitability after every iteration."""

import numpy as np
import pytest

from cfr.abstraction.abstraction import Abstraction
from cfr.formats import openspiel
from cfr.game.rules import Game
from cfr.kernel.best_response import exploitability_mbb
from cfr.kernel.chance import enumerate_deal
from cfr.solver.game_solver import GameSolver
from cfr.solver.settings import Settings
from tests.kernel.test_reference import Histories

pyspiel = pytest.importorskip("pyspiel")
TabularPolicy = pytest.importorskip("open_spiel.python.policy").TabularPolicy

AGREES = 1e-9  # probabilities, and antes
# The kernel adds in another order than OpenSpiel: differences grow, past AGREES after about 100 iterations of Leduc.
KERNEL_FOLLOWS = 80


class Tables:
    """Where the information states of OpenSpiel are in the tables of our kernel.

    Attributes:
        states: their names, in a fixed order.
        spots: what they are here.
        starts: ``(states,)`` first of a state's entries where those of all states are one vector.
    """

    def __init__(self, name: str) -> None:
        self.game = Game.bundled(name)
        self.theirs = openspiel.load_game(self.game)
        abstraction = Abstraction.lossless(self.game)
        self.run = GameSolver(Settings(self.game, None, iterations=1, schedule="cfr+"), abstraction)
        rows = self.run.rows
        self._deal = enumerate_deal(self.game, rows)
        betting = self.run.traversal.tree.betting
        states = TabularPolicy(self.theirs).states
        self.states = [state.information_state_string() for state in states]
        self.spots = [openspiel.spot(betting, state) for state in states]
        self.starts = np.cumsum([0, *(len(spot.state.legal) for spot in self.spots)])[:-1]
        rounds = zip(rows.num_rows, betting.rounds, betting.num_lines, strict=True)
        self._shapes = [(count, shared.node_actions, lines) for count, shared, lines in rounds]
        first = np.cumsum([0, *(np.prod(shape) for shape in self._shapes)])
        places = []
        for hand, board, state in self.spots:
            numbers = betting.rounds[state.round].action_index[state.node]
            row, shape = rows.places[state.round][abstraction.place(hand, board)], self._shapes[state.round]
            places += [
                first[state.round] + np.ravel_multi_index((row, n, state.line), shape) for n in numbers if n >= 0
            ]
        self._places, self._size = np.array(places), first[-1]

    def kernel_average(self) -> np.ndarray:
        """The kernel's average strategy as one vector in the order of ``states``."""
        tree, averages = self.run.traversal.tree, self.run.averages
        merged = [tree.by_line(tables, r).reshape(-1) for r, tables in enumerate(averages)]
        return self.normalised(np.concatenate(merged)[self._places])

    def normalised(self, sums: np.ndarray) -> np.ndarray:
        counts = np.diff([*self.starts, len(sums)])
        total = np.repeat(np.add.reduceat(sums, self.starts), counts)
        return np.where(total > 0, sums / np.where(total > 0, total, 1), 1 / np.repeat(counts, counts))

    def exploitability(self, policy: np.ndarray) -> float:
        """In antes, by our kernel's best response to a vector in the order of ``states``."""
        flat = np.zeros(self._size)
        flat[self._places] = policy
        assert np.array_equal(flat[self._places], policy), "the suits play differently"
        tree, tables, first = self.run.traversal.tree, [], 0
        for r, shape in enumerate(self._shapes):
            merged = flat[first : first + np.prod(shape)].reshape(shape)
            tables.append(tree.by_seat(merged, r, np.float64))
            first += merged.size
        return exploitability_mbb(self.run.traversal, self._deal, tables) * self.game.big_blind / 1000


class OpenSpiel:
    """Its CFR+ in C++."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._solver = pyspiel.CFRPlusSolver(tables.theirs)

    def iterate(self) -> None:
        self._solver.evaluate_and_update_policy()

    def average(self) -> np.ndarray:
        found = self._solver.tabular_average_policy().policy_table()
        return np.array([played for state in self._tables.states for _, played in sorted(found[state])])

    def exploitability(self) -> float:
        """In antes; OpenSpiel's best response as well."""
        return pyspiel.exploitability(self._tables.theirs, self._solver.tabular_average_policy())


def assert_walk_follows(tables: Tables, iterations: int, measured_every: int, kernel_until: int) -> None:
    """Leduc at every iteration: the walk through all histories, the kernel and OpenSpiel."""
    walk, theirs = Histories(), OpenSpiel(tables)
    keys = [(state.line_string, board, hand[0]) for hand, board, state in tables.spots]
    for iteration in range(1, iterations + 1):
        walk.iterate(iteration)
        theirs.iterate()
        expected = theirs.average()
        ours = {"walk": tables.normalised(np.concatenate([walk.sums[key] for key in keys]))}
        if iteration <= kernel_until:
            tables.run.step()
            ours["kernel"] = tables.kernel_average()
        for name, policy in ours.items():
            assert np.abs(policy - expected).max() <= AGREES, f"{name}, iteration {iteration}"
        if iteration <= 10 or iteration % measured_every == 0:
            antes = theirs.exploitability()
            for name, policy in ours.items():
                assert abs(tables.exploitability(policy) - antes) <= AGREES, f"{name}, iteration {iteration}"


def test_kuhn_solved_beside_openspiel_at_every_iteration():
    tables = Tables("kuhn")
    theirs = OpenSpiel(tables)
    for iteration in range(1, 1001):
        tables.run.step()
        theirs.iterate()
        assert np.abs(tables.kernel_average() - theirs.average()).max() <= AGREES, iteration
        assert abs(tables.run.exploitability_mbb() / 1000 - theirs.exploitability()) <= AGREES, iteration


@pytest.mark.thorough
def test_leduc_solved_beside_openspiel_at_every_iteration():
    assert_walk_follows(Tables("leduc"), KERNEL_FOLLOWS, measured_every=20, kernel_until=KERNEL_FOLLOWS)


@pytest.mark.slow
def test_leduc_solved_beside_openspiel_for_1000_iterations():
    assert_walk_follows(Tables("leduc"), 1000, measured_every=1, kernel_until=KERNEL_FOLLOWS)
