"""Betting: the lines of a limit game as flat arrays, and single states that walk along them.

All lines that enter a round meet the same betting. A round is therefore one small tree (:class:`BettingRound`). The
leaves where a line left the earlier rounds identify the line. Strings are the ACPC's: ``f`` folds, ``c`` checks or
calls, ``r`` bets or raises, ``/`` ends a round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from cfr.game.betting_round import ACTIONS, LEAF, Point, build_round
from cfr.game.rules import Game
from cfr.system.errors import IllegalActionError, MalformedTextError

_KEPT = 50_000  # states of a tree that are made once: the lines that logs and matches have


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
        self.rounds = tuple(build_round(game, number) for number in range(game.num_rounds))
        stakes = [np.zeros(1, np.int32)]
        for current in self.rounds[:-1]:
            added = current.outcome_added[current.leaves, 0]
            stakes.append((added[:, None] + stakes[-1][None, :]).reshape(-1).astype(np.int32))
        self.stakes = tuple(stakes)
        self.num_lines = tuple(len(entering) for entering in stakes)
        self._board_cards = tuple(accumulate(game.num_board_cards))
        # What follows states that were met, by round, text and action.
        self._after: dict[tuple[int, str, str], State] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return BettingTree, (self.game,)  # states that were met stay here

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
        return self._point.added if self.outcome is None else self.tree.rounds[self.round].ends[self.outcome].added

    @property
    def num_board_cards(self) -> int:
        """Cards on the board in this round."""
        return self.tree._board_cards[self.round]

    def act(self, action: str) -> State:
        """The state after ``f``, ``c`` or ``r``; raises IllegalActionError, which names the legal actions."""
        key = self.round, self.line_string, action
        if (after := self.tree._after.get(key)) is None:
            after = self._act(action)
            if len(self.tree._after) < _KEPT:
                self.tree._after[key] = after
        return after

    def _act(self, action: str) -> State:
        if self.is_over or len(action) != 1 or action not in self._point.legal:
            raise IllegalActionError(f"after {self.line_string!r}, {self.illegal(action)}")
        tree, round_, line, text = self.tree, self.round, self.line, self.line_string + action
        child = self._point.child[ACTIONS.index(action)]
        if child >= 0:
            return State(tree, round_, line, child, text, None, None)
        outcome = -child - 2
        end = tree.rounds[round_].ends[outcome]
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
    def _point(self) -> Point:
        return self.tree.rounds[self.round].points[self.node]

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


def action_word(letter: str, state: State) -> str:
    """The word for an action at a state: fold, check or call, bet or raise."""
    if letter == "f":
        return "fold"
    facing = state.round_stakes[state.actor] < max(state.round_stakes)
    if letter == "c":
        return "call" if facing else "check"
    # The big blind raises when it may check; later rounds open with a bet.
    return "raise" if facing or (state.round == 0 and state.tree.game.blinds[0] != state.tree.game.blinds[1]) else "bet"
