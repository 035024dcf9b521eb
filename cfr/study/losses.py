"""What the decisions of a log lose: expected values at their spots, each spot computed once, several at a time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import replace
from statistics import fmean
from threading import Event

import numpy as np
from tqdm import tqdm

from cfr.game.betting import ACTIONS
from cfr.game.words import ROUND_NAMES
from cfr.strategy.strategy import Spots
from cfr.study.decision import Decision
from cfr.subgame.canonical_spot import CanonicalSpot, canonical_spot
from cfr.subgame.values import has_values, values_at
from cfr.system.text import counted, duration

Announce = Callable[[str], object]
_Here = list[tuple[int, int]]  # decisions at a spot, and their hands there
_Done = tuple[CanonicalSpot, list[Decision], float]  # the spot's decisions with what they lose, and the seconds it took


class _LeftError(Exception):
    """Nobody waits for the spot any more."""


def with_losses(
    decisions: Sequence[Decision],
    strategy: Spots,
    threads: int = 1,
    announce: Announce | None = None,
    progress: bool = False,
) -> list[Decision | None]:
    """The decisions with what they lose; None for those whose spots were not done when Ctrl-C came.

    Args:
        decisions: in any order; spots that suits alone tell apart are computed once, in the order of the first
            decision at each, but those that the forecast is made from before all others.
        strategy: a file or a built-in.
        threads: how many spots are computed at a time; the result does not depend on it.
        announce: hears what there is to do, and how long that takes once a spot of each round is done.
        progress: show a bar on stderr.

    Raises:
        CfrError: as :func:`cfr.subgame.values.expected_values`.
    """
    wanted = _spots(decisions, strategy)
    rounds = {spot: spot.state.round for spot in wanted}
    forecast = _Forecast(Counter(rounds.values()), threads)
    if wanted and announce is not None:
        announce(f"{counted(len(decisions), 'decision')}; {forecast}")
    found: list[Decision | None] = list(decisions)
    for here in wanted.values():
        for number, _ in here:
            found[number] = None
    left = Event()

    def go_on(fraction: float) -> None:
        if left.is_set():
            raise _LeftError

    def work_out(spot: CanonicalSpot) -> _Done:
        started = time.perf_counter()
        action_ev = values_at(strategy, spot, unreached=True, progress=go_on).action_ev
        done = [_with_loss(decisions[number], action_ev[hand]) for number, hand in wanted[spot]]
        return spot, done, time.perf_counter() - started

    trial = {rounds[spot]: spot for spot in reversed(wanted)}.values()
    pool = ThreadPoolExecutor(threads)
    futures: list[Future[_Done]] = []
    try:
        futures.extend(pool.submit(work_out, spot) for spot in dict.fromkeys([*trial, *wanted]))
        with tqdm(
            desc="expected values",
            total=len(wanted),
            unit="spots",
            disable=not progress,
            mininterval=0.5,
            smoothing=0,
        ) as bar:
            for future in as_completed(futures):
                spot, _, seconds = future.result()
                if forecast.learn(rounds[spot], seconds) and announce is not None:
                    announce(f"about {duration(forecast.seconds)} with {counted(threads, 'thread')}")
                bar.update()
    except KeyboardInterrupt:
        left.set()
    finally:
        pool.shutdown(cancel_futures=True)
    for future in futures:  # threads may have been ahead of the bar
        if not future.cancelled() and future.exception() is None:
            spot, done, _ = future.result()
            for (number, _), decision in zip(wanted[spot], done, strict=True):
                found[number] = decision
    return found


def _spots(decisions: Sequence[Decision], strategy: Spots) -> dict[CanonicalSpot, _Here]:
    """The spots that have EVs."""
    found: dict[CanonicalSpot, _Here] = {}
    for number, decision in enumerate(decisions):
        if has_values(strategy, decision.state):
            spot, images = canonical_spot(strategy, decision.state, decision.dealt)
            found.setdefault(spot, []).append((number, int(images[strategy.game.hand_number(decision.hole)])))
    return found


def _with_loss(decision: Decision, action_ev: np.ndarray) -> Decision:
    """``action_ev`` is ``(3,)`` of the hand."""
    lost = np.nanmax(action_ev, initial=-np.inf) - action_ev[ACTIONS.index(decision.action)]
    return replace(decision, ev_lost=None if np.isnan(lost) else float(lost))


class _Forecast:
    """How long spots take, by what the first ones of each round took.

    Args:
        counts: spots of each round.
        threads: how many are computed at a time.
    """

    def __init__(self, counts: Counter[int], threads: int) -> None:
        self._counts, self._threads = counts, threads
        self._seconds: dict[int, list[float]] = {}

    def learn(self, round_: int, seconds: float) -> bool:
        """Hear how long a spot took; whether all that is needed is known now, which happens once."""
        if len(self._seconds) == len(self._counts):
            return False
        self._seconds.setdefault(round_, []).append(seconds)
        return len(self._seconds) == len(self._counts)

    @property
    def seconds(self) -> float:
        """Of all spots; what is needed must be known."""
        total = sum(count * fmean(self._seconds[round_]) for round_, count in self._counts.items())
        return total / min(self._threads, self._counts.total())

    def __str__(self) -> str:
        """What there is to compute."""
        parts = [f"{count:,} {ROUND_NAMES[round_]}" for round_, count in sorted(self._counts.items())]
        return f"expected values at {counted(self._counts.total(), 'spot')} ({', '.join(parts)})"
