"""Counter-strategies from safe to greedy: what each wins from a model, and what it can lose."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cfr.exploit.exploitability import exploitability
from cfr.exploit.exploitability_result import METHOD
from cfr.exploit.head_to_head import value_against
from cfr.strategy.strategy import BaseStrategy
from cfr.system.text import signed


@dataclass(frozen=True)
class Point:
    """One strategy of the family; mbb/g.

    Attributes:
        confidence: the chance with which the opponent of its solve played the model; 0 stands for the blueprint.
        win_mbb: what it wins from the model.
        exploitability_mbb: what a best response wins from it in the real game.
        standard_error_mbb: of the exploitability; 0 where all flops were visited, infinite with too few flops.
        win_10_mbb, win_90_mbb: in eight of ten draws of the model the win lies between them; None without draws.
    """

    confidence: float
    win_mbb: float
    exploitability_mbb: float
    standard_error_mbb: float
    win_10_mbb: float | None = None
    win_90_mbb: float | None = None

    def attributes(self, blueprint: Point) -> dict[str, Any]:
        """What a strategy file says of its exploitability and its win, beside those of the blueprint."""
        names = ("win_10_mbb", "win_90_mbb")
        ends = {f"counter_{name}": value for name in names if (value := getattr(self, name)) is not None}
        return ends | {
            "exploitability_mbb": self.exploitability_mbb,
            "exploitability_standard_error_mbb": self.standard_error_mbb,
            "exploitability_method": f"{METHOD}, by cfr counter",
            "counter_win_mbb": self.win_mbb,
            "counter_blueprint_win_mbb": blueprint.win_mbb,
            "counter_blueprint_exploitability_mbb": blueprint.exploitability_mbb,
            "counter_blueprint_standard_error_mbb": blueprint.standard_error_mbb,
        }

    @classmethod
    def both_in(cls, attributes: Mapping[str, Any]) -> tuple[Point, Point]:
        """The blueprint's point and the file's own, of a file's attributes; raises KeyError for one not measured."""
        own = (attributes["counter_confidence"], attributes["counter_win_mbb"])
        blueprint = [
            attributes[f"counter_blueprint_{name}_mbb"] for name in ("win", "exploitability", "standard_error")
        ]
        lost = [attributes[f"exploitability_{name}"] for name in ("mbb", "standard_error_mbb")]
        ends = [attributes[key] for key in ("counter_win_10_mbb", "counter_win_90_mbb") if key in attributes]
        return cls(0.0, *map(float, blueprint)), cls(*map(float, (*own, *lost, *ends)))

    def to_dict(self) -> dict[str, Any]:
        """For JSON; a standard error that is not known is None."""
        is_known = math.isfinite(self.standard_error_mbb)
        return vars(self) | {"standard_error_mbb": self.standard_error_mbb if is_known else None}

    def __str__(self) -> str:
        name = f"confidence {self.confidence:g}" if self.confidence else "blueprint"
        wins = f"wins {signed(self.win_mbb)} mbb/g from the model"
        if self.win_10_mbb is not None and self.win_90_mbb is not None:
            wins += f" ({signed(self.win_10_mbb)} to {signed(self.win_90_mbb)} in 80 % of its draws)"
        return f"{name:<16} {wins}, exploitability {self.exploitability_mbb:.1f} mbb/g"


def measured(
    confidence: float,
    strategy: BaseStrategy,
    model: BaseStrategy,
    flops: int | None,
    threads: int = 1,
    progress: bool = False,
    logs: Sequence[Path | None] = (None, None),
    draws: Sequence[BaseStrategy] = (),
) -> Point:
    """A strategy's win from a model and its draws, and its exploitability, by the same flops; None visits all, exactly.

    ``logs`` keep what is measured, flop by flop: the win, the exploitability, and the win from each draw. What they
    hold is not measured again.

    Raises:
        CfrError: as :func:`cfr.exploit.exploitability.exploitability`.
    """
    of_draws = logs[2:] or [None] * len(draws)
    won, *others = (
        value_against(strategy, each, flops, threads=threads, progress=progress, partial=log, resume=True).mbb_per_game
        for each, log in zip((model, *draws), (logs[0], *of_draws), strict=True)
    )
    lost = exploitability(strategy, flops, threads=threads, progress=progress, partial=logs[1], resume=True)
    ends = map(float, np.percentile(others, (10, 90)) if others else ())
    return Point(confidence, won, lost.exploitability_mbb, lost.standard_error_mbb, *ends)


