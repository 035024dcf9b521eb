"""Files with probabilities as they were solved, in float32 or float64, instead of bytes."""

import json

import h5py
import numpy as np
import pytest

from cfr.exploit.exploitability import exploitability
from cfr.game.rules import Game
from cfr.opponents.tilt import Tilt
from cfr.opponents.tilted import Tilted
from cfr.solver import checkpoint
from cfr.solver.forecast import make_forecast
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.strategy.files.file import FLOAT_VERSION, FORMAT_VERSION, verify
from cfr.strategy.files.stored import Strategy
from cfr.system.errors import BadInputError, DamagedFileError

LEDUC = Game.bundled("leduc")


def solved(tmp_path, store, iterations=300):
    return solve(Settings(LEDUC, None, iterations=iterations, store=store, out=tmp_path / f"{store}.h5"))


@pytest.mark.parametrize(("store", "off"), [("float32", 1e-6), ("float64", 1e-12)])
def test_a_file_is_as_good_as_what_was_solved(tmp_path, store, off):
    result = solved(tmp_path, store)
    assert result.stored_exploitability_mbb == pytest.approx(result.exploitability_mbb, abs=1e6 * off, rel=1e-6)
    with h5py.File(result.file) as file:
        assert file.attrs["format_version"] == FLOAT_VERSION
        assert file.attrs["store"] == store
        tables = [file[f"rounds/{r}/probabilities"][...] for r in range(2)]
        assert {table.dtype for table in tables} == {np.dtype(store)}
        assert "remainders" not in file["rounds/0"]
    with Strategy.open(result.file) as strategy:
        for table, betting in zip(tables, strategy.betting.rounds, strict=True):
            for numbers in betting.action_index:
                np.testing.assert_allclose(table[:, numbers[numbers >= 0]].sum(axis=1), 1, atol=off)
        found = exploitability(strategy).exploitability_mbb
        assert found == pytest.approx(result.stored_exploitability_mbb, abs=1e-6)
        asked = strategy.probabilities("Ks", "", "r"), strategy.range("Qs", "cc/r").frequencies.copy()
        strategy.hold_tables(1 << 20)
        assert strategy.probabilities("Ks", "", "r") == asked[0]
        assert np.array_equal(strategy.range("Qs", "cc/r").frequencies, asked[1])
    verify(result.file)


def test_bytes_lose_what_floats_keep(tmp_path):
    coarse, fine = solved(tmp_path, "bytes", 3000), solved(tmp_path, "float64", 3000)
    assert coarse.exploitability_mbb == fine.exploitability_mbb
    assert fine.stored_exploitability_mbb < 0.6 * coarse.stored_exploitability_mbb
    with Strategy.open(coarse.file) as old, Strategy.open(fine.file) as new:
        assert old.attributes["format_version"] == FORMAT_VERSION
        assert "store" not in old.attributes
        apart = np.abs(old.range("", "r").frequencies - new.range("", "r").frequencies)
        assert 0 < apart.max() < 1 / 255


def test_a_damaged_table_of_floats_is_found(tmp_path):
    path = solved(tmp_path, "float64").file
    with h5py.File(path, "r+") as file:
        file["rounds/1/probabilities"][3, 0, 0] = 0.25
    with pytest.raises(DamagedFileError, match="its checksum is not that of its contents"):
        verify(path)


def test_a_model_of_floats_has_bytes(tmp_path):
    with Strategy.open(solved(tmp_path, "float64").file) as strategy:
        Tilted(strategy, Tilt.none(LEDUC)).save(tmp_path / "m.h5", {"algorithm": "none"})
        with Strategy.open(tmp_path / "m.h5") as kept:
            assert kept.table(0).dtype == np.uint8
            np.testing.assert_allclose(
                kept.range("", "r").frequencies, strategy.range("", "r").frequencies, atol=1 / 255
            )


def test_a_resumed_solve_stores_what_is_said_last(tmp_path):
    settings = Settings(LEDUC, None, iterations=10, store="float32", out=tmp_path / "x.h5")
    path = checkpoint.path_for(settings.out)
    checkpoint.save(path, settings, checkpoint.Progress(3, 1.0), {}, lanes=16)
    assert checkpoint.resumed(path).store == "float32"
    assert checkpoint.resumed(path, store="float64").store == "float64"
    with np.load(path) as archive:
        header = json.loads(str(archive["header"]))
    del header["asked"]["store"]  # as older versions wrote it
    with path.open("wb") as file:
        np.savez(file, header=np.array(json.dumps(header)))
    assert checkpoint.resumed(path).store == "bytes"


def test_the_forecast_counts_the_numbers_of_the_file():
    disk = [make_forecast(Settings(LEDUC, None, 10, store=store)).disk_bytes for store in ("bytes", "float32")]
    assert disk[1] - disk[0] >= 3 * 1092  # node-actions, at least


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"store": "float16"}, "store: 'float16'; expected bytes, float32, float64"),
        ({"store": "float64", "purge": 0.01}, "leave out purge= and compact=True"),
        ({"store": "float64", "compact": True}, "leave out purge= and compact=True"),
        ({"store": "float32", "lossless": True}, "with buckets or lossless=True a file has bytes"),
        ({"store": "float32", "game": Game.bundled("hulhe"), "buckets": (5, 5, 5)}, "with buckets or lossless=True"),
    ],
)
def test_what_has_no_floats_is_refused(changes, message):
    with pytest.raises(BadInputError, match=message):
        Settings(**({"game": LEDUC, "buckets": None, "iterations": 5} | changes))
