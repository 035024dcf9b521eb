"""Expected values: what each hand and each action wins when both seats play the strategy, and each hand's equity.

Exact from the spot on: every hand of the opponent by its reach, every board that can follow, every betting line. One
pass of the kernel does it all. Its lanes are copies of the spot's betting line, and each copy plays a strategy of its
own: one takes the first action at the spot, one the second, and one checks and calls to the end, which gives equity.
Where too many boards can follow, in the first round, a file may hold what its leaves are worth; the rest of that round
is then played on top of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import comb, prod

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from cfr.betting import ACTIONS, State
from cfr.boards import BoardMap
from cfr.closing import Closing
from cfr.deals import Rows, count_below, enumerate_below
from cfr.errors import UnknownSpotError
from cfr.game import Game
from cfr.hands import hand_classes
from cfr.handtable import HandTable
from cfr.margins import Margins
from cfr.plans import Read, open_rows, plan_tables
from cfr.strategy import Floats, SpotRange, Spots
from cfr.traversal import Traversal, layout
from cfr.tree import build_tree

MOST_BOARDS = 100_000  # that may follow a spot, as dealt: all spots but those before the flop of a game with turns
_FOLD, _CALL = 0, 1
_BOARDS_AT_A_TIME = 100  # of the last round, between two looks at the bar
_SHARES = {"dealt": 0.12, "read": 0.38, "played": 0.5}  # rough, of the time of a flop spot, for its bar
_AS_PLAYED = ""  # a copy of the line on which the strategy itself plays; others name the action at the spot


@dataclass(frozen=True, kw_only=True)
class SpotValues(SpotRange):
    """All hands at a spot with what they win; a seat that is not to act has NaN for frequencies and actions.

    EVs are what the seat wins in the whole hand, in mbb (thousandths of a big blind): a fold costs the seat what it has
    in the pot, and the two seats' EVs sum to zero, weighted by ``weight``. Programs that count from the spot on, where
    a fold is 0 and the pot is won, show ``ev + stake``.

    Attributes:
        weight: ``(H,)`` own reach times the reach of all opponent's hands that can be dealt with the hand.
        ev: ``(H,)`` mbb per hand; NaN for hands that do not get there.
        action_ev: ``(H, 3)`` of fold, call and raise; NaN where illegal, too.
        equity: ``(H,)`` share of the pot if nobody bet or folded any more, 0 to 1; NaN as in ``ev``.
        stake: mbb that the seat has in the pot.
    """

    weight: Floats
    ev: Floats
    action_ev: Floats
    equity: Floats
    stake: float

    def table(self) -> HandTable:
        """A row for each hand, with EVs and equities."""
        return replace(super().table(), weight=self.weight, ev=self.ev, equity=self.equity, action_ev=self.action_ev)

    @property
    def mean_ev(self) -> float:
        """Of the whole range, in mbb per hand; NaN if nothing gets there."""
        return _mean(self.ev, self.weight)

    @property
    def mean_equity(self) -> float:
        """Of the whole range."""
        return _mean(self.equity, self.weight)


def expected_values(
    strategy: Spots,
    board: str = "",
    line: str = "",
    seat: int | None = None,
    unreached: bool = False,
    *,
    progress: bool = False,
) -> SpotValues:
    """What each hand and action wins at a spot when both seats play the strategy from there on.

    A river spot takes milliseconds, a turn spot less than a second, a flop spot seconds. A spot of the first round is
    answered from the values of its leaves if the file has them; full hold'em is not answered there without. Its first
    equity counts all pairs of starting hands, 14 s once, and keeps the counts in the cache.

    Args:
        strategy: a file or a built-in.
        board: the cards dealt so far, such as ``Td9d6h``.
        line: the actions so far in ACPC letters, such as ``rc/cr``.
        seat: whose hands (ACPC position: 0 big blind, 1 button); default, who is to act.
        unreached: give numbers also for hands that only another way of playing brings to the spot; they have no weight.
        progress: show a bar on stderr.

    Raises:
        MalformedTextError, IllegalActionError: text that cannot be read or played.
        UnknownSpotError: cards that do not fit, or a spot that too many boards can follow without stored values.

    >>> import cfr
    >>> values = cfr.expected_values(cfr.BuiltIn("always-call"), board="AsKsQsJsTs", line="cc/cc/cc/")
    >>> float(values.mean_ev), float(values.mean_equity)  # the board plays: all split
    (0.0, 0.5)
    """
    state, cards = strategy.spot(board, line)
    spot = strategy.range(board, line, seat)
    game, seat = strategy.game, spot.seat
    if not has_values(strategy, state):
        raise UnknownSpotError(
            f"line {line!r}: {_boards_to_come(state):,} boards can follow, and there are no stored expected values; "
            "`cfr exploit FILE --save` stores them in a strategy file"
        )
    canonical, images = canonical_board(game, state.round, cards)
    reach = np.array([strategy.reach(state, canonical, each) for each in (0, 1)])
    mass = _apart(game) @ reach[1 - seat]
    copies = _copies(state, seat)
    leaves = _stored_leaves(strategy, state)
    if not mass.any():  # the opponent never gets there: nothing is asked, and nothing computed
        chips = np.zeros((len(copies), game.num_hands))
    elif leaves is None:
        chips = _pass(strategy, state, canonical, seat, copies, reach, progress)
    else:
        chips = _opening(strategy, state, seat, copies, leaves[seat], progress)
    to_mbb = 1000 / game.big_blind
    asked = ~np.isin(game.hands, canonical).any(axis=1) if unreached else reach[seat] > 0
    per_hand = np.where(asked & (mass > 0), to_mbb / np.where(mass > 0, mass, 1), np.nan)
    every = np.vstack([chips * per_hand, reach[seat] * mass])
    *values, called_down, weight = _alike(game, state.round, canonical, every)[:, images]

    stake = state.stakes[seat] * to_mbb
    answered = ~np.isnan(called_down)
    action_ev = np.full((game.num_hands, 3), np.nan)
    ev = values[0]
    if seat == state.actor:
        for copy, letter in enumerate(copies[:-1]):
            action_ev[:, ACTIONS.index(letter)] = values[copy]
        if "f" in state.legal:
            action_ev[:, _FOLD] = np.where(answered, -stake, np.nan)
        ev = np.where(answered, np.nansum(spot.frequencies * action_ev, axis=1), np.nan)
    return SpotValues(
        seat=seat,
        hands=spot.hands,
        reach=spot.reach,
        frequencies=spot.frequencies,
        legal=spot.legal,
        weight=weight,
        ev=ev,
        action_ev=action_ev,
        equity=(called_down / (_called_down(state).stakes[seat] * to_mbb) + 1) / 2,
        stake=stake,
    )


def has_values(strategy: Spots, state: State) -> bool:
    """Whether :func:`expected_values` answers here: in hold'em, from the flop on, and before it from stored values."""
    return _boards_to_come(state) <= MOST_BOARDS or _stored_leaves(strategy, state) is not None


