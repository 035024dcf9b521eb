"""Both seats' work of an iteration against responding opponents, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from cfr.deals import Deal
from cfr.traversal import Prepared, Tables, Traversal
from cfr.tree import Tree

TOGETHER = 8  # visits at most, a fraction of a second, after which seats wait for each other

Chain = Sequence[Prepared]  # one after the other


@dataclass(frozen=True)
class Visit:
    """Arguments of :meth:`cfr.traversal.Prepared.run`."""

    root: int
    weight: float = 1.0
    kept: tuple[float, float] = (1.0, 0.0)


def run_chain(chain: Chain, visits: Sequence[Visit]) -> None:
    """Run all of a chain for one visit, then for the next."""
    for visit in visits:
        for traversal in chain:
            traversal.run(visit.root, weight=visit.weight, kept=visit.kept)


class Sides:
    """Runs the chain of each seat on a thread of its own, or several, where there are at least two.

    The seats share no table then: each learns against an opponent of its own.

    Args:
        tree: as :class:`cfr.traversal.Traversal` wants it.
        threads: of both seats together; the result does not depend on it.
        dtype: of tables.

    Attributes:
        traversals: what to prepare the two seats' chains with.
    """

    def __init__(self, tree: Tree, threads: int, dtype: np.dtype | type = np.float32) -> None:
        first = Traversal(tree, -(-threads // 2), dtype)
        self.traversals = (first, first if threads == 1 else Traversal(tree, threads // 2, dtype))
        self._other = ThreadPoolExecutor(1) if threads > 1 else None

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
        chains: list[Chain] = []
        for seat, traversal in enumerate(self.traversals):
            pairs = zip(regrets, [*responders, regrets[-1]], strict=True)
            tables = [(mine[0], other[1]) if seat == 0 else (other[0], mine[1]) for mine, other in pairs]
            sums = [pair[seat] for pair in averages]
            response = traversal.prepare(deal, tables, 1 - seat, "respond")
            chains.append([response, traversal.prepare(deal, tables, seat, "update", averages=sums, met=True)])
        return chains

    def run(self, chains: Sequence[Chain], visits: Sequence[Visit]) -> None:
        """Run both seats' chains; the more visits, the less one waits for the other.

        Ctrl-C in between leaves tables half updated.
        """
        waiting = [self._other.submit(run_chain, chain, visits) for chain in chains[1:]] if self._other else []
        for chain in chains[: len(chains) - len(waiting)]:
            run_chain(chain, visits)
        for each in waiting:
            each.result()
