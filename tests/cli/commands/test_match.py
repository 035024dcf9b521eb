"""The command that lets two players play: what it refuses, and what it does."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from cfr.cli.main import main
from cfr.cli.parser import BAD_INPUT
from cfr.game.line_text import action_letter
from cfr.game.rules import Game
from cfr.play.match import match
from cfr.system.errors import IllegalActionError
from tests.cli.shell import shell
from tests.thorough import thorough

REFUSED = [
    (["--no-aivat", "--imaginary"], "imaginary hands are AIVAT's, and it is off; leave out one"),
    (["--overwrite"], "there is no log to overwrite; add --log FILE"),
    (["--log", "new.log", "--seed", "1", "--resume", "--overwrite"], "a log is resumed or overwritten, not both"),
    (["--log", "old.log"], "old.log: hands are there already; say --resume, --overwrite or another file"),
    (["--resume"], "a match is resumed from its log and by its seed; name both"),
    (["--hands", "1000000000000000000000", "--no-aivat"], "more than 100,000,000, the most that a match may have"),
]


@pytest.mark.parametrize(
    ("words", "says"), REFUSED, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_what_means_nothing_is_refused(run, tmp_path, monkeypatch, words, says):
    monkeypatch.chdir(tmp_path)
    old = "STATE:0:c:\n"
    (tmp_path / "old.log").write_text(old)
    code, out, err = run("match", "always-call", "always-fold", "--hands", 2, *words)
    assert (code, out) == (BAD_INPUT, "")
    assert says in err
    assert err.startswith("cfr: ")
    assert err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["old.log"]
    assert (tmp_path / "old.log").read_text() == old


def test_overwrite_replaces_a_log(run, tmp_path):
    log = tmp_path / "old.log"
    log.write_text("STATE:0:c:\n")
    assert run("match", "uniform", "random", "--hands", 2, "--log", log, "--overwrite")[0] == 0
    assert [line.partition(":")[0] for line in log.read_text().splitlines()] == ["STATE", "STATE", "SCORE"]


def test_help_says_whose_hands_are_imagined(run):
    said = " ".join(run("match", "--help")[1].split())
    assert "AIVAT over all hands that A could hold (B, if A's strategy is unknown)" in said


BOT = """\
print("begins")
class Loud:
    def __init__(self, game):
        print("sits down")
    def act(self, state, hand, board, rng):
        print("acts")
        return "c"
    def probabilities(self, hand, board, line):
        print("tells")
        return 0, 1, 0
class Gone(Loud):
    def act(self, state, hand, board, rng):
        raise SystemExit
    def probabilities(self, hand, board, line):
        raise SystemExit(3)
class Absent(Loud):
    def __init__(self, game):
        raise GeneratorExit("no game for me")
"""


@pytest.fixture
def bots(tmp_path, monkeypatch):
    """A folder with classes that print and stop the program."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "loud_bots.py").write_text(BOT)
    (tmp_path / "gone_bots.py").write_text("raise SystemExit(0)\n")
    yield tmp_path
    for name in ("loud_bots", "gone_bots"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("processes", [1, *thorough(2)])
def test_what_a_class_prints_is_not_in_the_result(bots, processes):
    """Processes play 500 hands at a time."""
    words = ["match", "loud_bots.py:Loud", "always-call", "--hands", 501 if processes > 1 else 2, "--json"]
    done = shell(*words, "--processes", processes)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["hands"] == words[4]
    assert {*re.split("(begins|sits down|acts)", done.stderr.replace("\n", ""))} == {"begins", "sits down", "acts", ""}


def test_what_an_imported_class_prints_is_not_in_the_result(run, bots):
    code, out, err = run("import", "loud_bots:Loud", "--game", "kuhn", "--out", "x.h5", "--json")
    assert code == 0
    assert json.loads(out)["information_sets"] == 12
    assert {*err.splitlines()} == {"begins", "sits down", "tells"}


FAULTY = {
    "raises.py": "raise ValueError('a\\nb')\n",
    "lacks.py": "import os, nothing_here\n",
    "wrong.py": "x = (\n",
    "calls.py": "class Whole:\n    def act(self, state): ...\nclass Far(Whole):\n    def __init__(self, a, b): ...\n",
}


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("raises:Bot", "player raises:Bot: ValueError: a b (raises.py, line 1)"),
        ("lacks:Bot", "player lacks:Bot: ModuleNotFoundError: No module named 'nothing_here' (lacks.py, line 1)"),
        ("wrong:Bot", "player wrong:Bot: SyntaxError: '(' was never closed (wrong.py, line 1)"),
        ("absent.bots:Bot", "player absent.bots:Bot: No module named 'absent'; expected module:Class"),
        (".bots:Bot", "player .bots:Bot: '.bots' is no module; expected module:Class"),
        (
            "calls:Far",
            "player calls:Far: TypeError: Far.__init__() missing 1 required positional argument: 'b'; expected a class "
            "that is made by Class(game), or by Class()",
        ),
        (
            "calls:Whole",
            "player calls:Whole, after '': TypeError: Whole.act() takes 2 positional arguments but 5 were given; "
            "expected act(state, hand, board, rng)",
        ),
    ],
)
def test_where_a_class_went_wrong_is_said_once(run, tmp_path, monkeypatch, name, says):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    for file, text in FAULTY.items():
        (tmp_path / file).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    assert run("match", name, "random", "--hands", 2, "--seed", 1) == (BAD_INPUT, "", f"cfr: {says}\n")


