"""A spot as JSON: the line that leads there, and what every hand of the seat to act does."""

from __future__ import annotations

from typing import Any

from cfr.game.betting import State, action_word
from cfr.game.betting_round import ACTIONS
from cfr.game.cards import format_cards
from cfr.game.hand import decisions
from cfr.game.hand_classes import has_classes
from cfr.game.rules import Game
from cfr.game.words import ACTION_NAMES, ROUND_NAMES
from cfr.strategy.position import Position
from cfr.strategy.strategy import BaseStrategy
from cfr.study.grid import grid
from cfr.system.errors import BadInputError
from cfr.values.expected_values import why_unvalued
from cfr.web.server.betting_line import action, steps


def shown(position: Position[BaseStrategy]) -> dict[str, Any]:
    """A spot for JSON."""
    state = position.state
    found, why = position.range(), why_unvalued(position.strategy, state)
    chart = grid(found)
    legal = [ACTIONS.index(letter) for letter in state.legal]
    seats = state.tree.game.seat_names
    played = {seats[seat]: bool(position.reach(seat).any()) for seat in (0, 1)}
    return {
        **_place(state, format_cards(position.board)),
        "played": played,
        "actions": [_option(state, ACTIONS[n]) | {"share": float(chart.total[n])} for n in legal],
        "combos": chart.combos,
        "classes": list(chart.names),
        "weight": chart.weight.tolist(),
        "mix": {ACTION_NAMES[n]: chart.mix[:, n].tolist() for n in legal},
        "hands": found.hands.tolist(),
        "reach": found.reach.tolist(),
        "presumed": None if found.presumed is None else found.presumed.tolist(),
        "frequencies": {ACTION_NAMES[n]: found.frequencies[:, n].tolist() for n in legal},
        "has_values": not why,
        "why_unvalued": why,
        "endings": _endings(state, state.round),
    }


def _endings(state: State, round_: int) -> list[dict[str, Any]]:
    """The lines that end a round with a card to come, the shortest first, each with the words of its actions."""
    found = []
    for letter in state.legal:
        after, word = state.act(letter), action_word(letter, state)
        if after.is_over:
            continue
        if after.round > round_:
            found.append({"line": after.line_string, "words": [word]})
        else:
            found += [{**each, "words": [word, *each["words"]]} for each in _endings(after, round_)]
    return sorted(found, key=lambda each: len(each["words"]))


def check_game(game: Game) -> None:
    """Raises BadInputError for a game that the page cannot show."""
    if not has_classes(game) or len(ROUND_NAMES) < game.num_rounds:
        raise BadInputError(f"{game.name} has no grid; the page shows games of two hole cards only")


def _place(state: State, board: str) -> dict[str, Any]:
    seats = state.tree.game.seat_names
    walked = steps(state)
    for step, (before, _) in zip(walked, decisions(state), strict=True):
        step["options"] = [_option(before, letter) for letter in before.legal]
        step["board_cards"] = before.num_board_cards
    return {
        "game": state.tree.game.name,
        "board": board,
        "line": state.line_string,
        "round": state.round,
        "seat": seats[state.actor],
        "pot": sum(state.stakes),
        "stakes": dict(zip(seats, state.stakes, strict=True)),
        "steps": walked,
    }


def _option(state: State, letter: str) -> dict[str, Any]:
    """A legal action and the spot that it leads to; no line where the hand ends."""
    after = state.act(letter)
    return {
        **action(state, letter),
        "name": ACTION_NAMES[ACTIONS.index(letter)],
        "line": None if after.is_over else after.line_string,
        "board_cards": after.num_board_cards,
    }
