"""The tutorial: its commands, one after the other in one folder, print what it shows."""

import io
import re
import shlex
import signal
import sys
import urllib.request
from pathlib import Path

import pytest

from cfr.cli.main import main
from tests.examples import check, examples
from tests.web.server.test_server import Server

PATH = Path(__file__).parents[1] / "docs" / "tutorial.md"
PAGE = PATH.read_text("utf-8")
PLAYED = re.search(r"```text\n\$ (cfr play .*)\n((?:.*\n)*?)```", PAGE)


def printed(capsys, command):
    words = shlex.split(command)
    assert words[0] == "cfr"
    assert main(words[1:]) == 0
    return capsys.readouterr().out


@pytest.mark.thorough
def test_it_is_as_it_says(capsys, monkeypatch, tmp_path, pytestconfig):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    [bot] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    Path("bots.py").write_text(bot)
    # What the player types stands behind the question.
    typed = re.findall(r"> ([fcr])$", PLAYED[2], re.MULTILINE)
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(typed) + "\n"))
    check(PATH, PLAYED[1], re.sub(r"> [fcr]\n\s*", "> ", PLAYED[2]), printed(capsys, PLAYED[1]))
    shown = examples(PATH)
    assert len(shown) >= 7
    for command, expected in shown:
        check(PATH, command, expected, printed(capsys, command), pytestconfig.getoption("write_examples"))
    sys.modules.pop("bots", None)


@pytest.mark.thorough
def test_the_page_opens(tmp_path):
    pytest.importorskip("starlette")
    server = Server(tmp_path)
    assert "http://127.0.0.1:8000/  (Ctrl-C stops)" in PAGE
    assert server.said == f"http://127.0.0.1:{server.port}/  (Ctrl-C stops)\n"
    for place in re.findall(r"\*(Explore|Play|Train|Watch|Review)\*", PAGE):
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/{place.lower()}") as answer:
            assert place.encode() in answer.read()
    assert server.stop(signal.SIGINT)[0] == 0
