"""Flops that a file lacks are refined when a hand comes there: as ``cfr refine`` would, which takes them over."""

import json
import subprocess
import sys
from contextlib import closing
from shutil import rmtree

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
from cfr.strategy.files.refined_flops import RefinedFlops
from cfr.strategy.files.stored import Strategy
from tests.resolving.refined_flops import SMALL, checksum, refined

pytestmark = pytest.mark.usefixtures("folder")
HOW = ["--iterations", "4"]


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
    refined(blueprint, *HOW, "--hours", hours, out="x.h5")


def flops():
    return [tuple(each) for each in first_boards(SMALL).cards.tolist()]


def play(strategy, board):
    """All hands' probabilities at all decisions behind all lines that enter a flop."""
    entries = [strategy.betting.entry(1, line) for line in range(strategy.betting.num_lines[1])]
    return np.array([strategy.all_hands(state, board) for entry in entries for state in entry.decisions()])


def test_it_plays_as_if_all_flops_were_refined(blueprint, one, solved):
    whole = refined(blueprint, *HOW, out="whole.h5")
    solved.clear()
    with open_named("x.h5+flop") as on_demand, open_named(whole) as expected, open_named(one) as file:
        for board in flops():
            np.testing.assert_array_equal(play(on_demand, board), play(expected, board))
        assert any((play(file, board) != play(expected, board)).any() for board in flops())
        assert on_demand.re_solves(1)
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
    with open_named("x.h5+flop") as strategy:
        assert strategy.identity == identity  # of one strategy, however many flops the file has
        np.testing.assert_array_equal(play(strategy, last), played)


def test_flops_of_play_come_first(blueprint, one, solved):
    """There is time for one flop, and a hand has come to one that is not the likeliest."""
    last = [flop for flop in flops() if format_cards(flop) not in h5py.File(one)["refined"]][-1]
    with open_named("x.h5+flop") as strategy:
        state, board = strategy.spot(format_cards(last), "rc/")
        strategy.all_hands(state, board)
    assert len(solved) == 1
    grow(blueprint, "1e-9")
    with h5py.File(one) as file:
        assert len(file["refined"]) == 2
        assert format_cards(last) in file["refined"]
    assert len(solved) == len(set(solved)) > 1


def test_a_damaged_solution_is_solved_again(one, solved, tmp_path):
    with open_named("x.h5+flop") as strategy:
        played = play(strategy, flops()[-1])
    count = len(solved)
    for path in (tmp_path / "cache" / "refined").iterdir():
        path.write_bytes(path.read_bytes()[:-30])
    with open_named("x.h5+flop") as strategy:
        np.testing.assert_array_equal(play(strategy, flops()[-1]), played)
    assert len(solved) == 2 * count


def test_few_stay_in_memory_and_the_cache_has_the_others(one, solved, monkeypatch):
    monkeypatch.setattr("cfr.resolving.flops_on_demand._HELD", 1)
    with open_named("x.h5+flop") as strategy:
        for _ in range(2):
            play(strategy, flops()[-1])
    assert len(solved) == len(set(solved)) > 1


def test_processes_play_alike(one):
    words = ["match", "x.h5+flop", "random", "--hands", "40", "--seed", "1", "--json"]
    said = []
    for count in (1, 2):
        rmtree("cache/refined", ignore_errors=True)
        found = subprocess.run(
            [sys.executable, "-m", "cfr", *words, "--processes", str(count)], capture_output=True, check=True, text=True
        )
        said.append(json.loads(found.stdout)["mbb_per_game"])
    assert said[0] == said[1]


def test_a_mix_of_it_solves_flops_too(one):
    heard = []
    with open_named("mix:x.h5+flop@0.5,x.h5") as mix:
        assert mix.re_solves(1)
        mix.hears = heard.append
        play(mix, flops()[-1])
    assert heard[:1] == [0]


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
    with Strategy("hands.h5", under_refined=True) as strategy, closing(RefinedFlops("hands.h5")) as file:
        found = RefineSettings.of_flops(file, strategy)
    assert (found.effort.iterations, found.effort.river_rows, found.takes_all) == (3, "hands", True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["exploit", "x.h5+flop"], "x.h5+flop refines every flop, which is measured by a sample of refined flops"),
        (["query", "x.h5+turn", "--hand", "Ks"], "leave out +turn; x.h5+flop also solves flops that it lacks"),
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
