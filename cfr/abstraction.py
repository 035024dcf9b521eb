"""Card abstractions: which row of a round's tables a hand on a board owns.

A round is either *lossless*, one row per canonical hand as dealt (flop, then turn, then river card), or
*bucketed*: one row per cluster of similar hands, whatever the order of the board's cards and whatever was
known in earlier rounds (imperfect recall).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.cache import Cache, fingerprint
from cfr.closing import Closing
from cfr.clustering import MISSING_EXTRA, CentroidTree, cluster
from cfr.errors import CfrError, DamagedFileError, UnknownSpotError
from cfr.features import (
    FEATURES_VERSION,
    FLOP,
    HANDS,
    RIVER,
    ROUND_NAMES,
    TURN,
    HandFeatures,
    board_map,
    permuted_hands,
)
from cfr.game import Game
from cfr.hands import HandIndexer

LOSSLESS = "lossless"
MAX_BUCKETS = 65535
_COLLISION = 65535  # in a table; -1 in rows
_POINTS_PER_BUCKET = 40
_MIN_POINTS = 20_000
_POINTS_PER_RIVER = 24
_CHUNK = 256  # boards whose features are held at a time
_FEW_BOARDS = {FLOP: 64, TURN: 512, RIVER: inf}  # so many boards are done sooner than a table


class LosslessRound:
    """One row per canonical hand; see :class:`HandIndexer`."""

    def __init__(self, game: Game, round_index: int) -> None:
        groups = (game.num_hole_cards, *game.num_board_cards[1 : round_index + 1])
        self._hands = game.hands
        self._indexer = HandIndexer(groups, game.num_ranks, game.num_suits)
        self.num_rows = self._indexer.sizes[-1]

    def rows(self, boards: NDArray[np.uint8], threads: int) -> NDArray[np.int32]:
        return self._indexer.index_hands(boards, self._hands, threads).astype(np.int32)

    def place(self, hand: Sequence[int], board: Sequence[int], use_table: bool) -> int:
        return int(self._indexer.index(np.array([[*hand, *board]], np.uint8))[0])


class BucketedRound:
    """One row per cluster of similar hands on the flop, turn or river of hold'em.

    The river is placed from features every time. Flop and turn have a table, the bucket (canonical boards,
    1326) uint16 of every hand, 65535 on collision: ``table`` is an array, or a dataset that is read row by
    row, or None before it is needed; then it comes from the cache or is computed.
    """

    def __init__(self, round_index: int, tree: CentroidTree, features: HandFeatures, cache: Cache) -> None:
        self.round_index = round_index
        self.tree = tree
        self.features = features
        self.num_rows = tree.size
        self.table: Any = None
        self._cache = cache

    def rows(self, boards: NDArray[np.uint8], threads: int) -> NDArray[np.int32]:
        positions, perms = board_map(self.round_index).locate(boards, threads)
        used, inverse = np.unique(positions, return_inverse=True)
        if self.table is None and len(used) <= _FEW_BOARDS[self.round_index]:
            canonical = self._assign(board_map(self.round_index).boards[used], threads)[inverse]
        else:
            canonical = self.full_table(threads)[positions].astype(np.int32)
            canonical[canonical == _COLLISION] = -1
        return np.take_along_axis(canonical, permuted_hands()[perms].astype(np.intp), axis=1)

    def place(self, hand: Sequence[int], board: Sequence[int], use_table: bool) -> int:
        low, high = sorted(hand)
        number = high * (high - 1) // 2 + low
        cards = np.array(board, np.uint8)
        if use_table and self.table is not None:
            position, perm = board_map(self.round_index).locate(cards[None])
            return int(self.table[int(position[0])][permuted_hands()[perm[0], number]])
        return int(self.tree.assign(self.features.hand(number, cards)[None])[0])

    def hold_kept_table(self) -> None:
        """Take the table into memory, if it is in the file or the cache."""
        if not isinstance(self.table, np.ndarray):
            self.table = self._read_table() if self.table is None else np.asarray(self.table[:])

    def full_table(self, threads: int, work: _Work | None = None) -> NDArray[np.uint16]:
        """The whole table in memory; ``work`` has the features of all boards, or computes them."""
        self.hold_kept_table()
        if self.table is None:
            work = work or _Work(self.features, threads, progress=False)
            features = work.features_of(self.round_index)
            work.begin(f"{ROUND_NAMES[self.round_index]} table")
            boards = board_map(self.round_index).boards
            self.table = self._assign(boards, threads, features).astype(np.uint16)
            work.end(_SECONDS["table"])
            self._cache.save(self._table_name, {"table": self.table})
        table: NDArray[np.uint16] = self.table
        return table

    @property
    def _table_name(self) -> str:
        tree, features = self.tree, self.features
        parts = (features.clusters, features.steps, tree.coarse, tree.fine, tree.offsets, tree.labels)
        return f"{ROUND_NAMES[self.round_index]}-table-{fingerprint(FEATURES_VERSION, *parts)}"

    def _read_table(self) -> NDArray[np.uint16] | None:
        table = (self._cache.load(self._table_name) or {}).get("table")
        return table if table is not None and is_table(table, self.round_index) else None

    def _assign(
        self, boards: NDArray[np.uint8], threads: int, features: NDArray[np.uint16] | None = None
    ) -> NDArray[np.int32]:
        """The bucket (n, 1326) of every hand, from its features; -1 on collision."""
        rows = np.empty((len(boards), len(HANDS)), np.int32)
        for start in range(0, len(boards), _CHUNK):
            part = slice(start, start + _CHUNK)
            given = features[part] if features is not None else None
            if given is None:
                given = self.features.of_boards(self.round_index, boards[part], threads)
            self.tree.assign_boards(given, boards[part], HANDS, threads, rows[part])
        return rows


class Abstraction:
    """The rows of every round of a game; made by :meth:`lossless`, :meth:`build` or :meth:`from_arrays`.

    ``num_rows[r]`` counts the rows of round ``r``.
    """

    def __init__(self, game: Game, rounds: Sequence[LosslessRound | BucketedRound], seed: int = 0) -> None:
        self.game = game
        self.rounds = tuple(rounds)
        self.seed = seed
        self.num_rows = tuple(each.num_rows for each in rounds)
        self._board_cards = [int(count) for count in np.cumsum(game.num_board_cards)]

    @property
    def is_lossless(self) -> bool:
        """Whether every round is."""
        return all(isinstance(each, LosslessRound) for each in self.rounds)

    @classmethod
    def lossless(cls, game: Game) -> Abstraction:
        """One row per canonical hand in every round of any game."""
        return cls(game, [LosslessRound(game, r) for r in range(game.num_rounds)])

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
        """Clusters the hands of the flop, turn and river of hold'em into ``buckets`` each; the preflop is
        lossless.

        A round's entry is a number of buckets, reached where there are as many distinct hands in the sample,
        or ``"lossless"``. The same seed and library versions give the same bits at any number of ``threads``.
        Centroids and tables are kept in ``cache_dir`` (by default ``$CFR_CACHE``, or the user's cache
        directory). ``progress`` shows a bar on stderr. Raises :class:`CfrError` for a game or counts that
        cannot be bucketed, or where scikit-learn is missing.
        """
        wanted = checked_buckets(game, buckets)
        cache = Cache(cache_dir)
        rounds: list[LosslessRound | BucketedRound] = [LosslessRound(game, 0)]
        with _Work(HandFeatures.standard(), threads, progress) as work:
            for r, count in enumerate(wanted, FLOP):
                if count is None:
                    rounds.append(LosslessRound(game, r))
                    continue
                bucketed = BucketedRound(r, _centroids(work, r, count, seed, cache), work.features, cache)
                if r != RIVER:
                    bucketed.full_table(threads, work)
                rounds.append(bucketed)
        return cls(game, rounds, seed)

    @classmethod
    def from_arrays(
        cls, game: Game, arrays: Mapping[str, Any], cache_dir: str | os.PathLike[str] | None = None
    ) -> Abstraction:
        """The abstraction that :meth:`arrays` described; builds nothing.

        ``flop_table`` may be an open dataset: :meth:`place` reads one row of it. The turn's table is not in
        the arrays: :meth:`rows` takes it from the cache, or computes it, when first asked for many boards.
        Raises :class:`DamagedFileError` for arrays that are missing, do not fit, or come from another
        version.
        """
        bucketed = [r for r in (FLOP, TURN, RIVER) if f"fine{r}" in arrays]
        if not bucketed:
            return cls.lossless(game)
        if (found := int(arrays.get("features_version", 0))) != FEATURES_VERSION:
            raise DamagedFileError(f"abstraction: features version {found}, expected {FEATURES_VERSION}")
        cache = Cache(cache_dir)
        rounds: list[LosslessRound | BucketedRound] = []
        try:
            features = HandFeatures(
                np.asarray(arrays["opponent_clusters"], np.uint8),
                np.asarray(arrays["strength_steps"], np.uint16),
            )
            for r in range(game.num_rounds):
                if r in bucketed:
                    tree = CentroidTree(*(np.asarray(arrays[f"{name}{r}"]) for name in CentroidTree.FIELDS))
                    rounds.append(BucketedRound(r, tree, features, cache))
                else:
                    rounds.append(LosslessRound(game, r))
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedFileError(f"abstraction: missing or malformed: {error}") from None
        flop = rounds[FLOP]
        if isinstance(flop, BucketedRound) and (table := arrays.get("flop_table")) is not None:
            if not is_table(table, FLOP):
                raise DamagedFileError(f"abstraction: flop_table is {table.dtype} {table.shape}")
            flop.table = table
        return cls(game, rounds, int(arrays.get("seed", 0)))

    def arrays(self, flop_table: bool = True) -> dict[str, Any]:
        """What :meth:`from_arrays` needs, by name.

        ``rounds`` is text: "lossless" or "buckets" for each round. Bucketed rounds r have ``coarse<r>``,
        ``fine<r>``, ``offsets<r>`` and ``labels<r>``, the fields of :class:`CentroidTree`;
        ``opponent_clusters``, ``strength_steps`` and ``features_version`` say how features are computed. A
        bucketed flop has ``flop_table`` unless declined.
        """
        kinds = [LOSSLESS if isinstance(each, LosslessRound) else "buckets" for each in self.rounds]
        result: dict[str, Any] = {"rounds": " ".join(kinds)}
        for each in self.rounds:
            if isinstance(each, LosslessRound):
                continue
            result["features_version"] = FEATURES_VERSION
            result["seed"] = self.seed
            result["opponent_clusters"] = each.features.clusters
            result["strength_steps"] = each.features.steps
            for name in CentroidTree.FIELDS:
                result[f"{name}{each.round_index}"] = getattr(each.tree, name)
            if each.round_index == FLOP and flop_table:
                result["flop_table"] = each.full_table(threads=1)
        return result

    def rows(self, round_index: int, boards: NDArray[np.uint8], threads: int = 1) -> NDArray[np.int32]:
        """The row (n, H) of every hand of ``game.hands`` on ``boards`` (n, cards so far), -1 on collision.

        Board cards stand in the order dealt: flop, turn, river; boards of round 0 have shape (n, 0).
        """
        boards = np.ascontiguousarray(boards, np.uint8)
        if boards.ndim != 2 or boards.shape[1] != self._board_cards[round_index]:
            expected = self._board_cards[round_index]
            raise UnknownSpotError(f"boards of round {round_index}: shape {boards.shape}, expected (n, {expected})")
        return self.rounds[round_index].rows(boards, threads)

    def hold_tables(self, threads: int = 1) -> None:
        """Take the tables of flop and turn into memory: many hands are placed sooner, after seconds if none is kept."""
        for each in self.rounds:
            if isinstance(each, BucketedRound) and each.round_index != RIVER:
                each.full_table(threads)

    def hold_kept_tables(self) -> None:
        """Take those tables of flop and turn into memory that are in the file or the cache: a fraction of a second."""
        for each in self.rounds:
            if isinstance(each, BucketedRound) and each.round_index != RIVER:
                each.hold_kept_table()

    def place(self, hand: Sequence[int], board: Sequence[int] = (), use_table: bool = True) -> int:
        """The row of one hand on one board, card codes both; the length of the board says the round.

        Equal to :meth:`rows`, but computed for this hand alone; looked up where there is a table and
        ``use_table`` does not decline it. Raises :class:`UnknownSpotError` for cards that no deal brings.
        """
        game = self.game
        if len(hand) != game.num_hole_cards:
            raise UnknownSpotError(f"hand: {len(hand)} cards, {game.name} deals {game.num_hole_cards}")
        if len(board) not in self._board_cards:
            lengths = ", ".join(map(str, self._board_cards))
            raise UnknownSpotError(f"board: {len(board)} cards, {game.name} has boards of {lengths}")
        cards = {int(card) for card in (*hand, *board)}
        if len(cards) < len(hand) + len(board) or not cards <= set(game.deck.tolist()):
            raise UnknownSpotError("hand and board: every card must come from the deck, and only once")
        return self.rounds[self._board_cards.index(len(board))].place(hand, board, use_table)


def is_table(table: Any, round_index: int) -> bool:
    """Whether an array or dataset has the shape and type of a round's table."""
    return bool(table.shape == (len(board_map(round_index)), len(HANDS)) and table.dtype == np.uint16)


