"""Strategies: what to do with a hand on a board after a betting line.

A :class:`Strategy` answers for every legal spot of its game, from a file or by a simple rule (:class:`BuiltIn`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cfr.betting import ACTION_NAMES, ACTIONS, BettingTree, State
from cfr.cards import format_cards, parse_cards
from cfr.closing import Closing
from cfr.errors import DamagedFileError, UnknownSpotError
from cfr.game import Game
from cfr.handtable import HandTable
from cfr.rounding import ONE, joined
from cfr.store import OPENING_VALUES, open_file, read_abstraction, read_opening_values

if TYPE_CHECKING:
    from cfr.abstraction import Abstraction

BUILT_INS = ("always-call", "always-fold", "always-raise", "call-raise", "uniform")
DEFAULT_NAME = "hulhe-small.h5"
_CACHED_ROWS = 4096  # decoded rows kept of each round: 60 MB of full hold'em's river, 7 MB of its turn

Floats = NDArray[np.float64]
Cards = Sequence[int]


@dataclass(frozen=True)
class SpotRange:
    """All hands of a seat at a spot.

    >>> spot = BuiltIn("uniform").range("Td9d6h", "rc/c")
    >>> spot.by_class().columns()["hand"][:3].tolist()
    ['AA', 'AKs', 'AQs']

    Attributes:
        seat: whose hands.
        hands: ``(H,)`` names such as ``AhAs``; H is 1326 in hold'em.
        reach: ``(H,)`` the product of the seat's own probabilities along the line; 0 for hands that the board blocks.
        frequencies: ``(H, 3)`` of fold, call and raise; 0 where illegal, and for hands that the board blocks. NaN for
            the others if the seat is not to act.
        legal: letters of the legal actions; none if the seat is not to act.
    """

    seat: int
    hands: NDArray[np.str_]
    reach: Floats
    frequencies: Floats
    legal: str = ACTIONS

    def sample(self, count: int, seed: int | None = None) -> NDArray[np.str_]:
        """``(count,)`` names of hands drawn by their reach, with replacement; the same seed draws the same.

        Raises:
            UnknownSpotError: no hand gets there.
        """
        if not self.reach.any():
            raise UnknownSpotError("no hand gets to this spot, there is none to draw")
        return np.random.default_rng(seed).choice(self.hands, count, p=self.reach / self.reach.sum())

    def table(self) -> HandTable:
        """A row for each hand."""
        combos = (self.frequencies.sum(axis=1) != 0).astype(np.int64)
        return HandTable(self.hands, combos, self.reach, self.reach, self.frequencies, self.legal)

    def by_class(self) -> HandTable:
        """A row for each of the 169 classes; raises UnknownSpotError if the hands are not hold'em's."""
        return self.table().by_class()

    def to_frame(self) -> Any:
        """:meth:`table` as a pandas ``DataFrame``; raises UnknownSpotError where pandas is not installed."""
        return self.table().to_frame()


class Spots(Closing):
    """Validation and the question-and-answer side that every strategy shares.

    Subclasses say what to do with one hand (:meth:`distribution`) and with all of them (:meth:`_all_hands`).
    """

    game: Game
    betting: BettingTree

    @property
    def opening_values(self) -> Floats | None:
        """What hands win behind each leaf of the first round, see :attr:`Strategy.opening_values`; None if unknown."""
        return None

    def close(self) -> None:
        """Give back what is open; a ``with`` block does it at its end."""

    @abstractmethod
    def distribution(self, state: State, hand: Cards, board: Cards) -> tuple[float, float, float]:
        """Probabilities of fold, call and raise at a state that is not over; cards as codes, unchecked."""

    @abstractmethod
    def _all_hands(self, state: State, board: Cards) -> Floats:
        """``(hands, 3)`` of the same for all hands; 0 for those that collide with the board."""

    def probabilities(self, hand: str, board: str = "", line: str = "") -> dict[str, float]:
        """What to do with a hand.

        Args:
            hand: hole cards, such as ``AsKh``.
            board: the cards dealt so far, such as ``Td9d6h``.
            line: the actions so far in ACPC letters, such as ``rc/cr``.

        Returns:
            Probabilities by ``fold``, ``call`` (or check) and ``raise`` (or bet); illegal actions are absent.

        Raises:
            MalformedTextError, IllegalActionError: text that cannot be read or played.
            UnknownSpotError: cards that do not fit the game, the line or each other.
        """
        state, cards = self.spot(board, line)
        hole = parse_cards(hand)
        self.game.hand_number(hole)
        blocked = set(hole) & set(cards)
        if blocked:
            raise UnknownSpotError(f"hand {hand!r}: {format_cards(sorted(blocked))} is on the board, too")
        values = self.distribution(state, hole, cards)
        return {
            name: value
            for name, letter, value in zip(ACTION_NAMES, ACTIONS, values, strict=True)
            if letter in state.legal
        }

    def range(self, board: str = "", line: str = "", seat: int | None = None) -> SpotRange:
        """All hands at a spot; arguments and errors as in :meth:`probabilities`.

        Args:
            seat: whose hands (ACPC position: 0 big blind, 1 button); default, who is to act.
        """
        state, cards = self.spot(board, line)
        if seat not in (None, 0, 1):
            raise UnknownSpotError(f"seat: {seat}; expected 0 or 1")
        live = self._live(cards)[:, None]
        names = hand_names(self.game)
        if seat is None or seat == state.actor:
            frequencies = self._all_hands(state, cards) * live
            return SpotRange(state.actor, names, self.reach(state, cards, state.actor), frequencies, state.legal)
        frequencies = np.where(live, np.full((1, 3), np.nan), 0)
        return SpotRange(seat, names, self.reach(state, cards, seat), frequencies, "")

    def walk(self, board: str = "", line: str = "") -> list[tuple[str, SpotRange]]:
        """Every decision on the way to a spot, and the spot itself: the line so far, and the hands of who acts.

        Arguments and errors as in :meth:`probabilities`.

        >>> [line for line, _ in BuiltIn("uniform").walk("Td9d6h", "rc/c")]
        ['', 'r', 'rc/', 'rc/c']
        """
        state, cards = self.spot(board, line)
        walked = [self.betting.root]
        for letter in state.line_string.replace("/", ""):
            walked.append(walked[-1].act(letter))
        return [
            (each.line_string, self.range(format_cards(cards[: each.num_board_cards]), each.line_string))
            for each in walked
        ]

    def reach(self, state: State, board: Cards, seat: int) -> Floats:
        """``(H,)`` the product of a seat's own probabilities along the line; 0 for hands that the board blocks."""
        reach = self._live(board).astype(np.float64)
        walked = self.betting.root
        for letter in state.line_string.replace("/", ""):
            if walked.actor == seat:
                reach *= self._all_hands(walked, board[: walked.num_board_cards])[:, ACTIONS.index(letter)]
            walked = walked.act(letter)
        return reach

    def _live(self, board: Cards) -> NDArray[np.bool_]:
        live: NDArray[np.bool_] = np.logical_not(np.isin(self.game.hands, board).any(axis=1))
        return live

    def spot(self, board: str, line: str) -> tuple[State, tuple[int, ...]]:
        """The state and the board's cards, checked against each other; errors as in :meth:`probabilities`."""
        state = self.betting.parse(line)
        if state.is_over:
            raise UnknownSpotError(f"line {line!r}: the hand is over, there is nobody to act")
        cards = parse_cards(board)
        if len(cards) != state.num_board_cards:
            raise UnknownSpotError(
                f"board {board!r}: {len(cards)} cards, but after line {line!r} there are {state.num_board_cards}"
            )
        foreign = [card for card in cards if card not in self._deck]
        if foreign:
            raise UnknownSpotError(f"board {board!r}: {format_cards(foreign)} is not in the deck of {self.game.name}")
        return state, cards

    @cached_property
    def _deck(self) -> frozenset[int]:
        return frozenset(self.game.deck.tolist())


