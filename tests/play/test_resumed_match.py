"""Matches that are resumed: the hands are those without the interruption, and no log is lost."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cfr.cli.main import main
from cfr.game.rules import Game
from cfr.play.match import match
from cfr.play.strategy_player import StrategyPlayer
from cfr.resolving.resolving_strategy import Resolving
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.stored import Strategy
from cfr.system.errors import BadInputError, CfrError
from tests.thorough import thorough


@pytest.mark.parametrize(("processes", "ending"), [(1, ""), *thorough((2, "STATE:7:cc"), (1, "SCORE:1|-1:a|b\n"))])
def test_a_resumed_match_is_that_without_the_interruption(leduc_file, tmp_path, processes, ending):
    names, hands = (str(leduc_file), "random"), 1000
    whole = match(*names, hands, seed=4, log=tmp_path / "whole.log")
    assert whole.aivat_mbb_per_game is not None
    lines = (tmp_path / "whole.log").read_text().splitlines(keepends=True)
    log = tmp_path / "half.log"
    log.write_text("".join(lines[:301]) + ending)
    assert match(*names, hands, seed=4, log=log, resume=True, processes=processes) == whole
    assert log.read_text() == "".join(lines)
    assert match(*names, hands, seed=4, log=log, resume=True) == whole  # nothing is left to be played


def test_a_killed_match_is_resumed(tmp_path):
    log, words = tmp_path / "match.log", ["match", "uniform", "random", "--seed", "3", "--no-aivat", "--json"]
    with subprocess.Popen([sys.executable, "-m", "cfr", *words, "--hands", "10000000", "--log", str(log)]) as running:
        deadline = time.monotonic() + 60
        while not (log.exists() and log.stat().st_size) and time.monotonic() < deadline:
            time.sleep(0.05)
        running.kill()
    hands = log.read_text().count("\n") + 100
    results = []
    for path, more in ((log, ["--resume"]), (tmp_path / "whole.log", [])):
        assert main([*words, "--hands", str(hands), "--log", str(path), *more]) == 0
        results.append(path.read_text())
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("names", "changes", "message"),
    [
        (("uniform", "random"), {"seed": 5}, "is not of this match"),
        (("random", "uniform"), {"seed": 4}, "is not of this match"),
        (("uniform", "random"), {"seed": 4, "hands": 10}, "holds 30 hands already, more than 10"),
        (("uniform", "random"), {"seed": None}, "name both"),
        (("uniform", "random"), {"seed": 4, "log": None}, "name both"),
        (("uniform", "random"), {"seed": 4, "log": "match.txt"}, ".txt cannot be resumed"),
        (("uniform", "acpc:1"), {"seed": 4}, "at a port is not resumed"),
    ],
)
def test_matches_that_cannot_be_resumed_lose_nothing(tmp_path, monkeypatch, names, changes, message):
    monkeypatch.chdir(tmp_path)
    match("uniform", "random", 30, seed=4, log="match.log")
    before = (tmp_path / "match.log").read_text()
    with pytest.raises(BadInputError, match=message):
        match(*names, **{"hands": 40, "log": "match.log", **changes}, resume=True)
    assert (tmp_path / "match.log").read_text() == before


@pytest.fixture(scope="module")
def other_leduc(tmp_path_factory):
    """Another strategy for Leduc hold'em than ``leduc_file``."""
    path = tmp_path_factory.mktemp("other") / "leduc.h5"
    solve(Settings(Game.bundled("leduc"), None, iterations=2, out=path))
    return path


@pytest.mark.parametrize(
    ("names", "more"),
    [
        (("s.h5", "random"), []),
        (("random", "s.h5"), ["--no-aivat"]),
        (("s.h5", "tests.play.test_match:Raiser"), ["--processes", "2"]),
        (("tests.play.test_match:Raiser", "s.h5"), []),
    ],
)
def test_a_log_that_another_file_played_is_not_resumed(
    leduc_file, other_leduc, tmp_path, monkeypatch, capsys, names, more
):
    def place(path):
        shutil.copy(path, "new.h5")
        Path("new.h5").replace("s.h5")  # as a solve does

    monkeypatch.chdir(tmp_path)
    place(leduc_file)
    match(*names, 100, seed=4, log="match.log")
    words = ["match", *names, "--hands", "200", "--seed", "4", "--log", "match.log", "--resume", *more]
    before = Path("match.log").read_text()
    place(other_leduc)
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("cfr: match.log: STATE:")
    assert err.endswith("; a strategy is not the one that played this log, resume with the file that did\n")
    assert err.count("\n") == 1
    assert Path("match.log").read_text() == before
    place(leduc_file)
    assert main(words) == 0
    assert Path("match.log").read_text().startswith(before.partition("SCORE")[0])


def test_some_of_many_hands_of_a_log_are_played_again(tmp_path, monkeypatch):
    monkeypatch.setattr("cfr.play.table.CHECKED_FIRST", 0)
    log, asked = tmp_path / "match.log", []
    calls, raises = (StrategyPlayer(BuiltIn(name), "s") for name in ("always-call", "always-raise"))
    match(calls, "random", 100, seed=4, log=log)
    monkeypatch.setattr("cfr.play.table.play_hand", lambda *more: pytest.fail("nothing is left to be played"))
    act = StrategyPlayer.act
    monkeypatch.setattr(StrategyPlayer, "act", lambda *spot: asked.append(spot) or act(*spot))
    match(calls, "random", 100, seed=4, log=log, resume=True)
    assert 10 <= len(asked) <= 100
    monkeypatch.undo()
    with pytest.raises(BadInputError, match="not the one that played this log"):
        match(raises, "random", 100, seed=4, log=log, resume=True)


def test_a_resumed_match_solves_nothing_again(leduc_file, tmp_path, monkeypatch):
    log = tmp_path / "match.log"
    with Strategy.open(leduc_file) as leduc:
        player = StrategyPlayer(Resolving(leduc, "flop", keeps=False), "s")
        whole = match(player, "random", 20, seed=4, log=log)
        monkeypatch.setattr(Resolving, "_solution", lambda *more: pytest.fail("solved"))
        assert match(player, "random", 20, seed=4, log=log, resume=True) == whole


def test_a_log_that_is_no_log_is_not_resumed(tmp_path):
    log = tmp_path / "match.log"
    log.write_text("STATE:0:f:AsKh|2c2d:5|-5:a|b\nSTATE:1:fold:AsKh|2c2d:-5|5:a|b\n")
    with pytest.raises(CfrError, match=r"match\.log: line 2: .*fold"):
        match("uniform", "random", 30, seed=4, log=log, resume=True)


@pytest.mark.parametrize(
    "text",
    [
        "my notes\nline 2\n",
        "# name/game\nSTATE:0:f:AsKh|2c2d:-5|5:a|b\n",
        "\ufeffSTATE:0:f:AsKh|2c2d:-5|5:a|b\n",
        "STATE:0:f:AsKh|2c2d:-5|5:a|b\nkeep me\n",
        "STATE:0:f:AsKh|2c2d:-5|5:a|b\nSCORE:-5|5:a|b\nSTATE:0:f:AsKh|2c2d:-5|5:a|b\n",
    ],
)
def test_what_no_match_wrote_is_not_resumed_and_stays(tmp_path, text):
    log = tmp_path / "match.log"
    log.write_text(text, "utf-8")
    with pytest.raises(BadInputError, match=r"match\.log: line [12]: .*; a log to resume has a match's STATE: lines"):
        match("always-call", "always-raise", 2, seed=1, log=log, resume=True)
    assert log.read_text("utf-8") == text
