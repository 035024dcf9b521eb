"""Names of rounds and actions, as players say them."""

from __future__ import annotations

ROUND_NAMES = ("preflop", "flop", "turn", "river")
ACTION_NAMES = ("fold", "call", "raise")
UNLEARNT = "; but it never comes here with this hand, so it learned little about it"  # after what a strategy would do
