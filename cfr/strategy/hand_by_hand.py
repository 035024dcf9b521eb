"""A strategy that somebody tells hand by hand, in games small enough for that; and its file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from cfr.abstraction.abstraction import Abstraction
from cfr.abstraction.lossless import LosslessRows
from cfr.game.betting import BettingTree, State
from cfr.game.betting_round import ACTIONS
from cfr.game.cards import format_cards
from cfr.game.rules import Game
from cfr.game.words import ACTION_NAMES
from cfr.hands.sizes import count
from cfr.strategy.files.file import save
from cfr.strategy.files.round_rows import RoundRows
from cfr.strategy.strategy import BaseStrategy, Cards, Floats
from cfr.strategy.tabulated import SAME, listed_spots, source_of
from cfr.system.errors import BadInputError
from cfr.system.version import VERSION

_MOST_TOLD = 100_000  # information sets

Mix = tuple[float, float, float]


def check_tellable(game: Game) -> None:
    """Raise BadInputError for a game of too many hands and spots to tell them one by one."""
    sets = count(game).information_sets
    if sets > _MOST_TOLD:
        raise BadInputError(
            f"{game.name}: {sets:,} hands at spots are too many for a row each; expected a game of at most "
            f"{_MOST_TOLD:,}, such as leduc"
        )


class Told(BaseStrategy):
    """What each hand does at each spot, as it was told.

    Args:
        game: the rules.
        name: what tells it; begins messages.

    Raises:
        BadInputError: the game is too large.
    """

    def __init__(self, game: Game, name: str) -> None:
        check_tellable(game)
        self.game, self.name = game, name
        self.betting = BettingTree(game)
        self.abstraction = Abstraction.lossless(game)
        self._told: dict[tuple[str, int], tuple[Mix, str]] = {}

    def tell(self, state: State, hand: Cards, board: Cards, shares: Sequence[float], where: str) -> None:
        """Say what a hand does, and so what all hands do that differ from it in their suits alone.

        Args:
            state: the betting; cards are codes, unchecked.
            shares: probabilities of fold, call and raise.
            where: it was said, for messages.

        Raises:
            BadInputError: what are no probabilities of legal actions, or others than were told before.
        """
        mix = [float(share) for share in shares]
        for letter, word, share in zip(ACTIONS, ACTION_NAMES, mix, strict=True):
            if not 0 <= share <= 1 + SAME:
                raise BadInputError(f"{self.name}, {where}: {word} {share:g}; expected a probability from 0 to 1")
            if share and letter not in state.legal:
                raise BadInputError(f"{self.name}, {where}: {word} {share:g}; expected 0, for it is illegal there")
        total = sum(mix)
        if abs(total - 1) > SAME:
            raise BadInputError(f"{self.name}, {where}: fold, call and raise sum to {total:.6g}; expected 1")
        fold, call, raise_ = (share / total for share in mix)
        key = state.line_string, self.abstraction.place(tuple(hand), tuple(board))
        known, before = self._told.setdefault(key, ((fold, call, raise_), where))
        if not np.allclose(known, (fold, call, raise_), atol=SAME, rtol=0):
            raise BadInputError(
                f"{self.name}, {where}: another mix than {before}, for a hand that differs in its suits at most"
            )

    def distribution(self, state: State, hand: Cards, board: Cards) -> Mix:
        """As told; raises BadInputError for what was not."""
        found = self._told.get((state.line_string, self.abstraction.place(tuple(hand), tuple(board))))
        if found is None:
            what = spot_named(state, hand, board)
            raise BadInputError(f"{self.name}: nothing about {what}; expected each hand at each spot")
        return found[0]

    def all_hands(self, state: State, board: Cards) -> Floats:
        found = np.zeros((self.game.num_hands, 3))
        for number in np.flatnonzero(self.game.live(board)).tolist():
            found[number] = self.distribution(state, self.game.hands[number].tolist(), board)
        return found

    def save(self, path: str | Path) -> str:
        """Write the strategy as a file with the same float64 probabilities; its checksum.

        Raises:
            BadInputError: a hand at a spot was not told.
            SaveError: the file cannot be written.
        """
        rounds = [RoundRows.of(np.asarray(table)) for table in source_of(self).rounds]
        attributes = {
            "algorithm": f"imported from {self.name}",
            "cfr_version": VERSION,
            "created": datetime.now(UTC).strftime("%Y-%m-%d"),
            "store": "float64",
        }
        return save(path, self.game, self.abstraction.arrays(), rounds, attributes)


def tell_all(told: Told, answer: Callable[[State, list[int], Cards], Sequence[float]]) -> None:
    """Ask ``answer(state, hand, board)``, cards as codes, for each hand at each spot; raises what that raises."""
    for state, board, rows in listed_spots(told.betting, LosslessRows(told.game)):
        for number in np.flatnonzero(rows >= 0).tolist():
            hand = told.game.hands[number].tolist()
            told.tell(state, hand, board, answer(state, hand, board), spot_named(state, hand, board))


def spot_named(state: State, hand: Cards, board: Cards) -> str:
    """A hand at a spot, for messages."""
    return f"hand {format_cards(hand)!r}, board {format_cards(board)!r}, line {state.line_string!r}"
