"""Canonical hands: one number for all suit-isomorphic deals, and classes of hands under the suit symmetries of a board.

Two deals are isomorphic if a permutation of the suits turns one into the other, round by round. `HandIndexer` numbers
the classes ``0 .. size - 1`` and turns numbers back into cards. The method is K. Waugh's, "A Fast and Optimal Hand
Isomorphism Algorithm" (AAAI Workshop on Computer Poker and Imperfect Information, 2013): number the ranks of each suit
separately, sort the suits by their number of cards of each round, and count suits with equal numbers as a multiset.

Cards are codes ``4*rank + suit`` of the full deck; a short deck has the top ranks and the last suits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, permutations
from math import comb, prod

import numpy as np
import numpy.typing as npt

from cfr._native import isomorphism as _isomorphism
from cfr._native import symmetry as _symmetry
from cfr.system.errors import BadInputError
from cfr.system.text import counted

Bytes = npt.NDArray[np.uint8]
Int16 = npt.NDArray[np.int16]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

MAX_ROUNDS = 4
MAX_SUITS = 4
_MAX_ENTRIES = 1 << 22
_MAX_SIZE = 1 << 60


@dataclass(frozen=True)
class _Layout:
    """Tables of one round's numbering, in the native module's order of arguments.

    A *composition* is the number of a round's cards in each suit. An *entry* is one composition per round. A
    *configuration* stands for all entries that differ only in the order of the suits. The *shape* of a configuration
    lists the numbers of cards of each suit position, suits in falling order.
    """

    groups: Int32  # (rounds,) cards per round
    weights: Int32  # (rounds, 4) a card's part in its round's composition number, by suit
    codes: Int32  # (rounds, width) composition number -> part of the entry number
    entries: Int32  # (entries,) configuration << 8 | order of the suits, 2 bits each; -1 if the deck has too few ranks
    configs: Int64  # (configurations, 6) first number, radix of each suit position, bits that tie it to the next
    shapes: Bytes  # (configurations, 4, rounds)
    size: int

    @property
    def tables(self) -> tuple[Int32, Int32, Int32, Int32, Int64]:
        """The arguments of the native functions."""
        return self.groups, self.weights, self.codes, self.entries, self.configs


def _layout(groups: tuple[int, ...], num_ranks: int, num_suits: int) -> _Layout:
    # The last suit's count follows from the others', so it adds nothing to a composition's number.
    weights = np.zeros((len(groups), MAX_SUITS), np.int32)
    for row, cards in zip(weights, groups, strict=True):
        row[: num_suits - 1] = (cards + 1) ** np.arange(num_suits - 1)
    choices = [_compositions(cards, num_ranks, num_suits) for cards in groups]
    counts = [len(choice) for choice in choices]
    if prod(counts) > _MAX_ENTRIES:
        raise BadInputError(f"groups {groups}: too many ways to spread the cards over the suits")
    codes = np.zeros((len(groups), max((cards + 1) ** (num_suits - 1) for cards in groups)), np.int32)
    for number, choice in enumerate(choices):
        codes[number, choice @ weights[number]] = np.arange(len(choice)) * prod(counts[number + 1 :])

    chosen = np.unravel_index(np.arange(prod(counts)), counts)
    sizes = np.stack([choice[c] for choice, c in zip(choices, chosen, strict=True)], axis=2)  # (entries, 4, rounds)
    order = np.argsort(-_shape_keys(sizes), axis=1, kind="stable")
    shapes = np.take_along_axis(sizes, order[:, :, None], axis=1)
    fits = (sizes.sum(axis=2) <= num_ranks).all(axis=1)
    is_sorted = fits & (order == np.arange(MAX_SUITS)).all(axis=1)
    # Sorting the suits leads from any entry to the one that numbers its configuration.
    parts = [row[shapes[:, :, number] @ weights[number]] for number, row in enumerate(codes)]
    configuration = (np.cumsum(is_sorted) - 1)[np.sum(parts, axis=0)]
    entries = np.where(fits, configuration << 8 | order @ 4 ** np.arange(MAX_SUITS), -1)

    shapes = shapes[is_sorted]
    configs, size = _configurations(shapes, num_ranks)
    if size > _MAX_SIZE:
        raise BadInputError(f"groups {groups}: too many canonical hands for a 64-bit number")
    return _Layout(
        groups=np.array(groups, np.int32),
        weights=weights,
        codes=codes,
        entries=entries.astype(np.int32),
        configs=configs.astype(np.int64),
        shapes=np.ascontiguousarray(shapes, np.uint8),
        size=size,
    )


def _compositions(cards: int, num_ranks: int, num_suits: int) -> Int64:
    """``(n, 4)`` ways to spread a round's cards over the suits; suits that the deck lacks get none."""
    counts = np.arange(min(cards, num_ranks) + 1)
    grid = np.stack(np.meshgrid(*[counts] * num_suits, indexing="ij"), axis=-1).reshape(-1, num_suits)
    return np.pad(grid[grid.sum(axis=1) == cards], ((0, 0), (0, MAX_SUITS - num_suits)))


