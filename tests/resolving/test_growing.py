"""A refined file that grows: flops are added, the likeliest first, and the file is the same however often it grew."""

import json
from contextlib import closing

import h5py
import numpy as np
import pytest

import cfr.system.clock
from cfr.cli.main import main
from cfr.hands.flops import first_boards
from cfr.resolving.flop_refiner import FlopRefiner
from cfr.resolving.refine_settings import RefineSettings
from cfr.strategy.files.refined_flops import RefinedFlops
from cfr.strategy.files.stored import Strategy
from tests.resolving.refined_flops import SMALL, checksum, refined

SEEDS = (0, 3)  # of samples that differ
pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """A clock on which each flop takes an hour."""
    begun, packed = [], FlopRefiner.packed

    def timed(refiner, subgame):
        if subgame.board not in begun[-1:]:
            begun.append(subgame.board)
        return packed(refiner, subgame)

    class Clock:
        monotonic = staticmethod(lambda: 3600 * len(begun))

    monkeypatch.setattr(cfr.system.clock, "time", Clock)
    monkeypatch.setattr(FlopRefiner, "packed", timed)


def flops(path):
    with h5py.File(path) as file:
        return {int(group.attrs["number"]) for group in file["refined"].values()}


def test_it_grows_to_the_file_that_is_made_at_once(blueprint, capsys):
    how = ["--iterations", "4"]
    whole = refined(blueprint, *how, out="whole.h5")
    assert len(flops(whole)) == len(first_boards(SMALL).cards) == 4
    refined(blueprint, *how, "--hours", "2", out="twice.h5")
    assert len(flops("twice.h5")) == 2
    capsys.readouterr()
    refined(blueprint, *how, "--hours", "1", out="twice.h5")
    assert "3 of 4 flops of small deck refined" in capsys.readouterr().out
    refined(blueprint, *how, "--hours", "3", out="once.h5")
    assert checksum("once.h5") == checksum("twice.h5") != checksum(whole)
    refined(blueprint, *how, "--hours", "1000", out="twice.h5")
    assert flops("twice.h5") == flops(whole)
    assert checksum("twice.h5") == checksum(whole)


def test_the_likeliest_come_first(tmp_path):
    with Strategy.open() as strategy:
        settings = RefineSettings(strategy, tmp_path / "x.h5", hours=1.0)
        share = first_boards(strategy.game).share[settings.drawn]
    assert len(share) == len(np.unique(settings.drawn)) == 1755
    assert (np.diff(share) <= 1e-12).all()
    assert share[0] > 2 * share[-1]


def test_a_second_sample_is_added(blueprint, capsys):
    """The flops are those of both samples, and the estimate takes each sample for itself."""
    how = ["--iterations", "4", "--flops", "2"]
    alone = [refined(blueprint, *how, "--seed", str(seed), out=f"{seed}.h5") for seed in SEEDS]
    both = refined(blueprint, *how, "--seed", str(SEEDS[0]), "--add", out="both.h5")
    assert checksum(both) == checksum(alone[0])
    refined(blueprint, *how, "--seed", str(SEEDS[1]), "--add", out="both.h5")
    assert flops(both) == flops(alone[0]) | flops(alone[1]) > flops(alone[0])
    with closing(RefinedFlops(both)) as found:
        assert found.samples == [(2, seed) for seed in SEEDS]
        for path in alone:
            with closing(RefinedFlops(path)) as own:
                for number in own.numbers:
                    np.testing.assert_array_equal(found.find(number).probabilities, own.find(number).probabilities)
    capsys.readouterr()
    assert main(["info", both, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["refined_seed"] == [*SEEDS]
    assert main(["exploit", both, "--iterations", "4", "--json"]) == 0
    measured = json.loads(capsys.readouterr().out)
    assert (measured["flops"], measured["samples"], measured["refined_flops"]) == (4, 2, len(flops(both)))
    assert main(["exploit", both, "--iterations", "4", "--flops", "2"]) == 2
    assert "flops: 2; both.h5 has samples of 4 refined flops; the estimate takes all" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--flops", "2", "--seed", "0"], "x.h5: it has this sample already; say another seed than 0"),
        ([], "--add: adds a sample to a file; say --flops, and another --seed"),
        (["--flops", "2", "--seed", "1", "--overwrite"], "--overwrite: --add adds flops to the file that is there"),
        (["--flops", "2", "--seed", "1", "--lines", "all"], "x.h5: it is of another strategy, or was refined with"),
    ],
)
def test_what_no_sample_is_added_to(words, said, blueprint, capsys):
    refined(blueprint, "--iterations", "4", "--flops", "2", out="x.h5")
    before = checksum("x.h5")
    how = ["refine", str(blueprint), "--out", "x.h5", "--iterations", "4", "--threads", "1"]
    assert main([*how, "--add", *words]) == 2
    assert said in capsys.readouterr().err
    assert main([*how, "--flops", "2", "--seed", "1"]) == 1
    assert "--add to add a sample of flops to it" in capsys.readouterr().err
    assert checksum("x.h5") == before


