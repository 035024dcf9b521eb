"""A spot in words: its seat, decision, round, board and pot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cfr.game.betting import State, action_word
from cfr.game.betting_round import ACTIONS
from cfr.game.cards import format_cards
from cfr.game.words import ACTION_NAMES, ROUND_NAMES


def acting_seat(state: State) -> str:
    """The name of the seat to act."""
    return state.tree.game.seat_names[state.actor]


def spot_title(state: State) -> str:
    """The seat, its decision and the round: ``big blind facing a bet on the flop``."""
    facing, line = "to act", state.line_string
    if line.endswith("r"):
        before = state.round_start()
        for letter in line.rpartition("/")[2][:-1]:
            before = before.act(letter)
        facing = f"facing a {action_word('r', before)}"
    return f"{acting_seat(state)} {facing} {'' if state.round == 0 else 'on the '}{ROUND_NAMES[state.round]}"


def pot_words(state: State) -> str:
    """The pot in chips and big blinds: ``pot 60 (3 bb)``."""
    pot = sum(state.stakes)
    return f"pot {pot} ({pot / state.tree.game.big_blind:g} bb)"


def spot_words(state: State, board: Sequence[int]) -> str:
    """A spot in one line: ``big blind facing a bet on the flop, board Td9d6h, pot 60 (3 bb)``."""
    shown = [f"board {format_cards(board)}"] if board else []
    return ", ".join([spot_title(state), *shown, pot_words(state)])


def mix_words(state: State, shares: Mapping[str, float]) -> str:
    """The shares of actions, by name, in the words of the state: ``check 0.416  bet 0.584``."""
    words = {name: action_word(letter, state) for name, letter in zip(ACTION_NAMES, ACTIONS, strict=True)}
    return "  ".join(f"{words[name]} {share:.3f}" for name, share in shares.items())
