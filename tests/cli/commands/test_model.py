"""``cfr model``: a file that other commands take, and mistakes in one line."""

import json
from pathlib import Path

import pytest

from cfr.opponents.model import FEWEST
from cfr.strategy.files.file import set_attributes

LOG = "STATE:{}:{}:{}:{}:ann|bob\n"


@pytest.fixture
def log(tmp_path):
    """Ann always folds to a bet before the flop of Leduc, or checks."""
    path = tmp_path / "session.log"
    lines = [
        LOG.format(n, "crf", "Ks|Qs", "-1|1") if n % 2 else LOG.format(n, "cc/cc", "Ks|Qs/Ah", "1|-1")
        for n in range(200)
    ]
    path.write_text("".join(lines))
    return path


def test_a_model_is_a_strategy(run, leduc, log, tmp_path):
    out = tmp_path / "ann.h5"
    code, text, err = run("model", log, "--player", "ann", "--strategy", leduc, "--out", out)
    assert code == 0, err
    assert text.startswith("ann: 200 hands with a decision, beside ")
    assert "\nresult: 0.0 big blinds per 100 hands, +- 14.0 (95 % interval), in 200 hands\n" in text
    assert "folds before the flop as the " in text
    assert text.endswith(f"wrote {out}\n")
    code, text, _ = run("query", out, "--hand", "Ks", "--line", "cr", "--json")
    folds = json.loads(text)["fold"]
    assert folds > json.loads(run("query", leduc, "--hand", "Ks", "--line", "cr", "--json")[1])["fold"] + 0.2
    assert run("exploit", out)[0] == 0
    code, text, _ = run("versus", leduc, out, "--json")
    assert json.loads(text)["mbb_per_game"] > 0
    info = json.loads(run("info", out, "--json")[1])
    assert info["model_player"] == "ann"
    kept = json.loads(info["model_result"])
    assert (kept["hands"], kept["won_mbb"]) == (200, [1000, 0] * 100)
    text = run("info", out)[1]
    assert max(map(len, text.splitlines())) < 1100
    assert run("info", out, "--verify")[0] == 0


def test_a_log_without_a_hand_among_others_is_named(run, leduc, log, tmp_path):
    empty = tmp_path / "empty.log"
    empty.write_text("# nothing\n")
    code, out, _ = run("model", log, empty, "--player", "ann", "--strategy", leduc, "--out", tmp_path / "ann.h5")
    assert (code, out.split("\n", 1)[0][:24]) == (0, "ann: 200 hands with a de")
    assert f"    {empty}: no hand is in it; expected hands of a match or of a card room\n" in out


def test_logs_of_a_folder_are_read_and_each_hand_counts_once(run, leduc, log, tmp_path):
    folder, how = tmp_path / "logs", ["--player", "ann", "--strategy", leduc, "--json", "--out"]
    (folder / "older").mkdir(parents=True)
    lines = log.read_text().splitlines(keepends=True)
    (folder / "a.log").write_text("".join(lines[:120]))
    (folder / "older" / "b.log").write_text("".join(lines[80:]))
    said = [json.loads(run("model", each, *how, tmp_path / f"{each.name}.h5")[1]) for each in (log, folder)]
    assert said[1]["hands"] == said[0]["hands"] == 200
    assert said[1]["leaks"] == said[0]["leaks"]
    assert (said[0]["skipped"]["copies"], said[1]["skipped"]["copies"]) == (0, 40)
    code, out, err = run("model", folder, "--player", "carl", "--out", tmp_path / "x.h5", "--strategy", leduc)
    assert (code, out, err) == (2, "", f"cfr: {folder}: there is no player 'carl'; it has ann, bob\n")


@pytest.mark.parametrize("words", [("model", "--player", "ann", "--out", "x.h5"), ("review",)])
def test_a_log_of_another_game_is_told_as_such(run, log, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    code, _, err = run(words[0], log, *words[1:])
    assert code == 2
    assert f"{log}: the hands are of another game than hulhe, such as leduc; say --strategy FILE of that game" in err
    assert err.count("\n") == 1


def test_a_counter_finds_the_blueprint_from_any_folder(run, leduc, log, tmp_path, monkeypatch):
    (tmp_path / "there").mkdir()
    (tmp_path / "mine.h5").write_bytes(Path(leduc).read_bytes())
    monkeypatch.chdir(tmp_path)
    assert run("model", log, "--player", "ann", "--strategy", "mine.h5", "--out", "ann.h5")[0] == 0
    monkeypatch.chdir("there")
    how = ["counter", "../ann.h5", "--confidence", "1", "--iterations", 2]
    assert run(*how)[0] == 0
    (tmp_path / "mine.h5").rename(tmp_path / "gone.h5")
    code, out, err = run(*how)
    assert (code, out) == (2, "")
    mine = tmp_path / "mine.h5"
    assert err == f"cfr: ../ann.h5: its blueprint {mine} is gone; put it back, or make the model again: cfr model\n"


def test_few_hands_are_said(run, leduc, log, tmp_path):
    log.write_text("".join(log.read_text().splitlines(keepends=True)[: FEWEST - 1]))
    code, text, _ = run("model", log, "--player", "ann", "--strategy", leduc, "--out", tmp_path / "x.h5")
    assert code == 0
    assert f"fewer than {FEWEST} hands say nothing: the model is the prior, {leduc} itself" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--player", "cat"), "there is no player 'cat'; it has ann, bob"),
        (("--player", "ann", "--strategy", "uniform"), "uniform"),
        (("--player", "ann", "--strategy", "small"), "hand is read"),
    ],
    ids=["player", "built in", "another game"],
)
def test_mistakes_are_one_line(run, leduc, log, tmp_path, arguments, message):
    out = tmp_path / "x.h5"
    code, text, err = run("model", log, "--strategy", leduc, *arguments, "--out", out)
    assert code in (1, 2)
    assert text == ""
    assert message in err
    assert err.count("\n") == 1
    assert not out.exists()


