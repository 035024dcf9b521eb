"""What ``exploit`` and ``versus`` have in common: each first board computed by itself, side by side, kept in a log, and
added up in a fixed order."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from math import comb
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Any

import numpy as np
from tqdm import tqdm

from cfr.deals import Boards, Rows, count_below, enumerate_below
from cfr.errors import Interrupted, UnknownSpotError
from cfr.flops import first_boards, sample
from cfr.game import Game
from cfr.records import Records
from cfr.strategy import AnyStrategy, BuiltIn, Strategy
from cfr.traversal import layout

BIG_BLIND, BUTTON = 0, 1
_WIDE_FROM = 1000  # hands; smaller games are computed in float64

_Result = tuple[int, np.ndarray]  # of a board, by its number


class Boardwise(ABC):
    """A computation by first boards.

    Args:
        game: the rules.
        threads: how many boards are visited at a time; the result does not depend on it.

    Attributes:
        boards: the first boards.
        tree: the public tree as the kernel wants it.
        dtype: of tables, float32 or, in small games, float64.
    """

    def __init__(self, game: Game, threads: int = 1) -> None:
        self.game = game
        self.threads = threads
        self.boards = first_boards(game)
        self.dtype = np.dtype(np.float32 if game.num_hands >= _WIDE_FROM else np.float64)
        self.tree = layout(game, self.dtype)
        hole, deck, dealt = game.num_hole_cards, len(game.deck), game.num_board_cards[1]
        self._scale = comb(deck, dealt) / comb(deck - 2 * hole, dealt) / comb(deck - hole, hole)

    @property
    @abstractmethod
    def width(self) -> int:
        """Numbers in a board's result."""

    @abstractmethod
    def measure(self, number: int) -> np.ndarray:
        """``(width,)`` what a first board adds, by its probability."""

    def below(self, number: int, rows: Rows) -> list[Boards | None]:
        """All boards that follow a first one, per round, with the rows that hands own there."""
        return enumerate_below(self.game, rows, self.boards.cards[number])

    def scale(self, number: int) -> float:
        """What values below a first board are multiplied with: its probability, given a hand of each seat."""
        return self._scale * float(self.boards.share[number])

    def draw(self, flops: int | None, seed: int) -> np.ndarray:
        """Numbers of boards in the order to add them up: all for None, or a sample, which may name one twice."""
        return np.arange(len(self.boards.cards)) if flops is None else sample(self.boards, flops, seed)

    def weighted(self, results: Mapping[int, np.ndarray], numbers: np.ndarray, exact: bool) -> np.ndarray:
        """``(n, width)`` results of the boards drawn, weighted so that they sum to all boards."""
        draws = np.array([results[n] for n in numbers])
        return draws if exact else draws / (self.boards.share[numbers, None] * len(numbers))

    def share_left(self, numbers: np.ndarray) -> float:
        """The probability of all boards that were not drawn."""
        return max(0.0, 1 - float(self.boards.share[np.unique(numbers)].sum()))

    def measure_all(self, numbers: Sequence[int]) -> Iterator[_Result]:
        """Results as they come, ``threads`` at a time.

        Who leaves by Ctrl-C waits for no board: the threads are daemons, which end with theirs, or with the program.
        """
        waiting = iter(numbers)
        results: SimpleQueue[_Result | BaseException] = SimpleQueue()
        left, taking = Event(), Lock()

        def work() -> None:
            try:
                while not left.is_set():
                    with taking:
                        number = next(waiting, None)
                    if number is None:
                        return
                    results.put((number, self.measure(number)))
            except BaseException as error:
                results.put(error)

        for _ in range(min(self.threads, len(numbers))):
            Thread(target=work, daemon=True).start()
        try:
            for _ in numbers:
                result = results.get()
                if isinstance(result, BaseException):
                    raise result
                yield result
        finally:
            left.set()

    def gather(
        self,
        numbers: np.ndarray,
        title: str,
        *,
        identity: Mapping[str, Any] | None = None,
        partial: Path | None = None,
        resume: bool = False,
        progress: bool = False,
    ) -> tuple[dict[int, np.ndarray], float]:
        """The results of the boards that ``numbers`` name, and the seconds that they took.

        Args:
            numbers: of boards.
            title: of the bar.
            identity: what results depend on, see :class:`cfr.records.Records`.
            partial: where results are kept until all are there, or None to keep none.
            resume: go on with what is there.
            progress: show a bar on stderr.

        Raises:
            CfrError: the log cannot be used, in one line.
            Interrupted: Ctrl-C; with ``partial``, nothing that was measured is lost.
        """
        started = time.monotonic()
        wanted = np.unique(numbers).tolist()
        found: dict[int, np.ndarray] = {}
        log = None
        if partial is not None:
            log = Records(partial, identity or {}, self.width + 1, resume)
            found = log.found
        before = max((float(record[-1]) for record in found.values()), default=0.0)
        counting = tqdm(wanted, "counting boards", unit="flops", disable=not progress, leave=False)
        sizes = {number: count_below(self.game, self.boards.cards[number]) for number in counting}
        left = [number for number in wanted if number not in found]
        try:
            with tqdm(
                desc=title,
                total=sum(sizes.values()),
                initial=sum(sizes[number] for number in wanted if number in found),
                unit="boards",
                disable=not progress,
                mininterval=0.5,
                smoothing=0.02,
                leave=None,
            ) as bar:
                for number, result in self.measure_all(left):
                    record = np.append(result, before + time.monotonic() - started)
                    if log is None:
                        found[number] = record
                    else:
                        log.add(number, record)
                    bar.update(sizes[number])
        except KeyboardInterrupt:
            kept = "" if partial is None else "; continue with --resume"
            done = len(set(wanted) & found.keys())
            raise Interrupted(f"stopped after {done:,} of {len(wanted):,} flops{kept}") from None
        finally:
            if log is not None:
                log.close()
        return {number: found[number][:-1] for number in wanted}, before + time.monotonic() - started


def how_sure(exact: bool, standard_error_mbb: float, flops: int) -> str:
    """In words, behind a result in mbb/g."""
    if exact:
        return "exact: all boards, all hands"
    return f"+- {1.96 * standard_error_mbb:.1f} (95 % interval) from {flops:,} sampled flops"


def systematic_error(draws: np.ndarray) -> float:
    """Standard error of the sum of ``(n,)`` draws of a systematic sample, in their order.

    It varies less than a random one: differences of neighbours say how much (Wolter 2007, section 8.2).
    """
    count = len(draws)
    return float(np.sqrt((np.diff(draws) ** 2).sum() * count / (2 * (count - 1))))


def identity_of(strategy: AnyStrategy) -> dict[str, Any]:
    """What results of single boards depend on; raises UnknownSpotError for what is neither a file nor built in."""
    if isinstance(strategy, Strategy):
        return {"strategy": str(strategy.attributes.get("checksum")), "game": strategy.game.text()}
    if isinstance(strategy, BuiltIn):
        return {"strategy": strategy.name, "game": strategy.game.text()}
    raise UnknownSpotError("partial results are kept for files and built-in strategies only")
