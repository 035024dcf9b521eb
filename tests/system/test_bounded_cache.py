"""A bounded cache keeps what was used last, and no more than it may."""

import os

import numpy as np
import pytest

from cfr.system.bounded_cache import BoundedCache

MOST = 100_000
ENTRY = {"numbers": np.random.default_rng(0).integers(0, 256, 9_000, np.uint8)}  # nothing to compress


def kept(cache):
    return {path.stem for path in cache.directory.iterdir()}


def test_the_folder_never_holds_more(tmp_path):
    cache = BoundedCache("x", MOST, tmp_path)
    for number in range(40):
        cache.save(str(number), ENTRY)
        assert sum(path.stat().st_size for path in cache.directory.iterdir()) <= MOST


def test_what_was_used_longest_ago_goes(tmp_path):
    cache = BoundedCache("x", MOST, tmp_path)
    for number in range(10):
        cache.save(str(number), ENTRY)
        os.utime(cache.directory / f"{number}.npz", (number, number))
    assert cache.load("0") is not None  # so it was used just now
    cache.save("new", ENTRY)
    assert "1" not in kept(cache)
    assert kept(cache) >= {"0", "new", *map(str, range(3, 10))}


@pytest.mark.parametrize("size", [1, 1_000])
def test_small_entries_are_counted_too(tmp_path, size):
    """The folder is looked through only after so many bytes."""
    cache = BoundedCache("x", MOST, tmp_path)
    (cache.directory).mkdir(parents=True)
    old = cache.directory / "old.npz"
    old.write_bytes(bytes(MOST))
    os.utime(old, (1, 1))
    cache.save("first", {"numbers": np.zeros(size, np.uint8)})
    assert kept(cache) == {"first"}
    old.write_bytes(bytes(MOST))
    os.utime(old, (1, 1))
    for number in range(2_000 // size + 2):
        cache.save(str(number), {"numbers": np.zeros(size, np.uint8)})
    assert "old" not in kept(cache)
