"""The betting of one round: a small tree, the same for all lines that enter it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from cfr.game.rules import Game
from cfr.system.errors import IllegalActionError

ACTIONS = "fcr"
LEAF = 2
ILLEGAL = -1


@dataclass(frozen=True, eq=False)
class BettingRound:
    """One round's betting, the same for all lines that enter it; nodes and outcomes in preorder, actions f, c, r.

    Attributes:
        actor: ``(N,)`` int8 seat to act at each node.
        child: ``(N, 3)`` int16 target of each action: -1 illegal, n >= 0 node n, -(t + 2) outcome t.
        outcome_kind: ``(T,)`` int8 the seat that folded, or 2 for a leaf, where the next round or the showdown follows.
        node_added: ``(N, 2)`` int32 chips each seat has put in since the round began, blinds included.
        outcome_added: ``(T, 2)`` int32 the same chips at each outcome.
        action_index: ``(N, 3)`` int16 number of each legal node-action, in order; -1 illegal.
        leaves: ``(K,)`` int16 outcomes of kind 2.
    """

    actor: np.ndarray
    child: np.ndarray
    outcome_kind: np.ndarray
    node_added: np.ndarray
    outcome_added: np.ndarray
    action_index: np.ndarray
    leaves: np.ndarray

    @property
    def num_nodes(self) -> int:
        return len(self.actor)

    @property
    def node_actions(self) -> int:
        """Legal (node, action) pairs: the length of a table row's first axis."""
        return int(self.action_index.max()) + 1

    @cached_property
    def reached(self) -> tuple[np.ndarray, np.ndarray]:
        """``(N,)`` and ``(T,)`` bool: nodes and outcomes that play can reach; :meth:`without` leaves some unreached."""
        nodes, outcomes = np.zeros(len(self.actor), bool), np.zeros(len(self.outcome_kind), bool)
        nodes[0] = True
        for node, children in enumerate(self.child.tolist()):
            for to in children if nodes[node] else ():
                if to >= 0:
                    nodes[to] = True
                elif to != ILLEGAL:
                    outcomes[-to - 2] = True
        return nodes, outcomes

    def without(self, lines: Collection[str]) -> BettingRound:
        """Remove the last action of each line and all that follows it; other nodes and outcomes keep their numbers.

        Raises:
            IllegalActionError: a line that is not in this round or does not end with a call or raise, or a node where
                only a fold would remain.
        """
        child = self.child.copy()
        for line in lines:
            child[self._node_before_last(line), ACTIONS.index(line[-1])] = ILLEGAL
        left = replace(self, child=child)
        nodes, outcomes = left.reached
        if (child[nodes, 1:] == ILLEGAL).all(axis=1).any():
            raise IllegalActionError(f"without {', '.join(lines)} only a fold would be left somewhere")
        return replace(left, leaves=self.leaves[outcomes[self.leaves]])

    def along(self, path: str) -> BettingRound:
        """The round with ``path`` as its only actions up to a node, and with all that follows this node.

        Nodes and outcomes keep their numbers. Raises IllegalActionError for a path that the round does not have.
        """
        child, node = self.child.copy(), 0
        for letter in path:
            after = int(child[node, ACTIONS.index(letter)]) if letter in ACTIONS else ILLEGAL
            if after < 0:
                raise IllegalActionError(f"{path!r} leads to no decision of the round")
            child[node] = ILLEGAL
            child[node, ACTIONS.index(letter)] = after
            node = after
        left = replace(self, child=child)
        return replace(left, leaves=self.leaves[left.reached[1][self.leaves]])

    def _node_before_last(self, line: str) -> int:
        node = 0
        for letter in line[:-1]:
            node = int(self.child[node, ACTIONS.index(letter)]) if letter in ACTIONS and node >= 0 else ILLEGAL
        if node < 0 or line[-1:] not in ("c", "r") or self.child[node, ACTIONS.index(line[-1])] == ILLEGAL:
            raise IllegalActionError(f"{line!r} is no line of the first round that ends with a call or raise")
        return node

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """The nodes as tuples for :class:`State`: reading single numbers from arrays is slow."""
        rows = zip(self.actor.tolist(), self.child.tolist(), self.node_added.tolist(), strict=True)
        return tuple(
            Point(
                actor,
                "".join(letter for letter, to in zip(ACTIONS, child, strict=True) if to != ILLEGAL),
                tuple(child),
                (added[0], added[1]),
            )
            for actor, child, added in rows
        )

    @cached_property
    def ends(self) -> tuple[End, ...]:
        """The outcomes as tuples for :class:`State`."""
        leaf = {outcome: number for number, outcome in enumerate(self.leaves.tolist())}
        rows = enumerate(zip(self.outcome_kind.tolist(), self.outcome_added.tolist(), strict=True))
        return tuple(End(kind, leaf.get(number, -1), (added[0], added[1])) for number, (kind, added) in rows)


class Point(NamedTuple):
    """A node: its actor, legal letters, row of ``child``, and row of ``node_added``."""

    actor: int
    legal: str
    child: tuple[int, ...]
    added: tuple[int, int]


class End(NamedTuple):
    """An outcome: its kind, its number among the leaves or -1, and its row of ``outcome_added``."""

    kind: int
    leaf: int
    added: tuple[int, int]


def build_round(game: Game, number: int) -> BettingRound:
    """Lay one round's tree out in preorder."""
    size, cap = game.raise_sizes[number], game.max_raises[number]
    actor: list[int] = []
    node_added: list[tuple[int, int]] = []
    child: list[list[int]] = []
    kinds: list[int] = []
    outcome_added: list[tuple[int, int]] = []

    def outcome(kind: int, added: tuple[int, int]) -> int:
        kinds.append(kind)
        outcome_added.append(added)
        return -(len(kinds) - 1) - 2

    def node(seat: int, added: tuple[int, int], raises: int, acted: bool) -> int:
        here = len(actor)
        actor.append(seat)
        node_added.append(added)
        child.append([ILLEGAL] * 3)
        behind = added[1 - seat] - added[seat]
        if behind > 0:
            child[here][0] = outcome(seat, added)
        level = max(added)
        # Only the caller pays. A big blind that acts first checks, and the small blind still has to call.
        called = (level, added[1]) if seat == 0 else (added[0], level)
        child[here][1] = outcome(LEAF, called) if acted else node(1 - seat, called, raises, True)
        if raises < cap:
            raised = (level + size, added[1]) if seat == 0 else (added[0], level + size)
            child[here][2] = node(1 - seat, raised, raises + 1, True)
        return here

    node(game.first_players[number], game.blinds if number == 0 else (0, 0), 0, False)
    legal = np.array(child) != ILLEGAL
    return BettingRound(
        actor=np.array(actor, np.int8),
        child=np.array(child, np.int16),
        outcome_kind=np.array(kinds, np.int8),
        node_added=np.array(node_added, np.int32),
        outcome_added=np.array(outcome_added, np.int32),
        action_index=np.where(legal, np.cumsum(legal).reshape(legal.shape) - 1, ILLEGAL).astype(np.int16),
        leaves=np.flatnonzero(np.array(kinds) == LEAF).astype(np.int16),
    )
