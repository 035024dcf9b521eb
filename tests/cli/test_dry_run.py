"""A dry run prints the forecast, and why the command would not begin."""

import json
import re

import pytest

LOSSLESS = ["solve", "leduc", "--lossless", "--threads", "1", "--iterations", "9"]
SOLVE = ["solve", "kuhn", "--threads", "1", "--iterations", "1"]
SPOT = ["spot", "--board", "Td9d6hQc2s", "--line", "rc/crc/cc/", "--iterations", "1", "--threads", "1"]
FLOP = ["spot", "--board", "Td9d6h", "--line", "rc/", "--threads", "1", "--target", "1"]
WOULD = "as things are, this would not begin: "
REFINE = ["refine", "small", "--flops", "2", "--threads", "1"]
OUT = {"there.h5": "there.h5", "no/x.h5": "cannot write no/x.h5: there is no folder no", ".": "Is a directory"}


@pytest.mark.parametrize("out", OUT)
@pytest.mark.parametrize(
    "words", [SOLVE, LOSSLESS, SPOT, pytest.param(REFINE, marks=pytest.mark.thorough)], ids=lambda words: words[0]
)
def test_a_file_that_cannot_be_written(run, tmp_path, monkeypatch, words, out):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.h5").write_text("a thesis")
    code, said, err = run(*words, "--out", out, "--dry-run", "--json")
    assert json.loads(said)
    assert OUT[out] in err
    assert code == 0
    assert run(*words, "--out", out, "--json")[::2] == (1, err.replace(WOULD, ""))
    assert [path.name for path in tmp_path.iterdir()] == ["there.h5"]
    code, said, err = run(*words, "--out", "x.h5", "--dry-run", "--json")
    assert (code, err) == (0, "")
    assert json.loads(said)


@pytest.mark.parametrize("words", [[*SOLVE, "--overwrite"], [*SPOT, "--overwrite"]], ids=lambda words: words[0])
def test_a_file_that_may_be_replaced_stays(run, tmp_path, words):
    there = tmp_path / "there.h5"
    there.write_text("a thesis")
    assert run(*words, "--out", there, "--dry-run", "--json")[0] == 0
    assert there.read_text() == "a thesis"


@pytest.mark.parametrize(
    ("words", "free", "says"),
    [
        (["solve", "leduc", "--threads", "1"], "cfr.system.memory", "leduc needs about"),
        ([*FLOP, "--tables", "float32"], "cfr.spots.plan", "spot Td9d6h rc/ needs about"),
        pytest.param(REFINE, "cfr.resolving.refine_forecast", "a subgame of a flop needs", marks=pytest.mark.thorough),
    ],
    ids=["solve", "spot", "refine"],
)
def test_too_little_memory(run, tmp_path, monkeypatch, words, free, says):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cfr.system.memory.free_bytes", lambda: 10**6)
    monkeypatch.setattr(f"{free}.free_bytes", lambda: 10**6)
    code, said, forecast = run(*words, "--out", "x.h5", "--dry-run", "--json")
    assert code == 0
    assert json.loads(said)
    assert says in forecast
    assert "0.0 GB are free" in forecast
    code, said, err = run(*words, "--out", "x.h5")
    assert (code, said) == (2, "")
    assert err.splitlines()[-1] == forecast.splitlines()[-1].replace(WOULD, "")
    assert not list(tmp_path.iterdir())


def test_too_little_room_for_tables(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for room, says in ((10, "leduc needs about .* GB of disk, 0.0 GB are free"), (10**12, "memory: .* hold no piece")):
        monkeypatch.setattr("cfr.solver.out_of_core.piece_plan.room_bytes", lambda _, room=room: room)
        words = [*LOSSLESS, "--memory", "0.15"]
        code, said, forecast = run(*words, "--dry-run", "--disk-gbs", 1)
        assert (code, forecast.count("\n")) == (0, 1)
        assert said.startswith("game     leduc")
        assert re.search(says, forecast)
        code, said, err = run(*words)
        assert (code, said, err) == (2, "", forecast.replace(WOULD, ""))
        assert not list(tmp_path.iterdir())
    # Other machines than this one are not looked at.
    assert run(*words, "--dry-run", "--disk-gbs", 1, "--nodes", "2x4")[0] == 0
