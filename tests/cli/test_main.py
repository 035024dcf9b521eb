"""The command line: what commands print, help, versions and completion."""

import argparse
import json
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

import cfr
from cfr.cli.main import COMMANDS, _parser
from cfr.strategy.files.file import open_file
from tests.cli.shell import shell


def test_games_are_counted(run):
    code, out, _ = run("games", "--json")
    assert code == 0
    counts = {each["name"]: each for each in json.loads(out)}
    assert list(counts) == [
        *("kuhn", "leduc", "rhode-island"),
        *("holdem-2-1", "holdem-2-4", "flop-holdem", "royal", "hulhe"),
    ]
    for each in counts.values():
        assert set(each) == {"name", "betting_nodes", "canonical_hands", "information_sets", "node_actions"}
    sizes = {name: (each["betting_nodes"], each["canonical_hands"]) for name, each in counts.items()}
    assert sizes == {
        "kuhn": ([4], [3]),
        "leduc": ([6, 30], [3, 15]),
        "rhode-island": ([8, 56, 392], [13, 325, 9_997]),
        "holdem-2-1": ([4, 12], [169, 1_286_792]),
        "holdem-2-4": ([8, 70], [169, 1_286_792]),
        "flop-holdem": ([8, 56], [169, 1_286_792]),
        "royal": ([8, 70, 630, 5_670], [25, 7_760, 104_750, 1_398_100]),
        "hulhe": ([8, 70, 630, 5_670], [169, 1_286_792, 55_190_538, 2_428_287_420]),
    }
    totals = {name: (each["information_sets"], each["node_actions"]) for name, each in counts.items()}
    assert totals == {
        "kuhn": (12, 24),
        "leduc": (468, 1_092),
        "rhode-island": (3_937_128, 9_842_820),
        "holdem-2-1": (15_442_180, 30_884_529),
        "holdem-2-4": (90_076_792, 234_199_693),
        "flop-holdem": (72_061_704, 180_154_429),
        "royal": (7_993_762_900, 20_783_783_545),
        "hulhe": (13_803_249_787_132, 35_888_449_446_577),
    }
    text = run("games")[1]
    assert "13,803,249,787,132" in text


def test_bare_cfr_prints_help(run):
    code, out, err = run()
    assert (code, err) == (0, "")
    assert out == run("--help")[1]
    assert "query" in out


def test_version_names_the_build(run):
    assert re.fullmatch(r"cfr \S+, kernel (base|v\d), Python \d+\.\d+\.\d+\n", run("--version")[1])


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion_knows_commands_and_flags(run, shell):
    pytest.importorskip("shtab")
    code, out, _ = run("--print-completion", shell)
    assert code == 0
    for word in ("query", "chart", "resolve", "board"):
        assert word in out


def test_completion_says_what_it_needs(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "shtab", None)
    code, _, err = run("--print-completion", "bash")
    assert code == 2
    assert "cfr-holdem[completion]" in err


def test_wide_equity_shows_a_bar(run, monkeypatch):
    """One that would take long; the result is the same with it and without."""
    monkeypatch.setattr("cfr.hands.equity._PATIENCE", 0)
    asked = ("equity", "QQ+", "AKs,JTs", "--board", "Td9d6h")
    plain = run(*asked)
    barred = run(*asked, "--progress")
    assert plain[1:] == (barred[1], "")
    assert re.search(r"equity: .*boards/s\]", barred[2]) is not None


def test_info_shows_all_attributes(run, leduc):
    code, out, _ = run("info", leduc, "--verify", "--json")
    assert code == 0
    values = json.loads(out)
    with open_file(leduc) as file:
        assert set(file.attrs) <= set(values)
    assert values["iterations"] == 50
    assert values["rows"] == [3, 15]
    assert values["verified"] is True
    shown = run("info", leduc)[1]
    assert len({len(line) - len(re.sub(r"^\w+ +", "", line)) for line in shown.splitlines()}) == 1  # one column
    text = re.sub(" +", " ", shown)
    assert "\niterations 50\n" in text
    solved, stored = (values[f"{name}exploitability_mbb"] for name in ("", "stored_"))
    of = "of the average strategy as solved, before the file rounds it"
    assert f"\nexploitability_mbb {solved} ({of})\n" in text
    assert f"\nstored_exploitability_mbb {stored} (of the probabilities in the file)\n" in text
    with cfr.Strategy.open(leduc) as strategy:
        whole = f"{stored:.4f} mbb/g of the probabilities in the file, {solved:.4f} mbb/g {of}"
        assert strategy.facts()["exploitability"] == whole
        assert cfr.exploitability(strategy).exploitability_mbb == pytest.approx(stored)


