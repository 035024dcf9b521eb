"""Bundled strategies by name, wherever a file is asked for."""

import json

import pytest

import cfr
from cfr.cli.main import main
from cfr.exploit.exploitability_result import Exploitability
from cfr.strategy.files.bundled import default_path, located
from cfr.strategy.files.stored import open_strategy


def test_a_name_is_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("small", "hulhe-small", "hulhe-small.h5", None):
        assert located(name) == default_path()
    (tmp_path / "small").write_bytes(b"")
    assert str(located("small")) == "small"  # a file of that name comes first
    (tmp_path / "small").unlink()
    (tmp_path / "small").mkdir()
    assert located("small") == default_path()


def test_what_comes_nearest_is_named():
    with pytest.raises(FileNotFoundError, match=r"did you mean small\?"):
        located("smal")
    with pytest.raises(FileNotFoundError, match=r"did you mean always-call\?"):
        located("alway-call")


@pytest.mark.parametrize(
    "command",
    [
        ["model", "x.log", "--player", "ann", "--out", "x.h5", "--strategy", "always-call"],
        ["counter", "always-call", "--out", "x.h5"],
    ],
    ids=" ".join,
)
def test_a_rule_is_no_file(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.log").write_text("STATE:0:c:\n")
    assert main(command) == 2
    assert capsys.readouterr().err == "cfr: always-call is built in; expected a strategy file\n"


def test_from_python():
    for opened in (cfr.Strategy.open("small"), cfr.Strategy.open(), open_strategy("small")):
        with opened as strategy:
            assert strategy.probabilities("AsKh", line="raise")["raise"] == 1.0


@pytest.mark.parametrize(
    "command",
    [
        ["query", "small", "--hand", "AsKh"],
        ["chart", "small"],
        ["info", "small"],
        ["export", "small", "--no-ev"],
        ["flops", "small", "--preflop"],
        ["match", "small", "small", "--hands", "2", "--seed", "1"],
        ["query", "small+river", "--hand", "AsKh"],
    ],
    ids=" ".join,
)
def test_commands_take_the_name(command, capsys):
    def said(name):
        assert main([each.replace("small", name) for each in command]) == 0
        return capsys.readouterr().out

    assert said("small").replace("small", "") == said(str(default_path())).replace("small", "")


def test_a_result_is_saved_into_the_file_that_is_named(monkeypatch, tmp_path, capsys):
    """The name stands for the file when something is written, too."""
    written = []
    monkeypatch.setattr("cfr.strategy.files.file.set_attributes", lambda path, *_: written.append(path))
    measured = Exploitability("hulhe", 83.8, 1.0, 174.8, -7.1, 84.1, 2, False, 1.0)
    monkeypatch.setattr("cfr.exploit.exploitability.measure_strategy", lambda *_, **__: (measured, None))
    monkeypatch.chdir(tmp_path)
    assert main(["exploit", "small", "--flops", "2", "--save", "--json"]) == 0
    assert written == [default_path()]
    assert json.loads(capsys.readouterr().out)["flops"] == 2
