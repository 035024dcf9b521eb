"""A finished hand as the felt replays it, action by action."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cfr.game.betting import State
from cfr.game.betting_round import ACTIONS
from cfr.game.cards import format_cards
from cfr.game.evaluate import category, evaluate
from cfr.game.hand import SeenHand, decisions
from cfr.web.server.betting_line import action, entry, step


def replayed(
    seen: SeenHand, order: tuple[int, int], chips: float | None, known: Callable[[State], dict[str, Any]]
) -> dict[str, Any]:
    """For JSON, see ``docs/web.md``.

    Args:
        seen: the hand, with the cards that are shown.
        order: the seats of the first and of the second player.
        chips: won by the first player; None if that is not known.
        known: what else is said of the decision at a state.
    """
    end, made = seen.state, None
    if end.at_showdown and all(seen.hands) and len(seen.board) >= 3:
        made = [category(int(each)) for each in evaluate([[*seen.hands[seat], *seen.board] for seat in order])]
    return {
        "button": order.index(end.tree.game.button),
        "cards": [format_cards(seen.hands[seat]) or None for seat in order],
        "board": format_cards(seen.board),
        "steps": [
            {
                **step(state, letter),
                "who": order.index(state.actor),
                "pot": sum(state.stakes),
                "in_front": [state.stakes[seat] - entry(state) for seat in order],
                **known(state),
            }
            for state, letter in decisions(end)
        ],
        "pot": sum(end.stakes),
        "folded": None if end.folded is None else order.index(end.folded),
        "chips": chips,
        "made": made,
    }


def mixed(state: State, shares: Sequence[float]) -> list[dict[str, Any]]:
    """Legal actions with their probabilities, from those of fold, call and raise."""
    return [action(state, letter) | {"share": shares[ACTIONS.index(letter)]} for letter in state.legal]
