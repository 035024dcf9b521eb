"""The refined flops of a file, and all others, which are refined when a hand comes there."""

from __future__ import annotations

from collections import OrderedDict
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from cfr.resolving.flop_subgame import FlopSubgame
from cfr.resolving.refine_settings import RefineSettings
from cfr.strategy.files.refined_flops import RefinedFlop, RefinedFlops
from cfr.strategy.files.stored import Strategy
from cfr.system.cores import usable_cores
from cfr.system.disk.shared_file import SharedFile
from cfr.system.progress import Progress, heard
from cfr.system.text import counted

_HELD = 32  # subgames in memory; one of full hold'em takes 3 MB


class FlopsOnDemand(RefinedFlops):
    """Refined flops; a subgame that the file lacks is solved when it is asked for, and kept in the cache on disk.

    What a subgame plays does not depend on where it comes from: file, cache or solve. ``cfr refine`` takes subgames
    from the cache into files.

    Args:
        path: a file with refined flops.
        blueprint: the blueprint in it.
        threads: number of threads of a solve; default, all that the process may use.

    Raises:
        BadInputError: flops that were refined in another way than this version refines.
        OSError, DamagedFileError: as :class:`cfr.strategy.files.refined_flops.RefinedFlops`.
    """

    solves_missing = True

    def __init__(self, path: Path, blueprint: Strategy, threads: int | None = None) -> None:
        super().__init__(path)
        self._blueprint = blueprint
        try:
            settings = RefineSettings.of_flops(self, blueprint)
        except BaseException:
            self.close()
            raise
        self._refined_by = settings.refined_by(settings.tables)
        self._refiner = settings.refiner(settings.tables, threads or usable_cores())
        self._subgames: OrderedDict[FlopSubgame, RefinedFlop] = OrderedDict()
        self._solving = Lock()
        self._refined = lru_cache(_HELD)(self._find_refined)

    def __reduce__(self) -> tuple[Any, ...]:
        return FlopsOnDemand, (SharedFile(self.path), self._blueprint, 1)

    @property
    def identity(self) -> dict[str, str]:
        return {"refined": self._refined_by}

    def facts(self) -> dict[str, str]:
        return {"refined": f"{counted(len(self.numbers), 'flop')} in the file; others when a hand comes there"}

    def behind(self, number: int, line: int, seat: int, hears: Progress | None = None) -> RefinedFlop | None:
        found = super().behind(number, line, seat)
        subgame = FlopSubgame(tuple(self.boards.boards[number].tolist()), seat, line)
        if found is not None or subgame not in self._refined(subgame.board):
            return found
        with self._solving:  # a second thread waits for what the first one solves
            if subgame not in self._subgames:
                self._subgames[subgame] = self._found(subgame, hears)
                while len(self._subgames) > _HELD:
                    self._subgames.popitem(last=False)
            self._subgames.move_to_end(subgame)
            return self._subgames[subgame]

    def _find_refined(self, board: tuple[int, ...]) -> frozenset[FlopSubgame]:
        """The subgames of a flop."""
        return frozenset(self._refiner.subgames(board))

    def _found(self, subgame: FlopSubgame, hears: Progress | None) -> RefinedFlop:
        """A subgame of the cache, or its solution."""
        found = self._refiner.kept.load(subgame)
        if found is None:
            with heard(hears) as share:
                found = self._refiner.solve(subgame, share)
            self._refiner.kept.save(subgame, found)
        return found