@pytest.mark.parametrize("name", ["bot", "random", "my-bot", "my.bot"])
@pytest.mark.parametrize("processes", [1, *thorough(2)])
def test_files_of_one_name_are_different_players(run, tmp_path, monkeypatch, name, processes):
    """Also where the standard library has a module of this name."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    players = []
    for action in ("state.legal[-1]", "'c'"):
        file = tmp_path / str(len(players)) / f"{name}.py"
        file.parent.mkdir()
        text = f"class Bot:\n    def __init__(self, game): ...\n    def act(self, state, *rest): return {action}\n"
        file.write_text(text)
        players.append(f"{file}:Bot")
    how = ["--game", "leduc", "--hands", 600, "--seed", 1, "--json"]
    rules = run("match", "always-raise", "always-call", *how, "--no-aivat")[1]
    code, out, err = run("match", *players, *how, "--processes", processes)
    assert (code, err, out) == (0, "", rules)


def test_a_match_is_of_a_thousand_hands_unless_it_is_said(run):
    how = "match", "always-call", "always-raise", "--game", "kuhn", "--no-aivat", "--seed", 1
    assert run(*how) == run(*how, "--hands", "1,000") == run(*how, "--hands", 1000)
    code, _, err = run(*how, "--hands", "1,00")
    assert (code, "'1,00'; expected a whole number of at least 1" in err) == (BAD_INPUT, True)


@pytest.mark.parametrize("player", ["loud_bots:Loud", "random", "learn:x.json@ann", "acpc:0"])
def test_only_strategies_are_re_solved(run, player):
    code, out, err = run("match", player, "always-call", "--hands", 2, "--resolve", "turn")
    assert (code, out) == (BAD_INPUT, "")
    assert err == f"cfr: --resolve turn: {player} is no strategy; expected a strategy file or a built-in\n"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("gone_bots:Loud", "player gone_bots:Loud: SystemExit: 0 (gone_bots.py, line 1)"),
        ("loud_bots:Gone", "player loud_bots:Gone, after '': SystemExit (loud_bots.py, line 13)"),
        ("loud_bots.py:Absent", "player loud_bots.py:Absent: GeneratorExit: no game for me (loud_bots.py, line 18)"),
        ("loud_bots.py", "player loud_bots.py: a Python file; name the class in it, too: loud_bots.py:Class"),
        ("loud_bots", "player loud_bots: loud_bots.py is a Python file; name the class in it, too: loud_bots:Class"),
        ("loud_bots:Lout", "player loud_bots:Lout: no 'Lout' in 'loud_bots'; did you mean Loud?"),
        ("loud_bots:Ox", "player loud_bots:Ox: no 'Ox' in 'loud_bots'; expected module:Class"),
    ],
)
def test_a_class_that_stops_the_program_is_one_line(run, bots, name, says):
    code, out, err = run("match", "always-call", name, "--hands", 2)
    assert (code, out) == (BAD_INPUT, "")
    assert [line for line in err.splitlines() if line not in ("begins", "sits down")] == [f"cfr: {says}"]


class Speaker:
    """Says its actions as people do, and once something else."""

    said = "check", "call", "bet", "raise", "c"

    def __init__(self, game):
        self.words = []

    def act(self, state, hand, board, rng):
        fitting = [word for word in self.said if action_letter(word, state)]
        self.words.append(rng.choice(fitting))
        return self.words[-1]


class Plain:
    """Takes nothing to be made."""

    def act(self, state, hand, board, rng):
        return "c"


def test_a_class_that_takes_no_game_plays():
    assert match(Plain, "always-raise", 20, seed=3) == match("always-call", "always-raise", 20, seed=3)


def test_a_class_may_answer_by_words(monkeypatch):
    speaker = Speaker(None)
    assert match(speaker, "always-raise", 40, seed=3).hands == 40
    assert set(speaker.words) == set(Speaker.said)
    monkeypatch.setattr(Speaker, "act", lambda *spot: "call")  # as strategies name it, also where it checks
    assert match(Speaker, "always-raise", 40, seed=3) == match("always-call", "always-raise", 40, seed=3)
    monkeypatch.setattr(Speaker, "act", lambda *spot: "shove")
    with pytest.raises(IllegalActionError, match="Speaker, after 'r': 'shove' is illegal; legal are f, c, r"):
        match(Speaker, "always-raise", 2, seed=3)


def test_an_imported_class_that_stops_the_program_is_one_line(run, bots):
    code, out, err = run("import", "loud_bots:Gone", "--game", "kuhn", "--out", "x.h5")
    assert (code, out) == (BAD_INPUT, "")
    assert err.splitlines()[-1].startswith("cfr: strategy loud_bots:Gone, hand ")
    assert err.endswith("SystemExit: 3 (loud_bots.py, line 15)\n")
    assert not (bots / "x.h5").exists()


@pytest.mark.thorough
def test_the_class_of_the_docs_plays_and_imagined_hands_narrow_the_interval(run, tmp_path, monkeypatch, leduc_file):
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).parents[3] / "docs" / "matches.md").read_text("utf-8")
    [code] = re.findall(r"```python\n(class Rock:\n.*?)```", text, re.DOTALL)
    (tmp_path / "rock_of_docs.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    assert run("match", "rock_of_docs:Rock", "always-call", "--hands", 40, "--seed", 1)[0] == 0
    (tmp_path / "caller_here.py").write_text(
        "class Caller:\n    def __init__(self, game): pass\n    def act(self, state, hand, board, rng): return 'c'\n"
    )
    words = ("match", leduc_file, "caller_here:Caller", "--hands", 1000, "--seed", 2, "--json")
    plain, imagined = (json.loads(run(*words, *more)[1]) for more in ((), ("--imaginary",)))
    assert plain["mbb_per_game"] == imagined["mbb_per_game"]
    assert imagined["aivat_interval_95"] < 0.8 * plain["aivat_interval_95"]


def test_rules_and_classes_play_any_game(tmp_path, capsys, monkeypatch):
    """They bring no game of their own: `--game` says which."""
    (tmp_path / "bots_of_leduc.py").write_text(
        "class Checked:\n"
        "    def __init__(self, game):\n"
        "        assert game.num_hole_cards == 1, game\n"
        "    def act(self, state, hand, board, rng):\n"
        "        assert len(hand) == 1\n"
        "        return 'c'\n"
    )
    (tmp_path / "mine.game").write_text(Game.bundled("leduc").text())
    monkeypatch.chdir(tmp_path)
    for game in ("leduc", "mine.game"):
        asked = ["match", "bots_of_leduc:Checked", "always-call", "--game", game, "--hands", "10", "--seed", "1"]
        assert main([*asked, "--json"]) == 0, capsys.readouterr().err
        assert json.loads(capsys.readouterr().out)["hands"] == 10
    assert main(["match", "small", "always-call", "--game", "leduc", "--hands", "10"]) == 2
    assert "are for different games" in capsys.readouterr().err


@pytest.mark.thorough
def test_a_mix_plays_and_is_measured(run, leduc):
    mix = f"mix:{leduc}@0.75,always-raise"
    plays = ("match", mix, leduc, "--hands", "1000", "--duplicate", "--seed", "3", "--json")
    code, text, err = run(*plays)
    assert code == 0, err
    assert run(*plays, "--processes", "2")[1] == text
    won = json.loads(text)
    exact = json.loads(run("versus", mix, leduc, "--json")[1])["mbb_per_game"]
    parts = [json.loads(run("versus", each, leduc, "--json")[1])["mbb_per_game"] for each in (leduc, "always-raise")]
    assert exact == pytest.approx(0.75 * parts[0] + 0.25 * parts[1])
    assert abs(won["aivat_mbb_per_game"] - exact) < won["aivat_interval_95"] * 1.5
    code, text, _ = run("exploit", mix, "--json")
    bound = json.loads(text)
    assert [each["share"] for each in bound["parts"]] == [0.75, 0.25]
    lost = [each["exploitability_mbb"] for each in bound["parts"]]
    assert bound["bound_mbb"] == pytest.approx(np.average(lost, weights=[3, 1]))
    assert "a bound" in run("exploit", mix)[1]


def test_what_a_mix_cannot(run, leduc):
    for command in ("exploit --partial x", "exploit --report", "query --hand Ks --resolve turn"):
        name, *words = command.split()
        code, text, err = run(name, f"mix:{leduc}@0.75,always-raise", *words)
        assert (code, text, err.count("\n")) == (2, "", 1)
    code, text, err = run("query", f"mix:{leduc}@0.75,always-raise", "--hand", "Ks", "--ev")
    assert (code, text, err.count("\n")) == (2, "", 1)
    assert "mix" in err
