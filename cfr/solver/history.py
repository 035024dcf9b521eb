"""How exploitability falls during a solve without buckets: a row at each power of two, and one at the end."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from cfr.solver.solver import Solver
from cfr.strategy.hand_table import check_out, write
from cfr.system.disk.files import check_free
from cfr.system.errors import BadInputError, DamagedFileError

COLUMNS = ("iterations", "seconds", "exploitability_mbb", "strategy")
Row = tuple[int, float, float, str]


class History:
    """The rows so far, in a CSV file that is written anew with each.

    A row has the iterations, the seconds of the solve, the exploitability in mbb/g of the better of the average and the
    current strategy, by best response over all boards, and which of the two it is.

    Args:
        path: the file.
        iterations: done when a solve is resumed; later rows of the file are dropped.
        overwrite: replace an earlier file.

    Raises:
        BadInputError: not a ``.csv`` path.
        SaveError: a file that is there already, or that cannot be written.
        DamagedFileError: a file to go on with that has no such rows.
    """

    def __init__(self, path: Path, iterations: int = 0, overwrite: bool = False) -> None:
        if path.suffix.lower() != ".csv":
            raise BadInputError(f"{path}: a history is a .csv file")
        check_out(path)
        self._path = path
        self.rows: list[Row] = []
        if not iterations:
            check_free(path, overwrite)
        elif path.exists() and not overwrite:
            self.rows = [row for row in read(path) if row[0] <= iterations]

    def note(self, solver: Solver, is_last: bool = False) -> None:
        """Measure after a power of two iterations, or the last; raises SaveError."""
        done = solver.iterations
        if (self.rows and self.rows[-1][0] >= done) or (done & (done - 1) and not is_last):
            return
        found = solver.measure()
        self.rows.append((done, round(solver.clock.seconds, 3), found.exploitability_mbb, found.strategy))
        write(
            self._path, {name: np.array(each) for name, each in zip(COLUMNS, zip(*self.rows, strict=True), strict=True)}
        )


def read(path: Path) -> list[Row]:
    """The rows of a history; raises OSError, or DamagedFileError for a file that is none."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return [
                (int(row["iterations"]), float(row["seconds"]), float(row["exploitability_mbb"]), row["strategy"])
                for row in csv.DictReader(file)
            ]
    except (KeyError, TypeError, ValueError, csv.Error):
        raise DamagedFileError(f"{path}: no history of a solve; expected the columns {', '.join(COLUMNS)}") from None
