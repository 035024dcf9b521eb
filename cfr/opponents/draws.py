"""Draws of a player's model: what the player may be, given the hands that the model was learnt from."""

from __future__ import annotations

import json

import numpy as np

from cfr.game.rules import Game
from cfr.opponents.fit import Fit
from cfr.opponents.tilt import Tilt
from cfr.opponents.tilted import Tilted
from cfr.solver.target import core_seconds
from cfr.strategy.files.stored import Strategy
from cfr.system.errors import BadInputError
from cfr.system.text import counted

MOST = 20  # in a model's file
_QUICK_SECONDS = 1.0  # a measurement is worth repeating unasked


def drawn(fit: Fit) -> str:
    """What a model's file keeps: MOST draws of the parameters from Laplace's approximation, always the same."""
    shape = fit.tilt.parameters.shape
    rng = np.random.default_rng(0)
    found = rng.multivariate_normal(fit.tilt.parameters.ravel(), fit.covariance, MOST, method="cholesky")
    return json.dumps(found.reshape(MOST, *shape).round(3).tolist())


def draws_of(model: Strategy, blueprint: Strategy, count: int | None, flops: int | None) -> list[Tilted]:
    """The first draws in a model's file, as strategies.

    Args:
        model: the file; where the model is the blueprint itself, it has no draws.
        blueprint: that of the model.
        count: how many; None takes all where a measurement takes less than a second of a core, and otherwise none.
        flops: that a measurement visits; None for all.

    Raises:
        BadInputError: more draws than the file has.
    """
    kept = json.loads(str(model.attributes.get("model_draws", "[]")))
    if count is None:
        count = len(kept) if _is_quick(model.game, flops) else 0
    if count > len(kept):
        raise BadInputError(
            f"the model has {counted(len(kept), 'draw')}, not {count}; cfr model now keeps {MOST} where it finds a leak"
        )
    floor = float(model.attributes["model_floor"]) if kept else 0.0
    return [Tilted(blueprint, Tilt(np.array(each), floor)) for each in kept[:count]]


def _is_quick(game: Game, flops: int | None) -> bool:
    return core_seconds(game, flops) < _QUICK_SECONDS
