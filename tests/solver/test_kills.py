"""A solve that is killed at any moment goes on from its last checkpoint to the same file."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import pytest

from cfr.game.rules import Game
from cfr.solver import checkpoint, solve
from cfr.solver.settings import Settings
from cfr.system import clock
from cfr.system.errors import CfrError, SaveError

KILLS = 20
# A checkpoint after every iteration: most of the time one is being written. Without the forecast's trial, which takes
# longer than the solve is left alone.
SOLVE = """
import sys
from cfr.cli import main as cli
from cfr.solver import forecast
from cfr.system import clock
forecast.time_iterations = lambda *_: (0.01, 0.01)
clock.CHECKPOINT_SECONDS, clock.CHECKPOINT_SHARE = 0.0, 1e9
sys.exit(cli.main(sys.argv[1:]))
"""


def checksum(path: Path) -> str:
    with h5py.File(path) as file:
        return str(file.attrs["checksum"])


def start(*arguments: str, cache: Path) -> subprocess.Popen:
    command = [sys.executable, "-c", SOLVE, "solve", *arguments, "--threads", "1"]
    return subprocess.Popen(command, env={**os.environ, "CFR_CACHE": str(cache)}, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
@pytest.mark.usefixtures("hulhe_file")  # which fills the cache with the same buckets
def test_killed_twenty_times_a_solve_ends_in_the_same_file(cache, tmp_path):
    how = ["hulhe", "--buckets", "30,20,20", "--warm-up", "0.3", "--purge", "0.1"]
    whole, out = tmp_path / "whole.h5", tmp_path / "killed.h5"
    amount = ["--iterations", "1200"]
    with start(*how, *amount, "--out", str(whole), cache=cache) as child:
        assert child.wait(300) == 0, child.stderr and child.stderr.read()
    rng, kept, seen = random.Random(0), checkpoint.path_for(out), []
    begin = [*how, *amount, "--out", str(out)]
    for _ in range(KILLS):
        if kept.exists():
            seen.append(checkpoint.read(kept).progress.iterations)
            begin = ["--resume", str(kept)]
        with start(*begin, cache=cache) as child:
            try:
                child.wait(rng.uniform(1.0, 2.5))
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGKILL)
        if out.exists():
            break
    if not out.exists():
        with start(*begin, cache=cache) as child:
            assert child.wait(300) == 0, child.stderr and child.stderr.read()
    assert len(seen) > KILLS // 2
    assert checksum(out) == checksum(whole)
    assert not kept.exists()


@pytest.mark.thorough
def test_checkpoints_that_take_long_are_written_seldom(tmp_path, monkeypatch):
    saved = []

    def slow(path: Path, *_: object) -> None:
        saved.append(path)
        time.sleep(0.5)  # 25 seconds until the next one

    monkeypatch.setattr(checkpoint, "save", slow)
    monkeypatch.setattr(clock, "CHECKPOINT_SECONDS", 0.0)
    settings = Settings(Game.bundled("kuhn"), None, iterations=3, out=tmp_path / "k.h5", overwrite=True)
    solve.solve(settings)
    assert len(saved) == 1
    monkeypatch.setattr(clock, "CHECKPOINT_SHARE", 1e9)
    solve.solve(settings)
    assert len(saved) == 1 + 3


def test_a_checkpoint_that_cannot_be_written_does_not_end_the_solve(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(clock, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(clock, "CHECKPOINT_SHARE", 1e9)

    def full(*_: object) -> None:
        raise SaveError("cannot write x: the disk is full; the old file, if any, is untouched")

    monkeypatch.setattr(checkpoint, "save", full)
    settings = Settings(Game.bundled("kuhn"), None, iterations=3, out=tmp_path / "k.h5")
    assert solve.solve(settings).iterations == 3
    said = capsys.readouterr().err
    assert said.count("no checkpoint this time: cannot write x: the disk is full") == 3
    assert issubclass(SaveError, CfrError)
