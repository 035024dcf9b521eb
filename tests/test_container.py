"""The container: its recipe is linted, what it runs exists, and it is built where an engine is at hand."""

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cfr.strategy.files.bundled import BUNDLED, FLOP_VALUES, TRUNKS
from tests.web.server.test_server import Server

ROOT = Path(__file__).parents[1]
RECIPE = (ROOT / "Dockerfile").read_text("utf-8")
ENGINE = next((found for name in ("docker", "podman") if (found := shutil.which(name))), None)


def words(instruction):
    """The JSON list of the last instruction of this name."""
    return json.loads(re.findall(rf"\b{instruction} (\[.*\])$", RECIPE, re.MULTILINE)[-1])


@pytest.mark.parametrize("path", ["Dockerfile", "docs/cluster/Dockerfile"])
def test_recipes_are_linted(path):
    linter = Path(sys.executable).with_name("hadolint")
    if not linter.exists():
        pytest.skip("hadolint is not installed")
    done = subprocess.run([linter, ROOT / path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.thorough
def test_the_page_it_serves_is_healthy(tmp_path):
    """The server with the recipe's own options answers its health check; nobody's check fails."""
    [program] = words("ENTRYPOINT")
    command, *options = words("CMD")
    assert (program, command) == ("cfr", "serve")
    options = [option.replace("/data", str(tmp_path)).replace("0.0.0.0", "127.0.0.1") for option in options]
    check = re.search(r"^HEALTHCHECK.*\\\n\s+CMD (\[.*\])$", RECIPE, re.MULTILINE)
    _, *rest = json.loads(check[1])
    server = Server(tmp_path, *options)
    begun = tmp_path / "cmdline"  # of the container's first process
    asked = [word.replace("8000", str(server.port)).replace("/proc/1/cmdline", str(begun)) for word in rest]
    begun.write_bytes(b"/sbin/docker-init\0--\0cfr\0serve\0")
    assert asked != rest
    assert subprocess.run([sys.executable, *asked], check=False).returncode == 0
    assert server.stop(signal.SIGTERM)[0] in (0, 143)
    assert subprocess.run([sys.executable, *asked], capture_output=True, check=False).returncode != 0
    assert (tmp_path / "sessions.db").exists()
    begun.write_bytes(b"cfr\0solve\0hulhe\0")  # which no page has to be healthy for
    assert subprocess.run([sys.executable, *asked], check=False).returncode == 0


def test_what_the_build_needs_is_let_in():
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line[0] == "!"}
    assert {"pyproject.toml", "setup.py", "constraints.txt", "README.md", "LICENSE", "cfr", "ext"} <= allowed
    assert {f"strategies/{file}" for files in (BUNDLED, FLOP_VALUES, TRUNKS) for file in files.values()} <= allowed
    for path in allowed:
        assert (ROOT / path).exists(), path


@pytest.mark.packaging
def test_it_builds_and_answers():
    if ENGINE is None or subprocess.run([ENGINE, "info"], capture_output=True, check=False).returncode:
        pytest.skip("no container engine runs here")
    subprocess.run([ENGINE, "build", "--tag", "cfr-test", ROOT], check=True)
    query = [ENGINE, "run", "--rm", "cfr-test", "query", "--hand", "AsKh", "--line", "r", "--json"]
    answer = json.loads(subprocess.run(query, capture_output=True, text=True, check=True).stdout)
    assert answer["fold"] + answer["call"] + answer["raise"] == pytest.approx(1)