class Strategy(Spots):
    """A solved strategy, read from its file as questions come.

    Attributes:
        path: the file.
        game: its rules.
        betting: the game's betting lines.
        abstraction: which row of the tables a hand on a board owns.
        attributes: how it was made and how good it is, by name.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._file = open_file(path)
        try:
            attributes = dict(self._file.attrs)
            self.game = Game.parse(str(attributes["game"]), str(attributes["game_name"]))
            self.betting = BettingTree(self.game)
            tables = [self._file[f"rounds/{r}/probabilities"] for r in range(self.game.num_rounds)]
            for r, table in enumerate(tables):
                expected = (self.betting.rounds[r].node_actions, self.betting.num_lines[r])
                if table.dtype != np.uint8 or table.shape[1:] != expected:
                    raise DamagedFileError(f"{path}: round {r} has a table of {table.dtype} {table.shape}")
        except DamagedFileError:
            self._file.close()
            raise
        except (KeyError, AttributeError, ValueError) as error:
            self._file.close()
            raise DamagedFileError(f"{path}: incomplete or inconsistent: {error}") from None
        self._tables = tables
        self._remainders = [self._file.get(f"rounds/{r}/remainders") for r in range(self.game.num_rounds)]
        self.attributes = {name: _plain(value) for name, value in attributes.items()}
        self._rows = [lru_cache(_CACHED_ROWS)(partial(self.read, r)) for r in range(self.game.num_rounds)]

    @classmethod
    def open(cls, path: str | Path) -> Strategy:
        """Open a strategy file; reads kilobytes.

        Raises:
            OSError: no such file.
            DamagedFileError: truncated, foreign or of a newer format.
        """
        return cls(path)

    def close(self) -> None:
        """Close the file; further questions fail."""
        self._file.close()

    @cached_property
    def abstraction(self) -> Abstraction:
        from cfr.abstraction import Abstraction

        return Abstraction.from_arrays(self.game, read_abstraction(self._file))

    @cached_property
    def opening_values(self) -> Floats | None:
        """``(2, leaves, H)`` chips that each hand of a seat wins behind each leaf of the first round in self-play.

        Seats are ACPC positions; leaf ``k`` is the line that enters the next round as its number ``k``. A number is
        the sum over the opponent's hands, each with its probability given the hand (one over the number of hands that
        the hand leaves, 0 where cards collide) times the opponent's own reach of the leaf, of what is won from there
        on average over all boards, counted from the start of the hand. None if the file has none.

        Raises:
            DamagedFileError: they cannot be read, or are not those of such a game.
        """
        try:
            values = read_opening_values(self._file)
        except OSError as error:
            raise DamagedFileError(f"{self.path}: {OPENING_VALUES} cannot be read: {error}") from None
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

    def hold_tables(self, most: int) -> None:
        """Read ahead for many questions: each round's table if it takes at most ``most`` bytes, and the abstraction's.

        Raises:
            DamagedFileError: they cannot be read.
        """
        self.abstraction.hold_kept_tables()
        for r, (table, left) in enumerate(zip(self._tables, self._remainders, strict=True)):
            if table.nbytes <= most:
                try:
                    self._tables[r], self._remainders[r] = table[:], None if left is None else left[:]
                except OSError as error:
                    raise DamagedFileError(f"{self.path}: round {r} cannot be read: {error}") from None

    def table(self, round_: int) -> Any:
        """The round's ``(rows, node_actions, lines)`` uint8 dataset or array; a node's probabilities sum to 255."""
        return self._tables[round_]

    def read(self, round_: int, rows: int | slice) -> NDArray[np.uint8] | NDArray[np.float64]:
        """A row of :meth:`table`, or several, finer than 255ths where the file has remainders.

        Raises:
            DamagedFileError: they cannot be read.
        """
        try:
            stored: NDArray[np.uint8] = self._tables[round_][rows]
            left = self._remainders[round_]
            return stored if left is None else joined(stored, left[rows])
        except OSError as error:
            raise DamagedFileError(f"{self.path}: round {round_}, row {rows} cannot be read: {error}") from None

    def distribution(self, state: State, hand: Cards, board: Cards) -> tuple[float, float, float]:
        numbers = self.betting.rounds[state.round].action_index[state.node].tolist()
        stored = self.row_of(state.round, hand, board)[:, state.line]
        fold, call, raise_ = (float(stored[n]) / ONE if n >= 0 else 0.0 for n in numbers)
        return fold, call, raise_

    def row_of(self, round_: int, hand: Cards, board: Cards) -> NDArray[np.uint8] | NDArray[np.float64]:
        """``(node_actions, lines)`` what a hand does in a round, in 255ths; cards as codes, unchecked."""
        return self.row(round_, self._place(tuple(hand), tuple(board)))

    def row(self, round_: int, number: int) -> NDArray[np.uint8] | NDArray[np.float64]:
        """A row as :meth:`read` gives it, from memory if it was there lately."""
        row: NDArray[np.uint8] | NDArray[np.float64] = self._rows[round_](number)
        return row

    def _all_hands(self, state: State, board: Cards) -> Floats:
        rows = self.abstraction.rows(state.round, np.array([board], np.uint8).reshape(1, -1))[0]
        used, where = np.unique(rows, return_inverse=True)
        numbers = self.betting.rounds[state.round].action_index[state.node]
        found = np.zeros((len(used), 3))
        for k, row in enumerate(used.tolist()):
            if row >= 0:
                found[k] = self.row(state.round, row)[numbers, state.line]
        found[:, numbers < 0] = 0
        result: Floats = found[where] / ONE
        return result

    @cached_property
    def _place(self) -> Any:
        return lru_cache(1 << 14)(self.abstraction.place)


class BuiltIn(Spots):
    """A strategy by rule, which does not look at its cards.

    ``always-fold`` (checks if that is free), ``always-call``, ``always-raise`` (calls where raises are capped),
    ``call-raise`` (either with probability 1/2, never folds), ``uniform`` (all legal actions alike).
    """

    def __init__(self, name: str, game: Game | None = None) -> None:
        if name not in BUILT_INS:
            raise UnknownSpotError(f"unknown strategy {name!r}; built in are {', '.join(BUILT_INS)}")
        self.name = name
        self.game = game or Game.bundled("hulhe")
        self.betting = BettingTree(self.game)

    def distribution(self, state: State, hand: Cards, board: Cards) -> tuple[float, float, float]:
        return self.mix(state.legal)

    def mix(self, legal: str) -> tuple[float, float, float]:
        """Probabilities of fold, call and raise where ``legal`` actions such as ``cr`` are to be had."""
        if self.name == "uniform":
            fold, call, raise_ = (float(letter in legal) / len(legal) for letter in ACTIONS)
            return fold, call, raise_
        if self.name == "call-raise" and "r" in legal:
            return 0.0, 0.5, 0.5
        wanted = {"always-fold": "f", "always-raise": "r"}.get(self.name, "c")
        played = wanted if wanted in legal else "c"
        return float(played == "f"), float(played == "c"), float(played == "r")

    def _all_hands(self, state: State, board: Cards) -> Floats:
        return np.tile(np.array(self.distribution(state, (), board)), (self.game.num_hands, 1))


class AnyStrategy(Protocol):
    """What players and pictures need of a strategy."""

    @property
    def game(self) -> Game: ...
    @property
    def betting(self) -> BettingTree: ...
    def distribution(self, state: State, hand: Cards, board: Cards) -> tuple[float, float, float]: ...
    def range(self, board: str = "", line: str = "") -> SpotRange: ...


def open_strategy(name: str | Path | None = None, game: Game | None = None) -> Strategy | BuiltIn:
    """A strategy file, a built-in by name, or the default strategy for None; errors as :meth:`Strategy.open`."""
    if name is None:
        return Strategy.open(default_path())
    return BuiltIn(str(name), game) if str(name) in BUILT_INS else Strategy.open(name)


def default_path() -> Path:
    """Where the strategy that comes with cfr is; raises UnknownSpotError if it was not installed."""
    here = Path(__file__).parent
    for folder in (here / "strategies", here.parent / "strategies"):
        if (folder / DEFAULT_NAME).is_file():
            return folder / DEFAULT_NAME
    raise UnknownSpotError(f"the default strategy {DEFAULT_NAME} is not installed; name a file, or make one: cfr solve")


@lru_cache(4)
def _names(game: Game) -> NDArray[np.str_]:
    return np.array([format_cards(hand) for hand in game.hands.tolist()])


def hand_names(game: Game) -> NDArray[np.str_]:
    """``(H,)`` the two or four letters of each hand of ``game.hands``."""
    return _names(game)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
