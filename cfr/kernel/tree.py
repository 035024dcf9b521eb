"""The public tree of a game as a program over vectors of betting lines.

All boards of a limit game see the same betting, so each round is one small tree shared by every line that enters it.
A round on one line is a two-player game in sequence form (von Stengel 1996). The *sequences* of a seat are its
node-actions in that round, after the empty sequence 0. Every outcome of the round belongs to one pair of sequences.
The kernel (``ext/kernel/traverse.pyx``) needs nothing else:

1. a seat's realisation plan is the product of its action probabilities along each sequence, from the row's table;
2. an opponent's hand enters with reach x and arrives at an outcome with x * plan[sequence];
3. a traverser's sequence wins from that hand the sum of this reach times chips over the sequence's outcomes; leaves get
   values from the next round;
4. the gradient holds, for each of the traverser's sequences, the sum of these winnings over the opponent's hands;
5. the gradient, rolled up the seat's nodes, gives regrets and the value at entry.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from cfr._native import plans as _plans
from cfr.game.betting import BettingTree
from cfr.game.betting_round import ILLEGAL, BettingRound
from cfr.game.rules import Game
from cfr.kernel.numbers import spare_entries, widened
from cfr.kernel.tables import SeatBook

FOLDED = (0, 1)  # outcome kinds: the seat that folded
LEAF = 2
CALL = 1  # action: fold, check or call, bet or raise
_WORTH_NARROWER = 0.9  # largest share of the lanes that makes a narrower vector worth its overhead
ROWS_AT_A_TIME = 10_000  # rows of a table that change layout at a time: each slice needs its memory twice


@dataclass(frozen=True)
class Seat:
    """One round as seen by the traversing seat; the other seat is the opponent.

    Attributes:
        node_parent: ``(nodes,)`` the traverser's sequence that leads to each of its nodes, in preorder.
        node_first: ``(nodes,)`` sequence of the node's first action; the others follow it.
        node_count: ``(nodes,)`` number of actions.
        node_call: ``(nodes,)`` sequence of the check or call, or of the last action if the tree leaves the call out.
        sequences: number of sequences, the empty one included; sequence ``s > 0`` is column ``s - 1`` of the table.
        columns: ``(sequences - 1,)`` the round's node-action number of each column.
        folds: ``(folds,)`` own sequence of each fold, of either seat.
        show_traverser, show_opponent: ``(shows,)`` the two sequences that lead to each showdown.
        show_chips: ``(shows, stride)`` chips at stake in each showdown; 0 on padding lines.
        fold_opponent: ``(folds,)`` the opponent's sequence that leads to each fold.
        fold_chips: ``(folds, stride)``, negative where the traverser folds.
        leaf_traverser: ``(leaves,)`` own sequence of each leaf.
        leaf_opponent: ``(leaves,)`` opponent's sequence of each leaf.
    """

    node_parent: np.ndarray
    node_first: np.ndarray
    node_count: np.ndarray
    node_call: np.ndarray
    sequences: int
    columns: np.ndarray
    folds: np.ndarray
    show_traverser: np.ndarray
    show_opponent: np.ndarray
    show_chips: np.ndarray
    fold_opponent: np.ndarray
    fold_chips: np.ndarray
    leaf_traverser: np.ndarray
    leaf_opponent: np.ndarray


@dataclass(frozen=True)
class Round:
    """One betting round: the layout of its lines, and each seat's view.

    Attributes:
        stride: number of lanes, in whole blocks of one vector each; the last lanes of a block may be padding without
            reach.
        width: the most lines of a block; a table's entry has ``width`` numbers for each block.
        entry: ``(n,)`` lane of each betting line that enters the round.
        betting_line: ``(n,)`` number of each such line in the betting tree; a whole tree has all lines in order.
        leaves: ways to leave the round without a fold; 0 in the last round, where these ways are showdowns.
        block_lines: ``(blocks,)`` lines in each block: its first lanes.
        child: ``(blocks,)`` first block of the next round where a block's lines go on.
        children: ``(blocks,)`` number of blocks where a block's lines go on. No line moves if each leaf has a block.
            Otherwise line ``i`` becomes number ``leaf * block_lines + i`` in these blocks, which have the next round's
            ``width`` lines each.
    """

    stride: int
    width: int
    entry: np.ndarray
    betting_line: np.ndarray
    leaves: int
    block_lines: np.ndarray
    child: np.ndarray
    children: np.ndarray
    seats: tuple[Seat, Seat]

    @property
    def lane_ids(self) -> np.ndarray:
        """``(stride,)`` the betting line of each lane; 0 on padding."""
        ids = np.zeros(self.stride, np.int64)
        ids[self.entry] = self.betting_line
        return ids

    @property
    def table_columns(self) -> tuple[int, int]:
        """Node-actions of each seat: the width of its table."""
        return self.seats[0].sequences - 1, self.seats[1].sequences - 1


@dataclass(frozen=True, eq=False)
class Tree:
    """The rounds of ``game``, or its last ones, for a kernel with ``lanes`` lines per vector.

    Attributes:
        never: lines of the first round that the tree leaves out, with all that follows them; ``betting`` is whole, so
            other lines keep their numbers.
        first: number of the first of ``rounds`` in the game.
        path: actions of that round that are done already.
    """

    game: Game
    betting: BettingTree
    lanes: int
    rounds: tuple[Round, ...]
    never: tuple[str, ...] = ()
    first: int = 0
    path: str = ""

    def with_lanes(self, lanes: int) -> Tree:
        """The same tree as a build of the kernel with so many lanes lays it out."""
        if lanes == self.lanes:
            return self
        return build_tree(self.game, lanes, self.first, self.rounds[0].betting_line.tolist(), self.never, self.path)

    def table_shape(
        self, round_: int, seat: int, rows: int, dtype: np.dtype | type = np.float32
    ) -> tuple[int, int, int, int]:
        """Shape ``(rows, blocks of lines, node-actions of the seat, width)`` of a seat's table.

        Spare entries of ``dtype`` (:func:`cfr.kernel.numbers.spare_entries`) follow the node-actions.
        """
        current = self.rounds[round_]
        return rows, current.stride // self.lanes, current.table_columns[seat] + spare_entries(dtype), current.width

    def by_line(self, tables: tuple[np.ndarray, np.ndarray], round_: int) -> np.ndarray:
        """The two seats' tables of a round as one array ``(rows, node_actions, lines)`` in the betting tree's order.

        Actions that the tree leaves out are zero.
        """
        current = self.rounds[round_]
        rows = tables[0].shape[0]
        width = self.betting.rounds[self.first + round_].node_actions
        merged = np.zeros(
            (rows, width, len(current.entry)), np.result_type(widened(tables[0][:0]), widened(tables[1][:0]))
        )
        for seat, table in zip(current.seats, tables, strict=True):
            merged[:, seat.columns] = self.seat_by_line(table, round_)
        return merged

    def by_seat(self, merged: np.ndarray, round_: int, dtype: np.dtype | type) -> tuple[np.ndarray, np.ndarray]:
        """The inverse of :meth:`by_line`; padding lines are zero."""
        return self.of_seat(merged, round_, 0, dtype), self.of_seat(merged, round_, 1, dtype)

    def of_seat(
        self, merged: np.ndarray, round_: int, seat: int, dtype: np.dtype | type, lines: np.ndarray | None = None
    ) -> np.ndarray:
        """One seat's table as in :meth:`by_seat`; ``lines`` are the lines of ``merged`` to take, None for all."""
        columns = self.rounds[round_].seats[seat].columns
        taken = merged[:, columns] if lines is None else merged[:, columns[:, None], lines]
        return self._laid_out(taken, round_, seat, dtype)

    def put(self, merged: np.ndarray, table: np.ndarray, round_: int, seat: int) -> None:
        """Write a seat's table into an array shaped as in :meth:`by_line`; actions that the tree leaves out are zero.

        The other actions of such a node are 1 if none is positive: a uniform row would play actions left out, too.
        """
        current, lines = self.rounds[round_], self.rounds[round_].betting_line
        shared = self.betting.rounds[round_].without(self.never if round_ == 0 else ())
        columns = current.seats[seat].columns
        merged[:, columns[:, None], lines] = self.seat_by_line(table, round_)
        for node in np.flatnonzero(shared.reached[0] & (shared.actor == seat)):
            numbers, is_left = shared.action_index[node], shared.child[node] != ILLEGAL
            if left_out := numbers[(numbers >= 0) & ~is_left].tolist():
                merged[:, left_out] = 0
                kept = merged[:, numbers[is_left]]
                merged[:, numbers[is_left]] = np.where((kept > 0).any(axis=1, keepdims=True), kept, 1)

    def taken_over(self, table: np.ndarray, round_: int, seat: int, other: Tree) -> np.ndarray:
        """A seat's table of ``other`` in this tree's layout; ``other`` has all lines and actions of this tree."""
        mine, theirs = self.rounds[round_], other.rounds[round_]
        columns = np.searchsorted(theirs.seats[seat].columns, mine.seats[seat].columns)
        lines = np.searchsorted(theirs.betting_line, mine.betting_line)
        spare = range(theirs.table_columns[seat], theirs.table_columns[seat] + spare_entries(table.dtype))
        columns = np.append(columns, spare).astype(np.intp)
        result = np.empty(self.table_shape(round_, seat, len(table), table.dtype), table.dtype)
        for start in range(0, len(table), ROWS_AT_A_TIME):
            part = slice(start, start + ROWS_AT_A_TIME)
            taken = other._in_lines(table[part], round_)[:, columns[:, None], lines]
            result[part] = self._laid_out(taken, round_, seat, table.dtype)
        return result

    def seat_by_line(self, table: np.ndarray, round_: int) -> np.ndarray:
        """A seat's table as one array ``(rows, the seat's node-actions, lines)``."""
        return self._in_lines(widened(table), round_)

    def _in_lines(self, table: np.ndarray, round_: int) -> np.ndarray:
        """A table with its own numbers and spare entries, as one array ``(rows, entries, lines)``."""
        rows, _, entries, _ = table.shape
        return np.take(table.transpose(0, 2, 1, 3).reshape(rows, entries, -1), self._places(round_), axis=2)

    def _laid_out(self, lines: np.ndarray, round_: int, seat: int, dtype: np.dtype | type) -> np.ndarray:
        rows, blocks, columns, width = self.table_shape(round_, seat, len(lines), dtype)
        places = self._places(round_)
        source, is_padding = np.zeros(blocks * width, np.intp), np.ones(blocks * width, bool)
        source[places], is_padding[places] = np.arange(len(places)), False
        moved = np.take(lines, source, axis=2)  # before they take the wider type: bytes move fastest
        moved[:, :, is_padding] = 0
        table = np.empty((rows, blocks, columns, width), dtype)
        table[:] = moved.reshape(rows, columns, blocks, width).transpose(0, 2, 1, 3)
        return table

    def _places(self, round_: int) -> np.ndarray:
        """``(lines,)`` place of each line in the blocks of a table, of ``width`` numbers each."""
        block, lane = np.divmod(self.rounds[round_].entry, self.lanes)
        places: np.ndarray = block * self.rounds[round_].width + lane
        return places

    def plan_book(self, book: SeatBook, table: np.ndarray, round_: int, seat: int) -> None:
        """Write a seat's realisation plan into ``table``: each entry of the book is planned once, then looked up."""
        entries = self.plan_entries(book, round_, seat, table.dtype)
        block, lane = np.divmod(self.rounds[round_].entry, self.lanes)
        _plans.lay_out(entries, book.codes, block, lane, table)

    def plan_entries(self, book: SeatBook, round_: int, seat: int, dtype: np.dtype | type) -> np.ndarray:
        """``(entries, the seat's node-actions)`` realisation plan of each entry of a book."""
        columns = np.searchsorted(book.columns, self.rounds[round_].seats[seat].columns)
        entries = book.entries.T[columns].astype(dtype)[None, None]
        self.plan(entries, round_, seat)
        return np.ascontiguousarray(entries[0, 0].T)

    def plan(self, table: np.ndarray, round_: int, seat: int) -> None:
        """Turn a seat's table into its realisation plan, in place: the probability that a hand plays each sequence.

        Each node's row is first normalised as in the kernel: uniform where nothing is positive.
        """
        nodes = self.rounds[round_].seats[seat]
        for parent, first, count in zip(nodes.node_parent, nodes.node_first, nodes.node_count, strict=True):
            actions = table[:, :, first - 1 : first - 1 + count]
            total = actions[:, :, :1].copy()
            for action in range(1, count):  # sum() takes longer over so short an axis
                total += actions[:, :, action : action + 1]
            with np.errstate(divide="ignore", invalid="ignore"):
                actions /= total
            np.copyto(actions, 1 / count, where=total == 0)
            if parent:
                actions *= table[:, :, parent - 1, None]


