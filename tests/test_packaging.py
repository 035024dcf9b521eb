"""The source distribution builds and works in an empty environment, wheels are reproducible, and versions are named."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
# Beside the sources of a checkout, and made from them.
MADE = (
    ".git",
    ".venv*",
    "cache",
    "build",
    "dist",
    "*.egg-info",
    "*.so",
    "*.c",
    "__pycache__",
    ".*_cache",
    ".hypothesis",
    "tmp*",
)


SHIPPED = (".py", ".pyi", ".js", ".css", ".html", ".game", ".typed")


@pytest.mark.packaging
def test_the_sdist_has_what_its_build_needs(tmp_path):
    """The thorough case builds it, which takes minutes."""
    done = subprocess.run(
        [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    [archive] = tmp_path.glob("cfr_holdem-*.tar.gz")
    with tarfile.open(archive) as packed:
        named = {name.partition("/")[2]: packed.extractfile(name) for name in packed.getnames() if "." in name}
        packed_texts = {name: each.read() for name, each in named.items() if each is not None}
    needed = ["setup.py", "pyproject.toml", "README.md", "LICENSE", "strategies/hulhe-small.h5"]
    needed += [str(path.relative_to(ROOT)) for path in (ROOT / "ext").rglob("*.*")]
    needed += [str(path.relative_to(ROOT)) for path in (ROOT / "cfr").rglob("*") if path.suffix in SHIPPED]
    for name in needed:
        assert packed_texts.get(name) == (ROOT / name).read_bytes(), name


@pytest.mark.thorough
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


def test_tested_versions_are_named_for_all_libraries():
    """``constraints.txt`` has one version of each, within the bounds of ``pyproject.toml``."""
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    named = dict(line.lower().replace("_", "-").split("==") for line in lines if not line.startswith("#"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["web"], *extras["test"], *extras["docs"]]
    for each in map(Requirement, wanted):
        if each.name != "setuptools":  # pip lists it in some versions only
            assert each.specifier.contains(named[each.name.lower().replace("_", "-")]), each


@pytest.mark.slow
def test_a_wheel_is_built_twice_to_the_same_bytes(tmp_path):
    built = []
    for number in range(2):
        source, out = tmp_path / f"source{number}", tmp_path / f"out{number}"
        shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(*MADE))
        command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out)]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
        done = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        [wheel] = out.glob("*.whl")
        built.append(wheel.read_bytes())
    assert built[0] == built[1]
