"""``--resolve`` and ``FILE+turn``: every command that takes a strategy takes one that re-solves."""

import json

import pytest

import cfr
from cfr.cli.main import main
from cfr.strategy.files.bundled import default_path

SPOT = ["--board", "Td9d6hQc2s", "--line", "rc/crc/cc/"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, cache):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CFR_CACHE", str(cache))


def test_a_query_by_flag_and_by_name(capsys):
    assert main(["query", "--hand", "Js8s", *SPOT, "--resolve", "river", "--json"]) == 0
    by_flag = json.loads(capsys.readouterr().out)
    assert main(["query", f"{default_path()}+river", "--hand", "Js8s", *SPOT, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == by_flag
    assert main(["query", f"{default_path()}+river", "--hand", "Js8s", *SPOT, "--resolve", "off", "--json"]) == 0
    off = json.loads(capsys.readouterr().out)
    with cfr.Strategy.open(default_path()) as strategy:
        assert off["call"] == strategy.probabilities("Js8s", *SPOT[1::2])["call"]
    assert off != by_flag


@pytest.mark.thorough
def test_charts_and_tables_with_expected_values(capsys):
    assert main(["chart", *SPOT, "--resolve", "river", "--ev", "--color", "never"]) == 0
    assert "AA" in capsys.readouterr().out
    assert main(["export", *SPOT, "--resolve", "river", "--classes", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert any(row["ev_mbb"] is not None for row in rows)
    assert main(["export", "--board", "Td9d6h", "--line", "rc/", "--resolve", "river", "--json"]) == 0
    out, err = capsys.readouterr()
    assert all(row["ev_mbb"] is None for row in json.loads(out))
    assert "expected values" in err


@pytest.mark.parametrize("reviewed", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_match_and_its_review(reviewed, capsys):
    """Of two hands; on the river of the second, re-solved play takes another action than the strategy."""

    def said(*words):
        assert main([*words, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    name, how = str(default_path()), ["--hands", "2", "--seed", "5"]
    first = said("match", f"{name}+river", name, *how, "--log", "m.phhs")
    assert said("match", name, name, "--resolve", "river", *how) == first
    assert said("match", name, name, *how)["mbb_per_game"] != first["mbb_per_game"]
    if reviewed:
        assert said("review", "m.phhs", "--resolve", "river") != said("review", "m.phhs")


def test_what_is_said_of_exploitability_that_cannot_be_measured(capsys):
    few = ["--flops", "2", "--boards", "1", "--control", "2", "--iterations", "1", "--threads", "2"]
    assert main(["exploit", "always-call", "--resolve", "turn", *few, "--game", "flop-holdem", "--json"]) == 2
    assert "expected flop in flop-holdem" in capsys.readouterr().err
    assert main(["exploit", str(default_path()), "--resolve", "turn", *few, "--save"]) == 2
    assert "--save is about the strategy as it stands in its file" in capsys.readouterr().err


@pytest.mark.thorough
def test_an_estimate(capsys, tmp_path):
    game = tmp_path / "small.game"
    game.write_text(
        "gameDef\nlimit\nnumPlayers = 2\nnumRounds = 3\nblind = 2 1\nraiseSize = 2 4 4\nfirstPlayer = 2 1 1\n"
        "maxRaises = 1 1 1\nnumSuits = 3\nnumRanks = 3\nnumHoleCards = 2\nnumBoardCards = 0 3 1\nend gameDef\n"
    )
    command = [
        "exploit",
        "call-raise+turn",
        "--game",
        str(game),
        "--boards",
        "all",
        "--control",
        "all",
        "--lines",
        "all",
    ]
    assert main([*command, "--iterations", "50", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {
        "exploitability_mbb",
        "standard_error_mbb",
        "best_response_button_mbb",
        "best_response_big_blind_mbb",
        "self_play_button_mbb",
        "flops",
        "exact",
        "seconds",
        "blueprint_exploitability_mbb",
        "resolve",
    } <= set(found)
    assert found["exact"]
    assert found["resolve"] == "turn"
    assert 0 < found["exploitability_mbb"] < found["blueprint_exploitability_mbb"]
    assert not list(tmp_path.glob("*.exploit*"))
    assert "report" not in found
    assert main([*command, "--iterations", "1", "--report", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)["report"]
    assert set(report) == {"button", "big blind"}
    assert set(report["button"]["rc/"]) == {"resolved", "deals", "wins_mbb", "blueprint_deals", "blueprint_wins_mbb"}
    assert main(["exploit", "call-raise+turn", "--game", str(game), "--flops", "3", "--iterations", "5"]) == 0
    out = capsys.readouterr().out
    assert "re-solved from the turn on" in out
    assert "95 % interval" in out


def test_what_it_refuses(capsys):
    with pytest.raises(SystemExit):
        main(["query", "--hand", "AhKh", "--resolve", "preflop"])
    assert "invalid choice: 'preflop'" in capsys.readouterr().err
    assert main(["query", "nothing.h5+turn", "--hand", "AhKh"]) == 2
    assert "nothing.h5" in capsys.readouterr().err
    assert main(["query", "--hand", "Js8s", "--board", "Td9d6h", "--line", "rc/", "--ev", "--resolve", "turn"]) == 2
    assert (
        "begin on the turn; its blueprint, named without +turn or --resolve, has some here" in capsys.readouterr().err
    )


def test_a_terminal_shows_a_bar_of_each_solve(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("CFR_CACHE", str(tmp_path))  # nothing is solved yet
    told = []
    monkeypatch.setattr("cfr.system.work_bar.ShareBar", lambda title: lambda share: told.append((title, share)))
    asked = ["query", "--hand", "Js8s", *SPOT, "--resolve", "river"]
    assert main(asked) == 0
    assert told == []  # stderr is no terminal
    monkeypatch.setenv("CFR_CACHE", str(tmp_path / "other"))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert main(asked) == 0
    assert told[0] == ("solving the river", 0.0)
    assert told[-1] == ("solving the river", 1.0)
