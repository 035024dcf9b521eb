"""The first round on top of given values of all that follows it: one board, few lines, so in plain NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from cfr.hands import hand_classes
from cfr.plans import Source, Target, plan_tables
from cfr.tree import Tree


class Opening:
    """The first round of two fixed strategies, or of one in both seats, and best responses; by class of starting hand.

    Args:
        tree: the whole tree.
        sources: what the big blind plays, and what the button does.
        dtype: of the tables that follow it, for the same bits as they have.

    Attributes:
        classes: ``(hands,)`` class of each starting hand under suit symmetry, 169 of them in hold'em.
        class_sizes: ``(classes,)`` hands in each.
        leaves: ways to leave the round without a fold.
        reach: ``(2, leaves, hands)`` what each seat does on the way to each leaf.
    """

    def __init__(self, tree: Tree, sources: Sequence[Source], dtype: np.dtype | type) -> None:
        game = tree.game
        nothing = np.zeros((1, 0), np.uint8)
        self.classes = hand_classes(nothing, (), game.hands, game.deck)[0].astype(np.intp)
        self.class_sizes = np.bincount(self.classes)
        self._round = tree.rounds[0]
        self.leaves = self._round.leaves
        self._plans = []
        for seat, source in enumerate(sources):
            (table,) = plan_tables(source.rounds[0], [Target(tree, 0, seat)], dtype)
            of_hands = table[source.rows.rows(0, nothing)[0], 0, :, 0]
            self._plans.append(np.column_stack([np.ones(len(of_hands)), of_hands]).T.astype(float))
        self.reach = np.array(
            [plan[seat.leaf_own] for plan, seat in zip(self._plans, self._round.seats, strict=True)]
        ).reshape(2, self.leaves, -1)
        apart = (game.hands[:, None, :, None] != game.hands[None, :, None, :]).all(axis=(2, 3))
        chance = 1 / comb(len(game.deck) - game.num_hole_cards, game.num_hole_cards)
        self._folds = [self._fold_values(seat, apart * chance) for seat in (0, 1)]

    def best(
        self, seat: int, leaves: np.ndarray, policy: list[np.ndarray] | None = None
    ) -> tuple[np.ndarray, list[np.ndarray]]:
        """Play the round best, or by a policy found with other leaves.

        Args:
            seat: the traverser.
            leaves: ``(..., leaves, classes)`` chips that each class of starting hands wins behind each leaf, by the
                opponent's reach.
            policy: from an earlier call.

        Returns:
            ``(..., classes)`` chips, and per node the ``(..., classes)`` action taken.
        """
        shape = self._round.seats[seat]
        fold = self.by_class(self._folds[seat])
        gradient = np.zeros((*leaves.shape[:-2], shape.sequences, leaves.shape[-1])) + fold
        for leaf, sequence in enumerate(shape.leaf_own.tolist()):
            gradient[..., sequence, :] += leaves[..., leaf, :]
        chosen: list[np.ndarray] = []
        nodes = list(zip(shape.node_parent.tolist(), shape.node_first.tolist(), shape.node_count.tolist(), strict=True))
        for number, (parent, first, count) in enumerate(reversed(nodes)):
            actions = gradient[..., first : first + count, :]
            choice = actions.argmax(axis=-2) if policy is None else policy[number]
            gradient[..., parent, :] += np.take_along_axis(actions, choice[..., None, :], axis=-2)[..., 0, :]
            chosen.append(choice)
        return gradient[..., 0, :], chosen

    def self_play(self, seat: int, leaves: np.ndarray) -> float:
        """Chips that a mean hand of the seat wins when both play the strategy; ``leaves`` as in :meth:`best`."""
        return self.folded(seat) + float(self.behind(seat, leaves).sum())

    def behind(self, seat: int, leaves: np.ndarray) -> np.ndarray:
        """``(..., leaves)`` chips of ``(..., leaves, classes)`` that a mean hand wins, reached as the strategy does."""
        result: np.ndarray = self.mean(leaves * self.by_class(self.reach[seat]))
        return result

    def folded(self, seat: int) -> float:
        """Chips that a mean hand of the seat wins by folds in the round when both play the strategy."""
        return float((self._plans[seat] * self._folds[seat]).sum(axis=0).mean())

    def by_class(self, of_hands: np.ndarray) -> np.ndarray:
        """``(..., hands)`` to the mean of each class, ``(..., classes)``."""
        flat = of_hands.reshape(-1, of_hands.shape[-1])
        means = np.array([np.bincount(self.classes, row) for row in flat]) / self.class_sizes
        return means.reshape(*of_hands.shape[:-1], -1)

    def mean(self, of_classes: np.ndarray) -> np.ndarray:
        """``(..., classes)`` to the mean over all starting hands."""
        result: np.ndarray = of_classes @ (self.class_sizes / len(self.classes))
        return result

    def _fold_values(self, seat: int, weights: np.ndarray) -> np.ndarray:
        """``(sequences, hands)`` chips by folds, given the probability of each opponent's hand."""
        shape = self._round.seats[seat]
        values = np.zeros((shape.sequences, len(weights)))
        for own, opponent, chips in zip(shape.folds, shape.fold_opponent, shape.fold_chips[:, 0], strict=True):
            values[own] += chips * (weights @ self._plans[1 - seat][opponent])
        return values