def _mean(values: Floats, weight: Floats) -> float:
    there = weight > 0
    return float(np.average(values[there], weights=weight[there])) if there.any() else float("nan")


def _boards_to_come(state: State) -> int:
    """Ways to deal what follows, one card after the other between rounds."""
    game = state.tree.game
    left, ways = len(game.deck) - state.num_board_cards, 1
    for new in game.num_board_cards[state.round + 1 :]:
        ways *= comb(left, new)
        left -= new
    return ways


def _copies(state: State, seat: int) -> list[str]:
    """What each copy of the line does at the spot; the last one checks and calls to the end."""
    return [*([a for a in state.legal if a != "f"] if seat == state.actor else [_AS_PLAYED]), "c"]


def _called_down(state: State) -> State:
    while not state.is_over:
        state = state.act("c")
    return state


def canonical_board(game: Game, round_: int, board: Sequence[int]) -> tuple[tuple[int, ...], NDArray[np.intp]]:
    """The board that stands for all isomorphic ones, and ``(H,)`` which hand each hand becomes there."""
    if not board:
        return (), np.arange(game.num_hands)
    boards = BoardMap(game.num_board_cards[1 : round_ + 1], game.deck)
    number, permutation = boards.locate(np.array([board], np.uint8))
    images = boards.permute_hands(game.hands)[permutation[0]].astype(np.intp)
    return tuple(boards.indexer.unindex(number)[0].tolist()), images


