"""Checkpoints of spots, from builds of the kernel with other vectors."""

import numpy as np
import pytest

from cfr.kernel.schedules import SCHEDULED
from cfr.kernel.tree import build_tree
from cfr.spots import checkpoint
from cfr.spots.checkpoint import SpotProgress
from cfr.spots.river_floor import Measured
from cfr.spots.solver import SpotSolver
from cfr.spots.spot_text import make_spot


@pytest.mark.parametrize("tables", ["float32", "int8"])
def test_a_checkpoint_of_a_machine_with_other_vectors(tables, tmp_path):
    spot = make_spot("Td9d6hQc", "rc/crc/c", button="QQ+,AKs", big_blind="TT+,AQs")  # one line, within a round
    solver, again = SpotSolver(spot, tables=tables), SpotSolver(spot, tables=tables)
    solver.step(SCHEDULED)
    mine = solver.tree
    other = build_tree(spot.game, 8 if mine.lanes == 16 else 16, mine.first, [spot.state.line], path=spot.path)
    there = {
        kind: [
            tuple(other.taken_over(table, round_, seat, mine) for seat, table in enumerate(pair))
            for round_, pair in enumerate(rounds)
        ]
        for kind, rounds in solver.tables.items()
    }
    kept = SpotProgress(spot, (), SCHEDULED.name, tables, 1, 2.5, measure_at=16, measured=Measured(1, 3.0))
    path = tmp_path / "x.checkpoint"
    checkpoint.save(path, kept, other, there)
    found = checkpoint.read(path)
    assert vars(found) | {"spot": None} == vars(kept) | {"spot": None}
    found.check(path, spot, (), SCHEDULED.name)
    checkpoint.load(path, again.tree, again.tables)
    for kind, rounds in solver.tables.items():
        for pair, copies in zip(rounds, again.tables[kind], strict=True):
            assert all(map(np.array_equal, pair, copies))
