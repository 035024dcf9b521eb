"""Games: two-player limit poker as the ACPC's ``.game`` files describe it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from cfr.errors import MalformedTextError, UnknownSpotError

GAME_NAMES = ("kuhn", "leduc", "rhode-island", "holdem-2-1", "holdem-2-4", "flop-holdem", "royal", "hulhe")
MAX_ROUNDS = 4
MAX_RAISES = 8


@dataclass(frozen=True)
class Game:
    """The rules of a game. Seats are ACPC positions: 0 and 1; in hold'em with blinds position 0 is the big blind.

    Attributes:
        name: what to call it.
        blinds: chips that each seat posts.
        raise_sizes: chips of a bet or raise, per round.
        first_players: seat that acts first, per round, counted from 0.
        max_raises: bets and raises allowed, per round; blinds are none.
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
        rounds = len(self.num_board_cards)
        shown = self.num_hole_cards + sum(self.num_board_cards)
        cards = self.num_suits * self.num_ranks
        per_round = {
            "raiseSize": self.raise_sizes,
            "firstPlayer": self.first_players,
            "maxRaises": self.max_raises,
        }
        rules: list[tuple[bool, str]] = [
            (1 <= rounds <= MAX_ROUNDS, f"numRounds: {rounds} rounds; expected 1 to {MAX_ROUNDS}"),
            *(
                (
                    len(values) == rounds,
                    f"{field}: {len(values)} values; expected one for each of {rounds} rounds",
                )
                for field, values in per_round.items()
            ),
            (len(self.blinds) == 2, f"blind: {len(self.blinds)} values; expected one for each of 2 players"),
            (
                min(self.blinds) >= 0 < max(self.blinds),
                f"blind: {_row(self.blinds)}; expected chips from somebody",
            ),
            (min(self.raise_sizes) >= 1, f"raiseSize: {_row(self.raise_sizes)}; expected at least 1 chip"),
            (
                set(self.first_players) <= {0, 1},
                f"firstPlayer: {_row(p + 1 for p in self.first_players)}; expected 1 or 2",
            ),
            (
                0 <= min(self.max_raises) <= max(self.max_raises) <= MAX_RAISES,
                f"maxRaises: {_row(self.max_raises)}; expected 0 to {MAX_RAISES}",
            ),
            (1 <= self.num_suits <= 4, f"numSuits: {self.num_suits}; expected 1 to 4"),
            (1 <= self.num_ranks <= 13, f"numRanks: {self.num_ranks}; expected 1 to 13"),
            (self.num_hole_cards in (1, 2), f"numHoleCards: {self.num_hole_cards}; expected 1 or 2"),
            (
                self.num_board_cards[0] == 0,
                f"numBoardCards: {self.num_board_cards[0]} in the first round; expected 0",
            ),
            (min(self.num_board_cards) >= 0, "numBoardCards: a negative number of cards"),
            (
                all(new > 0 for new in self.num_board_cards[1:]),
                "numBoardCards: 0 in a later round; expected at least 1 new card",
            ),
            (
                shown in (1, 2, 3, 5, 6, 7),
                f"numBoardCards: {shown} cards at showdown with the hole cards; expected 1 to 3 or 5 to 7",
            ),
            (
                shown + self.num_hole_cards <= cards,
                f"numSuits, numRanks: {cards} cards are not enough for two hands and the board",
            ),
        ]
        for holds, message in rules:
            if not holds:
                raise MalformedTextError(f"game {self.name}: {message}")

    @classmethod
    def bundled(cls, name: str) -> Game:
        """One of ``GAME_NAMES``; raises UnknownSpotError for any other."""
        if name not in GAME_NAMES:
            raise UnknownSpotError(f"unknown game {name!r}; bundled are {', '.join(GAME_NAMES)}")
        return cls.parse(files("cfr.games").joinpath(f"{name}.game").read_text("ascii"), name)

    @classmethod
    def read(cls, path: str | Path) -> Game:
        """A ``.game`` file, named after it; raises OSError or MalformedTextError."""
        path = Path(path)
        return cls.parse(path.read_text("utf-8", errors="replace"), path.stem)

    @classmethod
    def parse(cls, text: str, name: str = "game") -> Game:
        """The game that ``text`` describes in ACPC format.

        Raises:
            MalformedTextError: names the line and the field that cannot be read or played.
        """
        return cls(name=name, **_read_fields(text, name))

    def text(self) -> str:
        """The game in ACPC format; :meth:`parse` reads it back."""
        return "\n".join(
            [
                "GAMEDEF",
                "limit",
                "numPlayers = 2",
                f"numRounds = {self.num_rounds}",
                f"blind = {_row(self.blinds)}",
                f"raiseSize = {_row(self.raise_sizes)}",
                f"firstPlayer = {_row(p + 1 for p in self.first_players)}",
                f"maxRaises = {_row(self.max_raises)}",
                f"numSuits = {self.num_suits}",
                f"numRanks = {self.num_ranks}",
                f"numHoleCards = {self.num_hole_cards}",
                f"numBoardCards = {_row(self.num_board_cards)}",
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

    @cached_property
    def num_hands(self) -> int:
        return comb(len(self.deck), self.num_hole_cards)

    def hand_number(self, cards: tuple[int, ...]) -> int:
        """The number of a hand in :attr:`hands`, its cards in any order; raises UnknownSpotError."""
        if len(cards) != self.num_hole_cards or len(set(cards)) != len(cards):
            raise UnknownSpotError(f"a hand of {self.name} has {self.num_hole_cards} different cards, not {len(cards)}")
        positions = sorted(np.searchsorted(self.deck, cards).tolist())
        if any(p == len(self.deck) for p in positions) or not np.isin(cards, self.deck).all():
            raise UnknownSpotError(f"the deck of {self.name} does not hold these cards")
        if self.num_hole_cards == 1:
            return int(positions[0])
        return int(positions[1] * (positions[1] - 1) // 2 + positions[0])


def _row(values: Iterable[int]) -> str:
    return " ".join(map(str, values))


def _one(values: tuple[int, ...]) -> int:
    (value,) = values
    return value


def _less_one(values: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(value - 1 for value in values)


def _same(values: tuple[int, ...]) -> tuple[int, ...]:
    return values


# The format's name of each field: its name here, whether it is one number, and how to convert.
_FIELDS: dict[str, tuple[str, bool, Callable[[tuple[int, ...]], object]]] = {
    "blind": ("blinds", False, _same),
    "raisesize": ("raise_sizes", False, _same),
    "firstplayer": ("first_players", False, _less_one),
    "maxraises": ("max_raises", False, _same),
    "numsuits": ("num_suits", True, _one),
    "numranks": ("num_ranks", True, _one),
    "numholecards": ("num_hole_cards", True, _one),
    "numboardcards": ("num_board_cards", False, _same),
}
_SPELLING = {
    name.lower(): name
    for name in [
        "numPlayers",
        "numRounds",
        "blind",
        "raiseSize",
        "firstPlayer",
        "maxRaises",
        "numSuits",
        "numRanks",
        "numHoleCards",
        "numBoardCards",
    ]
}


def _read_fields(text: str, game: str) -> dict[str, Any]:
    """The dataclass's fields from the format's lines."""
    values: dict[str, tuple[int, ...]] = {}
    began = ended = limit = False
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.split("#", 1)[0].strip()
        where = f"game {game}, line {number}"
        word = line.lower()
        if not line or word.startswith("stack"):
            continue
        if ended:
            raise MalformedTextError(f"{where}: {line!r} after END GAMEDEF")
        if not began:
            if word != "gamedef":
                raise MalformedTextError(f"{where}: {line!r}; expected GAMEDEF first")
            began = True
        elif word == "end gamedef":
            ended = True
        elif word == "limit":
            limit = True
        elif word == "nolimit":
            raise MalformedTextError(f"{where}: nolimit; only limit games can be played")
        else:
            field, numbers = _read_line(line, where)
            if field in values:
                raise MalformedTextError(f"{where}: {_SPELLING[field]} is there twice")
            values[field] = numbers
    if not ended:
        raise MalformedTextError(f"game {game}: no END GAMEDEF" if began else f"game {game}: no GAMEDEF")
    if not limit:
        raise MalformedTextError(f"game {game}: neither limit nor nolimit; only limit games can be played")
    for field, spelling in _SPELLING.items():
        # Four raises in every round are the format's default; first player 1 is, too.
        if field not in values and field not in ("maxraises", "firstplayer"):
            raise MalformedTextError(f"game {game}: {spelling} is missing")
    if values.pop("numplayers") != (2,):
        raise MalformedTextError(f"game {game}: numPlayers must be 2")
    rounds = _one(values.pop("numrounds"))
    values.setdefault("firstplayer", (1,) * rounds)
    values.setdefault("maxraises", (4,) * rounds)
    if len(values["numboardcards"]) != rounds:
        raise MalformedTextError(f"game {game}: numBoardCards: expected one value for each of {rounds} rounds")
    return {_FIELDS[field][0]: _FIELDS[field][2](numbers) for field, numbers in values.items()}


def _read_line(line: str, where: str) -> tuple[str, tuple[int, ...]]:
    match = re.fullmatch(r"(\w+)\s*=?\s*(.*)", line)
    field = match[1].lower() if match else ""
    if match is None or field not in _SPELLING:
        raise MalformedTextError(
            f"{where}: unknown field {line.split(maxsplit=1)[0]!r}; expected {', '.join(_SPELLING.values())}"
        )
    words = match[2].split()
    if not words or not all(re.fullmatch(r"\d{1,9}", word) for word in words):
        raise MalformedTextError(f"{where}: {_SPELLING[field]}: {match[2]!r}; expected whole numbers")
    single = field in ("numplayers", "numrounds") or _FIELDS.get(field, ("", False))[1]
    if single and len(words) != 1:
        raise MalformedTextError(f"{where}: {_SPELLING[field]}: {match[2]!r}; expected one number")
    return field, tuple(int(word) for word in words)
