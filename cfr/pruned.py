"""What follows the first round against a fixed strategy, without the lines that are never taken."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from threading import local

import numpy as np
from tqdm import tqdm

from cfr.deals import Boards
from cfr.memory import check_fits
from cfr.opening import Opening
from cfr.plans import Advance, Source, Target, plan_tables
from cfr.traversal import Mode, Tables, Traversal
from cfr.tree import Tree, build_tree

_BESIDE = 400_000_000  # bytes: what is read at a time, and threads' boards

Seated = tuple[Source, Source]  # what the big blind plays, and what the button does
_Wanted = tuple[Source, Target]


class PrunedTree:
    """The rounds after the first one, for one traverser; :func:`prune` makes them.

    Args:
        tree: the whole tree.
        opening: its first round.
        seat: the traverser.
        mutual: leave out, too, where the traverser itself never comes: enough for mode ``average``.

    Attributes:
        seat: the traverser.
        leaves: ``(n,)`` leaves of the first round at which the opponent, or if mutual both, arrive with some hand.
        tree: the rounds that follow these leaves, the second one being number 0; None if there are none.
        tables: per round of it, both seats' realisation plans.
    """

    def __init__(self, tree: Tree, opening: Opening, seat: int, mutual: bool = False) -> None:
        self.seat = seat
        arrives = [each.any(axis=1) for each in opening.reach]
        self.leaves = np.flatnonzero(arrives[0] & arrives[1] if mutual else arrives[1 - seat])
        self.tree = build_tree(tree.game, tree.lanes, 1, self.leaves.tolist()) if len(self.leaves) else None
        self.tables: list[Tables] = []
        self._opening = opening
        self._of_thread = local()

    def traverse(self, below: Sequence[Boards | None], mode: Mode, scale: float) -> np.ndarray:
        """``(leaves, hands)`` chips that the traverser's hands win below a first board after each leaf.

        By the opponent's reach, and times ``scale``; 0 at leaves that are not among :attr:`leaves`.
        Threads may do this side by side.

        Args:
            below: per round of the game, the board and all that follow it.
            mode: ``average`` or ``best``, or ``measure``, which gives ``(leaves, 2 * hands)``.
            scale: the probability of the board.
        """
        reach = self._opening.reach
        hands = reach.shape[2]
        result = np.zeros((self._opening.leaves, 2 * hands if mode == "measure" else hands))
        if self.tree is None:
            return result
        dtype = self.tables[0][0].dtype
        if not hasattr(self._of_thread, "traversal"):  # its scratch memory is for one thread
            self._of_thread.traversal = Traversal(self.tree, 1, dtype)
        entering = np.zeros((2, self.tree.rounds[0].stride, hands), dtype)
        entering[:, : len(self.leaves)] = reach[:, self.leaves]
        values = self._of_thread.traversal.run_round(0, below[1:], self.tables, self.seat, mode, entering, scale=scale)
        result[self.leaves] = values[: len(self.leaves)]
        return result


def prune(
    tree: Tree,
    seated: Sequence[Seated],
    openings: Sequence[Opening],
    dtype: np.dtype | type,
    progress: bool = False,
    mutual: bool = False,
) -> list[PrunedTree]:
    """What either traverser goes through, first the big blind, then the button.

    Strategies are read once, slice by slice, and of their lines only those that are needed are kept.

    Args:
        tree: the whole tree.
        seated: for either traverser, what both seats play.
        openings: for either traverser, the first round.
        dtype: of the tables.
        progress: show a bar on stderr meanwhile.
        mutual: see :class:`PrunedTree`.

    Raises:
        CfrError: there is too little memory.
    """
    pruned = [PrunedTree(tree, opening, seat, mutual) for seat, opening in enumerate(openings)]
    distinct = [(each, each.tree, both) for each, both in zip(pruned, seated, strict=True) if each.tree is not None]
    if seated[0] == seated[1] and np.array_equal(pruned[0].leaves, pruned[1].leaves):  # the same tables serve both
        pruned[1].tables = pruned[0].tables
        distinct = distinct[:1]
    wanted: list[list[_Wanted]] = [
        [
            (both[seat], Target(below, number - 1, seat, below.rounds[number - 1].betting_line))
            for _, below, both in distinct
            for seat in (0, 1)
        ]
        for number in range(1, tree.game.num_rounds)
    ]
    needed = sum(
        target.nbytes(_rows(some, number), dtype) for number, some in enumerate(wanted, 1) for _, target in some
    )
    check_fits(_BESIDE + needed, "measuring this strategy", "take one with fewer buckets, or a larger machine")
    sources = {source for both in seated for source in both}
    with tqdm(
        desc="reading the strategy",
        total=sum(prod(probabilities.shape) for source in sources for probabilities in source.rounds[1:]),
        unit="probabilities",
        unit_scale=True,
        disable=not progress,
        leave=False,
    ) as bar:
        for number, some in enumerate(wanted, 1):
            tables = _read(some, number, dtype, bar.update)
            for (each, _, _), big_blind, button in zip(distinct, tables[::2], tables[1::2], strict=True):
                each.tables.append((big_blind, button))
    return pruned


def _rows(wanted: Sequence[_Wanted], number: int) -> int:
    return max((source.rounds[number].shape[0] for source, _ in wanted), default=0)


def _read(wanted: Sequence[_Wanted], number: int, dtype: np.dtype | type, advance: Advance) -> list[np.ndarray]:
    """A table for each; where one strategy has a single row, it is repeated for those of the other."""
    made: dict[Target, np.ndarray] = {}
    for source in dict.fromkeys(source for source, _ in wanted):
        targets = [target for of, target in wanted if of is source]
        made.update(zip(targets, plan_tables(source.rounds[number], targets, dtype, advance), strict=True))
    count = _rows(wanted, number)
    tables = [made[target] for _, target in wanted]
    return [
        table if len(table) == count else np.ascontiguousarray(np.broadcast_to(table, (count, *table.shape[1:])))
        for table in tables
    ]
