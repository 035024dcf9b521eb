"""Solutions of spots, in memory or in files: each answers for its spot and all that follows, and for nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import BettingTree, State
from cfr.game.betting_round import ACTIONS, BettingRound
from cfr.game.cards import format_cards, parse_cards
from cfr.game.hand_classes import class_name
from cfr.game.line_text import read_line
from cfr.game.rules import Game
from cfr.game.words import ACTION_NAMES
from cfr.hands.river_rows import RIVER_ROWS, RiverRows
from cfr.kernel.tables import Probabilities, Source
from cfr.strategy.files.file import RIVER_ROWS_KEY, SPOT_BOARD, open_file, plain, reading, save
from cfr.strategy.files.quantise import ONE, joined, quantise_finely
from cfr.strategy.files.round_rows import RoundRows
from cfr.strategy.files.stored_abstraction import StoredAbstraction
from cfr.strategy.spot import Spot
from cfr.strategy.spot_rows import SpotRows
from cfr.strategy.strategy import BaseStrategy, Cards, Floats, check_spot, last_round_left_out
from cfr.system.checks import check_path
from cfr.system.errors import BadInputError, DamagedFileError

_LINE, _RANGES, _SYMMETRIC = "spot_line", "spot_ranges", "spot_is_symmetric"
_KINDS: dict[str, RiverRows] = {each: each for each in RIVER_ROWS}


class StoredRound:
    """Probabilities of one round as bytes and remainders, both ``(rows, node_actions, lines)``."""

    def __init__(self, stored: Any, left: Any) -> None:
        self.stored, self.left = stored, left
        self.shape = stored.shape

    @classmethod
    def of(cls, shares: NDArray[np.floating[Any]], betting: BettingRound) -> StoredRound:
        """Round ``(rows, node_actions, lines)`` probabilities in any unit."""
        return cls(*quantise_finely(shares, betting))

    def __getitem__(self, rows: Any) -> NDArray[np.float64]:
        return joined(self.stored[rows], self.left[rows])


class SpotStrategy(BaseStrategy):
    """A solved spot.

    Attributes:
        spot: where it begins, and both ranges.
        rounds: per round from the spot's on, what is stored; the last one may be left out.
        attributes: how it was made and how good it is, by name.
        path: its file; None in memory.
    """

    is_suit_blind = False

    def __init__(
        self,
        spot: Spot,
        rows: SpotRows,
        rounds: Sequence[Probabilities],
        attributes: dict[str, Any],
        file: h5py.File | None = None,
    ) -> None:
        self.spot_ = spot
        self.game = spot.game
        self.betting = spot.state.tree
        self.rounds = tuple(rounds)
        self.attributes = attributes
        self.path = None if file is None else Path(file.filename)
        self._rows = rows
        self._file = file
        self._lines = [each.betting_line for each in spot.tree().rounds]

    @classmethod
    def open(cls, path: str | Path) -> SpotStrategy:
        """Open a spot's file; reads its ranges and kilobytes.

        Raises:
            OSError: no such file.
            DamagedFileError: truncated, foreign, of a newer format, or not of a spot.
        """
        check_path("path", path)
        file = open_file(path)
        try:
            with reading(path):
                return cls._read(path, file)
        except BaseException:
            file.close()
            raise

    @classmethod
    def _read(cls, path: str | Path, file: h5py.File) -> SpotStrategy:
        arrays = StoredAbstraction(file)
        if SPOT_BOARD not in arrays:
            raise DamagedFileError(f"{path}: a strategy of a whole game, not of a spot")
        game = Game.parse(str(file.attrs["game"]), str(file.attrs["game_name"]))
        state = BettingTree(game).parse(str(arrays[_LINE]))
        spot = Spot(state, parse_cards(str(arrays[SPOT_BOARD])), np.asarray(arrays[_RANGES], np.float64))
        kind = _KINDS[str(arrays[RIVER_ROWS_KEY])] if RIVER_ROWS_KEY in arrays else "hands"
        rows = SpotRows(game, spot.board, bool(arrays[_SYMMETRIC]), spot.held, river_rows=kind)
        rounds = [
            StoredRound(file[f"rounds/{r}/probabilities"], file[f"rounds/{r}/remainders"])
            for r in range(state.round, game.num_rounds)
            if f"rounds/{r}" in file
        ]
        strategy = cls(spot, rows, rounds, {name: plain(value) for name, value in file.attrs.items()}, file)
        for number, (each, lines) in enumerate(zip(rounds, strategy._lines, strict=False), state.round):
            expected = (rows.num_rows[number], strategy.betting.rounds[number].node_actions, len(lines))
            if each.stored.shape != expected or each.left.shape != expected:
                raise DamagedFileError(f"{path}: round {number} has a table of {each.stored.shape}, not {expected}")
        return strategy

    def facts(self) -> dict[str, str]:
        facts = {"strategy": str(self.path or self.spot_)} | super().facts()
        if self.path is not None:
            facts["spot"] = str(self.spot_).removeprefix("spot ")
        for name in ("iterations", "created"):
            if name in self.attributes:
                facts[name] = str(self.attributes[name])
        if (percent := self.attributes.get("exploitability_percent_of_pot")) is not None:
            facts["exploitability"] = f"{percent:.3g} % of the pot"
        return facts

    @property
    def nbytes(self) -> int:
        """Memory of the rounds, or what they would take: two bytes for each probability."""
        return sum(2 * prod(each.shape) for each in self.rounds)

    @property
    def left_out(self) -> str:
        if len(self.rounds) == len(self._lines):
            return ""
        return last_round_left_out(self.path or self.spot_, self.path or "FILE")

    @property
    def num_rows(self) -> list[int]:
        """Rows of each round's table, none before the spot's."""
        return list(self._rows.num_rows)

    @property
    def first_frequencies(self) -> dict[str, float]:
        """Of the actions of the range that is to act at the spot, by name; illegal ones are absent."""
        weights, legal = self.spot_.pairs[self.spot_.state.actor], self.spot_.state.legal
        shares = (weights @ self.range().frequencies / weights.sum()).tolist()
        named = zip(ACTION_NAMES, ACTIONS, shares, strict=True)
        return {name: share for name, letter, share in named if letter in legal}

    def save(self, path: str | Path) -> None:
        """Write a file; raises SaveError, and BadInputError for what is no path."""
        check_path("path", path)
        spot = self.spot_
        abstraction = {
            "rounds": "spot",
            SPOT_BOARD: format_cards(spot.board),
            _LINE: spot.state.line_string,
            _RANGES: spot.ranges,
            _SYMMETRIC: int(self._rows.is_symmetric),
        }
        if self._rows.river_rows != "hands":
            abstraction[RIVER_ROWS_KEY] = self._rows.river_rows
        rounds = []
        for number, each in enumerate(self.rounds, spot.state.round):
            kept = (
                each
                if isinstance(each, StoredRound)
                else StoredRound.of(each[slice(None)], self.betting.rounds[number])
            )
            rounds.append(RoundRows.of(kept.stored[:], kept.left[:]))
        save(path, self.game, abstraction, rounds, self.attributes, spot.state.round)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    @cached_property
    def source(self) -> Source:
        first = self.spot_.state.round
        if self.left_out:
            raise BadInputError(self.left_out)
        nothing = [np.zeros((0, 0, 0))] * first
        return Source(
            self._rows, [*nothing, *self.rounds], ONE, [*(np.zeros(0, np.int64) for _ in nothing), *self._lines]
        )

    @property
    def identity(self) -> dict[str, str]:
        if "checksum" not in self.attributes:  # in memory
            return super().identity
        return {"strategy": str(self.attributes["checksum"]), "game": self.game.text()}

    def spot(self, board: str, line: str) -> tuple[State, tuple[int, ...]]:
        """The state and the board's cards; the solved spot's for an empty line, with its board or none.

        After a line of the solved spot's round or a later one, no board is the solved spot's.

        Raises:
            BadInputError: besides what :meth:`BaseStrategy.spot` raises, a spot that does not follow the solved one.
        """
        check_spot(board, line)
        if not line and (not board or sorted(parse_cards(board)) == sorted(self.spot_.board)):
            return self.spot_.state, self.spot_.board
        if not line:
            raise BadInputError(f"board {board!r}: the file is of the solved {self.spot_}; leave the board out")
        if not board and read_line(self.betting, line).num_board_cards >= len(self.spot_.board):
            board = format_cards(self.spot_.board)
        state, cards = super().spot(board, line)
        self._check_below(state, cards)
        return state, cards

    def known(self, hands: Sequence[Cards], seat: int) -> Sequence[Cards]:
        numbers = [self.game.hand_number(tuple(hand)) for hand in hands]
        weights = self.spot_.ranges[seat]
        held = [hand for hand, number in zip(hands, numbers, strict=True) if weights[number]]
        if not held:
            asked = format_cards(hands[0]) if len(hands) == 1 else class_name(hands[0])
            is_in_other = self.spot_.held[numbers].any()
            where = f"not in the {self.game.seat_names[seat]}'s range" if is_in_other else "in neither range"
            raise BadInputError(f"hand {asked!r}: {where} of the solved {self.spot_}")
        return held

    def distribution(self, state: State, hand: Cards, board: Cards) -> tuple[float, float, float]:
        fold, call, raise_ = self.all_hands(state, board)[self.game.hand_number(tuple(hand))].tolist()
        return fold, call, raise_

    def all_hands(self, state: State, board: Cards) -> Floats:
        self._check_below(state, board)
        level = state.round - self.spot_.state.round
        if level >= len(self.rounds):
            raise BadInputError(self.left_out)
        rows = self._rows.rows(state.round, np.array([board], np.uint8).reshape(1, -1))[0]
        line = int(np.searchsorted(self._lines[level], state.line))
        numbers = self.betting.rounds[state.round].action_index[state.node]
        used, where = np.unique(rows, return_inverse=True)
        kept = used[used >= 0]
        if not len(kept):  # the board blocks both ranges
            return np.zeros((len(rows), 3))
        with reading(self.path or "memory", source=self._file):
            shares = self.rounds[level][int(kept[0]) : int(kept[-1]) + 1][kept - kept[0]]
        found = np.zeros((len(used), 3))
        found[used >= 0] = np.where(numbers >= 0, shares[:, numbers, line], 0)
        result: Floats = found[where] / ONE
        return result

    def entering(self, board: Cards, seat: int) -> Floats:
        weights: Floats = self.spot_.ranges[seat] * self.game.live(board)
        return weights

    def hand_entering(self, hand: Cards, board: Cards, seat: int) -> float:
        return float(self.entering(board, seat)[self.game.hand_number(tuple(hand))])

    @property
    def _first(self) -> State:
        return self.spot_.state

    def way(self, state: State, board: Cards) -> list[State]:
        self._check_below(state, board)
        return super().way(state, board)

    def _check_below(self, state: State, board: Cards) -> None:
        spot = self.spot_
        follows = state.line_string.startswith(spot.state.line_string)
        if not follows or self._dealt(board) != self._dealt(spot.board):
            raise BadInputError(
                f"board {format_cards(board) or '(none)'}, line {state.line_string!r}: only what follows board "
                f"{format_cards(spot.board) or '(none)'}, line {spot.state.line_string!r} is solved here"
            )

    def _dealt(self, board: Cards) -> list[set[int]]:
        """The cards of a board round by round, up to the round of the spot."""
        ends = np.cumsum(self.game.num_board_cards[: self.spot_.state.round + 1]).tolist()
        return [set(board[start:end]) for start, end in pairwise([0, *ends])]
