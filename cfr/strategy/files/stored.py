"""Strategies in files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import BettingTree, State
from cfr.game.rules import Game
from cfr.kernel.tables import Rows, SeatBook, Source
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.bundled import BUILT_INS, DEFAULT, checked_name, located
from cfr.strategy.files.codebook import Codebooks
from cfr.strategy.files.file import (
    OPENING_VALUES,
    REFINED,
    SPOT_BOARD,
    open_file,
    plain,
    read_opening_values,
    read_table,
    reading,
)
from cfr.strategy.files.measured import exploitability_words
from cfr.strategy.files.quantise import ONE, joined
from cfr.strategy.files.refined_flops import blueprint_attributes
from cfr.strategy.files.stored_abstraction import StoredAbstraction
from cfr.strategy.strategy import HELD_BYTES, BaseStrategy, Cards, Floats, last_round_left_out
from cfr.system.disk.files import first_line
from cfr.system.disk.shared_file import SharedFile
from cfr.system.errors import BadInputError, CfrError, DamagedFileError
from cfr.system.text import counted

if TYPE_CHECKING:
    from cfr.abstraction.abstraction import Abstraction
    from cfr.strategy.files.spot_file import SpotStrategy

_NUMBERS = (np.uint8, np.float32, np.float64)  # 255ths, or probabilities
_FEW = 4  # up to so many hands are placed one by one
_CACHED_ROWS = 4096  # decoded rows kept of each round: 60 MB of full hold'em's river, 7 MB of its turn


class Strategy(BaseStrategy):
    """A solved strategy, read from its file as questions come.

    Args:
        path: the file, a bundled strategy's name, or None for the default one.
        under_refined: open the blueprint in a file with refined flops, which is refused otherwise.

    Attributes:
        path: the file.
        game: its rules.
        betting: the game's betting lines.
        abstraction: which row of the tables a hand on a board owns.
        attributes: how it was made and how good it is, by name.
        is_under_refined: whether it is the blueprint of refined flops.
        file_attributes: the same of the whole file, where the strategy is the blueprint of refined flops.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, under_refined: bool = False) -> None:
        self.path = path = located(path)
        self._file = open_file(path)
        if SPOT_BOARD in self._file["abstraction"].attrs:
            self._file.close()
            raise _OfSpotError(f"{path}: the solution of a spot, not of a whole game; cfr query answers from it")
        self.is_under_refined = REFINED in self._file
        if self.is_under_refined and not under_refined:
            self._file.close()
            raise RefinedFileError(
                f"{path}: its flops are refined, and it solves turns while it plays; here a strategy is wanted that "
                "stands in its file as a whole, such as its blueprint"
            )
        try:
            with reading(path, "incomplete or inconsistent"):
                self._read_head(path)
        except BaseException as error:
            self._file.close()
            if isinstance(error, CfrError) and not isinstance(error, DamagedFileError):  # such as rules that are none
                raise DamagedFileError(f"{path}: incomplete or inconsistent; {first_line(error)}") from None
            raise

    def _read_head(self, path: Path) -> None:
        """All but the tables, which are read as questions come."""
        attributes = dict(self._file.attrs)
        self.file_attributes = {name: plain(value) for name, value in attributes.items()}
        if self.is_under_refined:
            attributes = blueprint_attributes(attributes)
        self.attributes = {name: plain(value) for name, value in attributes.items()}
        self.game = Game.parse(str(attributes["game"]), str(attributes["game_name"]))
        self.betting = BettingTree(self.game)
        rounds = range(self.game.num_rounds)
        if attributes.get("without_rivers"):
            rounds = rounds[:-1]
        self.is_whole = len(rounds) == self.game.num_rounds
        self._tables = [read_table(self._file, r, self.betting.rounds[r]) for r in rounds]
        for r, table in enumerate(self._tables):
            expected = (self.betting.rounds[r].node_actions, self.betting.num_lines[r])
            if table.dtype not in _NUMBERS or table.shape[1:] != expected:
                raise DamagedFileError(f"{path}: round {r} has a table of {table.dtype} {table.shape}")
        self._remainders = [self._remainders_of(r) for r in rounds]
        self._rows = [lru_cache(_CACHED_ROWS)(partial(self.read, r)) for r in rounds]

    def _remainders_of(self, round_: int) -> h5py.Dataset | None:
        group = self._file[f"rounds/{round_}"]
        if "remainders" not in group:
            return None
        found = group["remainders"]  # "get" would take one that cannot be opened for none
        if found.dtype != np.int8 or found.shape != self._tables[round_].shape:
            raise DamagedFileError(f"{self.path}: round {round_} has remainders of {found.dtype} {found.shape}")
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return Strategy, (SharedFile(self.path), self.is_under_refined)

    @classmethod
    def open(cls, path: str | os.PathLike[str] = DEFAULT) -> Strategy:
        """Open a strategy file, a bundled strategy by its name, or the default one; reads kilobytes.

        Raises:
            OSError, DamagedFileError: no such file; a file that is truncated, foreign or of a newer format.
            BadInputError: what is no path.
        """
        return cls(checked_name("path", path))

    def close(self) -> None:
        """Close the file; further questions raise CfrError."""
        self._file.close()

    @cached_property
    def abstraction(self) -> Abstraction:
        from cfr.abstraction.abstraction import Abstraction

        with reading(self.path, source=self._file):
            return Abstraction.from_arrays(self.game, StoredAbstraction(self._file), source=f"{self.path}: abstraction")

    @cached_property
    def opening_values(self) -> Floats | None:
        """``(2, leaves, H)`` chips that each hand of a seat wins behind each leaf of the first round in self-play.

        Seats are ACPC positions; leaf ``k`` enters the next round as line ``k``. A value is a sum over the opponent's
        hands. Each adds the mean chips won behind the leaf over all boards, counted from the start of the hand, times
        the opponent's own reach of the leaf, times the probability of the opponent's hand given the seat's (one over
        the number of hands that the seat's hand leaves, 0 where cards collide). None if the file has no values.

        Raises:
            DamagedFileError: the values cannot be read, or do not fit the game.
        """
        with reading(self.path, f"{OPENING_VALUES} cannot be read", self._file):
            values = read_opening_values(self._file)
        if values is None:
            return None
        expected = (2, len(self.betting.rounds[0].leaves), self.game.num_hands)
        if values.dtype != np.float64 or values.shape != expected:
            raise DamagedFileError(
                f"{self.path}: {OPENING_VALUES} are {values.dtype} {values.shape}; expected float64 {expected}"
            )
        if not np.isfinite(values).all():
            raise DamagedFileError(f"{self.path}: {OPENING_VALUES} hold numbers that are not finite")
        return values

    def hold_tables(self, most: int = HELD_BYTES) -> None:
        """Load each round's table of at most ``most`` bytes, and the abstraction's tables, for many questions.

        Raises:
            DamagedFileError: a table cannot be read.
        """
        self.abstraction.hold_kept_tables()
        for r, (table, left) in enumerate(zip(self._tables, self._remainders, strict=True)):
            if table.nbytes <= most:
                with reading(self.path, f"round {r} cannot be read", self._file):
                    held = table.held() if isinstance(table, Codebooks) else table[:]
                    self._tables[r], self._remainders[r] = held, None if left is None else left[:]

    def hold_rows(self, threads: int = 1) -> None:
        self.abstraction.hold_tables(threads)

    @cached_property
    def source(self) -> Source:
        return _FileSource(self.abstraction, [_Round(self, r) for r in range(self.game.num_rounds)], ONE)

    @property
    def left_out(self) -> str:
        return "" if self.is_whole else last_round_left_out(self.path, self.path)

    @property
    def identity(self) -> dict[str, str]:
        return {"strategy": str(self.attributes.get("checksum")), "game": self.game.text()}

    def facts(self) -> dict[str, str]:
        facts = {"strategy": str(self.path)} | super().facts()
        whose = "blueprint's " if (is_trunk := "trunk_flops" in self.attributes) else ""
        told = {"algorithm": f"{whose}algorithm", "iterations": f"{whose}iterations", "created": "created"}
        facts |= {words: str(self.attributes[name]) for name, words in told.items() if name in self.attributes}
        if is_trunk:
            flops, iterations = (counted(self.attributes[f"trunk_{each}s"], each) for each in ("flop", "iteration"))
            facts["before the flop"] = f"solved anew on {flops} without buckets, {iterations}"
        if (loses := exploitability_words(self.attributes)) is not None:
            facts["exploitability"] = loses
        return facts

    def shares_rows(self, other: BaseStrategy) -> bool:
        if not isinstance(other, Strategy):
            return True
        first, second = (each.abstraction.arrays() for each in (self, other))
        return first.keys() == second.keys() and all(np.array_equal(first[name], second[name]) for name in first)

    @property
    def num_rows(self) -> list[int]:
        """Rows of each round's table."""
        return [int(table.shape[0]) for table in self._tables]

    def table(self, round_: int) -> Any:
        """The round's ``(rows, node_actions, lines)``, read in slices.

        A node's probabilities sum to 255 as uint8, to 1 as float32 or float64.

        Raises:
            BadInputError: the file leaves the round out.
        """
        self._check_kept(round_)
        return self._tables[round_]

    def read(self, round_: int, rows: int | slice) -> NDArray[np.uint8] | NDArray[np.float64]:
        """A row of :meth:`table`, or several, in 255ths; finer if the file has remainders or floats.

        Raises:
            DamagedFileError: the rows cannot be read.
            BadInputError: the file leaves the round out.
        """
        self._check_kept(round_)
        with reading(self.path, f"round {round_}, row {rows} cannot be read", self._file):
            stored: NDArray[np.uint8] = self._tables[round_][rows]
            left = self._remainders[round_]
            is_plain = left is None and stored.dtype == np.uint8
            return stored if is_plain else joined(stored, None if left is None else left[rows])

    def read_lines(self, round_: int, rows: NDArray[np.int64], lines: NDArray[np.int64]) -> NDArray[np.uint8] | None:
        """``(n, node_actions, lines)`` of ascending rows from codebooks, in 255ths; None where the round has none.

        Raises:
            DamagedFileError: the rows cannot be read.
        """
        if not self.is_coded(round_):
            return None
        table: Codebooks = self._tables[round_]
        with reading(self.path, f"round {round_} cannot be read", self._file):
            return table.on_lines(rows, lines)

    def is_coded(self, round_: int) -> bool:
        """Whether codebooks keep a round."""
        return isinstance(self._tables[round_], Codebooks)

    def book(self, round_: int, seat: int, rows: NDArray[np.int64], lines: NDArray[np.int64]) -> SeatBook:
        """What a seat does with ascending rows on betting lines of a round that :meth:`is_coded`, in 255ths.

        Raises:
            DamagedFileError: the rows cannot be read.
        """
        table: Codebooks = self._tables[round_]
        with reading(self.path, f"round {round_} cannot be read", self._file):
            return table.book(seat, rows, lines)

    def distribution(self, state: State, hand: Cards, board: Cards) -> tuple[float, float, float]:
        numbers = self.betting.rounds[state.round].action_index[state.node].tolist()
        stored = self.row_of(state.round, hand, board)[:, state.line]
        fold, call, raise_ = (float(stored[n]) / ONE if n >= 0 else 0.0 for n in numbers)
        return fold, call, raise_

    def row_of(self, round_: int, hand: Cards, board: Cards) -> NDArray[np.uint8] | NDArray[np.float64]:
        """``(node_actions, lines)`` probabilities of a hand in a round, in 255ths; cards are codes, unchecked."""
        return self.row(round_, self._place(tuple(hand), tuple(board)))

    def row(self, round_: int, number: int) -> NDArray[np.uint8] | NDArray[np.float64]:
        """A row as :meth:`read` gives it; rows used lately stay in memory."""
        self._check_kept(round_)
        row: NDArray[np.uint8] | NDArray[np.float64] = self._rows[round_](number)
        return row

    def _check_kept(self, round_: int) -> None:
        if round_ >= len(self._tables):
            raise BadInputError(self.left_out)

    def round_probabilities(
        self, entry: State, hands: NDArray[np.uint8], board: Cards, seat: int | None = None
    ) -> Floats:
        round_, line = entry.round, entry.line
        if len(hands) <= _FEW:
            few = [self.row_of(round_, hand, board)[:, line] for hand in hands.tolist()]
            return np.array(few, np.float64).T / ONE
        rows = self.abstraction.rows(round_, np.array([board], np.uint8).reshape(1, -1))[0]
        used, where = np.unique(rows[self.game.hand_numbers(hands)], return_inverse=True)
        return (self._on_line(round_, used, line).astype(np.float64) / ONE).T[:, where]

    def all_hands(self, state: State, board: Cards) -> Floats:
        return at_all_hands(self.abstraction, state, board, self._on_line) / ONE

    def _on_line(self, round_: int, rows: NDArray[np.int64], line: int) -> NDArray[Any]:
        """``(n, node_actions)`` of ascending rows on one betting line, in 255ths."""
        self._check_kept(round_)
        table = self._tables[round_]
        held = isinstance(table, Codebooks) and table.is_held
        found = self.read_lines(round_, rows, np.array([line])) if held else None
        return rows_on_line(self.row, round_, rows, line) if found is None else found[:, :, 0]

    @cached_property
    def _place(self) -> Any:
        return lru_cache(1 << 14)(self.abstraction.place)


