"""`cfr train` with somebody who types: what is said, kept and exported, and what is refused."""

import csv
import io
import json
import re
import stat

import numpy as np
import pytest

from cfr.cli.commands.train import Lesson
from cfr.cli.main import main
from cfr.game.cards import parse_cards
from cfr.play.terminal import Quit
from cfr.strategy.files.stored import open_strategy
from cfr.study.spot_values import expected_values


@pytest.fixture
def train(tmp_path, capsys, monkeypatch):
    """Runs the command with what is typed; code, output and errors."""

    def run(*arguments, typed=""):
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        code = main(["train", *arguments, "--sessions", str(tmp_path / "sessions")])
        return code, *capsys.readouterr()

    return run


def exported(train, tmp_path, suffix="json", strategy="small"):
    path = tmp_path / f"answers.{suffix}"
    code, said, _ = train(strategy, "--export", str(path))
    assert code == 0
    text = path.read_text()
    rows = json.loads(text) if suffix == "json" else list(csv.DictReader(io.StringIO(text)))
    assert said == f"wrote {path}: {len(rows)} answer{'s' * (len(rows) != 1)}\n"
    return rows


def test_answers_are_judged_kept_and_scored(train, tmp_path):
    code, said, problems = train("--round", "river", "--seed", "4", typed="c\nh\n?\nr\nq\n")
    assert (code, problems) == (0, "")
    assert said.count("exercise ") == 3
    assert "'h' cannot be done here" in said  # which would be telling
    rows = exported(train, tmp_path)
    assert [row["action"] for row in rows] == ["call", "raise"]
    with open_strategy() as strategy:
        for row in rows:
            values = expected_values(strategy, row["board"], row["line"], unreached=True)
            evs = values.action_ev[strategy.game.hand_number(parse_cards(row["hand"]))].tolist()
            place = ["fold", "call", "raise"].index(row["action"])
            assert row["ev_lost_mbb"] == np.nanmax(evs) - evs[place]
            lost = f"EV lost {row['ev_lost_mbb']:.1f} mbb ({row['ev_lost_mbb'] / 1000:.3f} big blinds)"
            assert lost in said
    mean = sum(row["ev_lost_mbb"] for row in rows) / 2
    assert f"score: 2 decisions, {sum(row['mistake'] for row in rows)} mistake" in said.splitlines()[-1]
    assert f"EV lost {mean:.1f} mbb +- " in said.splitlines()[-1]
    assert len(exported(train, tmp_path, "csv")) == 2
    assert stat.S_IMODE((tmp_path / "sessions-terminal").stat().st_mode) == 0o600


def test_progress_goes_on_and_mistakes_come_back(train):
    code, said, _ = train("always-call", "--seat", "button", "--round", "preflop", "--spots", "1", typed="f\n")
    assert code == 0
    assert "fold: a mistake\n" in said
    assert "to repeat: 1" in said
    hand = re.search(r"your hand (\w{4})", said)[1]
    code, said, _ = train("always-call", "--seat", "button", "--round", "preflop", typed="c\n" * 6)
    assert code == 0
    assert f"exercise 7, again after a mistake; betting so far: none\n  your hand {hand}" in said
    assert said.splitlines()[-1] == "score: 7 decisions, 1 mistake"


@pytest.mark.thorough
def test_an_answer_left_unjudged_is_judged_first_in_the_next_lesson(train, tmp_path, monkeypatch):
    def leave(lesson, values):
        raise Quit

    river = ("--round", "river", "--seed", "4")
    with monkeypatch.context() as patch:
        patch.setattr(Lesson, "_wait", leave)  # Ctrl-C while the EVs are worked out
        code, said, _ = train(*river, typed="c\n")
    assert code == 0
    assert "score: 1 decision, 0 mistakes\n" in said
    [left] = exported(train, tmp_path)
    assert (left["action"], left["ev_lost_mbb"], left["mistake"]) == ("call", None, None)
    train("always-call", *river, typed="")  # another strategy does not judge it
    assert exported(train, tmp_path) == [left]
    code, said, problems = train(*river, typed="")
    assert (code, problems) == (0, "")
    about = f"betting so far: {left['line']}, your hand {left['hand']}"
    assert f"exercise 1, answered in an earlier lesson; {about}\n" in said
    [judged] = exported(train, tmp_path)
    with open_strategy() as strategy:
        values = expected_values(strategy, left["board"], left["line"], unreached=True)
        evs = values.action_ev[strategy.game.hand_number(parse_cards(left["hand"]))]
    assert judged["ev_lost_mbb"] == np.nanmax(evs) - evs[1]
    assert judged["mistake"] is not None
    assert f"EV lost {judged['ev_lost_mbb']:.1f} mbb per decision" in said.splitlines()[-1]
    assert "answered in an earlier lesson" not in train(*river, typed="")[1]


def test_two_files_of_one_name_have_scores_of_their_own(train, tmp_path, leduc, capsys):
    (tmp_path / "other").mkdir()
    other = str(tmp_path / "other" / "leduc.h5")
    assert main(["solve", "leduc", "--iterations", "60", "--threads", "1", "--out", other, "--json"]) == 0
    capsys.readouterr()
    scores = {}
    for number, name in enumerate((leduc, other, leduc, other), 1):
        code, said, problems = train(name, "--spots", "1", "--seed", "1", typed="c\n")
        assert (code, problems) == (0, "")
        assert f"exercise {number}" in said
        scores.setdefault(name, []).append(said.splitlines()[-1].partition(",")[0])
    assert list(scores.values()) == [["score: 1 decision", "score: 2 decisions"]] * 2
    code, said, _ = train(leduc, "--export", str(tmp_path / "x.json"))
    assert [row["strategy"] for row in json.loads((tmp_path / "x.json").read_text())] == ["leduc"] * 4


