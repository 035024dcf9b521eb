"""The strategy file: what goes in comes out, and what goes wrong is said in one line."""

import errno
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from cfr.game.betting import BettingTree
from cfr.game.rules import Game
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.strategy.files.codebook import Codebooks
from cfr.strategy.files.file import (
    CODED_VERSION,
    FORMAT_VERSION,
    NEWEST_VERSION,
    REFINED_VERSION,
    SPOT_VERSION,
    open_file,
    save,
    set_attributes,
    verify,
)
from cfr.strategy.files.quantise import quantise
from cfr.strategy.files.round_rows import RoundRows
from cfr.strategy.files.stored import Strategy
from cfr.system.errors import CfrError, DamagedFileError, SaveError

LEDUC = Game.bundled("leduc")


def tables(seed: int = 0) -> list[RoundRows]:
    rng, betting = np.random.default_rng(seed), BettingTree(LEDUC)
    return [
        RoundRows.of(quantise(rng.random((rows, each.node_actions, lines)), each))
        for rows, each, lines in zip((3, 15), betting.rounds, betting.num_lines, strict=True)
    ]


def write(path, seed: int = 0) -> str:
    return save(path, LEDUC, {"rounds": "lossless lossless"}, tables(seed), {"iterations": 7, "algorithm": "none"})


def test_round_trip(tmp_path):
    path = tmp_path / "s.h5"
    checksum = write(path)
    verify(path)
    with Strategy.open(path) as strategy:
        assert strategy.game == LEDUC
        assert strategy.attributes["iterations"] == 7
        assert strategy.attributes["checksum"] == checksum
        for r, expected in enumerate(tables()):
            assert np.array_equal(strategy.table(r)[...], expected.read(0, expected.shape[0]))
    with h5py.File(path) as plain:
        assert plain.attrs["format"] == "cfr strategy"
        assert plain["rounds/1/probabilities"].shape == (15, 14, 5)


def test_equal_content_gives_equal_bytes(tmp_path):
    for name in ("a.h5", "b.h5"):
        write(tmp_path / name)
    assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "b.h5").read_bytes()
    assert write(tmp_path / "a.h5", seed=1) != write(tmp_path / "b.h5")


def test_attributes_can_be_added_without_touching_the_rest(tmp_path):
    path = tmp_path / "s.h5"
    checksum = write(path)
    set_attributes(path, {"exploitability_mbb": 1.5})
    verify(path)
    with Strategy.open(path) as strategy:
        assert strategy.attributes["exploitability_mbb"] == 1.5
        assert strategy.attributes["checksum"] == checksum


def test_opening_values_can_be_added_and_replaced(tmp_path):
    path = tmp_path / "s.h5"
    checksum = write(path)
    with Strategy.open(path) as strategy:
        assert strategy.opening_values is None
    for seed in (1, 2):
        values = np.random.default_rng(seed).random((2, 5, 6))
        set_attributes(path, {"exploitability_mbb": 1.5}, values)
        set_attributes(path, {"exploitability_mbb": 2.5})  # leaves them
        verify(path)
        with Strategy.open(path) as strategy:
            assert np.array_equal(strategy.opening_values, values)
            assert strategy.attributes["exploitability_mbb"] == 2.5
            assert strategy.attributes["checksum"] == checksum
    for name in ("a.h5", "b.h5"):
        write(tmp_path / name)
        set_attributes(tmp_path / name, {}, values)
    assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "b.h5").read_bytes()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (np.zeros((2, 4, 6)), r"float64 \(2, 4, 6\); expected float64 \(2, 5, 6\)"),
        (np.zeros(3), r"float64 \(3,\); expected"),
        (np.full((2, 5, 6), np.nan), "not finite"),
    ],
)
def test_foreign_opening_values(tmp_path, values, said):
    path = tmp_path / "s.h5"
    write(path)
    set_attributes(path, {}, values)
    with Strategy.open(path) as strategy, pytest.raises(DamagedFileError, match=said) as error:
        _ = strategy.opening_values
    assert "\n" not in str(error.value)
    with h5py.File(path, "r+") as file:
        del file["opening_values"]
        file["opening_values/group"] = 0
    with Strategy.open(path) as strategy, pytest.raises(DamagedFileError, match="not an array"):
        _ = strategy.opening_values


