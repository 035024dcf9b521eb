"""The benchmarks run and print their fingerprints; how fast they are is nobody's test."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks"


@pytest.mark.parametrize("name", ["traverse.py", "query.py"])
def test_quick_runs_print_a_fingerprint(name, hulhe_file):
    more = [str(hulhe_file)] if name == "query.py" else []
    command = [sys.executable, str(FOLDER / name), "--quick", *more]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "fingerprint " in ran.stdout.splitlines()[-1]
