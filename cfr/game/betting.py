"""Betting: the lines of a limit game as flat arrays, and single states that walk along them.

All lines that enter a round meet the same betting. A round is therefore one small tree (:class:`BettingRound`). The
leaves where a line left the earlier rounds identify the line. Strings are the ACPC's: ``f`` folds, ``c`` checks or
calls, ``r`` bets or raises, ``/`` ends a round.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from cfr.game.rules import Game
from cfr.system.errors import IllegalActionError, MalformedTextError

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
    def _points(self) -> tuple[_Point, ...]:
        """The nodes as tuples for :class:`State`: reading single numbers from arrays is slow."""
        rows = zip(self.actor.tolist(), self.child.tolist(), self.node_added.tolist(), strict=True)
        return tuple(
            _Point(
                actor,
                "".join(letter for letter, to in zip(ACTIONS, child, strict=True) if to != ILLEGAL),
                tuple(child),
                (added[0], added[1]),
            )
            for actor, child, added in rows
        )

    @cached_property
    def _ends(self) -> tuple[_End, ...]:
        """The outcomes as tuples for :class:`State`."""
        leaf = {outcome: number for number, outcome in enumerate(self.leaves.tolist())}
        rows = enumerate(zip(self.outcome_kind.tolist(), self.outcome_added.tolist(), strict=True))
        return tuple(_End(kind, leaf.get(number, -1), (added[0], added[1])) for number, (kind, added) in rows)


class _Point(NamedTuple):
    """A node: its actor, legal letters, row of ``child``, and row of ``node_added``."""

    actor: int
    legal: str
    child: tuple[int, ...]
    added: tuple[int, int]


class _End(NamedTuple):
    """An outcome: its kind, its number among the leaves or -1, and its row of ``outcome_added``."""

    kind: int
    leaf: int
    added: tuple[int, int]


class BettingTree:
    """All betting lines of a game.

    A line that enters a round as number ``line`` of ``L`` and leaves it at ``leaf`` enters the next round as number
    ``leaf * L + line``.

    Attributes:
        game: the rules.
        rounds: one :class:`BettingRound` per round.
        num_lines: lines that enter each round.
        stakes: per round ``(lines,)`` int32 chips that each seat has in the pot when the round begins; 0 in the first
            round, which counts the blinds as its own chips.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.rounds = tuple(_build_round(game, number) for number in range(game.num_rounds))
        stakes = [np.zeros(1, np.int32)]
        for current in self.rounds[:-1]:
            added = current.outcome_added[current.leaves, 0]
            stakes.append((added[:, None] + stakes[-1][None, :]).reshape(-1).astype(np.int32))
        self.stakes = tuple(stakes)
        self.num_lines = tuple(len(entering) for entering in stakes)
        self._board_cards = tuple(accumulate(game.num_board_cards))

    @cached_property
    def _entries(self) -> tuple[list[int], ...]:
        """:attr:`stakes` as lists for :class:`State`."""
        return tuple(entering.tolist() for entering in self.stakes)

    @cached_property
    def root(self) -> State:
        return self.entry(0, 0)

    def entry(self, round_: int, line: int) -> State:
        """The state in which a round begins on a line."""
        return State(self, round_, line, 0, self.line_text(round_, line), None, None)

    def parse(self, text: str) -> State:
        """The state after the actions in ``text``; a final slash is optional.

        Raises:
            MalformedTextError: a letter that is no action, or a slash out of place, with its position.
            IllegalActionError: an action that the rules do not allow there, with its position.
        """
        state = self.root
        slash_due = False
        for position, letter in enumerate(text, 1):
            if letter == "/":
                if not slash_due:
                    raise MalformedTextError(f"line {text!r}: '/' at position {position} does not end a round")
                slash_due = False
                continue
            if letter not in ACTIONS:
                raise MalformedTextError(
                    f"line {text!r}: {letter!r} at position {position} is no action; expected f, c, r or /"
                )
            if slash_due:
                raise MalformedTextError(f"line {text!r}: expected '/' at position {position}, the round is over")
            if letter not in state.legal:
                raise IllegalActionError(f"line {text!r}: at position {position}, {state.illegal(letter)}")
            after = state.act(letter)
            slash_due = after.round > state.round
            state = after
        return state

    def line_text(self, round_: int, line: int) -> str:
        """The actions that lead into ``round_`` on ``line``, such as ``rc/crc/``."""
        parts = []
        for earlier in range(round_ - 1, -1, -1):
            leaf, line = divmod(line, self.num_lines[earlier])
            parts.append(self._leaf_texts[earlier][leaf] + "/")
        return "".join(reversed(parts))

    @cached_property
    def _leaf_texts(self) -> tuple[tuple[str, ...], ...]:
        starts = (State(self, number, 0, 0, "", None, None) for number in range(len(self.rounds) - 1))
        return tuple(tuple(end.line_string[:-1] for end in start.entries()) for start in starts)


