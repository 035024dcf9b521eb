"""Games small enough to enumerate, a solver of them by the kernel, and walks over all that there is in them."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

import numpy as np

from cfr.abstraction.abstraction import Abstraction
from cfr.game.betting import BettingTree, State
from cfr.game.rules import Game
from cfr.hands.isomorphism import collisions
from cfr.kernel.best_response import measure
from cfr.kernel.chance import enumerate_deal
from cfr.kernel.tables import Rows, Tables
from cfr.kernel.traversal import Traversal, Visit, layout


def short_deck(name: str, suits: int, ranks: int, boards: tuple[int, ...], caps: tuple[int, ...]) -> Game:
    rounds = len(boards)
    first = (1,) + (0,) * (rounds - 1)
    return Game(name, (2, 1), (2, 4, 4, 4)[:rounds], first, caps, suits, ranks, 2, boards)


GAMES = {
    "kuhn": Game.bundled("kuhn"),
    "leduc": Game.bundled("leduc"),
    "two rounds": short_deck("two rounds", 3, 3, (0, 3), (2, 1)),
    "three rounds": short_deck("three rounds", 2, 4, (0, 3, 1), (1, 1, 1)),
    "four bets": short_deck("four bets", 3, 3, (0, 3), (1, 4)),
}


class Solver:
    """CFR+ by the kernel on a lossless game, or with the rows of ``tables``."""

    def __init__(self, game: Game, threads: int = 1, dtype: type = np.float64, tables: Rows | None = None) -> None:
        self.abstraction = Abstraction.lossless(game)
        self.deal = enumerate_deal(game, self.abstraction)
        self.traversal = Traversal(layout(game, dtype), threads, dtype)
        num_rows = (tables or self.abstraction).num_rows
        self.regrets, self.averages = (self.traversal.zeros(num_rows) for _ in range(2))
        self.iteration = 0

    def iterate(self, times: int) -> list[np.ndarray]:
        values = []
        for _ in range(times):
            self.iteration += 1
            for seat in (0, 1):
                sums = [tables[seat] for tables in self.averages]
                values.append(
                    self.traversal.run(
                        self.deal, self.regrets, seat, "update", Visit(weight=float(self.iteration)), averages=sums
                    )
                )
        return values

    def exploitability(self) -> float:
        """In chips."""
        chips = measure(self.traversal, self.deal, self.averages).exploitability
        return chips * self.traversal.tree.game.big_blind / 1000


def states(betting: BettingTree) -> Iterator[State]:
    """Every point where a seat acts."""
    waiting = [betting.root]
    while waiting:
        state = waiting.pop()
        if not state.is_over:
            yield state
            waiting += [state.act(action) for action in state.legal]


def all_boards(game: Game, round_: int) -> list[tuple[int, ...]]:
    """Every board as dealt, each round's cards ascending."""
    boards: list[tuple[int, ...]] = [()]
    for new in game.num_board_cards[1 : round_ + 1]:
        boards = [
            (*board, *cards)
            for board in boards
            for cards in combinations([int(c) for c in game.deck if c not in board], new)
        ]
    return boards


def opponents(game: Game) -> int:
    """Hands the opponent may hold; the kernel's tables take the mean over them, the twin's the sum."""
    return comb(len(game.deck) - game.num_hole_cards, game.num_hole_cards)


def of_hands(game: Game, hands: np.ndarray, values: np.ndarray) -> np.ndarray:
    """``(H, actions)`` values of some hands as those of all hands; the others have 0."""
    found = np.zeros((game.num_hands, values.shape[1]))
    found[hands] = values
    return found


def randomise(tables: Sequence[Tables], rng: np.random.Generator) -> None:
    """Regrets without ties: where actions are exactly as good as each other, rounding would choose between them."""
    for pair in tables:
        for table in pair:
            table[...] = rng.random(table.shape)


class Nodes:
    """The rows of any node of a solver's tables."""

    def __init__(self, solver: Solver, tables: Sequence[Tables]) -> None:
        self._tree = solver.traversal.tree
        self._merged = [self._tree.by_line(pair, r) for r, pair in enumerate(tables)]

    def __call__(self, state: State, rows: np.ndarray) -> np.ndarray:
        """``(rows, actions)`` values."""
        numbers = self._tree.betting.rounds[state.round].action_index[state.node]
        found: np.ndarray = self._merged[state.round][rows[:, None], numbers[numbers >= 0], state.line]
        return found


class Coarse:
    """Another abstraction's rows, taken together by remainder."""

    separates_boards = False

    def __init__(self, fine: Rows, rows: int) -> None:
        self._fine = fine
        self.num_rows = tuple(min(rows, n) for n in fine.num_rows)

    def rows(self, round_: int, boards: np.ndarray, threads: int = 1) -> np.ndarray:
        rows = self._fine.rows(round_, boards)
        return np.where(rows < 0, -1, rows % self.num_rows[round_]).astype(np.int32)


class Scattered:
    """Some row for every hand."""

    separates_boards = False

    def __init__(self, game: Game) -> None:
        self._game = game
        self.num_rows = (1000,) * game.num_rounds

    def rows(self, round_: int, boards: np.ndarray, threads: int = 1) -> np.ndarray:
        blocked = collisions(boards, self._game.hands)
        return np.where(blocked, -1, (np.arange(self._game.num_hands) * 7919 + round_) % 1000).astype(np.int32)