def checked_buckets(game: Game, buckets: Sequence[int | str]) -> list[int | None]:
    """The number of buckets of the flop, turn and river, None where lossless."""
    if game.num_hole_cards != 2 or len(game.deck) != 52 or tuple(game.num_board_cards) != (0, 3, 1, 1):
        raise CfrError(f"{game.name}: only hold'em with 52 cards, a flop, a turn and a river has buckets")
    if len(buckets) != 3:
        raise CfrError(f"buckets: {len(buckets)} entries, expected those of flop, turn and river")
    result: list[int | None] = []
    for name, count in zip(ROUND_NAMES[FLOP:], buckets, strict=True):
        if count == LOSSLESS:
            result.append(None)
        elif isinstance(count, int) and 1 <= count <= MAX_BUCKETS:
            result.append(count)
        else:
            raise CfrError(f"buckets of the {name}: {count!r}, expected 1 to {MAX_BUCKETS} or {LOSSLESS!r}")
    return result


# Rough shares of the time of a build, for its bar.
_SECONDS = {"features": 18, "clusters": 8, "table": 4}


class _Work(Closing):
    """What the steps of a build share: the features of all canonical boards, computed once, and a bar."""

    def __init__(self, features: HandFeatures, threads: int, progress: bool) -> None:
        from tqdm import tqdm  # a query, which builds nothing, need not wait for it

        self.features = features
        self.threads = threads
        total = _SECONDS["features"] + 3 * _SECONDS["clusters"] + 2 * _SECONDS["table"]
        layout = "{desc}{percentage:3.0f}%|{bar}| {elapsed}"
        self._bar = tqdm(total=total, bar_format=layout, file=sys.stderr, disable=not progress, leave=False)
        self._turn: NDArray[np.uint16] | None = None
        self._flop: NDArray[np.uint16] | None = None

    def close(self) -> None:
        self._bar.close()

    def begin(self, step: str) -> None:
        self._bar.set_description(f"card abstraction, {step}")

    def end(self, seconds: float) -> None:
        self._bar.update(seconds)

    def features_of(self, round_index: int) -> NDArray[np.uint16]:
        """Features (boards, 1326, 16) of the canonical boards of the flop or turn."""
        if self._turn is None:
            self.begin("features")
            done = 0.0

            def advance(fraction: float) -> None:
                nonlocal done
                self.end((fraction - done) * _SECONDS["features"])
                done = fraction

            self._turn = self.features.turn(board_map(TURN).boards, self.threads, advance)
            advance(1.0)
        if round_index == TURN:
            return self._turn
        if self._flop is None:
            self._flop = self.features.flop(board_map(FLOP).boards, self.threads, self._turn)
        return self._flop


