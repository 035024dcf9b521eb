"""What a sample of flops leaves out, by a blueprint's values on all flops.

Hands that a few flops favour come in too often. The blueprint knows what hands win on all flops. The difference between
all flops and the sample is added to what a hand wins where the flop begins (control variates: Hammersley and Handscomb
1964, section 5.5).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cfr.exploit.flop_values import FlopValues
from cfr.exploit.preflop import Opening
from cfr.game.rules import Game
from cfr.hands.flops import first_boards
from cfr.kernel.traversal import layout
from cfr.kernel.tree import Tree
from cfr.solver.trunk.trunk import Trunk
from cfr.strategy.files.stored import Strategy


@dataclass(frozen=True)
class ControlVariate:
    """Chips to add where the flop begins, so that a sample of flops stands for all.

    Attributes:
        above: ``(2, leaves, hands)`` chips that each seat's hands win more on all flops than on the sample, by the
            blueprint's values; a mean over the opponent's hands.
        middle: ``(leaves,)`` half the difference of the seats' means of ``above``. A seat's correction takes its own
            ``above`` and the opponent's, and so counts each mean twice; ``middle`` takes half of that away.
        apart: ``(hands, hands)`` whether two hands share no card.
    """

    above: np.ndarray
    middle: np.ndarray
    apart: np.ndarray

    @classmethod
    def of(cls, opening: Opening, values: np.ndarray, game: Game, drawn: np.ndarray) -> ControlVariate:
        """From the ``(flops, seats, leaves, classes)`` values of best responses to a blueprint, and its opening.

        ``drawn`` are the ``(n,)`` indices of the sample's flops.
        """
        missed = np.tensordot(first_boards(game).share, values, 1) - values[drawn].mean(axis=0)
        of_hands, met = missed[..., opening.classes], opening.reach[::-1] @ game.apart
        above = np.divide(of_hands, met, out=np.zeros_like(of_hands), where=met > 0)
        pairs = (opening.reach * met).sum(axis=2)
        means = np.divide((opening.reach * of_hands).sum(axis=2), pairs, out=np.zeros_like(pairs), where=pairs > 0)
        return cls(above, (means[0] - means[1]) / 2, game.apart)

    @classmethod
    def of_trunk(cls, trunk: Trunk, game: Game, drawn: np.ndarray) -> ControlVariate:
        """From the files of a trunk; raises OSError or DamagedFileError."""
        assert trunk.control_variate is not None
        values = FlopValues.open(trunk.control_variate).values[:, :2].astype(float)
        with Strategy(trunk.blueprint) as blueprint:
            opening = Opening(layout(game), [blueprint.source] * 2, np.float32)
        return cls.of(opening, values, game, drawn)

    def chips(self, seat: int, reach: np.ndarray, leaves: np.ndarray) -> np.ndarray:
        """``(n, hands)`` chips to add to a seat's hands behind some leaves.

        Args:
            seat: whose hands.
            reach: ``(n, hands)`` of the other seat's hands.
            leaves: ``(n,)`` indices of the leaves.
        """
        above, middle = self.above[:, leaves], self.middle[leaves] if seat == 0 else -self.middle[leaves]
        own = (above[seat] - middle[:, None]) * (reach @ self.apart)
        found: np.ndarray = own - (reach * above[1 - seat]) @ self.apart
        return found


def leaf_reach(tree: Tree, table: np.ndarray, seat: int, rows: np.ndarray) -> np.ndarray:
    """``(leaves, hands)`` reach of a seat's hands where the flop begins, by the seat's table of the first round.

    ``rows`` are the ``(hands,)`` rows of the hands.
    """
    plan = np.maximum(tree.seat_by_line(table, 0), 0).astype(np.float64)[:, None]
    tree.plan(plan, 0, seat)
    with_start = np.column_stack([np.ones(len(plan)), plan[:, 0, :, 0]])
    return np.ascontiguousarray(with_start[rows][:, tree.rounds[0].seats[seat].leaf_traverser].T)
