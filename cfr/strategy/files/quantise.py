"""Probabilities in files: bytes, without rare actions.

Thresholding follows Ganzfried, Sandholm and Waugh 2012, "Strategy purification and thresholding".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr._native import quantise as _quantise
from cfr.game.betting_round import BettingRound

ONE = 255  # stored probabilities of a node sum to this
PER_BYTE = 126  # parts of a 255th in a remainder; rounding may add 1 more, up to 127
_CALL = 1
MOST_PURGED = 0.3  # a node with three actions keeps one

Bytes = NDArray[np.uint8]
Remainders = NDArray[np.int8]
Stored = NDArray[np.uint8] | NDArray[np.float32] | NDArray[np.float64]  # of 255ths, or probabilities


def joined(stored: Stored, remainders: Remainders | None) -> NDArray[np.float64]:
    """Probabilities in 255ths: stored bytes plus remainders, or stored probabilities."""
    shares = stored.astype(np.float64)
    if stored.dtype != np.uint8:
        shares *= ONE
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
    _round_all(sums, betting.action_index, stored)
    return stored


def quantise_finely(sums: NDArray[np.floating[Any]] | Bytes, betting: BettingRound) -> tuple[Bytes, Remainders]:
    """:func:`quantise`, and what rounding leaves out in 126ths of a 255th; remainders sum to 0 at each node."""
    stored, left = np.empty(sums.shape, np.uint8), np.empty(sums.shape, np.int8)
    _round_all(sums, betting.action_index, stored, left)
    return stored, left


def normalised(sums: NDArray[np.floating[Any]], betting: BettingRound) -> NDArray[np.float64]:
    """Probabilities that sum to 1 at every node, as :func:`quantise` rounds them; arguments as there."""
    found = np.empty(sums.shape, np.float64)
    for numbers in betting.action_index:
        legal = numbers[numbers >= 0]
        total = sums[:, legal].sum(axis=1, keepdims=True, dtype=np.float64)
        found[:, legal] = np.where(total > 0, sums[:, legal] / np.where(total > 0, total, 1), 1 / len(legal))
    return found


def quantise_lines(
    table: NDArray[np.floating[Any]],
    entries: NDArray[np.integer[Any]],
    numbers: NDArray[np.integer[Any]],
    lines: NDArray[np.integer[Any]],
    stored: Bytes,
    left: Remainders,
) -> None:
    """:func:`quantise_finely` for some nodes and lines; the table gets the rounded probabilities, in 255ths.

    Args:
        table: ``(rows, entries, n)`` float32 or float64, changed in place.
        entries: ``(nodes, 3)`` entry of each action in the table; -1 for an action without one, which has sum 0.
        numbers: ``(nodes, 3)`` node-action of each action; -1 where illegal.
        lines: ``(n,)`` number of each of the table's lines.
        stored, left: out, ``(rows, node_actions, lines)``.
    """
    _round(table, entries, numbers, lines, stored, left, table)


def _round_all(
    sums: NDArray[Any], numbers: NDArray[np.integer[Any]], stored: Bytes, left: Remainders | None = None
) -> None:
    _round(sums, numbers, numbers, np.arange(sums.shape[2]), stored, left)


def _round(
    sums: NDArray[Any],
    entries: NDArray[np.integer[Any]],
    numbers: NDArray[np.integer[Any]],
    lines: NDArray[np.integer[Any]],
    stored: Bytes,
    left: Remainders | None = None,
    exact: NDArray[np.floating[Any]] | None = None,
) -> None:
    if sums.dtype not in (np.float32, np.float64):
        sums = sums.astype(np.float64)
    legal_first = np.argsort(numbers < 0, axis=1, kind="stable")
    nodes, columns = (np.take_along_axis(each, legal_first, axis=1).astype(np.int32) for each in (entries, numbers))
    _quantise.round_nodes(sums, nodes, columns, lines.astype(np.int32), stored, left, exact)


def purge(stored: Bytes, betting: BettingRound, below: float | NDArray[np.floating[Any]]) -> Bytes:
    """Remove actions with a probability under ``below`` from stored strategies, and scale the others up.

    Args:
        stored: ``(rows, node_actions, lines)``, as :func:`quantise` makes them.
        betting: the round's nodes.
        below: one bound, or one for each probability; at most :data:`MOST_PURGED`: every node must keep an action.
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
    for numbers, played in nodes_played(kept, betting):
        legal = numbers[numbers >= 0]
        hands = weights[:, None] * played  # the range that reaches the node
        share = (kept[:, legal] * hands[:, None]).sum(axis=(0, 2)) / ONE
        rare = share < below * hands.sum()
        rare[: len(legal) - int((numbers[_CALL:] >= 0).sum())] = False
        if rare.any():
            sums = np.where(rare[None, :, None], 0, kept[:, legal])
            nothing = sums.sum(axis=1, keepdims=True) == 0  # the row did nothing else
            sums = np.where(nothing & ~rare[None, :, None], 1, sums)
            rounded = np.empty(sums.shape, np.uint8)
            _round_all(sums, np.where(numbers >= 0, np.cumsum(numbers >= 0) - 1, -1)[None], rounded)
            kept[:, legal] = rounded
    return kept


def nodes_played(table: Bytes, betting: BettingRound) -> Iterator[tuple[NDArray[np.integer[Any]], NDArray[np.float64]]]:
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
