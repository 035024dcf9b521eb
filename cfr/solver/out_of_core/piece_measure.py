"""Best responses over all boards, piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from cfr.game.rules import Game
from cfr.hands.river_rows import RiverRows
from cfr.kernel.best_response import Measured
from cfr.kernel.chance import Deal, Piece
from cfr.kernel.pieces import all_boards, piece_deal
from cfr.kernel.tables import Tables
from cfr.kernel.traversal import Mode, Traversal
from cfr.kernel.tree import ROWS_AT_A_TIME, Tree
from cfr.strategy.files.quantise import Bytes, Remainders, joined, quantise_finely


@dataclass(frozen=True, eq=False)
class Part:
    """A piece with its tables.

    Attributes:
        deal: its boards.
        tables: per round, the first one included, both seats' tables.
        first_rows: as in :class:`cfr.kernel.chance.Piece`.
        is_last: whether no piece follows.
    """

    deal: Deal
    tables: Sequence[Tables]
    first_rows: Sequence[int]
    is_last: bool


Parts = Callable[[int, Mode], Iterable[Part]]  # what one seat's traversal reads
# Of a seat and the first round's tables, values that the first piece begins with as if earlier pieces had left them.
InitialValues = Callable[[int, Tables], np.ndarray]


def exploitability_of_parts(
    traversal: Traversal, parts: Parts, shares: np.ndarray | None = None, initial_values: InitialValues | None = None
) -> float:
    """Like :func:`cfr.kernel.best_response.exploitability_mbb`, to the same bits.

    Args:
        traversal: of the solve.
        parts: all pieces.
        shares: ``(2, lines, hands)`` each seat's reach of the tree's root over the weight of all pairs of hands there;
            default, all hands reach it alike.
        initial_values: as :data:`InitialValues`; default, zeros.
    """
    to_mbb = traversal.tree.game.mbb
    return sum(_won(traversal, parts, seat, "best", shares, initial_values) for seat in (0, 1)) / 2 * to_mbb


def measure_parts(traversal: Traversal, parts: Parts, initial_values: InitialValues | None = None) -> Measured:
    """Like :func:`cfr.kernel.best_response.measure`, to the same bits; ``initial_values`` as :data:`InitialValues`."""
    return measured_by(
        traversal.tree.game, lambda seat, mode: _won(traversal, parts, seat, mode, initial_values=initial_values)
    )


def measured_by(game: Game, won: Callable[[int, Mode], float]) -> Measured:
    """The measurement that follows from what each seat wins in modes ``best`` and ``average``, in chips."""
    to_mbb = game.mbb
    best = [won(seat, "best") * to_mbb for seat in (0, 1)]
    own = [won(seat, "average") * to_mbb for seat in (0, 1)]
    return Measured(sum(best) / 2, (best[0], best[1]), (own[0], own[1]))


def _won(
    traversal: Traversal,
    parts: Parts,
    seat: int,
    mode: Mode,
    shares: np.ndarray | None = None,
    initial_values: InitialValues | None = None,
) -> float:
    """What a seat wins in mode ``best`` or ``average``, in chips."""
    carried, every = traversal.carried(), iter(parts(seat, mode))
    if initial_values is not None:
        first = next(every)
        carried += initial_values(seat, first.tables[0])
        every = chain([first], every)
    return list(winnings(traversal, every, seat, mode, carried, shares))[-1]


def winnings(
    traversal: Traversal,
    parts: Iterable[Part],
    seat: int,
    mode: Mode,
    carried: np.ndarray,
    shares: np.ndarray | None = None,
) -> Iterator[float]:
    """Measure part after part, one at each step; yields chips that the seat wins, which are known with the last part.

    ``carried`` are the values of earlier parts (:attr:`cfr.kernel.chance.Piece.carried`), changed in place.
    """
    for part in parts:
        deal = replace(part.deal, piece=Piece(carried, part.first_rows, part.is_last))
        prepared = traversal.prepare(deal, part.tables, seat, mode)
        prepared.run()
        if shares is None:
            yield float(prepared.values.mean())
        else:
            yield float((prepared.values_by_line[: len(shares[seat])] * shares[seat]).sum())


def measure_stored(
    traversal: Traversal, parts: Parts, is_fine: bool, num_stored: int, initial_values: InitialValues | None = None
) -> Measured:
    """A strategy, rounded as a file stores it.

    Args:
        traversal: of the solve.
        parts: all pieces with both seats' tables, for any mode.
        is_fine: whether the file has remainders of rounding.
        num_stored: how many rounds the file has; later ones are as in ``parts``.
        initial_values: as :data:`InitialValues`; default, zeros.
    """

    def stored(seat: int, mode: Mode) -> Iterator[Part]:
        return (stored_part(traversal, part, is_fine, num_stored) for part in parts(seat, mode))

    return measure_parts(traversal, stored, initial_values)


def stored_part(traversal: Traversal, part: Part, is_fine: bool, num_stored: int) -> Part:
    """A part, rounded as a file stores it, as :func:`measure_stored` measures it."""
    tree, dtype = traversal.tree, traversal.dtype
    pairs = enumerate(part.tables)
    rounds = [as_stored(tree, pair, r, is_fine, dtype) if r < num_stored else pair for r, pair in pairs]
    return Part(part.deal, rounds, part.first_rows, part.is_last)


def parts_of_tables(game: Game, tables: Sequence[Tables], river_rows: RiverRows) -> Parts:
    """Each board of the second round as a piece of tables in memory, whose rows are in visiting order."""
    levels = all_boards(game)

    def parts(seat: int, mode: Mode) -> Iterator[Part]:
        first = [0] * len(tables)
        for board in range(len(levels[1].cards)):
            deal = piece_deal(game, levels, board, board + 1, river_rows)
            ends = [start + rows for start, rows in zip(first, deal.num_rows, strict=True)]
            own = [(pair[0][a:b], pair[1][a:b]) for pair, a, b in zip(tables, first, ends, strict=True)]
            yield Part(deal, [tables[0], *own[1:]], first, board + 1 == len(levels[1].cards))
            first = [0, *ends[1:]]

    return parts


def as_stored(tree: Tree, pair: Tables, round_: int, is_fine: bool, dtype: np.dtype) -> Tables:
    """A round's tables, rounded as a file stores them; ``is_fine`` with the remainders of rounding."""
    shapes = [tree.table_shape(round_, seat, len(pair[0]), dtype) for seat in (0, 1)]
    wide: Tables = (np.empty(shapes[0], dtype), np.empty(shapes[1], dtype))
    for start in range(0, len(pair[0]), ROWS_AT_A_TIME):
        part = slice(start, start + ROWS_AT_A_TIME)
        in_bytes, remainders = rounded(tree, (pair[0][part], pair[1][part]), round_)
        by_seat = tree.by_seat(joined(in_bytes, remainders if is_fine else None), round_, dtype)
        for table, own in zip(wide, by_seat, strict=True):
            table[part] = own
    return wide


def rounded(tree: Tree, pair: Tables, round_: int) -> tuple[Bytes, Remainders]:
    """A round's tables as a file stores them: bytes and remainders ``(rows, node_actions, lines)``."""
    return quantise_finely(np.maximum(tree.by_line(pair, round_), 0), tree.betting.rounds[round_])
