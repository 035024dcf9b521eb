"""``--ray`` where there is no cluster: one clear line."""

import json
import subprocess
import sys

import pytest

from cfr.cli.main import main


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("127.0.0.1:1", "ray 127.0.0.1:1: nothing answers at 127.0.0.1:1: Connection refused"),
        ("ray://127.0.0.1:1", "ray ray://127.0.0.1:1: nothing answers at ray://127.0.0.1:1: Connection refused"),
        ("auto", "ray auto: nothing answers at 127.0.0.1:2: Connection refused"),
    ],
)
@pytest.mark.parametrize(
    "command", [["exploit", "always-call"], ["versus", "uniform", "always-call"], ["flops", "uniform"]]
)
def test_a_wrong_address_gets_one_line(command, address, said, capsys, monkeypatch, tmp_path):
    pytest.importorskip("ray")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:2")
    assert main([*command, "--ray", address]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def test_a_file_behind_ray_is_no_address(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["exploit", "--ray", "hulhe.h5"])
    assert stopped.value.code == 2
    err = capsys.readouterr().err
    assert "'hulhe.h5'; expected auto, host:port or ray://host:port, or --ray at the end" in err
    assert err.count("\n") == 1


def test_ray_missing_gets_one_line(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main(["flops", "uniform", "--ray"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("cfr: ray: Ray is not installed; pip install -e '.[ray]'")
    assert err.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["exploit", "uniform", "--game", "leduc", "--threads", "1"],
        ["versus", "uniform", "always-call", "--game", "leduc", "--threads", "1"],
        ["flops", "small", "--line", "rrrc/"],
        ["match", "small", "always-raise", "--hands", "400", "--seed", "4", "--processes", "1"],
    ],
    ids=lambda words: words[0],
)
def test_ray_on_this_machine(words):
    """A rehearsal says what the command says without Ray."""
    pytest.importorskip("ray")
    here, there = (
        subprocess.run(
            [sys.executable, "-m", "cfr", *words, "--json", *more], capture_output=True, text=True, check=False
        )
        for more in ([], ["--ray"])
    )
    assert (here.returncode, there.returncode, there.stderr) == (0, 0, "")
    results = [json.loads(done.stdout) for done in (here, there)]
    for result in results:
        if isinstance(result, dict):
            result.pop("seconds", None)
    assert results[1] == results[0]
