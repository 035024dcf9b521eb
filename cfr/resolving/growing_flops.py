"""The refined flops of a file, and all others, which are refined when a hand comes there."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from cfr.resolving.flop_refiner import FlopSubgame
from cfr.resolving.refine_log import add_subgame, read_subgame, seconds_of, subgame_number
from cfr.resolving.refine_settings import RefineSettings
from cfr.strategy.files.refined_flops import RefinedFlop, RefinedFlops
from cfr.strategy.files.stored import Strategy
from cfr.system.clock import Clock
from cfr.system.cores import usable_cores
from cfr.system.disk.file_lock import waiting_for
from cfr.system.disk.result_log import Parts
from cfr.system.errors import SaveError
from cfr.system.progress import Progress

_HELD = 32  # subgames in memory; one of full hold'em takes 3 MB


class GrowingFlops(RefinedFlops):
    """Refined flops that grow: a subgame that the file lacks is solved, and goes into the file's log.

    What a subgame plays does not depend on where it comes from: file, log or solve. ``cfr refine`` takes subgames from
    the log into the file. While another process has the log, subgames stay in memory alone, and are added later.

    Args:
        path: a file with refined flops.
        blueprint: the blueprint in it.
        threads: number of threads of a solve; default, all that the process may use.

    Raises:
        BadInputError: flops that were refined in another way than this version refines.
        OSError, DamagedFileError: as :class:`cfr.strategy.files.refined_flops.RefinedFlops`.
    """

    grows = True

    def __init__(self, path: Path, blueprint: Strategy, threads: int | None = None) -> None:
        super().__init__(path)
        self._blueprint = blueprint
        try:
            self._settings = RefineSettings.of_file(self.path, blueprint)
        except BaseException:
            self.close()
            raise
        self._tables = self._settings.tables
        self._refiner = self._settings.refiner(self._tables, threads or usable_cores())
        self._subgames: OrderedDict[int, RefinedFlop] = OrderedDict()
        self._unsaved: dict[int, tuple[float, bytes]] = {}
        self._solving = Lock()
        self._refined = lru_cache(_HELD)(self._find_refined)

    def __reduce__(self) -> tuple[Any, ...]:
        return GrowingFlops, (self.path, self._blueprint, 1)

    @property
    def identity(self) -> dict[str, str]:
        return {"refined": self._settings.refined_by(self._tables)}

    def facts(self) -> dict[str, str]:
        return {"refined": f"{len(self.numbers):,} flops; others when a hand comes there"}

    def behind(self, number: int, line: int, seat: int, hears: Progress | None = None) -> RefinedFlop | None:
        found = super().behind(number, line, seat)
        if found is not None or (seat, line) not in self._refined(number):
            return found
        subgame = FlopSubgame(self._cards(number), seat, line)
        of_log = subgame_number(self._blueprint.betting, number, subgame)
        with self._solving:  # a second thread waits for what the first one solves
            if of_log not in self._subgames:
                found = self._logged(of_log) or self._solved(of_log, subgame, hears or (lambda _: None))
                self._subgames[of_log] = found
                while len(self._subgames) > _HELD:
                    self._subgames.popitem(last=False)
            self._subgames.move_to_end(of_log)
            return self._subgames[of_log]

    def _find_refined(self, number: int) -> frozenset[tuple[int, int]]:
        """Seats and preflop lines whose play is refined on a flop."""
        return frozenset((each.seat, each.line) for each in self._refiner.subgames(self._cards(number)))

    def _logged(self, of_log: int) -> RefinedFlop | None:
        """A subgame of the log; None where the log lacks it, or is another process's."""
        if not self._settings.log.exists():
            return None
        with suppress(SaveError, OSError), self._log() as log:
            return read_subgame(log, of_log) if of_log in log.numbers else None
        return None

    def _solved(self, of_log: int, subgame: FlopSubgame, hears: Progress) -> RefinedFlop:
        """Solve a subgame, and add it to the log."""
        clock = Clock()
        hears(0.0)
        try:
            found = self._refiner.solve(subgame, hears)
        finally:
            hears(1.0)
        self._unsaved[of_log] = clock.seconds, found.pack()
        with suppress(SaveError, OSError), self._log() as log:
            for each in self._unsaved.keys() - log.numbers:
                seconds, packed = self._unsaved[each]
                add_subgame(log, each, seconds_of(log) + seconds, packed)
            self._unsaved.clear()
        return found

    def _cards(self, number: int) -> tuple[int, ...]:
        return tuple(self.boards.boards[number].tolist())

    @contextmanager
    def _log(self) -> Iterator[Parts]:
        path = self._settings.log
        with waiting_for(path), Parts(path, self._settings.identity(self._tables), resume=True) as log:
            yield log
