"""Games: two-player limit poker as the ACPC's ``.game`` files describe it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from os import PathLike
from pathlib import Path

import numpy as np

from cfr.game.game_text import MAX_ROUNDS, FieldError, attributes_of, check_stacks, read_fields, row
from cfr.system.checks import check_path, check_text, shown
from cfr.system.disk.decoded import decoded, with_line_feeds
from cfr.system.errors import BadInputError, MalformedTextError
from cfr.system.text import counted

GAME_NAMES = ("kuhn", "leduc", "rhode-island", "holdem-2-1", "holdem-2-4", "flop-holdem", "royal", "hulhe")
_GAMES = Path(__file__).with_name("games")
MAX_RAISES = 8
MAX_GAME_TEXT = 100_000  # characters of a .game file; the competition's have some hundred
MAX_STAKE = 2**31 - 1  # chips are int32 in the arrays of the betting tree


@dataclass(frozen=True)
class Game:
    """The rules of a game. Seats are the ACPC positions 0 and 1; position 0 is the big blind of the bundled games.

    Attributes:
        name: the game's name.
        blinds: chips that each seat posts.
        raise_sizes: chips of a bet or raise, per round.
        first_players: seat that acts first, per round, counted from 0.
        max_raises: the most bets and raises, per round; blinds do not count.
        num_suits, num_ranks: the deck; it holds the top ranks and the last suits of ``cdhs``.
        num_hole_cards: 1 or 2.
        num_board_cards: cards newly dealt to the board, per round.

    Raises:
        MalformedTextError: a game that cannot be played; the message names the field of the ``.game`` file.
    """

    name: str
    blinds: tuple[int, int]
    raise_sizes: tuple[int, ...]
    first_players: tuple[int, ...]
    max_raises: tuple[int, ...]
    num_suits: int
    num_ranks: int
    num_hole_cards: int
    num_board_cards: tuple[int, ...]

    def __post_init__(self) -> None:
        for field, problem in self._problems():
            raise FieldError(self.name, field, problem)

    def _problems(self) -> Iterator[tuple[str, str]]:
        """Reasons why the game cannot be played: a field of the ``.game`` file and its problem.

        Each check relies on those before it, so only the first problem counts.
        """
        yield from self._wrong_kinds()
        rounds = len(self.num_board_cards)
        if not 1 <= rounds <= MAX_ROUNDS:
            yield "numRounds", f"{rounds}; expected 1 to {MAX_ROUNDS}"
        for field, values, count, each in (
            ("blind", self.blinds, 2, "players"),
            ("raiseSize", self.raise_sizes, rounds, "rounds"),
            ("firstPlayer", self.first_players, rounds, "rounds"),
            ("maxRaises", self.max_raises, rounds, "rounds"),
        ):
            if len(values) != count:
                yield field, f"{counted(len(values), 'value')}; expected one for each of {count} {each}"
        if not min(self.blinds) >= 0 < max(self.blinds):
            yield "blind", f"{row(self.blinds)}; expected chips from somebody"
        if min(self.raise_sizes) < 1:
            yield "raiseSize", f"{row(self.raise_sizes)}; expected at least 1 chip"
        if not set(self.first_players) <= {0, 1}:
            yield "firstPlayer", f"{row(p + 1 for p in self.first_players)}; expected 1 or 2"
        if not 0 <= min(self.max_raises) <= max(self.max_raises) <= MAX_RAISES:
            yield "maxRaises", f"{row(self.max_raises)}; expected 0 to {MAX_RAISES}"
        if self.max_stake > MAX_STAKE:
            yield "raiseSize", f"up to {self.max_stake} chips from a seat; expected at most {MAX_STAKE}"
        if not 1 <= self.num_suits <= 4:
            yield "numSuits", f"{self.num_suits}; expected 1 to 4"
        if not 1 <= self.num_ranks <= 13:
            yield "numRanks", f"{self.num_ranks}; expected 1 to 13"
        if self.num_hole_cards not in (1, 2):
            yield "numHoleCards", f"{self.num_hole_cards}; expected 1 or 2"
        if self.num_board_cards[0] != 0:
            yield "numBoardCards", f"{self.num_board_cards[0]} in the first round; expected 0"
        if min(self.num_board_cards[1:], default=1) < 1:
            yield "numBoardCards", f"{row(self.num_board_cards)}; expected at least 1 new card in a later round"
        shown = self.num_hole_cards + sum(self.num_board_cards)
        if shown not in (1, 2, 3, 5, 6, 7):
            yield "numBoardCards", f"{shown} cards at showdown with the hole cards; expected 1 to 3 or 5 to 7"
        cards, needed = self.num_suits * self.num_ranks, shown + self.num_hole_cards
        if cards < needed:
            yield "numRanks", f"a deck of {counted(cards, 'card')} is too small; two hands and the board take {needed}"

    def _wrong_kinds(self) -> Iterator[tuple[str, str]]:
        """Fields that are no whole numbers, or no tuples of them."""
        for field, value in (
            ("numBoardCards", self.num_board_cards),
            ("blind", self.blinds),
            ("raiseSize", self.raise_sizes),
            ("firstPlayer", self.first_players),
            ("maxRaises", self.max_raises),
            ("numSuits", (self.num_suits,)),
            ("numRanks", (self.num_ranks,)),
            ("numHoleCards", (self.num_hole_cards,)),
        ):
            if not isinstance(value, tuple) or not all(isinstance(each, int | np.integer) for each in value):
                given = value[0] if isinstance(value, tuple) and len(value) == 1 else value
                yield field, f"{shown(given)}; expected whole numbers"

    @classmethod
    def bundled(cls, name: str) -> Game:
        """One of ``GAME_NAMES``; raises BadInputError for any other."""
        if name not in GAME_NAMES:
            raise BadInputError(f"unknown game {shown(name)}; bundled are {', '.join(GAME_NAMES)}")
        return cls.parse((_GAMES / f"{name}.game").read_text("ascii"), name)

    @classmethod
    def find(cls, name: str | PathLike[str]) -> Game:
        """A bundled game by name, else a .game file by path.

        Raises:
            BadInputError: there is neither.
            OSError, MalformedTextError: as :meth:`read`.
        """
        check_path("game", name, f"a game's name, such as {GAME_NAMES[1]!r}, or the path of a .game file")
        path = Path(name)
        if name not in GAME_NAMES and path.exists():
            return cls.read(path)
        if path.suffix or path.name != str(name):
            raise BadInputError(f"there is no file {name}; bundled games are {', '.join(GAME_NAMES)}")
        return cls.bundled(str(name))

    @classmethod
    def read(cls, path: str | Path) -> Game:
        """A ``.game`` file, named after it; raises OSError or MalformedTextError."""
        check_path("game", path, "the path of a .game file")
        path = Path(path)
        with path.open("rb") as file:
            data = file.read(4 * MAX_GAME_TEXT)
        if data.startswith(b"\x89HDF"):
            raise MalformedTextError(f"game {path}: a strategy file, not a game; expected a .game file")
        text = with_line_feeds(decoded(data))
        if len(text) > MAX_GAME_TEXT:
            raise MalformedTextError(f"game {path}: more than {MAX_GAME_TEXT:,} characters; expected a .game file")
        return cls.parse(text, path.stem)

    @classmethod
    def parse(cls, text: str, name: str = "game") -> Game:
        """The game that ``text`` describes in ACPC format.

        Raises:
            MalformedTextError: text that cannot be read or played; the message names the line and the field.
        """
        check_text("game", text, "GAMEDEF ... END GAMEDEF")
        fields = read_fields(text, name)
        try:
            game = cls(name=name, **attributes_of(fields, name))
            # The dealer skips rounds once a seat is all in. A last round without bets needs a chip to spare.
            check_stacks(fields, name, game.max_stake + (game.max_raises[-1] == 0))
            return game
        except FieldError as error:
            line = fields[error.field.lower()].line
            raise FieldError(f"{name}, line {line}", error.field, error.problem) from None

    def text(self) -> str:
        """The game in ACPC format; :meth:`parse` reads it back."""
        return "\n".join(
            [
                "GAMEDEF",
                "limit",
                "numPlayers = 2",
                f"numRounds = {self.num_rounds}",
                f"blind = {row(self.blinds)}",
                f"raiseSize = {row(self.raise_sizes)}",
                f"firstPlayer = {row(p + 1 for p in self.first_players)}",
                f"maxRaises = {row(self.max_raises)}",
                f"numSuits = {self.num_suits}",
                f"numRanks = {self.num_ranks}",
                f"numHoleCards = {self.num_hole_cards}",
                f"numBoardCards = {row(self.num_board_cards)}",
                "END GAMEDEF",
                "",
            ]
        )

    @property
    def num_rounds(self) -> int:
        return len(self.num_board_cards)

    @property
    def big_blind(self) -> int:
        """The larger blind, in chips: 1000 mbb."""
        return max(self.blinds)

    @property
    def mbb(self) -> float:
        """What a chip is, in thousandths of a big blind."""
        return 1000 / self.big_blind

    @cached_property
    def button(self) -> int:
        """The ACPC position of the smaller blind; where blinds are equal, of who acts last in the last round."""
        small, big = self.blinds
        return int(small > big) if small != big else 1 - self.first_players[-1]

    @cached_property
    def seat_names(self) -> tuple[str, str]:
        """``button`` and ``big blind``, by ACPC position."""
        return ("button", "big blind") if self.button == 0 else ("big blind", "button")

    def seat_called(self, word: str | None) -> int | None:
        """The seat that ``button`` or ``bb`` names, as people say it; None for any other word."""
        return {"button": self.button, "bb": 1 - self.button}.get(word or "")

    def seat(self, given: object) -> int:
        """The seat that somebody names: ``button``, ``big blind`` or ``BB`` in any case, or its ACPC position, 0 or 1.

        Raises:
            BadInputError: anything else.
        """
        if isinstance(given, str):
            word = given.lower().replace("_", " ")
            called = 1 - self.button if word == "big blind" else self.seat_called(word)
            if called is not None:
                return called
        elif isinstance(given, int | np.integer) and not isinstance(given, bool) and given in (0, 1):
            return int(given)
        raise BadInputError(f"seat: {shown(given)}; expected button or big blind, or 0 or 1")

    @property
    def max_stake(self) -> int:
        """The most chips that a seat can have in the pot."""
        bets = (size * cap for size, cap in zip(self.raise_sizes, self.max_raises, strict=True))
        return max(self.blinds) + sum(bets)

    @cached_property
    def deck(self) -> np.ndarray:
        """``(cards,)`` uint8 card codes, ascending."""
        ranks = np.arange(13 - self.num_ranks, 13)
        suits = np.arange(4 - self.num_suits, 4)
        deck = (4 * ranks[:, None] + suits[None, :]).reshape(-1).astype(np.uint8)
        deck.flags.writeable = False
        return deck

    @cached_property
    def hands(self) -> np.ndarray:
        """``(H, hole cards)`` uint8 cards of every hand, ascending; hands in colexicographic order.

        With two cards at positions a < b of the deck, the hand's number is ``b * (b - 1) / 2 + a``.
        """
        if self.num_hole_cards == 1:
            hands = self.deck[:, None].copy()
        else:
            high, low = np.tril_indices(len(self.deck), -1)
            hands = np.stack([self.deck[low], self.deck[high]], axis=1)
        hands.flags.writeable = False
        return hands

    def live(self, board: Sequence[int] | np.ndarray) -> np.ndarray:
        """``(H,)`` bool: hands that share no card with a board."""
        try:
            cards = np.asarray(board, np.uint8)
        except (TypeError, ValueError, OverflowError):
            raise BadInputError(f"board: {shown(board)}; expected codes of cards, 0 to 51") from None
        live: np.ndarray = np.logical_not(np.isin(self.hands, cards).any(axis=1))
        return live

    @cached_property
    def apart(self) -> np.ndarray:
        """``(H, H)`` float64: 1 where two hands share no card."""
        cards = np.bitwise_or.reduce(np.uint64(1) << self.hands.astype(np.uint64), axis=1)
        result: np.ndarray = (cards[:, None] & cards == 0).astype(np.float64)
        result.flags.writeable = False
        return result

    def weight_apart(self, weights: np.ndarray) -> np.ndarray:
        """``(H,)`` weight of all hands that share no card with each hand, given the ``(H,)`` weight of each.

        The product of :attr:`apart` and ``weights`` but for rounding, by sums over cards; it is 0 where every hand of
        some weight shares a card, and nowhere else.
        """
        there: np.ndarray = self._sum_apart((weights != 0).astype(np.float64))  # counts are exact
        found: np.ndarray = np.where(there > 0, self._sum_apart(weights), 0.0)
        return found

    def _sum_apart(self, weights: np.ndarray) -> np.ndarray:
        of_card = [np.bincount(column, weights, max(self.deck) + 1) for column in self.hands.T]
        held: np.ndarray = np.sum(of_card, axis=0)[self.hands].sum(axis=1)
        apart: np.ndarray = weights.sum() - held + (self.num_hole_cards - 1) * weights  # its own hand counts twice
        return apart

    @cached_property
    def num_hands(self) -> int:
        return comb(len(self.deck), self.num_hole_cards)

    def hand_number(self, cards: tuple[int, ...]) -> int:
        """The number of a hand in :attr:`hands`, its cards in any order; raises BadInputError."""
        if not isinstance(cards, tuple | list | np.ndarray):
            raise BadInputError(f"hand: {shown(cards)}; expected codes of cards, such as (51, 46)")
        if len(cards) != self.num_hole_cards or len(set(cards)) != len(cards):
            different = len(set(cards))
            said = "1 card" if self.num_hole_cards == 1 else f"{self.num_hole_cards} different cards"
            raise BadInputError(f"a hand of {self.name} has {said}, not {different}")
        try:
            low, *high = sorted(self._places[card] for card in cards)
        except KeyError:
            raise BadInputError(f"the deck of {self.name} does not hold these cards") from None
        return low + sum(place * (place - 1) // 2 for place in high)

    @cached_property
    def _places(self) -> dict[int, int]:
        """The place of each card in the deck."""
        return {card: place for place, card in enumerate(self.deck.tolist())}

    def hand_numbers(self, hands: np.ndarray) -> np.ndarray:
        """``(n,)`` numbers of ``(n, hole cards)`` hands in :attr:`hands`, their cards in any order; unchecked."""
        places = np.sort(np.searchsorted(self.deck, hands), axis=1)
        numbers: np.ndarray = (
            places[:, 0] if self.num_hole_cards == 1 else places[:, 1] * (places[:, 1] - 1) // 2 + places[:, 0]
        )
        return numbers


NamedGame = Game | str | PathLike[str]  # a game, or the name or path that :meth:`Game.find` takes


def game_of(given: NamedGame) -> Game:
    """The game that is given, itself or by its name or path; errors as :meth:`Game.find`."""
    return given if isinstance(given, Game) else Game.find(given)
