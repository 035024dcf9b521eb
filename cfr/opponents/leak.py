"""Leaks: what a player does more or less often than a blueprint, in situations that come up, in a player's words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.game.rules import Game
from cfr.game.words import ACTION_NAMES
from cfr.opponents import situation
from cfr.opponents.evidence import Evidence
from cfr.opponents.fit import Fit
from cfr.opponents.hand_strength import LEVELS
from cfr.opponents.likelihood import ranges
from cfr.opponents.tilt import Tilt
from cfr.system.text import signed

PARTS = ("", "weak hands", "strong hands")  # the whole range, its levels below a third and from two thirds on
LEAST = 0.03  # difference of frequencies that is worth a word
_DRAWS = 40
_ALMOST_NONE = 1e-6  # floor by which a blueprint comes to lines that it never takes

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Leak:
    """One leak.

    Attributes:
        situation: number of the situation.
        where: the situation in words.
        action: fold, call or raise.
        does: the action in words, such as ``bets``.
        part: the hands that it is about: one of PARTS.
        frequency, blueprint: how often the player and the blueprint do it there, 0 to 1, each with its own range.
        interval_95: half width of the player's.
        per_100_hands: how often the situation comes up with these hands, in 100 of the player's hands.
        worth_mbb: by how much a best response wins more, mbb/g, if the model strays in this situation alone; None
            where it was not measured.
    """

    situation: int
    where: str
    action: str
    does: str
    part: str
    frequency: float
    blueprint: float
    interval_95: float
    per_100_hands: float
    worth_mbb: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return dict(vars(self))

    def __str__(self) -> str:
        hands = f" {self.part}" if self.part else ""
        worth = ""
        if self.worth_mbb is not None:
            worth = f"; worth {signed(self.worth_mbb)} mbb/g, {signed(self.worth_mbb / 10, 2)} big blinds per 100 hands"
        return (
            f"{self.does}{hands} {self.where}: {100 * self.frequency:.0f} % (blueprint {100 * self.blueprint:.0f} %), "
            f"+- {100 * self.interval_95:.0f} points; comes up {self.per_100_hands:.1f} times in 100 hands{worth}"
        )


def find(evidence: Evidence, found: Fit, game: Game, played: float = 1.0) -> list[Leak]:
    """Leaks beyond doubt, those that move most chips first: difference times occurrences times the round's bet.

    Args:
        evidence: hands with all holdings that are possible, whatever was shown.
        found: the fit to the player's hands.
        game: the rules.
        played: share of the player's hands that have a decision of the player, as those of the evidence have.
    """
    own, weight = frequencies(evidence, found.tilt)
    none = Tilt(np.zeros_like(found.tilt.parameters), _ALMOST_NONE)
    blueprint, _ = frequencies(evidence, none)
    rng, size = np.random.default_rng(0), found.tilt.parameters.shape
    half = np.linalg.cholesky(found.covariance)
    drawn = [
        frequencies(
            evidence, Tilt(found.tilt.parameters + (half @ rng.normal(size=len(half))).reshape(size), found.tilt.floor)
        )[0]
        for _ in range(_DRAWS)
    ]
    spread = 1.96 * np.std(drawn, axis=0)
    leaks: list[tuple[float, Leak]] = []
    for here, part, action in np.argwhere(np.abs(own - blueprint) > np.maximum(LEAST, spread)):
        times = 100 * weight[here, part] / evidence.hands * played
        if part and _is_told(own, blueprint, spread, here, action) and _is_similar(own, blueprint, here, part, action):
            continue  # the whole range says it already
        round_, _, raised = situation.parts(here)
        size_ = abs(own[here, part, action] - blueprint[here, part, action]) * times * game.raise_sizes[round_]
        leaks.append(
            (
                float(size_),
                Leak(
                    int(here),
                    situation.words(here, game),
                    ACTION_NAMES[action],
                    _does(int(action), here, game, raised),
                    PARTS[part],
                    float(own[here, part, action]),
                    float(blueprint[here, part, action]),
                    float(spread[here, part, action]),
                    float(times),
                ),
            )
        )
    return [leak for _, leak in sorted(leaks, key=lambda each: -each[0])]


def frequencies(evidence: Evidence, tilt: Tilt) -> tuple[Floats, Floats]:
    """``(situations, PARTS, 3)`` how often each action is taken, and ``(situations, PARTS)`` how often the spot came.

    Frequencies are means over the hands that a tilt brings to the spots of the evidence.
    """
    situations = len(tilt.parameters)
    taken, weight = np.zeros((situations, LEVELS, 3)), np.zeros((situations, LEVELS))
    for layer, played, share in ranges(evidence, tilt):
        weight += np.bincount(layer.key, share, situations * LEVELS).reshape(situations, LEVELS)
        for action in range(3):
            part = np.bincount(layer.key, share * played[:, action], situations * LEVELS)
            taken[:, :, action] += part.reshape(situations, LEVELS)
    third = np.arange(LEVELS) / LEVELS
    wanted = np.array([np.ones(LEVELS), third < 1 / 3, third >= 2 / 3])
    of_parts, sums = np.einsum("pl,gla->gpa", wanted, taken), weight @ wanted.T
    return of_parts / np.maximum(sums, 1e-9)[:, :, None], sums


def _is_told(own: Floats, blueprint: Floats, spread: Floats, here: int, action: int) -> bool:
    return bool(abs(own[here, 0, action] - blueprint[here, 0, action]) > max(LEAST, spread[here, 0, action]))


def _is_similar(own: Floats, blueprint: Floats, here: int, part: int, action: int) -> bool:
    """Whether a part of the range strays no further than twice the whole range."""
    strays = own[here, :, action] - blueprint[here, :, action]
    return bool(0 <= strays[part] * np.sign(strays[0]) <= 2 * abs(strays[0]))


def _does(action: int, here: int, game: Game, raised: int) -> str:
    round_, seat, _ = situation.parts(here)
    if action == 1:
        owes = raised or (round_ == 0 and game.blinds[seat] < max(game.blinds))
        return "calls" if owes else "checks"
    return ("folds", "", "raises" if raised or round_ == 0 else "bets")[action]
