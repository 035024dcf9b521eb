"""A refined file that grows: flops are added, the likeliest first, and the file is the same however often it grew."""

import h5py
import numpy as np
import pytest

import cfr.system.clock
from cfr.cli.main import main
from cfr.hands.flops import first_boards
from cfr.resolving.flop_refiner import FlopRefiner
from cfr.resolving.refine_settings import RefineSettings
from cfr.strategy.files.stored import Strategy
from tests.resolving.refined_flops import SMALL, checksum, refined

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
