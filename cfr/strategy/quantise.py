"""How a file keeps probabilities: as bytes, without what is hardly ever played, few different ones if it must be small.

Thresholding is that of Ganzfried, Sandholm and Waugh 2012, "Strategy purification and thresholding".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import BettingRound

ONE = 255  # stored probabilities of a node sum to this
# What a compact file keeps of all but a node's likeliest action, in 255ths: finer where rounding does most harm.
GRADES = np.array((0, 5, 11, 19, 30, 46, 66, 85, 126))
PER_BYTE = 126  # a remainder's parts of a 255th; what is left to 127 takes up rounding
_CALL = 1
MOST_PURGED = 0.3  # a node with three actions keeps one

Bytes = NDArray[np.uint8]
Remainders = NDArray[np.int8]


def joined(stored: Bytes, remainders: Remainders | None) -> NDArray[np.float64]:
    """Probabilities in 255ths from their two parts."""
    shares = stored.astype(np.float64)
    if remainders is not None:
        shares += remainders / PER_BYTE
    return shares


def quantise(sums: NDArray[np.floating[Any]] | Bytes, betting: BettingRound) -> Bytes:
    """Strategies as bytes that sum to 255 at every node, by largest remainders; ties go to the earlier action.

    Args:
        sums: ``(rows, node_actions, lines)`` non-negative; each node's are normalised, or uniform where all are 0.
        betting: the round's nodes.
    """
    stored = np.empty(sums.shape, np.uint8)
    for numbers in betting.action_index:
        legal = numbers[numbers >= 0]
        stored[:, legal] = _node_of(sums[:, legal])
    return stored


def coarsen(stored: Bytes, betting: BettingRound) -> Bytes:
    """Stored strategies of few probabilities: each the nearest of :data:`GRADES`, the likeliest action has the rest."""
    middles = (GRADES[1:] + GRADES[:-1]) / 2
    coarse = np.empty_like(stored)
    for numbers in betting.action_index:
        legal = numbers[numbers >= 0]
        shares = stored[:, legal]
        graded = GRADES[np.searchsorted(middles, shares, side="right")]
        likeliest = shares.argmax(axis=1)[:, None]
        np.put_along_axis(graded, likeliest, 0, axis=1)
        np.put_along_axis(graded, likeliest, ONE - graded.sum(axis=1, keepdims=True), axis=1)
        coarse[:, legal] = graded
    return coarse


def remainders(sums: NDArray[np.floating[Any]], stored: Bytes, betting: BettingRound) -> Remainders:
    """What :func:`quantise` left out, in 126ths of a 255th: probabilities become that much finer; 0 in sum at nodes."""
    left = np.empty(sums.shape, np.int8)
    for numbers in betting.action_index:
        legal = numbers[numbers >= 0]
        parts = np.rint((_normalised(sums[:, legal]) - stored[:, legal]) * PER_BYTE)
        likely = stored[:, legal].argmax(axis=1)[:, None]
        np.put_along_axis(parts, likely, np.take_along_axis(parts, likely, 1) - parts.sum(axis=1, keepdims=True), 1)
        left[:, legal] = parts
    return left


def _node_of(sums: NDArray[np.floating[Any]] | Bytes) -> Bytes:
    """``(rows, actions, lines)`` of one node as :func:`quantise` stores it."""
    share = _normalised(sums)
    floor = np.floor(share)
    missing = ONE - floor.sum(axis=1, keepdims=True)
    order = np.argsort(floor - share, axis=1, kind="stable")
    rank = np.argsort(order, axis=1, kind="stable")
    stored: Bytes = (floor + (rank < missing)).astype(np.uint8)
    return stored


def _normalised(sums: NDArray[np.floating[Any]] | Bytes) -> NDArray[np.float64]:
    """``(rows, actions, lines)`` of one node in 255ths; uniform where all are 0."""
    part = sums.astype(np.float64)
    total = part.sum(axis=1, keepdims=True)
    share: NDArray[np.float64] = np.where(total > 0, part / np.where(total > 0, total, 1), 1 / part.shape[1]) * ONE
    return share


def purge(stored: Bytes, betting: BettingRound, below: float | NDArray[np.floating[Any]]) -> Bytes:
    """Stored strategies without the actions of a probability under ``below``; the others share what those had.

    Args:
        stored: ``(rows, node_actions, lines)``, as :func:`quantise` makes them.
        betting: the round's nodes.
        below: at most :data:`MOST_PURGED`, so that every node keeps an action; one for all, or each its own.
    """
    return quantise(np.where(stored < below * ONE, 0, stored), betting) if np.any(below) else stored


def purge_rare(stored: Bytes, betting: BettingRound, weights: NDArray[np.integer[Any]], below: float) -> Bytes:
    """The first round's strategies without calls and raises that a node's whole range makes less often than ``below``.

    A few hands that limp now and then keep half of all betting lines alive, in every later round. Folds stay: they
    keep nothing alive, and the worst hands need them.

    Args:
        stored: ``(rows, node_actions, 1)``.
        betting: the first round's nodes.
        weights: ``(rows,)`` hands in each row.
        below: at most 0.3, so that every node keeps an action.
    """
    kept = stored.copy()
    for numbers, played in _nodes(kept, betting):
        legal = numbers[numbers >= 0]
        hands = weights[:, None] * played  # of the range that comes here
        share = (kept[:, legal] * hands[:, None]).sum(axis=(0, 2)) / ONE
        rare = share < below * hands.sum()
        rare[: len(legal) - int((numbers[_CALL:] >= 0).sum())] = False
        if rare.any():
            sums = np.where(rare[None, :, None], 0, kept[:, legal])
            nothing = sums.sum(axis=1, keepdims=True) == 0  # the row did nothing else
            kept[:, legal] = _node_of(np.where(nothing & ~rare[None, :, None], 1, sums))
    return kept


def settle(stored: Bytes, betting: BettingRound) -> Bytes:
    """Stored strategies that call where the row's own play in the round never comes: the file compresses better.

    Args:
        stored: ``(rows, node_actions, lines)``.
        betting: the round's nodes.
    """
    settled = stored.copy()
    for numbers, played in _nodes(settled, betting):
        for action, number in enumerate(numbers.tolist()):
            if number >= 0:
                settled[:, number][played == 0] = ONE if action == _CALL else 0
    return settled


def _nodes(table: Bytes, betting: BettingRound) -> Iterator[tuple[NDArray[np.integer[Any]], NDArray[np.float64]]]:
    """Each node's three action numbers, and how likely the actor's own play in the round is to come there.

    That is ``(rows, lines)``; what the caller changes in ``table`` counts for the nodes that follow.
    """
    always = np.ones((table.shape[0], table.shape[2]))
    played = {0: (always, always)}
    for node, (actor, numbers) in enumerate(zip(betting.actor.tolist(), betting.action_index, strict=True)):
        yield numbers, played[node][actor]
        for action, child in enumerate(betting.child[node].tolist()):
            if child >= 0:
                after = list(played[node])
                after[actor] = after[actor] * table[:, numbers[action]] / ONE
                played[child] = (after[0], after[1])
