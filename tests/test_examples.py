"""The examples run from a clone, notebooks cell by cell."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.thorough import with_thorough

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted(path for path in (ROOT / "examples").iterdir() if path.suffix in (".py", ".ipynb"))


def program(path: Path) -> str:
    """The code of an example."""
    if path.suffix == ".py":
        return path.read_text("utf-8")
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def test_there_are_scripts_and_notebooks():
    assert [path.suffix for path in EXAMPLES].count(".ipynb") == 3
    assert len(EXAMPLES) == 5


@pytest.mark.parametrize(
    "path", with_thorough([path for path in EXAMPLES if path.suffix == ".ipynb"], EXAMPLES), ids=lambda path: path.name
)
def test_it_runs(path, tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-W", "error", "-c", program(path)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_notebooks_are_kept_without_output():
    for path in EXAMPLES:
        if path.suffix == ".ipynb":
            cells = json.loads(path.read_text("utf-8"))["cells"]
            assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells), path.name
