"""What every action of one betting round wins with one hand, on one board.

:mod:`cfr.values.round_values` answers for all hands of a seat in one pass. A hand that was played asks for itself
alone. The data's way::

    boards    all that can follow, as dealt, with rows and strengths
    books     what each entry of the strategy's codebooks plays, as a realisation plan
    entering  the opponent's reach, through the round that comes before the last one, where there is one
    worth     the hand's own plan makes one number of each entry of the opponent on each betting line
    leaves    reach times worth, over the opponent's rows and the boards, by the line that left the round

In the last round all this falls away: its leaves are showdowns on one board.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr._native import one_hand
from cfr.game.betting import State
from cfr.game.evaluate import strengths
from cfr.kernel.tree import Tree, build_tree
from cfr.strategy.position import Position
from cfr.strategy.strategy import BaseStrategy, Floats
from cfr.values.dealt_boards import DealtBoards
from cfr.values.expected_values import stand_in_at
from cfr.values.known_leaves import KnownLeaves


def keeps_books(strategy: BaseStrategy, state: State) -> bool:
    """Whether the strategy is whole and keeps all rounds after a state's, two at most, in codebooks."""
    later = range(state.round + 1, strategy.game.num_rounds)
    if strategy.re_solved_from is not None or len(later) > 2 or state.round == 0:
        return False
    return all(strategy.source.coded(round_) is not None for round_ in later)


class HandValues:
    """The values of one betting round for single hands, when both seats play the strategy.

    Args:
        entry: where the round begins, of a strategy that :func:`keeps_books` there.
    """

    def __init__(self, entry: Position[BaseStrategy]) -> None:
        self._entry, self._ends = entry, entry.ends()
        strategy, first = entry.strategy, entry.state.round + 1
        self._rounds: list[_Books] = []
        if first < strategy.game.num_rounds:
            self._boards = DealtBoards(strategy.game, strategy.source.rows, entry.board)
            tree = build_tree(strategy.game, 1, first, [each.state.line for each in self._ends])
            self._rounds = [_Books(strategy, tree, self._boards, number) for number in range(len(tree.rounds))]
        self._known: dict[tuple[int, int], KnownLeaves] = {}  # by seat and hand

    def action_ev(self, state: State, hand: int) -> Floats:
        """``(3,)`` mbb that fold, call and raise win with a hand of the seat that acts, in the whole hand.

        As :meth:`cfr.values.round_values.RoundValues.action_ev`, whose numbers these are to some thousandths of an mbb.

        Args:
            state: a decision of this round.
            hand: the hand's number.
        """
        if (state.actor, hand) not in self._known:
            self._known[state.actor, hand] = self._find(state.actor, hand)
        ev: Floats = self._known[state.actor, hand].action_ev(self._at(state))[0]
        return ev

    def stand_in(self, state: State) -> str | None:
        """What stands in for the opponent's range, see :class:`cfr.values.expected_values.SpotValues`."""
        return stand_in_at(self._at(state), state.actor)

    def _at(self, state: State) -> Position[BaseStrategy]:
        return self._entry.after(state.line_string.removeprefix(self._entry.state.line_string))

    def _find(self, seat: int, hand: int) -> KnownLeaves:
        game, round_, hands = self._entry.strategy.game, self._entry.state.round, np.array([hand])
        apart = game.apart[hand] > 0
        if self._rounds:
            return KnownLeaves(seat, round_, self._find_leaves(seat, hand, apart), hands)
        shown = strengths([self._entry.board], game.hands)[0].astype(np.int32)
        margins = np.sign(shown[hand] - shown) * (apart & self._entry.live)
        return KnownLeaves(seat, round_, {}, hands, margins[None])

    def _find_leaves(self, seat: int, hand: int, apart: NDArray[np.bool_]) -> dict[int, Floats]:
        """``(1,)`` chips that the hand wins behind each leaf of the round, by how often opponents are expected."""
        reach = np.stack([end.expected(1 - seat) for end in self._ends], axis=1)
        way = _Way(len(self._boards.levels[-2].cards), len(apart), len(self._rounds[-1].lines))
        won = np.zeros(len(self._ends))
        if len(self._rounds) == 1:
            hands = np.flatnonzero(reach.any(axis=1) & apart)
            way.enter(0, hands, np.arange(len(self._ends)), np.ones(len(self._ends)), reach[hands])
        else:
            won += self._play_round(seat, hand, reach, apart, way)
        won += self._play_last(seat, hand, way)
        return {end.state.line: won[n : n + 1] for n, end in enumerate(self._ends)}

    def _play_round(self, seat: int, hand: int, reach: Floats, apart: NDArray[np.bool_], way: _Way) -> Floats:
        """``(lines,)`` chips that folds pay in the round before the last one, by the line that entered it.

        What goes on to the last round goes on the ``way``.
        """
        books, rows, factor = self._rounds[0], self._boards.rows[1], self._boards.levels[1].factor
        mine, plan, codes = books.seats[seat], books.plans[1 - seat], books.codes[1 - seat]
        count, some = reach.shape[1], reach.any(axis=1) & apart
        leaf_line = np.tile(np.arange(count, dtype=np.int32), len(mine.leaf_traverser))
        leaf_sequence = np.repeat(mine.leaf_opponent, count)
        fold_chips = books.chips(mine.fold_chips)
        won = np.zeros(count)
        for board in np.flatnonzero(rows[:, hand] >= 0).tolist():
            own = books.plans[seat][books.codes[seat][rows[board, hand]]]  # (lines, sequences)
            weights = own[:, mine.leaf_traverser].T.ravel() * factor[board]
            lines, hands = np.flatnonzero(weights), np.flatnonzero(some & (rows[board] >= 0))
            mass, arriving = np.zeros((count, plan.shape[1])), np.empty((len(hands), len(lines)), np.float32)
            one_hand.enter_round(
                hands.astype(np.int32),
                rows[board],
                reach,
                codes,
                plan,
                leaf_line[lines],
                leaf_sequence[lines],
                mass,
                arriving,
            )
            paid = own[:, mine.folds] * fold_chips * mass[:, mine.fold_opponent]
            won += paid.sum(axis=1) * factor[board]
            way.enter(board, hands, lines, weights[lines], arriving)
        return won

    def _play_last(self, seat: int, hand: int, way: _Way) -> Floats:
        """``(lines,)`` chips that the last round pays, by the line that left this round."""
        books, level, rows = self._rounds[-1], self._boards.levels[-1], self._boards.rows[-1]
        mine, others = books.seats[seat], 1 - seat
        boards = np.flatnonzero(rows[:, hand] >= 0)
        used, own = np.unique(rows[boards, hand], return_inverse=True)
        order = np.argsort(own, kind="stable")
        boards, own = boards[order], own[order]
        plan, sequences = books.plans[seat][books.codes[seat][used]], books.plans[others].shape[1]
        folds = _behind(plan, mine.folds, mine.fold_opponent, books.chips(mine.fold_chips), sequences)
        shows = _behind(plan, mine.show_traverser, mine.show_opponent, books.chips(mine.show_chips), sequences)
        values = np.zeros(plan.shape[1])
        one_hand.last_round(
            hand,
            boards.astype(np.int32),
            own.astype(np.int32),
            level.parent[boards],
            rows,
            self._boards.strengths,
            way.hands,
            way.hand_count,
            way.lines,
            way.line_count,
            way.weights * level.factor[0],
            way.arriving,
            books.codes[others],
            books.entry_range[others],
            books.by_sequence[others],
            folds,
            shows,
            values,
        )
        by_line: Floats = values.reshape(-1, len(self._ends)).sum(axis=0)
        return by_line


