"""Deals: the boards of a traversal, enumerated or sampled, with the table row of every hand on each board.

A deal is a forest: every board of a round belongs to one board of the round before. An enumerated deal holds one
weighted board of each orbit under suit symmetry. A sampled deal has one chain of single boards below each root. The
kernel treats both alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np

from cfr._native import deals as _deals
from cfr.game.rules import Game
from cfr.hands.isomorphism import MAX_SUITS, chance_children, hand_classes, suit_classes
from cfr.kernel.showdowns import Showdowns, find_showdowns
from cfr.kernel.tables import MovedRows, Rows


@dataclass(frozen=True)
class Boards:
    """The ``n`` boards of one round, for ``H`` hands.

    Attributes:
        cards: ``(n, k)`` uint8 the board's cards so far.
        first_child: ``(n + 1,)`` int32 boards ``first_child[i]:first_child[i + 1]`` of the next round follow board i.
        factor: ``(n,)`` float64 probability of the board given its parent and two hands that miss the board, times
            the number of boards that the board stands for.
        live: ``(n, H)`` int16 hands that do not collide with the board, ``live_count`` of them. The first
            ``own_count`` hands collide with no later board of a sampled chain: only these hands are updated.
            The last round sorts live hands by strength, ties by slot.
        slot: ``(n, H)`` int16 position of a hand's table row in ``rows``.
        rows: ``(n, H)`` int32 the ``row_count`` table rows that occur on the board.
        showdowns: how hands compare; None before the last round.
        classes: ``(n, H)`` int16 suit-symmetry class of a hand on the board, ``class_count`` of them; None for
            sampled deals, which need no symmetry.
    """

    cards: np.ndarray
    first_child: np.ndarray
    factor: np.ndarray
    live: np.ndarray
    live_count: np.ndarray
    own_count: np.ndarray
    slot: np.ndarray
    rows: np.ndarray
    row_count: np.ndarray
    showdowns: Showdowns | None
    classes: np.ndarray | None
    class_count: np.ndarray | None

    @property
    def row_of_hand(self) -> np.ndarray:
        """``(n, H)`` int32 table row of each hand; of no meaning where a hand collides with the board."""
        return np.take_along_axis(self.rows, self.slot.astype(np.intp), axis=1)

    def averaged(self, number: int, values: np.ndarray) -> np.ndarray:
        """Means of ``(..., H)`` values on a board over the hands of a class; as they are in sampled deals.

        One board stands for all of its kind, so hands of a class have the mean of what each of them wins below it.
        """
        if self.classes is None:
            return values
        classes = self.classes[number].astype(np.intp)
        live = classes >= 0
        count = np.bincount(classes[live])
        flat = values.reshape(-1, values.shape[-1])
        means = np.array([np.bincount(classes[live], row[live], len(count)) for row in flat]) / count
        return np.where(live, means[:, np.maximum(classes, 0)], 0).reshape(values.shape)


@dataclass(frozen=True, eq=False)
class Piece:
    """Some of the second round's boards, with all boards below: the runs for all pieces, in order, are one traversal.

    The first round's tables change, and its values are known, in the run for the last piece.

    Attributes:
        carried: ``(blocks of the second round, hands, lanes)`` values of earlier pieces, changed in place; zeros
            before the first piece (:meth:`cfr.kernel.traversal.Traversal.carried`).
        first_rows: per round, the number of the piece's first row among all rows. The rounding of narrow tables alone
            depends on it.
        is_last: whether no piece follows.
    """

    carried: np.ndarray
    first_rows: Sequence[int]
    is_last: bool


@dataclass(frozen=True)
class Deal:
    """Boards of every round.

    Attributes:
        rounds: the boards, round by round.
        num_rows: rows of each round's table.
        root_scale: probability of one opponent's hand given the own hand.
        disjoint: whether no two boards of a round share a table row.
        piece: None if the deal has all boards below its roots.
    """

    rounds: tuple[Boards, ...]
    num_rows: tuple[int, ...]
    root_scale: float
    disjoint: bool
    piece: Piece | None = None


def enumerate_deal(game: Game, abstraction: Rows) -> Deal:
    """All boards of the game, one of each orbit under suit symmetry."""
    rounds = _enumerate(game, abstraction, 0, np.zeros((1, 0), dtype=np.uint8))
    return _deal(game, abstraction, rounds, abstraction.separates_boards)


def in_visiting_order(deal: Deal, abstraction: Rows) -> tuple[Deal, MovedRows]:
    """A deal whose table rows stand in the order of a traversal's first visits.

    A traversal then reads a large table in sequence, up to twice as fast as in random order.

    Args:
        deal: all boards.
        abstraction: the abstraction that gave the deal its rows.
    """
    rounds, places = [], []
    for boards, num_rows in zip(deal.rounds, deal.num_rows, strict=True):
        there = np.arange(boards.rows.shape[1]) < boards.row_count[:, None]
        visited = boards.rows[there]
        first = np.full(num_rows, len(visited))
        first[visited[::-1]] = np.arange(len(visited))[::-1]  # the first visit overwrites later ones
        place = np.empty(num_rows, np.int32)
        place[np.argsort(first, kind="stable")] = np.arange(num_rows)
        rows = boards.rows.copy()
        rows[there] = place[visited]
        rounds.append(replace(boards, rows=rows))
        places.append(place)
    return replace(deal, rounds=tuple(rounds)), MovedRows(abstraction, places)


def enumerate_below(game: Game, abstraction: Rows, board: np.ndarray, is_symmetric: bool = True) -> list[Boards]:
    """One board and all boards that can follow it, per round from the board's on.

    Args:
        game: the rules.
        abstraction: gives every hand its row.
        board: ``(k,)`` cards up to the end of a round; the ``factor`` of this board is 1.
        is_symmetric: take one board of each orbit under the board's suit symmetries. Otherwise every board stands for
            itself; ranges that tell suits apart need this.
    """
    root = np.array(board, np.uint8)[None]
    return _enumerate(game, abstraction, round_of(game, board), root, is_symmetric)


def only_board(boards: Boards, number: int) -> Boards:
    """One board, as the first one of its round."""
    found: dict[str, Any] = {}
    for name, value in vars(boards).items():
        if isinstance(value, np.ndarray):
            found[name] = value[number : number + (2 if name == "first_child" else 1)]
    if boards.showdowns is not None:
        arrays = {name: value[number : number + 1] for name, value in vars(boards.showdowns).items()}
        found["showdowns"] = replace(boards.showdowns, **arrays)
    return replace(boards, **found)


def count_below(game: Game, board: np.ndarray) -> int:
    """The number of last-round boards that :func:`enumerate_below` finds."""
    return len(boards_below(game, board)[-1].cards)


def round_of(game: Game, board: Sequence[int] | np.ndarray) -> int:
    """The round of a board, by its number of cards."""
    return int(np.cumsum(game.num_board_cards).tolist().index(len(board)))


class Dealt(NamedTuple):
    """Boards of one round: ``(n, k)`` cards, ``(n,)`` the parent's number and :attr:`Boards.factor`."""

    cards: np.ndarray
    parent: np.ndarray
    factor: np.ndarray