class _Round:
    """One round of a file, read slice by slice."""

    def __init__(self, strategy: Strategy, round_: int) -> None:
        self._strategy, self._round = strategy, round_
        self.shape = strategy.table(round_).shape

    def __getitem__(self, rows: slice) -> np.ndarray:
        return self._strategy.read(self._round, rows)

    def on_lines(self, rows: np.ndarray, lines: np.ndarray) -> np.ndarray | None:
        """As :meth:`Strategy.read_lines`."""
        return self._strategy.read_lines(self._round, rows, lines)

    @property
    def is_coded(self) -> bool:
        """Whether codebooks keep the round."""
        return self._strategy.is_coded(self._round)

    def book(self, seat: int, rows: np.ndarray | slice, lines: np.ndarray | None = None) -> SeatBook:
        """As :meth:`Strategy.book`; all lines by default."""
        numbers = np.arange(*rows.indices(self.shape[0])) if isinstance(rows, slice) else rows
        every = np.arange(self.shape[2]) if lines is None else lines
        return self._strategy.book(self._round, seat, numbers, every)


@dataclass(frozen=True, eq=False)
class _FileSource(Source):
    """Decodes codebooks only on the betting lines that are asked for."""

    rounds: Sequence[_Round]

    def probabilities(self, round_: int, rows: np.ndarray, lines: np.ndarray) -> np.ndarray:
        found = self.rounds[round_].on_lines(rows, lines)
        return super().probabilities(round_, rows, lines) if found is None else found / self.certainty


