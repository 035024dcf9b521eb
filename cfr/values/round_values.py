"""What every action of one betting round wins, on one board: one pass of the kernel per seat answers for all decisions.

A spot's own pass (:mod:`cfr.values.expected_values`) answers for one decision. A hand has several decisions in a round,
of both seats, and what can follow the round is the same for all of them: only the leaves of the round have to be
computed.
"""

from __future__ import annotations

from functools import cached_property
from threading import Lock

import numpy as np

from cfr.game.betting import State
from cfr.kernel.builds import lanes
from cfr.kernel.chance import Boards, enumerate_below, only_board
from cfr.kernel.tables import Tables
from cfr.kernel.traversal import Mode, Traversal
from cfr.kernel.tree import Tree, build_tree
from cfr.strategy.position import Position
from cfr.strategy.realisation import Target, plan_tables
from cfr.strategy.strategy import BaseStrategy, Floats
from cfr.system.progress import Progress
from cfr.values.expected_values import stand_in_at
from cfr.values.known_leaves import KnownLeaves
from cfr.values.used_rows import UsedRows

_DTYPE = np.float32  # four times as fast as double precision


class RoundValues:
    """The values of one betting round before the last one, when both seats play the strategy.

    Args:
        entry: where the round begins, of a file or a built-in that is whole: it does not re-solve.
        is_best: the seat whose hands are asked for plays best instead, from its decision on.
    """

    def __init__(self, entry: Position[BaseStrategy], is_best: bool = False) -> None:
        self._strategy, self._entry, self._is_best = entry.strategy, entry, is_best
        self._leaves: dict[int, dict[int, Floats]] = {}  # by seat and betting line
        self._lock = Lock()

    def action_ev(self, state: State, progress: Progress | None = None) -> Floats:
        """``(H, 3)`` mbb that fold, call and raise win with each hand of the seat that acts, in the whole hand.

        NaN for illegal actions and for hands that the board blocks. Where the strategy brings none of the opponent's
        hands to the state, its presumed range stands in. The numbers are those of
        :func:`cfr.values.expected_values.values_at` with ``unreached``, to some thousandths of an mbb: they are added
        in single precision.

        Args:
            state: a decision of this round.
            progress: hears how far the seat's pass is; what it raises ends the pass.
        """
        leaves = self._of_seat(state.actor, progress)
        return KnownLeaves(state.actor, state.round, leaves, is_best=self._is_best).action_ev(self._at(state))

    def stand_in(self, state: State) -> str | None:
        """What stands in for the opponent's range, see :class:`cfr.values.expected_values.SpotValues`."""
        return stand_in_at(self._at(state), state.actor)

    def _at(self, state: State) -> Position[BaseStrategy]:
        return self._entry.after(state.line_string.removeprefix(self._entry.state.line_string))

    def _of_seat(self, seat: int, progress: Progress | None) -> dict[int, Floats]:
        with self._lock:
            if seat not in self._leaves:
                self._leaves[seat] = self._play(seat, progress)
            return self._leaves[seat]

    @cached_property
    def _ends(self) -> list[Position[BaseStrategy]]:
        return self._entry.ends()

    @cached_property
    def _below(self) -> tuple[list[Boards], Tree, list[Tables]]:
        """The boards from this round's on, the tree from the next round on, and both seats' plans in it."""
        strategy = self._strategy
        used, first = UsedRows(strategy.source.rows), self._entry.state.round + 1
        boards = enumerate_below(strategy.game, used, np.array(self._entry.board, np.uint8), strategy.is_suit_blind)
        tree = build_tree(strategy.game, lanes(_DTYPE), first, [each.state.line for each in self._ends])
        plans = []
        for number, current in enumerate(tree.rounds):
            table = used.play(strategy.source, first + number, current.betting_line)
            one, other = plan_tables(table, [Target(tree, number, seat) for seat in (0, 1)], _DTYPE)
            plans.append((one, other))
        return boards, tree, plans

    def _play(self, seat: int, progress: Progress | None) -> dict[int, Floats]:
        """``(H,)`` chips that a seat wins behind each leaf, by how often the opponent's hands are expected."""
        boards, tree, plans = self._below
        traversal, top = Traversal(tree, 1, _DTYPE), tree.rounds[0]
        reach = np.zeros((2, top.stride, self._strategy.game.num_hands))
        for place, end in zip(top.entry, self._ends, strict=True):
            for each in (0, 1):
                reach[each, place] = end.expected(each)
        won = np.zeros((len(self._ends), reach.shape[2]))
        mode: Mode = "best" if self._is_best else "average"
        children = len(boards[1].cards)
        for child in range(children):
            live = self._strategy.game.live(boards[1].cards[child])
            some = [only_board(boards[1], child), *boards[2:]]
            weight = float(boards[1].factor[child])
            won += traversal.run_round(0, some, plans, seat, mode, reach * live, scale=weight)[top.entry]
            if progress is not None:
                progress((child + 1) / children)
        alike = boards[0].averaged(0, won) if self._strategy.is_suit_blind else won
        return {end.state.line: values for end, values in zip(self._ends, alike, strict=True)}
