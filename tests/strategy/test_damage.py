"""One flipped bit anywhere in a file: every command answers as before, or ends in one line with the path.

A handful by default; `pytest -m slow tests/strategy/test_damage.py` tries 500 of a strategy file and 300 of
each kind of checkpoint.
"""

import random
import shutil
import signal

import h5py
import numpy as np
import pytest

from cfr.abstraction.abstraction import Abstraction
from cfr.cli.main import main
from cfr.game.rules import Game
from cfr.solver import checkpoint
from cfr.solver.state import Run
from cfr.strategy.file import set_attributes, verify
from cfr.strategy.stored import Strategy
from cfr.system.errors import DamagedFileError
from tests.conftest import save_random

FEW, FLIPS, CHECKPOINT_FLIPS = 25, 500, 300
COMMANDS = [
    ["info", "FILE", "--json"],
    ["query", "FILE", "--hand", "Ks", "--json"],
    ["query", "FILE", "--hand", "Ks", "--board", "Ah", "--line", "rc/c", "--json"],
    ["export", "FILE", "--line", "rc/", "--board", "Qh", "--no-ev"],
    ["match", "FILE", "uniform", "--hands", "20", "--seed", "1", "--json"],
    ["info", "FILE", "--verify", "--json"],
]
KINDS = {
    "cfr+": ["leduc"],
    "dcfr": ["leduc", "--schedule", "dcfr"],
    "pcfr+": ["leduc", "--schedule", "pcfr+"],
    "kuhn": ["kuhn"],
}


def flips(path, count, seed):
    """Places spread over the whole file, a random one in each part, and a bit."""
    size, rng = path.stat().st_size, random.Random(seed)
    for k in range(count):
        yield rng.randrange(k * size // count, max(k * size // count + 1, (k + 1) * size // count)), rng.randrange(8)


def flip(source, target, place, bit):
    content = bytearray(source.read_bytes())
    content[place] ^= 1 << bit
    target.write_bytes(content)


def contents(path):
    """All that can be read of a file, as plain h5py reads it."""
    found = {}
    with h5py.File(path) as file:
        for where in (file, file["abstraction"]):
            found.update({(where.name, name): str(value) for name, value in where.attrs.items()})
        file.visititems(lambda name, item: found.update({name: item[...].tobytes()} if hasattr(item, "dtype") else {}))
    return found


def answered(capsys, arguments):
    """Code, output and last line of errors of a command."""
    capsys.readouterr()
    code = main(arguments)
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A small strategy file, with opening values."""
    path, game = tmp_path_factory.mktemp("whole") / "x.h5", Game.bundled("leduc")
    save_random(path, game, Abstraction.lossless(game), 3)
    with Strategy.open(path) as strategy:
        shape = (2, len(strategy.betting.rounds[0].leaves), game.num_hands)
    set_attributes(path, {"exploitability_mbb": 12.5}, np.random.default_rng(0).random(shape))
    return path


def damage_is_never_silent(whole, folder, capsys, count):
    path = folder / "x.h5"
    shutil.copy(whole, path)
    asked = [[str(path) if word == "FILE" else word for word in command] for command in COMMANDS]
    expected = [answered(capsys, command) for command in asked]
    assert all(code == 0 for code, _, _ in expected)
    truth, found = contents(path), 0
    for place, bit in flips(whole, count, 1):
        flip(whole, path, place, bit)
        for command, before in zip(asked, expected, strict=True):
            code, out, err = answered(capsys, command)
            if code:
                assert (code, out, err.count("\n")) == (1, "", 1), (place, bit, command, err)
                assert str(path) in err, (place, bit, command, err)
            else:
                assert (code, out, err) == before, (place, bit, command)
        try:
            verify(path)
        except DamagedFileError:
            found += 1
        else:
            assert contents(path) == truth, (place, bit)
    assert found  # of few bits it may be one


def test_a_flipped_bit_in_a_strategy_file(whole, tmp_path, capsys):
    damage_is_never_silent(whole, tmp_path, capsys, FEW)


@pytest.mark.slow
def test_five_hundred_flipped_bits_in_a_strategy_file(whole, tmp_path, capsys):
    damage_is_never_silent(whole, tmp_path, capsys, FLIPS)


def unfinished(out, arguments):
    """A checkpoint after three iterations."""
    step = Run.step

    def stopping(run, most):
        done = step(run, 1)
        if run.iterations == 3:
            signal.raise_signal(signal.SIGINT)
        return done

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Run, "step", stopping)
        assert main(["solve", *arguments, "--threads", "1", "--out", str(out)]) == 130
    return checkpoint.path_for(out)


def checkpoints_are_never_misread(arguments, folder, capsys, count):
    out = folder / "x.h5"
    kept = unfinished(out, arguments)
    whole = folder / "whole"
    shutil.copy(kept, whole)
    again = ["solve", "--resume", str(kept), "--iterations", "4", "--threads", "1"]
    assert main(again) == 0
    truth, found = contents(out), 0
    for place, bit in flips(whole, count, 2):
        flip(whole, kept, place, bit)
        out.unlink(missing_ok=True)
        code, _, err = answered(capsys, again)
        last = err.splitlines()[-1]
        if code:
            assert code == 1, (place, bit, err)
            assert last.startswith(f"cfr: {kept}: "), (place, bit, err)
            assert "Traceback" not in err
            found += 1
        else:
            same = contents(out)
            assert {k: v for k, v in same.items() if k[1] not in ("seconds", "created", "attributes_checksum")} == {
                k: v for k, v in truth.items() if k[1] not in ("seconds", "created", "attributes_checksum")
            }, (place, bit)
    assert found  # of few bits it may be one


@pytest.mark.parametrize("kind", ["dcfr", "kuhn"])
def test_a_flipped_bit_in_a_checkpoint(kind, tmp_path, capsys):
    checkpoints_are_never_misread(KINDS[kind], tmp_path, capsys, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_three_hundred_flipped_bits_in_a_checkpoint(kind, tmp_path, capsys):
    checkpoints_are_never_misread(KINDS[kind], tmp_path, capsys, CHECKPOINT_FLIPS)