def within(points: Sequence[Point], risk: float) -> Point:
    """The point that wins most from the model among those at most ``risk`` mbb/g more exploitable than the first."""
    most = points[0].exploitability_mbb + risk
    return max((each for each in points if each.exploitability_mbb <= most), key=lambda each: each.win_mbb)


@dataclass(frozen=True)
class Mix:
    """A coin at the start of each hand between two points.

    Attributes:
        safer, greedier: the points.
        share: chance of the greedier one.
    """

    safer: Point
    greedier: Point
    share: float

    @property
    def win_mbb(self) -> float:
        """What the mix wins from the model, exactly as its points were measured."""
        return self.mean({each.confidence: each.win_mbb for each in (self.safer, self.greedier)})

    @property
    def worst_mbb(self) -> float:
        """The most that anybody wins from the mix: a best response to it wins no more than best responses to each."""
        return self.mean({each.confidence: each.exploitability_mbb for each in (self.safer, self.greedier)})

    def mean(self, of_each: Mapping[float, float]) -> float:
        """The mean over the coin of something that is known for each strategy by its confidence."""
        return (1 - self.share) * of_each[self.safer.confidence] + self.share * of_each[self.greedier.confidence]

    def player(self, files: Mapping[float, str]) -> str:
        """The mix as a strategy's name, of files by confidence; its share is rounded to the safe side."""
        share = math.floor(1e6 * self.share) / 1e6
        return f"mix:{files[self.greedier.confidence]}@{share:.6f},{files[self.safer.confidence]}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "safer_confidence": self.safer.confidence,
            "greedier_confidence": self.greedier.confidence,
            "share": self.share,
            "win_mbb": self.win_mbb,
            "worst_mbb": self.worst_mbb,
        }

    def __str__(self) -> str:
        safer = f"confidence {self.safer.confidence:g}" if self.safer.confidence else "the blueprint"
        return (
            f"a coin at the start of each hand, confidence {self.greedier.confidence:g} in {100 * self.share:.1f} % of "
            f"them and {safer} in the others: wins {signed(self.win_mbb)} mbb/g from the model, exploitability at most "
            f"{self.worst_mbb:.1f} mbb/g"
        )


def best_mix(points: Sequence[Point], risk: float) -> Mix:
    """The mix of two points that wins most from the model, with a worst case of at most ``risk`` above the first.

    Args:
        points: the blueprint first.
        risk: mbb/g, from 0 on.
    """
    most = points[0].exploitability_mbb + risk
    mixes = []
    for safer in points:
        for greedier in points:
            low, high = safer.exploitability_mbb, greedier.exploitability_mbb
            if low <= most:
                share = 1.0 if high <= most else (most - low) / (high - low)
                mixes.append(Mix(safer, greedier, share))
    return max(mixes, key=lambda mix: mix.win_mbb)


def coins(points: Sequence[Point], steps: int) -> list[Mix]:
    """Mixes from the safest point to the greediest; no coin of two points wins more with the same worst case.

    Args:
        points: the blueprint first.
        steps: mixes from a point to the next that is worth playing.
    """
    corners: list[Point] = []
    for each in sorted(points, key=lambda point: (point.exploitability_mbb, -point.win_mbb)):
        best = best_mix(points, each.exploitability_mbb - points[0].exploitability_mbb)
        if each.win_mbb >= best.win_mbb and (not corners or each.win_mbb > corners[-1].win_mbb):
            corners.append(each)
    pairs = itertools.pairwise(corners)
    found = [Mix(safer, greedier, step / steps) for safer, greedier in pairs for step in range(steps)]
    return [*found, Mix(corners[-1], corners[-1], 1.0)]
