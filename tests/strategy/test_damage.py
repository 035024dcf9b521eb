"""One flipped bit anywhere in a file: every command answers as before, or ends in one line with the path.

A handful by default; `pytest -m slow tests/strategy/test_damage.py` tries 500 of each kind of file.
"""

import shutil

import numpy as np
import pytest

from cfr.abstraction.abstraction import Abstraction
from cfr.cli.main import main
from cfr.game.rules import Game
from cfr.strategy.files.file import set_attributes, verify
from cfr.strategy.files.stored import Strategy
from cfr.system.errors import DamagedFileError
from tests.conftest import save_random
from tests.damage import FEW, FLIPS, answered, chunks, contents, flip, flips, within

SPOT = ["--board", "Td9d6hQc2s", "--line", "rc/crc/cc/"]
GAME = [
    ["info", "FILE", "--json"],
    ["query", "FILE", "--hand", "Ks", "--json"],
    ["query", "FILE", "--hand", "Ks", "--board", "Ah", "--line", "rc/c", "--json"],
    ["export", "FILE", "--line", "rc/", "--board", "Qh", "--no-ev"],
    ["match", "FILE", "uniform", "--hands", "20", "--seed", "1", "--json"],
    ["info", "FILE", "--verify", "--json"],
]
COMMANDS = {
    "game": GAME,
    "coded": GAME,
    "spot": [
        ["info", "FILE", "--json"],
        ["query", "FILE", "--hand", "Js8s", *SPOT, "--json"],
        ["export", "FILE", *SPOT, "--no-ev"],
        ["info", "FILE", "--verify", "--json"],
    ],
}


@pytest.fixture(scope="module")
def whole(request, tmp_path_factory):
    """A small strategy file with opening values, of probabilities or of codebooks, or one of a spot."""
    path, game = tmp_path_factory.mktemp("whole") / "x.h5", Game.bundled("leduc")
    if request.param == "spot":
        how = ["--strategy", "uniform", "--button", "QQ+,AK,J8s", "--bb", "TT+,AQ,J8s", "--iterations", "3"]
        assert main(["spot", *SPOT, *how, "--threads", "1", "--out", str(path)]) == 0
        return request.param, path
    save_random(path, game, Abstraction.lossless(game), 3)
    if request.param == "coded":
        solved = [
            "solve",
            "leduc",
            "--iterations",
            "20",
            "--compact",
            "--threads",
            "1",
            "--overwrite",
            "--out",
            str(path),
        ]
        assert main(solved) == 0
    with Strategy.open(path) as strategy:
        shape = (2, len(strategy.betting.rounds[0].leaves), game.num_hands)
    set_attributes(path, {"exploitability_mbb": 12.5}, np.random.default_rng(0).random(shape))
    return request.param, path


def damage_is_never_silent(whole, folder, capsys, count):
    kind, source = whole
    path = folder / "x.h5"
    shutil.copy(source, path)
    asked = [[str(path) if word == "FILE" else word for word in command] for command in COMMANDS[kind]]
    expected = [answered(capsys, command) for command in asked]
    assert all(code == 0 for code, _, _ in expected)
    truth, arrays = contents(path), chunks(path)
    hit = same = 0
    for place, bit in flips(source, count, 1):
        flip(source, path, place, bit)
        for command, before in zip(asked, expected, strict=True):
            code, out, err = answered(capsys, command)
            if code:
                assert (code, out, err.count("\n")) == (1, "", 1), (place, bit, command, err)
                assert str(path) in err, (place, bit, command, err)
            else:
                assert (code, out, err) == before, (place, bit, command)
        hit += within(place, arrays)
        try:
            verify(path)
        except DamagedFileError:
            continue
        same += within(place, arrays)
        assert contents(path) == truth, (place, bit)
    assert hit
    # Of a compressed block some bits say nothing: when it was made, and what fills its last byte.
    assert same <= hit // 10


@pytest.mark.parametrize("whole", COMMANDS, indirect=True)
def test_a_flipped_bit_in_a_strategy_file(whole, tmp_path, capsys):
    damage_is_never_silent(whole, tmp_path, capsys, FEW if whole[0] == "game" else FEW // 4)


@pytest.mark.slow
@pytest.mark.parametrize("whole", COMMANDS, indirect=True)
def test_five_hundred_flipped_bits_in_a_strategy_file(whole, tmp_path, capsys):
    damage_is_never_silent(whole, tmp_path, capsys, FLIPS)
