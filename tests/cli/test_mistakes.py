"""Mistakes and failures are one line, and nothing is lost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cfr.cli.main import main
from cfr.strategy.files.file import open_file
from tests.thorough import thorough

RIVER = ["--board", "Td9d6hQc2s", "--line", "rc/crc/cc/"]
BAD_INPUT = [
    (["exploit", "LEDUC", "--flops", "3"], "flops: 3; there are 3: say all for all of them"),
    (["quer"], "did you mean query?"),
    (["query", "--bord", "x"], "unrecognized arguments: --bord; did you mean --board?; see cfr query --help"),
    (["query", "AKs"], "required: --hand; did you mean --hand AKs?; see cfr query --help"),
    (["query", "--line", "r"], "required: --hand; example: cfr query --hand AsKh --line r; see cfr query --help"),
    (
        ["match", "small", "random", "200"],
        "unrecognized arguments: 200; did you mean --hands 200?; see cfr match --help",
    ),
    (["serve", "8080"], "; did you mean --port 8080?"),
    (["match", "small", "--hand=9"], "required: B; example: cfr match small always-call --hands 10000 --duplicate;"),
    (["query", "--hand", "AsKh", "--bord", "x"], "unrecognized arguments: --bord; did you mean --board?"),
    (["query", "--hand", "AsKh", "--line", "rais call"], "'rais' at position 1 is no action; did you mean raise?"),
    (["query", "--hand", "AsKh", "--line", "rc"], "after line 'rc' there are 3; add 3 to the board"),
    (["query", "--hand", "AK"], "add s or o: AKs or AKo"),
    (
        ["query", "--hand", "QQ+"],
        "hand 'QQ+': a range; expected one hand, such as AsKh, or one class, such as AKs",
    ),
    (["query", "--hand", "AKs,77"], "hand 'AKs,77': a range; expected one hand"),
    (["chart", "--color", "alway"], "did you mean always?"),
    (["lookup"], "'lookup' is no command; commands are solve, spot, refine, query, "),
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
    (["chart", "LEDUC", "--out", "x.svg"], "not of two cards"),
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
    (["solve", "leduc", "--target", "5", "--target-flops", "9"], "is measured on so many flops; leave it out"),
    (["solve", "--preset", "quick", "--target-flops", "9"], "so many flops; add --target, or leave it out"),
    (["solve", "leduc", "--warm-up", "0.1"], "only schedule cfr-br has a warm-up; leave it out"),
    (["solve", "--schedule", "cfr+", "--warm-up", "0.1"], "only schedule cfr-br has a warm-up; leave it out"),
    (["solve", "--minutes", "inf"], "above 0"),
    (["solve", "--minutes", "soon"], "above 0"),
    (["solve", "--iterations", "0"], "at least 1"),
    (["solve", "--threads", "9999"], "from 1 to 4096"),
    (["solve", "--seed", "-1"], "at least 0"),
    (["solve", "leduc", "--resume", "x.checkpoint", "--seed", "1"], "leave out GAME, --seed"),
    (["match", "LEDUC", "KUHN", "--hands", "2"], "different games"),
    (["match", "random", "uniform", "--hands", "3", "--duplicate"], "even"),
    (["match", "random", "uniform", "--hands", "2", "--log", "LOG"], "say --resume, --overwrite or another file"),
    *(
        (words, "spot.h5: a solution of one spot; expected a strategy of a whole game, such as small")
        for words in (
            *(["play", "SPOT"], ["train", "SPOT"], ["exploit", "SPOT"], ["exploit", "SPOT", "--flops", "2"]),
            *(["versus", "SPOT", "always-call"], ["versus", "small", "SPOT", "--flops", "2"]),
        )
    ),
    (["exploit", "RIVERLESS"], "riverless.h5: its last round is left out (cfr solve --no-without-rivers keeps it)"),
    (["match", "SPOT", "uniform", "--hands", "2"], "a solution of one spot"),
    (["spot", *RIVER, "--exploit", "small+river"], "leave out +river"),
    (["spot", *RIVER, "--exploit", "always-call"], "the button never comes there by its strategy"),
    (["spot", *RIVER, "--lock", "r[QcQd]:raise=1"], "no hand of it is in the range that decides there"),
    (["spot", *RIVER, "--lock", "x:fold=0.4"], "with a line of f, c and r"),
    (["spot", "kuhn", "--board", "", "--pot", "2"], "kuhn deals no board"),
    (["spot", *RIVER, "--lock", "r:fold=140%"], "expected a share from 0 to 1, or in percent"),
    (["spot", "small", *RIVER], "small is a strategy, not a game; say --strategy small"),
    (
        ["spot", "hulhe", "rc/crc/", "--board", "Td9d6hQc"],
        "unrecognized arguments: rc/crc/; did you mean --line rc/crc/?",
    ),
    (["spot", "--board", "Td9d6hQc", "--pot", "6bb"], "'6bb'; expected a whole number of chips of at least 1"),
    (["spot", "--board", "Td9d6hQc", "--pot", "6"], "pots are 20, 40, 60,"),
    (["spot", "--board", "Td9d6hQc", "--pot", "6"], " chips, of which the big blind is 10"),
    (["query", "LEDUC", "--hand", "KsQs"], "a hand of leduc has 1 card, not 2"),
    (["query", "uniform", "--hand", "AsKh", "--board", "rc/"], "board 'rc/': a betting line; the board comes first"),
    (["equity", "AhKh", "QQ", "--board", "Qd"], "1 card"),
    (["equity", "AhKh"], "1 hand or range; expected two, such as AhKh QQ+"),
    (
        ["equity", "AhKh", "QcQd", "Qh7h2c"],
        "3 hands or ranges; expected two, such as AhKh QQ+; the board's cards go with",
    ),
    (["equity", "AhKh", "QQ+,KXs"], "position 5"),
    (["equity", "AhKh", "AhQh"], "dealt together"),
]


# Input that is missing, beside output that is there or cannot be written.
BAD_INPUT += [
    (["query", "no.h5", "--hand", "AsKh"], "no.h5: No such file"),
    (["query", "r", "--hand", "AsKh"], "r: No such file"),
    (["query", "r", "--hand", "AsKh"], "; did you mean --line r?"),
    (["chart", "Td9d6h"], "; did you mean --board Td9d6h?"),
    (["exploit", "leduc"], "No such file or directory; leduc is a game; cfr solve leduc writes a strategy for it"),
    (["exploit", "my.bots:Rock"], "No such file or directory; a class of your own plays in cfr match"),
    (["solve", "LEDUC"], "a strategy file, not a game; expected a .game file"),
    (["help", "board"], "help 'board': there is no such topic or command; topics are lines, cards, ranges, players"),
    (["query", "nobody", "--hand", "K"], "expected a file, or one of small, small-trunk, always-call"),
    (["solve", "--resume", "no.checkpoint"], "No such file"),
    (["review", "no.log"], "no.log: No such file"),
    (["review", "no.log", "--out", "no/x.csv"], "no.log: No such file"),
    (["review", "--db", "no.db"], "no.db: no such file"),
    (["model", "no.log", "--player", "a", "--out", "LEDUC"], "no.log: No such file"),
    (["model", "LOG", "--player", "a", "--strategy", "no.h5", "--out", "LEDUC"], "no.h5: No such file"),
    (["counter", "no.h5", "--out", "LEDUC"], "no.h5: No such file"),
    (["import", "no.csv", "--game", "leduc", "--out", "LEDUC"], "no.csv: No such file"),
    (["import", ".", "--game", "leduc", "--out", "x.h5"], "Is a directory"),
    (["export", "no.h5", "--out", "no/x.csv"], "no.h5: No such file"),
    (["chart", "no.h5", "--out", "no/x.svg"], "no.h5: No such file"),
    (["refine", "no.h5", "--out", "LEDUC"], "no.h5: No such file"),
    (
        ["spot", "--board", "Td9d6h2c5s", "--line", "rc/cc/cc/", "--strategy", "no.h5", "--out", "LEDUC"],
        "no.h5: No such",
    ),
    (["plot", "no.csv", "--out", "no/x.svg"], "no.csv: No such file"),
    (["play", "no.h5"], "no.h5: No such file"),
    (["exploit", "no.h5"], "no.h5: No such file"),
    (["versus", "no.h5", "small"], "no.h5: No such file"),
    (["info", "no.h5"], "no.h5: No such file"),
    (["match", "no.h5", "small", "--hands", "2"], "no.h5: No such file"),
    *(
        (["solve", name], f"there is no file {name}; bundled games are kuhn, leduc, ")
        for name in ("no.game", "no/hulhe", "./leduc.txt")
    ),
    (["match", "uniform", "random", "--hands", "2", "--game", "no.game"], "there is no file no.game; bundled"),
    (["match", "no.py", "uniform", "--hands", "2"], "player no.py: there is no file no.py; expected FILE.py:Class"),
    (["match", "no.py:X", "uniform", "--hands", "2"], "player no.py:X: there is no file no.py; expected FILE.py:Class"),
    (
        ["import", "no.py", "--game", "kuhn", "--out", "x.h5"],
        "strategy no.py: there is no file no.py; expected FILE.py",
    ),
    (["chart", "--seat", "X"], "unrecognized arguments: --seat; see cfr chart --help"),
    (["chart", "--jason"], "unrecognized arguments: --jason; did you mean --json?"),
]
FAILURES = [
    (["query", "BROKEN", "--hand", "AsKh"], "truncated or foreign"),
    (["query", "SHORT", "--hand", "As"], "truncated or foreign"),
    (["info", "FLIPPED", "--verify"], "damaged"),
    (["solve", "leduc", "--out", "no/l.h5"], "there is no folder no"),
    (["solve", "leduc", "--out", "."], "Is a directory"),
    (["solve", "--resume", "LEDUC"], "not a readable checkpoint"),
    (["chart", "uniform", "--out", "no/x.svg"], "cannot write no/x.svg"),
    (["review", "LOG", "--out", "no/x.csv"], "cannot write no/x.csv: there is no folder no"),
    (["match", "random", "uniform", "--hands", "2", "--log", "no/log"], "cannot write no/log: there is no folder no"),
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
    found |= {"LOG": folder / "some.log", "SPOT": folder / "spot.h5"}
    found["LOG"].write_text("STATE:0:c:\n")
    found["RIVERLESS"] = folder / "riverless.h5"
    words = ["solve", "leduc", "--lossless", "--without-rivers", "--iterations", "1", "--out", str(found["RIVERLESS"])]
    assert main([*words, "--json"]) == 0
    assert main(["spot", *RIVER, "--iterations", "1", "--out", str(found["SPOT"]), "--json"]) == 0
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

    monkeypatch.setattr("cfr.strategy.files.file.create_array", full)
    code, _, err = run("solve", "leduc", "--iterations", 1, "--out", old, "--overwrite")
    assert code == 1
    assert err.splitlines()[-1] == f"cfr: cannot write {old}: the disk is full; the old file, if any, is untouched"
    assert [path.name for path in tmp_path.iterdir()] == ["l.h5"]
    assert old.read_bytes() == b"old"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("unbuffered", ["", *thorough("1")])
@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["games", "--json"], "standard output"),
        (["solve", "--help"], "standard output"),
        *thorough((["--version"], "standard output"), ([], "standard output")),
        (["match", "random", "random", "--hands", "2", "--log", "/dev/full"], "/dev/full"),
    ],
)
def test_a_full_disk_is_named(words, name, unbuffered):
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "cfr", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, f"cfr: cannot write {name}: the disk is full\n")


def test_nobody_hears_of_a_mistake_where_stderr_is_full():
    if not Path("/dev/full").exists():
        pytest.skip("no device that is always full")
    with open("/dev/full", "w") as full:
        words = [sys.executable, "-m", "cfr", "info", "no.h5"]
        assert subprocess.run(words, stderr=full, check=False).returncode == 2


def test_no_memory_and_ctrl_c(run, monkeypatch):
    for error, code, says in (
        (MemoryError(), 1, "cfr: not enough memory\n"),
        (KeyboardInterrupt(), 130, "cfr: stopped\n"),
    ):

        def fail(name, error=error):
            raise error

        monkeypatch.setattr("cfr.cli.flags.open_strategy", fail)
        assert run("query", "uniform", "--hand", "AsKh") == (code, "", says)


@pytest.mark.parametrize(
    "words", [["games"], ["--help"], ["match", "random", "random", "--hands", "9", "--log", "/dev/stdout"]]
)
def test_a_reader_that_leaves_is_no_error(words):
    process = subprocess.Popen([sys.executable, "-m", "cfr", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    with process.stderr:
        assert process.stderr.read() == b""
    assert process.wait() == 1
