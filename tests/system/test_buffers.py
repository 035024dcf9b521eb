"""Memory that is used again, and what a disk's trial says."""

import numpy as np
import pytest

from cfr.system.disk import disk_rate
from cfr.system.disk.buffers import Buffers
from cfr.system.disk.disk_rate import DiskRate, measured_disk


def address(array):
    return array.__array_interface__["data"][0]


def test_memory_is_used_again_when_no_view_is_left():
    buffers = Buffers(most_bytes=10_000)
    first = buffers.take(5000)
    place, view = address(first), first[100:200].view(np.int16)
    view[:] = 7
    del first
    second = buffers.take(5000)
    assert address(second) != place
    second[:] = 1
    assert (view == 7).all()
    del view
    third = buffers.take(4500)
    assert (address(third), third.shape) == (place, (4500,))


def test_memory_much_too_large_or_too_small_is_left_alone():
    buffers = Buffers(most_bytes=100_000)
    place = address(buffers.take(5000))
    kept = [buffers.take(size) for size in (5001, 3999)]
    assert place not in map(address, kept)
    assert address(buffers.take(4000)) == place


def test_idle_memory_makes_way():
    buffers = Buffers(most_bytes=10_000)
    used = [buffers.take(4000), buffers.take(5000)]
    assert buffers.num_bytes == 9000
    del used[0]
    assert buffers.num_bytes == 9000
    used.append(buffers.take(2000))
    assert buffers.num_bytes == 7000
    used.append(buffers.take(9000))  # what is used may be more
    assert buffers.num_bytes == 16_000
    used.clear()
    assert buffers.num_bytes <= 10_000
    buffers.most_bytes = 0
    buffers.take(10)
    assert buffers.num_bytes == 0


def test_a_disk_is_tried_and_left_as_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(disk_rate, "_BYTES", 1_000_000)
    rate = measured_disk(tmp_path)
    assert rate.gbs > 0
    assert rate.core_seconds_per_gb > 0
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("place", ["missing", "file"])
def test_where_no_file_can_be_the_rate_is_a_guess(place, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    assert measured_disk(tmp_path / place) == DiskRate(1.0, 0.0)