def test_info_names_long_tables_without_showing_them(run, leduc, log, tmp_path):
    out = tmp_path / "ann.h5"
    assert run("model", log, "--player", "ann", "--strategy", leduc, "--out", out)[0] == 0
    set_attributes(out, {"model_parameters": "x" * 1001})
    code, text, _ = run("info", out)
    assert code == 0
    assert "(1,001 characters; --json shows them)" in text
    assert max(map(len, text.splitlines())) < 1100


def test_a_model_replaces_nothing_unasked(run, leduc, log):
    code, _, err = run("model", log, "--player", "ann", "--strategy", leduc, "--out", leduc)
    assert (code, "--overwrite" in err) == (1, True)


def test_flops_are_refused_before_the_file_is_there(run, leduc, log, tmp_path):
    out = tmp_path / "ann.h5"
    asked = ("model", log, "--player", "ann", "--strategy", leduc, "--out", out)
    assert run(*asked, "--flops", "5000") == (2, "", "cfr: flops: 5,000; there are 3: say all for all of them\n")
    assert not out.exists()


def test_a_game_without_boards_has_models(run, tmp_path):
    log, blueprint, out = tmp_path / "x.log", tmp_path / "kuhn.h5", tmp_path / "ann.h5"
    log.write_text("".join(LOG.format(n, "cc", "Ks|Qs", "1|-1") for n in range(60)))
    assert run("solve", "kuhn", "--iterations", "50", "--out", blueprint)[0] == 0
    code, _, err = run("model", log, "--player", "ann", "--strategy", blueprint, "--out", out)
    assert (code, out.exists()) == (0, True), err


@pytest.fixture
def ann(run, leduc, log, tmp_path):
    out = tmp_path / "ann.h5"
    assert run("model", log, "--player", "ann", "--strategy", leduc, "--out", out)[0] == 0
    return out


def test_a_counter_wins_within_its_risk(run, leduc, ann, tmp_path):
    out = tmp_path / "beat-ann.h5"
    solved = ("counter", ann, "--iterations", "100", "--confidence", "0.5", "1", "--risk", "300")
    arguments = (*solved, "--out", out, "--json")
    code, text, err = run(*arguments)
    assert code == 0, err
    found = json.loads(text)
    blueprint, *others = found["points"]
    assert [each["confidence"] for each in (blueprint, *others)] == [0, 0.5, 1]
    assert found["mix"]["worst_mbb"] <= blueprint["exploitability_mbb"] + 300 + 1e-6
    assert found["mix"]["win_mbb"] >= found["chosen"]["win_mbb"] - 1e-9
    chosen = found["chosen"]
    assert chosen["exploitability_mbb"] <= blueprint["exploitability_mbb"] + 300
    assert found["file"] == str(out)
    measured = json.loads(run("exploit", out, "--json")[1])
    assert measured["exploitability_mbb"] == pytest.approx(chosen["exploitability_mbb"])
    assert json.loads(run("versus", out, ann, "--json")[1])["mbb_per_game"] == pytest.approx(chosen["win_mbb"])
    assert json.loads(run("info", out, "--json")[1])["counter_player"] == "ann"
    assert blueprint["win_10_mbb"] < blueprint["win_90_mbb"]
    code, text, _ = run(*solved, "--draws", "0")
    assert "draws)" not in text
    assert "wins " in text
    assert "within a risk of 300 mbb/g" in text
    assert run(*arguments)[0] == 1  # the file is there


def test_a_counter_needs_a_model_of_its_blueprint(run, leduc, ann):
    code, _, err = run("counter", leduc)
    assert (code, err.count("\n")) == (2, 1)
    assert "no model; expected a file of cfr model" in err
    assert run("solve", "leduc", "--iterations", "7", "--out", leduc, "--overwrite")[0] == 0
    code, _, err = run("counter", ann)
    assert (code, err.count("\n")) == (2, 1)
    assert "a model of another blueprint" in err


@pytest.mark.thorough
def test_the_coin_of_a_counter_plays(run, leduc, ann, tmp_path):
    out = tmp_path / "beat-ann.h5"
    arguments = ("counter", ann, "--iterations", "100", "--confidence", "0.5", "1", "--risk", "60", "--out", out)
    code, text, err = run(*arguments)
    assert code == 0, err
    assert err.startswith("memory  ")
    command = next(line for line in text.splitlines() if line.startswith("the coin plays by: cfr match mix:"))
    coin = command.split()[6]
    found = json.loads(run(*arguments, "--overwrite", "--json")[1])["mix"]
    assert found["player"] == coin
    assert f"/beat-ann-{found['greedier_confidence']:g}.h5@{int(1e6 * found['share']) / 1e6:.6f}," in coin
    assert json.loads(run("versus", coin, ann, "--json")[1])["mbb_per_game"] == pytest.approx(
        found["win_mbb"], abs=0.01
    )
    bound = json.loads(run("exploit", coin, "--json")[1])["bound_mbb"]
    assert bound == pytest.approx(found["worst_mbb"], abs=0.01)
    assert run("match", coin, ann, "--hands", "20")[0] == 0
    for path in tmp_path.glob("beat-ann.h5"):
        path.unlink()
    code, _, err = run(*arguments)
    assert (code, "go on with --resume, or say --overwrite" in err) == (1, True)
    assert run(*arguments, "--resume")[1].replace(str(out), "") == text.replace(str(out), "")
