"""``cfr solve``: what it prints and writes, forecasts, and checkpoints."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from cfr.game.rules import Game
from cfr.solver.presets import PRESETS
from cfr.strategy.files.file import open_file
from cfr.system.cores import usable_cores
from tests.cli.shell import shell


def test_solve_writes_a_file_and_says_what_it_did(run, tmp_path):
    out_file = tmp_path / "l.h5"
    code, out, err = run("solve", "leduc", "--iterations", 20, "--threads", 1, "--seed", 3, "--out", out_file, "--json")
    assert code == 0
    result = json.loads(out)
    assert result.pop("seconds") >= 0
    with open_file(out_file) as file:
        for name in ("exploitability_mbb", "stored_exploitability_mbb", "self_play_button_mbb", "strategy"):
            assert result.pop(name) == file.attrs[name]
    assert result == {"file": str(out_file), "game": "leduc", "iterations": 20, "seed": 3, "threads": 1}
    assert "memory" in err
    assert "solving" not in err  # no bar: stderr is no terminal
    code, out, err = run("solve", "leduc", "--iterations", 20, "--out", out_file, "--overwrite", "--progress")
    assert code == 0
    assert re.search(r"leduc, 20 iterations in [\d.]+ s .* exploitability \S+ mbb/g", out)
    assert "solving" in err


def test_solve_has_defaults(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("solve", "kuhn", "--json")
    assert code == 0
    result = json.loads(out)
    assert (result["file"], result["iterations"], result["threads"]) == ("kuhn.h5", 200, usable_cores())
    assert (tmp_path / "kuhn.h5").exists()


def test_a_game_file_can_be_solved(run, tmp_path):
    path = tmp_path / "mine.game"
    path.write_text(Game.bundled("kuhn").text())
    code, out, _ = run("solve", path, "--out", tmp_path / "mine.h5", "--target", 5, "--json")
    assert code == 0
    assert json.loads(out)["game"] == "mine"
    code, out, _ = run("info", tmp_path / "mine.h5", "--json")
    assert json.loads(out)["exploitability_mbb"] <= 5


def test_all_presets_are_offered(run):
    _, out, _ = run("solve", "--help")
    assert f"--preset {{{','.join(PRESETS)}}}" in out


def test_dry_run_only_forecasts(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cfr.solver.forecast.time_iterations", lambda *_: (0.01, 0.02))  # tests/solver times real ones
    code, out, _ = run("solve", "--preset", "quick", "--threads", 1, "--dry-run")
    assert code == 0
    for word in ("5,000, 4,000, 1,000", "memory", "disk", "about 5 minutes", "mbb/g exploitable"):
        assert word in out
    code, out, _ = run("solve", "hulhe", "--buckets", "lossless,200,100", "--minutes", 10, "--dry-run", "--json")
    assert json.loads(out)["rows"] == [169, 1_286_792, 200, 100]
    assert not list(tmp_path.iterdir())


def test_what_no_machine_holds_is_forecast_and_refused(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    solve = ("solve", "hulhe", "--buckets", "lossless,lossless,lossless", "--minutes", 5)
    code, out, forecast = run(*solve, "--dry-run", "--json")
    assert code == 0
    assert json.loads(out)["memory_bytes"] > 1e14
    code, _, err = run(*solve)
    assert code == 2
    free = r"[\d,.]+ GB are free"
    why = forecast.splitlines()[-1].replace("as things are, this would not begin: ", "")
    assert re.sub(free, "", err.splitlines()[-1]) == re.sub(free, "", why)
    assert "GB of memory" in err
    assert "use --tables bfloat16 or fewer buckets" in err
    assert not list(tmp_path.iterdir())


@pytest.mark.thorough
def test_solve_is_resumed(tmp_path):
    out_file = tmp_path / "l.h5"
    command = [sys.executable, "-m", "cfr", "solve", "leduc", "--minutes", "5", "--seed", "7", "--out", str(out_file)]
    with subprocess.Popen([*command, "--progress"], stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        seen = b""
        while b"solving" not in seen:
            seen += os.read(process.stderr.fileno(), 4096)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    last = err.decode().splitlines()[-1]
    kept = re.search(r"stopped after ([\d,]+) iterations; continue with: cfr solve --resume (\S+)$", last)
    assert kept is not None
    assert not out_file.exists()
    done = int(kept[1].replace(",", ""))
    again = shell("solve", "--resume", kept[2], "--iterations", done + 10, "--json")
    assert again.returncode == 0
    result = json.loads(again.stdout)
    assert (result["file"], result["seed"], result["iterations"]) == (str(out_file), 7, done + 10)
    straight = tmp_path / "straight.h5"
    shell("solve", "leduc", "--iterations", done + 10, "--seed", 7, "--out", straight)
    with open_file(out_file) as one, open_file(straight) as two:
        assert one.attrs["checksum"] == two.attrs["checksum"]
