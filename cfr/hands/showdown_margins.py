"""Showdown margins: a hand's probability to win minus its probability to lose, over all boards that can still come."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from cfr._native import equity as _equity
from cfr.game.evaluate import strengths
from cfr.game.rules import Game
from cfr.hands.boards import BoardMap
from cfr.system.disk.cache import Cache, fingerprint
from cfr.system.progress import Progress

Floats = NDArray[np.float64]
_MOST_BOARDS = 60_000  # dealt for one pair of hands
_MOST_SHOWDOWNS = 5_000_000  # hands on boards, of all pairs that are counted pair by pair
_BOARDS_AT_A_TIME = 64
_MIDDLE = 20_480  # the middle of all strengths: differences from the middle fit int16
_VERSION = 1


class Margins:
    """Margins of the hands of a game: the probability to win at showdown minus the probability to lose.

    Args:
        game: the rules.
        cache: keeps the margins of all pairs of starting hands. A game with too many boards for a pair counts these
            margins once, in seconds.
        threads: threads of this count.
    """

    def __init__(self, game: Game, cache: Cache | None = None, threads: int = 1) -> None:
        self.game = game
        self._cards = sum(game.num_board_cards)
        self._cache = cache or Cache()
        self._threads = threads
        self._starting: Floats | None = None

    def against(self, hands: NDArray[np.uint8], other: Sequence[int], board: Sequence[int]) -> Floats:
        """``(n,)`` exact margins of ``(n, hole)`` hands against another hand; 0 for hands that share a card.

        Args:
            hands: card codes.
            other: the opponent's hand.
            board: the cards dealt so far.
        """
        game = self.game
        coming = self._cards - len(board)
        unseen = len(game.deck) - len(board) - game.num_hole_cards
        if comb(unseen, coming) > _MOST_BOARDS and not board:
            known: Floats = self._of_starting_hands()[game.hand_numbers(hands), game.hand_number(tuple(other))]
            return known
        seen = [*other, *board]
        rest = np.setdiff1d(game.deck, np.array(seen, np.uint8))
        boards = np.empty((comb(unseen, coming), self._cards), np.uint8)
        boards[:, : len(board)] = board
        boards[:, len(board) :] = rest[_choices(len(rest), coming)]
        mine, theirs = strengths(boards, hands), strengths(boards, np.array([other], np.uint8))
        # A hand that shares a card with the board has strength 0 and seems to lose.
        live = comb(unseen - game.num_hole_cards, coming)
        won = np.count_nonzero(mine > theirs, axis=0)
        lost = np.count_nonzero(mine < theirs, axis=0) - (len(boards) - live)
        margins: Floats = (won - lost) / live
        margins[np.isin(hands, seen).any(axis=1)] = 0
        return margins

    def all_pairs(self, progress: bool | Progress = False) -> Floats:
        """``(H, H)`` margins of starting hands before any board card; 0 for pairs that share a card.

        ``progress`` shows a bar on stderr during a count, or hears the share of it that is done.
        """
        game = self.game
        showdowns = game.num_hands * comb(len(game.deck) - game.num_hole_cards, self._cards)
        if self._starting is None and showdowns <= _MOST_SHOWDOWNS:
            self._starting = np.array([self.against(game.hands, hand, ()) for hand in game.hands.tolist()]).T
        return self._of_starting_hands(progress) if self._starting is None else self._starting

    def _of_starting_hands(self, progress: bool | Progress = False) -> Floats:
        if self._starting is None:
            game = self.game
            name = f"margins-{fingerprint(_VERSION, game.deck, game.num_hole_cards, self._cards)}"
            kept = (self._cache.load(name) or {}).get("margins")
            if kept is None or kept.shape != (game.num_hands, game.num_hands):
                kept = count_margins(game, self._threads, progress)
                self._cache.save(name, {"margins": kept})
            boards = comb(len(game.deck) - 2 * game.num_hole_cards, self._cards)
            self._starting = kept / boards
        return self._starting


@lru_cache(1)
def margins_of(game: Game) -> Margins:
    """The margins of a game's hands; kept, since all pairs of starting hands take seconds to count."""
    return Margins(game)


def count_margins(game: Game, threads: int = 1, progress: bool | Progress = False) -> NDArray[np.int32]:
    """``(H, H)`` boards that the row's hand wins, less boards that it loses; 0 for pairs that share a card.

    One board of each suit-isomorphism class stands for its orbit. Sums over these boards, averaged over the suit
    permutations of both hands, are sums over all boards. ``progress`` shows a bar on stderr, or hears the share
    that is done.
    """
    known = BoardMap((sum(game.num_board_cards),), game.deck)
    hands = game.hands
    out = np.zeros((len(hands), len(hands)), np.int32)
    done = 0
    with tqdm(
        desc="counting showdowns", total=len(known.boards), unit="boards", disable=progress is not True, leave=False
    ) as bar:
        for weight in np.unique(known.weights).tolist():
            boards = known.boards[known.weights == weight]
            for start in range(0, len(boards), _BOARDS_AT_A_TIME):
                some = boards[start : start + _BOARDS_AT_A_TIME]
                found = strengths(some, hands, threads).astype(np.int32) - _MIDDLE
                blocked = found == -_MIDDLE
                low = np.where(blocked, -(2**15), found).astype(np.int16)
                high = np.where(blocked, 2**15 - 1, found).astype(np.int16)
                _equity.add_margins(low, high, weight, threads, out)
                bar.update(len(some))
                done += len(some)
                if callable(progress):
                    progress(done / len(known.boards))
    out -= out.T
    lanes = known.permute_hands(hands).astype(np.intp)
    total = np.zeros(out.shape, np.int64)
    for lane in lanes:
        total += out[np.ix_(lane, lane)]
    shared = (hands[:, None, :, None] == hands[None, :, None, :]).any(axis=(2, 3))
    margins: NDArray[np.int32] = (total // len(lanes)).astype(np.int32)
    margins[shared] = 0
    return margins


@lru_cache(8)
def _choices(count: int, drawn: int) -> NDArray[np.intp]:
    """``(C(count, drawn), drawn)`` all ways to draw."""
    return np.array(list(combinations(range(count), drawn)), np.intp).reshape(comb(count, drawn), drawn)
