"""Remainders of a strategy file: they make probabilities finer, where rounding costs."""

import h5py
import numpy as np
import pytest

from cfr import exploitability
from cfr.abstraction.abstraction import Abstraction
from cfr.game.betting import BettingTree
from cfr.game.rules import Game
from cfr.solver.ending import WORTH_KEEPING
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.strategy.files.file import (
    save,
    verify,
)
from cfr.strategy.files.quantise import quantise_finely
from cfr.strategy.files.round_rows import RoundRows
from cfr.strategy.files.stored import Strategy
from cfr.system.errors import DamagedFileError

LEDUC = Game.bundled("leduc")


def test_remainders_make_probabilities_finer(tmp_path):
    game = Game.bundled("leduc")
    betting = BettingTree(game)
    rng = np.random.default_rng(5)
    rounds, exact = [], []
    for shared, lines in zip(betting.rounds, betting.num_lines, strict=True):
        sums = rng.random((7, shared.node_actions, lines)) ** 4
        stored, left = quantise_finely(sums, shared)
        rounds.append(RoundRows.of(stored, left))
        whole = np.zeros(sums.shape)
        for numbers in shared.action_index:
            legal = numbers[numbers >= 0]
            whole[:, legal] = sums[:, legal] / sums[:, legal].sum(axis=1, keepdims=True)
            assert not left[:, legal].sum(axis=1, dtype=int).any()
        exact.append(whole)
    path = tmp_path / "fine.h5"
    save(path, game, Abstraction.lossless(game).arrays(), rounds, {})
    verify(path)
    with Strategy.open(path) as strategy:
        for number, whole in enumerate(exact):
            read = strategy.read(number, slice(0, 7)) / 255
            coarse = strategy.table(number)[:7] / 255
            assert np.abs(read - whole).max() < 1.1 / 126 / 255
            assert np.abs(coarse - whole).max() > 50 * np.abs(read - whole).mean()
    data = bytearray(path.read_bytes())
    with h5py.File(path) as file:
        where = file["rounds/1/remainders"].id.get_chunk_info(0).byte_offset
    data[where + 5] ^= 0x10
    path.write_bytes(data)
    with pytest.raises(DamagedFileError):
        verify(path)


def test_a_file_misses_no_target_that_its_solve_reached(tmp_path):
    free = solve(Settings(LEDUC, None, iterations=96, out=tmp_path / "free.h5"))
    reached, rounded = free.exploitability_mbb, free.stored_exploitability_mbb
    assert reached < rounded < WORTH_KEEPING * reached  # which is not worth remainders by itself
    target = (reached + rounded) / 2
    aimed = solve(Settings(LEDUC, None, target_mbb=target, out=tmp_path / "aimed.h5"))
    assert (aimed.iterations, aimed.exploitability_mbb) == (free.iterations, reached)
    assert aimed.stored_exploitability_mbb <= target


def test_a_solve_keeps_remainders_where_rounding_costs(tmp_path):
    path = tmp_path / "leduc.h5"
    result = solve(Settings(game=Game.bundled("leduc"), buckets=None, iterations=1000, out=path))
    assert result.exploitability_mbb is not None
    assert result.stored_exploitability_mbb == pytest.approx(result.exploitability_mbb, rel=0.2)
    with Strategy.open(path) as strategy:
        measured = exploitability(strategy)
        assert measured.exploitability_mbb == pytest.approx(result.stored_exploitability_mbb, rel=1e-4)
    solve(Settings(game=Game.bundled("leduc"), buckets=None, iterations=3, out=path, overwrite=True))
    with h5py.File(path) as file:
        assert "remainders" not in file["rounds/0"]  # rounding is nothing beside 3 iterations
