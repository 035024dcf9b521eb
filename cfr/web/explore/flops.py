"""All flops after a line as JSON: how often each seat bets, raises and folds on each of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from cfr.game.betting import State, action_word
from cfr.game.cards import format_cards
from cfr.game.hand import decisions
from cfr.strategy.strategy import BaseStrategy
from cfr.study.flop_statistics import KINDS, aggregate, flop_roots, has_flops, read_flop_root
from cfr.system.cluster.workers import Threads
from cfr.system.errors import BadInputError
from cfr.web.server.endpoints import numbers, to_json

_DIGITS = 9


def flop_lines(strategy: BaseStrategy) -> list[dict[str, Any]]:
    """For JSON: the lines that lead to a flop, each with the words of its actions; none in a game without flops."""
    roots = flop_roots(strategy) if has_flops(strategy.game) else []
    words = [[action_word(letter, before) for before, letter in decisions(root)] for root in roots]
    return [{"line": root.line_string, "words": said} for root, said in zip(roots, words, strict=True)]


def flop_root(strategy: BaseStrategy, line: str) -> State:
    """Where a line deals the flop.

    Raises:
        BadInputError: a line that does not lead to a flop, or flops that are solved or refined one by one.
        MalformedTextError, IllegalActionError: a line that cannot be read or played.
    """
    if strategy.re_solves(1):
        raise BadInputError("each flop is solved on its own here, too slowly for all flops")
    if strategy.trunk is not strategy.blueprint:
        raise BadInputError(
            "flops are refined one by one here; `cfr flops` counts those of the file before `cfr refine`"
        )
    return read_flop_root(strategy, line)


def all_flops(strategy: BaseStrategy, root: State) -> bytes:
    """Statistics of every flop, see ``docs/web.md``; a second or two. They are those of ``cfr flops --by flop``.

    Args:
        strategy: a file or a built-in, or one that re-solves from a later round on.
        root: a :func:`flop_root`.
    """
    found = aggregate(strategy.blueprint, [root.line_string], workers=Threads(1))
    never = np.full_like(found.taken, np.nan)
    frequencies = np.divide(found.taken, found.reached, out=never, where=found.reached > 0)
    reached = found.reached / found.share
    return to_json(
        {
            "line": root.line_string,
            "kinds": {name: {"values": KINDS[name], "of": found.kinds[name].tolist()} for name in KINDS},
            "flops": [format_cards(board[::-1]) for board in found.boards.tolist()],
            "share": found.share.tolist(),
            "statistics": [
                {
                    "name": each.name,
                    "seat": found.seat_names[each.seat],
                    "line": each.line,
                    "reached": there.round(_DIGITS).tolist(),
                    "frequency": numbers(frequency.round(_DIGITS)),
                }
                for each, there, frequency in zip(found.statistics, reached, frequencies, strict=True)
            ],
        }
    ).encode()
