"""A solve that is interrupted goes on as it was begun, unless it is told otherwise."""

import json
import signal
from dataclasses import fields, replace

import h5py
import numpy as np
import pytest

from cfr.abstraction.abstraction import Abstraction
from cfr.cli.main import main
from cfr.game.rules import Game
from cfr.kernel.tree import build_tree
from cfr.solver import checkpoint, ending, forecast
from cfr.solver.cfr_br import Sides
from cfr.solver.game_solver import GameSolver
from cfr.solver.settings import CHANGEABLE, IDENTITY, Settings
from cfr.strategy.files import vector_quantiser
from cfr.system.errors import BadInputError

LEDUC, HULHE = Game.bundled("leduc"), Game.bundled("hulhe")


@pytest.fixture
def interrupt(monkeypatch, tmp_path, capsys):
    """Begin a solve, press Ctrl-C after some iterations; gives the checkpoint."""

    def interrupt(arguments, iterations):
        step = GameSolver.step

        def stopping(run, most, _):
            done = step(run, min(most, iterations - run.iterations))
            if run.iterations == iterations:
                signal.raise_signal(signal.SIGINT)
            return done

        with monkeypatch.context() as patch:
            patch.setattr(GameSolver, "step", stopping)
            assert main(["solve", *arguments, "--out", str(tmp_path / "half.h5"), "--overwrite"]) == 130
        kept = checkpoint.path_for(tmp_path / "half.h5")
        assert f"after {iterations:,} iterations; continue with: cfr solve --resume {kept}" in capsys.readouterr().err
        return kept

    return interrupt


def as_another_build_keeps_it(path, game, lanes):
    """Lay a checkpoint's tables out as a kernel with vectors of ``lanes`` lines would have done."""
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    header = json.loads(str(arrays["header"]))
    trees = Sides(game, 1, header["never"]).trees
    for name in set(arrays) - {"header"}:
        kind, round_, seat = name.split("_")
        written = trees[1 - int(seat) if kind == "responders" else int(seat)]
        other = build_tree(game, lanes, never=written.never)
        arrays[name] = other.taken_over(arrays[name], int(round_), int(seat), written)
    arrays["header"] = np.array(json.dumps({**header, "lanes": lanes}))
    with path.open("wb") as file:
        np.savez(file, **arrays)


def saved(tmp_path, settings, **progress):
    """A checkpoint without tables."""
    path = tmp_path / "x.h5.checkpoint"
    checkpoint.save(path, settings, checkpoint.Progress(**progress), {}, lanes=16)
    return path


def contents(path):
    """All that is in a strategy file but when and how quickly it was made."""
    found = {}
    with h5py.File(path) as file:
        found.update(
            {
                name: value
                for name, value in file.attrs.items()
                if name not in ("created", "seconds", "attributes_checksum")
            }
        )
        file.visititems(lambda name, item: found.update({name: item[...].tobytes()} if hasattr(item, "dtype") else {}))
    return found


@pytest.mark.thorough
@pytest.mark.usefixtures("hulhe_file")  # which fills the cache with the same buckets
@pytest.mark.parametrize("iterations", [pytest.param(1, marks=pytest.mark.slow), 4])  # while it warms up, and after it
def test_everything_that_was_asked_for_is_done(iterations, interrupt, cache, monkeypatch, tmp_path):
    monkeypatch.setenv("CFR_CACHE", str(cache))
    how = ["hulhe", "--buckets", "30,20,20", "--iterations", "6", "--warm-up", "0.4", "--purge", "0.1", "--compact"]
    how += ["--threads", "1"]
    whole = tmp_path / "whole.h5"
    assert main(["solve", *how, "--out", str(whole), "--json"]) == 0
    kept = interrupt(how, iterations)
    assert main(["solve", "--resume", str(kept), "--json"]) == 0
    assert not kept.exists()
    expected = contents(whole)
    asked = {"iterations": 6, "warm_up_iterations": 3, "purge": 0.1, "compact": True, "threads": 1}
    assert {name: expected[name] for name in asked} == asked
    assert contents(tmp_path / "half.h5") == expected