def _shape_keys(shapes: Int64) -> Int64:
    """One number per suit position of ``(n, 4, rounds)`` card counts; earlier rounds weigh more."""
    keys: Int64 = shapes @ 64 ** np.arange(shapes.shape[2])[::-1]
    return keys


def _configurations(shapes: Int64, num_ranks: int) -> tuple[npt.NDArray[np.object_], int]:
    """The table of configurations, in exact integers, and the number of canonical hands in all of them."""
    binomials = np.array([[comb(n, k) for k in range(14)] for n in range(14)], object)
    values = binomials[num_ranks - np.cumsum(shapes, axis=2) + shapes, shapes].prod(axis=2)  # numbers of each suit
    keys = _shape_keys(shapes)
    ties = (keys[:, 1:] == keys[:, :-1]) & (keys[:, 1:] > 0)
    table = np.zeros((len(shapes), 6), object)
    total = np.ones(len(shapes), object)
    run = np.ones(len(shapes), np.int64)
    for position in range(MAX_SUITS):
        if position:
            run = np.where(ties[:, position - 1], run + 1, 1)
        table[:, 1 + position] = np.where(run == 1, total, 0)
        # k suits of equal shape with n numbers each make C(n + k - 1, k) multisets; the k-th suit adds this factor.
        total = total * (values[:, position] + run - 1) // run
    table[:, 0] = np.cumsum(total) - total
    table[:, 5] = ties @ (1, 2, 4)
    return table, int(total.sum())


def deck_size(deck: npt.ArrayLike) -> tuple[int, int]:
    """``(num_ranks, num_suits)`` of a deck of card codes: all cards of the top ranks and the last suits."""
    cards = sorted(set(np.asarray(deck, np.uint8).tolist()))  # np.unique would import numpy.ma: 7 ms of each query
    ranks, suits = len({card >> 2 for card in cards}), len({card & 3 for card in cards})
    if cards != full_deck(ranks, suits).tolist():
        raise BadInputError("deck: not all cards of the top ranks and the last suits")
    return ranks, suits


def full_deck(num_ranks: int = 13, num_suits: int = 4) -> Bytes:
    """Card codes, ascending, of the deck with the top ``num_ranks`` ranks and the last ``num_suits`` suits."""
    if not 1 <= num_ranks <= 13 or not 1 <= num_suits <= MAX_SUITS:
        raise BadInputError(f"deck of {num_ranks} ranks and {num_suits} suits: 1 to 13 and 1 to 4 exist")
    codes = 4 * np.arange(13 - num_ranks, 13)[:, None] + np.arange(MAX_SUITS - num_suits, MAX_SUITS)
    return codes.ravel().astype(np.uint8)


def checked_cards(cards: npt.ArrayLike, width: int, num_ranks: int, num_suits: int, name: str = "cards") -> Bytes:
    """``cards`` as a contiguous ``(n, width)`` array of distinct card codes of the deck, or BadInputError."""
    array = np.asarray(cards)
    if array.ndim != 2 or array.shape[1] != width:
        raise BadInputError(f"{name}: shape {array.shape}, expected (n, {width})")
    if array.dtype != np.uint8:
        if array.size and array.dtype.kind not in "iu":
            raise BadInputError(f"{name}: dtype {array.dtype}, expected integer card codes")
        if array.size and (array.min() < 0 or array.max() > 51):
            raise BadInputError(f"{name}: card codes run from 0 to 51")
        array = array.astype(np.uint8)
    array = np.ascontiguousarray(array)
    row = _symmetry.first_invalid(array, num_ranks, num_suits)
    if row >= 0:
        raise BadInputError(f"{name}: row {row} {array[row].tolist()} has a card twice or outside the deck")
    return array


