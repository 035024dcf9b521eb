"""The benchmark of a walk by keys runs on this checkout against itself; how fast it is is nobody's test."""

import re
import subprocess
import sys

import pytest

from benchmarks.speed.walk import HERE

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]


def test_a_quick_walk_prints_times_ratios_and_a_fingerprint(chromium):
    command = [sys.executable, "-m", "benchmarks.speed.walk", "uniform", "--quick", "--against", str(HERE)]
    said = subprocess.run(command, cwd=HERE, check=True, capture_output=True, text=True).stdout.splitlines()
    for name, lines in (("here", said[1:4]), ("against", said[4:7])):
        assert re.fullmatch(rf"{name}: EVs of the turn after \S+ s \(CPU \S+ s\), at most \S+ s", lines[0])
        assert re.fullmatch(rf"{name}: of the river after \S+ s \(CPU \S+ s\)", lines[1])
        assert re.fullmatch(rf"{name}: of the flop after \S+ s \(CPU \S+ s\), (bar after \S+ s|no bar)", lines[2])
    assert re.fullmatch(r"EVs against .* take so many times as long: turn \S+, river \S+, flop \S+", said[7])
    assert re.fullmatch(r"fingerprint [0-9a-f]{8}", said[8])
