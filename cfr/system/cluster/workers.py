"""Workers: they do the many similar units of a long computation side by side."""

from __future__ import annotations

import signal
import sys
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Any

from cfr.system.checks import check_threads
from cfr.system.closing import Closing
from cfr.system.errors import CfrError

Do = Callable[[Any], Any]
Begin = Callable[[], Do]
Result = tuple[int, Any]
Results = Generator[Result, None, None]

AHEAD = 3  # units that are given out for each that can be done at a time
_own: Do  # of a process


class Workers(Closing):
    """Base class of what does the units of a computation.

    Attributes:
        shares_memory: whether the units are done in this process, with the objects that it has.
        where: the place where the units are done, for the title of a bar; empty for this machine.
    """

    shares_memory = False
    where = ""

    @abstractmethod
    def run(self, begin: Begin, units: Iterable[Any], unit_bytes: int = 0) -> Results:
        """Results as they come, each with the place of its unit. Closing the generator stops the work.

        Args:
            begin: gives the function that does a unit; each process calls it once.
            units: each is done once, or anew where a machine was lost.
            unit_bytes: memory that a unit takes; a cluster places units by it, workers of this machine do not ask.

        Raises:
            CfrError: what ``begin`` or a unit raised, or workers that came to an end.
        """

    def close(self) -> None:
        """Let the workers go."""


class Threads(Workers):
    """Threads of this process.

    Ctrl-C waits for no unit: the threads are daemons, which end with their unit or with the program.

    Args:
        count: how many.
    """

    shares_memory = True

    def __init__(self, count: int = 1) -> None:
        """Raise BadInputError for a count that is no number of threads."""
        check_threads(count)
        self.count = count

    def run(self, begin: Begin, units: Iterable[Any], unit_bytes: int = 0) -> Results:
        do, waiting = begin(), enumerate(units)
        results: SimpleQueue[Result | BaseException | None] = SimpleQueue()
        left, taking = Event(), Lock()

        def work() -> None:
            try:
                while not left.is_set():
                    with taking:
                        taken = next(waiting, None)
                    if taken is None:
                        break
                    place, unit = taken
                    results.put((place, do(unit)))
            except BaseException as error:
                results.put(error)
            else:
                results.put(None)

        for _ in range(self.count):
            Thread(target=work, daemon=True).start()
        running = self.count
        try:
            while running:
                result = results.get()
                if result is None:
                    running -= 1
                elif isinstance(result, BaseException):
                    raise result
                else:
                    yield result
        finally:
            left.set()


class Processes(Workers):
    """Processes of this machine.

    Args:
        count: how many.
    """

    def __init__(self, count: int) -> None:
        self.count = count

    def run(self, begin: Begin, units: Iterable[Any], unit_bytes: int = 0) -> Results:
        # Spawned, not forked: open files and the threads of the native modules do not survive a fork.
        pool = ProcessPoolExecutor(self.count, get_context("spawn"), _begin, (begin,))
        running: dict[Future[Any], int] = {}
        waiting = enumerate(units)
        try:
            while True:
                # The first units start the processes. They inherit that Ctrl-C and SIGTERM, which they may get, wait.
                before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
                try:
                    for place, unit in islice(waiting, AHEAD * self.count - len(running)):
                        running[pool.submit(_do, unit)] = place
                finally:
                    signal.pthread_sigmask(signal.SIG_SETMASK, before)
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    yield running.pop(future), future.result()
        except BrokenProcessPool:
            raise CfrError("a process came to an end before its work did") from None
        finally:
            pool.shutdown(cancel_futures=True)


def _begin(begin: Begin) -> None:
    global _own  # noqa: PLW0603
    sys.stdout = sys.stderr  # standard output is for results, which the first process prints
    _own = begin()


def _do(unit: Any) -> Any:
    return _own(unit)


def in_order(results: Iterable[Result]) -> Iterator[Any]:
    """Results in the order of their units, each as soon as those before it have come.

    >>> list(in_order([(1, "b"), (0, "a"), (2, "c")]))
    ['a', 'b', 'c']
    """
    early: dict[int, Any] = {}
    wanted = 0
    for place, result in results:
        early[place] = result
        while wanted in early:
            yield early.pop(wanted)
            wanted += 1
