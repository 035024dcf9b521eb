"""Folders of tables on the disk: they move with their solve, and each solve keeps its own."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from cfr.solver import checkpoint
from cfr.solver.out_of_core.disk_solver import DiskSolver
from cfr.solver.out_of_core.lossless_forecast import forecast_lossless
from cfr.solver.out_of_core.piece_plan import folder_of, make_plan
from cfr.solver.out_of_core.tables_folder import claim_folder
from cfr.solver.solve import solve
from cfr.system.disk import block_files
from cfr.system.disk.file_lock import Lock
from cfr.system.errors import BadInputError, DamagedFileError, Interrupted, SaveError
from tests.solver.out_of_core.lossless_solves import begun, contents, settings
from tests.thorough import thorough

pytestmark = pytest.mark.usefixtures("small_pieces")


def interrupted(asked):
    """The checkpoint of a solve after one iteration."""
    with claim_folder(folder_of(asked), asked.out, asked.overwrite), begun(asked) as solver:
        solver.step()
        return solver.save_checkpoint()


def test_tables_move_to_another_disk_with_their_solve(tmp_path):
    asked = settings(tmp_path, "moved.h5")
    with begun(asked) as solver:
        solver.step()
        kept = solver.save_checkpoint()
    (tmp_path / "other").mkdir()
    shutil.move(folder_of(asked), tmp_path / "other")
    result = solve(checkpoint.resumed(kept, disk=tmp_path / "other"))
    assert contents(result.file) == contents(solve(settings(tmp_path, "whole.h5")).file)
    assert not list((tmp_path / "other").iterdir())


def test_a_solve_begun_anew_clears_the_tables_of_the_old_one(tmp_path):
    asked = settings(tmp_path)
    with begun(asked) as solver:
        solver.step()
        solver.save_checkpoint()
    with pytest.raises(SaveError, match="an unfinished solve of three rounds after 1 iteration is there already"):
        solve(asked)
    solve(replace(asked, overwrite=True, memory_gb=None))
    assert [path.name for path in tmp_path.iterdir()] == ["x.h5"]


def test_killed_before_its_first_checkpoint_it_begins_anew_on_the_same_disk(tmp_path, monkeypatch):
    """Its tables leave no room for others, and are in nobody's way."""
    asked = settings(tmp_path)
    disk = 2 * make_plan(asked).table_bytes
    monkeypatch.setattr(block_files, "free_disk_bytes", lambda _: disk - 1)  # too little to write late
    with begun(asked) as solver:
        solver.step()
        solver.files.settle()
    left = disk - sum(path.stat().st_size for path in folder_of(asked).glob("*.block"))
    assert left < 1.25 * disk / 2
    monkeypatch.setattr(block_files, "free_disk_bytes", lambda _: left)
    assert forecast_lossless(asked).available_disk_bytes == disk
    assert contents(solve(asked).file) == contents(solve(settings(tmp_path, "whole.h5", memory_gb=None)).file)


@pytest.mark.parametrize("where", ["__init__", "respond_if_warm", "_update_piece"])
@pytest.mark.parametrize("way", [KeyboardInterrupt, SaveError])
def test_stopped_before_its_first_checkpoint_it_leaves_nothing(where, way, tmp_path, monkeypatch):
    """SIGTERM is such an interrupt, too."""
    own = getattr(DiskSolver, where)

    def stop(self, *arguments, **more):
        own(self, *arguments, **more)
        raise way

    monkeypatch.setattr(DiskSolver, where, stop)
    with pytest.raises((Interrupted, SaveError)) as stopped:
        solve(settings(tmp_path))
    if way is KeyboardInterrupt:
        assert str(stopped.value) == "stopped; nothing was kept"
    assert not list(tmp_path.iterdir())


def test_stopped_while_it_claims_its_folder_it_leaves_none(tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_text", stop)
    with pytest.raises(Interrupted):
        solve(settings(tmp_path))
    assert not list(tmp_path.iterdir())


def test_two_solves_do_not_share_a_folder(tmp_path):
    (tmp_path / "a").mkdir()
    one = settings(tmp_path, "a/x.h5", disk=tmp_path)
    with Lock(folder_of(one), "cfr solve"), pytest.raises(SaveError, match="is writing it"):
        solve(settings(tmp_path, "x.h5", disk=tmp_path))


@pytest.mark.parametrize("memory", ["none", *thorough("all")])
def test_a_solve_of_the_same_name_leaves_the_tables_of_another_alone(memory, tmp_path):
    """Both take the same disk; the second one needs it, or fits in memory."""
    for name in "ab":
        (tmp_path / name).mkdir()
    kept = interrupted(settings(tmp_path, "a/x.h5", disk=tmp_path))
    other = settings(tmp_path, "b/x.h5", disk=tmp_path, **({} if memory == "none" else {"memory_gb": None}))
    if memory == "none":
        with pytest.raises(BadInputError, match=r"another solve, which .*/a/x\.h5\.checkpoint continues"):
            solve(other)
    else:
        solve(other)
    whole = solve(settings(tmp_path, "whole.h5"))
    assert contents(solve(checkpoint.resumed(kept)).file) == contents(whole.file)
    assert not list(tmp_path.glob("*.tables"))
    solve(other if memory == "none" else replace(other, overwrite=True))  # the first one is over


def test_overwrite_loses_the_tables_of_another_solve(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
    kept = interrupted(settings(tmp_path, "a/x.h5", disk=tmp_path))
    own = interrupted(settings(tmp_path, "b/x.h5", disk=tmp_path, overwrite=True))
    blocks = sorted((tmp_path / "x.h5.tables").glob("*.block"))
    # Who finds the tables of another solve touches none.
    with pytest.raises(BadInputError, match=r"/b/x\.h5\.checkpoint continues"):
        solve(checkpoint.resumed(kept))
    assert sorted((tmp_path / "x.h5.tables").glob("*.block")) == blocks
    solve(checkpoint.resumed(own))


def test_the_file_of_an_unfinished_solve_may_get_another_name(tmp_path):
    kept = interrupted(settings(tmp_path))
    (tmp_path / "other").mkdir()
    with pytest.raises(DamagedFileError, match=r"no tables there; move .*x\.h5\.tables to .*other first"):
        solve(checkpoint.resumed(kept, disk=tmp_path / "other"))
    assert not list((tmp_path / "other").iterdir())
    result = solve(checkpoint.resumed(kept, out=tmp_path / "new.h5"))
    assert contents(result.file) == contents(solve(settings(tmp_path, "whole.h5")).file)
    assert not list(tmp_path.glob("*.tables"))


def test_another_name_takes_no_tables_of_the_solve_that_had_it(tmp_path):
    kept = interrupted(settings(tmp_path))
    interrupted(settings(tmp_path, "new.h5", schedule="pcfr+"))
    result = solve(replace(checkpoint.resumed(kept, out=tmp_path / "new.h5"), overwrite=True))
    assert contents(result.file) == contents(solve(settings(tmp_path, "whole.h5")).file)
