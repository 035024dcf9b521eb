"""A betting line in the words and chips that the page shows."""

from __future__ import annotations

from typing import Any

from cfr.game.betting import State, action_word
from cfr.game.hand import decisions


def action(state: State, letter: str) -> dict[str, Any]:
    """A legal action: its letter, its word and its chips.

    The amount of a call is what it adds; of a bet or raise, what the seat then has in front of it in this round; None
    of a fold or check.
    """
    word, amount = action_word(letter, state), None
    if word == "call":
        amount = max(state.stakes) - state.stakes[state.actor]
    elif letter == "r":
        amount = state.act(letter).stakes[state.actor] - entry(state)
    return {"letter": letter, "word": word, "amount": amount}


def entry(state: State) -> int:
    """Chips that each seat had in the pot when the round began."""
    return int(state.tree.stakes[state.round][state.line])


def steps(state: State) -> list[dict[str, Any]]:
    """What was done so far: each a :func:`step`."""
    return [step(before, letter) for before, letter in decisions(state)]


def step(before: State, letter: str) -> dict[str, Any]:
    """What was done at a state: an :func:`action` with its round, its seat, and the line before it."""
    seat = before.tree.game.seat_names[before.actor]
    return {"round": before.round, "seat": seat, "line": before.line_string, **action(before, letter)}