def test_hours_say_that_samples_end(blueprint, capsys):
    refined(blueprint, "--iterations", "4", "--flops", "2", out="x.h5")
    grow = ["refine", str(blueprint), "--out", "x.h5", "--iterations", "4", "--hours", "1", "--threads", "1"]
    for last in (["--dry-run"], []):
        capsys.readouterr()
        assert main([*grow, *last]) == 0
        assert "cfr: x.h5: its flops are samples, and with the likeliest among them no more" in capsys.readouterr().err
    capsys.readouterr()
    assert main(grow) == 0
    assert "samples" not in capsys.readouterr().err


@pytest.mark.parametrize("how", [["--hours", "1"], ["--add", "--flops", "2"]])
def test_a_file_without_refined_flops_does_not_grow(how, blueprint, capsys):
    words = ["refine", str(blueprint), "--out", str(blueprint), "--iterations", "4", "--threads", "1"]
    assert main([*words, *how]) == 2
    assert "a strategy without refined flops, so none are added; name another" in capsys.readouterr().err


def test_no_sample_is_added_to_flops_that_are_none(blueprint, capsys):
    refined(blueprint, "--iterations", "4", "--hours", "2", out="x.h5")
    words = ["--iterations", "4", "--flops", "2", "--seed", "1", "--add", "--out", "x.h5", "--threads", "1"]
    assert main(["refine", str(blueprint), *words]) == 2
    assert "x.h5: its flops are no sample, so that none can be added" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--iterations", "5"], "x.h5: it is of another strategy, or was refined with other iterations"),
        (["--iterations", "4", "--lines", "all"], "x.h5: it is of another strategy, or was refined with other"),
        (["--iterations", "4", "--overwrite"], "--overwrite: --hours adds flops to the file that is there"),
        (["--iterations", "4", "--flops", "2"], "flops: a file that grows takes the likeliest next; leave it out"),
        (["--iterations", "4"], "x.h5: it has all flops of small deck"),
    ],
)
def test_what_cannot_grow(words, said, blueprint, capsys):
    refined(blueprint, "--iterations", "4", "--hours", "4", out="x.h5")
    before = checksum("x.h5")
    assert main(["refine", str(blueprint), "--out", "x.h5", "--hours", "1", "--threads", "1", *words]) == 2
    assert said in capsys.readouterr().err
    assert checksum("x.h5") == before


def test_what_is_interrupted_goes_on(blueprint, monkeypatch, capsys):
    refined(blueprint, "--iterations", "4", "--hours", "3", out="whole.h5")
    refined(blueprint, "--iterations", "4", "--hours", "1", out="x.h5")
    packed, solved = FlopRefiner.packed, []

    def stopped(refiner, subgame):
        solved.append(subgame)
        if len(solved) == 3:
            raise KeyboardInterrupt
        return packed(refiner, subgame)

    grow = ["refine", str(blueprint), "--out", "x.h5", "--iterations", "4", "--hours", "1", "--threads", "1"]
    with monkeypatch.context() as patch:
        patch.setattr(FlopRefiner, "packed", stopped)
        assert main(grow) == 130
    assert len(flops("x.h5")) == 1
    assert main(grow) == 2
    assert "go on with --resume" in capsys.readouterr().err
    assert main([*grow, "--resume"]) == 0  # by the clock, the flop that was begun takes no time
    assert checksum("x.h5") == checksum("whole.h5")