def test_info_says_that_a_later_measurement_is_of_the_file(run, leduc, tmp_path):
    path = tmp_path / "measured.h5"
    path.write_bytes(Path(leduc).read_bytes())
    assert run("exploit", path, "--save")[0] == 0
    with cfr.Strategy.open(path) as strategy:
        measured, stored = (strategy.attributes[f"{name}exploitability_mbb"] for name in ("", "stored_"))
    assert measured == pytest.approx(stored)
    text = re.sub(" +", " ", run("info", path)[1])
    assert f"\nexploitability_mbb {measured} (of the probabilities in the file)\n" in text


def test_chart_in_the_terminal_and_as_a_picture(run, tmp_path, monkeypatch):
    code, out, _ = run("chart", "uniform", "--line", "r")
    assert code == 0
    assert out.startswith("hulhe: big blind facing a raise preflop, pot 30 (3 bb), after r\n")
    assert "\x1b" not in out  # not a terminal
    assert "\x1b[48;2;0;114;178m" in run("chart", "uniform", "--color", "always", "--theme", "colour-blind")[1]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert "\x1b" in run("chart", "uniform")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("chart", "uniform")[1]
    picture = tmp_path / "x.svg"
    assert run("chart", "uniform", "--out", picture) == (0, f"wrote {picture}\n", "")
    assert picture.read_text().startswith("<svg")


def test_a_file_that_is_written_is_named(run, leduc, tmp_path):
    table, log = tmp_path / "x.csv", tmp_path / "x.log"
    assert run("export", leduc, "--no-ev", "--out", table)[1] == f"wrote {table}: 6 rows\n"
    assert run("export", leduc, "--no-ev", "--out", table, "--json")[1].startswith("[{")
    run("match", leduc, "uniform", "--hands", 4, "--seed", 1, "--log", log)
    assert run("review", log, "--strategy", leduc, "--out", table)[1].endswith(f"\nwrote {table}\n")
    history = tmp_path / "history.csv"
    run("solve", "kuhn", "--iterations", 4, "--history", history, "--out", tmp_path / "kuhn.h5")
    pytest.importorskip("matplotlib")
    picture = tmp_path / "x.svg"
    assert run("plot", history, "--out", picture)[:2] == (0, f"wrote {picture}\n")


def test_chart_of_expected_values(run, tmp_path):
    asked = ("chart", "uniform", "--board", "2c2d2h9sJc", "--line", "cc/cc/cc/", "--ev")
    _, out, err = run(*asked)
    assert re.search(r"^EV in big blinds per hand, mean [+-]\d\.\d\d ", out, re.MULTILINE)
    assert err == ""
    picture = tmp_path / "x.svg"
    code, out, err = run(*asked, "--out", picture, "--progress")
    assert (code, out) == (0, f"wrote {picture}\n")
    assert "expected values:" in err
    assert "EV in big blinds per hand" in picture.read_text()


def test_match_and_its_log(run, leduc, tmp_path):
    log = tmp_path / "log"
    arguments = ("match", leduc, "always-call", "--hands", 400, "--seed", 1, "--duplicate")
    code, out, _ = run(*arguments, "--json", "--log", log)
    assert code == 0
    result = json.loads(out)
    assert result["hands"] == 400
    *lines, score = log.read_text().splitlines()
    assert len(lines) == 400
    won = sum(int(line.split(":")[4].split("|")[n % 2]) for n, line in enumerate(lines))
    assert score.startswith(f"SCORE:{won}|{-won}:")
    assert result["mbb_per_game"] == pytest.approx(1000 * won / 400)
    assert f"{result['interval_95']:.1f} mbb/g" in run(*arguments)[1]
    assert json.loads(run("match", "random", "uniform", "--hands", 1, "--json")[1])["interval_95"] is None
    said = run("match", "random", "uniform", "--hands", 1)[1]
    assert re.fullmatch(r"\S+ mbb/g, too few hands for a 95 % interval, over 1 hand\n", said)