def _stored_leaves(strategy: Spots, state: State) -> Floats | None:
    """``(2, leaves, H)`` of a spot that is above them, if stored."""
    return strategy.opening_values if state.round == 0 and strategy.game.num_rounds > 1 else None


def _opening(strategy: Spots, state: State, seat: int, copies: Sequence[str], leaves: Floats, progress: bool) -> Floats:
    """As :func:`_pass`, in the first round, from ``(leaves, H)`` of the seat."""
    game = strategy.game
    hands = comb(len(game.deck) - game.num_hole_cards, game.num_hole_cards)  # that a hand leaves the opponent
    values = _Behind(strategy, seat, leaves * hands)
    called = _called_down(state).stakes[seat] * (
        _margins(game).all_pairs(progress) @ strategy.reach(state, (), 1 - seat)
    )
    return np.array([*(values(state.act(letter) if letter else state) for letter in copies[:-1]), called])


@dataclass(frozen=True)
class _Behind:
    """What a seat's hands win behind a state of the first round, by the opponent's reach; ``(H,)`` chips."""

    strategy: Spots
    seat: int
    leaves: Floats

    def __call__(self, state: State) -> Floats:
        if state.round > 0:
            leaf: Floats = self.leaves[state.line]
            return leaf
        if state.is_over:
            folded: Floats = _apart(self.strategy.game) @ self.strategy.reach(state, (), 1 - self.seat)
            return folded * state.payoff(None)[self.seat]
        values: Floats = np.array([self(state.act(letter)) for letter in state.legal])
        if state.actor == self.seat:  # what the opponent does is in its reach
            played = self.strategy.range("", state.line_string).frequencies
            values *= played[:, [ACTIONS.index(letter) for letter in state.legal]].T
        total: Floats = values.sum(axis=0)
        return total


@lru_cache(2)
def _margins(game: Game) -> Margins:
    return Margins(game)


@lru_cache(2)
def _apart(game: Game) -> Floats:
    """``(H, H)`` 1 where two hands share no card."""
    hands = game.hands
    apart: Floats = (hands[:, None, :, None] != hands[None, :, None, :]).all(axis=(2, 3)).astype(np.float64)
    return apart


def _alike(game: Game, round_: int, board: Sequence[int], values: Floats) -> Floats:
    """``(n, H)`` values, to the last bit the same for hands that the board's suits cannot tell apart."""
    groups = game.num_board_cards[1 : round_ + 1]
    classes = hand_classes(np.array([board], np.uint8).reshape(1, -1), groups, game.hands, game.deck)[0]
    first = np.zeros(classes.max() + 2, np.intp)
    first[classes[::-1]] = np.arange(len(classes))[::-1]
    alike: Floats = values[:, np.where(classes >= 0, first[classes], np.arange(len(classes)))]
    return alike


