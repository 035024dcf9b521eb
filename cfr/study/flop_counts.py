"""How often each action of the flop can follow and does, flop by flop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import comb

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import State
from cfr.game.betting_round import ACTIONS
from cfr.hands.flops import first_boards
from cfr.hands.isomorphism import collisions
from cfr.strategy.strategy import BaseStrategy, Floats

FLOPS_AT_A_TIME = 128
_ROWS_AT_A_TIME = 4096


@dataclass(frozen=True)
class Statistic:
    """One action at one spot of the flop.

    Attributes:
        name: such as ``continuation-bet``.
        seat: who acts (ACPC position: 0 big blind, 1 button).
        line: the actions so far, such as ``rc/c``.
        action: ``f``, ``c`` or ``r``.
    """

    name: str
    seat: int
    line: str
    action: str


class FlopCounter:
    """Counts what follows lines before the flop.

    Args:
        strategy: a file or a built-in.
        lines: that end where the flop is dealt.
    """

    def __init__(self, strategy: BaseStrategy, lines: Sequence[str]) -> None:
        self._game, self._betting = strategy.game, strategy.betting.rounds[1]
        self._boards = first_boards(strategy.game).cards
        source = strategy.source
        self._placed = source.rows.rows(1, self._boards)
        roots = [strategy.betting.parse(line) for line in lines]
        self._lines = lines
        self._statistics = [list(statistics_of(root)) for root in roots]
        self._before = [[strategy.reach(root, (), seat) for seat in (0, 1)] for root in roots]
        self._tables = [_probabilities(strategy, root.line) for root in roots]

    def count(self, unit: tuple[int, int]) -> Floats:
        """``(2, statistics, flops)`` probabilities of each spot, and of its action too, given the flop.

        Args:
            unit: number of the line, and of the first of :data:`FLOPS_AT_A_TIME` flops.
        """
        number, first = unit
        boards = self._boards[first : first + FLOPS_AT_A_TIME]
        rows, table = self._placed[first : first + FLOPS_AT_A_TIME], self._tables[number]
        hands, betting = self._game.hands, self._betting
        unseen = len(self._game.deck) - boards.shape[1]
        pairs = comb(unseen, 2) * comb(unseen - 2, 2)
        live = ~collisions(boards, hands)
        at_root = [each * live for each in self._before[number]]
        wanted = self._statistics[number]
        found = np.zeros((2, len(wanted), len(boards)))
        for line, statistics in groupby(enumerate(wanted), key=lambda pair: pair[1].line):
            reach, node = list(at_root), 0
            for letter in line[len(self._lines[number]) :]:
                actor, action = int(betting.actor[node]), ACTIONS.index(letter)
                reach[actor] = reach[actor] * table[rows, betting.action_index[node, action]]
                node = int(betting.child[node, action])
            seat = int(betting.actor[node])
            weight = reach[seat] * dealt_with(reach[1 - seat], hands)
            for place, statistic in statistics:
                column = betting.action_index[node, ACTIONS.index(statistic.action)]
                found[0, place] = weight.sum(axis=1) / pairs
                found[1, place] = np.einsum("nh,nh->n", weight, table[rows, column]) / pairs
        return found


def _last_raiser(root: State) -> int | None:
    raiser, walked = None, root.tree.root
    for letter in root.line_string.rstrip("/"):
        raiser = walked.actor if letter == "r" else raiser
        walked = walked.act(letter)
    return raiser


def statistics_of(root: State) -> Iterator[Statistic]:
    """The statistics of lines: a first bet by the seat that raised last before the flop is a continuation bet."""
    raiser = _last_raiser(root)
    named = {
        "": (("bet", "r"),),
        "c": (("bet", "r"), ("check-back", "c")),
        "r": (("fold-to-bet", "f"), ("raise", "r")),
        "cr": (("fold-to-bet", "f"), ("check-raise", "r")),
        "rr": (("fold-to-raise", "f"), ("three-bet", "r")),
        "crr": (("fold-to-raise", "f"), ("three-bet", "r")),
    }
    for line, actions in named.items():
        state: State | None = root
        for letter in line:
            state = state.act(letter) if state is not None and letter in state.legal else None
        for name, action in actions:
            if state is not None and action in state.legal:
                shown = "continuation-bet" if name == "bet" and state.actor == raiser else name
                yield Statistic(shown, state.actor, state.line_string, action)


def _probabilities(strategy: BaseStrategy, line: int) -> NDArray[np.float32]:
    """``(rows, node_actions)`` of the flop on one line."""
    source = strategy.source
    every = np.arange(source.rows.num_rows[1])
    starts = range(0, len(every), _ROWS_AT_A_TIME)
    lines = np.array([line])
    parts = [source.probabilities(1, every[start : start + _ROWS_AT_A_TIME], lines) for start in starts]
    return np.concatenate(parts)[:, :, 0].astype(np.float32)


def dealt_with(reach: Floats, hands: NDArray[np.uint8]) -> Floats:
    """``(n, H)`` reach of the hands that share no card with each hand: all but those that hold one of its cards."""
    holds = np.zeros((len(hands), 52))
    np.put_along_axis(holds, hands.astype(np.intp), 1, axis=1)
    with_card = reach @ holds
    either = with_card[:, hands[:, 0]] + with_card[:, hands[:, 1]] - reach
    apart: Floats = np.maximum(reach.sum(axis=1, keepdims=True) - either, 0)
    return apart
