"""The command ``cfr query``: what a strategy does with one hand."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from cfr.cli import flags

if TYPE_CHECKING:
    from cfr.strategy.strategy import Spots


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's command to the command line."""
    query = command("query", _query, "one hand's frequencies at a spot", "cfr query hulhe.h5 --hand AsKh --line r")
    flags.add_file(query)
    flags.add_resolve(query)
    query.add_argument("--hand", required=True, metavar="CARDS", help="hole cards, such as AsKh")
    flags.add_spot(query)
    what = "add the expected values of the hand and its actions, and its equity; a flop's take seconds"
    query.add_argument("--ev", action="store_true", help=what)
    flags.add_progress(query)
    flags.add_json(query)


def _query(options: argparse.Namespace) -> None:
    from cfr.game.betting import action_word
    from cfr.game.spot_words import spot_words

    with flags.open_strategy(options) as strategy:
        shares = strategy.probabilities(options.hand, options.board, options.line)
        state, board = strategy.spot(options.board, options.line)
        hole = strategy.hole_cards(options.hand, board)
        reach = strategy.reach_of(state, hole, board)
        asked = {"hand": options.hand, "board": options.board, "line": options.line}
        words = {name: action_word(letter, state) for name, letter in zip(shares, state.legal, strict=True)}
        mix = [f"{words[name]} {share:.3f}" for name, share in shares.items()]
        lines = [spot_words(state, board), "  ".join([*mix, f"reach {reach:.3f}" if reach else "never played"])]
        if not reach:
            lines.append(f"reach 0: the strategy never comes here with {options.hand}; this is what it would do")
        values: dict[str, float] = {}
        if options.ev:
            values = _values(strategy, options, list(shares))
            lines += _said(values, reach, words)
            if values["ev_contradicts"]:
                from cfr.study.contradiction import why

                lines.append(f"another action wins more than the play: {why(strategy, state)}")
        flags.show(options, asked | shares | {"reach": reach, "played": reach > 0} | values, "\n".join(lines))


def _values(strategy: Spots, options: argparse.Namespace, actions: list[str]) -> dict[str, float]:
    """What the hand and its actions win in mbb, and its equity; named as in an export, NaN where there is no EV."""
    from cfr.game.cards import parse_cards
    from cfr.game.words import ACTION_NAMES
    from cfr.study.contradiction import contradicted
    from cfr.subgame.values import expected_values

    found = expected_values(strategy, options.board, options.line, progress=flags.wants_progress(options))
    number = strategy.game.hand_number(parse_cards(options.hand))
    of_actions = dict(zip(ACTION_NAMES, found.action_ev[number].tolist(), strict=True))
    return {
        "ev": float(found.ev[number]),
        "equity": float(found.equity[number]),
        **{f"ev_{name}": of_actions[name] for name in actions},
        "ev_contradicts": bool(contradicted(found)[number]),
    }


def _said(values: Mapping[str, float], reach: float, words: Mapping[str, str]) -> list[str]:
    """:func:`_values` in words."""
    ev, equity = values["ev"], values["equity"]
    if math.isnan(ev):
        why = "no hand that is left against it gets here" if reach else "the strategy does not come here with this hand"
        return [f"no EV: {why}"]
    each = "  ".join(f"{word} {values[f'ev_{name}']:+.1f} mbb" for name, word in words.items())
    return [f"EV: {each}", f"the hand: {ev:+.1f} mbb ({ev / 1000:+.3f} big blinds), equity {100 * equity:.2f} %"]
