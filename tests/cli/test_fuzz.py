"""Random command lines and mutated game files: an answer or one line, never a traceback, never a hang.

Some hundred by default; `pytest -m slow tests/cli/test_fuzz.py` tries 10,000 command lines and 5,000 game files.
"""

import argparse
import io
import random
import re
import signal
import sys
import time

import pytest

from cfr.cli.main import _parser, main
from cfr.game.rules import GAME_NAMES, Game
from cfr.system.errors import CfrError

FEW, COMMAND_LINES, GAME_FILES = 60, 10_000, 5_000
SECONDS = 10.0  # of the processor, after which a command hangs
BUSY = 12  # a machine that does other things takes so many times longer
CODES = {0, 1, 2, 130, 141, 143}
# What runs for ever, or long whatever it is given; these have tests of their own.
NOT_RUN = {"serve", "acpc"}
LONG = {
    "solve": ["--iterations", "2"],
    "spot": ["--dry-run"],
    "refine": ["--dry-run"],
    "match": ["--hands", "4"],
    "exploit": ["--game", "leduc"],
    "versus": ["--game", "leduc"],
    "flops": ["--preflop"],
    "export": ["--no-ev"],
}
LARGE = {"hulhe", "royal", "rhode-island", "holdem-2-1", "holdem-2-4", "flop-holdem", "small"}
VALUES = [
    "", " ", "0", "-1", "1", "2", "3", "1e9", "nan", "inf", "-inf", "0.5", "99999999999999999999", "x", "-", "--",
    "--x=--", "rc", "rc/cr", "rrrr", "f", "c/", "raise call", "Ah", "AhKh", "AhAh", "Td9d6h", "Td9d6hQc2s", "QQ+",
    "QQ+,AKs:0.5", "AA:nan", "10♠", "\udcff", "é", "a" * 5_000, "all", "off", "river", "turn", "flop", "uniform",
    "always-call", "random", "small", "leduc", "kuhn", "GAME", "FILE", "LOG", "MISSING",
    "FOLDER", "/dev/null", "quick", "dcfr",
]  # fmt: skip


def words(rng, parser, names):
    """A random command line, near to one that makes sense."""
    [commands] = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    if rng.random() < 0.03:
        return [rng.choice(VALUES) for _ in range(rng.randrange(4))]
    name = rng.choice([each for each in commands.choices if each not in NOT_RUN])
    found = [name]
    for action in commands.choices[name]._actions:
        if rng.random() > (0.8 if not action.option_strings or action.required else 0.15):
            continue
        if action.option_strings:
            found.append(rng.choice(action.option_strings))
        if action.nargs != 0:
            fits = list(action.choices) if action.choices and rng.random() < 0.8 else VALUES
            found.append(str(rng.choice(fits)))
    if rng.random() < 0.1:
        found.insert(rng.randrange(len(found) + 1), rng.choice(VALUES))
    return [names.get(each, each) for each in shortened(name, found)]


def shortened(name, found):
    """The same without what takes minutes by its nature: large games, spots, EVs, solved streets, long matches."""
    found = ["river" if each in ("turn", "flop") else each for each in found if each != "--ev"]
    if name in LONG and name not in ("export", "flops"):
        found = ["leduc" if each in LARGE else each for each in found]
    if name == "solve" and (len(found) < 2 or found[1].startswith("-")):
        found.insert(1, "kuhn")  # the game that it would take is a large one
    return found + LONG.get(name, [])


def checked(capsys, arguments):
    """Run a command in this process; returns its code."""
    capsys.readouterr()
    signal.signal(signal.SIGALRM, lambda *_: pytest.fail(f"hangs: {arguments}"))
    signal.alarm(int(BUSY * SECONDS))
    begun = time.thread_time()
    try:
        code = main(arguments)
    except SystemExit as stop:
        code = stop.code or 0
    finally:
        signal.alarm(0)
    assert time.thread_time() - begun < SECONDS, arguments
    err = capsys.readouterr().err
    assert code in CODES, (arguments, code, err)
    assert "Traceback" not in err, (arguments, err)
    if code:
        said = [line for line in err.splitlines() if line.startswith("cfr")]
        assert said, (arguments, err)
    return code


@pytest.fixture
def names(tmp_path, leduc_file, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CFR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    (tmp_path / "x.game").write_text(Game.bundled("kuhn").text())
    (tmp_path / "x.log").write_text("STATE:0:c|QQ\n")
    (tmp_path / "folder").mkdir()
    return {"GAME": "x.game", "FILE": str(leduc_file), "LOG": "x.log", "MISSING": "missing", "FOLDER": "folder"}


def command_lines(count, seed, names, capsys):
    rng, parser, codes = random.Random(seed), _parser(), set()
    for _ in range(count):
        codes.add(checked(capsys, words(rng, parser, names)))
    assert {0, 2} <= codes


def test_random_command_lines(names, capsys):
    command_lines(FEW, 1, names, capsys)


@pytest.mark.slow
def test_ten_thousand_random_command_lines(names, capsys):
    command_lines(COMMAND_LINES, 2, names, capsys)


def mutated(rng, text):
    """A game's text with a few changes."""
    lines = text.splitlines()
    for _ in range(rng.randint(1, 2)):
        at = rng.randrange(len(lines)) if lines else 0
        kind = rng.choice([0, 1, 2, 2, 2, 2, 2, 2, 3, 4, 5])
        if kind == 0 and lines:
            del lines[at]
        elif kind == 1 and lines:
            lines.insert(at, rng.choice(lines))
        elif kind == 2 and lines:
            number = rng.choice([-1, 0, 1, 2, 3, 4, 5, 6, 13, 60, 255, 10**6, 2**31, 2**64])
            parts = re.split(r"(\d+)", lines[at])
            if len(parts) > 1:
                parts[rng.randrange(1, len(parts), 2)] = str(number)
            lines[at] = "".join(parts)
        elif kind == 3 and lines:
            lines[at] = "".join(rng.sample(lines[at], len(lines[at])))
        elif kind == 4 and lines and lines[at]:
            spot = rng.randrange(len(lines[at]))
            lines[at] = (
                lines[at][:spot] + chr(rng.choice([0, 9, 32, 45, 57, 61, 127, 233, 0x2660])) + lines[at][spot + 1 :]
            )
        else:
            lines.append(
                rng.choice(["limit", "nolimit", "GAMEDEF", "END GAMEDEF", "# x", "x" * 1_000, "numPlayers = 3"])
            )
    return "\n".join(lines)


def game_files(count, seed, folder, capsys):
    rng, codes, path = random.Random(seed), set(), folder / "x.game"
    texts = [Game.bundled(name).text() for name in GAME_NAMES]
    for _ in range(count):
        text = mutated(rng, rng.choice(texts))
        path.write_text(text, "utf-8", errors="surrogateescape")
        try:
            sized = Game.find(str(path))
        except CfrError:
            sized = None
        dry = ["solve", str(path), "--dry-run", "--iterations", "1", "--threads", "1"]
        codes.add(code := checked(capsys, dry))
        assert sized is not None or code == 2, text
    assert {0, 2} <= codes


def test_mutated_game_files(tmp_path, capsys):
    game_files(FEW, 3, tmp_path, capsys)


@pytest.mark.slow
def test_five_thousand_mutated_game_files(tmp_path, capsys):
    game_files(GAME_FILES, 4, tmp_path, capsys)
