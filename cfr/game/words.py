"""Names of seats, rounds and actions, as players say them."""

from __future__ import annotations

from cfr.game.betting import State

ROUND_NAMES = ("preflop", "flop", "turn", "river")
ACTION_NAMES = ("fold", "call", "raise")


def seat_name(seat: int, first_player: int) -> str:
    """``button`` or ``big blind``: before the flop the button acts first."""
    return "button" if seat == first_player else "big blind"


def action_word(letter: str, state: State) -> str:
    """What an action is called at a state: fold, check or call, bet or raise."""
    if letter == "f":
        return "fold"
    facing = state.stakes[state.actor] < max(state.stakes)
    if letter == "c":
        return "call" if facing else "check"
    # The big blind that has its option raises; later rounds open with a bet.
    return "raise" if facing or (state.round == 0 and state.tree.game.blinds[0] != state.tree.game.blinds[1]) else "bet"
