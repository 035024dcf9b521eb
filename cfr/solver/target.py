"""Targets of a solve: when the strategy is measured on the way, and whether it is good enough."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from math import comb, prod
from pathlib import Path

import numpy as np

from cfr.exploit.exploitability import exploitability
from cfr.exploit.flop_values import bundled_values
from cfr.game.betting import BettingTree
from cfr.game.rules import Game
from cfr.hands.flops import at_most, first_boards
from cfr.solver import checkpoint
from cfr.solver.settings import Settings
from cfr.solver.solver import Solver
from cfr.solver.stopping import seconds_to_code
from cfr.strategy.files.file import set_attributes
from cfr.strategy.files.stored import Strategy
from cfr.system.clock import Clock
from cfr.system.disk.files import replacing
from cfr.system.errors import BadInputError
from cfr.system.text import counted, digits, duration

FIRST_ENUMERATED = 8
FIRST_SAMPLED = 32_768
_CORE_SECONDS = 4.0  # for a flop of full hold'em


def is_due(iterations: int, batch: int = 1) -> bool:
    """Whether to measure on sampled flops after 32,768, 65,536, 98,304, 131,072, 196,608, 262,144, ... iterations.

    That is every 32,768 at first, and twice per doubling from 131,072 on; in batches, after the batch that gets there.
    """
    step = max(FIRST_SAMPLED, 1 << max(iterations.bit_length() - 2, 0))
    return iterations >= step and iterations % step < batch


def count_due(after: int, until: int) -> int:
    """How many measurements are due after ``after`` and before ``until`` iterations."""
    first = after // FIRST_SAMPLED + 1
    return sum(is_due(FIRST_SAMPLED * number) for number in range(first, -(-until // FIRST_SAMPLED)))


def seconds_to_measure(settings: Settings) -> float:
    """Seconds that a measurement on sampled flops will take, estimated before the first one.

    Raises:
        BadInputError: longer than the whole solve may.
    """
    count = min(settings.target_flops, len(first_boards(settings.game).cards))
    seconds = core_seconds(settings.game, count) / settings.threads + seconds_to_code(settings)
    if settings.minutes is not None and seconds >= 60 * settings.minutes:
        flops = f"{count:,} flops take about {duration(seconds)} to measure"
        raise BadInputError(
            f"target: {flops}, of {counted(settings.minutes, 'minute')} in all; say more, or fewer target flops"
        )
    return seconds


def core_seconds(game: Game, flops: int | None) -> float:
    """About how long one core takes to measure a strategy on so many flops, or on all."""
    return (flops or len(first_boards(game).cards)) * _CORE_SECONDS * _work(game) / _work(Game.bundled("hulhe"))


def _work(game: Game) -> float:
    """What a first board takes, in no unit: hands times betting lines of all last boards below it."""
    dealt = np.cumsum(game.num_board_cards)
    left = len(game.deck) - dealt
    boards = prod(comb(int(rest), cards) for rest, cards in zip(left[1:-1], game.num_board_cards[2:], strict=True))
    return boards * game.num_hands * BettingTree(game).num_lines[-1]


class EnumeratedTarget:
    """Best responses over all boards.

    They take about as long as an iteration, so four per doubling, from the 8th on, take a few percent of a long solve.
    """

    seconds = 0.0

    def __init__(self, target_mbb: float, solver: Solver) -> None:
        self.is_reached = False
        self._target_mbb, self._solver = target_mbb, solver

    def is_due(self, iterations: int) -> bool:
        """After 8, 10, 12, 14, 16, 20, 24, ... iterations."""
        step = 1 << max(iterations.bit_length() - 3, 0)
        return iterations >= FIRST_ENUMERATED and iterations % step == 0

    def measure(self) -> str:
        measured = self._solver.measure()
        self.is_reached = measured.exploitability_mbb <= self._target_mbb
        return f"{digits(measured.exploitability_mbb, 4)} mbb/g, {measured.strategy} strategy"


class SampledTarget:
    """Best responses on a sample of flops; the best strategy so far is kept in the solve's file.

    In full hold'em the supplied flop values are the control variate.

    Args:
        settings: with a target.
        solver: the solve, which remembers how good the best strategy is.
        write: writes the strategy of the solver as it is to a path.
        progress: show bars on stderr.
    """

    def __init__(
        self, settings: Settings, solver: Solver, write: Callable[[Path], object], progress: bool = False
    ) -> None:
        self.seconds = seconds_to_measure(settings)
        self._settings, self._solver, self._write, self._progress = settings, solver, write, progress
        self._flops = at_most(settings.target_flops, settings.game)
        self._control = None if self._flops is None else bundled_values(settings.game)
        if not settings.out.exists() or not (settings.resume and checkpoint.is_of(settings.resume, settings.out)):
            solver.best_mbb = None  # the best is gone, or in a file of another name

    @property
    def is_reached(self) -> bool:
        target, best = self._settings.target_mbb, self._solver.best_mbb
        return target is not None and best is not None and best <= target

    def is_due(self, iterations: int) -> bool:
        return is_due(iterations, self._settings.batch)

    def measure(self) -> str:
        clock, solver, out = Clock(), self._solver, self._settings.out
        flops, threads = self._flops, self._settings.threads
        candidate = out.with_name(out.name + ".candidate")
        try:
            self._write(candidate)
            with Strategy.open(candidate) as strategy:
                # On the flops that cfr exploit draws.
                found = exploitability(strategy, flops, threads=threads, control=self._control, progress=self._progress)
            if solver.best_mbb is None or found.exploitability_mbb < solver.best_mbb:
                set_attributes(candidate, found.attributes())
                with replacing(out) as temporary:
                    shutil.copyfile(candidate, temporary)
                solver.best_mbb = found.exploitability_mbb
        finally:
            candidate.unlink(missing_ok=True)
        self.seconds = clock.seconds
        return f"{found.exploitability_mbb:.1f} mbb/g, at best {solver.best_mbb:.1f}"
