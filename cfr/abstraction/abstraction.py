"""Card abstractions: which row of a round's tables a hand on a board owns.

A *lossless* round has one row per canonical hand as dealt (flop, then turn, then river card). A *bucketed* round has
one row per cluster of similar hands. It forgets the order of the board's cards and all earlier rounds (imperfect
recall), but the last round may remember a class of the hand in the round before.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.abstraction.buckets import LOSSLESS, checked_buckets
from cfr.abstraction.centroids import SECONDS, Work, centroids, kept_centroids
from cfr.abstraction.deck import FLOP, RIVER, TURN, Deck
from cfr.abstraction.features import FEATURES_VERSION, HandFeatures
from cfr.abstraction.kmeans import classes_of
from cfr.abstraction.lossless import LosslessRound
from cfr.abstraction.opponents import knows_opponents, standard_features
from cfr.abstraction.rows import CLASSES, BucketedRound, RoundAbstraction, RowsOfClasses, is_table
from cfr.abstraction.stored_tree import StoredTree, well_formed
from cfr.abstraction.strength_round import StrengthRound
from cfr.game.rules import Game
from cfr.game.words import ROUND_NAMES
from cfr.hands.river_rows import RiverRows
from cfr.system.disk.cache import Cache
from cfr.system.errors import BadInputError, DamagedFileError
from cfr.system.text import counted

_STRENGTH: RiverRows = "strength"  # of the last round's rows


class Abstraction:
    """The rows of every round of a game; made by :meth:`lossless`, :meth:`build` or :meth:`from_arrays`.

    ``num_rows[r]`` counts the rows of round ``r``.
    """

    def __init__(self, game: Game, rounds: Sequence[RoundAbstraction], seed: int = 0) -> None:
        self.game = game
        self.rounds = tuple(rounds)
        self.seed = seed
        self.num_rows = tuple(each.num_rows for each in rounds)
        self._board_cards = [int(count) for count in np.cumsum(game.num_board_cards)]

    @property
    def is_lossless(self) -> bool:
        """Whether every round is."""
        return all(each.is_lossless for each in self.rounds)

    @property
    def separates_boards(self) -> bool:
        """Whether no two boards of a round share a row, as without buckets."""
        return all(each.separates_boards for each in self.rounds)

    @classmethod
    def lossless(cls, game: Game, river_rows: RiverRows = "hands") -> Abstraction:
        """One row per canonical hand in every round of any game, or in the last round one per strength."""
        rounds: list[RoundAbstraction] = [LosslessRound(game, r) for r in range(game.num_rounds)]
        if river_rows == _STRENGTH:
            rounds[-1] = StrengthRound(game)
        return cls(game, rounds)

    @classmethod
    def build(
        cls,
        game: Game,
        buckets: Sequence[int | str],
        *,
        seed: int = 0,
        threads: int = 1,
        cache_dir: str | os.PathLike[str] | None = None,
        progress: bool = False,
    ) -> Abstraction:
        """Cluster the hands of each round of a hold'em-like game into ``buckets``; the preflop is lossless.

        An entry of ``buckets`` is a number of buckets or ``"lossless"``. The last round's may be ``"10x330"``: 330
        buckets for each of 10 classes of hands in the round before. A round gets fewer buckets if the sample has
        fewer distinct hands. The same seed and library versions give the same bits at any number of ``threads``.
        Centroids and tables are kept in ``cache_dir`` (by default ``$CFR_CACHE``, or the user's cache directory).
        ``progress`` shows a bar on stderr. Raises :class:`CfrError` for a game or counts that cannot be
        bucketed, or if scikit-learn is missing.
        """
        wanted = checked_buckets(game, buckets)
        cache = Cache(cache_dir)
        deck = Deck.of(game)
        rounds: list[RoundAbstraction] = [LosslessRound(game, 0)]
        before: BucketedRound | None = None
        with Work(standard_features(deck, cache, threads), threads, progress) as work:
            for r, each in enumerate(wanted, FLOP):
                if each is None:
                    rounds.append(LosslessRound(game, r))
                    before = None
                    continue
                bucketed = BucketedRound(r, centroids(work, r, each.clusters, seed, cache), work.features, cache)
                if r != deck.last:
                    bucketed.full_table(threads, work.features_of)
                    work.end(SECONDS["table"])
                if each.classes > 1 and before is not None:
                    rounds.append(RowsOfClasses(bucketed, before, classes_of(before.tree, each.classes, seed)))
                else:
                    rounds.append(bucketed)
                before = bucketed
        return cls(game, rounds, seed)

    @classmethod
    def is_kept(
        cls,
        game: Game,
        buckets: Sequence[int | str],
        *,
        seed: int = 0,
        cache_dir: str | os.PathLike[str] | None = None,
    ) -> bool:
        """Whether the cache has all that :meth:`build` computes; arguments and errors as there."""
        cache, deck = Cache(cache_dir), Deck.of(game)
        wanted = checked_buckets(game, buckets)
        if not knows_opponents(deck, cache):
            return False
        features = standard_features(deck, cache)
        for r, each in enumerate(wanted, FLOP):
            tree = None if each is None else kept_centroids(features, r, each.clusters, seed, cache)
            if each is not None and (tree is None or not BucketedRound(r, tree, features, cache).is_table_kept):
                return False
        return True

    @classmethod
    def from_arrays(
        cls,
        game: Game,
        arrays: Mapping[str, Any],
        cache_dir: str | os.PathLike[str] | None = None,
        source: str = "abstraction",
    ) -> Abstraction:
        """The abstraction that :meth:`arrays` described; builds nothing. Errors call it by its ``source``.

        The clusters of a round are read at its first question. ``flop_table`` may be an open dataset: :meth:`place`
        reads one row of it. The arrays have no table of the turn: :meth:`rows` takes it from the cache, or computes
        it, on the first call with many boards. Raises :class:`DamagedFileError` for arrays that are missing, do not
        fit, or come from another version; where a round's clusters do not fit, its first question raises it.
        """
        bucketed = [r for r in (FLOP, TURN, RIVER) if f"fine{r}" in arrays]
        if not bucketed:
            return cls.lossless(game, _STRENGTH if str(arrays.get("rounds", "")).endswith(_STRENGTH) else "hands")
        if (found := int(arrays.get("features_version", 0))) != FEATURES_VERSION:
            raise DamagedFileError(f"{source}: features version {found}, expected {FEATURES_VERSION}")
        cache = Cache(cache_dir)
        with well_formed(source):
            deck = Deck.of(game)
            table = arrays.get("flop_table") if FLOP in bucketed else None
            if table is not None and not is_table(table, deck, FLOP):
                raise DamagedFileError(f"{source}: flop_table is {table.dtype} {table.shape}")
            features = HandFeatures(
                deck,
                np.asarray(arrays["opponent_clusters"], np.uint8),
                np.asarray(arrays["strength_steps"], np.uint16),
            )
            clustered: dict[int, BucketedRound] = {}
            for r in bucketed:
                tree = StoredTree(arrays, r, features.dimensions(r), source)
                clustered[r] = BucketedRound(r, tree, features, cache, table if r == FLOP else None)
            rounds: list[RoundAbstraction] = [
                clustered.get(r) or LosslessRound(game, r) for r in range(game.num_rounds)
            ]
            if (classes := arrays.get(CLASSES)) is not None:
                last = deck.last
                if not {last - 1, last} <= clustered.keys():
                    raise ValueError(f"{CLASSES} without buckets of {ROUND_NAMES[last - 1]} and {ROUND_NAMES[last]}")
                rounds[last] = RowsOfClasses(clustered[last], clustered[last - 1], np.asarray(classes))
        return cls(game, rounds, int(arrays.get("seed", 0)))

    def arrays(self, flop_table: bool = True) -> dict[str, Any]:
        """The arrays that :meth:`from_arrays` needs, by name.

        ``rounds`` is text: "lossless", "strength" or "buckets" for each round. Bucketed rounds r have ``coarse<r>``,
        ``fine<r>``, ``offsets<r>`` and ``labels<r>``, the fields of
        :class:`~cfr.abstraction.kmeans.CentroidTree`;
        ``opponent_clusters``, ``strength_steps`` and ``features_version`` say how features are computed. A
        bucketed flop before the last round has ``flop_table`` if wanted; a last round that remembers the one before
        has ``turn_classes``.
        """
        result: dict[str, Any] = {"rounds": " ".join(_kind(each) for each in self.rounds)}
        if not self.separates_boards:
            result |= {"features_version": FEATURES_VERSION, "seed": self.seed}
        for each in self.rounds:
            result |= each.arrays(flop_table)
        return result

    def rows(self, round_index: int, boards: NDArray[np.uint8], threads: int = 1) -> NDArray[np.int32]:
        """The row (n, H) of every hand of ``game.hands`` on ``boards`` (n, cards so far), -1 on collision.

        Board cards come as dealt: flop, turn, river; their order may matter. Boards of round 0 have shape (n, 0).
        """
        boards = np.ascontiguousarray(boards, np.uint8)
        if boards.ndim != 2 or boards.shape[1] != self._board_cards[round_index]:
            expected = self._board_cards[round_index]
            raise BadInputError(f"boards of round {round_index}: shape {boards.shape}, expected (n, {expected})")
        return self.rounds[round_index].rows(boards, threads)

    def hold_tables(self, threads: int = 1) -> None:
        """Load the tables of flop and turn, or compute them in seconds: many hands are then placed faster."""
        for each in self.rounds:
            each.hold_table(threads)

    def hold_kept_tables(self) -> None:
        """Load the tables of flop and turn that are in the file or the cache, in a fraction of a second."""
        for each in self.rounds:
            each.hold_kept_table()

    def place(self, hand: Sequence[int], board: Sequence[int] = (), use_table: bool = True) -> int:
        """The row of one hand on one board, both card codes; the length of the board gives the round.

        The row is that of :meth:`rows`, computed for this hand alone, or looked up if there is a table and
        ``use_table`` allows it. Raises :class:`BadInputError` for cards that no deal brings.
        """
        game = self.game
        if len(hand) != game.num_hole_cards:
            raise BadInputError(f"hand: {counted(len(hand), 'card')}, {game.name} deals {game.num_hole_cards}")
        if len(board) not in self._board_cards:
            lengths = ", ".join(map(str, self._board_cards))
            raise BadInputError(f"board: {counted(len(board), 'card')}, {game.name} has boards of {lengths}")
        cards = {int(card) for card in (*hand, *board)}
        if len(cards) < len(hand) + len(board) or not cards <= set(game.deck.tolist()):
            raise BadInputError("hand and board: every card must come from the deck, and only once")
        return self.rounds[self._board_cards.index(len(board))].place(hand, board, use_table)


def _kind(rows: RoundAbstraction) -> str:
    if isinstance(rows, StrengthRound):
        return _STRENGTH
    return LOSSLESS if rows.is_lossless else "buckets"
