"""Exact spots for visitors: what is to be solved, whether it is allowed, and the solution as JSON."""

from __future__ import annotations

import hashlib
import re
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from cfr.game.betting_round import ACTIONS
from cfr.game.hand_classes import CLASS_NAMES, class_numbers
from cfr.game.range_text import prefix
from cfr.game.ranges import Range
from cfr.game.words import ACTION_NAMES, ROUND_NAMES
from cfr.spots.blueprint_exploitability import blueprint_percent
from cfr.spots.forecast import SpotForecast, forecast_spot
from cfr.spots.lock import Lock, parse_lock
from cfr.spots.settings import SpotSettings
from cfr.spots.solve import Watch, solve_spot
from cfr.strategy.files.spot_file import SpotStrategy
from cfr.strategy.spot import Spot
from cfr.strategy.strategy import BaseStrategy, Floats
from cfr.study.grid import grid
from cfr.system.cores import usable_cores
from cfr.system.errors import BadInputError, MalformedTextError
from cfr.values.expected_values import SpotValues, values_of
from cfr.web.server import spot_view, values
from cfr.web.server.endpoints import number, numbers, to_json

OWN = "strategy"  # the range that the strategy brings to the spot
MOST_LOCKS, MOST_LOCK = 32, 1000  # and characters of each
MOST_SECONDS = 3600.0
_SHARE = 0.8  # of the free memory that a spot may take
_TARGETS = (0.001, 100.0)  # percent of the pot
_FLOP = 1
_WEIGHT = re.compile(r":\s*[^\s,]*")  # blanks before it would be searched again from each of them
_QUOTED = 160  # characters of a refusal
_FIGURES = (
    "iterations",
    "seconds",
    "exploitability_percent_of_pot",
    "exploitability_mbb",
    "value_button_mbb",
    "value_big_blind_mbb",
)


@dataclass(frozen=True)
class Wanted:
    """The spot that a visitor wants to be solved.

    Attributes:
        id: the same for the same spot, ranges, locks and target.
        settings: of the solve.
        ranges: both seats' in the shortest notation, the button's first.
        forecast: what it takes.
    """

    id: str
    settings: SpotSettings
    ranges: tuple[str, str]
    forecast: SpotForecast

    @property
    def target(self) -> float:
        """Exploitability in percent of the pot."""
        return self.settings.target_percent or 0.0

    @property
    def most_iterations(self) -> int | None:
        """The most iterations: with locks the target may not be met."""
        return self.settings.iterations

    @property
    def expected_iterations(self) -> int:
        """As forecast."""
        return self.forecast.iterations

    @property
    def seconds(self) -> float:
        """The forecast of the duration, in seconds."""
        return self.forecast.iterations * self.forecast.seconds_per_iteration

    @property
    def can_be_left(self) -> bool:
        """Whether the solve goes on when its visitor leaves: flops take minutes."""
        return self.settings.spot.state.round <= _FLOP

    @property
    def refusal(self) -> str | None:
        """Why the spot is not solved here."""
        most = _SHARE * self.forecast.free_bytes
        if self.forecast.memory_bytes <= most and self.seconds <= MOST_SECONDS:
            return None
        spot = self.settings.spot
        return (
            f"this {ROUND_NAMES[spot.state.round]} takes about {self.forecast.memory_bytes / 1e9:.1f} GB of memory and "
            f"{_duration(self.seconds)}; a spot may take {most / 1e9:.1f} GB and {_duration(MOST_SECONDS)} here: "
            "narrow the ranges, or solve a later round"
        )

    def answer(self) -> dict[str, Any]:
        """Ranges and forecast for JSON."""
        spot = self.settings.spot
        button = spot.game.button
        live = np.bincount(class_numbers(), spot.game.live(spot.board), len(CLASS_NAMES)).astype(np.float64)
        return {
            "id": self.id,
            "ranges": {
                name: {
                    "text": text,
                    "combos": float(spot.ranges[seat].sum()),
                    "weights": _class_weights(spot, seat, live),
                }
                for name, text, seat in zip(("button", "bb"), self.ranges, (button, 1 - button), strict=True)
            },
            "live": live.astype(int).tolist(),
            "forecast": asdict(self.forecast) | {"seconds": self.seconds},
            "can_be_left": self.can_be_left,
            "refusal": self.refusal,
        }


def _class_weights(spot: Spot, seat: int, live: Floats) -> list[float]:
    sums = np.bincount(class_numbers(), spot.ranges[seat], len(CLASS_NAMES))
    weights: list[float] = (sums / np.maximum(live, 1)).tolist()
    return weights


@dataclass(frozen=True)
class Outcome:
    """A solved spot.

    Attributes:
        strategy: the solution.
        figures: of the solve, for JSON.
    """

    strategy: SpotStrategy
    figures: dict[str, Any]

    @property
    def kept_bytes(self) -> int:
        """Memory of the solution."""
        return self.strategy.nbytes


