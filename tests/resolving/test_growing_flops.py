"""Flops that a file lacks are refined when a hand comes there: as ``cfr refine`` would, which takes them over."""

import json
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from cfr.cli.main import main
from cfr.game.cards import format_cards
from cfr.hands.flops import first_boards
from cfr.resolving.flop_refiner import FlopRefiner
from cfr.resolving.named_strategy import open_named
from cfr.resolving.refine_settings import RefineSettings
from cfr.strategy.files.file import set_attributes
from cfr.strategy.files.stored import Strategy
from cfr.system.disk.file_lock import Lock
from tests.resolving.refined_flops import SMALL, checksum, refined

pytestmark = pytest.mark.usefixtures("folder")
HOW = ["--iterations", "4"]
LOG = Path("x.h5.flops")


@pytest.fixture
def solved(monkeypatch):
    """The subgames of flops that are solved from now on."""
    solve, found = FlopRefiner.solve, []
    monkeypatch.setattr(
        FlopRefiner, "solve", lambda refiner, each, *hears: (found.append(each), solve(refiner, each, *hears))[1]
    )
    return found


@pytest.fixture
def one(blueprint):
    """A file with the likeliest of four flops."""
    return refined(blueprint, *HOW, "--hours", "1e-9", out="x.h5")


def grow(blueprint, hours="1000"):
    refined(blueprint, *HOW, "--hours", hours, *["--resume"] * LOG.exists(), out="x.h5")


def flops():
    return [tuple(each) for each in first_boards(SMALL).cards.tolist()]


def play(strategy, board):
    """All hands' probabilities at all decisions behind all lines that enter a flop."""
    entries = [strategy.betting.entry(1, line) for line in range(strategy.betting.num_lines[1])]
    return np.array([strategy.all_hands(state, board) for entry in entries for state in entry.decisions()])


def test_it_plays_as_if_all_flops_were_refined(blueprint, one, solved):
    whole = refined(blueprint, *HOW, out="whole.h5")
    solved.clear()
    with open_named("x.h5+flop") as growing, open_named(whole) as expected, open_named(one) as file:
        for board in flops():
            np.testing.assert_array_equal(play(growing, board), play(expected, board))
        assert any((play(file, board) != play(expected, board)).any() for board in flops())
        assert growing.re_solves(1)
        assert not expected.re_solves(1)
    assert {each.board for each in solved} < set(flops())
    with h5py.File(one) as file:
        assert len(file["refined"]) == 1


def test_nothing_is_solved_twice_and_refine_takes_it_over(blueprint, one, solved):
    expected = checksum(refined(blueprint, *HOW, "--hours", "1000", out="whole.h5"))
    solved.clear()
    last = flops()[-1]
    with open_named("x.h5+flop") as strategy:
        played = play(strategy, last)
        identity = strategy.identity
    assert {each.board for each in solved} == {last}
    count = len(solved)
    with open_named("x.h5+flop") as strategy:
        np.testing.assert_array_equal(play(strategy, last), played)
    assert len(solved) == count
    grow(blueprint)
    assert len(solved) == len(set(solved))
    assert checksum("x.h5") == expected
    assert not LOG.exists()
    with open_named("x.h5+flop") as strategy:
        assert strategy.identity == identity  # of one strategy, however many flops the file has
        np.testing.assert_array_equal(play(strategy, last), played)


def test_begun_flops_come_first_and_none_is_lost(blueprint, one, solved):
    """Two flops are begun, and there is time for one."""
    begun = [flop for flop in flops() if format_cards(flop) not in h5py.File(one)["refined"]][-2:]
    for flop in begun:
        with open_named("x.h5+flop") as strategy:
            state, board = strategy.spot(format_cards(flop), "rc/")
            strategy.all_hands(state, board)
    assert len(solved) == 2
    grow(blueprint, "1e-9")
    with h5py.File(one) as file:
        assert len(file["refined"]) == 2
        assert {format_cards(flop) for flop in begun} & set(file["refined"])
    assert LOG.exists()
    count = len(solved)
    grow(blueprint, "1e-9")
    with h5py.File(one) as file:
        assert {format_cards(flop) for flop in begun} <= set(file["refined"])
    assert not LOG.exists()
    assert len(solved) == len(set(solved)) > count


def test_while_another_process_has_the_log_play_goes_on(one, solved):
    first, last = flops()[-2:]
    with open_named("x.h5+flop") as strategy:
        with Lock(LOG, "cfr refine"):
            play(strategy, first)
            assert not LOG.exists()
        play(strategy, last)
    count = len(solved)
    with open_named("x.h5+flop") as strategy:
        play(strategy, first)
        play(strategy, last)
    assert len(solved) == count


def test_processes_share_a_log(one):
    words = ["match", "x.h5+flop", "random", "--hands", "40", "--seed", "1", "--json"]
    said = []
    for count in (1, 2):
        LOG.unlink(missing_ok=True)
        found = subprocess.run(
            [sys.executable, "-m", "cfr", *words, "--processes", str(count)], capture_output=True, check=True, text=True
        )
        said.append(json.loads(found.stdout)["mbb_per_game"])
    assert said[0] == said[1]
    assert LOG.exists()


def test_it_tells_what_share_of_a_flop_is_done(one):
    heard = []
    with open_named("x.h5+flop") as strategy:
        strategy.hears = heard.append
        play(strategy, flops()[-1])
    assert heard[0] == 0
    assert heard[-1] == 1
    assert 0 < heard[1] <= heard[2] <= 1


def test_settings_of_a_file(blueprint, one):
    refined(blueprint, "--iterations", "3", "--lines", "all", "--river-rows", "hands", out="hands.h5")
    with Strategy("hands.h5", under_refined=True) as strategy:
        found = RefineSettings.of_file(Path("hands.h5"), strategy)
    assert (found.effort.iterations, found.effort.river_rows, found.takes_all) == (3, "hands", True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["exploit", "x.h5+flop"], "x.h5+flop refines every flop; what that is worth cfr exploit x.h5 estimates"),
        (["query", "x.h5+turn", "--hand", "Ks"], "leave out +turn, or say flop, to solve other flops, too"),
    ],
)
def test_what_it_refuses(words, said, one, capsys):
    capsys.readouterr()
    assert main(words) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def test_flops_of_another_version_do_not_grow(one, capsys):
    set_attributes(one, {"refined_by": "{}"})
    capsys.readouterr()
    assert main(["query", "x.h5+flop", "--hand", "Ks"]) == 2
    assert "x.h5: its flops were refined by another version of cfr, which solves no more" in capsys.readouterr().err
