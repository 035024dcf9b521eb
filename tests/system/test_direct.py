"""Files past the system's cache: the same bytes, wherever blocks lie in memory and whatever the file system can."""

import errno
import os

import numpy as np
import pytest

from cfr.system.disk import direct

WRITE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
SIZES = (0, 1, 4095, 4096, 4097, 3 * 4096 + 5, (1 << 20) + 77)


@pytest.fixture(params=["as it is", "never", "refused"])
def system(request, monkeypatch):
    """A file system that passes the cache by if it can, a system without such a flag, and one that refuses it."""
    if request.param != "as it is":
        monkeypatch.setattr(direct, "_DIRECT", 0 if request.param == "never" else 1 << 30)
    if request.param == "refused":
        opened = os.open

        def refusing(path, flags, mode=0o777):
            if flags & 1 << 30:
                raise OSError(errno.EINVAL, "Invalid argument")
            return opened(path, flags, mode)

        monkeypatch.setattr(os, "open", refusing)


def block(size, is_aligned):
    numbers = np.random.default_rng(size).integers(256, size=size, dtype=np.uint8)
    found = direct.zeros(size) if is_aligned else np.zeros(size + 1, np.uint8)[1:]
    found[...] = numbers
    return found


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize("is_aligned", [True, False])
@pytest.mark.parametrize("size", SIZES)
def test_what_is_written_is_read(size, is_aligned, tmp_path):
    first, second = block(size, is_aligned), block(13, False)
    with direct.opened(tmp_path / "x", WRITE) as file:
        direct.write(file, (first, second))
    expected = first.tobytes() + second.tobytes()
    assert (tmp_path / "x").read_bytes() == expected
    for wanted in (len(expected), len(expected) + 5000, max(1, size // 2)):
        with direct.opened(tmp_path / "x", os.O_RDONLY) as file:
            found = direct.read(file, wanted)
        assert found.tobytes() == expected[:wanted]


@pytest.mark.parametrize("start", [0, 4096, 4097])
def test_a_part_is_read_from_anywhere(start, tmp_path):
    whole = block(20_000, True)
    (tmp_path / "x").write_bytes(whole.tobytes())
    with direct.opened(tmp_path / "x", os.O_RDONLY) as file:
        file.seek(start)
        assert np.array_equal(direct.read(file, 6000), whole[start : start + 6000])


def test_other_errors_are_told(tmp_path):
    with pytest.raises(FileNotFoundError):
        direct.opened(tmp_path / "missing" / "x", WRITE)


def test_blocks_of_zeros_need_no_copy():
    found = direct.zeros(5000)
    assert found.shape == (5000,)
    assert found.ctypes.data % 4096 == 0
    assert not found.any()