class _Way:
    """Which of the opponent's hands get to the last round on which lines, by the board before the last deal.

    Attributes:
        hands, hand_count: ``(boards, H)`` numbers of the hands, and ``(boards,)`` how many there are.
        lines, line_count: ``(boards, L)`` numbers of the lines that the asked hand gets to, and how many there are.
        weights: ``(boards, L)`` how often the asked hand and the board come to these lines.
        arriving: ``(boards, H * L)`` reach of each of these hands on each of these lines.
    """

    def __init__(self, boards: int, hands: int, lines: int) -> None:
        self.hands, self.hand_count = np.zeros((boards, hands), np.int32), np.zeros(boards, np.int32)
        self.lines, self.line_count = np.zeros((boards, lines), np.int32), np.zeros(boards, np.int32)
        self.weights = np.zeros((boards, lines))
        self.arriving = np.empty((boards, hands * lines), np.float32)

    def enter(
        self, board: int, hands: NDArray[np.intp], lines: NDArray[np.intp], weights: Floats, arriving: NDArray[Any]
    ) -> None:
        """Keep what gets past a board: its hands, its lines, ``(lines,)`` weights and ``(hands, lines)`` reach."""
        self.hand_count[board], self.line_count[board] = len(hands), len(lines)
        self.hands[board, : len(hands)] = hands
        self.lines[board, : len(lines)] = lines
        self.weights[board, : len(lines)] = weights
        self.arriving[board, : arriving.size] = arriving.ravel()


class _Books:
    """One later round of the strategy in codebooks, both seats.

    Attributes:
        lines: ``(L,)`` betting lines, by the leaf of the round before and then by the line that entered that.
        seats: the round as each seat sees it.
        codes: per seat, ``(rows, L)`` entry of each row on each line.
        plans: per seat, ``(entries, sequences)`` realisation plans; the empty sequence stands first.
        by_sequence: per seat, the same plans, ``(sequences, entries)``.
        entry_range: per seat, ``(2, L)`` the first entry of each line that occurs, and the one after the last.
    """

    def __init__(self, strategy: BaseStrategy, tree: Tree, boards: DealtBoards, number: int) -> None:
        current = tree.rounds[number]
        self.lines, self.seats, self._lanes = current.betting_line, current.seats, current.entry
        table = boards.used.play(strategy.source, tree.first + number, current.betting_line)
        books = [table.book(seat, slice(None)) for seat in (0, 1)]
        self.codes = [np.ascontiguousarray(book.codes, np.int32) for book in books]
        self.plans = []
        for seat, book in enumerate(books):
            planned = tree.plan_entries(book, number, seat, np.float32)
            self.plans.append(np.hstack([np.ones((len(planned), 1), np.float32), planned]))
        self.by_sequence = [np.ascontiguousarray(plan.T) for plan in self.plans]
        self.entry_range = [np.array([codes.min(axis=0), codes.max(axis=0) + 1], np.int32) for codes in self.codes]

    def chips(self, by_lane: Floats) -> Floats:
        """``(L, outcomes)`` of ``(outcomes, lanes)``."""
        chips: Floats = by_lane[:, self._lanes].T
        return chips


def _behind(
    plan: NDArray[np.float32], own: NDArray[np.int32], others: NDArray[np.int32], chips: Floats, sequences: int
) -> NDArray[np.float32]:
    """``(own rows, L, sequences)`` chips of outcomes behind each of the opponent's sequences, times the own plan."""
    found = np.zeros((*plan.shape[:2], sequences), np.float32)
    for outcome, (mine, theirs) in enumerate(zip(own, others, strict=True)):
        found[:, :, theirs] += plan[:, :, mine] * chips[:, outcome]
    return found
