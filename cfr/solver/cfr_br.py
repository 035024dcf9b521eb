"""CFR-BR: each seat learns against a responding opponent. The two solves run side by side and share only the boards."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from cfr.game.betting import BettingTree
from cfr.game.rules import Game
from cfr.kernel.chance import Deal
from cfr.kernel.tables import Tables
from cfr.kernel.traversal import Prepared, Traversal, Visit, layout, zeros
from cfr.kernel.tree import Tree

_BOARD = 200  # a visit takes about as long as so many river lines, and its own lines
TOGETHER = 8  # iterations at most, a fraction of a second, after which seats wait for each other

Chain = Sequence[Prepared]  # one after the other


def run_chain(chain: Chain, visits: Sequence[Visit], is_batch: bool = False) -> None:
    """Run all of a chain for one visit, then for the next; or each traversal for all visits, as a batch."""
    if is_batch:
        for traversal in chain:
            traversal.run_batch(visits)
        return
    for visit in visits:
        for traversal in chain:
            traversal.run(visit)


class Sides:
    """Runs each seat's chain on threads of its own, if there are at least two threads.

    The seats share no table. Each learns against an opponent of its own, in a tree without the lines that it never
    takes.
    The seat of the smaller tree visits more boards in an iteration, so that neither seat waits.

    Args:
        game: the rules.
        threads: of both seats together; the result does not depend on it.
        never: lines of the first round; the seat that ends one never takes it, its opponent may.
        dtype: of reach and values.
        ends: boards of the last round below each root.
        table_dtype: of tables, if not ``dtype``.
        batch: how many iterations :meth:`run` takes side by side; 1 takes them one after the other.

    Attributes:
        trees: of each seat's learning, its own tables and those of its opponent.
        visited: how many boards each seat visits in an iteration.
        boards: that are sampled for an iteration; each seat visits the first of them.

    Raises:
        IllegalActionError, MalformedTextError: text that is no line, or lines that leave only a fold.
    """

    def __init__(
        self,
        game: Game,
        threads: int,
        never: Collection[str] = (),
        dtype: np.dtype | type = np.float32,
        ends: int = 1,
        table_dtype: np.dtype | type | None = None,
        batch: int = 1,
    ) -> None:
        betting = BettingTree(game)
        self._is_batch = batch > 1
        self._table_dtype = np.dtype(dtype if table_dtype is None else table_dtype)
        own: tuple[list[str], list[str]] = ([], [])
        for line in never:
            own[betting.parse(line[:-1]).actor].append(line)
        self.trees = (layout(game, dtype, own[0]), layout(game, dtype, own[1]))
        work = [_BOARD + len(tree.rounds[-1].betting_line) for tree in self.trees]
        self.visited = [round(max(work) / each) for each in work]
        self.boards = max(self.visited)
        self._traversals = [
            Traversal(tree, max(1, part), dtype, ends, batch=batch * visited if self._is_batch else 1)
            for tree, part, visited in zip(self.trees, (-(-threads // 2), threads // 2), self.visited, strict=True)
        ]
        self._other = ThreadPoolExecutor(1) if threads > 1 else None
        self._unread: list[np.ndarray] = []  # what stands for the opponents' tables of the last round

    def zeros(self, num_rows: Sequence[int]) -> list[Tables]:
        """Empty tables of both seats' own play, per round."""
        return zeros(self.trees, num_rows, [self._table_dtype] * len(num_rows))

    def opponents_zeros(self, num_rows: Sequence[int]) -> list[Tables]:
        """Empty tables of both seats' opponents, per round but the last, in which they choose afresh."""
        return zeros(self.trees[::-1], num_rows[:-1], [self._table_dtype] * len(num_rows))

    def own(self, tables: Sequence[Tables], whole: Tree) -> list[Tables]:
        """Each seat's own tables, laid out by the whole tree so far, in its own."""
        return [self._taken_over(pair, r, whole, self.trees) for r, pair in enumerate(tables)]

    def opponents(self, tables: Sequence[Tables], whole: Tree) -> list[Tables]:
        """Opponents that begin with these tables, without the last round's."""
        return [self._taken_over(pair, r, whole, self.trees[::-1]) for r, pair in enumerate(tables[:-1])]

    @staticmethod
    def _taken_over(pair: Tables, round_: int, whole: Tree, trees: tuple[Tree, Tree]) -> Tables:
        return trees[0].taken_over(pair[0], round_, 0, whole), trees[1].taken_over(pair[1], round_, 1, whole)

    def prepare(
        self, deal: Deal, regrets: Sequence[Tables], responders: Sequence[Tables], averages: Sequence[Tables]
    ) -> list[Chain]:
        """Each seat's chain on these boards: its opponent's response, then its own update.

        Args:
            deal: sampled boards.
            regrets: per round, both seats' tables.
            responders: per round but the last, those of the opponents by their seat; in the last they choose afresh.
            averages: per round, both seats' average-strategy sums.
        """
        if not self._unread:
            last, rows = len(regrets) - 1, len(regrets[-1][0])
            shapes = [tree.table_shape(last, 1 - s, rows, self._table_dtype) for s, tree in enumerate(self.trees)]
            self._unread = [np.empty(shape, self._table_dtype) for shape in shapes]
        chains: list[Chain] = []
        for seat, traversal in enumerate(self._traversals):
            own = [pair[seat] for pair in regrets]
            other = [*(pair[1 - seat] for pair in responders), self._unread[seat]]
            tables: list[Tables] = [
                (mine, theirs) if seat == 0 else (theirs, mine) for mine, theirs in zip(own, other, strict=True)
            ]
            sums = [pair[seat] for pair in averages]
            response = traversal.prepare(deal, tables, 1 - seat, "respond")
            chains.append([response, traversal.prepare(deal, tables, seat, "update", averages=sums, met=True)])
        return chains

    def visits(self, iterations: Sequence[Visit]) -> list[list[Visit]]:
        """Each seat's visits in some iterations, each of which begins at the first of its boards."""
        return [
            [
                replace(first, root=first.root + board, seed=(first.seed + board) % (1 << 32))
                for first in iterations
                for board in range(visited)
            ]
            for visited in self.visited
        ]

    def run(
        self, chains: Sequence[Chain], iterations: Sequence[Visit], meanwhile: Callable[[int], object] | None = None
    ) -> None:
        """Run both seats' chains for some iterations; with more of them, one seat waits less for the other.

        An exception in between leaves tables half updated.

        Args:
            chains: from :meth:`prepare`.
            iterations: as :meth:`visits` takes them; at most ``batch``, if that is more than 1.
            meanwhile: what else there is to do, on so many threads: the button's, which without limps have less work.
        """
        visits = self.visits(iterations)

        def second() -> None:
            run_chain(chains[1], visits[1], self._is_batch)
            if meanwhile is not None:
                meanwhile(self._traversals[1].threads)

        if self._other is None:
            run_chain(chains[0], visits[0], self._is_batch)
            second()
        else:
            waiting = self._other.submit(second)
            run_chain(chains[0], visits[0], self._is_batch)
            waiting.result()
