"""A solve of a trunk: pieces on disk, with a control variate for the flops that the sample leaves out."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from cfr.game.betting_round import ILLEGAL
from cfr.kernel.tables import Tables
from cfr.solver.out_of_core.disk_solver import DiskSolver
from cfr.solver.out_of_core.piece_measure import InitialValues
from cfr.solver.out_of_core.pieces_solver import KIND
from cfr.solver.solver import Solution
from cfr.solver.trunk.control_variate import ControlVariate, leaf_reach
from cfr.solver.trunk.trunk import Trunk
from cfr.strategy.files.quantise import ONE, quantise_finely
from cfr.strategy.files.round_rows import RoundRows
from cfr.strategy.files.stored import Strategy


class TrunkSolver(DiskSolver):
    """The tables of a trunk's game, and how to go on with them; arguments as :class:`DiskSolver`.

    The measured exploitability is that of the trunk's game: its flops, its lines, and the control variate.
    """

    @property
    def initial_values(self) -> InitialValues | None:
        return None if self._control is None else self._corrections

    def stored_round(self, round_: int, solution: Solution = "average") -> RoundRows:
        """The first round, in the order of the blueprint's rows.

        The blueprint's play stands where the trunk has none: on lines that its game leaves out, and where its play
        never brings a hand.
        """
        if round_:
            raise ValueError(f"round {round_}: the file of a trunk has the blueprint's")
        tree = self.traversal.tree
        sums = np.maximum(tree.by_line(self.first[KIND[solution]], 0), 0)
        with Strategy(self._trunk.blueprint) as blueprint:
            rows = blueprint.abstraction.rows(0, np.zeros((1, 0), np.uint8))[0]
            before = blueprint.read(0, slice(None))[:, :, 0] / ONE
        solved = np.zeros(before.shape)
        solved[rows] = sums[self._rows, :, 0]
        left = tree.betting.rounds[0].without(self.settings.never)
        for node, numbers in enumerate(left.action_index):
            legal = numbers[numbers >= 0]
            of_blueprint = before[:, legal]
            if left.reached[0][node]:
                is_left = np.isin(legal, numbers[left.child[node] != ILLEGAL])
                of_blueprint = np.where(is_left, of_blueprint, 0)
                of_blueprint[~of_blueprint.any(axis=1)] = is_left  # all that is left alike: rows are normalised below
            is_played = left.reached[0][node] & solved[:, legal].any(axis=1, keepdims=True)
            solved[:, legal] = np.where(is_played, solved[:, legal], of_blueprint)
        return RoundRows.of(*quantise_finely(solved[:, :, None], tree.betting.rounds[0]))

    @property
    def _trunk(self) -> Trunk:
        trunk = self.settings.trunk
        assert trunk is not None
        return trunk

    @cached_property
    def _control(self) -> ControlVariate | None:
        trunk, game = self._trunk, self.settings.game
        if trunk.flops is None:
            return None
        return ControlVariate.of_trunk(trunk, game, trunk.drawn(game, self.settings.seed))

    @cached_property
    def _rows(self) -> np.ndarray:
        """``(hands,)`` row of each starting hand in the first round's tables."""
        found: np.ndarray = self._holder.boards(0, 0).row_of_hand[0]
        return found

    def _corrections(self, seat: int, first: Tables) -> np.ndarray:
        """``(blocks, hands, lanes)`` chips of the control variate, given the opponent's play in the first round."""
        assert self._control is not None
        tree = self.traversal.tree
        entering = tree.rounds[1]
        reach = leaf_reach(tree, first[1 - seat], 1 - seat, self._rows)
        by_lane = np.zeros((entering.stride, reach.shape[1]))
        by_lane[entering.entry] = self._control.chips(seat, reach, entering.betting_line)
        return by_lane.reshape(-1, tree.lanes, reach.shape[1]).transpose(0, 2, 1)
