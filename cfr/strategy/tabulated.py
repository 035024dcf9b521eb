"""Tables of any strategy with a method ``range``, filled spot by spot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from cfr.abstraction.lossless import LosslessRows
from cfr.game.betting import BettingTree, State
from cfr.game.cards import format_cards
from cfr.kernel.chance import enumerate_deal
from cfr.kernel.tables import Source
from cfr.strategy.files.spot_file import SpotStrategy
from cfr.strategy.strategy import AnyStrategy, BaseStrategy, Cards
from cfr.strategy.whole import check_whole
from cfr.system.errors import BadInputError

_MOST_SPOTS = 200_000  # that the tables ask for, one by one
SAME = 1e-6  # that probabilities may differ by


def source_of(strategy: AnyStrategy) -> Source:
    """The source that reads any strategy as a whole.

    Raises:
        BadInputError: a solution of a spot, or a file without its last round; too many spots to ask, frequencies that
            are no probabilities, or another mix for hands that differ in their suits alone.
    """
    if isinstance(strategy, BaseStrategy):
        if strategy.is_whole:
            return strategy.source
        if isinstance(strategy, SpotStrategy) or strategy.left_out:
            check_whole(strategy, getattr(strategy, "path", None) or type(strategy).__name__)
    rows = LosslessRows(strategy.game)
    return Source(rows, _ask(strategy, rows))


def listed_spots(betting: BettingTree, rows: LosslessRows) -> Iterator[tuple[State, Cards, NDArray[np.int32]]]:
    """Each decision on one board of each orbit: the state, the board's cards, and ``(H,)`` the row of each hand.

    Raises:
        BadInputError: the game has too many.
    """
    game = betting.game
    deal = enumerate_deal(game, rows) if game.num_hands < 100 else None
    nodes = [len(shared.actor) * lines for shared, lines in zip(betting.rounds, betting.num_lines, strict=True)]
    spots = 0 if deal is None else sum(n * len(b.cards) for n, b in zip(nodes, deal.rounds, strict=True))
    if deal is None or spots > _MOST_SPOTS:
        raise BadInputError(
            f"{game.name} is too large to ask a strategy spot by spot; expected a strategy file of the whole game"
        )
    boards = [
        list(zip(map(tuple, level.cards.tolist()), rows.rows(r, level.cards), strict=True))
        for r, level in enumerate(deal.rounds)
    ]
    return _listed(betting, boards)


def _listed(
    betting: BettingTree, boards: Sequence[Sequence[tuple[Cards, NDArray[np.int32]]]]
) -> Iterator[tuple[State, Cards, NDArray[np.int32]]]:
    waiting: list[State] = [betting.root]
    while waiting:
        state = waiting.pop()
        if not state.is_over:
            waiting += [state.act(letter) for letter in reversed(state.legal)]
            for board, numbers in boards[state.round]:
                yield state, board, numbers


def _ask(strategy: AnyStrategy, rows: LosslessRows) -> list[np.ndarray]:
    """Per round ``(rows, node_actions, lines)`` frequencies of the strategy on one board of each orbit."""
    betting = strategy.betting
    spots = listed_spots(betting, rows)
    merged = [
        np.zeros((count, shared.node_actions, lines))
        for count, shared, lines in zip(rows.num_rows, betting.rounds, betting.num_lines, strict=True)
    ]
    for state, board, row in spots:
        live, numbers = row >= 0, betting.rounds[state.round].action_index[state.node]
        if isinstance(strategy, BaseStrategy):
            frequencies = strategy.all_hands(state, board)[live]
        else:
            frequencies = strategy.range(format_cards(board), state.line_string).frequencies[live]
        where = f"line {state.line_string!r}, board {format_cards(board)!r}"
        legal = frequencies[:, numbers >= 0]
        if not (legal >= 0).all() or not np.allclose(legal.sum(axis=1), 1, atol=SAME):
            raise BadInputError(f"{where}: frequencies of legal actions do not sum to 1, or are less than 0")
        place = row[live][:, None], numbers[numbers >= 0], state.line
        merged[state.round][place] = legal
        if not np.allclose(merged[state.round][place], legal, atol=SAME):
            raise BadInputError(f"{where}: hands that differ in their suits alone are not played alike")
    return merged
