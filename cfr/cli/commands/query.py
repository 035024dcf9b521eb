"""The command ``cfr query``: what a strategy does with one hand."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cfr.cli import flags
from cfr.system.text import signed

if TYPE_CHECKING:
    from cfr.game.betting import State
    from cfr.strategy.position import Position
    from cfr.strategy.strategy import BaseStrategy
    from cfr.values.expected_values import SpotValues


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's command to the command line."""
    query = command("query", _query, "one hand's frequencies at a spot", "cfr query --hand AsKh --line r")
    flags.add_file(query)
    query.add_argument(
        "--hand", required=True, metavar="CARDS", help="hole cards, such as AsKh, or a class, such as AKs"
    )
    flags.add_spot(query)
    what = "also print the expected values of the hand and its actions, and its equity; on a flop this takes seconds"
    query.add_argument("--ev", action="store_true", help=what)
    flags.add_resolve(query)
    flags.add_progress(query)
    flags.add_json(query)


def _query(options: argparse.Namespace) -> None:
    with flags.open_strategy(options) as strategy:
        asked = options.hand, options.board, options.line
        found, text = answer(strategy, *asked, ev=options.ev, progress=flags.wants_progress(options))
        flags.show(options, found, text)


def answer(
    strategy: BaseStrategy, hand: str, board: str, line: str, *, ev: bool = False, progress: bool = False
) -> tuple[dict[str, Any], str]:
    """What a strategy does with a hand, by the keys of ``--json``, and in words; errors as ``probabilities``."""
    from cfr.game.betting import action_word
    from cfr.game.betting_round import ACTIONS
    from cfr.game.cards import format_cards
    from cfr.game.hand_classes import class_name
    from cfr.game.spot_words import spot_words

    position = strategy.at(board, line)
    state, cards, hands = position.state, position.board, position.held(hand)
    mix, reach = position.mix_and_reach(hands)
    shares = {name: mix[ACTIONS.index(letter)] for name, letter in _legal(state)}
    hand = format_cards(hands[0]) if len(hands) == 1 else class_name(hands[0])
    words = {name: action_word(letter, state) for name, letter in _legal(state)}
    said = [f"{words[name]} {share:.3f}" for name, share in shares.items()]
    lines = [spot_words(state, cards), "  ".join([*said, f"reach {reach:.3f}" if reach else "never played"])]
    if not reach:
        lines.append(f"reach 0: the strategy never comes here with {hand}; this is what it would do")
    values: dict[str, Any] = {}
    if ev:
        values = _values(position, hands, hand, progress)
        lines += _said(values, reach, words)
        if never := [f"{words[name]}s" for name in values["ev_unlearnt"]]:
            guess = "that EV is a guess" if len(never) == 1 else "these EVs are guesses"
            lines.append(f"no hand {' or '.join(never)} here, so little was learned about what follows: {guess}")
        if values["ev_contradicts"]:
            from cfr.study.reviews.contradiction import why

            lines.append(f"another action wins more than the play: {why(strategy, state)}")
    asked = {"hand": hand, "board": format_cards(cards), "line": _acpc(line, state)}
    return asked | shares | {"reach": reach, "played": reach > 0} | values, "\n".join(lines)


def _legal(state: State) -> list[tuple[str, str]]:
    """Names and letters of the legal actions."""
    from cfr.game.betting_round import ACTIONS
    from cfr.game.words import ACTION_NAMES

    return [(name, letter) for name, letter in zip(ACTION_NAMES, ACTIONS, strict=True) if letter in state.legal]


def _acpc(line: str, state: State) -> str:
    """A line as it was asked for where that was in ACPC letters, else as the ACPC writes it."""
    return line if line and set(line) <= set("fcr/") else state.line_string


def _values(
    position: Position[BaseStrategy], hands: list[tuple[int, ...]], hand: str, progress: bool
) -> dict[str, Any]:
    """What the hand and its actions win in mbb, and its equity; named as in an export, NaN where there is no EV."""
    from cfr.study.reviews.contradiction import contradicted
    from cfr.values.expected_values import values_of

    strategy, state = position.strategy, position.state
    found = values_of(position, progress=progress)
    numbers = [strategy.game.hand_number(each) for each in hands]
    columns = (found.table() if len(hands) == 1 else found.by_class()).columns(action_ev=True)
    row = columns["hand"].tolist().index(found.hands[numbers[0]] if len(hands) == 1 else hand)
    names = ("ev_mbb", "equity", *(f"ev_{name}_mbb" for name, _ in _legal(state)))
    contradicts = bool(contradicted(found)[numbers].any())
    is_learnt = hasattr(strategy.blueprint, "attributes")  # a rule knows what it does
    guessed = _unlearnt(found, state) if is_learnt and not math.isnan(columns["ev_mbb"][row]) else []
    return {
        **{name: float(columns[name][row]) for name in names},
        "ev_contradicts": contradicts,
        "ev_unlearnt": guessed,
        "stand_in": found.stand_in,
    }


def _unlearnt(found: SpotValues, state: State) -> list[str]:
    """Actions that no hand of the range takes, after which the same seat decides again: its play there is a guess."""
    from cfr.game.betting_round import ACTIONS

    taken = (found.frequencies * found.shown[:, None])[found.shown > 0].sum(axis=0)
    return [
        name
        for name, letter in _legal(state)
        if letter != "f" and not taken[ACTIONS.index(letter)] and _decides_again(state.act(letter), state.actor)
    ]


def _decides_again(state: State, seat: int) -> bool:
    """Whether a seat may decide once more."""
    if state.is_over:
        return False
    return state.actor == seat or any(_decides_again(state.act(letter), seat) for letter in state.legal)


def _said(values: Mapping[str, Any], reach: float, words: Mapping[str, str]) -> list[str]:
    """:func:`_values` in words."""
    ev, equity = values["ev_mbb"], values["equity"]
    if math.isnan(ev):
        why = "the opponent has no hand here" if reach else "the strategy never plays this hand to this spot"
        return [f"no EV: {why}"]
    each = "  ".join(f"{word} {signed(values[f'ev_{name}_mbb'])} mbb" for name, word in words.items())
    said = f"EV, against a {values['stand_in']}" if values["stand_in"] else "EV"
    return [
        f"{said}: {each}",
        f"the hand: {signed(ev)} mbb ({signed(ev / 1000, 3)} big blinds), equity {100 * equity:.2f} %",
    ]
