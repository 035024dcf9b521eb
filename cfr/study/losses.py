"""What the decisions of a log lose: expected values at their spots, each computed once, several at a time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from statistics import fmean
from threading import Event

from tqdm import tqdm

from cfr.game.betting import State
from cfr.game.words import ROUND_NAMES
from cfr.strategy.positions import Positions
from cfr.strategy.strategy import Floats, Spots
from cfr.study.decision import Decision
from cfr.system.text import counted, duration
from cfr.values.canonical_spot import CanonicalSpot, canonical_spot
from cfr.values.expected_values import boards_to_come, has_values, position_values
from cfr.values.round_values import RoundValues

_SHARED_FROM = (
    1_000  # boards to come: where fewer follow, a spot's own pass takes no longer than what a shared one adds
)

Announce = Callable[[str], object]
Watch = Callable[[int, int], object]  # hears the spots that are done, and all
Here = list[tuple[int, int]]  # decisions at a spot, and their hands there
_Done = tuple[CanonicalSpot, list[Decision], float]  # the spot's decisions with what they lose, and the seconds it took


class _LeftError(Exception):
    """The spot is not needed any more."""


def with_losses(
    decisions: Sequence[Decision],
    strategy: Spots,
    threads: int = 1,
    announce: Announce | None = None,
    progress: bool = False,
    watch: Watch | None = None,
    stopped: Callable[[], bool] | None = None,
) -> list[Decision | None]:
    """The decisions with what they lose; None for those that were not done when it was stopped.

    Args:
        decisions: in any order. Isomorphic spots are computed once, and the decisions of a hand in one round together.
            Spots come in the order of their first decision, after those that the forecast needs.
        strategy: a file or a built-in.
        threads: how many spots are computed at a time; the result does not depend on it.
        announce: hears what there is to do, and how long that takes once a spot of each round is done.
        progress: show a bar on stderr.
        watch: hears how many spots are done, and of how many.
        stopped: asked now and then; when it is true, the work ends as by Ctrl-C.

    Raises:
        CfrError: as :func:`cfr.values.expected_values.expected_values`.
    """
    wanted, positions = work_of(decisions, strategy), Positions(strategy)
    forecast = _Forecast({work: work.state.round for work in wanted}, _spots(wanted, decisions), threads)
    if wanted and announce is not None:
        announce(f"{counted(len(decisions), 'decision')}; {forecast}")
    found: list[Decision | None] = list(decisions)
    for here in wanted.values():
        for number, _ in here:
            found[number] = None
    left = Event()

    def go_on(fraction: float) -> None:
        if left.is_set() or (stopped is not None and stopped()):
            raise _LeftError

    def work_out(work: CanonicalSpot) -> _Done:
        started = time.perf_counter()
        return work, _lost(positions, work, wanted[work], decisions, go_on), time.perf_counter() - started

    trial = {work.state.round: work for work in reversed(wanted)}.values()
    pool = ThreadPoolExecutor(threads)
    futures: list[Future[_Done]] = []
    done = 0
    try:
        futures.extend(pool.submit(work_out, work) for work in dict.fromkeys([*trial, *wanted]))
        with tqdm(
            desc="expected values",
            total=forecast.total,
            unit="spots",
            disable=not progress,
            mininterval=0.5,
            smoothing=0,
        ) as bar:
            for future in as_completed(futures):
                work, _, seconds = future.result()
                if forecast.learn(work, seconds) and announce is not None:
                    announce(f"about {duration(forecast.seconds)} with {counted(threads, 'thread')}")
                bar.update(forecast.spots[work])
                done += forecast.spots[work]
                if watch is not None:
                    watch(done, forecast.total)
    except (KeyboardInterrupt, _LeftError):
        left.set()
    finally:
        pool.shutdown(cancel_futures=True)
    for future in futures:  # threads may have been ahead of the bar
        if not future.cancelled() and future.exception() is None:
            work, valued, _ = future.result()
            for (number, _), decision in zip(wanted[work], valued, strict=True):
                found[number] = decision
    return found


def work_of(decisions: Sequence[Decision], strategy: Spots) -> dict[CanonicalSpot, Here]:
    """What has to be computed: the places of the decisions that it answers for, and their hands there.

    It is the beginning of a round, canonical, where one pass answers for the round's decisions
    (:mod:`cfr.values.round_values`); else the canonical spot.
    """
    found: dict[CanonicalSpot, Here] = {}
    for number, decision in enumerate(decisions):
        state = decision.state
        if has_values(strategy, state):
            spot, images = canonical_spot(strategy, state, decision.dealt)
            if is_shared(strategy, state):
                spot = CanonicalSpot(state.round_start(), spot.board)
            found.setdefault(spot, []).append((number, int(images[strategy.game.hand_number(decision.hole)])))
    return found


def is_shared(strategy: Spots, state: State) -> bool:
    """Whether one pass answers for all decisions of the state's round: a flop's, of a strategy that is whole."""
    return strategy.re_solved_from is None and state.round > 0 and boards_to_come(state) >= _SHARED_FROM


def _lost(
    positions: Positions,
    work: CanonicalSpot,
    here: Here,
    decisions: Sequence[Decision],
    go_on: Callable[[float], object],
) -> list[Decision]:
    """The decisions that one piece of work answers for, with what they lose."""
    known: dict[str, tuple[Floats, str | None]] = {}
    position = positions.at(work.state, work.board)
    shared = RoundValues(position) if is_shared(positions.strategy, work.state) else None
    done = []
    for number, hand in here:
        state = decisions[number].state
        if state.line_string not in known:
            if shared is not None:
                known[state.line_string] = shared.action_ev(state, go_on), shared.stand_in(state)
            else:
                values = position_values(position, unreached=True, progress=go_on)
                known[state.line_string] = values.action_ev, values.stand_in
        action_ev, stand_in = known[state.line_string]
        done.append(decisions[number].with_loss(action_ev[hand], stand_in))
    return done


def _spots(wanted: Mapping[CanonicalSpot, Here], decisions: Sequence[Decision]) -> dict[CanonicalSpot, int]:
    """How many different spots each piece of work answers for."""
    return {work: len({decisions[number].state.line_string for number, _ in here}) for work, here in wanted.items()}


class _Forecast:
    """How long the work takes, by what the first piece of each round took.

    Args:
        rounds: of each piece of work.
        spots: how many spots each piece answers for.
        threads: how many pieces are done at a time.

    Attributes:
        spots: as given.
        total: spots of all pieces.
    """

    def __init__(self, rounds: Mapping[CanonicalSpot, int], spots: Mapping[CanonicalSpot, int], threads: int) -> None:
        self.spots, self.total = spots, sum(spots.values())
        self._rounds, self._threads = rounds, threads
        self._pieces = Counter(rounds.values())
        self._seconds: dict[int, list[float]] = {}

    def learn(self, work: CanonicalSpot, seconds: float) -> bool:
        """Hear how long a piece took; whether all that is needed is known now, which happens once."""
        if len(self._seconds) == len(self._pieces):
            return False
        self._seconds.setdefault(self._rounds[work], []).append(seconds)
        return len(self._seconds) == len(self._pieces)

    @property
    def seconds(self) -> float:
        """Of all work; what is needed must be known."""
        total = sum(count * fmean(self._seconds[round_]) for round_, count in self._pieces.items())
        return total / min(self._threads, self._pieces.total())

    def __str__(self) -> str:
        """What there is to compute."""
        by_round: Counter[int] = Counter()
        for work, count in self.spots.items():
            by_round[self._rounds[work]] += count
        parts = [f"{count:,} {ROUND_NAMES[round_]}" for round_, count in sorted(by_round.items())]
        return f"expected values at {counted(self.total, 'spot')} ({', '.join(parts)})"
