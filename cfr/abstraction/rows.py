"""Which row of one round's table a hand on a board owns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cfr.abstraction.deck import FLOP, Deck
from cfr.abstraction.features import HandFeatures, board_map, permuted_hands
from cfr.abstraction.kmeans import CentroidTree
from cfr.abstraction.stored_tree import StoredTree
from cfr.game.words import ROUND_NAMES
from cfr.system.disk.cache import Cache, fingerprint

CLASSES = "turn_classes"  # named for full hold'em, where the last round is the river
_COLLISION = 65535  # in a table; -1 in rows
_CHUNK = 256  # boards whose features are held at a time
_FEW_BOARDS = (inf, 512, 64)  # up to so many boards are faster than a table, by how many rounds are still to come


FeaturesOf = Callable[[int], NDArray[np.uint16]]  # (boards, 1326, 16) by round


class RoundAbstraction(Protocol):
    """The card abstraction of one round: the row of each hand.

    Attributes:
        num_rows: how many.
        is_lossless: whether they are the canonical hands.
        separates_boards: whether no two boards share a row.
    """

    is_lossless: bool
    separates_boards: bool

    @property
    def num_rows(self) -> int: ...

    def rows(self, boards: NDArray[np.uint8], threads: int) -> NDArray[np.int32]:
        """The row ``(n, H)`` of every hand on ``(n, k)`` boards, -1 on collision."""

    def place(self, hand: Sequence[int], board: Sequence[int], use_table: bool) -> int:
        """The row of one hand on one board, looked up if there is a table and ``use_table`` does not decline it."""
        ...

    def hold_table(self, threads: int) -> None:
        """Take the round's table into memory, if it has one; computed in seconds if none is kept."""

    def hold_kept_table(self) -> None:
        """Take the table into memory, if it is in the file or the cache."""

    def arrays(self, flop_table: bool) -> dict[str, Any]:
        """What a strategy file keeps of the round, by name."""


class BucketedRound:
    """One row per cluster of similar hands on the flop, turn or river of a hold'em-like game.

    Hands of the last round are placed from their features every time. Earlier rounds have a table: the bucket
    (canonical boards, H) uint16 of every hand, 65535 on collision. ``table`` is an array, a dataset that is read row by
    row, or None before its first use, which loads it from the cache or computes it.
    """

    is_lossless = False
    separates_boards = False

    def __init__(
        self,
        round_index: int,
        tree: CentroidTree | StoredTree,
        features: HandFeatures,
        cache: Cache,
        table: Any = None,
    ) -> None:
        self.round_index = round_index
        self.features = features
        self.deck = features.deck
        self.num_rows = tree.size
        self.table = table
        self._tree = tree
        self._cache = cache

    @property
    def tree(self) -> CentroidTree:
        """The clusters; raises DamagedFileError if a file's do not fit."""
        if isinstance(self._tree, StoredTree):
            self._tree = self._tree.read()
        return self._tree

    def __getstate__(self) -> dict[str, Any]:
        """With clusters and table as arrays: what is open cannot go to another process."""
        return {**vars(self), "_tree": self.tree, "table": None if self.table is None else self.table[:]}

    def rows(self, boards: NDArray[np.uint8], threads: int) -> NDArray[np.int32]:
        known = board_map(self.deck, self.round_index)
        positions, perms = known.locate(boards, threads)
        used, inverse = np.unique(positions, return_inverse=True)
        if self.table is None and len(used) <= _FEW_BOARDS[self.deck.last - self.round_index]:
            canonical = self._assign(known.boards[used], threads)[inverse]
        else:
            canonical = self.full_table(threads)[positions].astype(np.int32)
            canonical[canonical == _COLLISION] = -1
        return np.take_along_axis(canonical, permuted_hands(self.deck)[perms].astype(np.intp), axis=1)

    def place(self, hand: Sequence[int], board: Sequence[int], use_table: bool) -> int:
        number = self.deck.hand_number(hand)
        cards = np.array(board, np.uint8)
        if use_table and self.table is not None:
            position, perm = board_map(self.deck, self.round_index).locate(cards[None])
            return int(self.table[int(position[0])][permuted_hands(self.deck)[perm[0], number]])
        return int(self.tree.assign(self.features.hand(number, cards)[None])[0])

    def hold_table(self, threads: int) -> None:
        if self._has_table:
            self.full_table(threads)

    def hold_kept_table(self) -> None:
        if self._has_table and not isinstance(self.table, np.ndarray):
            self.table = self._read_table() if self.table is None else np.asarray(self.table[:])

    def arrays(self, flop_table: bool) -> dict[str, Any]:
        """The clusters as ``coarse<r>`` and so on, how features are computed, and ``flop_table``."""
        found = {f"{name}{self.round_index}": getattr(self.tree, name) for name in CentroidTree.FIELDS}
        found |= {"opponent_clusters": self.features.clusters, "strength_steps": self.features.steps}
        if self.round_index == FLOP and self._has_table and flop_table:
            found["flop_table"] = self.full_table(threads=1)
        return found

    @property
    def is_table_kept(self) -> bool:
        """Whether the cache has the table, or the round needs none."""
        return not self._has_table or self._cache.has(self._table_name)

    def full_table(self, threads: int, features_of: FeaturesOf | None = None) -> NDArray[np.uint16]:
        """The whole table in memory; a build that shares the features of all boards gives them by ``features_of``."""
        self.hold_kept_table()
        if self.table is None:
            boards = board_map(self.deck, self.round_index).boards
            if features_of is None:
                features = self.features.of_boards(self.round_index, boards, threads)
            else:
                features = features_of(self.round_index)
            self.table = self._assign(boards, threads, features).astype(np.uint16)
            self._cache.save(self._table_name, {"table": self.table})
        table: NDArray[np.uint16] = self.table
        return table

    @property
    def _has_table(self) -> bool:
        return self.round_index < self.deck.last

    @property
    def _table_name(self) -> str:
        tree = self.tree
        parts = (*self.features.identity, tree.coarse, tree.fine, tree.offsets, tree.labels)
        return f"{ROUND_NAMES[self.round_index]}-table-{fingerprint(*parts)}"

    def _read_table(self) -> NDArray[np.uint16] | None:
        table = (self._cache.load(self._table_name) or {}).get("table")
        return table if table is not None and is_table(table, self.deck, self.round_index) else None

    def _assign(
        self, boards: NDArray[np.uint8], threads: int, features: NDArray[np.uint16] | None = None
    ) -> NDArray[np.int32]:
        """The bucket (n, H) of every hand, from its features; -1 on collision."""
        rows = np.empty((len(boards), len(self.deck.hands)), np.int32)
        for start in range(0, len(boards), _CHUNK):
            part = slice(start, start + _CHUNK)
            given = features[part] if features is not None else None
            if given is None:
                given = self.features.of_boards(self.round_index, boards[part], threads)
            self.tree.assign_boards(given, boards[part], self.deck.hands, threads, rows[part])
        return rows