def fitted_tree(widths: Sequence[int], build: Callable[[int], Tree]) -> Tree:
    """The tree for the first of ``widths``, or for a later width that leaves fewer lanes empty.

    Args:
        widths: lanes to a vector, the largest number first.
        build: makes the tree for a number of lanes.
    """
    chosen, *others = map(build, widths)
    for tree in others:
        if tree.rounds[-1].stride <= _WORTH_NARROWER * chosen.rounds[-1].stride:
            chosen = tree
    return chosen


def build_tree(
    game: Game, lanes: int, first: int = 0, lines: Sequence[int] = (0,), never: Collection[str] = (), path: str = ""
) -> Tree:
    """Lay out the betting of ``game`` for vectors of ``lanes`` lines.

    Args:
        first: the round to start from; the tree has this round and all later rounds.
        lines: betting lines that enter this round. A line may come twice: each copy has a strategy of its own.
        never: lines of the first round that the tree leaves out with all that follows them, such as ``("c",)``.
        path: actions of the round ``first`` that are done already: nodes on the path have these actions alone.

    Raises:
        IllegalActionError: what :meth:`cfr.game.betting.BettingRound.without` raises.
    """
    betting = BettingTree(game)
    shared_rounds = [betting.rounds[0].without(never), *betting.rounds[1:]]
    shared_rounds[first] = shared_rounds[first].along(path)
    rounds: list[Round] = []
    betting_line = np.array(lines, dtype=np.int64)
    entry = np.arange(len(betting_line))
    blocks = -(-len(entry) // lanes)
    width = min(len(entry), lanes)
    for number, shared in enumerate(shared_rounds[first:], first):
        is_last = number == game.num_rounds - 1
        block_lines = np.bincount(entry // lanes, minlength=blocks)
        leaves = 0 if is_last else len(shared.leaves)
        children = np.minimum(-(-leaves * block_lines // lanes), leaves)
        child = np.cumsum(children) - children
        stake = np.zeros(blocks * lanes)
        stake[entry] = betting.stakes[number][betting_line]
        seats = (_seat(shared, 0, stake, entry, is_last), _seat(shared, 1, stake, entry, is_last))
        rounds.append(Round(blocks * lanes, width, entry, betting_line, leaves, block_lines, child, children, seats))
        left = np.arange(leaves)[:, None]
        block, lane = np.divmod(entry, lanes)
        moves = children < leaves
        # All blocks that follow one block have the same number of lines.
        filled = np.where(moves, -(-leaves * block_lines // np.maximum(children, 1)), block_lines)
        width = int(filled.max(initial=1))
        at, in_block = np.divmod(left * block_lines[block] + lane, width)
        at, in_block = np.where(moves[block], at, left), np.where(moves[block], in_block, lane)
        entry = ((child[block] + at) * lanes + in_block).reshape(-1)
        leaf = np.searchsorted(betting.rounds[number].leaves, shared.leaves)[:leaves, None]
        betting_line = (leaf * betting.num_lines[number] + betting_line).reshape(-1)
        blocks = int(children.sum())
    return Tree(game, betting, lanes, tuple(rounds), tuple(never), first, path)


def _sequences(shared: BettingRound, seat: int) -> tuple[list[tuple[int, int, int, int]], list[int], np.ndarray]:
    """A seat's nodes as (parent sequence, first sequence, actions, call), its columns, and each outcome's sequence."""
    nodes: list[tuple[int, int, int, int]] = []
    columns: list[int] = []
    outcome_sequence = np.zeros(len(shared.outcome_kind), dtype=np.int32)
    last_sequence = np.zeros(len(shared.actor), dtype=np.int32)  # the seat's last sequence on the way to a node
    for node, actor in enumerate(shared.actor):
        if not shared.reached[0][node]:
            continue
        if actor == seat:
            legal = [a for a in range(3) if shared.child[node, a] != -1]
            first = len(columns) + 1
            call = legal.index(CALL) if CALL in legal else len(legal) - 1
            nodes.append((int(last_sequence[node]), first, len(legal), first + call))
        for action in range(3):
            child = int(shared.child[node, action])
            if child == -1:
                continue
            if actor == seat:
                columns.append(int(shared.action_index[node, action]))
            sequence = len(columns) if actor == seat else last_sequence[node]
            if child >= 0:
                last_sequence[child] = sequence
            else:
                outcome_sequence[-child - 2] = sequence
    return nodes, columns, outcome_sequence


def _seat(shared: BettingRound, seat: int, stake: np.ndarray, entry: np.ndarray, is_last: bool) -> Seat:
    """The round for the traverser ``seat``; ``stake`` are the chips that each seat has in at entry, by lane."""
    nodes, columns, own = _sequences(shared, seat)
    opponent = _sequences(shared, 1 - seat)[2]
    live = np.zeros_like(stake)
    live[entry] = 1
    outcomes = np.flatnonzero(shared.reached[1]).tolist()
    folds = [t for t in outcomes if shared.outcome_kind[t] in FOLDED]
    leaves = [t for t in outcomes if shared.outcome_kind[t] == LEAF]
    shows = leaves if is_last else []
    folds.sort(key=lambda t: int(own[t]))
    show_chips = [(stake + shared.outcome_added[t, seat]) * live for t in shows]
    fold_chips = []
    for t in folds:
        folder = int(shared.outcome_kind[t])
        chips = (stake + shared.outcome_added[t, folder]) * live
        fold_chips.append(-chips if folder == seat else chips)
    leaf_outcomes = [] if is_last else leaves
    return Seat(
        node_parent=np.array([n[0] for n in nodes], dtype=np.int32),
        node_first=np.array([n[1] for n in nodes], dtype=np.int32),
        node_count=np.array([n[2] for n in nodes], dtype=np.int32),
        node_call=np.array([n[3] for n in nodes], dtype=np.int32),
        sequences=len(columns) + 1,
        columns=np.array(columns, dtype=np.int64),
        folds=own[folds].astype(np.int32),
        show_traverser=own[shows].astype(np.int32),
        show_opponent=opponent[shows].astype(np.int32),
        show_chips=np.array(show_chips).reshape(len(shows), len(stake)),
        fold_opponent=opponent[folds].astype(np.int32),
        fold_chips=np.array(fold_chips).reshape(len(folds), len(stake)),
        leaf_traverser=own[leaf_outcomes].astype(np.int32),
        leaf_opponent=opponent[leaf_outcomes].astype(np.int32),
    )