def test_damaged_opening_values(tmp_path):
    path = tmp_path / "s.h5"
    write(path)
    set_attributes(path, {}, np.random.default_rng(0).random((2, 5, 6)))
    with h5py.File(path) as file:
        chunk = file["opening_values"].id.get_chunk_info(0)
    content = bytearray(path.read_bytes())
    content[chunk.byte_offset + chunk.size // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(DamagedFileError, match="damaged"):
        verify(path)
    with Strategy.open(path) as strategy, pytest.raises(DamagedFileError, match="opening_values cannot be read"):
        _ = strategy.opening_values


def test_changed_contents_fail_the_checksum(tmp_path):
    path = tmp_path / "s.h5"
    write(path)
    with h5py.File(path, "r+") as file:
        file["rounds/0/probabilities"][0, 0, 0] ^= 1
    with pytest.raises(DamagedFileError, match="checksum"):
        verify(path)


@pytest.mark.parametrize("size", [0, 10, 100, 3000])
def test_truncated_files(tmp_path, size):
    path = tmp_path / "s.h5"
    write(path)
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(DamagedFileError, match="truncated or foreign") as error:
        Strategy.open(path)
    assert "\n" not in str(error.value)


def test_foreign_and_newer_files(tmp_path):
    path = tmp_path / "s.h5"
    path.write_text("not hdf5")
    with pytest.raises(DamagedFileError, match="truncated or foreign"):
        Strategy.open(path)
    with h5py.File(path, "w") as file:
        file["data"] = 1
    with pytest.raises(DamagedFileError, match="not a strategy"):
        Strategy.open(path)
    write(path)
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = 99
    with pytest.raises(DamagedFileError, match="format version 99"):
        Strategy.open(path)
    write(path)
    with h5py.File(path, "r+") as file:
        del file["rounds/1"]
    with pytest.raises(DamagedFileError, match="incomplete"):
        Strategy.open(path)
    with pytest.raises(FileNotFoundError):
        Strategy.open(tmp_path / "none.h5")


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "s.h5"
    write(path)
    before = path.read_bytes()

    def full(start, stop):
        raise OSError(errno.ENOSPC, "No space left on device")

    broken = [tables()[0], RoundRows((15, 14, 5), full)]
    with pytest.raises(SaveError, match="the disk is full; the old file"):
        save(path, LEDUC, {"rounds": "lossless lossless"}, broken, {})
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["s.h5"]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(SaveError, match="cannot write"):
        write(tmp_path / "none" / "s.h5")


FULL_DISK = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
from cfr.cli.main import main
sys.exit(main(["solve", "leduc", "--iterations", "3", "--threads", "1", "--overwrite", "--out", sys.argv[1]]))
"""


def test_a_disk_that_fills_up_while_saving(tmp_path):
    """The system refuses to let the file grow past 4 kB, as a full disk does."""
    assert hasattr(signal, "SIGXFSZ")
    assert hasattr(resource, "RLIMIT_FSIZE")
    path = tmp_path / "s.h5"
    write(path)
    before = path.read_bytes()
    ran = subprocess.run([sys.executable, "-c", FULL_DISK, str(path)], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "the disk is full" in ran.stderr.splitlines()[-1]
    assert "Traceback" not in ran.stderr
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["s.h5"]


def test_attributes_of_one_strategy_are_not_given_to_another(tmp_path):
    first, second = (
        solve(Settings(Game.bundled("kuhn"), None, iterations=n, out=tmp_path / f"{n}.h5")) for n in (3, 4)
    )
    with Strategy.open(first.file) as strategy:
        checksum = strategy.identity["strategy"]
    set_attributes(first.file, {"exploitability_mbb": 1.0}, checksum=checksum)
    before = Path(second.file).read_bytes()
    with pytest.raises(SaveError, match=r"4\.h5: another strategy took its place meanwhile; nothing was written"):
        set_attributes(second.file, {"exploitability_mbb": 1.0}, checksum=checksum)
    assert Path(second.file).read_bytes() == before


def test_format_is_documented():
    said = " ".join((Path(__file__).parents[2] / "docs" / "file-format.md").read_text("utf-8").split())
    assert f"`cfr` reads format versions 1 to {NEWEST_VERSION}. It writes {FORMAT_VERSION} (a whole game)" in said
    assert f"{SPOT_VERSION} (one spot), {REFINED_VERSION} (refined flops) and {CODED_VERSION} (codebooks)." in said


@pytest.mark.parametrize("more", [{}, {"turn_classes": np.zeros(3, np.uint16)}])
def test_a_new_file_has_the_newest_version(tmp_path, more):
    path = tmp_path / "s.h5"
    save(path, LEDUC, {"rounds": "lossless lossless", **more}, tables(), {})
    with open_file(path) as file:
        assert file.attrs["format_version"] == FORMAT_VERSION
    verify(path)


@pytest.mark.parametrize("version", [1, 2])
def test_older_files_have_no_checksum_of_attributes_and_stay_readable(tmp_path, version):
    path = tmp_path / "s.h5"
    write(path)
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = version
        del file.attrs["attributes_checksum"]
    verify(path)
    with h5py.File(path, "r+") as file:
        file.attrs["game"] = str(file.attrs["game"]).replace("raiseSize = 2 4", "raiseSize = 2 6")
    Strategy.open(path).close()
    with pytest.raises(DamagedFileError, match="checksum"):
        verify(path)


@pytest.mark.parametrize(("where", "name"), [("/", "game"), ("/", "iterations"), ("abstraction", "rounds")])
def test_a_changed_attribute_is_found_when_the_file_is_opened(tmp_path, where, name):
    path = tmp_path / "s.h5"
    write(path)
    set_attributes(path, {"iterations": 8})
    Strategy.open(path).close()
    with h5py.File(path, "r+") as file:
        before = file[where].attrs[name]
        file[where].attrs[name] = before.replace("2", "3") + " " if isinstance(before, str) else before + 1
    with pytest.raises(DamagedFileError, match="the checksum of its game and attributes is not theirs"):
        Strategy.open(path)


class Greedy:
    """A table that takes more memory than there is."""

    nbytes = 0

    def __getitem__(self, rows):
        raise MemoryError


def test_too_little_memory_is_no_damage(tmp_path, monkeypatch):
    path = tmp_path / "s.h5"
    write(path)

    def greedy(*arguments):
        raise MemoryError

    with Strategy.open(path) as strategy:
        strategy._tables[0] = Greedy()
        with pytest.raises(MemoryError):
            strategy.read(0, 0)
        with pytest.raises(MemoryError):
            strategy.hold_tables(1)
        monkeypatch.setattr(Codebooks, "on_lines", greedy)
        strategy._tables[0] = Codebooks.__new__(Codebooks)
        with pytest.raises(MemoryError):
            strategy.read_lines(0, np.zeros(1, np.int64), np.zeros(1, np.int64))
        monkeypatch.setattr("cfr.strategy.files.stored.read_opening_values", greedy)
        with pytest.raises(MemoryError):
            _ = strategy.opening_values
    for opened in ("cfr.strategy.files.stored.read_table", "cfr.strategy.files.file.check_heaps"):
        with monkeypatch.context() as patch:
            patch.setattr(opened, greedy)
            with pytest.raises(MemoryError):
                Strategy.open(path)


@pytest.mark.parametrize(
    "ask",
    [
        lambda strategy: strategy.read(0, 0),
        lambda strategy: strategy.abstraction,
        lambda strategy: strategy.opening_values,
        lambda strategy: strategy.hold_tables(1 << 30),
    ],
    ids=["rows", "abstraction", "opening values", "tables"],
)
def test_a_closed_strategy_is_not_called_damaged(leduc_file, ask):
    strategy = Strategy.open(leduc_file)
    strategy.close()
    with pytest.raises(CfrError, match=f"^{re.escape(str(leduc_file))}: was closed; open it again$") as refused:
        ask(strategy)
    assert not isinstance(refused.value, DamagedFileError)
