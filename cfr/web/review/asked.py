"""What requests about reviews ask for, and decisions as their answers show them."""

from __future__ import annotations

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from cfr.game.betting import ACTIONS
from cfr.study.decision import Decision, printable
from cfr.web.server.endpoints import text_of
from cfr.web.server.line import action


def decision_view(each: Decision) -> dict[str, Any]:
    """A decision for the page: what the log's table has, and each action in words and chips with its share."""
    options = [action(each.state, letter) | {"share": each.mix[ACTIONS.index(letter)]} for letter in each.state.legal]
    return {**each.to_dict(), "player": printable(each.player), "did": each.action, "options": options}


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
