"""Blocks of bytes in files: the state that was kept last is whole at any moment."""

import resource
import zlib

import h5py
import numpy as np
import pytest

from cfr.strategy.files.streamed_file import streamed
from cfr.system.disk import block_files
from cfr.system.disk.block_files import BlockFiles, remove_folder
from cfr.system.errors import DamagedFileError

SIZE = 1000


def block(number):
    return np.full(SIZE, number, np.uint8)


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize("resident", [0, SIZE, 5 * SIZE])
def test_what_was_kept_last_is_what_the_next_owner_finds(resident, is_late, tmp_path):
    folder, kept, rng = tmp_path / "t", {}, np.random.default_rng(0)
    truth: dict[str, int] = {}
    for _ in range(8):
        with BlockFiles(folder, kept, resident, is_late) as files:
            found = files.fetch(dict.fromkeys("abc", SIZE))()
            assert {name: int(each[0]) for name, each in found.items()} == {name: truth.get(name, 0) for name in "abc"}
            state = dict(truth)
            for step in range(9):
                name = "abc"[rng.integers(3)]
                state[name] = int(rng.integers(256))
                files.release(name, block(state[name]), True)
                files.settle()
                assert int(files.part(name, 3, 4)[0]) == state[name]
                if step == 5:
                    files.keep(kept.update)
                    truth = dict(state)
                    assert files.disk_bytes == (SIZE + 4) * len(state)
                    assert not files.replaced_bytes
    remove_folder(folder)
    assert not folder.exists()


def test_blocks_in_memory_are_written_when_a_state_is_kept(tmp_path):
    kept = {}
    with BlockFiles(tmp_path / "t", kept, 2 * SIZE, writes_late=True) as files:
        for name in "abc":
            files.release(name, block(1), True)
        files.settle()
        assert files.bytes_written == files.disk_bytes == SIZE + 4  # of the one that memory does not hold
        files.keep(kept.update)
        assert files.bytes_written == 3 * (SIZE + 4)
        files.keep(kept.update)
        assert files.bytes_written == 3 * (SIZE + 4)
        files.release("a", block(2), True)
    with BlockFiles(tmp_path / "t", kept) as files:
        assert all((each == 1).all() for each in files.fetch(dict.fromkeys("abc", SIZE))().values())


def test_either_library_reads_what_the_other_wrote(tmp_path, monkeypatch):
    """With the extra ``[disk]`` and without it, checksums are the same numbers."""
    assert block_files.crc32 is not zlib.crc32  # tests have the extra
    contents = np.random.default_rng(1).integers(256, size=SIZE).astype(np.uint8)
    for writer, reader in ((zlib.crc32, block_files.crc32), (block_files.crc32, zlib.crc32)):
        with BlockFiles(tmp_path, {}) as files:
            monkeypatch.setattr(block_files, "crc32", writer)
            files.release("a", contents, True)
            files.settle()
            monkeypatch.setattr(block_files, "crc32", reader)
            assert np.array_equal(files.fetch({"a": SIZE})()["a"], contents)
        monkeypatch.undo()


def test_only_files_of_blocks_are_deleted(tmp_path):
    folder = tmp_path / "t"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    (folder / "a.7.block").write_bytes(b"stale")
    with BlockFiles(folder, {}):
        assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    remove_folder(folder)
    assert (folder / "notes.txt").read_text() == "mine"


def test_a_block_that_ends_early_is_damaged(tmp_path):
    with BlockFiles(tmp_path, {}) as files:
        files.release("a", block(1), True)
        files.settle()
        with pytest.raises(DamagedFileError, match="it ends early"):
            files.fetch({"a": SIZE + 1})()


@pytest.mark.parametrize("size", [1, SIZE, 1 << 18, (1 << 18) + 1, 700_000])
def test_any_flipped_bit_is_found_and_any_part_is_read(size, tmp_path):
    rng = np.random.default_rng(size)
    whole = rng.integers(0, 256, size, np.uint8)
    with BlockFiles(tmp_path, {}) as files:
        files.release("a", whole, True)
        files.settle()
        for start, stop in [(0, size), *np.sort(rng.integers(0, size + 1, (9, 2)), axis=1).tolist()]:
            assert np.array_equal(files.part("a", start, stop), whole[start:stop])
        assert np.array_equal(files.fetch({"a": size})()["a"], whole)
        (path,) = tmp_path.iterdir()
        content = path.read_bytes()
        for place in [*rng.integers(0, len(content), 20).tolist(), len(content) - 1]:
            damaged = bytearray(content)
            damaged[place] ^= 1 << int(rng.integers(8))
            path.write_bytes(damaged)
            with pytest.raises(DamagedFileError, match=rf"{path.name}: damaged; its checksum"):
                files.fetch({"a": size})()
            with pytest.raises(DamagedFileError, match=rf"{path.name}: damaged; its checksum"):
                files.part("a", 0, size)
        for length in {0, len(content) // 2, len(content) - 1}:
            path.write_bytes(content[:length])
            with pytest.raises(DamagedFileError, match=path.name):
                files.part("a", 0, size)


def test_a_block_in_the_place_of_another_is_damaged(tmp_path):
    with BlockFiles(tmp_path, {}) as files:
        for name in "ab":
            files.release(name, block(ord(name)), True)
            files.settle()
        first, second = sorted(tmp_path.iterdir())
        first.write_bytes(second.read_bytes())
        with pytest.raises(DamagedFileError, match="checksum"):
            files.fetch({"a": SIZE})()


def test_hdf5_survives_writes_that_fail(tmp_path):
    """The error comes once HDF5 has let the file go, whenever the disk fills up."""
    path, before = tmp_path / "x.h5", resource.getrlimit(resource.RLIMIT_FSIZE)
    data = np.random.default_rng(0).integers(0, 256, (400, 1000), np.uint8)

    def write():
        path.write_bytes(b"")
        with streamed(path) as file:
            for number in range(4):
                file.create_dataset(str(number), data=data, chunks=(10, 1000), compression="gzip")
            assert np.array_equal(file["3"][:], data) or path.stat().st_size < size

    size = 0
    write()
    with h5py.File(path) as file:
        assert np.array_equal(file["2"][:], data)
    size = path.stat().st_size
    for room in range(0, size, size // 12):
        path.write_bytes(b"")
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
        try:
            with pytest.raises(OSError, match="File too large"):
                write()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