@pytest.mark.thorough
@pytest.mark.usefixtures("hulhe_file")  # which fills the cache with the same buckets
def test_ctrl_c_while_codebooks_are_made_loses_nothing(cache, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("CFR_CACHE", str(cache))
    how = ["hulhe", "--buckets", "30,20,20", "--iterations", "3", "--compact", "--threads", "2"]
    whole, half = tmp_path / "whole.h5", tmp_path / "half.h5"
    assert main(["solve", *how, "--out", str(whole)]) == 0
    with monkeypatch.context() as patch:
        lines: list[int] = []

        def pressed(points, worths):
            lines.append(len(points))
            if len(lines) == 20:
                signal.raise_signal(signal.SIGINT)
            return clustered(points, worths)

        clustered = vector_quantiser._clustered
        patch.setattr(vector_quantiser, "_clustered", pressed)
        assert main(["solve", *how, "--out", str(half)]) == 130
    assert len(lines) < 100  # of two thousand: the others were left
    kept = checkpoint.path_for(half)
    said = f"stopped after 3 iterations, before the file was written; continue with: cfr solve --resume {kept}"
    assert said in capsys.readouterr().err
    assert not half.exists()
    assert main(["solve", "--resume", str(kept)]) == 0
    assert contents(half) == contents(whole)


@pytest.mark.parametrize("where", ["measure", "measure_stored", "_save"])
def test_ctrl_c_at_the_end_loses_nothing(where, monkeypatch, tmp_path, capsys):
    """While the strategy is measured, measured as stored, or written."""
    whole, half = tmp_path / "whole.h5", tmp_path / "half.h5"
    assert main(["solve", "leduc", "--iterations", "20", "--threads", "2", "--out", str(whole)]) == 0
    place = ending if where == "_save" else GameSolver
    usual, came = getattr(place, where), []

    def pressed(*arguments, **named):
        result = usual(*arguments, **named) if where == "measure_stored" else None  # it has changed the tables
        came.append(where)
        signal.raise_signal(signal.SIGINT)
        return result

    with monkeypatch.context() as patch:
        patch.setattr(place, where, pressed)
        patch.setattr(ending, "_SOON", 0.0)
        assert main(["solve", "leduc", "--iterations", "20", "--threads", "2", "--out", str(half)]) == 130
    assert len(came) == 1
    kept = checkpoint.path_for(half)
    assert f"stopped after 20 iterations, before the file was written; continue with: cfr solve --resume {kept}" in (
        capsys.readouterr().err
    )
    assert main(["solve", "--resume", str(kept)]) == 0
    assert contents(half) == contents(whole)
    assert not kept.exists()


@pytest.mark.thorough
@pytest.mark.usefixtures("hulhe_file")  # which fills the cache with the same buckets
@pytest.mark.parametrize("lanes", [8, 16])  # one of them is this machine's
def test_a_checkpoint_of_a_machine_with_other_vectors(lanes, interrupt, cache, monkeypatch, tmp_path):
    monkeypatch.setenv("CFR_CACHE", str(cache))
    how = ["hulhe", "--buckets", "30,20,20", "--iterations", "5", "--warm-up", "0.4", "--threads", "1"]
    whole = tmp_path / "whole.h5"
    assert main(["solve", *how, "--out", str(whole)]) == 0
    kept = interrupt(how, 3)
    as_another_build_keeps_it(kept, HULHE, lanes)
    assert main(["solve", "--resume", str(kept)]) == 0
    assert contents(tmp_path / "half.h5") == contents(whole)


@pytest.mark.parametrize("more", [["--target", "40"], ["--iterations", "30", "--purge", "0.2"]])
def test_the_same_without_buckets(more, interrupt, tmp_path):
    how = ["leduc", "--schedule", "dcfr", "--seed", "7", "--threads", "1", *more]
    whole = tmp_path / "whole.h5"
    assert main(["solve", *how, "--out", str(whole)]) == 0
    for iterations in (5, 8, contents(whole)["iterations"]):  # the last: when it was about to end
        kept = interrupt(how, iterations)
        assert main(["solve", "--resume", str(kept)]) == 0
        assert contents(tmp_path / "half.h5") == contents(whole)


def test_what_is_said_again_replaces_what_was_asked_for(tmp_path):
    asked = Settings(
        HULHE, (3, 2, 1), minutes=9.0, threads=3, seed=4, purge=0.2, purge_unplayed=0.3, compact=True, warm_up=0.5
    )
    path = saved(tmp_path, asked, iterations=7, seconds=60.0)
    same = checkpoint.resumed(path)
    assert same == replace(asked, out=tmp_path / "x.h5", resume=path)
    changes = {
        "minutes": 5.0,
        "threads": 1,
        "purge": 0.0,
        "purge_unplayed": 0.1,
        "compact": False,
        "warm_up": 0.1,
        "out": tmp_path / "y",
    }
    assert checkpoint.resumed(path, **changes) == replace(same, **changes)
    # Who says when to stop means nothing else, but a target with buckets, which may never be reached.
    assert checkpoint.resumed(path, iterations=8) == replace(same, minutes=None, iterations=8)
    assert checkpoint.resumed(path, target_mbb=50.0) == replace(same, target_mbb=50.0)
    assert checkpoint.resumed(path, purge=0.1) == replace(same, purge=0.1, purge_unplayed=0.0)


def test_a_command_line_that_replaces(interrupt, tmp_path):
    kept = interrupt(["leduc", "--iterations", "99", "--purge", "0.2", "--compact", "--threads", "2"], 3)
    other = tmp_path / "other.h5"
    again = ["--iterations", "5", "--purge", "0", "--no-compact", "--threads", "1", "--out", str(other)]
    assert main(["solve", "--resume", str(kept), *again]) == 0
    found = contents(other)
    assert [found[name] for name in ("iterations", "purge", "compact", "threads")] == [5, 0.0, False, 1]


@pytest.mark.parametrize(
    ("again", "says"),
    [
        (["leduc"], "leave out GAME"),
        (["--seed", "0"], "leave out --seed"),
        (["--buckets", "lossless", "--schedule", "cfr"], "leave out --buckets, --schedule"),
        (["--preset", "quick"], "leave out --preset"),
        (["--never", "none"], "leave out --never"),
        (["--rivers", "2", "--lossless"], "leave out --rivers, --lossless"),
        (["--flops", "4", "--blueprint", "small"], "leave out --blueprint, --flops"),
        (["--warm-up", "0.1"], "has done it, in 5 iterations"),
        (["--purge", "0.9"], "purge: 0.9; expected 0 to 0.3"),
    ],
)
def test_what_cannot_be_changed_is_refused_in_one_line(again, says, tmp_path, capsys):
    settings = Settings(HULHE, (3, 2, 1), minutes=9.0, schedule="cfr-br")
    path = saved(tmp_path, settings, iterations=7, seconds=60.0, responding_since=5)
    assert main(["solve", "--resume", str(path), *again]) == 2
    err = capsys.readouterr().err
    assert says in err
    assert err.count("\n") == 1


def test_minutes_are_those_of_the_whole_solve(tmp_path):
    settings = Settings(LEDUC, None, minutes=10.0, out=tmp_path / "l.h5")
    run = GameSolver(settings, Abstraction.lossless(LEDUC))
    for _ in range(3):
        run.step()
    run.clock.before = 600.0  # all of them
    kept = run.save_checkpoint()
    assert main(["solve", "--resume", str(kept)]) == 0
    found = contents(settings.out)
    assert found["iterations"] == 3
    with h5py.File(settings.out) as file:
        assert 600 <= file.attrs["seconds"] < 660


def test_a_forecast_is_of_what_is_left(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(forecast, "time_iterations", lambda *_: (0.1, 0.2))
    monkeypatch.setattr(Abstraction, "is_kept", staticmethod(lambda *_, **__: True))

    def left(progress, **settings):
        settings = {"schedule": "cfr-br", "warm_up": 0.5, "threads": 2} | settings
        path = saved(tmp_path, Settings(HULHE, (30, 20, 10), **settings), **progress)
        assert main(["solve", "--resume", str(path), "--dry-run", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["seconds_done"], found["iterations_done"]) == (progress["seconds"], progress["iterations"])
        assert main(["solve", "--resume", str(path), "--dry-run"]) == 0
        *_, done, last = capsys.readouterr().out.splitlines()
        assert done == f"done    {progress['iterations']:,} iterations in {progress['seconds']:.0f} seconds"
        return found["seconds"], found["iterations"], last

    warming = {"iterations": 200, "seconds": 30.0}
    responding = warming | {"responding_since": 150}
    assert left(warming, iterations=1000)[:2] == (pytest.approx(300 * 0.1 + 500 * 0.2), 800)
    assert left(responding, iterations=1000)[:2] == (pytest.approx(800 * 0.2), 800)
    monkeypatch.setattr(forecast, "seconds_kept", lambda *_: 10.0)  # for the file
    monkeypatch.setattr(forecast, "seconds_to_finish", lambda *_: 10.0)
    seconds, iterations, last = left(responding, minutes=2.0)
    assert (seconds, iterations) == (90.0, 400)
    assert last == "left    about 90 seconds, about 400 iterations"
    assert left(warming, minutes=2.0)[:2] == (90.0, pytest.approx(250 + 275, abs=1))
    assert left(warming, iterations=200) == (0.0, 0, "left    none: only the file is left to be written")
    assert left(warming, minutes=0.5) == (0.0, 0, "left    none: only the file is left to be written")


def test_every_setting_says_what_becomes_of_it_when_a_solve_goes_on():
    said_anew = ("out", "resume", "overwrite", "history")
    assert sorted([*IDENTITY, *CHANGEABLE, *said_anew]) == sorted(each.name for each in fields(Settings))
    assert all(each.metadata["resumed"] for each in fields(Settings))


def test_another_solve_is_not_continued(tmp_path):
    settings = Settings(LEDUC, None, iterations=2, out=tmp_path / "l.h5")
    path = saved(tmp_path, settings, iterations=1, seconds=1.0)
    for name in ("seed", "averaging_delay"):
        with pytest.raises(BadInputError, match=f"another solve, which differs in: {name.replace('_', ' ')}$"):
            GameSolver(replace(settings, resume=path, **{name: 1}), Abstraction.lossless(LEDUC))
