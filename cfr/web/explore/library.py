"""The strategies that visitors look at and compare, by name."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cfr.opponents.shelf import CounterFile, ModelFile, Shelf
from cfr.resolving.named_strategy import MIX, split_mix
from cfr.strategy.files.measured import exploitability_of_file
from cfr.strategy.files.stored import Strategy
from cfr.strategy.mixed import Mixed
from cfr.strategy.strategy import BaseStrategy
from cfr.study.reviews.decision import printable
from cfr.system.errors import BadInputError
from cfr.web.explore.explorer import Explorer
from cfr.web.server.values import Valuer

_MOST_LENT = 8  # files of the shelf that are open at a time
_MOST_PARTS = 2  # of a mix


@dataclass(frozen=True)
class Volume:
    """One strategy, and what answers for its spots and their values; ``key`` tells it from others of its name."""

    key: str
    strategy: BaseStrategy
    explorer: Explorer
    valuer: Valuer


class Library:
    """Strategies of one game; the first is also the bot.

    Args:
        strategies: by the names that the page shows.
        waiting: how many spots of each may wait for their values.
        shelf: a folder whose files are opened as they are asked for; None for no other strategy.

    Raises:
        BadInputError: a game without a grid, or strategies of two games.
        DamagedFileError: a strategy that cannot be read.
    """

    def __init__(self, strategies: Mapping[str, BaseStrategy], waiting: int, shelf: Shelf | None = None) -> None:
        self._waiting, self._shelf, self._lending = waiting, shelf, threading.Lock()
        self._lent: dict[str, Volume] = {}  # by name, the latest asked last
        self._volumes: dict[str, Volume] = {}
        for name, strategy in strategies.items():
            _check_same_game(strategies, name)
            explorer = Explorer(strategy)
            explorer.warm()
            strategy.hold_tables()
            self._volumes[name] = Volume(name, strategy, explorer, Valuer(strategy, waiting))

    def find(self, name: str) -> Volume:
        """A strategy by its name, the first for an empty one; raises BadInputError for a name that is not here."""
        if not name:
            return next(iter(self._volumes.values()))
        if name in self._volumes:
            return self._volumes[name]
        file = None if self._shelf is None else self._shelf.find(name)
        if file is None:
            raise BadInputError(f"strategy {name!r}; expected one of {', '.join(self._volumes)}")
        return self._lend(name, file)

    def strategy(self, name: str) -> BaseStrategy:
        """A strategy by its name, or a mix of two, ``mix:A@0.3,B``; raises BadInputError for another name."""
        if not name.startswith(MIX):
            return self.find(name).strategy
        parts = split_mix(printable(name))
        if len(parts) > _MOST_PARTS:
            raise BadInputError(f"a mix of {len(parts)} strategies; expected at most {_MOST_PARTS}")
        return Mixed([self.find(part).strategy for part, _ in parts], [share for _, share in parts])

    def about(self) -> list[dict[str, Any]]:
        """The strategies for JSON: ``name`` and ``exploitability_mbb``, null where nobody measured it."""
        found: dict[str, float | None] = {
            name: exploitability_of_file(getattr(each.strategy, "attributes", {}))
            for name, each in self._volumes.items()
        }
        if self._shelf is not None:
            contents = self._shelf.contents()
            for model in contents.models:
                found.setdefault(model.path.stem, None)
            for each in contents.counters:
                found.setdefault(each.path.stem, None if each.point is None else each.point.exploitability_mbb)
        return [{"name": name, "exploitability_mbb": loses} for name, loses in found.items()]

    def named(self, checksum: str) -> str | None:
        """The name of a strategy that was there from the beginning, by its file's checksum; None where none is."""
        found = (
            name
            for name, each in self._volumes.items()
            if getattr(each.strategy.blueprint, "attributes", {}).get("checksum") == checksum
        )
        return next(found, None)

    def close(self) -> None:
        """Stop working values out."""
        for each in [*self._volumes.values(), *self._lent.values()]:
            each.valuer.close()

    def _lend(self, name: str, file: ModelFile | CounterFile) -> Volume:
        with self._lending:
            volume = self._lent.pop(name, None)
            if volume is None or volume.key != f"{name} {file.checksum}":
                if volume is not None:
                    volume.valuer.close()
                strategy = Strategy.open(file.path)
                key = f"{name} {strategy.attributes.get('checksum')}"
                volume = Volume(key, strategy, Explorer(strategy), Valuer(strategy, self._waiting))
            self._lent[name] = volume
            if len(self._lent) > _MOST_LENT:
                self._lent.pop(next(iter(self._lent))).valuer.close()
            return volume


def _check_same_game(strategies: Mapping[str, BaseStrategy], name: str) -> None:
    first, bot = next(iter(strategies.items()))
    game = strategies[name].game
    if game != bot.game:
        raise BadInputError(f"{name} plays {game.name}; expected {bot.game.name}, as {first}")
