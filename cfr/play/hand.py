"""One hand between two players."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from cfr.game.betting import BettingTree, State
from cfr.game.hand import Deal, HandRecord
from cfr.play.player import Player
from cfr.system.errors import IllegalActionError


def play_hand(
    betting: BettingTree,
    deal: Deal,
    players: Sequence[Player],
    rng: random.Random,
    watch: Callable[[State], object] | None = None,
) -> HandRecord:
    """Play one hand; ``players`` by seat; ``watch`` hears of every state, the first and the last included.

    Raises:
        IllegalActionError: a player did what the rules do not allow.
    """
    state = betting.root
    while True:
        if watch is not None:
            watch(state)
        if state.is_over:
            return HandRecord.of(deal, state)
        seat = state.actor
        action = players[seat].act(state, deal.hands[seat], deal.board[: state.num_board_cards], rng)
        if action not in state.legal or len(action) != 1:
            raise IllegalActionError(f"{players[seat].name}, after {state.line_string!r}: {state.illegal(action)}")
        state = state.act(action)