def boards_below(game: Game, board: np.ndarray, is_symmetric: bool = True, last: int | None = None) -> list[Dealt]:
    """The cards of :func:`enumerate_below`, from the board's round to the round ``last``, default the game's last."""
    root = Dealt(np.array(board, np.uint8)[None], np.zeros(1, np.int32), np.ones(1))
    return [root, *boards_after(game, root, is_symmetric, last)]


def boards_after(game: Game, level: Dealt, is_symmetric: bool = True, last: int | None = None) -> list[Dealt]:
    """The cards of all boards that can follow those of one round, round by round to the round ``last``."""
    first = round_of(game, level.cards[0])
    levels, groups = [level], game.num_board_cards[1 : first + 1]
    for new in game.num_board_cards[first + 1 : None if last is None else last + 1]:
        if is_symmetric:
            parent, boards, weight = chance_children(levels[-1].cards, groups, new, game.deck)
        else:
            parent, boards, weight = _all_children(levels[-1].cards, new, game.deck)
        odds = comb(len(game.deck) - sum(groups) - 2 * game.num_hole_cards, new)
        levels.append(Dealt(boards, parent, weight / odds))
        groups = (*groups, new)
    return levels[1:]


def _all_children(boards: np.ndarray, new: int, deck: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Deal like :func:`chance_children`, but let every board stand for itself."""
    dealt = np.array(list(combinations(deck.tolist(), new)), np.uint8)
    free = ~(dealt[None, :, :, None] == boards[:, None, None, :]).any(axis=(2, 3))
    parent, which = np.nonzero(free)
    return parent.astype(np.int32), np.hstack([boards[parent], dealt[which]]), np.ones(len(parent))


def _enumerate(game: Game, abstraction: Rows, first: int, root: np.ndarray, is_symmetric: bool = True) -> list[Boards]:
    """Boards of rounds ``first`` and later that follow ``root`` ``(1, k)``."""
    levels = boards_below(game, root[0], is_symmetric)
    rounds = []
    for level, (boards, _, factor) in enumerate(levels):
        number = first + level
        rows = abstraction.rows(number, boards)
        following = levels[level + 1].parent if level + 1 < len(levels) else np.zeros(0, np.int32)
        first_child = np.searchsorted(following, np.arange(len(boards) + 1)).astype(np.int32)
        rounds.append(make_boards(game, number, boards, rows, first_child, np.asarray(factor, float), is_symmetric))
    return rounds


def make_boards(
    game: Game,
    number: int,
    cards: np.ndarray,
    rows: np.ndarray,
    first_child: np.ndarray,
    factor: np.ndarray,
    is_symmetric: bool = True,
) -> Boards:
    """Enumerated boards of round ``number``.

    Args:
        game: the rules.
        number: the round.
        cards: ``(n, k)`` uint8.
        rows: ``(n, H)`` int32 row of every hand, -1 where it shares a card with the board.
        first_child, factor: as in :class:`Boards`.
        is_symmetric: whether a board stands for its orbit under suit symmetry.
    """
    dealt, symmetries = game.num_board_cards[1 : number + 1], None
    if is_symmetric:
        classes = _of_live(hand_classes(cards, dealt, game.hands, game.deck), rows)
        symmetries = suit_classes(cards, dealt, game.deck), classes
    return _boards(game, number, cards, rows, rows, first_child, factor, symmetries)


def _of_live(classes: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """``(n, H)`` classes of the hands that have rows, without gaps: the kernel compares the numbers of both."""
    live = rows >= 0
    if np.array_equal(live, classes >= 0):
        return classes
    found = np.full_like(classes, -1)
    for numbers, of_board, there in zip(found, classes, live, strict=True):
        numbers[there] = np.unique(of_board[there], return_inverse=True)[1]
    return found


def sample_boards(game: Game, count: int, rng: np.random.Generator, ends: int = 1) -> np.ndarray:
    """``(count, board cards)`` uint8: boards dealt uniformly, each round's cards ascending.

    Each board has ``ends`` deals of the last round, one after the other; these deals share no card.
    """
    dealt = [*game.num_board_cards[:-1], *[game.num_board_cards[-1]] * ends]
    boards = rng.permuted(np.tile(game.deck, (count, 1)), axis=1)[:, : sum(dealt)]
    start = 0
    for new in dealt:
        boards[:, start : start + new].sort(axis=1)
        start += new
    return boards


def sampled_deal(game: Game, abstraction: Rows, boards: np.ndarray, threads: int = 1, ends: int = 1) -> Deal:
    """One chain for each row of ``boards`` from :func:`sample_boards`; a visit with ``root=i`` traverses chain ``i``.

    Each chain has ``ends`` boards of the last round; values are means over these boards.

    A hand that collides with any board of a chain is not updated on this chain. A round's k cards must also miss the
    opponent's hand: the factor of a board is therefore C(deck - hole, k) / C(deck - 2 hole, k), e.g. 19600/17296 on
    the flop.
    """
    count, hole, last = len(boards), game.num_hole_cards, game.num_rounds - 1
    dealt = np.cumsum(game.num_board_cards)
    shown = [boards[:, :seen] for seen in dealt]
    before, after = np.split(boards, [dealt[last] - game.num_board_cards[last]], axis=1)
    shown[last] = np.hstack([np.repeat(before, ends, axis=0), after.reshape(count * ends, -1)])
    shown = [np.ascontiguousarray(each) for each in shown]
    rows = [abstraction.rows(r, each, threads) for r, each in enumerate(shown)]
    to_the_end = np.ascontiguousarray(rows[last].reshape(count, ends, -1).min(axis=1))  # -1 where any board collides
    rounds = []
    for number, seen in enumerate(dealt):
        new = game.num_board_cards[number]
        unseen = len(game.deck) - int(seen) + new
        here, below = len(shown[number]), len(shown[number + 1]) if number < last else 0
        factor = np.full(here, comb(unseen - hole, new) / comb(unseen - 2 * hole, new) / (here // count))
        first_child = np.arange(here + 1, dtype=np.int32) * (below // here)
        rounds.append(_boards(game, number, shown[number], rows[number], to_the_end, first_child, factor, None))
    return _deal(game, abstraction, rounds, disjoint=False)


def _deal(game: Game, abstraction: Rows, rounds: list[Boards], disjoint: bool) -> Deal:
    return Deal(tuple(rounds), tuple(abstraction.num_rows), opponent_share(game), disjoint)


def opponent_share(game: Game) -> float:
    """The probability of one opponent's hand given the own hand."""
    return 1 / comb(len(game.deck) - game.num_hole_cards, game.num_hole_cards)


def _boards(
    game: Game,
    number: int,
    cards: np.ndarray,
    rows: np.ndarray,
    last_rows: np.ndarray,
    first_child: np.ndarray,
    factor: np.ndarray,
    symmetries: tuple[np.ndarray, np.ndarray] | None,
) -> Boards:
    """``symmetries`` are the classes of the suits and of the hands; None if no board stands for others."""
    count, hands = rows.shape
    live, slot = (np.zeros((count, hands), np.int16) for _ in range(2))
    used = np.zeros((count, hands), np.int32)
    live_count, own_count, row_count = (np.zeros(count, np.int32) for _ in range(3))
    seen = np.full(int(rows.max()) + 1, -1, np.int32)
    _deals.compact_rows(rows, seen, slot, used, row_count)
    showdowns = None
    if number + 1 == game.num_rounds:
        showdowns = find_showdowns(
            game, cards, rows, slot, symmetries or _no_symmetries(count, hands), live, live_count
        )
        own_count = live_count
    else:
        _deals.live_hands(rows, last_rows, live, live_count, own_count)
    return Boards(
        cards=cards,
        first_child=first_child,
        factor=factor,
        live=live,
        live_count=live_count,
        own_count=own_count,
        slot=slot,
        rows=used,
        row_count=row_count,
        showdowns=showdowns,
        classes=None if symmetries is None else symmetries[1],
        class_count=None if symmetries is None else (symmetries[1].max(axis=1) + 1).astype(np.int32),
    )


def _no_symmetries(count: int, num_hands: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes of suits and of hands on ``count`` boards that stand for themselves."""
    suits, hands = np.arange(MAX_SUITS, dtype=np.uint8), np.arange(num_hands, dtype=np.int16)
    return np.tile(suits, (count, 1)), np.tile(hands, (count, 1))


class BoardSampler:
    """Deals of sampled boards, by batch number.

    The boards depend on the seed, the batch and the number of boards alone.

    Args:
        game: the rules.
        abstraction: gives every hand its row.
        seed: the seed of all batches.
        ends: boards of the last round below each board of the round before.
    """

    def __init__(self, game: Game, abstraction: Rows, seed: int, ends: int = 1) -> None:
        self._game = game
        self._abstraction = abstraction
        self._seed = seed
        self._ends = ends
        self._ready: dict[tuple[int, int], Deal] = {}  # by batch and size; at most one deal

    def deal(self, batch: int, count: int, threads: int = 1) -> Deal:
        """The ``count`` boards of a batch, from :meth:`prepare` or made now."""
        self.prepare(batch, count, threads)
        return self._ready[batch, count]

    def prepare(self, batch: int, count: int, threads: int = 1) -> None:
        """Make a batch for the next :meth:`deal`; another thread may call this method."""
        if (batch, count) in self._ready:
            return
        boards = sample_boards(self._game, count, np.random.default_rng((self._seed, batch)), self._ends)
        self._ready = {(batch, count): sampled_deal(self._game, self._abstraction, boards, threads, self._ends)}
