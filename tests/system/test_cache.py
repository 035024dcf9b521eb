"""The cache: arrays are kept whole or not at all, in the folder that is asked for."""

import numpy as np
import pytest

from cfr.system.disk.cache import Cache, cache_directory, fingerprint


def test_cache_keeps_arrays_whole(tmp_path, monkeypatch):
    cache = Cache(tmp_path / "new")
    assert cache.load("x") is None
    cache.save("x", {"a": np.arange(5)})
    assert cache.load("x")["a"].tolist() == [0, 1, 2, 3, 4]
    [file] = (tmp_path / "new").iterdir()
    content = bytearray(file.read_bytes())
    for position in range(40, len(content), 37):
        damaged = content.copy()
        damaged[position] ^= 255
        file.write_bytes(damaged)
        loaded = cache.load("x")
        assert loaded is None or loaded["a"].tolist() == [0, 1, 2, 3, 4] or "a" not in loaded
    file.write_bytes(content[: len(content) // 2])
    assert cache.load("x") is None

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.warns(RuntimeWarning, match="No space left"):
        cache.save("y", {"a": np.arange(5)})
    assert [each.name for each in (tmp_path / "new").iterdir()] == ["x.npz"]


def test_cache_directory_and_fingerprint(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("CFR_CACHE", raising=False)
    assert cache_directory() == tmp_path / "cfr"
    monkeypatch.setenv("CFR_CACHE", str(tmp_path / "own"))
    assert cache_directory() == tmp_path / "own"
    assert cache_directory(tmp_path / "given") == tmp_path / "given"
    assert fingerprint(1, np.arange(3)) == fingerprint(1, np.arange(3))
    assert len({fingerprint(part) for part in (1, "1", np.arange(3), np.arange(3.0), np.arange(3)[None])}) == 5
