"""Rows of a spot: one for each hand on each board that can follow, or in the last round one for each strength."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import State
from cfr.game.cards import format_cards
from cfr.game.rules import Game
from cfr.hands.isomorphism import board_symmetries, collisions, hand_classes, permute_hands, suit_permutations
from cfr.hands.river_rows import RiverRows, ranks, strength_ranks
from cfr.kernel.builds import dtype_for, lanes
from cfr.kernel.chance import boards_below, round_of
from cfr.kernel.tree import Tree, build_tree
from cfr.system.errors import BadInputError

NO_LOCKS_BY_STRENGTH = "river rows by strength cannot hold locks, which are about hands; use river rows by hand"
_SMALLEST_DECK = 40  # cards; smaller decks lose too much by strength: docs/spots.md has floors by deck


class SpotRows:
    """A row for every hand on every board below one board.

    Each hand on each board has a row of its own if the ranges tell suits apart. Otherwise boards and hands that a suit
    symmetry of the first board maps onto each other share rows. By strength, hands that tie on a board of the game's
    last round share a row, too: such hands differ only in the cards that they take from the opponent.

    Args:
        game: the rules.
        board: card codes up to the end of a round; earlier rounds have no rows.
        is_symmetric: whether the ranges are the same after every suit permutation that keeps the board.
        held: ``(H,)`` bool: hands in either range; other hands get no row.
        last: the last round with rows; default, the game's last.
        river_rows: whether a row of the game's last round is a hand or a strength.

    Attributes:
        boards: per round from the board's on, ``(n, k)`` boards that stand for themselves or for their orbits.
        num_rows: rows per round of the game.
        river_rows: as given.
    """

    separates_boards = True

    def __init__(
        self,
        game: Game,
        board: Sequence[int],
        is_symmetric: bool,
        held: NDArray[np.bool_],
        last: int | None = None,
        river_rows: RiverRows = "hands",
    ) -> None:
        self.first = round_of(game, board)
        self.is_symmetric = is_symmetric
        self.river_rows = river_rows
        self._game = game
        self._held = held
        self._ends = np.cumsum(game.num_board_cards).tolist()
        levels = boards_below(game, np.array(board, np.uint8), is_symmetric, last)
        self.boards = [level.cards for level in levels]
        rows = [self._row_numbers(number, cards) for number, cards in enumerate(self.boards, self.first)]
        self.num_rows = tuple([0] * self.first + [int(each.max()) + 1 for each in rows])
        self._row_numbers_of = rows
        kept = board_symmetries(self.boards[0][0].tolist(), game.num_board_cards, game.num_suits)
        self._suits = kept if is_symmetric else kept[:1]
        self._images = permute_hands(game.hands, game.num_suits)[self._suits]
        keys = [self._keys(number, cards) for number, cards in enumerate(self.boards, self.first)]
        self._order = [np.argsort(each) for each in keys]
        self._sorted = [each[order] for each, order in zip(keys, self._order, strict=True)]

    def rows(self, round_index: int, boards: NDArray[np.uint8], threads: int = 1) -> NDArray[np.int32]:
        """``(n, hands)`` row of every hand on ``(n, k)`` boards below the spot's; -1 where hand and board share a card.

        Raises:
            BadInputError: a board that does not follow the spot's.
        """
        level = round_index - self.first
        boards = np.asarray(boards, np.uint8)
        if level < 0:
            raise self._foreign(boards[0])
        permuted = suit_permutations(self._game.num_suits)[self._suits]
        low = 4 - self._game.num_suits
        best = np.full(len(boards), np.iinfo(np.int64).max)
        which = np.zeros(len(boards), np.intp)
        for number, suits in enumerate(permuted):
            keys = self._keys(round_index, (boards & 0xFC) + suits[(boards & 3) - low] + low)
            which[keys < best] = number
            best = np.minimum(keys, best)
        place = np.searchsorted(self._sorted[level], best)
        found = self._sorted[level][np.minimum(place, len(self._sorted[level]) - 1)] == best
        if not found.all():
            raise self._foreign(boards[int(np.argmin(found))])
        index = self._order[level][place]
        rows: NDArray[np.int32] = np.take_along_axis(self._row_numbers_of[level][index], self._images[which], axis=1)
        return rows

    def _foreign(self, board: NDArray[np.uint8]) -> BadInputError:
        missed, first = (format_cards(each.tolist()) or "(none)" for each in (board, self.boards[0][0]))
        return BadInputError(f"board {missed}: it does not follow {first}")

    def _row_numbers(self, number: int, boards: NDArray[np.uint8]) -> NDArray[np.int32]:
        """``(n, hands)`` rows of the boards that are enumerated."""
        game = self._game
        if self.river_rows == "strength" and number == game.num_rounds - 1:
            found = strength_ranks(game, boards, self._held)
        elif self.is_symmetric:
            classes = hand_classes(boards, game.num_board_cards[1 : number + 1], game.hands, game.deck)
            found = ranks(np.where(self._held, classes, -1))
        else:
            live = ~collisions(boards, game.hands) & self._held
            found = np.where(live, np.cumsum(live, axis=1) - 1, -1).astype(np.int32)
        counts = found.max(axis=1) + 1
        first = np.cumsum(counts) - counts
        numbers: NDArray[np.int32] = np.where(found >= 0, found + first[:, None], -1).astype(np.int32)
        return numbers

    def _keys(self, number: int, boards: NDArray[np.uint8]) -> NDArray[np.int64]:
        """``(n,)`` one number for each board's cards, round by round; the numbers have the order of the boards."""
        keys = np.zeros(len(boards), np.int64)
        for start, end in zip(self._ends[:number], self._ends[1 : number + 1], strict=True):
            for column in np.sort(boards[:, start:end], axis=1).T:
                keys = keys * 52 + column
        return keys


def lay_out(
    entries: Sequence[State],
    board: Sequence[int],
    dtype: np.dtype | type | None = None,
    river_rows: RiverRows = "hands",
) -> tuple[SpotRows, Tree]:
    """Rows of the boards that follow one, and the betting that follows the states.

    Isomorphic hands share rows: neither the blueprint nor a solve from its ranges tells suits apart. The tree is laid
    out for the kernel of ``dtype``, by default that of the game.
    """
    game = entries[0].tree.game
    tree = build_tree(
        game, lanes(dtype_for(game) if dtype is None else dtype), entries[0].round, [e.line for e in entries]
    )
    return all_rows(game, board, river_rows=river_rows), tree


def all_rows(game: Game, board: Sequence[int], last: int | None = None, river_rows: RiverRows = "hands") -> SpotRows:
    """Rows of all boards that follow one, up to the round ``last``; isomorphic hands share rows."""
    is_symmetric = len(board_symmetries(board, game.num_board_cards, game.num_suits)) > 1
    return SpotRows(game, board, is_symmetric, game.live(board), last, river_rows)


def suits_strengths(game: Game, round_index: int) -> bool:
    """Whether river rows by strength suit a solve from a round on, by default.

    The last round alone is solved at once by hand, and in small decks forgotten blockers cost too much.
    """
    return round_index + 1 < game.num_rounds and len(game.deck) >= _SMALLEST_DECK
