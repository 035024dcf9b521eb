"""Long work of every kind, each killed at five random moments, goes on to the same end."""

import json
import os
import random
import subprocess
import sys

import h5py
import pytest

KILLS = 5
# Checkpoints of spots all the time: most kills hit one that is being written.
MAIN = """
import sys
from cfr.cli import main as cli
from cfr.solver import loop, solve_spot
loop.CHECKPOINT_SECONDS = solve_spot.CHECKPOINT_SECONDS = 0.0
loop.CHECKPOINT_SHARE = 1e9
sys.exit(cli.main(sys.argv[1:]))
"""
SPOT = ["--board", "Td9d6hQc", "--line", "rc/crc/", "--strategy", "uniform", "--button", "QQ+,AK", "--bb", "TT+,AQ"]
LIMITS = ["--iterations", "300", "--target", "1e-9"]  # a target is measured at other iterations after a kill
WORK = {
    "exploit": ["exploit", "uniform", "--flops", "6", "--seed", "1"],
    "versus": ["versus", "uniform", "call-raise", "--flops", "6", "--seed", "1"],
    "match": ["match", "uniform", "call-raise", "--hands", "30000", "--seed", "1", "--no-aivat"],
    "solve": ["solve", "rhode-island", "--iterations", "60", "--schedule", "dcfr"],
    "lossless": ["solve", "rhode-island", "--iterations", "30", "--lossless", "--memory", "0.26"],
    "spot": ["spot", *SPOT, *LIMITS],
}
SOLVES = ("solve", "lossless", "spot")


class Work:
    """A command whose files lie in a folder of their own."""

    def __init__(self, kind, folder):
        folder.mkdir()
        self.kind, self.file = kind, folder / ("x.log" if kind == "match" else "x.h5")
        self.checkpoint = folder / "x.h5.checkpoint"
        self.kept = self.checkpoint if kind in SOLVES else self.file

    def start(self):
        flag = {"match": "--log", "exploit": "--partial", "versus": "--partial"}.get(self.kind, "--out")
        words = [*WORK[self.kind], flag, str(self.file)]
        if self.kept.exists():
            if self.kind in SOLVES:
                words = [words[0], "--resume", str(self.kept), *(LIMITS if self.kind == "spot" else [])]
            else:
                words.append("--resume")
        if self.kind in ("exploit", "versus", *SOLVES):
            words += ["--threads", "1"]
        command = [sys.executable, "-c", MAIN, *words, "--json"]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)

    def end(self):
        """Run to the end; what came out, without times."""
        with self.start() as child:
            out, err = child.communicate(timeout=400)
        assert child.returncode == 0, err
        found = json.loads(out)
        for name in ("seconds", "file"):
            found.pop(name, None)
        if self.kind == "match":
            return found, self.file.read_bytes()
        if self.kind in SOLVES:
            with h5py.File(self.file) as file:
                return found, str(file.attrs["checksum"])
        return found, None


@pytest.mark.slow
@pytest.mark.parametrize("kind", WORK)
def test_killed_five_times_it_comes_to_the_same_end(kind, tmp_path):
    whole, killed, rng, late = Work(kind, tmp_path / "whole"), Work(kind, tmp_path / "killed"), random.Random(kind), 0
    expected = whole.end()
    for _ in range(KILLS):
        with killed.start() as child:
            try:
                child.wait(rng.uniform(1.0, 3.5))
            except subprocess.TimeoutExpired:
                child.kill()
            else:
                late += 1
                assert child.returncode == 0, child.stderr.read()
                break
    if kind in ("exploit", "versus", "match") or not late:
        assert killed.end() == expected
    else:
        with h5py.File(killed.file) as file:
            assert str(file.attrs["checksum"]) == expected[1]
