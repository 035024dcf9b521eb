"""A solve never takes an earlier solve's file or checkpoint away, nor two solves each other's."""

import signal
from dataclasses import replace

import pytest

from cfr.cli.main import main
from cfr.game.rules import Game
from cfr.solver import checkpoint
from cfr.solver.game_solver import GameSolver
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.system.disk.file_lock import Lock
from cfr.system.errors import Interrupted, SaveError

KUHN, LEDUC = Game.bundled("kuhn"), Game.bundled("leduc")


@pytest.fixture
def settings(tmp_path):
    return Settings(KUHN, None, iterations=5, out=tmp_path / "x.h5")


@pytest.fixture
def unfinished(settings, monkeypatch):
    """The checkpoint of a solve that was stopped after one iteration."""
    step = GameSolver.step

    def stopping(run, most, _):
        signal.raise_signal(signal.SIGINT)
        return step(run, most)

    with monkeypatch.context() as patch:
        patch.setattr(GameSolver, "step", stopping)
        with pytest.raises(Interrupted):
            solve(settings)
    return checkpoint.path_for(settings.out)


@pytest.mark.parametrize("changes", [{}, {"game": LEDUC}, {"iterations": 9}, {"schedule": "dcfr"}])
def test_an_earlier_checkpoint_stays(settings, unfinished, changes):
    before = unfinished.read_bytes()
    with pytest.raises(SaveError, match=r"an unfinished solve of kuhn after 1 iteration is there already; continue"):
        solve(replace(settings, **changes))
    assert unfinished.read_bytes() == before
    assert not settings.out.exists()
    solve(replace(settings, **changes, overwrite=True))
    assert settings.out.exists()
    assert not unfinished.exists()


def test_the_same_command_twice(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = ["solve", "kuhn", "--iterations", "3"]
    assert main(command) == 0
    before = (tmp_path / "kuhn.h5").read_bytes()
    capsys.readouterr()
    for more, code, before_it in (([], 1, ""), (["--dry-run"], 0, "as things are, this would not begin: ")):
        assert main([*command, *more]) == code
        assert capsys.readouterr().err == (
            f"cfr: {before_it}kuhn.h5: a strategy for kuhn of 3 iterations is there already; "
            "say --overwrite to replace it, or --out for another file\n"
        )
        assert (tmp_path / "kuhn.h5").read_bytes() == before
    assert main([*command, "--overwrite", "--dry-run"]) == 0
    assert (tmp_path / "kuhn.h5").read_bytes() == before
    assert main([*command, "--overwrite"]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["kuhn.h5"]


def test_something_else_is_not_overwritten(settings, capsys):
    settings.out.write_text("a thesis")
    assert main(["solve", "kuhn", "--out", str(settings.out)]) == 1
    assert "another file is there already" in capsys.readouterr().err
    assert settings.out.read_text() == "a thesis"


def test_a_checkpoint_is_continued_only_into_its_own_file(settings, unfinished, tmp_path, capsys):
    other = tmp_path / "other.h5"
    other.write_text("a thesis")
    assert main(["solve", "--resume", str(unfinished), "--out", str(other)]) == 1
    assert other.read_text() == "a thesis"
    settings.out.write_text("of an earlier solve, which this one was told to overwrite")
    assert main(["solve", "--resume", str(unfinished)]) == 0
    assert settings.out.read_bytes()[1:4] == b"HDF"


def test_a_damaged_checkpoint_stays(settings, unfinished):
    unfinished.write_bytes(b"rubbish")
    with pytest.raises(SaveError, match="a file that no solve can continue"):
        solve(settings)
    assert unfinished.read_bytes() == b"rubbish"


def test_two_solves_never_share_a_file(settings, unfinished):
    with Lock(settings.out, "cfr solve"):
        for again in (replace(settings, overwrite=True), replace(settings, resume=unfinished)):
            with pytest.raises(SaveError, match=r"cfr solve, process \d+ on .* is writing it; wait until that ends"):
                solve(again)
        assert unfinished.exists()
    solve(replace(settings, resume=unfinished))


def test_what_a_killed_solve_left_is_cleared_away(settings, tmp_path):
    for name in (".x.h5.0a1b2c3d.tmp", ".x.h5.checkpoint.0a1b2c3d.tmp", ".y.h5.0a1b2c3d.tmp"):
        (tmp_path / name).write_text("half")
    solve(settings)
    assert {path.name for path in tmp_path.iterdir()} == {"x.h5", ".y.h5.0a1b2c3d.tmp"}
