"""Several logs at once: folders, files and standard input, each hand once."""

import io
import json
import shutil
import sys
from pathlib import Path

import pytest

from cfr.cli.main import main
from cfr.formats.collection import Collection, gathered
from cfr.formats.skipped import Omissions
from cfr.game.betting import BettingTree
from cfr.game.rules import Game
from cfr.system.errors import BadInputError

CASES = Path(__file__).parent / "cases"
TREE = BettingTree(Game.bundled("hulhe"))
HEROES = (CASES / "two-heroes.txt").read_text("utf-8")
BOT = "STATE:7:rc/crf:AsAh|KsKh/2c7d9h:-20|20:ann|bob\n"


def review(capsys, *sources):
    assert main(["review", *map(str, sources), "--no-ev", "--strategy", "uniform", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def folder(tmp_path):
    """Both players' copies of two hands in two files, a bot's log twice, and what is no log."""
    home = tmp_path / "hands"
    (home / "deep" / "er").mkdir(parents=True)
    (home / ".hidden").mkdir()
    begin = HEROES.index("PokerStars", HEROES.index("PokerStars", HEROES.index("PokerStars") + 1) + 1)
    (home / "ann.txt").write_text(HEROES[:begin], "utf-8")
    (home / "deep" / "bob.txt").write_text(HEROES[begin:], "utf-8")
    (home / "deep" / "er" / "bots.log").write_text(BOT)
    (home / "deep" / "er" / "copy.log").write_text(BOT + BOT.replace(":7:", ":8:"))
    (home / "readme.md").write_text("no log")
    (home / ".hidden" / "x.txt").write_text(HEROES, "utf-8")
    return home


def test_a_folder_counts_each_hand_once(folder, capsys):
    found = review(capsys, folder)
    assert found["hands"] == 4
    assert found["skipped"]["copies"] == 3
    assert {each["player"]: each["hands_seen"] for each in found["players"]} == {"Ann": 2, "Bob": 2, "ann": 2, "bob": 2}


def test_a_file_named_twice_is_read_once(folder, capsys):
    logs = Collection([folder / "ann.txt", folder, folder / "ann.txt"])
    assert [Path(each).name for each in logs.files] == ["ann.txt", "bob.txt", "bots.log", "copy.log"]
    omissions = Omissions()
    assert len(gathered(logs.read(TREE, omissions), omissions)) == 4


def test_standard_input_in_each_format(capsys, monkeypatch):
    for name, hands in [("two-heroes.txt", 2), ("exact-all-in.phh", 1), ("cr-only.phhs", 1), ("utf16-acpc.log", 3)]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((CASES / name).read_bytes())))
        assert review(capsys, "-")["hands"] == hands


def test_a_file_that_is_no_log_is_listed_beside_others(folder, capsys):
    (folder / "notes.txt").write_text("Bluff less.\n")
    (folder / "cancelled.phhs").write_text("[1]\nvariant = 'NT'\n")
    found = review(capsys, folder)
    assert found["hands"] == 4
    assert [Path(each["file"]).name for each in found["skipped"]["hands"]] == ["cancelled.phhs", "notes.txt"]


def test_hands_that_share_a_number_but_nothing_else_are_named(tmp_path, capsys):
    for name in ("a.txt", "b.txt"):
        shutil.copy(CASES / "two-heroes.txt", tmp_path / name)
    other = (tmp_path / "b.txt").read_text("utf-8").replace("Bob", "Cat")
    (tmp_path / "b.txt").write_text(other, "utf-8")
    found = review(capsys, tmp_path)
    assert found["hands"] == 2
    assert found["skipped"]["reasons"] == {"a number that another hand has": 2}


def test_nothing_to_read_is_one_line(tmp_path, capsys):
    with pytest.raises(BadInputError, match="no log; expected files"):
        Collection([tmp_path])
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("no hand\n")
    assert main(["review", str(tmp_path), "--no-ev", "--strategy", "uniform"]) == 2
    assert "2 files: no hand is read: 2 skipped" in capsys.readouterr().err


def test_a_line_in_which_two_hands_begin_is_neither(tmp_path, capsys):
    begin = HEROES.index("\n")
    (tmp_path / "x.txt").write_text(f"{HEROES[:begin].replace('000001', '000009')}{HEROES}", "utf-8")
    found = review(capsys, tmp_path / "x.txt")
    assert found["hands"] == 2
    assert [each["said"].rpartition(": ")[2] for each in found["skipped"]["hands"]] == ["two hands begin in one line"]
