"""Lines that a strategy's own play never comes to, and the lines whose play stands for that on them.

A blueprint that never limps has learnt nothing for its hands after a limp. A player may limp all the same. A model then
plays the later rounds as the blueprint does after the line of the first round that it takes most.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting_round import ACTIONS
from cfr.strategy.strategy import BaseStrategy

Lines = list[tuple[NDArray[np.intp], NDArray[np.intp]]]  # by round and seat


def living_lines(strategy: BaseStrategy) -> Lines:
    """By round and seat, ``(lines,)`` line whose play stands for each line: itself, or where play never comes another.

    Args:
        strategy: one that is read as a whole.
    """
    betting = strategy.betting
    stands = [_in_first_round(strategy, seat) for seat in (0, 1)]
    lines: Lines = [(np.arange(1), np.arange(1))]
    for count in betting.num_lines[1:]:
        own = np.arange(count)
        first = own % len(stands[0])
        big_blind, button = (own - first + each[first] for each in stands)
        lines.append((big_blind, button))
    return lines


def _in_first_round(strategy: BaseStrategy, seat: int) -> NDArray[np.intp]:
    """``(leaves,)`` the leaf of the first round whose play stands for each."""
    betting = strategy.betting
    table = strategy.source.rounds[0][:] / strategy.source.certainty
    reach = []
    for entry in betting.root.entries():
        own, state = np.ones(len(table)), betting.root
        for letter in entry.line_string.rstrip("/"):
            if state.actor == seat:
                own = own * table[:, betting.rounds[0].action_index[state.node, ACTIONS.index(letter)], 0]
            state = state.act(letter)
        reach.append(own.sum())
    found = np.arange(len(reach))
    return np.where(np.array(reach) > 0, found, int(np.argmax(reach))) if reach else found
