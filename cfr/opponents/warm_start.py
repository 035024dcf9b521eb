"""Where the solve of a counter-strategy on sampled boards begins: with the blueprint's play.

A row of buckets comes on few boards, so a solve that begins with nothing needs as many boards as the blueprint took.
Regrets in proportion to the blueprint's probabilities make regret matching play the blueprint until other regrets
outweigh them (Brown and Sandholm 2016, "Strategy-Based Warm Starting for Regret Minimization in Games", whose regrets
are in this proportion, too). Their size here is that of regrets from a number of boards: at each node, the pot times
the chance that the other seat brings a hand there. The model comes as often as the blueprint does, about; the adversary
may come with every hand. Where an adversary comes more often than the regrets were made for, few boards, and their
noise, outweigh them: with the blueprint's chances alone, a solve of 1,000 boards became twice as exploitable.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting_round import ILLEGAL
from cfr.kernel.chance import sample_boards
from cfr.strategy.files.stored import Strategy

_BOARDS = 16  # sampled for the chances
_STRAY = 0.1  # how often the other seat takes any legal action in them, so that no chance is 0


def weights(blueprint: Strategy, confidence: float) -> list[NDArray[np.float32]]:
    """Per round, ``(node_actions, lines)`` what a board can teach a row: chips of a hand, times its hands on a board.

    The same for all rows of a round, and for the same blueprint always the same.

    Args:
        blueprint: with buckets.
        confidence: the chance that the other seat plays the model, 0 to 1.
    """
    game = blueprint.game
    boards = sample_boards(game, _BOARDS, np.random.default_rng(0))
    of_boards = zip(*(_on_board(blueprint, confidence, board[None]) for board in boards), strict=True)
    dealt = np.cumsum(game.num_board_cards).tolist()
    hands = [comb(len(game.deck) - seen, game.num_hole_cards) for seen in dealt]
    each = zip(of_boards, hands, blueprint.abstraction.num_rows, strict=True)
    return [(np.mean(found, axis=0) * here / rows).astype(np.float32) for found, here, rows in each]


def _on_board(blueprint: Strategy, confidence: float, board: NDArray[np.uint8]) -> Iterator[NDArray[np.float64]]:
    """Per round, ``(node_actions, lines)`` the pot times the mean chance that the seat not to act brings a hand."""
    betting = blueprint.betting
    dealt = np.cumsum(blueprint.game.num_board_cards)
    rows = [blueprint.abstraction.rows(r, np.ascontiguousarray(board[:, :seen]), 1)[0] for r, seen in enumerate(dealt)]
    live = rows[-1] >= 0
    reach = [np.ones((int(live.sum()), 1)) for _ in range(2)]  # by seat, (hands, lines)
    for round_, current in enumerate(betting.rounds):
        different, place = np.unique(rows[round_][live], return_inverse=True)
        plays = blueprint.source.probabilities(round_, different, np.arange(betting.num_lines[round_]))[place]
        found = np.zeros((current.node_actions, betting.num_lines[round_]))
        entering: dict[int, list[NDArray[np.float64]]] = {0: reach}
        ends: dict[int, list[NDArray[np.float64]]] = {}
        for node, children in enumerate(current.child):
            here, actor = entering.pop(node), current.actor[node]
            pot = 2 * betting.stakes[round_] + current.node_added[node].sum()
            for action, to in zip(current.action_index[node], children, strict=True):
                if to == ILLEGAL:
                    continue
                found[action] = pot * (1 - confidence + confidence * here[1 - actor].mean(axis=0))
                if to < 0 and -to - 2 not in current.leaves:
                    continue  # the hand ends
                taken = (1 - _STRAY) * plays[:, action] + _STRAY / (children != ILLEGAL).sum()
                after = [each * taken if seat == actor else each for seat, each in enumerate(here)]
                (entering if to >= 0 else ends)[int(to if to >= 0 else -to - 2)] = after
        yield found
        leaves = [ends[int(leaf)] for leaf in current.leaves]
        reach = [np.concatenate([each[seat] for each in leaves], axis=1) for seat in (0, 1)]