def _centroids(work: _Work, round_index: int, count: int, seed: int, cache: Cache) -> CentroidTree:
    """The clusters of a round, from the cache or from a sample of hands."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        libraries = (np.__version__, version("scikit-learn"))
    except PackageNotFoundError:
        raise CfrError(MISSING_EXTRA) from None
    features = work.features
    parts = (FEATURES_VERSION, features.clusters, features.steps, round_index, count, seed, *libraries)
    name = f"{ROUND_NAMES[round_index]}-centroids-{fingerprint(*parts)}"
    kept = cache.load(name)
    if kept is not None:
        return CentroidTree(*(kept[field] for field in CentroidTree.FIELDS))
    points = _sample(work, round_index, max(_MIN_POINTS, _POINTS_PER_BUCKET * count), seed)
    work.begin(f"{ROUND_NAMES[round_index]} clusters")
    tree = cluster(points, count, seed)
    work.end(_SECONDS["clusters"])
    cache.save(name, {field: getattr(tree, field) for field in CentroidTree.FIELDS})
    return tree


def _sample(work: _Work, round_index: int, count: int, seed: int) -> NDArray[np.uint16]:
    """Features (about ``count``, D) of hands dealt at random, every deal as likely as any other."""
    rng = np.random.default_rng((seed, round_index))
    known = board_map(round_index)
    chance = known.weights / known.weights.sum()
    per_board = _POINTS_PER_RIVER if round_index == RIVER else 1
    positions = rng.choice(len(chance), -(-count // per_board), p=chance)
    boards = known.boards[positions]
    # Hands that collide with the board are drawn too, and dropped: 19 % on the river.
    hands = rng.integers(len(HANDS), size=(len(boards), per_board))
    live = ~(HANDS[hands][..., None] == boards[:, None, None, :]).any(axis=(2, 3))
    if round_index != RIVER:
        points: NDArray[np.uint16] = work.features_of(round_index)[positions[:, None], hands][live]
        return points
    parts = []
    for start in range(0, len(boards), _CHUNK):
        part = slice(start, start + _CHUNK)
        features = work.features.river(boards[part], work.threads)
        parts.append(np.take_along_axis(features, hands[part, :, None], axis=1)[live[part]])
    return np.concatenate(parts)