@dataclass(frozen=True)
class ExactSpots:
    """Solves spots and shows the solutions beside a strategy.

    Attributes:
        strategy: gives ranges, and what solutions are compared with; it does not re-solve.
        spots: how many are solved at a time; they share the cores.
    """

    strategy: BaseStrategy
    spots: int = 1

    def wanted(self, body: dict[str, Any]) -> Wanted:
        """Read what a visitor wants; up to a second, for a flop.

        Args:
            body: ``board``, ``line``, ``button`` and ``bb`` (ranges), ``locks`` and ``target``.

        Raises:
            CfrError: what cannot be read, played or solved, in one line.
        """
        if not _TARGETS[0] <= body["target"] <= _TARGETS[1]:
            raise BadInputError(f"target: expected {_TARGETS[0]:g} to {_TARGETS[1]:g} percent of the pot")
        if len(body["locks"]) > MOST_LOCKS:
            raise BadInputError(f"{len(body['locks'])} locks; expected at most {MOST_LOCKS}")
        position = self.strategy.at(body["board"], body["line"])
        state = position.state
        if state.round < _FLOP:
            raise BadInputError("spots before the flop are not solved exactly; go on to a flop, turn or river")
        button = state.tree.game.button
        (first, text), (second, other) = (
            read_range(body[name], position.reach(seat)) for name, seat in (("button", button), ("bb", 1 - button))
        )
        spot = Spot(state, position.board, np.array([second, first] if button else [first, second]))
        settings = SpotSettings(
            spot=spot,
            target_percent=float(body["target"]),
            minutes=MOST_SECONDS / 60,
            locks=tuple(_lock(spot, each) for each in body["locks"]),
            threads=max(1, usable_cores() // self.spots),
        )
        return Wanted(_id(settings), settings, (text, other), forecast_spot(settings))

    def solve(self, wanted: Wanted, watch: Watch) -> Outcome:
        """Solve a spot; ``watch`` as for :func:`cfr.spots.solve.solve_spot`."""
        result, settings = solve_spot(wanted.settings, watch=watch), wanted.settings
        percent = blueprint_percent(self.strategy.blueprint, settings.spot, settings.threads)
        figures = {name: getattr(result, name) for name in _FIGURES} | result.frequencies
        return Outcome(result.strategy, figures | {"blueprint_exploitability_percent_of_pot": percent})

    def solution(self, solved: BaseStrategy, board: str, line: str) -> bytes:
        """A solved spot, or one that follows it, beside the strategy's own play with the same hands, as JSON.

        Raises:
            CfrError: a spot that does not follow, or whose round was left out.
        """
        position = solved.at(board, line)
        state = position.state
        legal = [ACTIONS.index(letter) for letter in state.legal]
        own = self.strategy.at(state, position.board)
        played = own.frequencies * own.live[:, None]
        chart = grid(replace(position.range(), frequencies=played))
        answer = spot_view.shown(position) | {
            "strategy": {
                "shares": {ACTION_NAMES[n]: float(chart.total[n]) for n in legal},
                "mix": {ACTION_NAMES[n]: chart.mix[:, n].tolist() for n in legal},
                "frequencies": {ACTION_NAMES[n]: played[:, n].tolist() for n in legal},
            },
        }
        try:
            found = values_of(position)
        except BadInputError as error:
            return to_json(answer | {"has_values": False, "problem": str(error), "gain": None}).encode()
        return to_json(answer | {"values": values.shown(found), "gain": _gain(found, played)}).encode()


def _lock(spot: Spot, text: str) -> Lock:
    if len(text) > MOST_LOCK:
        raise BadInputError(f"a lock of {len(text)} characters; expected at most {MOST_LOCK}")
    if "@" in text:
        raise BadInputError("a lock on this page has shares, such as r:fold=0.4; files are for the command line")
    return parse_lock(spot, text)


def _id(settings: SpotSettings) -> str:
    spot = settings.spot
    found = hashlib.sha256(repr((spot.board, spot.state.line_string, settings.target_percent)).encode())
    found.update(spot.ranges.tobytes())
    for lock in settings.locks:
        found.update(lock.state.line_string.encode() + lock.frequencies.tobytes())
    return found.hexdigest()[:32]


def read_range(text: str, own: Floats) -> tuple[Floats, str]:
    """``(H,)`` weights, and their shortest notation.

    ``strategy``, or nothing, is the strategy's ``own`` range. What follows a ``;`` changes the weights of the hands
    that it names: ``strategy; AA:0, KK:0.5``.

    Raises:
        MalformedTextError: text that cannot be read.
    """
    base, *changes = text.split(";")
    is_own = base.strip().lower() in ("", OWN)
    found = own.copy() if is_own else _parsed(base)
    changed = np.zeros(len(found), np.bool_)
    for change in filter(str.strip, changes):
        named = _parsed(_WEIGHT.sub("", change)) > 0
        found[named] = _parsed(change)[named]
        changed |= named
    if not is_own:
        return found, str(Range(found))
    kept = str(Range(np.where(changed, found, 0.0))) if found[changed].any() else ""
    gone = changed & (found == 0)
    parts = [part for part in kept.split(",") if part]
    if gone.any():
        parts += [f"{part}:0" for part in str(Range(gone.astype(np.float64))).split(",")]
    return found, f"{OWN}; {','.join(parts)}" if parts else OWN


def _parsed(text: str) -> Floats:
    try:
        return Range.parse(text).weights.copy()
    except MalformedTextError as error:
        said = str(error).removeprefix(prefix(text))
        raise MalformedTextError(f"range: {said if len(said) <= _QUOTED else said[:_QUOTED] + '...'}") from None


def _gain(found: SpotValues, played: Floats) -> dict[str, Any]:
    """What playing as solved here wins over playing as the strategy here, in mbb; both play as solved afterwards."""
    instead = np.where(np.isnan(found.ev), np.nan, np.nansum(played * found.action_ev, axis=1))
    gained = replace(found, ev=found.ev - instead)
    by_class = gained.by_class().ev
    assert by_class is not None
    return {"mean": number(gained.mean_ev), "classes": numbers(by_class), "hands": numbers(gained.ev)}


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} minutes"
