"""Files of players and counter-strategies, as ``cfr model`` and ``cfr counter`` write them, without their work."""

import json
import shutil

import numpy as np

from cfr.opponents import situation
from cfr.opponents.leak import Leak
from cfr.opponents.model import ALGORITHM
from cfr.opponents.tilt import Tilt
from cfr.opponents.tilted import Tilted
from cfr.opponents.trade import Point
from cfr.opponents.winnings import Winnings
from cfr.strategy.files.file import set_attributes
from cfr.strategy.files.stored import Strategy

LEAKS = [
    Leak(3, "before the flop as the button", "call", "calls", "", 0.32, 0.0, 0.05, 56.3, 120.0),
    Leak(21, "on the river as the button", "raise", "bets", "weak hands", 0.33, 0.61, 0.07, 17.1),
]
WINNINGS = Winnings(4, (2000, -1000, 500, 3500), 1234.5)
BLUEPRINT = Point(0.0, 20.0, 66.0, 0.0)
SAFE, GREEDY = Point(0.5, 60.0, 86.0, 0.0), Point(1.0, 200.0, 586.0, 0.0, 150.0, 260.0)


def write_model(path, base, player="ann", seed=1, leaks=LEAKS, **changes):
    """A model whose tilt is drawn by a seed; ``changes`` are other attributes, None leaves one out."""
    parameters = np.random.default_rng(seed).normal(0, 0.5, (situation.count(base.game), 2, 4))
    attributes = {
        "algorithm": ALGORITHM,
        "model_player": player,
        "model_hands": 1333,
        "model_blueprint": "/home/somebody/random.h5",
        "model_blueprint_checksum": str(base.attributes["checksum"]),
        "model_leaks": json.dumps([each.to_dict() for each in leaks]),
        "model_gain_nats": 90.0,
        "model_gain_error_nats": 10.0,
    }
    attributes |= WINNINGS.attributes | changes
    said = {name: value for name, value in attributes.items() if value is not None}
    Tilted(base, Tilt(parameters, 0.05)).save(path, said)
    return path


def write_counter(path, model, point, blueprint=BLUEPRINT, iterations=1000, **changes):
    """A counter-strategy to the model of a file; a point of None is one that was not measured."""
    shutil.copy(model, path)
    with Strategy.open(model) as strategy:
        checksum = str(strategy.attributes["checksum"])
    own = {"counter_of": checksum, "counter_confidence": point.confidence, "iterations": iterations, "seed": 0}
    set_attributes(path, own | point.attributes(blueprint) | changes)
    return path
