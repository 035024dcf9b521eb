"""The heaps of texts in an HDF5 file: sound ones pass, and any size that HDF5 could read for ever is found."""

import h5py
import numpy as np
import pytest

from cfr.abstraction.abstraction import Abstraction
from cfr.game.rules import Game
from cfr.strategy.files.file import open_file, set_attributes
from cfr.strategy.files.global_heap import check_heaps
from cfr.system.errors import DamagedFileError
from tests.conftest import save_random


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    path, game = tmp_path_factory.mktemp("heap") / "x.h5", Game.bundled("leduc")
    save_random(path, game, Abstraction.lossless(game), 3)
    return path


def heaps(contents):
    return [at for at in range(len(contents)) if contents[at : at + 5] == b"GCOL\x01"]


def test_a_sound_file_passes(sound):
    assert len(heaps(sound.read_bytes())) == 1
    check_heaps(sound)


def test_more_text_than_one_heap_holds(sound, tmp_path):
    path = tmp_path / "x.h5"
    path.write_bytes(sound.read_bytes())
    set_attributes(path, {f"note_{number}": "x" * 3000 for number in range(5)})
    places = heaps(path.read_bytes())
    assert len(places) > 1
    check_heaps(path)
    contents = bytearray(path.read_bytes())
    contents[places[-1] + 24] ^= 1  # the first object's size
    path.write_bytes(contents)
    with pytest.raises(ValueError, match=f"byte {places[-1]:,} have sizes"):
        check_heaps(path)


def test_heaps_that_other_programs_write(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        for number in range(40):
            file.attrs[f"a{number}"] = "y" * (number * 37)
    assert heaps(path.read_bytes())
    check_heaps(path)


def test_a_file_that_is_none_of_hdf5(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"")
    check_heaps(path)
    path.write_bytes(b"GCOL\x01")
    with pytest.raises(ValueError, match="the texts at byte 0 "):
        check_heaps(path)


def test_every_flip_in_a_size_is_found(sound, tmp_path):
    """Sizes of objects and of the heap: HDF5 read one such file for ever."""
    path, contents = tmp_path / "x.h5", sound.read_bytes()
    (start,) = heaps(contents)
    end = start + int.from_bytes(contents[start + 8 : start + 16], "little")
    places, at = [start + 8 + byte for byte in range(8)], start + 16
    while at + 16 <= end and (index := int.from_bytes(contents[at : at + 2], "little")):
        size = int.from_bytes(contents[at + 8 : at + 16], "little")
        places += [at + 8 + byte for byte in range(8)]
        at += 16 + (size + 7) // 8 * 8
    assert index == 0
    places += [at + 8 + byte for byte in range(8)]
    rng = np.random.default_rng(0)
    for place in places:
        for bit in rng.choice(8, 2, replace=False).tolist():
            flipped = bytearray(contents)
            flipped[place] ^= 1 << bit
            path.write_bytes(flipped)
            # The lowest three bits of a size may stay within the padding; HDF5 then reads another text, which the
            # checksum of attributes finds.
            with pytest.raises(DamagedFileError, match=r"x\.h5: .*damaged"):
                open_file(path)


def test_a_query_opens_no_file_with_such_a_heap(sound, tmp_path):
    path, contents = tmp_path / "x.h5", bytearray(sound.read_bytes())
    (start,) = heaps(contents)
    contents[start + 24 + 2] ^= 0x80
    path.write_bytes(contents)
    with pytest.raises(DamagedFileError, match=f"the texts at byte {start:,} have sizes that do not add up"):
        open_file(path)