@dataclass(frozen=True, slots=True)
class State:
    """A point of a betting line: a seat is to act, or the hand is over. Immutable.

    Attributes:
        tree: the game's betting.
        round, line, node: the point's place; ``node`` is the last acting node when the hand is over.
        line_string: the actions so far.
        folded: the seat that folded, if one did.
        outcome: the outcome's number in its round, if the hand is over.
    """

    tree: BettingTree
    round: int
    line: int
    node: int
    line_string: str
    folded: int | None
    outcome: int | None

    @property
    def is_over(self) -> bool:
        return self.outcome is not None

    @property
    def at_showdown(self) -> bool:
        return self.outcome is not None and self.folded is None

    @property
    def actor(self) -> int:
        """The seat to act; only meaningful while the hand is not over."""
        return self._point.actor

    @property
    def legal(self) -> str:
        """The legal actions' letters, in the order f, c, r; empty when the hand is over."""
        return "" if self.is_over else self._point.legal

    @property
    def stakes(self) -> tuple[int, int]:
        """Chips that each seat has in the pot."""
        entry, added = self.tree._entries[self.round][self.line], self.round_stakes
        return entry + added[0], entry + added[1]

    @property
    def round_stakes(self) -> tuple[int, int]:
        """Chips that each seat has put in since the round began, blinds included."""
        return self._point.added if self.outcome is None else self.tree.rounds[self.round]._ends[self.outcome].added

    @property
    def num_board_cards(self) -> int:
        """Cards on the board in this round."""
        return self.tree._board_cards[self.round]

    def act(self, action: str) -> State:
        """The state after ``f``, ``c`` or ``r``; raises IllegalActionError, which names the legal actions."""
        if self.is_over or len(action) != 1 or action not in self._point.legal:
            raise IllegalActionError(f"after {self.line_string!r}, {self.illegal(action)}")
        tree, round_, line, text = self.tree, self.round, self.line, self.line_string + action
        child = self._point.child[ACTIONS.index(action)]
        if child >= 0:
            return State(tree, round_, line, child, text, None, None)
        outcome = -child - 2
        end = tree.rounds[round_]._ends[outcome]
        if end.kind != LEAF:
            return State(tree, round_, line, self.node, text, end.kind, outcome)
        if round_ + 1 == len(tree.rounds):
            return State(tree, round_, line, self.node, text, None, outcome)
        return State(tree, round_ + 1, end.leaf * tree.num_lines[round_] + line, 0, text + "/", None, None)

    def round_start(self, round_: int | None = None) -> State:
        """The state in which this round began; or an earlier round, on the way here."""
        round_, line = self.round if round_ is None else round_, self.line
        for earlier in range(self.round - 1, round_ - 1, -1):
            line %= self.tree.num_lines[earlier]
        return self.tree.entry(round_, line)

    def decisions(self, seat: int | None = None) -> Iterator[State]:
        """The states from here to the end of the round at which a seat acts; of both seats by default."""
        for state in self._follow():
            if state.round == self.round and seat in (None, state.actor):
                yield state

    def entries(self) -> list[State]:
        """The states in which the next round begins, by ascending line."""
        return sorted((state for state in self._follow() if state.round > self.round), key=lambda state: state.line)

    def _follow(self) -> Iterator[State]:
        """This state and all that follow it, up to the first of the next round; no hand is over in them."""
        waiting = [self]
        while waiting:
            state = waiting.pop()
            if state.is_over:
                continue
            yield state
            if state.round == self.round:
                waiting += [state.act(letter) for letter in state.legal]

    @property
    def _point(self) -> _Point:
        return self.tree.rounds[self.round]._points[self.node]

    def illegal(self, action: str) -> str:
        """The reason why ``action`` is illegal here, in one clause."""
        if self.is_over:
            return f"{action!r} is illegal, the hand is over"
        return f"{action!r} is illegal; legal are {', '.join(self.legal)}"

    def payoff(self, winner: int | None) -> tuple[int, int]:
        """Chips that each seat wins in a hand that is over.

        ``winner`` is the seat that wins the showdown, None for a tie. A fold overrides ``winner``.
        """
        if self.outcome is None:
            raise IllegalActionError(f"after {self.line_string!r}, the hand is not over; there is no payoff")
        if self.folded is not None:
            winner = 1 - self.folded
        if winner is None:
            return 0, 0
        lost = self.stakes[1 - winner]
        return (lost, -lost) if winner == 0 else (-lost, lost)


def _build_round(game: Game, number: int) -> BettingRound:
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


def action_word(letter: str, state: State) -> str:
    """The word for an action at a state: fold, check or call, bet or raise."""
    if letter == "f":
        return "fold"
    facing = state.round_stakes[state.actor] < max(state.round_stakes)
    if letter == "c":
        return "call" if facing else "check"
    # The big blind raises when it may check; later rounds open with a bet.
    return "raise" if facing or (state.round == 0 and state.tree.game.blinds[0] != state.tree.game.blinds[1]) else "bet"
