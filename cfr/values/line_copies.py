"""The subgame that begins at a spot, in one pass of the kernel: its lanes are copies of the spot's betting line.

Each copy has its own strategy: one copy takes the first action at the spot, one the second, and so on. The last copy
checks and calls to the end and gives equity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import State
from cfr.game.betting_round import ACTIONS
from cfr.kernel.builds import lanes
from cfr.kernel.chance import enumerate_below
from cfr.kernel.tables import Source
from cfr.kernel.traversal import Traversal
from cfr.kernel.tree import build_tree
from cfr.strategy.realisation import Target, plan_tables
from cfr.strategy.strategy import BaseStrategy, Floats
from cfr.system.progress import Progress
from cfr.values.used_rows import UsedRows

_CALL = 1
_AS_PLAYED = ""  # a copy that plays the strategy at the spot, too; other copies name the action there
_BOARDS_AT_A_TIME = 100  # of the last round, between two reports of progress
_DEALT, _READ = 0.12, 0.38  # rough shares of the time of a flop spot; the traversal takes the rest


def copies_of(state: State, seat: int) -> list[str]:
    """The action of each copy of the line at the spot; the last copy checks and calls to the end."""
    return [*([a for a in state.legal if a != "f"] if seat == state.actor else [_AS_PLAYED]), "c"]


def play_copies(
    strategy: BaseStrategy,
    state: State,
    board: Sequence[int],
    seat: int,
    reach: Floats,
    progress: Progress | None = None,
) -> Floats:
    """``(copies, H)`` chips that each hand of a seat wins on each of :func:`copies_of` the line.

    Args:
        strategy: a file or a built-in.
        state: the spot, of any round.
        board: the cards dealt so far.
        seat: the seat of the hands.
        reach: ``(2, H)`` reach of each seat's hands; chips are sums over the opponent's hands by their reach.
        progress: hears the share of the work that is done.
    """
    game, copies = strategy.game, copies_of(state, seat)
    done = 0.0

    def advance(share: float) -> None:
        nonlocal done
        done += share
        if progress is not None:
            progress(min(done, 1.0))

    source = strategy.source
    used = UsedRows(source.rows)
    boards = enumerate_below(game, used, np.array(board, np.uint8), strategy.is_suit_blind)
    advance(_DEALT)
    path = state.line_string.rpartition("/")[2]
    tree = build_tree(game, lanes(np.float64), state.round, [state.line] * len(copies), path=path)
    tables = [
        _Probabilities(state, number, copies, used.of_round[state.round + number], current.betting_line, source)
        for number, current in enumerate(tree.rounds)
    ]
    part = _READ / sum(prod(table.shape) for table in tables)
    plans = []
    for number, table in enumerate(tables):
        targets = [Target(tree, number, each) for each in (0, 1)]
        first, second = plan_tables(table, targets, np.float64, lambda probabilities: advance(part * probabilities))
        plans.append((first, second))
    entering = np.zeros((2, tree.rounds[0].stride, game.num_hands))
    entering[:, : len(copies)] = reach[:, None]
    traversal = Traversal(tree, 1, np.float64)

    def play(first: int, last: int) -> Floats:
        """Play the spot's round and only the boards ``first:last`` of the next round."""
        some = [replace(boards[0], first_child=np.array([first, last], np.int32)), *boards[1:]]
        won: Floats = traversal.run_round(0, some, plans, seat, "average", entering, scale=1.0)[: len(copies)]
        advance((1 - _DEALT - _READ) * (last - first) / max(children, 1))
        return won

    children = int(boards[0].first_child[1])
    parts = max(1, min(children, len(boards[-1].cards) // _BOARDS_AT_A_TIME))
    ends = np.linspace(0, children, parts + 1).astype(int).tolist()
    chips = play(0, ends[1])
    if parts > 1:
        already = play(0, 0)  # chips from the spot's round itself
        for start, end in pairwise(ends[1:]):
            chips += play(start, end) - already
    return chips


class _Probabilities:
    """One round's probabilities on the copies of the spot's line and the lines that follow it.

    Slices are ``(rows, node_actions, lines)``. The tree has one way to the spot, and reach includes its actions.
    """

    def __init__(
        self,
        state: State,
        number: int,
        copies: Sequence[str],
        rows: NDArray[np.int64],
        lines: NDArray[np.int64],
        source: Source,
    ) -> None:
        self._state, self._number, self._copies = state, number, copies
        self._rows, self._lines, self._source = rows, lines, source
        self._betting = state.tree.rounds[state.round + number]
        self.shape = (len(rows), self._betting.node_actions, len(lines))

    def __getitem__(self, part: slice) -> Floats:
        taken = self._source.probabilities(self._state.round + self._number, self._rows[part], self._lines)
        index = self._betting.action_index
        last = len(self._copies) - 1
        taken[:, :, last :: last + 1] = 0
        taken[:, index[:, _CALL], last :: last + 1] = 1
        if self._number == 0:
            numbers = index[self._state.node]
            for copy, letter in enumerate(self._copies):
                if letter != _AS_PLAYED:
                    taken[:, numbers[numbers >= 0], copy] = 0
                    taken[:, numbers[ACTIONS.index(letter)], copy] = 1
        return taken
