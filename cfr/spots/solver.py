"""The tables of a spot, solved without buckets.

Every hand on every board that can follow has a row of its own, or in the last round every strength has one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cfr.hands.river_rows import RiverRows
from cfr.kernel.chance import Deal, enumerate_below
from cfr.kernel.numbers import TYPES, narrowed, type_name, widened
from cfr.kernel.schedules import Schedule
from cfr.kernel.tables import Tables
from cfr.kernel.traversal import Mode, Prepared, Traversal, Visit
from cfr.spots.lock import Lock, locked_spot
from cfr.spots.policy_iteration import best_tables
from cfr.strategy.files.quantise import quantise_lines
from cfr.strategy.files.spot_file import SpotStrategy, StoredRound
from cfr.strategy.spot import Spot
from cfr.strategy.spot_rows import NO_LOCKS_BY_STRENGTH, SpotRows
from cfr.system.errors import BadInputError

_ROWS_TO_ROUND = 2048  # rows that fit a cache


@dataclass(frozen=True)
class SpotMeasurement:
    """A strategy of a spot, measured by exact best response over all boards; chips per hand that gets to the spot.

    Attributes:
        best_response: winnings of the best response in each seat (ACPC positions), counted from the start of the hand;
            a best response keeps to the locks of its seat.
        self_play: winnings of each seat when both seats play the strategy; they sum to 0.
    """

    best_response: tuple[float, float]
    self_play: tuple[float, float]

    @property
    def exploitability(self) -> float:
        """The mean over both seats of the best-response gain."""
        return sum(self.best_response) / 2


class SpotSolver:
    """Solves a spot by counterfactual regret minimisation, one seat after the other.

    Args:
        spot: the start of the subgame, and both ranges.
        threads: number of threads of a traversal; the result does not depend on threads.
        locks: decisions with fixed frequencies.
        dtype: number type: float32, or float64 for small games.
        tables: number type of the tables, from :mod:`cfr.kernel.numbers`; default, ``dtype``. ``int8`` holds no locks.
        river_rows: whether a row of the last round is a hand or a strength. Locks are about hands.

    Attributes:
        iterations: number of iterations done.
        regrets, averages: per round from the spot's on, both seats' tables.
    """

    def __init__(
        self,
        spot: Spot,
        threads: int = 1,
        locks: Sequence[Lock] = (),
        dtype: np.dtype | type = np.float32,
        tables: str | None = None,
        river_rows: RiverRows = "hands",
    ) -> None:
        if locks and tables == "int8":
            raise BadInputError("tables of int8 cannot hold locks; use float32 or bfloat16")
        if locks and river_rows != "hands":
            raise BadInputError(NO_LOCKS_BY_STRENGTH)
        self.spot = spot = locked_spot(spot, locks)
        self.rows = SpotRows(spot.game, spot.board, spot.is_symmetric, spot.held, river_rows=river_rows)
        self.tree = spot.tree(dtype)
        boards = enumerate_below(spot.game, self.rows, np.array(spot.board, np.uint8), spot.is_symmetric)
        self.deal = Deal(tuple(boards), self.rows.num_rows[self.tree.first :], 1.0, disjoint=True)
        numbers = None if tables is None else TYPES[tables]
        self.traversal = Traversal(self.tree, threads, dtype, reach=spot.ranges, table_dtype=numbers)
        self.regrets = self.traversal.zeros(self.deal.num_rows)
        self.averages = self.traversal.zeros(self.deal.num_rows, sums=True)
        self.iterations = 0
        self._locked = [self._located(lock) for lock in locks]
        self._write_locks(self.regrets)

    @property
    def tables(self) -> dict[str, list[Tables]]:
        """The tables of a checkpoint, by kind; a checkpoint also needs :attr:`iterations`."""
        return {"regrets": self.regrets, "averages": self.averages}

    @property
    def table_type(self) -> str:
        """The tables' number type."""
        return type_name(self.traversal.table_dtypes[-1])

    def step(self, schedule: Schedule) -> None:
        """One iteration: an update of each seat.

        Ctrl-C must not interrupt an iteration: half-updated tables are no checkpoint.
        """
        iteration = self.iterations + 1
        for seat, update in enumerate(self._updates):
            update.run(
                Visit(weight=schedule.weight(iteration), kept=schedule.kept(iteration), seed=2 * iteration + seat)
            )
            for locked in self._locked:
                if locked.seat == seat:
                    locked.write(self.regrets)
        self.iterations = iteration

    def by_hand(self) -> SpotSolver:
        """A solver with river rows by hand that goes on from this one, whose river rows are by strength.

        Each hand plays as its strength did, with an equal part of the strength's regrets and average.

        Raises:
            ValueError: tables of int8, which the kernel alone writes.
        """
        threads, numbers = self.traversal.threads, self.traversal.table_dtypes[-1]
        tables = None if numbers == self.traversal.dtype else type_name(numbers)
        fine = SpotSolver(self.spot, threads, dtype=self.traversal.dtype, tables=tables)
        last = len(self.regrets) - 1
        boards, round_ = self.rows.boards[last], self.tree.first + last
        to, origin = (each.rows.rows(round_, boards).ravel() for each in (fine, self))
        rows, first = np.unique(to[to >= 0], return_index=True)
        strength = origin[to >= 0][first]
        part = 1 / np.bincount(strength).astype(np.float32)
        for kind, rounds in self.tables.items():
            for number, pair in enumerate(fine.tables[kind]):
                for seat, table in enumerate(pair):
                    kept = rounds[number][seat]
                    if number < last:
                        table[...] = kept
                        continue
                    for start in range(0, len(rows), _ROWS_TO_ROUND):
                        taken = strength[start : start + _ROWS_TO_ROUND]
                        shared = widened(kept[taken]) * part[taken, None, None, None].astype(self.traversal.dtype)
                        table[start : start + _ROWS_TO_ROUND] = narrowed(shared, table.dtype)
        fine.iterations = self.iterations
        return fine

    def measure(self, tables: Sequence[Tables] | None = None) -> SpotMeasurement:
        """Measure the average strategy, or the one in ``tables``."""
        measured = self.averages if tables is None else tables
        best = self._best(measured, 0), self._best(measured, 1)
        won = self._won(measured, 0, "average")
        return SpotMeasurement(best, (won, 0.0 - won))

    def exploitability(self) -> float:
        """The average strategy's exploitability, in chips; half the work of :meth:`measure`."""
        return (self._best(self.averages, 0) + self._best(self.averages, 1)) / 2

    def _best(self, tables: Sequence[Tables], seat: int) -> float:
        """Chips that a best response wins in a seat; a seat with locks keeps to its locks."""
        self._write_locks(tables)
        if all(locked.seat != seat for locked in self._locked):
            return self._won(tables, seat, "best")
        best = best_tables(self.traversal, self.deal, tables, seat, self.spot.state, self._write_locks)
        return self._won(best, seat, "average")

    def _won(self, tables: Sequence[Tables], seat: int, mode: Mode) -> float:
        values = self.traversal.run(self.deal, tables, seat, mode)
        return float(values @ self.spot.ranges[seat]) / self.spot.mass

    def _write_locks(self, tables: Sequence[Tables]) -> None:
        for locked in self._locked:
            locked.write(tables)

    def stored(self, without_last: bool = False) -> tuple[SpotStrategy, SpotMeasurement]:
        """The average strategy, rounded as a file stores it, and the measurement of the rounded strategy.

        The rounded probabilities take the place of the average: the solve is over, and its regrets are let go.
        ``without_last`` leaves the last round out; the measurement then takes the solved last round. Narrow tables are
        measured in bfloat16.
        """
        self.__dict__.pop("_updates", None)
        self.regrets = []
        self._write_locks(self.averages)
        rounds = [self._round(number) for number in range(len(self.averages) - without_last)]
        return SpotStrategy(self.spot, self.rows, rounds, {}), self.measure()

    def _round(self, number: int) -> StoredRound:
        """A round of the average strategy, rounded as a file stores it; the rounded one is the average from now on."""
        betting = self.tree.betting.rounds[self.tree.first + number]
        current, pair = self.tree.rounds[number], self.averages[number]
        shape = (len(pair[0]), betting.node_actions, len(current.entry))
        kept = StoredRound(np.empty(shape, np.uint8), np.empty(shape, np.int8))
        if pair[0].dtype == np.uint8:  # coarser than the file
            exact = TYPES["bfloat16"]
            shapes = [self.tree.table_shape(number, seat, len(pair[0]), exact) for seat in (0, 1)]
            self.averages[number] = (np.empty(shapes[0], exact), np.empty(shapes[1], exact))
        parts = [
            (seat, slice(start, start + _ROWS_TO_ROUND))
            for start in range(0, len(pair[0]), _ROWS_TO_ROUND)
            for seat in (0, 1)
        ]
        places = np.divmod(current.entry, self.tree.lanes)
        places_of_seat = []
        for seat in (0, 1):
            numbers = betting.action_index[betting.actor == seat]
            entries = np.full(betting.node_actions, -1)
            entries[current.seats[seat].columns] = np.arange(current.seats[seat].sequences - 1)
            places_of_seat.append((np.where(numbers >= 0, entries[numbers], -1), numbers))

        def round_part(part: tuple[int, slice]) -> None:
            seat, rows = part
            table = pair[seat][rows]
            wide = widened(table)
            for block in range(table.shape[1]):
                lines = np.flatnonzero(places[0] == block)
                quantise_lines(
                    wide[:, block, :, : len(lines)], *places_of_seat[seat], lines, kept.stored[rows], kept.left[rows]
                )
            if wide is not table:
                self.averages[number][seat][rows] = narrowed(wide, self.averages[number][seat].dtype)

        with ThreadPoolExecutor(self.traversal.threads) as pool:
            deque(pool.map(round_part, parts), maxlen=0)
        return kept

    @cached_property
    def _updates(self) -> tuple[Prepared, Prepared]:
        first, second = (
            self.traversal.prepare(
                self.deal, self.regrets, seat, "update", averages=[pair[seat] for pair in self.averages]
            )
            for seat in (0, 1)
        )
        return first, second

    def _located(self, lock: Lock) -> _Locked:
        """The place of a lock in the tables; raises BadInputError for a lock that does not follow the spot."""
        state, number = lock.state, lock.state.round - self.tree.first
        if state.is_over or not state.line_string.startswith(self.spot.state.line_string):
            raise BadInputError(f"lock {state.line_string!r}: no decision that follows {self.spot}")
        held = ~np.isnan(lock.frequencies).any(axis=1)
        current, betting = self.tree.rounds[number], self.tree.betting.rounds[state.round]
        entry = current.entry[int(np.searchsorted(current.betting_line, state.line))]
        numbers = betting.action_index[state.node]
        seat = state.actor
        columns = np.searchsorted(current.seats[seat].columns, numbers[numbers >= 0])
        rows = self.rows.rows(state.round, self.rows.boards[number])[:, held]
        shares = np.broadcast_to(lock.frequencies[held][:, numbers >= 0], (*rows.shape, len(columns)))
        live = rows >= 0
        block, lane = divmod(int(entry), self.tree.lanes)
        return _Locked(number, seat, rows[live], block, lane, columns, shares[live])


@dataclass(frozen=True, eq=False)
class _Locked:
    """A lock in the tables: ``(n,)`` rows of a seat's table, ``(actions,)`` columns, ``(n, actions)`` frequencies."""

    round_: int
    seat: int
    rows: np.ndarray
    block: int
    lane: int
    columns: np.ndarray
    shares: np.ndarray

    def write(self, tables: Sequence[Tables]) -> None:
        table = tables[self.round_][self.seat]
        table[self.rows[:, None], self.block, self.columns, self.lane] = narrowed(self.shares, table.dtype)
