"""Weights of responses: of those to likely players, and of those that won more; within a budget of risk."""

from __future__ import annotations

import numpy as np

from cfr.strategy.strategy import Floats

_PRIOR = 0.7  # of the first response
_DOUBTED = 0.1  # share of the prior in what likelihoods say: the opponent may be like no model
_EXPLORED = 0.1  # of all hands are played by the prior, so that every response is seen now and then
_RATES = 0.25 * 0.5 ** np.arange(16)  # per big blind
_HALVINGS = 50
_MOST = 1e9


def hedged(gains: Floats, squares: Floats, likelihoods: Floats, risks: Floats, budget: float) -> Floats:
    """``(n,)`` weights that add up to 1.

    A response begins with the probability that the opponent is the player it was made for, by Bayes' rule. The first
    response, the equilibrium, has most of the prior. A part of the prior stays whatever the likelihoods say, so that
    wins can overrule them. Then a response weighs that times the mean, over learning rates, of an exponential of what
    it gained less what such gains vary by themselves (Koolen and Van Erven 2015, "Second-order quantile methods for
    experts and combinatorial games"). So a response whose gains are uncertain waits, and each has the rate that fits
    it. Of all weights whose mean risk is within the budget, the result is the nearest by relative entropy.

    Args:
        gains: sums over hands of what each response won more than the mix that played, in big blinds.
        squares: sums of the squares of these.
        likelihoods: log-likelihoods of what the opponent did, under the player that each was made for.
        risks: what each may lose more than the first, at least 0; the first has none.
        budget: for the mean of the risks, at least 0.
    """
    count = len(gains)
    prior = np.full(count, (1 - _PRIOR) / max(count - 1, 1))
    prior[0] = 1 - prior[1:].sum()
    exponents = np.log(_RATES)[:, None] + _RATES[:, None] * gains - _RATES[:, None] ** 2 * squares
    begun = (1 - _DOUBTED) * _weights(np.log(prior) + likelihoods) + _DOUBTED * prior
    learnt = _weights(np.log(begun) + np.logaddexp.reduce(exponents, axis=0))
    scores = np.log((1 - _EXPLORED) * learnt + _EXPLORED * prior)
    low, high = 0.0, 0.0
    while _weights(scores - high * risks) @ risks > budget:
        low, high = high, 2 * high or 1 / risks.max()
        if high > _MOST / risks.max():  # no budget: none but what risks nothing
            return _weights(np.where(risks > 0, -np.inf, scores))
    for _ in range(_HALVINGS if high else 0):
        middle = (low + high) / 2
        low, high = (middle, high) if _weights(scores - middle * risks) @ risks > budget else (low, middle)
    return _weights(scores - high * risks)


def _weights(scores: Floats) -> Floats:
    shares = np.exp(scores - scores.max())
    found: Floats = shares / shares.sum()
    return found
