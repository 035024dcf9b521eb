"""The source distribution builds and works in an empty environment."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.packaging
def test_the_sdist_installs_and_works_elsewhere(tmp_path):
    def run(*command: str, **more) -> str:
        done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run(sys.executable, "-m", "build", "--sdist", "--outdir", str(tmp_path), cwd=ROOT)
    [archive] = tmp_path.glob("cfr_holdem-*.tar.gz")
    run(sys.executable, "-m", "venv", str(tmp_path / "env"))
    command = tmp_path / "env" / "bin"
    run(str(command / "pip"), "install", "--quiet", str(archive))
    elsewhere = {"cwd": tmp_path, "env": {**os.environ, "CFR_CACHE": str(tmp_path / "cache")}}
    games = json.loads(run(str(command / "cfr"), "games", "--json", **elsewhere))
    assert len(games) == 8
    answer = json.loads(run(str(command / "cfr"), "query", "--hand", "AsKh", "--line", "r", "--json", **elsewhere))
    assert answer["fold"] + answer["call"] + answer["raise"] == pytest.approx(1)
    solved = run(str(command / "cfr"), "solve", "leduc", "--iterations", "10", "--json", **elsewhere)
    assert json.loads(solved)["iterations"] == 10
