"""Strategies that play whole hands, told from solutions of spots and files without their last round."""

from __future__ import annotations

from cfr.strategy.files.spot_file import SpotStrategy
from cfr.strategy.strategy import BaseStrategy
from cfr.system.errors import BadInputError


def check_whole(strategy: BaseStrategy, name: object) -> None:
    """Refuse a strategy that does not play whole hands, or whose blueprint does not; ``name`` begins the message.

    Raises:
        BadInputError: a solution of a spot, a file without its last round, or what answers spot by spot only.
    """
    blueprint = strategy.blueprint
    if blueprint.is_whole:
        return
    if isinstance(blueprint, SpotStrategy):
        what = "a solution of one spot"
    elif blueprint.left_out:
        what = "its last round is left out (cfr solve --no-without-rivers keeps it)"
    else:
        what = "it answers spot by spot only"
    raise BadInputError(f"{name}: {what}; expected a strategy of a whole game, such as small")
