"""A folder of players' models and of counter-strategies, as their files speak of themselves."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cfr.game.rules import Game
from cfr.opponents.fit import SURE
from cfr.opponents.leak import Leak
from cfr.opponents.trade import Point
from cfr.opponents.winnings import Winnings
from cfr.strategy.files.stored import Strategy
from cfr.system.disk.files import version_of
from cfr.system.errors import BadInputError, CfrError
from cfr.system.text import counted

MOST_FILES = 1_000  # that are looked at, by name
SUFFIX = ".h5"


@dataclass(frozen=True)
class ModelFile:
    """A model, by its file.

    Attributes:
        path: the file.
        checksum: the strategy's.
        player: whose model it is.
        hands: of the player with at least one decision.
        blueprint, blueprint_checksum: name and checksum of the strategy that the model tilts.
        gain, gain_error: log-likelihood of hands held out above the blueprint's, and its standard error, nats; None
            where there were too few hands for a fit.
        leaks: those that move most chips first; None in a file of an earlier version.
        winnings: what the player won; None in a file of an earlier version.
    """

    path: Path
    checksum: str
    player: str
    hands: int
    blueprint: str
    blueprint_checksum: str
    gain: float | None
    gain_error: float | None
    leaks: tuple[Leak, ...] | None
    winnings: Winnings | None

    @classmethod
    def of(cls, path: Path, attributes: Mapping[str, Any]) -> ModelFile:
        """Of a file's attributes; raises KeyError, TypeError or ValueError for what they lack."""
        names = ("checksum", "model_player", "model_hands", "model_blueprint", "model_blueprint_checksum")
        checksum, player, hands, blueprint, blueprint_checksum = (attributes[name] for name in names)
        gains = [attributes.get(f"model_{name}_nats") for name in ("gain", "gain_error")]
        gain, gain_error = (None if each is None else float(each) for each in gains)
        leaks = None
        if "model_leaks" in attributes:
            leaks = tuple(Leak(**each) for each in json.loads(attributes["model_leaks"]))
        of_blueprint = (str(blueprint), str(blueprint_checksum))
        winnings = Winnings.in_file(attributes)
        return cls(path, str(checksum), str(player), int(hands), *of_blueprint, gain, gain_error, leaks, winnings)

    @property
    def is_prior(self) -> bool:
        """Whether the model is the blueprint itself: too few hands, or no leak found."""
        return self.gain is None or self.gain_error is None or self.gain <= SURE * self.gain_error


@dataclass(frozen=True)
class CounterFile:
    """A counter-strategy, by its file.

    Attributes:
        path: the file.
        checksum: the strategy's.
        model: checksum of the model that it was made for.
        solve: confidence, iterations and seed.
        blueprint, point: what was measured; None before it is.
    """

    path: Path
    checksum: str
    model: str
    solve: tuple[float, int, int]
    blueprint: Point | None
    point: Point | None

    @classmethod
    def of(cls, path: Path, attributes: Mapping[str, Any]) -> CounterFile:
        """Of a file's attributes; raises as :meth:`ModelFile.of`."""
        confidence, iterations, seed = (attributes[name] for name in ("counter_confidence", "iterations", "seed"))
        points = Point.both_in(attributes) if "counter_win_mbb" in attributes else (None, None)
        solve = (float(confidence), int(iterations), int(seed))
        return cls(path, str(attributes["checksum"]), str(attributes["counter_of"]), solve, *points)


@dataclass(frozen=True)
class Contents:
    """What a folder has.

    Attributes:
        models: by name.
        counters: by name.
        problems: why files were left out, a line each.
    """

    models: list[ModelFile]
    counters: list[CounterFile]
    problems: list[str]

    def counters_of(self, model: ModelFile) -> tuple[list[Point], dict[float, Path]]:
        """The points of a family of counter-strategies, the blueprint's first, and their files by confidence.

        Of several families exact ones come first, then those of more iterations, of more points, and later names.
        Both are empty where nothing was measured.
        """
        families: dict[tuple[Any, ...], dict[float, CounterFile]] = {}
        for each in self.counters:
            if each.model == model.checksum and each.point is not None:
                confidence, *solve = each.solve
                # The strategy within the risk is there twice: its own name is the longer one.
                own = families.setdefault((each.blueprint, *solve), {})
                own[confidence] = max(own.get(confidence, each), each, key=lambda file: len(file.path.name))
        if not families:
            return [], {}
        best = max(families, key=lambda key: (key[0].standard_error_mbb == 0, key[1], len(families[key])))
        found = families[best]
        points = [best[0], *(found[each].point for each in sorted(found))]
        return points, {confidence: each.path for confidence, each in found.items()}


class Shelf:
    """A folder of models and counter-strategies of one game; files are read anew when they change.

    Args:
        folder: where they lie.
        game: theirs; files of others are named as problems.

    Raises:
        BadInputError: no such folder.
    """

    def __init__(self, folder: Path, game: Game) -> None:
        if not folder.is_dir():
            raise BadInputError(f"{folder}: no such folder of players' models")
        self.folder, self._game = folder, game
        # By name, with the time of the last change and the size.
        self._read: dict[str, tuple[tuple[int, int, int], ModelFile | CounterFile | str | None]] = {}

    def contents(self) -> Contents:
        """All files that are models or counter-strategies; raises BadInputError where the folder cannot be read."""
        names = self._names()
        known = {name: self._look(name) for name in names[:MOST_FILES]}
        found = list(known.values())
        problems = [f"{name}: {each}" for name, each in known.items() if isinstance(each, str)]
        if len(names) > MOST_FILES:
            problems.append(f"{counted(len(names) - MOST_FILES, 'file')} more than {MOST_FILES:,} are left out")
        models = [each for each in found if isinstance(each, ModelFile)]
        return Contents(models, [each for each in found if isinstance(each, CounterFile)], problems)

    def find(self, name: str) -> ModelFile | CounterFile | None:
        """A file by its name without the suffix; None for what is not in the folder, or is neither."""
        if f"{name}{SUFFIX}" not in self._names()[:MOST_FILES]:
            return None
        found = self._look(f"{name}{SUFFIX}")
        return None if isinstance(found, str) else found

    def _names(self) -> list[str]:
        try:
            with os.scandir(self.folder) as entries:
                return sorted(each.name for each in entries if each.name.endswith(SUFFIX) and each.name[0] != ".")
        except OSError as error:
            raise BadInputError(f"the folder of players' models cannot be read: {error.strerror}") from None

    def _look(self, name: str) -> ModelFile | CounterFile | str | None:
        """A file's own words; a line for one that cannot be read, None for another strategy or one that went away."""
        path = self.folder / name
        version = version_of(path)
        if version is None:
            return None
        known = self._read.get(name)
        if known is None or known[0] != version:
            known = self._read[name] = version, self._opened(path)
        return known[1]

    def _opened(self, path: Path) -> ModelFile | CounterFile | str | None:
        try:
            with Strategy.open(path) as strategy:
                attributes, game = strategy.attributes, strategy.game
        except (CfrError, OSError) as error:
            return " ".join(str(error).split()).replace(f"{path}: ", "").replace(f"{self.folder}{os.sep}", "")
        is_counter = "counter_of" in attributes
        if not is_counter and "model_player" not in attributes:
            return None
        if game != self._game:
            return f"plays {game.name}; expected {self._game.name}"
        try:
            return CounterFile.of(path, attributes) if is_counter else ModelFile.of(path, attributes)
        except (KeyError, TypeError, ValueError):
            return "what it says of itself cannot be read; make it again"
