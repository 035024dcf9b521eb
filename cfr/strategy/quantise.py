"""Probabilities in files: bytes, without rare actions, and with few different values in a compact file.

Thresholding follows Ganzfried, Sandholm and Waugh 2012, "Strategy purification and thresholding".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import BettingRound

ONE = 255  # stored probabilities of a node sum to this
# Values in a compact file, in 255ths, of all but a node's likeliest action; fine steps where rounding does most harm.
GRADES = np.array((0, 5, 11, 19, 30, 46, 66, 85, 126))
PER_BYTE = 126  # parts of a 255th in a remainder; rounding may add 1 more, up to 127
_CALL = 1
MOST_PURGED = 0.3  # a node with three actions keeps one

Bytes = NDArray[np.uint8]
Remainders = NDArray[np.int8]


def joined(stored: Bytes, remainders: Remainders | None) -> NDArray[np.float64]:
    """Probabilities in 255ths, as stored bytes plus remainders."""
    shares = stored.astype(np.float64)
    if remainders is not None:
        shares += remainders / PER_BYTE
    return shares


def quantise(sums: NDArray[np.floating[Any]] | Bytes, betting: BettingRound) -> Bytes:
    """Strategies as bytes that sum to 255 at every node, by largest remainders; ties go to the earlier action.

    Args:
        sums: ``(rows, node_actions, lines)`` non-negative; each node is normalised, or uniform if all its sums are 0.
        betting: the round's nodes.
    """
    stored = np.empty(sums.shape, np.uint8)
    for numbers in betting.action_index:
        legal = numbers[numbers >= 0]
        for number, part in zip(legal, _rounded(_shares(sums, legal)), strict=True):
            stored[:, number] = part
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
        kept = [stored[:, number] for number in legal]
        parts = [np.rint((share - each) * PER_BYTE) for share, each in zip(_shares(sums, legal), kept, strict=True)]
        likeliest, too_much = reduce(np.maximum, kept), reduce(np.add, parts)
        for number, part, each in zip(legal, parts, kept, strict=True):
            taken = too_much * (each == likeliest)
            left[:, number] = part - taken
            too_much -= taken  # the first of several equal actions takes it all
    return left


def _rounded(shares: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    """A node's shares in 255ths, an array for each action, as :func:`quantise` rounds them."""
    whole = [np.floor(share) for share in shares]
    missing = ONE - reduce(np.add, whole)
    parts = [share - each for share, each in zip(shares, whole, strict=True)]
    ranks = [np.zeros(missing.shape, np.int8) for _ in shares]
    for first, second in combinations(range(len(shares)), 2):
        comes_later = parts[first] < parts[second]
        ranks[first] += comes_later
        ranks[second] += ~comes_later
    return [each + (rank < missing) for each, rank in zip(whole, ranks, strict=True)]


def _shares(sums: NDArray[np.floating[Any]] | Bytes, legal: NDArray[np.integer[Any]]) -> list[NDArray[np.float64]]:
    """A node's probabilities in 255ths, ``(rows, lines)`` for each of its actions; uniform where all are 0."""
    parts = [sums[:, number].astype(np.float64) for number in legal]
    total = reduce(np.add, parts)
    is_played = total > 0
    whole = np.where(is_played, total, 1)
    return [np.where(is_played, part / whole, 1 / len(parts)) * ONE for part in parts]


def purge(stored: Bytes, betting: BettingRound, below: float | NDArray[np.floating[Any]]) -> Bytes:
    """Remove actions with a probability under ``below`` from stored strategies; the other actions share their part.

    Args:
        stored: ``(rows, node_actions, lines)``, as :func:`quantise` makes them.
        betting: the round's nodes.
        below: one number, or one for each probability; at most :data:`MOST_PURGED`: every node must keep an action.
    """
    return quantise(np.where(stored < below * ONE, 0, stored), betting) if np.any(below) else stored


def purge_rare(stored: Bytes, betting: BettingRound, weights: NDArray[np.integer[Any]], below: float) -> Bytes:
    """Remove the first round's calls and raises that a node's whole range makes less often than ``below``.

    A few hands that seldom limp would keep half of all betting lines alive in every later round. Folds stay: no line
    follows a fold, and the worst hands need folds.

    Args:
        stored: ``(rows, node_actions, 1)``.
        betting: the first round's nodes.
        weights: ``(rows,)`` hands in each row.
        below: at most 0.3: every node must keep an action.
    """
    kept = stored.copy()
    for numbers, played in _nodes(kept, betting):
        legal = numbers[numbers >= 0]
        hands = weights[:, None] * played  # the range that reaches the node
        share = (kept[:, legal] * hands[:, None]).sum(axis=(0, 2)) / ONE
        rare = share < below * hands.sum()
        rare[: len(legal) - int((numbers[_CALL:] >= 0).sum())] = False
        if rare.any():
            sums = np.where(rare[None, :, None], 0, kept[:, legal])
            nothing = sums.sum(axis=1, keepdims=True) == 0  # the row did nothing else
            sums = np.where(nothing & ~rare[None, :, None], 1, sums)
            kept[:, legal] = np.stack(_rounded(_shares(sums, np.arange(len(legal)))), axis=1)
    return kept


def settle(stored: Bytes, betting: BettingRound) -> Bytes:
    """Let rows call at nodes that their own play in the round never reaches: such a file compresses better.

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
    """Each node's three action numbers, and ``(rows, lines)`` probability that the actor's own play reaches the node.

    Only play in the round counts. A caller's changes to ``table`` count at all later nodes.
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
