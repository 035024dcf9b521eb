"""Equities of two ranges against each other: for every hand of both, over every run-out of the board.

The hands of a run-out are sorted by strength. Sums over weaker and stronger hands of the other range then give each
hand's result; the pairs that share a card are taken out card by card.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from cfr.game.evaluate import strengths
from cfr.game.rules import Game
from cfr.hands.showdown_margins import margins_of
from cfr.system.errors import BadInputError
from cfr.system.text import counted

Floats = NDArray[np.float64]


def range_equities(game: Game, board: tuple[int, ...], ranges: Floats) -> Floats:
    """``(2, H)`` shares of the pot that hands win against the other range if nobody bets any more; 0 to 1.

    NaN for hands that share a card with the board, or with every hand of the other range. A flop takes half a second, a
    turn and a river a moment; before the board, see :meth:`cfr.hands.showdown_margins.Margins.all_pairs`.

    Args:
        game: the rules; two hole cards.
        board: card codes dealt so far.
        ranges: ``(2, H)`` weights of both, at least 0.

    Raises:
        BadInputError: a game of other than two hole cards, or a board of more cards than the game has.
    """
    if game.num_hole_cards != 2:
        raise BadInputError(f"{game.name} has no hands of two cards")
    coming = sum(game.num_board_cards) - len(board)
    if coming < 0:
        raise BadInputError(f"board: {counted(len(board), 'card')}; {game.name} has {sum(game.num_board_cards)}")
    live = game.live(board)
    ranges = ranges * live
    pairs = ranges[::-1] @ game.apart
    if board:
        rest = [card for card in game.deck.tolist() if card not in board]
        boards = np.array([[*board, *more] for more in combinations(rest, coming)], np.uint8)
        margins = _over_boards(game, boards, ranges) / comb(len(rest) - 2 * game.num_hole_cards, coming)
    else:
        margins = ranges[::-1] @ margins_of(game).all_pairs().T
    there = live & (pairs > 0)
    shares = (np.divide(margins, pairs, out=np.zeros_like(pairs), where=there) + 1) / 2
    return np.where(there, np.clip(shares, 0, 1), np.nan)


def _over_boards(game: Game, boards: NDArray[np.uint8], ranges: Floats) -> Floats:
    """``(2, H)`` weights that hands beat less weights that beat them, summed over whole boards."""
    place = np.full(256, -1)
    place[game.deck] = np.arange(len(game.deck))
    cards = place[game.hands]
    margins = np.zeros_like(ranges)
    for found in strengths(boards, game.hands):
        live = np.flatnonzero(found)
        _, rank = np.unique(found[live], return_inverse=True)
        for seat in (0, 1):
            margins[seat, live] += _margins(ranges[1 - seat, live], rank, cards[live], len(game.deck))
    return margins


def _margins(weights: Floats, rank: NDArray[np.intp], cards: NDArray[np.intp], deck: int) -> Floats:
    """What each of ``n`` hands, by rank and ``(n, 2)`` cards, beats of ``(n,)`` weights less what beats it."""
    ranks = int(rank.max()) + 1
    by_rank = np.bincount(rank, weights, ranks)
    keys = (cards * ranks + rank[:, None]).T
    by_card = np.bincount(keys.ravel(), np.tile(weights, 2), deck * ranks).reshape(deck, ranks)
    below, below_card = np.cumsum(by_rank) - by_rank, np.cumsum(by_card, axis=1) - by_card
    # Twice below, and as much as ties, less all: weaker hands less stronger ones.
    margin = (2 * below + by_rank - by_rank.sum())[rank]
    sharing = (2 * below_card + by_card - by_card.sum(axis=1)[:, None]).ravel()[keys].sum(axis=0)
    # A hand stands in the sums of both its cards; it ties with itself, so that this needs no mend.
    result: Floats = margin - sharing
    return result
