"""How long an iteration over sampled boards takes on this machine: a short trial, without the card abstraction."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median

import numpy as np
from tqdm import tqdm

from cfr.abstraction.buckets import checked_buckets
from cfr.game.evaluate import strengths
from cfr.game.rules import Game
from cfr.hands.isomorphism import canonical_hands, collisions
from cfr.kernel.chance import sample_boards, sampled_deal
from cfr.kernel.numbers import TYPES
from cfr.kernel.traversal import Traversal, Visit, layout
from cfr.solver.cfr_br import TOGETHER, Sides, run_chain
from cfr.solver.settings import Settings

_BOARDS = 32
_ROWS = 6000  # of a table: more than the processor's caches hold, a gigabyte of full hold'em in all
_PASSES = 4  # the first of which touches memory and begins threads, and does not count
TRIAL_ITERATIONS = _BOARDS * _PASSES

# Of the flop, the turn and the river: a factor, a power of the clusters, a power of the classes of the round before.
_ON_A_BOARD = ((62.0, 0.12, 0.0), (37.0, 0.13, 0.0), (10.4, 0.165, 0.24))


def time_iterations(settings: Settings, num_rows: Sequence[int], responds: bool, progress: bool) -> tuple[float, float]:
    """Seconds per sampled iteration, and per one against responses, from some boards.

    Tables have the fewest of these rows: the solve's, those that these boards can meet, and those that exceed the
    processor's caches.

    Args:
        settings: of a solve with buckets.
        num_rows: of each round's table.
        responds: whether the schedule does; if not, both times are the first.
        progress: show a bar on stderr.
    """
    game, threads, ends = settings.game, settings.threads, settings.rivers
    numbers, batch = TYPES[settings.tables], min(settings.batch, _BOARDS)
    traversal = Traversal(layout(game), threads, table_dtype=numbers, batch=batch)
    rng = np.random.default_rng(settings.seed)
    on_a_board = rows_on_a_board(settings)
    met = [min(_ROWS, _BOARDS * ends * there) for there in on_a_board]
    rows = TrialRows(game, tuple(map(min, num_rows, met)), on_a_board, rng)
    boards = sample_boards(game, _BOARDS, rng, ends)
    sampled_deal(game, rows, boards, threads, ends)  # the first time costs several times as much
    begun = time.perf_counter()
    deal = sampled_deal(game, rows, boards, threads, ends)
    dealing = time.perf_counter() - begun
    regrets, averages = (traversal.zeros(deal.num_rows) for _ in range(2))
    sums = [[tables[seat] for tables in averages] for seat in (0, 1)]

    def usual(visit_all: Callable[[], None]) -> float:
        passes = tqdm(range(_PASSES), "timing a trial", unit="passes", disable=not progress, leave=False)
        return median([_seconds(visit_all) for _ in passes][1:]) / _BOARDS

    visits = [Visit(root) for root in range(_BOARDS)]
    updates = [traversal.prepare(deal, regrets, seat, "update", averages=sums[seat]) for seat in (0, 1)]

    def update_all() -> None:
        for start in range(0, _BOARDS, batch):
            run_chain(updates, visits[start : start + batch], batch > 1)

    plain = usual(update_all) + dealing / _BOARDS
    if not responds:
        return plain, plain
    sides = Sides(game, threads, settings.never, ends=ends, table_dtype=numbers, batch=batch)
    num = deal.num_rows
    chains = sides.prepare(deal, sides.zeros(num), sides.opponents_zeros(num), sides.zeros(num))
    firsts = visits[: _BOARDS - sides.boards + 1 : sides.boards]

    def side_by_side() -> None:
        together = batch if batch > 1 else TOGETHER
        for start in range(0, len(firsts), together):
            now = firsts[start : start + together]
            following = boards[: len(now) * sides.boards]
            sides.run(chains, now, partial(sampled_deal, game, rows, following, ends=ends))

    return plain, sides.boards * usual(side_by_side)


def _seconds(visit_all: Callable[[], None]) -> float:
    begun = time.perf_counter()
    visit_all()
    return time.perf_counter() - begun


def rows_on_a_board(settings: Settings) -> tuple[int, ...]:
    """About how many rows of each round's table the hands on one board have, by the solve's buckets.

    Powers of the number of buckets, fitted to card abstractions of 4,000 to 60,000 buckets on flop and turn and 1,000
    to 100,000 rows on the river: within 2 % there, 8 % here. Rounds of a shorter game take those of as many to come.
    """
    game = settings.game
    if settings.buckets is None:
        raise ValueError("only solves with buckets sample boards")
    found = [canonical_hands((game.num_hole_cards,), game.num_ranks, game.num_suits)[0]]
    every_round = checked_buckets(game, settings.buckets)
    for (factor, exponent, more), buckets in zip(_ON_A_BOARD[-len(every_round) :], every_round, strict=True):
        if buckets is None:
            found.append(game.num_hands)
        else:
            met = round(factor * math.pow(buckets.clusters, exponent) * math.pow(buckets.classes, more))
            found.append(min(buckets.rows, game.num_hands, met))
    return tuple(found)


class TrialRows:
    """Rows for a trial: on each board about as many of all as there are buckets, at random, on the river by strength.

    Args:
        game: the rules.
        num_rows: of each round's table.
        on_a_board: how many of them one board has, at most.
        rng: random numbers.
    """

    def __init__(
        self, game: Game, num_rows: Sequence[int], on_a_board: Sequence[int], rng: np.random.Generator
    ) -> None:
        self.game = game
        self.num_rows = tuple(num_rows)
        self.separates_boards = False
        self._on_a_board = on_a_board
        self._rng = rng

    def rows(self, round_index: int, boards: np.ndarray, threads: int = 1) -> np.ndarray:
        every, hands = self.num_rows[round_index], self.game.num_hands
        count = min(every, self._on_a_board[round_index])
        blocked = collisions(boards, self.game.hands)
        if round_index == self.game.num_rounds - 1:
            strong = np.where(blocked, -1, strengths(boards, self.game.hands).astype(np.int32))
            ranks = strong.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
            below = blocked.sum(axis=1, keepdims=True)
            nth = np.maximum(ranks - below, 0) * count // (hands - below)
        else:
            nth = self._rng.integers(count, size=(len(boards), hands))
        there = np.stack([self._rng.choice(every, count, replace=False) for _ in boards])
        return np.where(blocked, -1, np.take_along_axis(there, nth, axis=1)).astype(np.int32)
