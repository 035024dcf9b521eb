"""The pictures of README and docs: made from the page by a command, small, and all of them there."""

import re
import subprocess
import sys

import pytest

from benchmarks.docs.screenshots import DOCS, PICTURES

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]
MOST_BYTES = 150_000


def test_the_command_takes_a_picture(chromium, tmp_path):
    pytest.importorskip("PIL")
    command = [sys.executable, "-m", "benchmarks.docs.screenshots", str(tmp_path), "--only", "ranges"]
    assert subprocess.run(command, cwd=DOCS.parent, check=True, capture_output=True, text=True).stdout.endswith(" kB\n")
    picture = (tmp_path / "page-ranges.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) <= MOST_BYTES


def test_the_pictures_are_there_and_small():
    names = {f"page-{name}.png" for name in PICTURES}
    assert {path.name for path in DOCS.glob("*.png")} == names
    assert max((DOCS / name).stat().st_size for name in names) <= MOST_BYTES
    pages = [DOCS.parent / "README.md", *DOCS.glob("*.md")]
    shown = {name for page in pages for name in re.findall(r"page-\w+\.png", page.read_text("utf-8"))}
    assert shown == names
