"""Strategy files whose arrays have changed on the disk: the damage is found, and the file is named."""

import h5py
import numpy as np
import pytest

from cfr.game.rules import Game
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.strategy.files.file import (
    set_attributes,
)
from cfr.strategy.files.stored import Strategy
from cfr.system.errors import DamagedFileError


def addresses(path, *names):
    """Where in a file the headers of its arrays begin."""
    with h5py.File(path) as file:
        return [h5py.h5o.get_info(file[name].id).addr for name in names]


def with_a_bit_flipped(path, place):
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


def test_arrays_that_cannot_be_opened_are_not_taken_for_none(tmp_path):
    path = tmp_path / "leduc.h5"
    solve(Settings(Game.bundled("leduc"), None, iterations=200, out=path))
    shape = (2, 5, 6)
    set_attributes(path, {}, np.zeros(shape))
    sound = path.read_bytes()
    remainders, values = addresses(path, "rounds/1/remainders", "opening_values")
    with_a_bit_flipped(path, remainders + 12)
    with pytest.raises(DamagedFileError, match=r"leduc\.h5"):
        Strategy.open(path)
    path.write_bytes(sound)
    with_a_bit_flipped(path, values + 12)
    with Strategy.open(path) as strategy, pytest.raises(DamagedFileError, match="opening_values cannot be read"):
        _ = strategy.opening_values


@pytest.mark.thorough
def test_a_damaged_table_of_flops_is_the_files(hulhe_file, tmp_path):
    path = tmp_path / "x.h5"
    path.write_bytes(hulhe_file.read_bytes())
    with h5py.File(path) as file:
        chunks = file["abstraction/flop_table"].id
        places = [chunks.get_chunk_info(n).byte_offset + 40 for n in range(chunks.get_num_chunks())]
    for place in places:
        with_a_bit_flipped(path, place)
    for ask in (
        lambda strategy: strategy.probabilities("AsKh", "Td9d6h", "rc/"),
        lambda strategy: strategy.range("Td9d6h", "rc/"),
        lambda strategy: strategy.hold_tables(1 << 30),
        lambda strategy: strategy.hold_rows(),
    ):
        with Strategy.open(path) as strategy, pytest.raises(DamagedFileError, match=r"x\.h5: damaged"):
            ask(strategy)
