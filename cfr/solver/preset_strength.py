"""How strong a preset's solve of full hold'em is after so many iterations: a curve through what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from math import log2

import numpy as np

from cfr.solver.presets import preset_of
from cfr.solver.settings import Settings

_FARTHEST = 2.0  # doublings beyond the measured iterations, about which nothing is said
_DEVIATIONS = 2.0  # of the errors where a point is left out
_BEYOND = 4.0  # by which an error grows with a doubling beyond the measured iterations
_SAMPLED_MBB = 3.0  # what a sample of flops, another seed and another machine's warm-up may change
_EXPONENTS = np.arange(0.1, 2.001, 0.02)


@dataclass(frozen=True)
class Measured:
    """A solve that was measured in the real game.

    Attributes:
        iterations: how many.
        exploitability_mbb: in mbb/g.
    """

    iterations: int
    exploitability_mbb: float


# From docs/strength.md, "How strength grows with iterations": a test compares. Solves of the preset as it is, by number
# of iterations; sampled flops read low, and what they miss of the one that was measured on all of them is added.
MEASURED: dict[str, tuple[Measured, ...]] = {
    "quick": (
        Measured(2_000, 171.3),
        Measured(4_000, 136.2),
        Measured(8_000, 113.1),
        Measured(16_000, 100.7),
        Measured(19_248, 99.3),
        Measured(32_000, 96.8),
    ),
}


@dataclass(frozen=True)
class StrengthForecast:
    """What a solve will lead to.

    Attributes:
        exploitability_mbb: in mbb/g.
        error_mbb: how far off it may be, by what the curve misses where points are left out.
    """

    exploitability_mbb: float
    error_mbb: float

    def __str__(self) -> str:
        return f"about {self.exploitability_mbb:.0f} ± {self.error_mbb:.0f} mbb/g"


@dataclass(frozen=True)
class StrengthCurve:
    """``a + b * iterations ** -c``, fitted to at least four measured solves by least squares; ``a`` is not negative."""

    points: tuple[Measured, ...]

    def forecast(self, iterations: int) -> StrengthForecast | None:
        """What so many iterations lead to; None too far from what was measured."""
        known = [point.iterations for point in self.points]
        if iterations < 1 or len(known) < 4:
            return None
        beyond = max(0.0, log2(min(known) / iterations), log2(iterations / max(known)))
        if beyond > _FARTHEST:
            return None
        scatter = _DEVIATIONS * self._left_out * _BEYOND**beyond
        return StrengthForecast(self._at(iterations), float(np.hypot(scatter, _SAMPLED_MBB)))

    def without(self, point: Measured) -> StrengthCurve:
        """The curve that never saw a point."""
        return StrengthCurve(tuple(each for each in self.points if each != point))

    def _at(self, iterations: int) -> float:
        a, b, c = self._fit
        return float(a + b * iterations**-c)

    @cached_property
    def _left_out(self) -> float:
        """Root mean square of what the curves that never saw a point between others miss it by, in mbb/g."""
        inner = sorted(self.points, key=lambda point: point.iterations)[1:-1]
        missed = [self.without(p)._at(p.iterations) - p.exploitability_mbb for p in inner]
        return float(np.sqrt(np.mean(np.square(missed))))

    @cached_property
    def _fit(self) -> tuple[float, float, float]:
        iterations = np.array([point.iterations for point in self.points], float)
        found = np.array([point.exploitability_mbb for point in self.points])
        best = (np.inf, 0.0, 0.0, 0.0)
        for c in _EXPONENTS.tolist():
            shape = iterations**-c
            (b, a), *_ = np.linalg.lstsq(np.stack([shape, np.ones_like(shape)], axis=1), found)
            if a < 0:
                a, b = 0.0, (shape @ found) / (shape @ shape)
            best = min(best, (float(((a + b * shape - found) ** 2).sum()), float(a), float(b), c))
        return best[1:]


def forecast_strength(settings: Settings, iterations: int) -> StrengthForecast | None:
    """What a solve by these settings leads to after so many iterations; None for all that was not measured."""
    name = preset_of(settings)
    return None if name is None or name not in MEASURED else _curve(name).forecast(iterations)


@cache
def _curve(name: str) -> StrengthCurve:
    return StrengthCurve(MEASURED[name])
