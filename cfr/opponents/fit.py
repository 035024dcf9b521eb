"""The tilt that fits a player's hands best, given how far players stray from a blueprint.

The parameters have a normal prior of mean 0, the blueprint. Situations share strength: a parameter is the sum of a part
that all situations have, one of its round, one of the number of raises, and one of its own. How wide the prior is, and
whether anything is learnt at all, is chosen by the likelihood of hands that a fit has not seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from cfr.opponents import situation
from cfr.opponents.evidence import Evidence
from cfr.opponents.likelihood import log_likelihoods, scores, value_and_gradient
from cfr.opponents.tilt import SHAPES, TILTED, Tilt
from cfr.system.progress import Progress

WIDTHS = (0.12, 0.3, 0.8, 2.0)  # standard deviations of an intercept, in log-odds
NARROWER = (0.1, 1.0)  # those of slopes and ends, as parts of it
FLOORS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
FOLDS = 4
SURE = 2.3  # standard errors by which a model's held-out likelihood must beat the blueprint's
CHOSEN_BY = 2000  # hands
_SHARED = {"all": 0.3, "round": 0.2, "raises": 0.2, "own": 0.3}  # parts of the prior's variance

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Prior:
    """Standard deviations of the parameters.

    Attributes:
        width: of intercepts, in log-odds.
        narrower: those of slopes and ends, as part of the width.
    """

    width: float
    narrower: float

    @property
    def of_parameters(self) -> Floats:
        """``(2 * SHAPES,)`` of fold's parameters and raise's."""
        return self.width * np.tile([1.0, *[self.narrower] * (SHAPES - 1)], len(TILTED))


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted tilt.

    Attributes:
        tilt: none where hands held out speak for the blueprint.
        errors: ``(situations, 2, SHAPES)`` standard error of each parameter.
        covariance: of the parameters, flattened (Laplace's approximation).
        prior: standard deviations.
        gain: log-likelihood of hands held out, above the blueprint's, of all hands together; nats.
        gain_error: its standard error.
    """

    tilt: Tilt
    errors: Floats
    covariance: Floats
    prior: Prior
    gain: float
    gain_error: float

    @property
    def beats_blueprint(self) -> bool:
        """Whether the model predicts hands held out better than the blueprint, beyond doubt."""
        return self.gain > SURE * self.gain_error


def fit(evidence: Evidence, situations: int, hears: Progress = lambda _: None) -> Fit:
    """Fit a tilt to a player's hands.

    Args:
        evidence: at least a few dozen hands.
        situations: of the game.
        hears: the share of the work that is done; may end the work by an exception.
    """
    fits, done = 1 + 2 * len(NARROWER) * len(WIDTHS) + FOLDS + 1, count(1)

    def learn(some: Evidence, floor: float, prior: Prior, start: Floats) -> Floats:
        found = most_likely(some, floor, prior, start)
        hears(next(done) / fits)
        return found

    floor, prior = _chosen(evidence, situations, learn)
    none = np.zeros((situations, len(TILTED), SHAPES))
    plain = best_floor(evidence, none)
    of_fold = _at_random(evidence.hands, FOLDS)
    better = np.zeros(evidence.hands)
    for k in range(FOLDS):
        test = evidence.of(of_fold == k)
        fitted = learn(evidence.of(of_fold != k), floor, prior, none)
        better[of_fold == k] = log_likelihoods(test, Tilt(fitted, floor)) - log_likelihoods(test, Tilt(none, plain))
    parameters = learn(evidence, floor, prior, none)
    covariance = laplace(evidence, Tilt(parameters, floor), prior)
    error = float(better.std(ddof=1) * np.sqrt(evidence.hands))
    errors = np.sqrt(np.diag(covariance)).reshape(none.shape)
    return Fit(Tilt(parameters, floor), errors, covariance, prior, float(better.sum()), error)


def _chosen(
    evidence: Evidence, situations: int, learn: Callable[[Evidence, float, Prior, Floats], Floats]
) -> tuple[float, Prior]:
    """The floor and the prior, by some of the hands; ``learn`` is :func:`most_likely`."""
    some = evidence.of(_at_random(evidence.hands, evidence.hands) < CHOSEN_BY)
    none = np.zeros((situations, len(TILTED), SHAPES))
    floor = best_floor(some, none)
    floor = best_floor(some, learn(some, floor, Prior(1.0, 1.0), none))
    of_fold = _at_random(some.hands, 2)
    halves = [(some.of(of_fold != k), some.of(of_fold == k)) for k in range(2)]
    found: dict[Prior, float] = {}
    for narrower in NARROWER:
        fitted = [none, none]
        for width in WIDTHS:
            prior = Prior(width, narrower)
            fitted = [learn(train, floor, prior, begun) for (train, _), begun in zip(halves, fitted, strict=True)]
            found[prior] = sum(
                float(log_likelihoods(test, Tilt(each, floor)).sum())
                for (_, test), each in zip(halves, fitted, strict=True)
            )
    return floor, max(found, key=lambda prior: found[prior])


def _at_random(hands: int, folds: int) -> NDArray[np.intp]:
    """``(hands,)`` fold of each hand; at random, since seats alternate in a log, but always the same."""
    return np.random.default_rng(0).permutation(hands) % folds


def best_floor(evidence: Evidence, parameters: Floats) -> float:
    """The floor of FLOORS under which the hands are likeliest."""
    return max(FLOORS, key=lambda floor: float(log_likelihoods(evidence, Tilt(parameters, floor)).sum()))


def most_likely(evidence: Evidence, floor: float, prior: Prior, start: Floats) -> Floats:
    """The parameters of the greatest posterior density, shaped as ``start``, from which the search begins."""
    half = np.linalg.cholesky(shared_variance(len(start) // (2 * situation.RAISES)))
    shape = start.shape
    spread = prior.of_parameters

    def loss(flat: Floats) -> tuple[float, Floats]:
        free = flat.reshape(shape[0], -1)
        value, gradient = value_and_gradient(evidence, Tilt((half @ free * spread).reshape(shape), floor))
        slope = half.T @ (gradient.reshape(shape[0], -1) * spread)
        return 0.5 * float(flat @ flat) - value, flat - slope.ravel()

    begun = np.linalg.solve(half, start.reshape(shape[0], -1) / spread).ravel()
    found = minimize(loss, begun, jac=True, method="L-BFGS-B", options={"maxiter": 50, "ftol": 1e-6, "gtol": 1e-2})
    result: Floats = (half @ found.x.reshape(shape[0], -1) * spread).reshape(shape)
    return result


def laplace(evidence: Evidence, tilt: Tilt, prior: Prior) -> Floats:
    """Covariance of the parameters about the fitted ones, by the scores of single hands and the prior."""
    each = scores(evidence, tilt)
    of_situations = np.linalg.inv(shared_variance(len(tilt.parameters) // (2 * situation.RAISES)))
    precision = each.T @ each + np.kron(of_situations, np.diag(prior.of_parameters**-2.0))
    return np.linalg.inv(precision).astype(np.float64)


def shared_variance(rounds: int) -> Floats:
    """``(situations, situations)`` correlation of a parameter's values by the prior."""
    parts = np.array([situation.parts(k) for k in range(rounds * 2 * situation.RAISES)])
    same_round = parts[:, None, 0] == parts[None, :, 0]
    same_raises = parts[:, None, 2] == parts[None, :, 2]
    found: Floats = (
        _SHARED["all"]
        + _SHARED["round"] * same_round
        + _SHARED["raises"] * same_raises
        + _SHARED["own"] * np.eye(len(parts))
    )
    return found
