"""Canonical boards: one of each suit-isomorphism class, the size of the class, and the class of any board."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cfr._native import symmetry as _symmetry
from cfr.hands.isomorphism import Bytes, HandIndexer, Int16, Int64, checked_cards, deck_size, permute_hands


class BoardMap:
    """The canonical boards of a deck, and the map from any board to its canonical board.

    ``groups`` are the cards of each round: ``(5,)`` for river boards as sets, ``(3, 1, 1)`` for flop, turn and river as
    dealt. A table with a row per canonical board and a column per hand holds the entry of hand ``h`` on any board at ::

        index, permutation = board_map.locate(boards)
        table[index, board_map.permute_hands(hands)[permutation, h]]
    """

    def __init__(self, groups: Sequence[int], deck: npt.ArrayLike) -> None:
        """Raise BadInputError for a deck that is no full set of ranks and suits or that cannot deal the groups."""
        self.num_ranks, self.num_suits = deck_size(deck)
        self.indexer = HandIndexer(groups, self.num_ranks, self.num_suits)
        self.groups = self.indexer.groups

    def __len__(self) -> int:
        return self.indexer.sizes[-1]

    @cached_property
    def boards(self) -> Bytes:
        """``(M, k)`` canonical boards: the lexicographically smallest of each class, cards ascending in a round."""
        return self.indexer.unindex(np.arange(len(self)))

    @cached_property
    def weights(self) -> Int64:
        """``(M,)`` number of boards in the class of each canonical board; the sum counts all boards of the deck."""
        out = np.empty(len(self), np.int64)
        _symmetry.orbit_sizes(self.boards, np.array(self.groups, np.int32), self.num_suits, out)
        return out

    def locate(self, boards: npt.ArrayLike, threads: int = 1) -> tuple[Int64, Bytes]:
        """``(n,)`` canonical numbers of ``(n, k)`` boards and ``(n,)`` suit permutations.

        The permutation, a row of `suit_permutations`, takes the board's suits to those of ``self.boards[number]``.
        """
        array = checked_cards(boards, sum(self.groups), self.num_ranks, self.num_suits, "boards")
        permutation = np.empty(len(array), np.uint8)
        groups = np.array(self.groups, np.int32)
        _symmetry.suit_permutations(array, groups, self.num_suits, permutation, threads)
        return self.indexer.index(array, threads=threads), permutation

    def permute_hands(self, hands: npt.ArrayLike) -> Int16:
        """``(num_suits!, H)`` number of each hand under each suit permutation; see `isomorphism.permute_hands`."""
        return permute_hands(hands, self.num_suits)
