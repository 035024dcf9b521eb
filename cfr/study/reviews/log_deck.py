"""The deck that a log was dealt from: a log of a shorter deck must not be reviewed as one of the strategy's game."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cfr.game.cards import RANKS
from cfr.game.hand import LoggedHand
from cfr.game.rules import Game
from cfr.system.errors import BadInputError
from cfr.system.text import counted

_CHANCE = 1e-9  # of boards without the lowest ranks, by a deck that has these ranks


def check_deck(hands: Iterable[LoggedHand], game: Game, log: str | Path) -> None:
    """Refuse a log whose boards lack the lowest ranks of the game's deck, unless chance may do that.

    Logs name no game. Only boards count, each once: players show their good hands, which have high cards.

    Raises:
        BadInputError: a log of a shorter deck.
    """
    boards = {tuple(sorted(hand.seen.board)) for hand in hands if hand.seen.board}
    if not boards:
        return
    ranks = [card // 4 for board in boards for card in board]
    first = len(RANKS) - game.num_ranks  # the lowest rank of the game
    missing = min(ranks) - first
    if missing > 0 and (1 - missing / game.num_ranks) ** len(ranks) < _CHANCE:
        raise BadInputError(
            f"{log}: no card below {RANKS[min(ranks)]} on {counted(len(boards), 'board')}, so it is no log of "
            f"{game.name}; review it with a strategy of its own game"
        )