class RowsOfClasses:
    """One row per class of a hand's bucket in the round before and cluster of the last round's hands.

    Hands that differed on the turn play the river differently: imperfect recall that remembers a coarse bucket of the
    round before (Waugh, Zinkevich, Johanson, Kan, Schnizlein and Bowling, *A Practical Use of Imperfect Recall*, SARA
    2009). A board's last card stands last.

    ``classes`` (clusters before,) uint16 is the class of each bucket of ``before``, numbered from 0 without a gap. The
    rows of a class are consecutive, in the order of the buckets of ``last``.
    """

    is_lossless = False
    separates_boards = False

    def __init__(self, last: BucketedRound, before: BucketedRound, classes: NDArray[np.uint16]) -> None:
        """Raise ValueError for classes that do not fit the round before."""
        is_fit = classes.dtype == np.uint16 and classes.shape == (before.num_rows,)
        if not is_fit or not np.bincount(classes).all():  # np.unique would import np.ma: 8 ms of a query
            raise ValueError(f"classes that do not fit the {ROUND_NAMES[before.round_index]}")
        self.last = last
        self.classes = classes
        self.num_rows = (int(classes.max(initial=0)) + 1) * last.num_rows
        self._before = before
        self._first = np.append(classes.astype(np.int32) * last.num_rows, np.int32(0))  # the last serves row -1

    def rows(self, boards: NDArray[np.uint8], threads: int) -> NDArray[np.int32]:
        rows = self.last.rows(boards, threads)
        earlier, position = np.unique(boards[:, :-1], axis=0, return_inverse=True)
        first = self._first[self._before.rows(earlier, threads)]
        return np.where(rows < 0, rows, rows + first[position])

    def place(self, hand: Sequence[int], board: Sequence[int], use_table: bool) -> int:
        before = self._before.place(hand, board[:-1], use_table)
        return int(self._first[before]) + self.last.place(hand, board, use_table)

    def hold_table(self, threads: int) -> None:
        """Hands of the last round are placed from features."""

    def hold_kept_table(self) -> None:
        """Hands of the last round are placed from features."""

    def arrays(self, flop_table: bool) -> dict[str, Any]:
        return {CLASSES: self.classes, **self.last.arrays(flop_table)}


def is_table(table: Any, deck: Deck, round_index: int) -> bool:
    """Whether an array or dataset has the shape and type of a round's table."""
    return bool(table.shape == (len(board_map(deck, round_index)), len(deck.hands)) and table.dtype == np.uint16)
