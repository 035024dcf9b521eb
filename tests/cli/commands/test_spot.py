"""``cfr spot``: what it prints and writes, how it stops and goes on, and what it refuses."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import h5py
import numpy as np
import pytest

import cfr
from cfr.cli.main import main
from cfr.game.cards import format_cards
from cfr.spots import solve as solving
from cfr.spots.settings import SpotSettings
from cfr.spots.solve import solve_spot
from cfr.spots.solver import SpotSolver
from cfr.spots.spot_text import make_spot
from cfr.strategy.files.bundled import default_path
from cfr.system.errors import BadInputError, Interrupted

RIVER = ["--board", "Td9d6hQc2s", "--line", "rc/rc/rc/"]
TURN = ["--board", "AsKhTdQc", "--line", "cc/rc/"]
KEYS = [
    "file",
    "board",
    "line",
    "iterations",
    "seconds",
    "exploitability_percent_of_pot",
    "exploitability_mbb",
    "river_rows",
    "value_button_mbb",
    "value_big_blind_mbb",
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def contents(path):
    """All that is in a file but when and how quickly it was made."""
    with h5py.File(path) as file:
        found = {n: v for n, v in file.attrs.items() if n not in ("created", "seconds", "attributes_checksum")}
        file.visititems(lambda name, item: found.update({name: item[...].tobytes()} if hasattr(item, "dtype") else {}))
    return found


def test_a_river_that_the_supplied_strategy_reaches(capsys):
    assert main(["spot", *RIVER, "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert list(found) == [*KEYS, "call", "raise", "blueprint_exploitability_percent_of_pot"]
    assert found["file"] == "spot-Td9d6hQc2s-rc-rc-rc.h5"
    assert found["exploitability_percent_of_pot"] <= 0.1 < found["blueprint_exploitability_percent_of_pot"]
    assert found["exploitability_mbb"] == pytest.approx(
        found["exploitability_percent_of_pot"] * 100
    )  # the pot is 10 big blinds
    assert found["value_button_mbb"] == pytest.approx(-found["value_big_blind_mbb"], rel=1e-5)
    assert found["call"] + found["raise"] == pytest.approx(1)
    assert err.startswith("forecast: 1 board, ")
    # The file answers for its spot where no other is asked for.
    with cfr.SpotStrategy.open(found["file"]) as strategy:
        there = strategy.range()
        spot = strategy.spot_
        live = ~np.isin(spot.game.hands, spot.board).any(axis=1)
        held, missing = (format_cards(spot.game.hands[n]) for n in (there.reach.argmax(), (live & ~spot.held).argmax()))
    assert main(["query", found["file"], "--hand", held, "--ev"]) == 0
    assert "mbb" in capsys.readouterr().out
    assert main(["query", found["file"], "--hand", missing]) == 2
    assert "in neither range of the solved spot" in capsys.readouterr().err
    assert main(["chart", found["file"], "--color", "never"]) == 0
    assert main(["info", found["file"], "--verify", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["verified"] is True
    assert main(["export", found["file"], "--line", "rc/rc/rc/c", "--board", "Td9d6hQc2s", "--classes"]) == 0
    assert main(["query", found["file"], "--hand", "QhJh", "--board", "Td9d6h", "--line", "rc/"]) == 2
    assert "only what follows board Td9d6hQc2s, line 'rc/rc/rc/' is solved here" in capsys.readouterr().err
    # The same again has a name of its own.
    assert main(["spot", *RIVER, "--iterations", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["file"] == "spot-Td9d6hQc2s-rc-rc-rc-2.h5"


def test_ranges_and_a_pot_instead_of_a_line(capsys):
    asked = ["--board", "Td9d6hQc2s", "--pot", "80", "--button", "QQ+,AKs,T9s", "--bb", "random", "--iterations", "5"]
    assert main(["spot", *asked, "--tables", "bfloat16"]) == 0
    out, err = capsys.readouterr()
    assert "pot 80 (8 bb), the big blind is to act" in out
    assert "5 iterations in" in out
    assert "the target" not in out
    assert "button: " in err
    assert "QQ+,AKs,T9s" in err
    [name] = [line.split()[-1] for line in out.splitlines() if line.startswith("wrote ")]
    with h5py.File(name) as file:
        assert file.attrs["tables"] == "bfloat16"


def test_a_forecast_writes_nothing(capsys, tmp_path):
    assert main(["spot", "--board", "Td9d6h", "--line", "rc/", "--dry-run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["boards"] == 1429
    assert found["without_rivers"]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("tables", ["float32", "bfloat16", "int8"])
def test_interrupted_twice_the_file_is_the_same(tables, monkeypatch, capsys, tmp_path):
    asked = ["royal", *TURN, "--threads", "2", "--tables", tables]
    assert main(["spot", *asked, "--iterations", "9", "--out", "whole.h5"]) == 0
    step = SpotSolver.step

    def interrupted(solver, schedule):
        step(solver, schedule)
        if solver.iterations in (3, 6) and len(solver.spot.board) == 4:  # not while it forecasts
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(SpotSolver, "step", interrupted)
    assert main(["spot", *asked, "--iterations", "9", "--out", "half.h5"]) == 130
    err = capsys.readouterr().err
    assert "stopped after 3 iterations at " in err
    assert "half.h5 has the best so far, continue with: cfr spot --resume half.h5.checkpoint" in err
    with cfr.SpotStrategy.open("half.h5") as early:
        assert early.attributes["iterations"] == 3
        assert early.attributes["tables"] == tables
    resume = ["spot", "--resume", "half.h5.checkpoint", "--threads", "1", "--iterations", "9"]
    assert main(resume) == 130
    assert main(resume) == 0
    assert not (tmp_path / "half.h5.checkpoint").exists()
    one, two = contents("whole.h5"), contents("half.h5")
    assert one.pop("threads") != two.pop("threads")
    assert one == two


class Stopped(SpotSolver):
    """Ctrl-C comes after the second iteration."""

    def step(self, schedule):
        super().step(schedule)
        if self.iterations == 2:
            os.kill(os.getpid(), signal.SIGINT)


def test_a_resumed_solve_measures_the_strategy_that_gave_its_ranges(monkeypatch, capsys, tmp_path):
    shutil.copy(default_path(), tmp_path / "blueprint.h5")
    asked = ["spot", *RIVER, "--strategy", "blueprint.h5", "--iterations", "4", "--threads", "1", "--json"]
    assert main([*asked, "--out", "whole.h5"]) == 0
    expected = json.loads(capsys.readouterr().out)
    assert expected["blueprint_exploitability_percent_of_pot"] > 0
    monkeypatch.setattr(solving, "SpotSolver", Stopped)  # the forecast has its own
    assert main([*asked, "--out", "half.h5"]) == 130
    shutil.copy("half.h5.checkpoint", "kept.checkpoint")
    monkeypatch.chdir(tmp_path.parent)
    resume = ["--iterations", "4", "--threads", "1"]
    assert main(["spot", "--resume", str(tmp_path / "half.h5.checkpoint"), *resume, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    for each in (expected, found):
        del each["seconds"], each["file"]
    assert found == expected
    (tmp_path / "blueprint.h5").unlink()
    assert main(["spot", "--resume", str(tmp_path / "kept.checkpoint"), *resume]) == 0
    out, err = capsys.readouterr()
    assert "from here on" not in out
    [note] = [line for line in err.splitlines() if line.startswith("note: ")]
    assert "is left out" in note
    assert str(tmp_path / "blueprint.h5") in note


def test_a_resumed_solve_leaves_out_what_it_was_to_leave_out(monkeypatch, capsys, tmp_path):
    asked = ["spot", "royal", *TURN, "--iterations", "4", "--threads", "1", "--without-rivers"]
    monkeypatch.setattr(solving, "SpotSolver", Stopped)
    assert main([*asked, "--out", "half.h5"]) == 130
    resume = ["spot", "--resume", "half.h5.checkpoint", "--iterations", "4", "--threads", "1"]
    assert main([*resume, "--tables", "int8"]) == 2
    assert "leave out tables" in capsys.readouterr().err
    assert main(resume) == 0
    with cfr.SpotStrategy.open("half.h5") as found:
        assert len(found.rounds) == 1


def test_killed_while_it_solves_nothing_is_lost(monkeypatch, tmp_path):
    """With a checkpoint at every step: whatever is there when it dies is whole, and goes on to the same file."""
    code = (
        "import sys; from cfr.cli.main import main; from cfr.system import clock; "
        "clock.CHECKPOINT_SECONDS, clock.CHECKPOINT_SHARE = 0.0, 1e9; sys.exit(main(sys.argv[1:]))"
    )
    asked = ["spot", "royal", *TURN, "--iterations", "4000", "--out", "killed.h5"]
    running = subprocess.Popen([sys.executable, "-c", code, *asked], cwd=tmp_path, stderr=subprocess.DEVNULL)
    kept = tmp_path / "killed.h5.checkpoint"
    until = time.monotonic() + 60
    while not kept.exists() and time.monotonic() < until:
        time.sleep(0.01)
    running.kill()
    running.wait()
    done = cfr.spots.checkpoint.read(kept).iterations
    assert 0 < done < 4000
    assert main(["spot", "--resume", str(kept), "--iterations", str(done + 2)]) == 0
    assert main(["spot", "royal", *TURN, "--iterations", str(done + 2), "--out", "whole.h5"]) == 0
    assert contents("killed.h5") == contents("whole.h5")


def test_a_resumed_solve_measures_when_it_would_have(tmp_path):
    """A target ends a solve after the same iterations, wherever it was stopped."""
    spot = make_spot("Td9d6hQc2s", "rc/crc/crc/")

    def solved(stop=None, resume=None):
        def watch(iterations, _percent):
            if iterations == stop:
                os.kill(os.getpid(), signal.SIGINT)

        return solve_spot(
            SpotSettings(spot=spot, target_percent=0.1, out=tmp_path / "x.h5", resume=resume), watch=watch
        )

    whole = solved()
    for stop in (20, 23):
        with pytest.raises(Interrupted):
            solved(stop)
        again = solved(resume=tmp_path / "x.h5.checkpoint")
        assert again.iterations == whole.iterations
        assert again.exploitability_mbb == whole.exploitability_mbb
    with pytest.raises(Interrupted):
        solved(20)
    other = SpotSettings(
        spot=make_spot("Td9d6hQc2s", "rc/crc/crc/", button="QQ+"),
        iterations=30,
        out=tmp_path / "x.h5",
        resume=tmp_path / "x.h5.checkpoint",
    )
    with pytest.raises(BadInputError, match="of another spot, other ranges or locks, or another schedule"):
        solve_spot(other)


def test_an_exploitability_that_rounding_leaves_below_zero_ends_the_solve(monkeypatch, capsys):
    monkeypatch.setattr(SpotSolver, "exploitability", lambda _: -1e-9)
    ranges = ["--button", "AA,T9s", "--bb", "KK,98s"]
    assert main(["spot", *RIVER, *ranges, "--target", "0.1", "--out", "x.h5"]) == 0
    assert "16 iterations in" in capsys.readouterr().out


def test_minutes_end_a_solve(capsys):
    words = ["--board", "Td9d6hQc2s", "--pot", "40", "--target", "0.000001", "--iterations", "100000000"]
    assert main(["spot", *words, "--minutes", "0.005", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert 0 < found["iterations"] < 100_000_000
    assert found["exploitability_percent_of_pot"] > 0.000001


def test_a_full_disk_leaves_the_old_file(monkeypatch, capsys, tmp_path):
    (tmp_path / "x.h5").write_text("old")

    def full(*_args, **_more):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    assert main(["spot", "royal", *TURN, "--iterations", "1", "--out", "x.h5", "--overwrite"]) == 1
    assert "cannot write x.h5: the disk is full" in capsys.readouterr().err
    assert (tmp_path / "x.h5").read_text() == "old"


def test_too_little_memory_is_said_before(monkeypatch, capsys):
    monkeypatch.setattr("cfr.spots.plan.free_bytes", lambda: 10_000_000)
    monkeypatch.setattr("cfr.system.memory.free_bytes", lambda: 10_000_000)
    assert main(["spot", *RIVER]) == 2
    assert "GB of memory, 0.0 GB are free; use --tables int8" in capsys.readouterr().err


def test_rivers_are_left_out_and_solved_again(capsys):
    turn = ["royal", *TURN, "--iterations", "30"]
    assert main(["spot", *turn, "--without-rivers", "--out", "turn.h5"]) == 0
    assert main(["query", "turn.h5", "--hand", "JsJc"]) == 0
    river = ["--board", "AsKhTdQcJh", "--line", "cc/rc/cc/"]
    capsys.readouterr()
    assert main(["query", "turn.h5", "--hand", "JsJc", *river]) == 2
    assert "the last round is left out" in capsys.readouterr().err
    assert main(["spot", "--strategy", "turn.h5", *river, "--out", "river.h5", "--iterations", "50"]) == 0
    with cfr.SpotStrategy.open("turn.h5") as turn_file, cfr.SpotStrategy.open("river.h5") as river_file:
        state, board = turn_file.spot("AsKhTdQcJh", "cc/rc/cc/")
        for seat in (0, 1):
            np.testing.assert_allclose(river_file.spot_.ranges[seat], turn_file.reach(state, board, seat))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "say --board"),
        (["--board", "Td9d6hQc2s"], "say how the hand came here"),
        (["--board", "Td9d6hQc2s", "--line", "rc/rc/"], "5 cards, but after line 'rc/rc/' there are 4"),
        (["--board", "Td9d6hQc2s", "--pot", "75"], "pots are 20, 40"),
        ([*RIVER, "--button", "TdTh"], "the button's range has no hand that the board does not block"),
        ([*RIVER, "--button", "xx"], "range 'xx'"),
        ([*RIVER, "--lock", "r:fold=3"], "expected a share from 0 to 1"),
        ([*RIVER, "--lock", "r:@none.csv"], "none.csv"),
        ([*RIVER, "--strategy", "none.h5"], "none.h5"),
        ([*RIVER, "--target", "0"], "expected a number above 0"),
        (["leduc", *RIVER], "line 'rc/rc/rc/': '/' at position 6"),
        ([*RIVER, "--out", "nowhere/x.h5"], "cfr: cannot write nowhere/x.h5: there is no folder nowhere\n"),
        (["--resume", "none.checkpoint"], "none.checkpoint"),
        (["--resume", "x", *RIVER], "leave out board, line"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(arguments, message, capsys, tmp_path):
    try:
        code = main(["spot", *arguments])
    except SystemExit as left:
        code = left.code
    assert code in (1, 2)
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_there_stays(capsys, tmp_path):
    (tmp_path / "x.h5").write_text("mine")
    assert main(["spot", *RIVER, "--out", "x.h5"]) == 1
    assert "x.h5 is there already; say --overwrite" in capsys.readouterr().err
    (tmp_path / "y.h5.checkpoint").write_text("mine")
    assert main(["spot", *RIVER, "--out", "y.h5"]) == 1
    assert "an unfinished solve is there already" in capsys.readouterr().err
    assert main(["spot", "--resume", "y.h5.checkpoint"]) == 1
    assert "not a readable checkpoint of a spot" in capsys.readouterr().err


def test_a_fixed_opponent_is_exploited(capsys):
    assert main(["spot", *RIVER, "--exploit", "always-call", "--button", "any", "--bb", "any", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    keys = ["best_response_mbb", "self_play_mbb", "gain_mbb", "gain_percent_of_pot"]
    assert list(found) == ["file", "board", "line", "opponent", "seat", "seconds", *keys, "call", "raise"]
    assert (found["file"], found["opponent"]) == ("exploit-Td9d6hQc2s-rc-rc-rc.h5", "always-call")
    assert found["seat"] == "big blind"
    assert found["gain_mbb"] > 100
    assert main(["spot", *RIVER, "--exploit", "always-call", "--button", "any", "--bb", "any", "--seat", "button"]) == 0
    out = capsys.readouterr().out
    assert "the button wins at most +" in out
    assert "always-call itself wins 0.0 mbb" in out
    assert "exploit-Td9d6hQc2s-rc-rc-rc-2.h5" in out
    # Against one who calls everything, a hand that wins more often than not bets.
    assert main(["query", found["file"], "--hand", "QdQs", "--board", RIVER[1], "--line", RIVER[3], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["raise"] == 1
    assert main(["spot", *RIVER, "--exploit", found["file"], "--json"]) == 0
    assert main(["info", found["file"], "--verify"]) == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--exploit", "always-call", "--iterations", "5", "--lock", "r:fold=1"], "leave out --iterations, --lock"),
        (["--exploit", "always-fold"], "range has no hand"),
        (["--seat", "bb"], "say --exploit, too"),
    ],
)
def test_what_cannot_be_exploited(words, message, capsys):
    assert main(["spot", *RIVER, *words]) == 2
    err = capsys.readouterr().err
    assert message in err.splitlines()[-1]
    assert "Traceback" not in err
