"""What requests about reviews ask for, and decisions as their answers show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from cfr.game.betting import State
from cfr.game.hand import LoggedHand
from cfr.study.reviews.decision import Decision, printable
from cfr.web.server.endpoints import text_of
from cfr.web.server.replay import mixed, replayed


def decision_view(each: Decision) -> dict[str, Any]:
    """A decision for the page: what the log's table has, and each action in words and chips with its probability."""
    options = mixed(each.state, each.mix)
    return {**each.to_dict(), "player": printable(each.player), "did": each.action, "options": options}


def hand_view(hand: LoggedHand, decisions: Sequence[Decision], player: str, following: int | None) -> dict[str, Any]:
    """A reviewed hand for the felt, see ``docs/web.md``.

    Args:
        hand: the hand.
        decisions: those in it that were reviewed.
        player: who sits below; whoever has the button where it is nobody in the hand.
        following: what the next hand is asked for by; None after the last.
    """
    button = hand.seen.state.tree.game.button
    first = hand.players.index(player) if player in hand.players else button
    by_line = {each.state.line_string: each for each in decisions}

    def known(state: State) -> dict[str, Any]:
        found = by_line.get(state.line_string)
        if found is None:
            return {"mix": None}
        return {"mix": mixed(state, found.mix), "ev_lost_mbb": found.ev_lost, "mistake": found.is_mistake}

    order = (first, 1 - first)
    return {
        "number": hand.number,
        "day": hand.day,
        "players": [printable(hand.players[seat]) for seat in order],
        **replayed(hand.seen, order, None if hand.chips is None else hand.chips[first], known),
        "next": following,
    }


def choice_of(request: Request, name: str, choices: tuple[str, ...]) -> str:
    """A query parameter that is one of these."""
    text = text_of(request, name)
    if text not in choices:
        raise HTTPException(400, f"{name} {text!r}; expected one of {', '.join(filter(None, choices))}")
    return text


def number_of(request: Request, name: str, most: int) -> int | None:
    """A query parameter from 0 to a number, None where it is empty."""
    text = text_of(request, name)
    if text and not (text.isascii() and text.isdecimal() and int(text) <= most):
        raise HTTPException(400, f"{name} {text!r}; expected a number from 0 to {most:,}")
    return int(text) if text else None