def _pass(
    strategy: Spots,
    state: State,
    board: Sequence[int],
    seat: int,
    copies: Sequence[str],
    reach: Floats,
    progress: bool,
) -> Floats:
    """``(copies, H)`` chips that each hand wins on each copy of the line, by the opponent's ``reach``."""
    game = strategy.game
    cards = np.array(board, np.uint8)
    with _Work(count_below(game, cards) if progress else 0, progress) as work:
        rows, read = open_rows(strategy)
        used = _UsedRows(rows)
        boards = [each for each in enumerate_below(game, used, cards) if each is not None]
        work.advance(_SHARES["dealt"])
        tree = build_tree(game, _lanes(game), state.round, [state.line] * len(copies))
        tables = [
            _Probabilities(state, number, copies, used.of_round[state.round + number], current.betting_line, read)
            for number, current in enumerate(tree.rounds)
        ]
        size = sum(prod(table.shape) for table in tables)

        def advance(probabilities: int) -> None:
            work.advance(_SHARES["read"] * probabilities / size)

        plans = [plan_tables(table, tree, number, np.float64, advance) for number, table in enumerate(tables)]
        entering = np.zeros((2, tree.rounds[0].stride, game.num_hands))
        entering[:, : len(copies)] = reach[:, None]
        traversal = Traversal(tree, 1, np.float64)

        def play(first: int, last: int) -> Floats:
            """The spot's round, and of the boards that follow only these."""
            some = [replace(boards[0], first_child=np.array([first, last], np.int32)), *boards[1:]]
            won = traversal.run_round(0, some, plans, seat, "average", entering, scale=1.0)[: len(copies)]
            work.advance(_SHARES["played"] * (last - first) / max(children, 1))
            return won

        children = int(boards[0].first_child[1])
        parts = max(1, min(children, len(boards[-1].cards) // _BOARDS_AT_A_TIME))
        ends = np.linspace(0, children, parts + 1).astype(int).tolist()
        chips = play(0, ends[1])
        if parts > 1:
            already = play(0, 0)  # what the spot's round itself pays
            for first, last in pairwise(ends[1:]):
                chips += play(first, last) - already
        return chips


class _Work(Closing):
    """A bar in boards of the last round, of which each step of the work does a share."""

    def __init__(self, boards: int, progress: bool) -> None:
        self._bar = tqdm(
            desc="expected values",
            total=boards,
            unit="boards",
            disable=not progress,
            leave=False,
            smoothing=0,
            miniters=1,
        )
        self._boards, self._done = boards, 0.0

    def advance(self, share: float) -> None:
        self._done += share
        self._bar.update(round(self._done * self._boards) - self._bar.n)

    def close(self) -> None:
        self._bar.close()


@lru_cache(4)
def _lanes(game: Game) -> int:
    return layout(game, np.float64).lanes


class _UsedRows:
    """An abstraction's rows that occur, numbered anew, so that tables hold no others."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self.num_rows = list(rows.num_rows)
        self.of_round: dict[int, NDArray[np.int64]] = {}

    def rows(self, round_index: int, boards: NDArray[np.uint8], threads: int = 1) -> NDArray[np.int32]:
        found = self._rows.rows(round_index, boards, threads)
        occurs = np.zeros(self.num_rows[round_index] + 1, np.bool_)
        occurs[found] = True
        used = np.flatnonzero(occurs[:-1])
        anew = np.full(len(occurs), -1, np.int32)
        anew[used] = np.arange(len(used))
        self.of_round[round_index] = used
        self.num_rows[round_index] = len(used)
        renumbered: NDArray[np.int32] = anew[found]
        return renumbered


class _Probabilities:
    """One round's probabilities on the copies of the spot's line and the lines that follow it.

    Slices are ``(rows, node_actions, lines)``. At the spot's round all copies go straight to the spot, since reach
    counts what was done on the way.
    """

    def __init__(
        self,
        state: State,
        number: int,
        copies: Sequence[str],
        rows: NDArray[np.int64],
        lines: NDArray[np.int64],
        read: Read,
    ) -> None:
        self._state, self._number, self._copies = state, number, copies
        self._rows, self._lines, self._read = rows, lines, read
        self._betting = state.tree.rounds[state.round + number]
        self.shape = (len(rows), self._betting.node_actions, len(lines))

    def __getitem__(self, part: slice) -> Floats:
        taken = self._read(self._state.round + self._number, self._rows[part])[:, :, self._lines].astype(np.float64)
        index = self._betting.action_index
        last = len(self._copies) - 1
        taken[:, :, last :: last + 1] = 0
        taken[:, index[:, _CALL], last :: last + 1] = 1
        if self._number == 0:
            node = 0
            for letter in self._state.line_string.rpartition("/")[2]:
                self._force(taken, node, letter, slice(None))
                node = int(self._betting.child[node, ACTIONS.index(letter)])
            for copy, letter in enumerate(self._copies):
                if letter != _AS_PLAYED:
                    self._force(taken, node, letter, slice(copy, copy + 1))
        return taken

    def _force(self, taken: Floats, node: int, letter: str, copies: slice) -> None:
        numbers = self._betting.action_index[node]
        taken[:, numbers[numbers >= 0], copies] = 0
        taken[:, numbers[ACTIONS.index(letter)], copies] = 1
