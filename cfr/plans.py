"""Any strategy as the traversal wants it: a table row for every hand, and realisation plans in the tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from tqdm import tqdm

from cfr.abstraction import Abstraction
from cfr.betting import ACTIONS, BettingTree, State
from cfr.cards import format_cards
from cfr.deals import Rows, enumerate_deal
from cfr.errors import UnknownSpotError
from cfr.game import Game
from cfr.hands import collisions
from cfr.rounding import ONE
from cfr.strategy import AnyStrategy, BuiltIn, Spots, Strategy
from cfr.tree import Tree

_CHUNK = 1 << 22  # probabilities read at a time
_NEIGHBOURS = 64
_MOST_SPOTS = 200_000  # that are asked for one by one

Read = Callable[[int, np.ndarray], np.ndarray]  # (rows, node_actions, lines) of a round
Advance = Callable[[int], object]  # hears how many probabilities more are done


@dataclass(frozen=True)
class Plans:
    """A fixed strategy.

    Attributes:
        rows: which row of the tables a hand on a board owns.
        tables: per round, both seats' realisation plans, shaped ``Tree.table_shape``.
    """

    rows: Rows
    tables: list[tuple[np.ndarray, np.ndarray]]


def make_plans(strategy: AnyStrategy, tree: Tree, dtype: np.dtype | type = np.float32, progress: bool = False) -> Plans:
    """Read a strategy into tables; one that is neither a file nor built in is asked spot by spot.

    ``progress`` shows a bar on stderr meanwhile.

    Raises:
        UnknownSpotError: it would have to be asked for too many spots, or does not say what to do with a hand.
    """
    if isinstance(strategy, Strategy):
        rows: Rows = strategy.abstraction
        merged: Sequence[Any] = [_Stored(strategy, r) for r in range(tree.game.num_rounds)]
    elif isinstance(strategy, BuiltIn):
        rows = OneRow(tree.game)
        merged = [_rule(strategy, tree.betting, r) for r in range(tree.game.num_rounds)]
    else:
        rows = Abstraction.lossless(tree.game)
        merged = _ask(strategy, rows)
    with tqdm(
        desc="reading the strategy",
        total=sum(prod(source.shape) for source in merged),
        unit="probabilities",
        unit_scale=True,
        disable=not progress,
        leave=False,
    ) as bar:
        return Plans(
            rows, [plan_tables(source, tree, number, dtype, bar.update) for number, source in enumerate(merged)]
        )


def seated(big_blind: Plans, button: Plans) -> Plans:
    """One strategy in each seat, by the rows of either or, where one has a single row, by those of the other."""
    rows = max(big_blind.rows, button.rows, key=lambda each: sum(each.num_rows))
    tables = [
        tuple(
            table if len(table) == count else np.ascontiguousarray(np.broadcast_to(table, (count, *table.shape[1:])))
            for table in (first, second)
        )
        for count, (first, _), (_, second) in zip(rows.num_rows, big_blind.tables, button.tables, strict=True)
    ]
    return Plans(rows, [(first, second) for first, second in tables])


def plan_tables(
    source: Any, tree: Tree, number: int, dtype: np.dtype | type, advance: Advance | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Both seats' realisation plans in round ``number`` of ``tree``.

    Args:
        source: probabilities ``(rows, node_actions, lines)``, in any unit: an array, or what has its shape and slices.
    """
    count = source.shape[0]
    pair = tuple(np.empty(tree.table_shape(number, seat, count), dtype) for seat in (0, 1))
    step = max(1, _CHUNK // (source.shape[1] * source.shape[2]))
    for start in range(0, count, step):
        part = tree.by_seat(source[start : start + step], number, dtype)
        for whole, piece in zip(pair, part, strict=True):
            whole[start : start + step] = piece
        tree.plans((pair[0][start : start + step], pair[1][start : start + step]), number)
        if advance is not None:
            advance(len(part[0]) * source.shape[1] * source.shape[2])
    return pair[0], pair[1]


def open_rows(strategy: Spots) -> tuple[Rows, Read]:
    """A strategy's rows, and a way to read the probabilities of some of them: ``read(round, ascending numbers)``.

    Raises:
        UnknownSpotError: it is neither a file nor built in.
    """
    if isinstance(strategy, BuiltIn):
        built_in = strategy

        def mix(number: int, rows: np.ndarray) -> np.ndarray:
            return np.repeat(_rule(built_in, built_in.betting, number), len(rows), axis=0)

        return OneRow(strategy.game), mix
    if not isinstance(strategy, Strategy):
        raise UnknownSpotError("only strategy files and built-in strategies are read as a whole")
    file = strategy

    def read(number: int, rows: np.ndarray) -> np.ndarray:
        parts = []
        for block in np.split(rows, np.flatnonzero(np.diff(rows // _NEIGHBOURS)) + 1):  # neighbours are read together
            first = int(block[0])
            parts.append(file.read(number, slice(first, int(block[-1]) + 1))[block - first])
        return np.concatenate(parts) / ONE

    return file.abstraction, read


class OneRow:
    """The abstraction of those who do not look at their cards."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self.num_rows = (1,) * game.num_rounds

    def rows(self, round_index: int, boards: np.ndarray, threads: int = 1) -> np.ndarray:
        rows: np.ndarray = -collisions(boards, self._game.hands).astype(np.int32)
        return rows


class _Stored:
    """One round of a file, read slice by slice."""

    def __init__(self, strategy: Strategy, round_: int) -> None:
        self._strategy, self._round = strategy, round_
        self.shape = strategy.table(round_).shape

    def __getitem__(self, rows: slice) -> np.ndarray:
        return self._strategy.read(self._round, rows)


def _rule(strategy: BuiltIn, betting: BettingTree, round_: int) -> np.ndarray:
    """``(1, node_actions, lines)`` probabilities of one round."""
    shared = betting.rounds[round_]
    merged = np.zeros((1, shared.node_actions, betting.num_lines[round_]))
    for numbers in shared.action_index:
        legal = "".join(letter for letter, number in zip(ACTIONS, numbers, strict=True) if number >= 0)
        merged[0, numbers[numbers >= 0]] = np.array(strategy.mix(legal))[numbers >= 0, None]
    return merged


def _ask(strategy: AnyStrategy, rows: Abstraction) -> list[np.ndarray]:
    """Per round ``(rows, node_actions, lines)``: what the strategy says on one board of each orbit."""
    game, betting = strategy.game, strategy.betting
    deal = enumerate_deal(game, rows) if game.num_hands < 100 else None
    nodes = [len(shared.actor) * lines for shared, lines in zip(betting.rounds, betting.num_lines, strict=True)]
    spots = 0 if deal is None else sum(n * len(b.cards) for n, b in zip(nodes, deal.rounds, strict=True))
    if deal is None or spots > _MOST_SPOTS:
        raise UnknownSpotError(
            f"{game.name} is too large to ask a strategy spot by spot; measure a strategy file, or a smaller game"
        )
    merged = [
        np.zeros((count, shared.node_actions, lines))
        for count, shared, lines in zip(rows.num_rows, betting.rounds, betting.num_lines, strict=True)
    ]
    boards = [
        [
            (format_cards(board.tolist()), numbers)
            for board, numbers in zip(level.cards, rows.rows(r, level.cards), strict=True)
        ]
        for r, level in enumerate(deal.rounds)
    ]
    waiting: list[State] = [betting.root]
    while waiting:
        state = waiting.pop()
        if state.is_over:
            continue
        waiting += [state.act(letter) for letter in state.legal]
        numbers = betting.rounds[state.round].action_index[state.node]
        for board, row in boards[state.round]:
            live = row >= 0
            frequencies = strategy.range(board, state.line_string).frequencies[live]
            if not np.allclose(frequencies.sum(axis=1), 1, atol=1e-6):
                raise UnknownSpotError(f"line {state.line_string!r}, board {board!r}: frequencies do not sum to 1")
            merged[state.round][row[live][:, None], numbers[numbers >= 0], state.line] = frequencies[:, numbers >= 0]
    return merged
