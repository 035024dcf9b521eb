"""The strategies that visitors look at and compare, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cfr.strategy.strategy import BaseStrategy
from cfr.system.errors import BadInputError
from cfr.web.explore.explorer import Explorer
from cfr.web.server.values import Valuer

_HELD_BYTES = 64 << 20  # of a round's table


@dataclass(frozen=True)
class Volume:
    """One strategy, and what answers for its spots and their values."""

    strategy: BaseStrategy
    explorer: Explorer
    valuer: Valuer


class Library:
    """Strategies of one game; the first is also the bot.

    Args:
        strategies: by the names that the page shows.
        waiting: how many spots of each may wait for their values.

    Raises:
        BadInputError: a game without a grid, or strategies of two games.
        DamagedFileError: a strategy that cannot be read.
    """

    def __init__(self, strategies: Mapping[str, BaseStrategy], waiting: int) -> None:
        self._volumes: dict[str, Volume] = {}
        for name, strategy in strategies.items():
            _check_same_game(strategies, name)
            explorer = Explorer(strategy)
            explorer.warm()
            strategy.hold_tables(_HELD_BYTES)
            self._volumes[name] = Volume(strategy, explorer, Valuer(strategy, waiting))

    def find(self, name: str) -> Volume:
        """A strategy by its name, the first for an empty one; raises BadInputError for a name that is not here."""
        if not name:
            return next(iter(self._volumes.values()))
        if name not in self._volumes:
            raise BadInputError(f"strategy {name!r}; expected one of {', '.join(self._volumes)}")
        return self._volumes[name]

    def about(self) -> list[dict[str, Any]]:
        """The strategies for JSON: ``name`` and ``exploitability_mbb``, null where nobody measured it."""
        return [
            {"name": name, "exploitability_mbb": getattr(each.strategy, "attributes", {}).get("exploitability_mbb")}
            for name, each in self._volumes.items()
        ]

    def close(self) -> None:
        """Stop working values out."""
        for each in self._volumes.values():
            each.valuer.close()


def _check_same_game(strategies: Mapping[str, BaseStrategy], name: str) -> None:
    first, bot = next(iter(strategies.items()))
    game = strategies[name].game
    if game != bot.game:
        raise BadInputError(f"{name} plays {game.name}; expected {bot.game.name}, as {first}")
