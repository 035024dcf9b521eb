"""Pieces of an enumerated deal: some boards of the second round, such as flops, with all boards that follow them.

A deal that begins later than the game has pieces, too: the second round of a deal that begins on a flop is the turn.

No two boards share a row without buckets, and rows stand in the order of a traversal's first visits. So a piece's
rows are neighbours in each round, and its tables can be read, changed and written on their own
(:class:`cfr.kernel.chance.Piece`). Pieces come in the order of the boards: the runs over all pieces add up like one
run over the whole deal, to the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cfr.game.rules import Game
from cfr.hands.flops import first_boards
from cfr.hands.isomorphism import hand_classes
from cfr.hands.river_rows import RiverRows, strength_ranks
from cfr.kernel.chance import Boards, Deal, Dealt, boards_after, boards_below, make_boards, opponent_share, round_of
from cfr.kernel.tables import Rows

_BOARDS_AT_A_TIME = 256


def all_boards(game: Game) -> list[Dealt]:
    """Cards of all boards of each round, one of each orbit under suit symmetry."""
    return boards_below(game, np.zeros(0, np.uint8))


def boards_of_flops(game: Game, drawn: np.ndarray) -> list[Dealt]:
    """All boards of each round below a sample of flops; each flop stands for its share of the sample.

    ``drawn`` are ``(n,)`` numbers in the order of :func:`cfr.hands.flops.first_boards`; a flop may come twice.
    """
    begin, flops = boards_below(game, np.zeros(0, np.uint8), last=1)
    kept, times = np.unique(drawn, return_counts=True)
    weight = times / len(drawn) / first_boards(game).share[kept]
    level = Dealt(flops.cards[kept], flops.parent[kept], flops.factor[kept] * weight)
    return [begin, level, *boards_after(game, level)]


def rows_of_boards(game: Game, levels: Sequence[Dealt], river_rows: RiverRows = "hands") -> np.ndarray:
    """``(boards of the second round, rounds)`` rows at or below each board of the second round; none in the first.

    A board has a row for each class of hands under the board's suit symmetries, in the game's last round maybe one for
    each strength.
    """
    begin, count = round_of(game, levels[0].cards[0]), len(levels[1].cards)
    found = np.zeros((count, len(levels)), np.int64)
    above = np.arange(count)  # board of the second round above each board
    for number, level in enumerate(levels[1:], 1):
        if number > 1:
            above = above[level.parent]
        for start in range(0, len(level.cards), _BOARDS_AT_A_TIME):
            part = slice(start, start + _BOARDS_AT_A_TIME)
            numbers = _row_numbers(game, begin + number, level.cards[part], river_rows)
            np.add.at(found[:, number], above[part], numbers.max(axis=1).astype(np.int64) + 1)
    return found


def rows_of_first(game: Game, level: Dealt) -> int:
    """Rows of the first round, which has one board."""
    return int(_row_numbers(game, round_of(game, level.cards[0]), level.cards).max()) + 1


def piece_deal(game: Game, levels: Sequence[Dealt], first: int, last: int, river_rows: RiverRows = "hands") -> Deal:
    """The first round's board, and boards ``first`` to ``last`` of the second round with all boards below.

    Rows of each round but the first are numbered from 0 in the piece.

    Args:
        game: the rules.
        levels: :func:`all_boards` of the game, or the boards that can follow a later one.
        first, last: the piece's boards of the second round; ``last`` is the first of the next piece.
        river_rows: whether a row of the game's last round is a hand or a strength.
    """
    rounds, num_rows = [], []
    ranges = [(0, 1), *_ranges_below(levels, first, last)]
    begin = round_of(game, levels[0].cards[0])
    for number, (low, high) in enumerate(ranges):
        cards = np.ascontiguousarray(levels[number].cards[low:high])
        numbers = _row_numbers(game, begin + number, cards, river_rows)
        own_rows = np.arange(len(cards))[:, None] * numbers.shape[1] + numbers
        rows = np.where(numbers < 0, -1, own_rows).astype(np.int32)
        first_child = np.zeros(high - low + 1, np.int32)
        if number + 1 < len(levels):
            start, stop = ranges[number + 1]
            first_child[:] = np.searchsorted(levels[number + 1].parent[start:stop], np.arange(low, high + 1))
        factor = np.asarray(levels[number].factor[low:high], float)
        boards = make_boards(game, begin + number, cards, rows, first_child, factor)
        rounds.append(_in_visiting_order(boards))
        num_rows.append(int(boards.row_count.sum()))
    scale = 1.0 if begin else opponent_share(game)  # ranges that come to a later board weigh the opponent's hands
    return Deal(tuple(rounds), tuple(num_rows), scale, disjoint=True)


def canonical_rows(boards: Boards, abstraction: Rows, round_: int) -> np.ndarray:
    """``(rows,)`` the abstraction's row of each row of a piece, in one round."""
    there = abstraction.rows(round_, boards.cards)
    own = boards.row_of_hand
    live = there >= 0
    found = np.empty(int(boards.row_count.sum()), there.dtype)
    found[own[live]] = there[live]
    return found


def _ranges_below(levels: Sequence[Dealt], first: int, last: int) -> list[tuple[int, int]]:
    """Per round from the second on, the boards at or below boards ``first`` to ``last`` of the second round."""
    found = [(first, last)]
    for level in levels[2:]:
        low, high = np.searchsorted(level.parent, found[-1])
        found.append((int(low), int(high)))
    return found


def _row_numbers(game: Game, number: int, cards: np.ndarray, river_rows: RiverRows = "hands") -> np.ndarray:
    """``(n, H)`` number of each hand's row among those of its board."""
    if river_rows == "strength" and number + 1 == game.num_rounds:
        return strength_ranks(game, cards)
    return hand_classes(cards, game.num_board_cards[1 : number + 1], game.hands, game.deck)


def _in_visiting_order(boards: Boards) -> Boards:
    """Boards whose rows are numbered in the order of first visits: no two boards share a row."""
    before = np.cumsum(boards.row_count) - boards.row_count
    there = np.arange(boards.rows.shape[1]) < boards.row_count[:, None]
    rows = before[:, None] + np.arange(boards.rows.shape[1])
    return replace(boards, rows=np.where(there, rows, 0).astype(np.int32))
