"""Tables of any strategy with a method ``range``, filled spot by spot."""

from __future__ import annotations

import numpy as np

from cfr.abstraction.lossless import LosslessRows
from cfr.game.betting import State
from cfr.game.cards import format_cards
from cfr.kernel.chance import enumerate_deal
from cfr.kernel.tables import Source
from cfr.strategy.strategy import AnyStrategy, Spots
from cfr.system.errors import UnknownSpotError

_MOST_SPOTS = 200_000  # that the tables ask for, one by one


def source_of(strategy: AnyStrategy) -> Source:
    """The source that reads any strategy as a whole.

    Raises:
        UnknownSpotError: the strategy has too many spots to ask, frequencies that are no probabilities, or another mix
            for hands that differ in their suits alone.
    """
    if isinstance(strategy, Spots) and strategy.is_whole:
        return strategy.source
    rows = LosslessRows(strategy.game)
    return Source(rows, _ask(strategy, rows))


def _ask(strategy: AnyStrategy, rows: LosslessRows) -> list[np.ndarray]:
    """Per round ``(rows, node_actions, lines)`` frequencies of the strategy on one board of each orbit."""
    game, betting = strategy.game, strategy.betting
    deal = enumerate_deal(game, rows) if game.num_hands < 100 else None
    nodes = [len(shared.actor) * lines for shared, lines in zip(betting.rounds, betting.num_lines, strict=True)]
    spots = 0 if deal is None else sum(n * len(b.cards) for n, b in zip(nodes, deal.rounds, strict=True))
    if deal is None or spots > _MOST_SPOTS:
        raise UnknownSpotError(
            f"{game.name} is too large to ask a strategy spot by spot; expected a strategy file of the whole game"
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
            where = f"line {state.line_string!r}, board {board!r}"
            legal = frequencies[:, numbers >= 0]
            if not (legal >= 0).all() or not np.allclose(legal.sum(axis=1), 1, atol=1e-6):
                raise UnknownSpotError(f"{where}: frequencies of legal actions do not sum to 1, or are less than 0")
            place = row[live][:, None], numbers[numbers >= 0], state.line
            merged[state.round][place] = legal
            if not np.allclose(merged[state.round][place], legal, atol=1e-6):
                raise UnknownSpotError(f"{where}: hands that differ in their suits alone are not played alike")
    return merged
