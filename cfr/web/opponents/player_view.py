"""A player as the page shows it: leaks, the standing beside the blueprint, and the way from safe to greedy."""

from __future__ import annotations

import shlex
from pathlib import PurePath
from typing import Any

from cfr.opponents.shelf import Contents, ModelFile
from cfr.opponents.trade import Mix, coins
from cfr.study.reviews.decision import printable

STEPS = 20  # places of the slider between two strategies


def listed(contents: Contents) -> dict[str, Any]:
    """All players of a folder for JSON, see ``docs/web.md``."""
    models = contents.models
    return {
        "players": [
            {"name": each.path.stem, "player": printable(each.player), "hands": each.hands, "is_prior": each.is_prior}
            for each in sorted(models, key=lambda model: (model.player.casefold(), model.path.name))
        ],
        "problems": [printable(each) for each in contents.problems],
    }


def player_view(model: ModelFile, contents: Contents, beside: str | None) -> dict[str, Any]:
    """One player for JSON, see ``docs/web.md``.

    Args:
        model: the player's file.
        contents: of its folder.
        beside: name on the page of the strategy that the model tilts; None where the page does not show it.
    """
    points, files = contents.counters_of(model)
    blueprint = _name(model.blueprint)
    names = {0.0: blueprint} | {confidence: path.name for confidence, path in files.items()}
    shown = {} if beside is None else {0.0: beside}
    shown |= {confidence: path.stem for confidence, path in files.items()}
    mixes = coins(points, STEPS) if points else []
    return {
        "name": model.path.stem,
        "player": printable(model.player),
        "hands": model.hands,
        "is_prior": model.is_prior,
        "gain_nats": model.gain,
        "gain_error_nats": model.gain_error,
        "blueprint": blueprint,
        "beside": beside,
        "result": None if model.winnings is None else model.winnings.curve(),
        "leaks": None if model.leaks is None else [each.to_dict() for each in model.leaks],
        "points": [
            each.to_dict() | {"name": files[each.confidence].stem if each.confidence else None} for each in points
        ],
        "coins": [
            each.to_dict() | {"plays": shlex.quote(_plays(each, names) or ""), "against": _plays(each, shown)}
            for each in mixes
        ],
        "command": shlex.join(["cfr", "counter", model.path.name, "--out", f"beat-{model.path.name}"]),
    }


def _name(blueprint: str) -> str:
    """A strategy's name without the folders that its user need not know."""
    return printable(PurePath(blueprint.replace("\\", "/")).name)


def _plays(mix: Mix, names: dict[float, str]) -> str | None:
    """The mix as a strategy's name, that of one where it is always the same; None where a part has no name."""
    if mix.share in (0, 1):
        return names.get((mix.greedier if mix.share else mix.safer).confidence)
    return mix.player(names) if {mix.safer.confidence, mix.greedier.confidence} <= names.keys() else None
