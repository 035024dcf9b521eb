"""Long work of every kind, each killed at five random moments, goes on to the same end."""

import json
import os
import random
import subprocess
import sys
import time

import h5py
import pytest

from tests.system.two_nodes import TwoNodes

KILLS = 5
# Checkpoints of spots all the time: most kills hit one that is being written.
MAIN = """
import sys
from cfr.cli import main as cli
from cfr.system import clock
clock.CHECKPOINT_SECONDS, clock.CHECKPOINT_SHARE = 0.0, 1e9
sys.exit(cli.main(sys.argv[1:]))
"""
SPOT = ["--board", "Td9d6hQc", "--line", "rc/crc/", "--strategy", "uniform", "--button", "QQ+,AK", "--bb", "TT+,AQ"]
LIMITS = ["--iterations", "300", "--target", "1e-9"]  # a target is measured at other iterations after a kill
FLOPS = ["--flops", "6", "--seed", "1"]
WORK = {
    "exploit": ["exploit", "uniform", *FLOPS],
    "versus": ["versus", "uniform", "call-raise", *FLOPS],
    "match": ["match", "uniform", "call-raise", "--hands", "30000", "--seed", "1", "--no-aivat"],
    "solve": ["solve", "rhode-island", "--iterations", "60", "--schedule", "dcfr"],
    "lossless": ["solve", "rhode-island", "--iterations", "30", "--lossless", "--memory", "0.26"],
    "spot": ["spot", *SPOT, *LIMITS],
    "ray": ["exploit", "uniform", *FLOPS],
}
SOLVES = ("solve", "lossless", "spot")


class Work:
    """A command whose files lie in a folder of their own; ``nodes`` are those that work by Ray."""

    def __init__(self, kind, folder, nodes):
        folder.mkdir()
        self.kind, self.file, self.nodes = kind, folder / ("x.log" if kind == "match" else "x.h5"), nodes
        self.checkpoint = folder / "x.h5.checkpoint"
        self.kept = self.checkpoint if kind in SOLVES else self.file

    def start(self):
        flag = "--out" if self.kind in SOLVES else "--log" if self.kind == "match" else "--partial"
        words = [*WORK[self.kind], flag, str(self.file)]
        if self.kept.exists():
            if self.kind in SOLVES:
                words = [words[0], "--resume", str(self.kept), *(LIMITS if self.kind == "spot" else [])]
            else:
                words.append("--resume")
        if self.kind in ("exploit", "versus", *SOLVES):
            words += ["--threads", "1"]
        if self.kind == "ray":
            words += ["--ray", self.nodes.address]
        command = [sys.executable, "-c", MAIN, *words, "--json"]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)

    def end(self):
        """Run to the end; what came out, without times."""
        with self.start() as child:
            out, err = child.communicate()
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


@pytest.fixture
def nodes(request, tmp_path):
    """A cluster for the kind that needs one."""
    if request.param != "ray":
        yield None
        return
    pytest.importorskip("ray")
    found = TwoNodes(tmp_path / "nodes")
    yield found
    found.end()


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "nodes"), [(kind, kind) for kind in WORK], indirect=["nodes"], ids=WORK)
def test_killed_five_times_it_comes_to_the_same_end(kind, nodes, tmp_path):
    whole, killed = (Work(kind, tmp_path / name, nodes) for name in ("whole", "killed"))
    begun = time.monotonic()
    expected = whole.end()
    seconds, rng, kills = time.monotonic() - begun, random.Random(kind), 0
    while kills < KILLS:
        with killed.start() as child:
            # Until there is something to go on with, which takes any time on a busy machine.
            while child.poll() is None and not killed.kept.exists():
                time.sleep(0.02)
            try:
                child.wait(rng.uniform(0.0, 0.3) * seconds)
            except subprocess.TimeoutExpired:
                child.kill()
                kills += 1
            else:
                assert child.returncode == 0, child.stderr.read()
                break
    assert kills
    if killed.kept.exists() or kind not in SOLVES:
        assert killed.end() == expected
    else:  # it was over before the fifth
        with h5py.File(killed.file) as file:
            assert str(file.attrs["checksum"]) == expected[1]
