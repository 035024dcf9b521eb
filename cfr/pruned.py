"""What follows the first round against a fixed strategy, without the lines that the opponent never takes."""

from __future__ import annotations

from collections.abc import Sequence
from threading import local

import numpy as np

from cfr.deals import Boards
from cfr.opening import Opening
from cfr.plans import Plans
from cfr.traversal import Mode, Traversal
from cfr.tree import Tree, build_tree


class PrunedTree:
    """The rounds after the first one, for one traverser.

    Args:
        tree: the whole tree.
        plans: what both seats play in it.
        opening: its first round.
        seat: the traverser.

    Attributes:
        seat: the traverser.
        leaves: ``(n,)`` leaves of the first round at which the opponent arrives with some hand.
        tree: the rounds that follow these leaves, the second one being number 0; None if there are none.
        tables: per round of it, both seats' realisation plans; shared with ``plans`` where no line is left out.
    """

    def __init__(self, tree: Tree, plans: Plans, opening: Opening, seat: int) -> None:
        self.seat = seat
        self.leaves = np.flatnonzero(opening.reach[1 - seat].any(axis=1))
        self.tree: Tree | None = None
        self.tables: list[tuple[np.ndarray, np.ndarray]] = []
        self._opening = opening
        self._of_thread = local()
        if len(self.leaves):
            self.tree = build_tree(tree.game, tree.lanes, 1, self.leaves.tolist())
        if len(self.leaves) == opening.leaves:
            self.tables = plans.tables[1:]
        elif self.tree is not None:
            for number, round_ in enumerate(self.tree.rounds):
                pair = plans.tables[number + 1]
                taken = tree.by_line(pair, number + 1)[:, :, round_.betting_line]
                self.tables.append(self.tree.by_seat(taken, number, pair[0].dtype))

    def traverse(self, below: Sequence[Boards | None], mode: Mode, scale: float) -> np.ndarray:
        """``(leaves, hands)`` chips that the traverser's hands win below a first board after each leaf.

        By the opponent's reach, and times ``scale``; 0 where the opponent never is. Threads may do this side by side.

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
