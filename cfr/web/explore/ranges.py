"""Both ranges at a spot as JSON: who gets there, each hand's equity against the other range, and what it makes."""

from __future__ import annotations

from typing import Any

import numpy as np

from cfr.game.cards import format_cards
from cfr.game.spot_words import acting_seat
from cfr.hands.made_hands import DRAWS, MADE, made_hands
from cfr.hands.range_equity import range_equities
from cfr.strategy.position import Position
from cfr.strategy.strategy import BaseStrategy
from cfr.web.server.endpoints import numbers, to_json


def both_ranges(position: Position[BaseStrategy]) -> bytes:
    """The ranges at a position, see ``docs/web.md``; half a second on the flop, before it seconds the first time.

    Where no hand of a seat gets there, its presumed range stands in
    (:attr:`cfr.strategy.strategy.SpotRange.presumed`).
    """
    game, state, board = position.strategy.game, position.state, position.board
    found = [position.range(seat) for seat in (0, 1)]
    shown = np.array([each.shown for each in found])
    equities = range_equities(game, board, shown)
    weights = shown * (shown[::-1] @ game.apart)  # of a hand, over the hands that it can meet
    answer: dict[str, Any] = {
        "board": format_cards(board),
        "line": state.line_string,
        "seat": acting_seat(state),
        "ranges": {
            each.seat_name: {
                "played": each.is_played,
                "combos": float(each.shown.sum()),
                "equity": float(np.average(equity[met > 0], weights=met[met > 0])) if met.any() else None,
                "hands": {"reach": each.shown.tolist(), "weight": met.tolist(), "equity": numbers(equity)},
            }
            for each, met, equity in zip(found, weights, equities, strict=True)
        },
    }
    if board:
        kinds = made_hands(board, game.hands)
        answer["made"] = {"names": MADE, "of": kinds.made.tolist()}
        if len(board) < sum(game.num_board_cards):
            answer["draw"] = {"names": DRAWS, "of": kinds.draw.tolist()}
    return to_json(answer).encode()
