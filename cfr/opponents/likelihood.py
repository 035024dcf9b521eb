"""How likely a player's hands are under a tilt, summed over the holdings that the cards seen allow."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cfr.opponents.evidence import Evidence, Integers, Layer
from cfr.opponents.hand_strength import LEVELS
from cfr.opponents.tilt import SHAPES, TILTED, Tilt, shapes

Floats = NDArray[np.float64]


def probabilities(layer: Layer, tilt: Tilt) -> Floats:
    """``(n, 3)`` what each holding of a layer does under a tilt."""
    found: Floats = layer.mixed(tilt.floor) * tilt.factors.reshape(-1, 3)[layer.key]
    found /= (found[:, 0] + found[:, 1] + found[:, 2])[:, None]
    return found


def log_likelihoods(evidence: Evidence, tilt: Tilt) -> Floats:
    """``(hands,)`` log-likelihood of the decisions of each hand; minus infinity where the tilt never makes them."""
    likely, _ = _likely(evidence, tilt)
    with np.errstate(divide="ignore"):
        found: Floats = np.log(np.bincount(evidence.hand, likely, evidence.hands))
    return found


def value_and_gradient(evidence: Evidence, tilt: Tilt) -> tuple[float, Floats]:
    """The log-likelihood of all hands, and its gradient by the parameters, shaped as they are."""
    likely, played = _likely(evidence, tilt)
    of_hands = np.bincount(evidence.hand, likely, evidence.hands)
    posterior = likely / of_hands[evidence.hand]
    cells = len(tilt.parameters) * LEVELS
    by_key = np.zeros((cells, len(TILTED)))
    for key, residual in _residuals(evidence, posterior, played):
        for k in range(len(TILTED)):
            by_key[:, k] += np.bincount(key, residual[k], cells)
    gradient = np.einsum("gla,lk->gak", by_key.reshape(-1, LEVELS, len(TILTED)), shapes())
    return float(np.log(of_hands).sum()), gradient


def scores(evidence: Evidence, tilt: Tilt) -> Floats:
    """``(hands, parameters)`` each hand's part of the gradient."""
    likely, played = _likely(evidence, tilt)
    posterior = likely / np.bincount(evidence.hand, likely, evidence.hands)[evidence.hand]
    situations, by_level = len(tilt.parameters), shapes()
    found = np.zeros((evidence.hands, situations, len(TILTED), SHAPES))
    pairs = zip(evidence.layers, _residuals(evidence, posterior, played), strict=True)
    for layer, (key, residual) in pairs:
        place, level = np.divmod(key, LEVELS)
        place = evidence.hand[layer.holding] * situations + place
        for a in range(len(TILTED)):
            for k in range(SHAPES):
                part = np.bincount(place, residual[a] * by_level[level, k], evidence.hands * situations)
                found[:, :, a, k] += part.reshape(evidence.hands, situations)
    return found.reshape(evidence.hands, -1)


def ranges(evidence: Evidence, tilt: Tilt) -> Iterator[tuple[Layer, Floats, Floats]]:
    """Each layer, its ``(n, 3)`` probabilities, and ``(n,)`` weight of each holding by what came before in its hand.

    The weights of a hand's holdings sum to 1 before each decision.
    """
    weight = evidence.weight.copy()
    for layer in evidence.layers:
        of_hands = np.bincount(evidence.hand[layer.holding], weight[layer.holding], evidence.hands)
        played = probabilities(layer, tilt)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = weight[layer.holding] / of_hands[evidence.hand[layer.holding]]
        yield layer, played, np.nan_to_num(share)
        weight[layer.holding] *= _taken(layer, played)


def _likely(evidence: Evidence, tilt: Tilt) -> tuple[Floats, list[Floats]]:
    """``(m,)`` probability of each holding and of all decisions with it; and each layer's probabilities."""
    likely, all_played = evidence.weight.copy(), []
    for layer in evidence.layers:
        played = probabilities(layer, tilt)
        likely[layer.holding] *= _taken(layer, played)
        all_played.append(played)
    return likely, all_played


def _residuals(
    evidence: Evidence, posterior: Floats, all_played: list[Floats]
) -> Iterator[tuple[Integers, list[Floats]]]:
    """Each layer's keys, and by fold and raise the ``(n,)`` derivative of the log-likelihood by their tilt."""
    for layer, played in zip(evidence.layers, all_played, strict=True):
        weight = posterior[layer.holding]
        yield layer.key, [weight * ((layer.action == each) - played[:, each]) for each in TILTED]


def _taken(layer: Layer, played: Floats) -> Floats:
    found: Floats = played.ravel()[layer.taken]
    return found
