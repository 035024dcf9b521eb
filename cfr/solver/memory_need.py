"""Memory that a solve needs, known before anything is allocated."""

from __future__ import annotations

from functools import cache
from math import comb, factorial

import numpy as np

from cfr.abstraction.buckets import checked_buckets
from cfr.abstraction.deck import FLOP, Deck, is_holdem_like
from cfr.abstraction.features import board_map
from cfr.game.betting import BettingTree
from cfr.game.rules import Game
from cfr.hands.isomorphism import canonical_hands
from cfr.hands.river_rows import RiverRows, StrengthRows
from cfr.kernel.numbers import by_round, spare_entries
from cfr.kernel.schedules import schedule_named
from cfr.kernel.traversal import layout
from cfr.kernel.tree import Tree
from cfr.solver.settings import Buckets, Settings
from cfr.system.errors import CfrError
from cfr.system.memory import check_fits
from cfr.system.text import counted

_BYTES_OF_A_FEATURE = 73  # of each hand on each board of the round before the last, tables included, at the peak
_SMALL = 10_000  # rows
_BATCH_BYTES = 250  # for a hand on a board of a batch, and each lane of the rounds before the last
_BOARDS_BYTES = 72  # for a hand on a board
_MEASURING_BYTES = 400_000_000  # for a flop
_CODED_BYTES = 12  # weights and codes of both seats, for a codebook


def check_memory(settings: Settings) -> None:
    """Refuse what cannot fit; raises CfrError before anything is allocated."""
    game = settings.game
    instead = "use fewer buckets" if settings.tables == "bfloat16" else "use tables=bfloat16 or fewer buckets"
    if settings.buckets is None:
        instead = "use buckets: say cfr.preset('quick')" if is_holdem_like(game) else "it has no buckets"
        if visits_too_many_boards(game) and not settings.lossless:
            boards = comb(len(game.deck), sum(game.num_board_cards))
            what = f"{counted(boards, 'board')}, {game.num_hands} hands"
            raise CfrError(f"{game.name} is too large to solve without buckets: {what}; {instead}, or lossless=True")
    check_fits(memory_bytes(settings), game.name, instead)


def visits_too_many_boards(game: Game) -> bool:
    """Whether a game of two hole cards has a river, and so too many boards to visit all of them without buckets."""
    return game.num_hole_cards == 2 and sum(game.num_board_cards) > 4


def rows_of(settings: Settings) -> tuple[int, ...]:
    """Table rows of each round of a solve."""
    if settings.trunk is not None:
        return settings.trunk.num_rows(settings.game, settings.seed, settings.river_rows)
    return num_rows(settings.game, settings.buckets, settings.river_rows)


def num_rows(game: Game, buckets: Buckets, river_rows: RiverRows = "hands") -> tuple[int, ...]:
    """Table rows of each round: buckets, or canonical hands where there are none; in the last round maybe strengths."""
    groups = (game.num_hole_cards, *game.num_board_cards[1:])
    hands = canonical_hands(groups, game.num_ranks, game.num_suits)
    if buckets is None:
        return (*hands[:-1], hands[-1] if river_rows == "hands" else _strengths(game))
    numbers = checked_buckets(game, buckets)
    return (hands[0], *(h if b is None else b.rows for b, h in zip(numbers, hands[1:], strict=True)))


@cache
def _strengths(game: Game) -> int:
    """The number of strengths on all canonical boards of the last round."""
    return StrengthRows(game).count


def number_types(settings: Settings) -> tuple[np.dtype, list[np.dtype]]:
    """The number type that a solve computes with, and that of each round's tables.

    Small games are cheap in float64, and only there the digits can be compared with others'.
    """
    rounds = settings.game.num_rounds
    if settings.buckets is None and settings.tables == "float32" and sum(rows_of(settings)) < _SMALL:
        return np.dtype(np.float64), [np.dtype(np.float64)] * rounds
    return np.dtype(np.float32), by_round(settings.tables, rounds)


def table_sizes(tree: Tree, rows: tuple[int, ...]) -> list[tuple[int, int, int]]:
    """Per round, a table's rows, node-actions of both seats, and lines."""
    return [(n, sum(r.table_columns), r.stride // tree.lanes * r.width) for n, r in zip(rows, tree.rounds, strict=True)]


def table_bytes(settings: Settings) -> int:
    """All tables of a solve."""
    schedule, (_, numbers) = schedule_named(settings.schedule), number_types(settings)
    every = table_sizes(layout(settings.game), rows_of(settings))
    sizes = [
        each.itemsize * r * (c + 2 * spare_entries(each)) * n for each, (r, c, n) in zip(numbers, every, strict=True)
    ]
    return schedule.num_tables * sum(sizes) + (sum(sizes[:-1]) if schedule.responds else 0)


def memory_bytes(settings: Settings) -> int:
    """What a solve takes at the peak."""
    working = table_bytes(settings) + _scratch_bytes(settings) + 150_000_000
    if settings.compact:
        working += _coding_bytes(settings)
    if settings.buckets is None and not settings.lossless:
        entries = table_sizes(layout(settings.game), rows_of(settings))
        each = max(2, settings.stored_type.itemsize)  # bytes have remainders
        working += each * sum(r * c * n for r, c, n in entries)  # as the file has them, when they are measured
    if settings.buckets is not None and settings.target_mbb is not None:
        one_of_all = table_bytes(settings) // schedule_named(settings.schedule).num_tables
        working += 2 * one_of_all + _MEASURING_BYTES * settings.threads  # at most one for either traverser
    if visits_too_many_boards(settings.game) and settings.lossless:
        working += _BOARDS_BYTES * settings.game.num_hands * _boards_of_last_round(settings.game)
    return working if settings.buckets is None else max(working, abstraction_bytes(settings.game))


def _scratch_bytes(settings: Settings) -> int:
    """What threads work with, and the boards of a batch from step to step."""
    threads = 60_000_000 * settings.threads
    if settings.batch == 1:
        return threads
    boards = (2 if schedule_named(settings.schedule).responds else 1) * settings.batch
    tree, hands = layout(settings.game), settings.game.num_hands
    lanes = sum(round_.stride for round_ in tree.rounds[:-1])
    choices = settings.rivers * hands * sum(tree.rounds[-1].table_columns) * tree.rounds[-1].stride // 8
    return threads + boards * (lanes * hands * _BATCH_BYTES + choices)


def _boards_of_last_round(game: Game) -> int:
    """About how many boards of the last round stand for all: up to a fifth more than without any symmetry."""
    dealt, unseen = 1, len(game.deck)
    for new in game.num_board_cards:
        dealt, unseen = dealt * comb(unseen, new), unseen - new
    return int(1.2 * dealt / factorial(game.num_suits))


def _coding_bytes(settings: Settings) -> int:
    """What making the codebooks of the largest round takes: a plan, two weights and two codes for each row and line."""
    betting = BettingTree(settings.game)
    sizes = zip(rows_of(settings), betting.rounds, betting.num_lines, strict=True)
    return max(rows * lines * (round_.node_actions + _CODED_BYTES) for rows, round_, lines in sizes)


def abstraction_bytes(game: Game) -> int:
    """What building a card abstraction takes at the peak: 1.6 GB for full hold'em. Raises CfrError without buckets."""
    deck = Deck.of(game)
    features = len(board_map(deck, deck.last - 1)) * len(deck.hands) if deck.last > FLOP else 0
    return _BYTES_OF_A_FEATURE * features
