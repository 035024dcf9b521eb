"""Probabilities as files keep them: bytes, without rare actions, and of few different values if a file must be small.

Thresholding follows Ganzfried, Sandholm and Waugh 2012, "Strategy purification and thresholding".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import BettingRound

ONE = 255  # stored probabilities of a node sum to this
# Values in a compact file of all but a node's likeliest action, in 255ths: finer where rounding does most harm.
GRADES = np.array((0, 5, 11, 19, 30, 46, 66, 85, 126))
PER_BYTE = 126  # parts of a 255th in a remainder; the rest to 127 takes up rounding
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
        sums: ``(rows, node_actions, lines)`` non-negative; normalised at each node, or uniform where all are 0.
        betting: the round's nodes.
    """
    stored = np.empty(sums.shape, np.uint8)
    for numbers in betting.action_index:
        legal = numbers[numbers >= 0]
        stored[:, legal] = _node_of(sums[:, legal])
    return stored


def coarsen(stored: Bytes, betting: BettingRound) -> Bytes:
    """Round stored probabilities to the nearest of :data:`GRADES`; the likeliest action gets the rest."""
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
    """Remainders that :func:`quantise` rounded off, in 126ths of a 255th; they sum to 0 at each node."""
    left = np.empty(sums.shape, np.int8)
    for numbers in betting.action_index:
        legal = numbers[numbers >= 0]
        parts = np.rint((_normalised(sums[:, legal]) - stored[:, legal]) * PER_BYTE)
        likely = stored[:, legal].argmax(axis=1)[:, None]
        np.put_along_axis(parts, likely, np.take_along_axis(parts, likely, 1) - parts.sum(axis=1, keepdims=True), 1)
        left[:, legal] = parts
    return left


def _node_of(sums: NDArray[np.floating[Any]] | Bytes) -> Bytes:
    """``(rows, actions, lines)`` of one node as :func:`quantise` stores them."""
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
    """Remove actions with a probability under ``below`` from stored strategies; the other actions share their part.

    Args:
        stored: ``(rows, node_actions, lines)``, as :func:`quantise` makes them.
        betting: the round's nodes.
        below: at most :data:`MOST_PURGED`, so that every node keeps an action; one number, or one for each probability.
    """
    return quantise(np.where(stored < below * ONE, 0, stored), betting) if np.any(below) else stored


def purge_rare(stored: Bytes, betting: BettingRound, weights: NDArray[np.integer[Any]], below: float) -> Bytes:
    """Remove the first round's calls and raises that a node's whole range makes less often than ``below``.

    A few hands that limp now and then keep half of all betting lines alive in every later round. Folds stay: no line
    follows them, and the worst hands need them.

    Args:
        stored: ``(rows, node_actions, 1)``.
        betting: the first round's nodes.
        weights: ``(rows,)`` hands in each row.
        below: at most 0.3, so that every node keeps an action.
    """
    kept = stored.copy()
    for numbers, played in _nodes(kept, betting):
        legal = numbers[numbers >= 0]
        hands = weights[:, None] * played  # of the range that reaches the node
        share = (kept[:, legal] * hands[:, None]).sum(axis=(0, 2)) / ONE
        rare = share < below * hands.sum()
        rare[: len(legal) - int((numbers[_CALL:] >= 0).sum())] = False
        if rare.any():
            sums = np.where(rare[None, :, None], 0, kept[:, legal])
            nothing = sums.sum(axis=1, keepdims=True) == 0  # the row did nothing else
            kept[:, legal] = _node_of(np.where(nothing & ~rare[None, :, None], 1, sums))
    return kept


def settle(stored: Bytes, betting: BettingRound) -> Bytes:
    """Let rows call at nodes that their own play in the round never reaches: the file compresses better.

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
    """Each node's three action numbers, and ``(rows, lines)`` the probability that the actor's own play reaches it.

    Only play in the round counts. Changes that the caller makes to ``table`` count for the nodes that follow.
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
