"""First boards to deal: all of them, or a stratified sample whose error can be estimated.

The sample is systematic (Särndal, Swensson and Wretman 1992, section 3.4). All boards lie in a row, sorted by texture;
the length of a board is its number of suit permutations. A sample of N boards takes the board at every 1/N of the row
from a random start. Each board of the sample stands for 1/N of all boards.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cfr.game.rules import Game
from cfr.hands.isomorphism import chance_children
from cfr.system.checks import check_count
from cfr.system.errors import BadInputError

TEXTURES = ("paired", "monotone", "two-tone", "rainbow")


@dataclass(frozen=True)
class FirstBoards:
    """Boards of the first round that deals board cards.

    Attributes:
        cards: ``(n, k)`` uint8, one of each orbit under suit symmetry.
        share: ``(n,)`` float64 probability of the orbit; sums to 1.
    """

    cards: np.ndarray
    share: np.ndarray


def first_boards(game: Game) -> FirstBoards:
    """All first boards in canonical order; raises BadInputError for a game that deals none."""
    if game.num_rounds < 2:
        raise BadInputError(f"{game.name} deals no board: only its exploitability is measured")
    _, cards, weight = chance_children(np.zeros((1, 0), np.uint8), (), game.num_board_cards[1], game.deck)
    return FirstBoards(cards, weight / weight.sum())


def at_most(flops: int | None, game: Game) -> int | None:
    """The size of a sample: ``flops``, or None for all where the game has no more first boards."""
    return None if flops is None or flops >= len(first_boards(game).cards) else flops


def texture(cards: np.ndarray) -> str:
    """``paired`` (also for trips), else ``monotone``, ``two-tone`` or ``rainbow`` by suits."""
    ranks, suits = len(set((cards // 4).tolist())), len(set((cards % 4).tolist()))
    if ranks < len(cards):
        return "paired"
    return {1: "monotone", 2: "two-tone"}.get(suits, "rainbow") if len(cards) > 1 else "rainbow"


def sample(boards: FirstBoards, count: int | None, seed: int) -> np.ndarray:
    """``(count,)`` numbers of boards, ordered by texture and ranks; a likely board may come twice. None takes all once.

    Raises:
        BadInputError: ``count`` is less than 2, or there are no more boards than that.
    """
    if count is None:
        return np.arange(len(boards.cards))
    check_count("flops", count, 2, why="to say how sure the estimate is")
    check_count("seed", seed, 0)
    if count >= len(boards.cards):
        raise BadInputError(f"flops: {count:,}; there are {len(boards.cards):,}: say all for all of them")
    ranks = -np.sort(-(boards.cards // 4).astype(int), axis=1)
    kind = np.array([TEXTURES.index(texture(cards)) for cards in boards.cards])
    order = np.lexsort((*ranks.T[::-1], kind))
    ends = np.cumsum(boards.share[order])
    points = (np.arange(count) + np.random.default_rng(seed).random()) / count * ends[-1]
    drawn: np.ndarray = order[np.minimum(np.searchsorted(ends, points, side="right"), len(order) - 1)]
    return drawn