@pytest.mark.parametrize("damage", [b"", b"\xff\xfe\x00", b"half a token"], ids=["empty", "no text", "short"])
def test_a_damaged_token_is_said_and_costs_nothing(train, tmp_path, damage):
    preflop = ("always-call", "--seat", "button", "--round", "preflop", "--spots", "1")
    train(*preflop, typed="c\n")
    place = tmp_path / "sessions-terminal"
    token = place.read_bytes()
    place.write_bytes(damage)
    for arguments in (preflop, ("--export", str(tmp_path / "x.csv"))):
        code, said, problems = train(*arguments, typed="c\n")
        assert (code, said) == (1, "")
        assert problems.count("\n") == 1
        assert f"{place}: no token of a session" in problems
        assert "put a copy of the file back, or delete it to begin anew" in problems
    assert place.read_bytes() == damage
    place.write_bytes(token)
    assert train(*preflop, typed="c\n")[1].endswith("score: 2 decisions, 0 mistakes\n")
    place.unlink()
    assert train(*preflop, typed="c\n")[1].endswith("score: 1 decision, 0 mistakes\n")


@pytest.mark.parametrize("mode", ["spots", "hands"])
def test_two_lessons_at_once_keep_both_progresses(train, tmp_path, monkeypatch, capsys, leduc, mode):
    """While the first lesson waits for an answer, a second one deals, hears an answer, and deals again."""
    asked = ("train", leduc, "--mode", mode, "--sessions", str(tmp_path / "sessions"))

    class Amid(io.StringIO):
        def readline(self, *size):
            monkeypatch.setattr("sys.stdin", io.StringIO("c\n"))
            assert main([*asked, "--seed", "2"]) == 0
            monkeypatch.setattr("sys.stdin", self)
            return super().readline(*size)

    monkeypatch.setattr("sys.stdin", Amid("c\nc\nc\n"))
    assert main([*asked, "--seed", "1"]) == 0
    said, problems = capsys.readouterr()
    assert problems == ""
    rows = exported(train, tmp_path, strategy=leduc)
    assert len(rows) == 3 + 4  # the last one is left without an answer
    assert len({row["number"] for row in rows}) == 7
    assert {row["action"] for row in rows} == {"call"}
    assert all(row["ev_lost_mbb"] is not None for row in rows)
    scores = re.findall(r"^score: (\d) decision", said, re.MULTILINE)  # of each lesson's end
    assert scores == ["1", "3", "5", "7", "7"]
    if mode == "hands":
        lines = [row["line"] for row in rows]
        assert any("/" in line for line in lines)


def test_whole_hands_are_played_on_after_what_the_answer_lost(train):
    river = ("--mode", "hands", "--seed", "1", "--seat", "bb", "--round", "river")
    code, said, _ = train("always-call", *river, typed="c\nf\n")
    assert code == 0
    told = r"\n  check: [^\n]*\n  the bot checks on \w{10}\n  showdown on \w{10}: the bot has \w{4}; .*\n  score: 1 "
    assert re.search(told, said), said


def test_against_a_player(train, tmp_path):
    river = ("--against", "always-call", "--round", "river", "--seat", "bb", "--seed", "1")
    code, said, problems = train(*river, "--mode", "hands", "--spots", "1", typed="c\n")
    assert (code, problems) == (0, "")
    assert said.startswith("hulhe against always-call: ")
    assert re.search(r"\n  EV by best play against always-call: check \S+ mbb  bet \S+ mbb\n", said)
    assert "\n  the bot checks on " in said
    assert "score: 1 decision" in said
    [row] = exported(train, tmp_path)
    assert row["strategy"] == "hulhe-small against always-call"
    bet, check = row["ev_raise_mbb"], row["ev_call_mbb"]
    assert np.sign(bet - check) == np.sign(check)  # a bet that is always called is worth what the hand is
    assert row["ev_lost_mbb"] == max(bet, check) - check
    assert train("--round", "river", typed="")[1].endswith("score: 0 decisions, 0 mistakes\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--line", "zz"], "line 'zz': 'zz' at position 1 is no action"),
        (["--line", "f"], "the hand is over"),
        (["--round", "showdown"], "invalid choice: 'showdown'"),
        (["--export", "x.txt"], "answers are written as .csv or .json"),
        (["nowhere.h5"], "nowhere.h5"),
        (["--against", "nowhere.h5"], "nowhere.h5"),
        (
            ["--against", "small+turn"],
            "hulhe-small+turn: best play is not known against a strategy that re-solves from",
        ),
        (["--against", "mix:small@0.5,always-call"], "expected values are those of one strategy, not of a mix"),
        (["--against", "always-call", "--export", "x.csv"], "asks nothing; leave out --against"),
    ],
)
def test_bad_input_is_one_line(train, capsys, arguments, message):
    try:
        code, said, problems = train(*arguments)
    except SystemExit as stop:
        code, (said, problems) = stop.code, capsys.readouterr()
    assert code == 2
    assert said == ""
    assert len(problems.splitlines()) == 1
    assert message in problems
