"""The README's examples do what they say."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from cfr.cli.main import main
from tests.examples import check, examples

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
EXAMPLES = examples(ROOT / "README.md")
PAGES = [("README.md", *each) for each in EXAMPLES] + [
    ("docs/study.md", *each) for each in examples(ROOT / "docs" / "study.md")
]


@pytest.mark.parametrize(("page", "command", "output"), PAGES, ids=[command for _, command, _ in PAGES])
def test_console_examples(page, command, output, capsys, monkeypatch, tmp_path, pytestconfig):
    words = shlex.split(command)
    assert words[0] == "cfr"
    if "--out" in words:
        monkeypatch.chdir(tmp_path)
    else:
        monkeypatch.chdir(ROOT)
    assert main(words[1:]) == 0
    check(ROOT / page, command, output, capsys.readouterr().out, pytestconfig.getoption("write_examples"))


def test_there_are_examples():
    assert len(EXAMPLES) >= 5


def test_its_queries_are_of_spots_that_their_hands_reach():
    queries = [output for command, output in EXAMPLES if command.startswith("cfr query")]
    assert len(queries) >= 3
    assert all(float(re.search(r"reach (\S+)", output)[1]) > 0 for output in queries)


def test_python_examples(monkeypatch):
    monkeypatch.chdir(ROOT)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", README, re.DOTALL)):
        test = parser.get_doctest(block, {}, f"README {number}", "README.md", 0)
        assert runner.run(test).failed == 0


def test_files_it_names_exist():
    for path in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / path).exists(), path
