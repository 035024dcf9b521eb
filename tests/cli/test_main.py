"""The command line: what each command prints, and that mistakes are one line."""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
from importlib import import_module

import pytest

from cfr.cli.main import COMMANDS, _parser, main
from cfr.game.rules import Game
from cfr.solver.presets import PRESETS
from cfr.strategy.file import open_file
from cfr.strategy.stored import Strategy
from cfr.system.cores import usable_cores


@pytest.fixture(scope="module")
def leduc(tmp_path_factory):
    path = tmp_path_factory.mktemp("solved") / "leduc.h5"
    assert main(["solve", "leduc", "--iterations", "50", "--threads", "1", "--out", str(path), "--json"]) == 0
    return str(path)


@pytest.fixture
def run(capsys):
    """Run a command in this process; gives its code, stdout and stderr."""

    def run(*arguments):
        capsys.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = stop.code
        return (code, *capsys.readouterr())

    return run


def shell(*arguments, **options):
    """Run a command as a process of its own."""
    command = [sys.executable, "-m", "cfr", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, **options)


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


def test_solve_writes_a_file_and_says_what_it_did(run, tmp_path):
    out_file = tmp_path / "l.h5"
    code, out, err = run("solve", "leduc", "--iterations", 20, "--threads", 1, "--seed", 3, "--out", out_file, "--json")
    assert code == 0
    result = json.loads(out)
    assert result.pop("seconds") >= 0
    assert result == {"file": str(out_file), "game": "leduc", "iterations": 20, "seed": 3, "threads": 1}
    assert "memory" in err
    assert "solving" not in err  # no bar: stderr is no terminal
    code, out, err = run("solve", "leduc", "--iterations", 20, "--out", out_file, "--overwrite", "--progress")
    assert code == 0
    assert re.search(r"leduc, 20 iterations in \d+ s .* exploitability \S+ mbb/g", out)
    assert "solving" in err


