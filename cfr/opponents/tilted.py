"""A strategy that is another one tilted, read row by row; and its file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache, partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import State
from cfr.kernel.tables import Source
from cfr.opponents.hand_strength import LEVELS, levels
from cfr.opponents.living_lines import living_lines
from cfr.opponents.tilt import Tilt
from cfr.opponents.unique_rows import unique_numbers, unique_rows
from cfr.strategy.files.codebook import Codebooks, seat_columns
from cfr.strategy.files.file import save
from cfr.strategy.files.quantise import ONE, quantise
from cfr.strategy.files.round_rows import RoundRows
from cfr.strategy.files.stored import Strategy, at_all_hands, rows_on_line
from cfr.strategy.strategy import BaseStrategy, Cards, Floats
from cfr.system.progress import Progress

_CACHED_ROWS = 4096
_TILTED = 0.6  # rough share of the time of a file; writing takes the rest


class Tilted(BaseStrategy):
    """A blueprint, tilted.

    Args:
        base: the blueprint, a file of a whole game.
        tilt: its tilt.

    Attributes:
        base, tilt: as given.
    """

    is_whole = True

    def __init__(self, base: Strategy, tilt: Tilt) -> None:
        self.base, self.tilt = base, tilt
        self.game, self.betting = base.game, base.betting
        self._row = lru_cache(_CACHED_ROWS)(self._read_row)

    @cached_property
    def levels(self) -> list[NDArray[np.uint8]]:
        """Per round ``(rows,)`` strength of each row."""
        return levels(self.base.abstraction)

    @cached_property
    def source(self) -> Source:
        return Source(self.base.abstraction, [_Round(self, r) for r in range(self.game.num_rounds)])

    @property
    def identity(self) -> dict[str, str]:
        numbers = repr((self.tilt.floor, self.tilt.parameters.tolist()))
        return self.base.identity | {"tilt": numbers}

    def shares_rows(self, other: BaseStrategy) -> bool:
        return self.base.shares_rows(other.base if isinstance(other, Tilted) else other)

    def hold_rows(self, threads: int = 1) -> None:
        self.base.hold_rows(threads)

    def distribution(self, state: State, hand: Cards, board: Cards) -> tuple[float, float, float]:
        row = self._row(state.round, self.base.abstraction.place(hand, board))
        numbers = self.betting.rounds[state.round].action_index[state.node].tolist()
        fold, call, raise_ = (float(row[n, state.line]) if n >= 0 else 0.0 for n in numbers)
        return fold, call, raise_

    def all_hands(self, state: State, board: Cards) -> Floats:
        return at_all_hands(self.base.abstraction, state, board, partial(rows_on_line, self._row))

    def _read_row(self, round_: int, row: int) -> Floats:
        found: Floats = self.read(round_, slice(row, row + 1))[0]
        return found

    def read(self, round_: int, rows: slice) -> Floats:
        """``(n, node_actions, lines)`` probabilities of some rows of a round."""
        stored = self.base.read(round_, rows)
        if self.tilt.is_none:
            return stored / ONE
        shares = stored.astype(np.float32)
        betting = self.betting.rounds[round_]
        for columns, stands in zip(seat_columns(betting), self._living[round_], strict=True):
            dead = np.flatnonzero(stands != np.arange(len(stands)))
            if len(dead):
                shares[:, columns[:, None], dead] = shares[:, columns[:, None], stands[dead]]
        self.tilt.apply(shares, self.levels[round_][rows], self.betting, round_)
        return shares.astype(np.float64)

    @cached_property
    def _living(self) -> Any:
        return living_lines(self.base)

    def save(self, path: str | Path, attributes: Mapping[str, Any], hears: Progress = lambda _: None) -> str:
        """Write the strategy as an ordinary file with the blueprint's card abstraction; its checksum.

        Args:
            path: the file; replaced at the very end if it is there.
            attributes: what the file says of itself.
            hears: the share of the work that is done.

        Raises:
            SaveError: the file cannot be written.
        """
        lines, done = 2 * sum(self.betting.num_lines), count(1)
        rounds = [self._stored(r, lambda: hears(_TILTED * next(done) / lines)) for r in range(self.game.num_rounds)]
        checksum = save(path, self.game, self.base.abstraction.arrays(), rounds, attributes)
        hears(1.0)
        return checksum

    def _stored(self, round_: int, advance: Callable[[], object]) -> RoundRows:
        """A round as the file keeps it: tilted codebooks where the blueprint has codebooks.

        ``advance`` is called after each line of each seat.
        """
        table, betting = self.base.table(round_), self.betting.rounds[round_]
        if isinstance(table, Codebooks):
            coded = table.held()
            return RoundRows.of_coded(coded if self.tilt.is_none else self._tilted_books(coded, round_, advance))
        if self.tilt.is_none and table.dtype == np.uint8:
            return RoundRows(tuple(table.shape), lambda start, stop: table[start:stop])
        shape = (int(table.shape[0]), betting.node_actions, self.betting.num_lines[round_])
        return RoundRows(shape, lambda start, stop: quantise(self.read(round_, slice(start, stop)), betting))

    def _tilted_books(self, books: Codebooks, round_: int, advance: Callable[[], object]) -> Codebooks:
        """The codebooks with an entry for each pair of an old entry and a level of strength that a row has."""
        betting, strength = self.betting.rounds[round_], self.levels[round_].astype(np.int64)
        codes, counts = np.empty_like(books.codes), np.zeros_like(books.counts)
        firsts = (np.cumsum(books.counts) - books.counts.ravel()).reshape(books.counts.shape).astype(np.int64)
        width, parts = books.entries.shape[1], []
        for seat, columns in enumerate(seat_columns(betting)):
            other = np.setdiff1d(np.arange(betting.node_actions), columns)
            for line, stands in enumerate(self._living[round_][seat].tolist()):
                pairs, codes[seat, line] = unique_numbers(
                    books.codes[seat, stands].astype(np.int64) * LEVELS + strength
                )
                old, level = np.divmod(pairs, LEVELS)
                shares = np.zeros((len(pairs), betting.node_actions, 1), np.float32)
                shares[:, columns, 0] = books.entries[firsts[seat, stands] + old, : len(columns)]
                shares[:, other] = 1
                self.tilt.apply(shares, level.astype(np.uint8), self.betting, round_)
                rounded, same = unique_rows(quantise(shares, betting)[:, columns, 0])
                codes[seat, line], counts[seat, line] = same[codes[seat, line]], len(rounded)
                parts.append(np.pad(rounded, ((0, 0), (0, width - len(columns)))))
                advance()
        return Codebooks(codes, np.concatenate(parts), counts, betting)


class _Round:
    """One round of a tilted strategy, read slice by slice."""

    def __init__(self, strategy: Tilted, round_: int) -> None:
        self._strategy, self._round = strategy, round_
        self.shape: tuple[int, ...] = strategy.base.table(round_).shape

    def __getitem__(self, rows: slice) -> Floats:
        start, stop, _ = rows.indices(self.shape[0])
        return self._strategy.read(self._round, slice(start, stop))