def open_strategy(name: str | Path | None = None, game: Game | None = None) -> BaseStrategy:
    """A strategy file, a built-in or bundled one by name, or the default for None; errors as :meth:`Strategy.open`."""
    return BuiltIn(str(name), game) if name is not None and str(name) in BUILT_INS else open_stored(name)


def open_stored(path: str | Path | None, under_refined: bool = False) -> Strategy | SpotStrategy:
    """A strategy file of a whole game or of a spot, or a bundled strategy; errors as :meth:`Strategy.open`."""
    try:
        return Strategy(path, under_refined)
    except _OfSpotError:
        from cfr.strategy.files.spot_file import SpotStrategy

        return SpotStrategy.open(located(path))


class RefinedFileError(BadInputError):
    """A file with refined flops; :func:`cfr.resolving.named_strategy.open_named` opens it."""


class _OfSpotError(BadInputError):
    """A file of the other kind."""


def rows_on_line(
    row: Callable[[int, int], NDArray[Any]], round_: int, rows: NDArray[np.int64], line: int
) -> NDArray[Any]:
    """``(n, node_actions)`` of rows on a betting line; ``row(round, number)`` reads one, ``(node_actions, lines)``."""
    return np.array([row(round_, number)[:, line] for number in rows.tolist()])


def at_all_hands(
    rows: Rows, state: State, board: Cards, on_line: Callable[[int, NDArray[np.int64], int], NDArray[Any]]
) -> Floats:
    """``(H, 3)`` numbers of fold, call and raise of all hands at a state; 0 where illegal or blocked.

    ``on_line(round, rows, line)`` reads ascending rows on a betting line, ``(n, node_actions)``.
    """
    numbers = state.tree.rounds[state.round].action_index[state.node]
    used, where = np.unique(rows.rows(state.round, np.array([board], np.uint8).reshape(1, -1))[0], return_inverse=True)
    found = np.zeros((len(used), 3))
    there = used >= 0
    if there.any():
        found[there] = on_line(state.round, used[there], state.line)[:, numbers]
    found[:, numbers < 0] = 0
    result: Floats = found[where]
    return result
