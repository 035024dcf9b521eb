"""A player's model from their hands: gathered, fitted, told, and written as a strategy."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from cfr.exploit.exploitability import exploitability
from cfr.game.hand import LoggedHand
from cfr.opponents import leak, situation
from cfr.opponents.draws import drawn
from cfr.opponents.evidence import gather
from cfr.opponents.fit import Fit, fit
from cfr.opponents.leak import Leak
from cfr.opponents.tilt import Tilt
from cfr.opponents.tilted import Tilted
from cfr.opponents.winnings import Winnings
from cfr.strategy.files.bundled import whole_name
from cfr.strategy.files.stored import Strategy
from cfr.system.progress import Progress
from cfr.system.text import counted
from cfr.system.version import VERSION

FEWEST = 50  # hands with a decision; with fewer the model is the prior
_TOLD_BY = 1500  # hands, from whose spots frequencies are counted
_SHOWN = 12  # leaks in text
_FILED = 100  # leaks in the file
_GATHERED, _FITTED = 0.2, 0.5  # rough shares of the time; the leaks take the rest
ALGORITHM = "opponent model"


@dataclass(frozen=True)
class Model:
    """A player's model.

    Attributes:
        player: the name.
        blueprint: name of the strategy that the model tilts.
        hands: of the player with at least one decision.
        winnings: what the player won in all hands whose result is known.
        strategy: how the player plays by the model; the blueprint itself where nothing else is known.
        fit: what was fitted; None where there are too few hands.
        leaks: those that move most chips first; empty unless the model beats the blueprint.
    """

    player: str
    blueprint: str
    hands: int
    winnings: Winnings
    strategy: Tilted
    fit: Fit | None
    leaks: list[Leak] = field(default_factory=list)

    def save(self, path: str | Path, hears: Progress = lambda _: None) -> None:
        """Write the model as a strategy file; ``hears`` is told the share that is done. Raises SaveError."""
        tilt = self.strategy.tilt
        attributes: dict[str, Any] = {
            "algorithm": ALGORITHM,
            "cfr_version": VERSION,
            "created": datetime.now(UTC).strftime("%Y-%m-%d"),
            "model_player": self.player,
            "model_hands": self.hands,
            "model_blueprint": whole_name(self.blueprint),
            "model_blueprint_checksum": str(self.strategy.base.attributes["checksum"]),
            "model_floor": tilt.floor,
            "model_parameters": _listed(tilt.parameters),
        } | self.leak_attributes()
        attributes |= self.winnings.attributes
        if self.fit is not None:
            attributes |= {
                "model_gain_nats": self.fit.gain,
                "model_gain_error_nats": self.fit.gain_error,
                "model_prior_width": self.fit.prior.width,
                "model_prior_narrower": self.fit.prior.narrower,
                "model_parameter_errors": _listed(self.fit.errors),
            }
            if not tilt.is_none:
                attributes["model_draws"] = drawn(self.fit)
        self.strategy.save(path, attributes, hears)

    def leak_attributes(self) -> dict[str, str]:
        """The leaks as the file has them."""
        return {"model_leaks": json.dumps([each.to_dict() for each in self.leaks[:_FILED]])}

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        found = self.fit
        return {
            "player": self.player,
            "blueprint": self.blueprint,
            "hands": self.hands,
            "is_prior": self.strategy.tilt.is_none,
            "gain_nats": None if found is None else found.gain,
            "gain_error_nats": None if found is None else found.gain_error,
            "prior_width": None if found is None else found.prior.width,
            "result": self.winnings.rate(),
            "leaks": [each.to_dict() for each in self.leaks],
        }

    def __str__(self) -> str:
        """Lines for a reader."""
        lines = [f"{self.player}: {counted(self.hands, 'hand')} with a decision, beside {self.blueprint}"]
        lines.append(str(self.winnings))
        if self.fit is None:
            lines.append(f"fewer than {FEWEST} hands say nothing: the model is the prior, {self.blueprint} itself")
        else:
            gain = f"{self.fit.gain:+,.1f} +- {1.96 * self.fit.gain_error:.1f} nats (95 % interval)"
            lines.append(f"hands held out are likelier by the model than by the blueprint: {gain}")
            if not self.fit.beats_blueprint:
                lines.append(f"no leak found; the model is the prior, {self.blueprint} itself")
        lines += map(str, self.leaks[:_SHOWN])
        if len(self.leaks) > _SHOWN:
            lines.append(f"and {len(self.leaks) - _SHOWN} more, in the JSON")
        return "\n".join(lines)


def model_of(
    hands: Sequence[LoggedHand],
    player: str,
    strategy: Strategy,
    name: str,
    threads: int = 1,
    hears: Progress = lambda _: None,
) -> Model:
    """The model of a player.

    Args:
        hands: of one or more logs; only those of the player count.
        player: the name.
        strategy: the blueprint; a file of a whole game.
        name: the blueprint's.
        threads: that place hands in rows.
        hears: the share of the work that is done; may end the work by an exception.
    """
    none = Tilted(strategy, Tilt.none(strategy.game))
    winnings = Winnings.of(hands, player, strategy.game.big_blind)
    evidence = gather(hands, player, none, threads=threads)
    if evidence.hands < FEWEST:
        return Model(player, name, evidence.hands, winnings, none, None)
    hears(_GATHERED)
    found = fit(evidence, situation.count(strategy.game), lambda share: hears(_GATHERED + _FITTED * share))
    if not found.beats_blueprint:
        hears(1.0)
        return Model(player, name, evidence.hands, winnings, none, found)
    some = np.sort(np.random.default_rng(0).permutation(len(hands))[:_TOLD_BY])  # seats alternate in a log
    told = gather([hands[k] for k in some.tolist()], player, none, unseen=True, threads=threads)
    played = sum(player in hand.players for hand in hands)
    leaks = leak.find(told, found, strategy.game, evidence.hands / played)
    hears(1.0)
    return Model(player, name, evidence.hands, winnings, Tilted(strategy, found.tilt), found, leaks)


def with_worth(model: Model, most: int, flops: int | None, threads: int = 1, progress: bool = False) -> Model:
    """The model whose first leaks say what they are worth, by best responses on the same flops.

    A leak is worth what a best response wins more from the blueprint that strays in the leak's situation alone than
    from one that strays nowhere; both have the model's floor. Leaks of one situation share their worth.

    Args:
        model: as fitted.
        most: leaks to measure.
        flops: how many first boards to sample; None visits all, exactly.
        threads: boards at a time.
        progress: show bars on stderr.

    Raises:
        CfrError: as :func:`cfr.exploit.exploitability.exploitability`.
    """
    if not model.leaks:
        return model
    base, tilt = model.strategy.base, model.strategy.tilt

    def lost(kept: Tilt) -> float:
        found = exploitability(Tilted(base, kept), flops, threads=threads, progress=progress)
        return found.exploitability_mbb

    plain = lost(Tilt(np.zeros_like(tilt.parameters), tilt.floor))
    worth = {k: lost(tilt.only(k)) - plain for k in dict.fromkeys(each.situation for each in model.leaks[:most])}
    leaks = [replace(each, worth_mbb=worth.get(each.situation)) for each in model.leaks]
    return replace(model, leaks=leaks)


def _listed(numbers: np.ndarray) -> str:
    """Numbers as JSON text, which an attribute keeps."""
    return json.dumps(numbers.round(4).tolist())