def test_solve_has_defaults(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("solve", "kuhn", "--json")
    assert code == 0
    result = json.loads(out)
    assert (result["file"], result["iterations"], result["threads"]) == ("kuhn.h5", 200, usable_cores())
    assert (tmp_path / "kuhn.h5").exists()


def test_a_game_file_can_be_solved(run, tmp_path):
    path = tmp_path / "mine.game"
    path.write_text(Game.bundled("kuhn").text())
    code, out, _ = run("solve", path, "--out", tmp_path / "mine.h5", "--target", 5, "--json")
    assert code == 0
    assert json.loads(out)["game"] == "mine"
    code, out, _ = run("info", tmp_path / "mine.h5", "--json")
    assert json.loads(out)["exploitability_mbb"] <= 5


def test_all_presets_are_offered(run):
    _, out, _ = run("solve", "--help")
    assert f"--preset {{{','.join(PRESETS)}}}" in out


def test_dry_run_only_forecasts(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cfr.solver.forecast.time_iterations", lambda *_: (0.01, 0.02))  # tests/solver times real ones
    code, out, _ = run("solve", "--preset", "quick", "--threads", 1, "--dry-run")
    assert code == 0
    for word in ("5,000, 4,000, 1,000", "memory", "disk", "about 5 minutes", "mbb/g exploitable"):
        assert word in out
    code, out, _ = run("solve", "hulhe", "--buckets", "lossless,200,100", "--minutes", 10, "--dry-run", "--json")
    assert json.loads(out)["rows"] == [169, 1_286_792, 200, 100]
    assert not list(tmp_path.iterdir())


def test_what_no_machine_holds_is_forecast_and_refused(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    solve = ("solve", "hulhe", "--buckets", "lossless,lossless,lossless", "--minutes", 5)
    code, out, _ = run(*solve, "--dry-run", "--json")
    assert code == 0
    assert json.loads(out)["memory_bytes"] > 1e14
    code, _, err = run(*solve)
    assert code == 2
    assert "GB of memory" in err
    assert "use --tables bfloat16 or fewer buckets" in err
    assert not list(tmp_path.iterdir())


def test_solve_is_resumed(tmp_path):
    out_file = tmp_path / "l.h5"
    command = [sys.executable, "-m", "cfr", "solve", "leduc", "--minutes", "5", "--seed", "7", "--out", str(out_file)]
    with subprocess.Popen([*command, "--progress"], stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        seen = b""
        while b"solving" not in seen:
            seen += os.read(process.stderr.fileno(), 4096)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    last = err.decode().splitlines()[-1]
    kept = re.search(r"stopped after ([\d,]+) iterations; continue with: cfr solve --resume (\S+)$", last)
    assert kept is not None
    assert not out_file.exists()
    done = int(kept[1].replace(",", ""))
    again = shell("solve", "--resume", kept[2], "--iterations", done + 10, "--json")
    assert again.returncode == 0
    result = json.loads(again.stdout)
    assert (result["file"], result["seed"], result["iterations"]) == (str(out_file), 7, done + 10)
    straight = tmp_path / "straight.h5"
    shell("solve", "leduc", "--iterations", done + 10, "--seed", 7, "--out", straight)
    with open_file(out_file) as one, open_file(straight) as two:
        assert one.attrs["checksum"] == two.attrs["checksum"]


def test_query_is_what_the_strategy_says(run, leduc):
    with Strategy.open(leduc) as strategy:
        shares = strategy.probabilities("Ks", "Ah", "rc/c")
    code, out, _ = run("query", leduc, "--hand", "Ks", "--board", "Ah", "--line", "rc/c", "--json")
    assert code == 0
    answer = json.loads(out)
    reach = answer.pop("reach")
    assert answer == {"hand": "Ks", "board": "Ah", "line": "rc/c", **shares, "played": reach > 0}
    with Strategy.open(leduc) as strategy:
        spot = strategy.range("Ah", "rc/c")
    assert reach == spot.reach[spot.hands.tolist().index("Ks")]
    assert set(shares) == {"call", "raise"}
    code, out, _ = run("query", leduc, "--hand", "Ks")
    assert re.fullmatch(r".* to act preflop, pot 2 \(2 bb\)\ncheck \d\.\d{3}  bet \d\.\d{3}  reach 1\.000\n", out)
    code, out, _ = run("query", "uniform", "--hand", "AsKh", "--line", "r")
    assert out == (
        "big blind facing a raise preflop, pot 30 (3 bb)\nfold 0.333  call 0.333  raise 0.333  reach 1.000\n"
    )


@pytest.mark.parametrize("name", ["AKs", "aks", "KAS", "109o", "77"])
def test_a_class_is_the_mean_of_its_hands(run, name):
    """By their reach: of a class of which no hand is there, the plain mean."""
    named = {"aks": "AKs", "KAS": "AKs", "109o": "T9o"}.get(name, name)
    with Strategy.open() as strategy:
        table = strategy.range("Td9d6h", "rc/cr").by_class()
    place = table.hands.tolist().index(named)
    answer = json.loads(run("query", "--hand", name, "--board", "Td9d6h", "--line", "rc/cr", "--json")[1])
    assert answer["hand"] == named
    assert answer["reach"] == pytest.approx(table.reach[place])
    if table.reach[place]:
        mix = [answer[action] for action in ("fold", "call", "raise")]
        assert mix == pytest.approx(table.frequencies[place].tolist())
    assert answer["played"] == (table.reach[place] > 0)


def test_spots_as_people_write_them(run):
    wanted = run("query", "--hand", "KdJh", "--board", "Td9d6h", "--line", "rc/cr", "--json")
    for spot in (
        ("K\u2666J\u2665", "10d9d6h", "raise call check bet"),
        ("kd jh", "10\u26669\u26666\u2665", "RC/KB"),
        ("KD,JH", "td 9d 6h", "r c x b"),
    ):
        hand, board, line = spot
        assert run("query", "small", "--hand", hand, "--board", board, "--line", line, "--json") == wanted


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


def test_query_says_that_a_mix_is_never_played(run):
    """The supplied strategy raises AsKh again before the flop, so the hand never calls there."""
    never = ("query", "--hand", "AsKh", "--board", "Td9d6h", "--line", "rc/cr")
    lines = run(*never)[1].splitlines()
    assert lines[1].endswith("  never played")
    assert lines[2] == "reach 0: the strategy never comes here with AsKh; this is what it would do"
    answer = json.loads(run(*never, "--json")[1])
    assert (answer["reach"], answer["played"]) == (0, False)
    there = ("query", "--hand", "KdJh", "--board", "Td9d6h", "--line", "rc/cr")
    assert re.search(r"  reach 0\.\d{3}$", run(*there)[1].splitlines()[1])
    assert json.loads(run(*there, "--json")[1])["played"] is True


RIVER = ("--board", "2c2d2h9sJc", "--line")  # where the last deuce wins


def test_query_and_export_show_bars(run):
    spot = ("uniform", *RIVER, "cc/cc/cc/")
    for command in (("query", *spot, "--hand", "2sAc", "--ev"), ("export", *spot)):
        assert run(*command)[2] == ""  # stderr is no terminal
        assert re.search(r"expected values: .*boards/s\]", run(*command, "--progress")[2]) is not None


def test_wide_equity_shows_a_bar(run, monkeypatch):
    """One that would take long; the result is the same with it and without."""
    monkeypatch.setattr("cfr.hands.equity._PATIENCE", 0)
    asked = ("equity", "QQ+", "AKs,JTs", "--board", "Td9d6h")
    plain = run(*asked)
    barred = run(*asked, "--progress")
    assert plain[1:] == (barred[1], "")
    assert re.search(r"equity: .*boards/s\]", barred[2]) is not None


def test_query_says_what_actions_win(run):
    _, out, _ = run("query", "always-call", "--hand", "2sAc", *RIVER, "cc/cc/cc/", "--ev")
    assert out == (
        "big blind to act on the river, board 2c2d2h9sJc, pot 20 (2 bb)\ncheck 1.000  bet 0.000  reach 1.000\n"
        "EV: check +1000.0 mbb  bet +3000.0 mbb\n"
        "the hand: +1000.0 mbb (+1.000 big blinds), equity 100.00 %\n"
        "another action wins more than the play: The strategy is no equilibrium: it was not solved long enough, "
        "or is a rule.\n"
    )


@pytest.mark.parametrize(
    ("line", "reach", "reason"),
    [("cc/cc/cc/r", 1, "no hand that is left"), ("cc/cc/cc/rr", 0, "the strategy does not come here")],
)
def test_query_marks_what_is_unreached(run, line, reach, reason):
    question = ("query", "always-call", "--hand", "AdAh", *RIVER, line, "--ev")
    assert f"\nno EV: {reason}" in run(*question)[1]
    answer = json.loads(run(*question, "--json")[1])
    assert answer["reach"] == reach
    assert [answer[name] for name in ("ev", "equity", "ev_fold", "ev_call", "ev_raise")] == [None] * 5


def test_info_shows_all_attributes(run, leduc):
    code, out, _ = run("info", leduc, "--verify", "--json")
    assert code == 0
    values = json.loads(out)
    with open_file(leduc) as file:
        assert set(file.attrs) <= set(values)
    assert values["iterations"] == 50
    assert values["rows"] == [3, 15]
    assert values["verified"] is True
    assert "iterations         50" in run("info", leduc)[1]


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
    assert run("chart", "uniform", "--out", picture) == (0, "", "")
    assert picture.read_text().startswith("<svg")


def test_chart_of_expected_values(run, tmp_path):
    asked = ("chart", "uniform", *RIVER, "cc/cc/cc/", "--ev")
    _, out, err = run(*asked)
    assert re.search(r"^EV in big blinds per hand, mean [+-]\d\.\d\d ", out, re.MULTILINE)
    assert err == ""
    picture = tmp_path / "x.svg"
    code, out, err = run(*asked, "--out", picture, "--progress")
    assert (code, out) == (0, "")
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
    assert re.fullmatch(r"\S+ mbb/g, no 95 % interval, over 1 hand\n", said)


def test_equity(run):
    code, out, _ = run("equity", "AhKh", "QcQd", "--board", "Qh7h2s4c", "--json")
    assert code == 0
    assert json.loads(out) == {"win": 7, "lose": 37, "tie": 0, "equity": pytest.approx(7 / 44)}
    text = run("equity", "AhKh", "QcQd", "--board", "Qh7h2s4c")[1]
    assert "7 outs of 44 cards" in text
    assert "15.9 % with the next card" in text


def test_play_reads_answers(leduc):
    done = shell("play", leduc, "--hands", 2, "--seed", 1, input="c\nc\nc\nc\nc\nc\nc\nc\n")
    assert done.returncode == 0
    assert "hand 2" in done.stdout
    assert "in 2 hands" in done.stdout
    assert shell("play", leduc, input="").returncode == 0


BAD_INPUT = [
    (["quer"], "did you mean query?"),
    (["query", "--bord", "x"], "--hand"),
    (["query", "--hand", "AsKh", "--bord", "x"], "unrecognized arguments: --bord; did you mean --board?"),
    (["query", "--hand", "AsKh", "--line", "rais call"], "'rais' at position 1 is no action; did you mean raise?"),
    (["query", "--hand", "AsKh", "--line", "rc"], "after line 'rc' there are 3; add 3 to the board"),
    (["query", "--hand", "AK"], "add s or o: AKs or AKo"),
    (["chart", "--color", "alway"], "did you mean always?"),
    (["nothing"], "invalid choice"),
    (["query", "uniform"], "--hand"),
    (["query", "uniform", "--hand", "AsK"], "position 4"),
    (["query", "uniform", "--hand", "AsXd"], "'X' at position 3 is not a rank"),
    (["query", "uniform", "--hand", "AsAs"], "twice"),
    (["query", "uniform", "--hand", "AsKhQd"], "2 different cards, not 3"),
    (["query", "uniform", "--hand", "AsKh", "--board", "Td9d6h"], "3 cards"),
    (["query", "uniform", "--hand", "AsKh", "--board", "Td9d", "--line", "cc/"], "2 cards"),
    (["query", "uniform", "--hand", "AsKh", "--board", "Td9dTd", "--line", "cc/"], "twice"),
    (["query", "uniform", "--hand", "AsKh", "--board", "Td9dAs", "--line", "cc/"], "As is on the board"),
    (["query", "uniform", "--hand", "AsKh", "--line", "rrrr"], "position 4"),
    (["query", "uniform", "--hand", "AsKh", "--line", "cq"], "'cq' at position 1"),
    (["query", "uniform", "--hand", "AsKh", "--line", "f"], "the hand is over"),
    (["query", "uniform", "--hand", "AsKh", "--ev"], "no stored expected values"),
    (["chart", "uniform", "--ev"], "no stored expected values; `cfr exploit FILE --save`"),
    (["chart", "uniform", "--out", "x.pdf"], ".svg or .png"),
    (["chart", "LEDUC", "--out", "x.svg"], "not hold'em's"),
    (["query", "LEDUC", "--hand", "2c"], "the deck of leduc"),
    (["info", "uniform"], "built in"),
    (["solve", "poker"], "unknown game 'poker'"),
    (["solve", "BROKEN"], "blind is missing"),
    (["solve", "leduc", "--preset", "quick"], "presets are for hold'em-like games; for leduc say"),
    (["solve", "leduc", "--buckets", "10"], "leduc"),
    (["solve", "hulhe", "--buckets", "1,2,\u00b2"], "place 3"),
    (["solve", "hulhe", "--buckets", "1,2"], "2 entries"),
    (["solve", "hulhe", "--buckets", "lossless"], "too large"),
    (["solve", "--target", "5", "--target-flops", "1"], "at least 2"),
    (["solve", "--minutes", "inf"], "above 0"),
    (["solve", "--minutes", "soon"], "above 0"),
    (["solve", "--iterations", "0"], "at least 1"),
    (["solve", "--threads", "9999"], "from 1 to 256"),
    (["solve", "--seed", "-1"], "at least 0"),
    (["solve", "leduc", "--resume", "x.checkpoint", "--seed", "1"], "leave out GAME, --seed"),
    (["match", "LEDUC", "KUHN", "--hands", "2"], "different games"),
    (["match", "random", "uniform", "--hands", "3", "--duplicate"], "even"),
    (["equity", "AhKh", "QQ", "--board", "Qd"], "1 card"),
    (["equity", "AhKh", "QQ+,AXs"], "position 5"),
    (["equity", "AhKh", "AhQh"], "dealt together"),
]
FAILURES = [
    (["query", "no.h5", "--hand", "AsKh"], "no.h5: No such file"),
    (["query", "BROKEN", "--hand", "AsKh"], "truncated or foreign"),
    (["query", "SHORT", "--hand", "As"], "truncated or foreign"),
    (["info", "FLIPPED", "--verify"], "damaged"),
    (["solve", "leduc", "--out", "no/l.h5"], "there is no folder no"),
    (["solve", "leduc", "--out", "."], "Is a directory"),
    (["solve", "--resume", "no.checkpoint"], "No such file"),
    (["solve", "--resume", "LEDUC"], "not a readable checkpoint"),
    (["chart", "uniform", "--out", "no/x.svg"], "cannot write no/x.svg"),
    (["match", "random", "uniform", "--hands", "2", "--log", "no/log"], "no/log: No such file"),
]


@pytest.fixture(scope="module")
def files(leduc, tmp_path_factory):
    """The files that the lists of mistakes speak of."""
    folder = tmp_path_factory.mktemp("files")
    found = {name: folder / name.lower() for name in ("BROKEN", "SHORT", "FLIPPED", "KUHN")}
    found["BROKEN"].write_text("GAMEDEF\nlimit\nnumPlayers = 2\nnumRounds = 9\nEND GAMEDEF\n")
    with open(leduc, "rb") as file:
        whole = file.read()
    found["SHORT"].write_bytes(whole[: len(whole) // 2])
    with open_file(leduc) as file:
        place = file["rounds/1/probabilities"].id.get_chunk_info(0).byte_offset
    found["FLIPPED"].write_bytes(whole[: place + 8] + bytes([whole[place + 8] ^ 255]) + whole[place + 9 :])
    assert main(["solve", "kuhn", "--iterations", "1", "--out", str(found["KUHN"]), "--json"]) == 0
    return {"LEDUC": leduc, **{name: str(path) for name, path in found.items()}}


@pytest.mark.parametrize(
    ("arguments", "says", "expected"),
    [(*case, 2) for case in BAD_INPUT] + [(*case, 1) for case in FAILURES],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_mistakes_are_one_line(run, files, tmp_path, monkeypatch, arguments, says, expected):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*(files.get(argument, argument) for argument in arguments))
    assert code == expected
    assert out == ""
    assert says in err
    assert err.startswith("cfr")
    assert len(err.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_a_full_disk_leaves_the_old_file(run, leduc, tmp_path, monkeypatch):
    old = tmp_path / "l.h5"
    old.write_bytes(b"old")

    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("cfr.strategy.file.create_array", full)
    code, _, err = run("solve", "leduc", "--iterations", 1, "--out", old, "--overwrite")
    assert code == 1
    assert err.splitlines()[-1] == f"cfr: cannot write {old}: the disk is full; the old file, if any, is untouched"
    assert [path.name for path in tmp_path.iterdir()] == ["l.h5"]
    assert old.read_bytes() == b"old"


def test_no_memory_and_ctrl_c(run, monkeypatch):
    for error, code, says in (
        (MemoryError(), 1, "cfr: not enough memory\n"),
        (KeyboardInterrupt(), 130, "cfr: stopped\n"),
    ):

        def fail(name, error=error):
            raise error

        monkeypatch.setattr("cfr.cli.flags.open_strategy", fail)
        assert run("query", "uniform", "--hand", "AsKh") == (code, "", says)


def test_a_reader_that_leaves_is_no_error():
    process = subprocess.Popen([sys.executable, "-m", "cfr", "games"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    with process.stderr:
        assert process.stderr.read() == b""
    assert process.wait() == 1


def test_help_everywhere(run):
    code, out, _ = run("--help")
    assert code == 0
    commands = re.findall(r"^    (\w+) ", out, re.MULTILINE)
    assert {"solve", "query", "chart", "info", "play", "match", "equity", "games"} <= set(commands)
    for command in commands:
        code, out, _ = run(command, "--help")
        assert code == 0
        assert "example: cfr " in out
    assert run("--version")[1].startswith("cfr ")


def test_a_query_imports_only_what_it_needs(leduc):
    """Which is why it is quick: benchmarks/query.py says how much."""
    code = f"import sys; from cfr.cli.main import main; main(['query', {leduc!r}, '--hand', 'Ks']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"cfr.solver.solve", "cfr.kernel.traversal", "cfr.study.text_chart", "tqdm", "sklearn"}
    assert not loaded & {"asyncio", "concurrent.futures", "cfr.cli.serve", "cfr.kernel.schedules", "numpy.ma"}


def test_a_command_is_found_in_its_module_alone(monkeypatch):
    for module, names in COMMANDS.items():
        added = []
        monkeypatch.setattr(
            "cfr.cli.main.import_module", lambda name, added=added: added.append(name) or import_module(name)
        )
        for name in names:
            [commands] = [each for each in _parser(name)._actions if isinstance(each, argparse._SubParsersAction)]
            assert list(commands.choices) == [*names, "help"]
        assert set(added) == {f"cfr.cli.{module}"}