def test_one_of_a_thing_has_no_plural(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.log").write_text("STATE:0:f:AsAh|KsKh:5|-5:ann|bob\n")
    (tmp_path / "unseen.log").write_text("STATE:0:f:|:5|-5:ann|bob\n")
    spot = ("spot", "--board", "Td9d6hQc2s", "--line", "rc/crc/cc/", "--iterations", 1, "--threads", 1)
    commands = [
        ("review", "one.log", "--strategy", "uniform", "--no-ev"),
        ("review", "unseen.log", "--strategy", "uniform", "--no-ev"),
        ("review", "one.log", "--strategy", "uniform", "--no-ev", "--db", "x.db"),
        ("match", "random", "uniform", "--hands", 1),
        ("solve", "kuhn", "--iterations", 1, "--threads", 1, "--out", "kuhn.h5"),
        ("solve", "kuhn", "--iterations", 1, "--threads", 1, "--out", "kuhn.h5"),  # it is there
        ("solve", "leduc", "--lossless", "--iterations", 1, "--threads", 1, "--dry-run"),
        (*spot, "--out", "river.h5"),
        ("query", "uniform", "--hand", "AsKh", "--board", "2c"),
        ("equity", "AhKh", "QcQd", "--board", "2c"),
        ("equity", "AhAd", "KcKd", "--board", "AsKs2c7d"),
    ]
    for words in commands:
        _, out, err = run(*words)
        said = out + err
        assert re.search(r"\b1 [a-z]", said), said
        assert not re.search(r"(?<![\d.,])1 (?!ms\b)[a-z-]+s\b", said), said


def test_equity(run):
    code, out, _ = run("equity", "AhKh", "QcQd", "--board", "Qh7h2s4c", "--json")
    assert code == 0
    assert json.loads(out) == {"win": 7, "lose": 37, "tie": 0, "equity": pytest.approx(7 / 44)}
    text = run("equity", "AhKh", "QcQd", "--board", "Qh7h2s4c")[1]
    assert "7 outs of 44 cards" in text
    assert "15.9 % with the next card" in text
    assert run("equity", "AhKh", "vs.", "QcQd", "--board", "Qh7h2s4c")[1] == text


def test_play_reads_answers(leduc):
    done = shell("play", leduc, "--hands", 2, "--seed", 1, input="c\nc\nc\nc\nc\nc\nc\nc\n")
    assert done.returncode == 0
    assert "hand 2" in done.stdout
    assert "in 2 hands" in done.stdout
    assert shell("play", leduc, input="").returncode == 0


def test_help_everywhere(run):
    code, out, _ = run("--help")
    assert code == 0
    commands = re.findall(r"^    (\w+) ", out, re.MULTILINE)
    assert {"solve", "query", "chart", "info", "play", "match", "equity", "games"} <= set(commands)
    for command in commands:
        code, out, _ = run(command, "--help")
        assert code == 0
        assert "example: cfr " in out
    assert "a Python class or an" in " ".join(run("import", "--help")[1].split())  # names keep their letters
    assert run("--version")[1].startswith("cfr ")


def test_a_command_is_found_in_its_module_alone(monkeypatch):
    for module, names in COMMANDS.items():
        added = []
        monkeypatch.setattr(
            "cfr.cli.main.import_module", lambda name, added=added: added.append(name) or import_module(name)
        )
        for name in names:
            [commands] = [each for each in _parser(name)._actions if isinstance(each, argparse._SubParsersAction)]
            assert list(commands.choices) == [*names, "help"]
        assert set(added) == {f"cfr.cli.commands.{module}"}
