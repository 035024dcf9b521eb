"""Makes codebooks: the entries of a line are as many, and its rows' codes as long, as its play is worth.

Entropy-constrained vector quantisation (Chou, Lookabaugh and Gray 1989, "Entropy-constrained vector quantization"):
Lloyd's iteration, where a row takes not the nearest entry, but the one with the least sum of bits and worth of the
difference. What own play seldom reaches takes common entries, which cost few bits.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from cfr.game.betting_round import BettingRound
from cfr.strategy.files.codebook import Bytes, Codebooks, Codes, seat_columns
from cfr.strategy.files.quantise import ONE, nodes_played, purge, quantise

MOST_ENTRIES = 4096  # of a seat on a line
_FEW_ENTRIES = 64  # that a line begins with
_ENTRY_BITS = 64  # what an entry takes in the file, shared by its rows
_FULL = 0.75  # of its entries a line must use to get more
_ITERATIONS = 3
_LAST_ITERATIONS = 5
_ROWS_AT_A_TIME = 64
_COSTS_AT_A_TIME = 1 << 18  # what a core's own cache holds
_CALL = 1

# Bits of the last round. Each round before is worth more: it has fewer rows and decides about all that follows.
_LAST_WORTH = 4000.0
_EARLIER = 10.0

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]


def encode(
    shape: tuple[int, int, int],
    read: Callable[[int, int], Bytes],
    read_weights: Callable[[int, int], Singles],
    betting: BettingRound,
    stakes: NDArray[np.integer],
    worth: float,
    below: float = 0.0,
    *,
    threads: int = 1,
    progress: bool = False,
) -> Codebooks:
    """Codebooks of a round; the result does not depend on ``threads``.

    Args:
        shape: ``(rows, node_actions, lines)``.
        read: ``read(start, stop)`` gives the probabilities of these rows in 255ths.
        read_weights: the same for ``(n, 2, lines)`` weights, by seat: how much a row counts on a line.
        betting: the round's nodes.
        stakes: ``(lines,)`` chips that each seat has in the pot when the round begins.
        worth: bits that a squared difference of 1 between a row's plan and its entry is worth, for a row of average
            weight, on the line of most weight, in the smallest pot; other lines in proportion to weight and pot.
        below: entries drop actions less probable than this, as :func:`cfr.strategy.files.quantise.purge`.
        progress: show a bar on stderr.
    """
    from threadpoolctl import threadpool_limits

    rows, _, lines = shape
    columns = seat_columns(betting)
    points = [np.empty((lines, rows, len(each)), np.uint8) for each in columns]
    weights = np.empty((2, lines, rows), np.float32)
    codes = np.empty((2, lines, rows), np.uint16)

    def take(start: int) -> None:
        part = slice(start, min(start + _ROWS_AT_A_TIME, rows))
        plan = _plan(read(part.start, part.stop), betting)
        for seat, own in enumerate(columns):
            points[seat][:, part] = plan[:, own].transpose(2, 0, 1)
        weights[:, :, part] = read_weights(part.start, part.stop).transpose(1, 2, 0)

    def one(place: tuple[int, int]) -> Bytes:
        seat, line = place
        codes[place], means = _clustered(points[seat][line], weights[place] * worths[line])
        return _entries(means, columns[seat], betting, below)

    places = [(seat, line) for seat in (0, 1) for line in range(lines)]
    pool = ThreadPoolExecutor(threads)
    try:
        with threadpool_limits(1):
            list(pool.map(take, range(0, rows, _ROWS_AT_A_TIME)))
            heaviest = weights.sum(axis=2, dtype=np.float64).max() or 1.0
            worths = worth * rows / heaviest * stakes / stakes.min()
            done = pool.map(one, places)
            made = list(tqdm(done, "codebooks", len(places), unit="lines", disable=not progress, leave=False))
    finally:
        pool.shutdown(cancel_futures=True)  # after Ctrl-C, too, at once
    widest = max(len(each) for each in columns)
    entries = np.concatenate([np.pad(each, ((0, 0), (0, widest - each.shape[1]))) for each in made])
    counts = np.array([len(each) for each in made], np.int32).reshape(2, lines)
    return Codebooks(codes, entries, counts, betting)


def codebook_worth(rounds_after: int) -> float:
    """What :func:`encode` takes as ``worth`` for files."""
    return _LAST_WORTH * _EARLIER**rounds_after


def _clustered(points: Bytes, worths: Floats) -> tuple[Codes, Floats]:
    """The entry ``(n,)`` of each of ``(n, D)`` plans in 255ths, and ``(K, D)`` mean plans, those of most rows first.

    ``worths`` are the bits ``(n,)`` that a squared difference of 1 is worth. A row without any takes the first entry.
    """
    live = np.flatnonzero(worths)
    codes = np.zeros(len(points), np.uint16)
    if not len(live):
        return codes, np.zeros((1, points.shape[1]))
    rows, worths = points[live].astype(np.float32), worths[live] / ONE**2
    # Rows join in a random order, the worthier the sooner (Efraimidis and Spirakis 2006).
    chance = np.random.default_rng(0).gumbel(size=len(live))
    order = np.argsort(-(np.log(worths) + chance), kind="stable")
    most = min(MOST_ENTRIES, len(np.unique(points[live], axis=0)))
    found, joined = _Entries(np.empty((0, points.shape[1]), np.float32), np.empty(0)), 0
    while True:
        wanted = min(most, max(_FEW_ENTRIES, 2 * len(found.means)))
        more = order[joined : joined + wanted - len(found.means)]
        joined += len(more)
        found.add(rows[more])
        labels = found.fit(rows, worths, _ITERATIONS)
        if len(found.means) < _FULL * wanted or wanted == most:
            break
    labels = found.fit(rows, worths, _LAST_ITERATIONS)
    size = np.bincount(labels)
    ranked = np.argsort(-size, kind="stable")
    rank = np.empty(len(size), np.uint16)
    rank[ranked] = np.arange(len(size))
    codes[live] = rank[labels]
    return codes, found.means[ranked].astype(np.float64)


class _Entries:
    """Entries of one seat and line while they are made.

    Attributes:
        means: ``(K, D)`` plans in 255ths.
        bits: ``(K,)`` that a row spends on each.
    """

    def __init__(self, means: Singles, bits: Floats) -> None:
        self.means, self.bits = means, bits

    def add(self, plans: Singles) -> None:
        """New entries, as long in bits as the others."""
        new = np.unique(plans, axis=0)
        usual = np.median(self.bits) if len(self.bits) else np.log2(max(2, len(new)))
        self.means = np.concatenate([self.means, new])
        self.bits = np.concatenate([self.bits, np.full(len(new), usual)])

    def fit(self, rows: Singles, worths: Floats, iterations: int) -> NDArray[np.intp]:
        """Lloyd's iterations; entries without rows vanish. Returns each row's entry ``(n,)``."""
        for _ in range(iterations):
            labels = self._cheapest(rows, worths)
            size = np.bincount(labels, minlength=len(self.means))
            used = size > 0
            mass = np.bincount(labels, worths, len(self.means))[used]
            sums = [np.bincount(labels, worths * column, len(self.means))[used] for column in rows.T]
            self.means = (np.stack(sums, axis=1) / mass[:, None]).astype(np.float32)
            labels = (np.cumsum(used) - 1)[labels]
            self.bits = np.log2(len(rows) / size[used]) + _ENTRY_BITS / size[used]
        return labels

    def _cheapest(self, rows: Singles, worths: Floats) -> NDArray[np.intp]:
        """The entry of each row with the least ``bits + worth * squared difference``; the first of equals."""
        # One product has all: minus half of the cost, divided by the worth and without what all entries share.
        book = np.column_stack([self.means, -(self.means**2).sum(axis=1) / 2, -self.bits]).astype(np.float32).T
        price = np.minimum(1 / (2 * worths), 1e9).astype(np.float32)
        wide = np.column_stack([rows, np.ones(len(rows), np.float32), price])
        labels, step = np.empty(len(rows), np.intp), max(1, _COSTS_AT_A_TIME // len(self.means))
        for start in range(0, len(rows), step):
            labels[start : start + step] = (wide[start : start + step] @ book).argmax(axis=1)
        return labels


def _entries(plans: Floats, own: NDArray[np.intp], betting: BettingRound, below: float) -> Bytes:
    """``(K, own)`` probabilities in 255ths of ``(K, own)`` plans; a call at nodes where own play never comes."""
    sums = np.zeros((len(plans), betting.node_actions, 1))
    sums[:, own, 0] = plans
    for numbers in betting.action_index:
        legal = numbers[numbers >= 0]
        sums[:, numbers[_CALL]] += sums[:, legal].sum(axis=1) == 0
    return purge(quantise(sums, betting), betting, below)[:, own, 0]


def _plan(stored: Bytes, betting: BettingRound) -> Bytes:
    """Both seats' realisation plans in 255ths, for ``(n, node_actions, lines)`` probabilities of the same shape."""
    plan = np.empty_like(stored)
    for numbers, played in nodes_played(stored, betting):
        legal = numbers[numbers >= 0]
        plan[:, legal] = np.rint(stored[:, legal] * played[:, None])
    return plan
