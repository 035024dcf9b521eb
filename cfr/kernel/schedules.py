"""Schedules: how regrets are kept from one iteration to the next, and how iterations weigh in the average strategy.

All schedules belong to one family (Brown and Sandholm 2019, "Solving Imperfect-Information Games via Discounted Regret
Minimization", section "Discounted CFR"): after iteration t, positive regrets are multiplied by t^alpha / (t^alpha + 1),
negative ones by t^beta / (t^beta + 1), and the iteration's strategy weighs t^gamma in the average. Infinite exponents
keep everything (inf) or nothing (-inf). Each iteration visits every row of an enumerated lossless game once. The kernel
therefore applies the factors in the update of a row, without a pass over the tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log

from cfr.system.errors import BadInputError


@dataclass(frozen=True)
class Schedule:
    """One way to run counterfactual regret minimisation.

    Attributes:
        name: its name on the command line.
        title: its name in papers.
        source: the paper and its section.
        alpha: exponent of the discount on positive regrets.
        beta: exponent of the discount on negative regrets.
        gamma: exponent of the weight in the average strategy.
        predictive: whether regret matching adds the last iteration's regrets to the accumulated ones, as a prediction
            of the next iteration's.
        responds: whether each seat learns against an opponent of its own after the warm-up. This opponent plays a best
            response in the last round of each sampled board and regret matching in the trunk.
        growth: increase of alpha in a hundred iterations: the solve forgets early regrets sooner than late ones.
        delta: exponent of an iteration's weight in the regrets, once opponents respond. Late samples move the strategy
            less with a negative exponent. This exponent is ours; docs/strength.md shows its effect.
    """

    name: str
    title: str
    source: str
    alpha: float
    beta: float
    gamma: float
    predictive: bool = False
    responds: bool = False
    delta: float = 0.0
    growth: float = 0.0

    @property
    def num_tables(self) -> int:
        """Tables that a solve keeps in memory: regrets, the average, and accumulated regrets beside a prediction."""
        return 3 if self.predictive else 2

    def kept(self, iteration: int) -> tuple[float, float]:
        """Factors on positive and negative regrets once ``iteration`` (from 1) has been added to them."""
        alpha = self.alpha + self.growth * iteration / 100
        return _discount(iteration, alpha), _discount(iteration, self.beta)

    def weight(self, iteration: int) -> float:
        """Weight of ``iteration`` (from 1) in the average strategy."""
        return float(iteration**self.gamma)

    def step(self, iteration: int, warm_up: int) -> float:
        """Weight of ``iteration`` in the regrets, after a warm-up of ``warm_up`` iterations; 1 at its end."""
        return float((iteration / max(warm_up, 1)) ** self.delta)


def _discount(iteration: int, exponent: float) -> float:
    if exponent in (inf, -inf):
        return float(exponent > 0)
    return 1 / (1 + exp(-exponent * log(iteration)))


CFR = Schedule("cfr", "CFR", "Zinkevich et al. 2007, section 3", inf, inf, 0)
CFR_PLUS = Schedule("cfr+", "CFR+", "Tammelin 2014, section 3", inf, -inf, 1)
LINEAR = Schedule("linear", "linear CFR", "Brown and Sandholm 2019, linear CFR", 1, 1, 1)
DISCOUNTED = Schedule("dcfr", "DCFR(1.5, 0, 2)", "Brown and Sandholm 2019, discounted CFR", 1.5, 0, 2)
PREDICTIVE_PLUS = Schedule(
    "pcfr+", "predictive CFR+", "Farina, Kroer and Sandholm 2021, algorithm PRM+", inf, -inf, 2, True
)
SCHEDULED = Schedule(
    "hs-dcfr",
    "DCFR(1 + t/50, -2, 5)",
    "Zhang, McAleer and Sandholm 2024, hyperparameter schedules; the constants are ours",
    1,
    -2,
    5,
    growth=2,
)
CFR_BR = Schedule(
    "cfr-br", "CFR-BR", "Johanson, Bard, Burch and Bowling 2012, hybrid agents", inf, -inf, 1, responds=True, delta=-0.5
)
LOSSLESS = (
    CFR,
    CFR_PLUS,
    LINEAR,
    DISCOUNTED,
    SCHEDULED,
    PREDICTIVE_PLUS,
)  # for games without buckets
SAMPLED = (CFR_PLUS, CFR_BR)  # for games with buckets
SCHEDULES = {schedule.name: schedule for schedule in (*LOSSLESS, CFR_BR)}


def schedule_named(name: str) -> Schedule:
    """The schedule of that name; raises BadInputError."""
    if name not in SCHEDULES:
        raise BadInputError(f"schedule {name!r}; expected one of {', '.join(SCHEDULES)}")
    return SCHEDULES[name]
