"""Any strategy as the traversal wants it: a table row for every hand, and realisation plans in the tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Protocol

import numpy as np

from cfr.abstraction.abstraction import Abstraction
from cfr.game.betting import ACTIONS, BettingTree, State
from cfr.game.cards import format_cards
from cfr.game.rules import Game
from cfr.hands.isomorphism import collisions
from cfr.kernel.chance import Rows, enumerate_deal
from cfr.kernel.traversal import Tables
from cfr.kernel.tree import Tree
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.quantise import ONE
from cfr.strategy.stored import Strategy
from cfr.strategy.strategy import AnyStrategy, Spots
from cfr.system.errors import UnknownSpotError

_CHUNK = 1 << 22  # probabilities read at a time
_NEIGHBOURS = 64
_MOST_SPOTS = 200_000  # that are asked for one by one

Read = Callable[[int, np.ndarray], np.ndarray]  # (rows, node_actions, lines) of a round
Advance = Callable[[int], object]  # hears how many probabilities more are done


class Probabilities(Protocol):
    """``(rows, node_actions, lines)`` of one round, in any unit: an array, or what is read slice by slice."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def __getitem__(self, rows: slice, /) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class Source:
    """A fixed strategy, to be read as a whole.

    Attributes:
        rows: which row of the tables a hand on a board owns.
        rounds: the strategy of each round's rows.
    """

    rows: Rows
    rounds: Sequence[Probabilities]


@dataclass(frozen=True, eq=False)
class Target:
    """A seat's table in a round of a tree.

    Attributes:
        tree: whose layout the table has.
        round_: the number of the round in it.
        seat: whose actions.
        lines: which line of the source each of the round's lines is; None where they are the source's, in its order.
    """

    tree: Tree
    round_: int
    seat: int
    lines: np.ndarray | None = None

    def nbytes(self, rows: int, dtype: np.dtype | type) -> int:
        """Memory of the table."""
        return prod(self.tree.table_shape(self.round_, self.seat, rows)) * np.dtype(dtype).itemsize


def source_of(strategy: AnyStrategy) -> Source:
    """How to read a strategy; one that is neither a file nor built in is asked spot by spot.

    Raises:
        UnknownSpotError: it would have to be asked for too many spots, or does not say what to do with a hand.
    """
    if isinstance(strategy, Strategy):
        return Source(strategy.abstraction, [_Stored(strategy, r) for r in range(strategy.game.num_rounds)])
    if isinstance(strategy, BuiltIn):
        betting = strategy.betting
        return Source(OneRow(strategy.game), [_rule(strategy, betting, r) for r in range(strategy.game.num_rounds)])
    rows = Abstraction.lossless(strategy.game)
    return Source(rows, _ask(strategy, rows))


def plan_tables(
    source: Probabilities, targets: Sequence[Target], dtype: np.dtype | type, advance: Advance | None = None
) -> list[np.ndarray]:
    """Realisation plans of one round, a table for each target, shaped ``Tree.table_shape``; the source is read once."""
    count, *width = source.shape
    tables = [np.empty(t.tree.table_shape(t.round_, t.seat, count), dtype) for t in targets]
    step = max(1, _CHUNK // prod(width))
    for start in range(0, count, step):
        part = source[start : start + step]
        for table, target in zip(tables, targets, strict=True):
            piece = target.tree.of_seat(part, target.round_, target.seat, dtype, target.lines)
            target.tree.plan(piece, target.round_, target.seat)
            table[start : start + step] = piece
        if advance is not None:
            advance(part.size)
    return tables


def whole_plans(source: Source, tree: Tree, dtype: np.dtype | type) -> list[Tables]:
    """Per round, both seats' realisation plans of the whole game."""
    pairs = []
    for number, probabilities in enumerate(source.rounds):
        first, second = plan_tables(probabilities, [Target(tree, number, seat) for seat in (0, 1)], dtype)
        pairs.append((first, second))
    return pairs


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
