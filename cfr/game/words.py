"""Names of seats, rounds and actions, as players say them."""

from __future__ import annotations

ROUND_NAMES = ("preflop", "flop", "turn", "river")
ACTION_NAMES = ("fold", "call", "raise")
UNLEARNT = "; but it never comes here with this hand, so it learned little about it"  # after what a strategy would do


def seat_name(seat: int, first_player: int) -> str:
    """``button`` or ``big blind``: before the flop the button acts first."""
    return "button" if seat == first_player else "big blind"
