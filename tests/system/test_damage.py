"""One flipped bit anywhere in a log of results or in the cache: the same result, or one line with the path."""

import json
import shutil

import numpy as np
import pytest

from cfr.system.bounded_cache import BoundedCache
from cfr.system.disk.cache import Cache
from tests.damage import CHECKPOINT_FLIPS, FEW, answered, flip, flips

MEASURE = ["exploit", "uniform", "--game", "leduc", "--threads", "1", "--json"]


def logs_are_never_misread(folder, capsys, count):
    kept, whole = folder / "kept", folder / "whole"
    measure = [*MEASURE, "--partial", str(kept)]
    code, out, _ = answered(capsys, measure)
    assert code == 0
    truth = json.loads(out)
    shutil.copy(kept, whole)
    refused = 0
    for place, bit in flips(whole, count, 3):
        flip(whole, kept, place, bit)
        code, out, err = answered(capsys, [*measure, "--resume"])
        if code:
            refused += 1
            assert code in (1, 2), (place, bit, err)
            assert (out, err.count("\n")) == ("", 1), (place, bit, err)
            assert err.startswith(f"cfr: {kept}: "), (place, bit, err)
        else:
            assert json.loads(out) | {"seconds": 0} == truth | {"seconds": 0}, (place, bit)
    assert 0 < refused < count


def test_a_flipped_bit_in_a_log_of_results(tmp_path, capsys):
    logs_are_never_misread(tmp_path, capsys, FEW)


@pytest.mark.slow
def test_three_hundred_flipped_bits_in_a_log_of_results(tmp_path, capsys):
    logs_are_never_misread(tmp_path, capsys, CHECKPOINT_FLIPS)


@pytest.mark.parametrize("make", [Cache, lambda folder: BoundedCache("spots", 1 << 20, folder)])
def test_three_hundred_flipped_bits_in_a_cache(make, tmp_path):
    cache, rng = make(tmp_path), np.random.default_rng(0)
    arrays = {"a": rng.random(50), "b": rng.integers(0, 9, (4, 5), np.uint8)}
    cache.save("x", arrays)
    path, whole = cache.directory / "x.npz", tmp_path / "whole"
    shutil.copy(path, whole)
    lost = 0
    for place, bit in flips(whole, CHECKPOINT_FLIPS, 4):
        flip(whole, path, place, bit)
        found = cache.load("x")
        if found is None:
            lost += 1
        else:
            assert found.keys() == arrays.keys(), (place, bit)
            assert all(np.array_equal(found[name], arrays[name]) for name in arrays), (place, bit)
    assert lost > CHECKPOINT_FLIPS // 3
