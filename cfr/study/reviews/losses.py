"""What the decisions of a log lose: expected values at their spots, each computed once, several at a time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from functools import cache, partial
from statistics import fmean
from threading import Event

from tqdm import tqdm

from cfr.game.betting import State
from cfr.game.words import ROUND_NAMES
from cfr.strategy.position import Position
from cfr.strategy.positions import Positions
from cfr.strategy.strategy import BaseStrategy, Floats
from cfr.study.reviews.decision import Decision
from cfr.system.text import counted, duration
from cfr.values.canonical_spot import CanonicalSpot, canonical_spot
from cfr.values.expected_values import boards_to_come, has_values, position_values
from cfr.values.hand_values import HandValues, keeps_books
from cfr.values.round_values import RoundValues

_SHARED_FROM = 1_000  # boards to come: below, a spot's own pass takes no longer than what a shared one adds
_FEW_HANDS = 8  # of a piece of work: more take longer one by one than both seats' passes for all hands
_HELD_FROM = 3  # pieces of work before the last round: fewer take less than loading the tables does

Announce = Callable[[str], object]
Watch = Callable[[int, int], object]  # hears the spots that are done, and all
Here = list[tuple[int, int]]  # decisions at a spot, and their hands there
_Answer = Callable[[State, int], tuple[Floats, str | None]]
_Done = tuple[CanonicalSpot, list[Decision], float]  # the spot's decisions with what they lose, and the seconds it took


class _LeftError(Exception):
    """The spot is not needed any more."""


def with_losses(
    decisions: Sequence[Decision],
    strategy: BaseStrategy,
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
        CfrError: as :func:`cfr.expected_values`.
    """
    wanted, positions = work_of(decisions, strategy), Positions(strategy)
    forecast = _Forecast({work: work.state.round for work in wanted}, _spots(wanted, decisions), threads)
    if wanted and announce is not None:
        announce(f"{counted(len(decisions), 'decision')}; {forecast}")
    found: list[Decision | None] = list(decisions)
    for here in wanted.values():
        for number, _ in here:
            found[number] = None
    if sum(work.state.round > 0 for work in wanted) >= _HELD_FROM:
        strategy.hold_tables()
    left = Event()

    def go_on(fraction: float) -> None:
        if left.is_set() or (stopped is not None and stopped()):
            raise _LeftError

    def work_out(work: CanonicalSpot) -> _Done:
        started = time.perf_counter()
        lost = _lost(positions.at(work.state, work.board), wanted[work], decisions, go_on)
        return work, lost, time.perf_counter() - started

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


def work_of(decisions: Sequence[Decision], strategy: BaseStrategy) -> dict[CanonicalSpot, Here]:
    """What has to be computed: the places of the decisions that it answers for, and their hands there.

    It is the beginning of a round, canonical, where the round's decisions are answered together
    (:func:`is_shared`); else the canonical spot.
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


def is_shared(strategy: BaseStrategy, state: State) -> bool:
    """Whether the decisions of the state's round are answered together.

    The strategy is whole, and a flop's leaves are known by one pass; or hands are asked one by one, of codebooks or on
    the last board.
    """
    if strategy.re_solved_from is not None or state.round == 0:
        return False
    return boards_to_come(state) >= _SHARED_FROM or keeps_books(strategy, state)


def _lost(
    position: Position[BaseStrategy], here: Here, decisions: Sequence[Decision], go_on: Callable[[float], object]
) -> list[Decision]:
    """The decisions that one piece of work answers for, with what they lose."""
    answer = _answers(position, len({hand for _, hand in here}), go_on)
    done: list[Decision] = []
    for number, hand in here:
        go_on(len(done) / len(here))
        done.append(decisions[number].with_loss(*answer(decisions[number].state, hand)))
    return done


def _answers(position: Position[BaseStrategy], hands: int, go_on: Callable[[float], object]) -> _Answer:
    """What tells the EV of each action with a hand at a decision, and what stands in for the opponent's range there.

    Args:
        position: of a piece of work, see :func:`work_of`.
        hands: how many hands will be asked.
        go_on: hears how far a pass is.
    """
    strategy, state = position.strategy, position.state
    if not is_shared(strategy, state):
        values = position_values(position, unreached=True, progress=go_on)
        return lambda _, hand: (values.action_ev[hand], values.stand_in)
    is_last = state.round == strategy.game.num_rounds - 1
    if is_last or (hands <= _FEW_HANDS and keeps_books(strategy, state)):
        by_hand = HandValues(position)
        return lambda state, hand: (by_hand.action_ev(state, hand), by_hand.stand_in(state))
    of_all = RoundValues(position)
    action_ev = cache(partial(of_all.action_ev, progress=go_on))
    return lambda state, hand: (action_ev(state)[hand], of_all.stand_in(state))


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