def checked_groups(groups: Sequence[int]) -> tuple[int, ...]:
    """``groups`` as a tuple of one to four positive ints, or BadInputError."""
    checked = tuple(int(cards) for cards in groups)
    if not 1 <= len(checked) <= MAX_ROUNDS or min(checked) < 1:
        raise BadInputError(f"groups {checked}: 1 to {MAX_ROUNDS} rounds of at least one card expected")
    return checked


class HandIndexer:
    """Numbers of the canonical hands at the end of every round.

    ``groups`` are the cards dealt in each round, ordered between rounds and unordered within: ``(2, 3, 1, 1)`` for
    hold'em, ``(2, 5)`` for hands on river boards whose order does not matter, ``(3,)`` for flops. Columns of cards
    follow the rounds: the first ``groups[0]`` are the first round's.
    """

    def __init__(self, groups: Sequence[int], num_ranks: int = 13, num_suits: int = 4) -> None:
        """Raise BadInputError for groups that the deck cannot deal."""
        self.groups = checked_groups(groups)
        self.num_ranks, self.num_suits = int(num_ranks), int(num_suits)
        if sum(self.groups) > len(full_deck(self.num_ranks, self.num_suits)):
            raise BadInputError(f"groups {self.groups}: more cards than the deck has")
        self._layouts: dict[int, _Layout] = {}

    def __repr__(self) -> str:
        return f"HandIndexer({self.groups}, num_ranks={self.num_ranks}, num_suits={self.num_suits})"

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of canonical hands at the end of each round."""
        return tuple(self._layout(number).size for number in range(len(self.groups)))

    def index(self, cards: npt.ArrayLike, round: int = -1, threads: int = 1) -> Int64:  # noqa: A002
        """``(n,)`` numbers in ``0 .. sizes[round] - 1`` of ``(n, k)`` cards, k the cards dealt up to ``round``.

        Suit permutations and the order of cards within a round do not change a number. Raises BadInputError, which
        names the row with a card twice or outside the deck.
        """
        layout = self._layout(round)
        array = checked_cards(cards, int(layout.groups.sum()), self.num_ranks, self.num_suits)
        out = np.empty(len(array), np.int64)
        _isomorphism.index(array, *layout.tables, self.num_ranks, self.num_suits, out, threads)
        return out

    def unindex(self, indices: npt.ArrayLike, round: int = -1, threads: int = 1) -> Bytes:  # noqa: A002
        """``(n, k)`` canonical cards of ``(n,)`` numbers: the lexicographically smallest of all isomorphic deals.

        Cards ascend within each round. Raises BadInputError for numbers that do not exist.
        """
        layout = self._layout(round)
        numbers = np.ascontiguousarray(indices, np.int64)
        if numbers.ndim != 1:
            raise BadInputError(f"indices: shape {numbers.shape}, expected (n,)")
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < layout.size:
            raise BadInputError(f"indices: canonical hands run from 0 to {layout.size - 1}")
        out = np.empty((len(numbers), int(layout.groups.sum())), np.uint8)
        _isomorphism.unindex(numbers, *layout.tables, layout.shapes, self.num_ranks, self.num_suits, out, threads)
        return out

    def index_hands(self, boards: npt.ArrayLike, hands: npt.ArrayLike, threads: int = 1) -> Int64:
        """``(n, H)`` numbers of all ``(H, hole)`` hands on each of ``(n, b)`` boards, -1 where they share a card.

        The hand, of one or two cards, is the first round. The board's cards follow in the order of rounds; their number
        gives the round that they complete (``b = 0``: round 0). The result does not depend on ``threads``. Raises
        BadInputError for boards or hands that do not fit.
        """
        array = np.asarray(boards)
        dealt = np.cumsum(self.groups)
        width = array.shape[1] if array.ndim == 2 else -1
        if self.groups[0] + width not in dealt:
            raise BadInputError(f"boards: shape {array.shape}, expected (n, b) with b in {(dealt - dealt[0]).tolist()}")
        layout = self._layout(int(np.searchsorted(dealt, self.groups[0] + width)))
        array = checked_cards(array, width, self.num_ranks, self.num_suits, "boards")
        holdings = _checked_hands(hands, self.num_ranks, self.num_suits)
        if holdings.shape[1] != self.groups[0]:
            raise BadInputError(f"hands: {counted(holdings.shape[1], 'card')}, expected {self.groups[0]}")
        out = np.empty((len(array), len(holdings)), np.int64)
        if out.size:
            _isomorphism.index_hands(array, holdings, *layout.tables, self.num_ranks, self.num_suits, out, threads)
        return out

    def _layout(self, number: int) -> _Layout:
        """Tables of a round, built on first use: a query about one hand needs only one round."""
        if not -len(self.groups) <= number < len(self.groups):
            raise BadInputError(f"round {number}: there are rounds 0 to {len(self.groups) - 1}")
        number %= len(self.groups)
        if number not in self._layouts:
            self._layouts[number] = _layout(self.groups[: number + 1], self.num_ranks, self.num_suits)
        return self._layouts[number]


def canonical_hands(groups: Sequence[int], num_ranks: int = 13, num_suits: int = 4) -> tuple[int, ...]:
    """Number of canonical hands at the end of each round; hold'em's ``(2, 3, 1, 1)``: 169, 1286792, ..."""
    return HandIndexer(groups, num_ranks, num_suits).sizes


def suit_permutations(num_suits: int = 4) -> Bytes:
    """``(num_suits!, num_suits)`` in lexicographic order: row p takes suit position s to ``row[s]``."""
    return np.array(list(permutations(range(num_suits))), np.uint8)


def permuted_suits(cards: Sequence[int], permutation: int, num_suits: int = 4) -> tuple[int, ...]:
    """Card codes after a suit permutation, a row of :func:`suit_permutations`."""
    suits, low = suit_permutations(num_suits)[permutation], MAX_SUITS - num_suits
    return tuple((card & ~3) + int(suits[(card & 3) - low]) + low for card in cards)


def permute_hands(hands: npt.ArrayLike, num_suits: int = 4) -> Int16:
    """``(num_suits!, H)``: the number of each of ``(H, hole)`` hands after each suit permutation.

    With the result ``p``, ``hands[p[i, h]]`` has the cards of hand ``h`` after the suit permutation
    ``suit_permutations(num_suits)[i]``, in any order. Raises BadInputError for hands that are not closed under suit
    permutations.
    """
    array = _checked_hands(hands, 13, num_suits).astype(np.int64)
    low = MAX_SUITS - num_suits
    radix = 52 ** np.arange(array.shape[1])
    number = np.full(52 ** array.shape[1], -1, np.int16)
    number[np.sort(array, axis=1) @ radix] = np.arange(len(array))
    images = suit_permutations(num_suits)[:, (array & 3) - low].astype(np.int64)  # (permutations, H, hole)
    out: Int16 = number[np.sort((array & ~3) + low + images, axis=2) @ radix]
    if out.size and out.min() < 0:
        raise BadInputError("hands: not closed under suit permutations")
    return out


def board_symmetries(board: Sequence[int], groups: Sequence[int], num_suits: int = 4) -> npt.NDArray[np.intp]:
    """Rows of :func:`suit_permutations` that keep each round's set of cards of a board; the first is the identity.

    ``groups`` are the cards of each round; groups of rounds after the board's are not read.
    """
    permutations_, low = suit_permutations(num_suits), MAX_SUITS - num_suits
    cards = np.array(board, np.uint8)
    images = (cards & 0xFC) + permutations_[:, (cards & 3) - low] + low
    same = np.ones(len(permutations_), np.bool_)
    for start, end in pairwise([0, *np.cumsum(groups).tolist()]):
        same &= (np.sort(images[:, start:end], axis=1) == np.sort(cards[start:end])).all(axis=1)
    return np.flatnonzero(same)


def chance_children(
    boards: npt.ArrayLike, groups: Sequence[int], new_cards: int, deck: npt.ArrayLike
) -> tuple[Int32, Bytes, Int64]:
    """Deal ``new_cards`` to each board, once per orbit of the board's symmetries.

    The symmetries are the suit permutations that fix every earlier round's set of cards. Repeated deals from one empty
    board, ``np.empty((1, 0), np.uint8)``, visit every canonical dealt sequence once.

    Args:
        boards: ``(n, k)``, dealt in rounds of ``groups`` cards; ``groups`` is ``()`` for empty boards.

    Returns:
        ``parent`` (m,), the row of ``boards``, ascending; ``children`` (m, k + new_cards), the lexicographically
        smallest of each orbit; ``weight`` (m,), the orbit's size. Weights of one parent sum to
        C(cards left, new_cards).
    """
    rounds = checked_groups((*groups, new_cards))
    num_ranks, num_suits = deck_size(deck)
    if sum(rounds) > num_ranks * num_suits:
        raise BadInputError(f"groups {rounds}: more cards than the deck has")
    array = checked_cards(boards, sum(rounds[:-1]), num_ranks, num_suits, "boards")
    starts = np.zeros(len(array) + 1, np.intp)

    def deal(count: int, fill: bool) -> tuple[Int32, Bytes, Int64]:
        out = np.empty(count, np.int32), np.empty((count, sum(rounds)), np.uint8), np.empty(count, np.int64)
        _symmetry.chance_children(array, np.array(rounds, np.int32), num_ranks, num_suits, starts, *out, fill)
        return out

    deal(0, fill=False)
    return deal(int(starts[-1]), fill=True)


def collisions(boards: npt.NDArray[np.uint8], hands: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """``(n, H)`` whether each of the ``(H, hole)`` hands shares a card with each of the ``(n, k)`` boards."""
    shared: npt.NDArray[np.bool_] = (hands[None, :, :, None] == boards[:, None, None, :]).any(axis=(2, 3))
    return shared


def hand_classes(
    boards: npt.ArrayLike, groups: Sequence[int], hands: npt.ArrayLike, deck: npt.ArrayLike, threads: int = 1
) -> Int16:
    """``(n, H)`` class of each of ``(H, hole)`` hands, of one or two cards, on each dealt board.

    Two hands share a class if a suit permutation that fixes every round's set of cards turns one into the other.
    Classes count from 0 in order of their first hand; -1 where hand and board share a card. ``groups`` are the cards
    of each board round: ``(3, 1)`` for flop and turn, ``()`` for empty boards.
    """
    rounds = checked_groups(groups) if len(groups) else ()
    num_ranks, num_suits = deck_size(deck)
    array = checked_cards(boards, sum(rounds), num_ranks, num_suits, "boards")
    holdings = _checked_hands(hands, num_ranks, num_suits)
    out = np.empty((len(array), len(holdings)), np.int16)
    if out.size:
        _symmetry.hand_classes(array, np.array(rounds, np.int32), holdings, out, threads)
    return out


def suit_classes(boards: npt.ArrayLike, groups: Sequence[int], deck: npt.ArrayLike) -> Bytes:
    """``(n, 4)`` the first suit onto which the symmetries of each dealt board map each suit.

    ``groups`` as in :func:`hand_classes`; a suit that the deck lacks stands for itself.
    """
    rounds = checked_groups(groups) if len(groups) else ()
    num_ranks, num_suits = deck_size(deck)
    array = checked_cards(boards, sum(rounds), num_ranks, num_suits, "boards")
    out = np.tile(np.arange(MAX_SUITS, dtype=np.uint8), (len(array), 1))
    _symmetry.suit_classes(array, np.array(rounds, np.int32), num_suits, out)
    return out


def _checked_hands(hands: npt.ArrayLike, num_ranks: int, num_suits: int) -> Bytes:
    array = np.asarray(hands)
    if array.ndim != 2 or array.shape[1] not in (1, 2):
        raise BadInputError(f"hands: shape {array.shape}, expected (H, 1) or (H, 2)")
    return checked_cards(array, array.shape[1], num_ranks, num_suits, "hands")
