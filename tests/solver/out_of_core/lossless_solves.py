"""Lossless solves of small games, for tests of solves beyond memory."""

import h5py

from cfr.abstraction.abstraction import Abstraction
from cfr.solver.out_of_core.disk_solver import DiskSolver
from cfr.solver.out_of_core.piece_plan import make_plan
from cfr.solver.settings import Settings
from cfr.strategy.files.file import verify
from tests.small_games import GAMES, short_deck

GAME = GAMES["three rounds"]
RIVERS = short_deck("rivers", 2, 4, (0, 2, 1, 1), (1, 1, 1, 1))
BEYOND = 0.185  # GB: less than any solve is forecast to need in memory


def settings(tmp_path, name="x.h5", game=GAME, **more):
    how = {"iterations": 5, "tables": "int8", "memory_gb": BEYOND} | more
    return Settings(game, None, lossless=True, out=tmp_path / name, **how)


def contents(path):
    verify(path)
    with h5py.File(path) as file:
        return {name: file.attrs[name] for name in ("checksum", "exploitability_mbb", "stored_exploitability_mbb")}


def begun(asked, header=None):
    bounds = None if header is None else header.pieces.bounds
    return DiskSolver(asked, Abstraction.lossless(asked.game), make_plan(asked, bounds), header)
