"""Solves without buckets beyond memory: the bits of the solve in memory, whatever happens on the way."""

import json
import resource
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from cfr.abstraction.abstraction import Abstraction
from cfr.cli.main import main
from cfr.game.cards import format_cards
from cfr.kernel.builds import lanes
from cfr.solver import checkpoint, loop
from cfr.solver.game_solver import GameSolver
from cfr.solver.out_of_core.disk_solver import DiskSolver
from cfr.solver.out_of_core.piece_plan import folder_of, make_plan
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.solver.solver import Measurement
from cfr.strategy.files.stored import Strategy
from cfr.system import clock
from cfr.system.disk import block_files
from cfr.system.errors import BadInputError, CfrError, DamagedFileError, Interrupted, SaveError
from tests.solver.out_of_core.lossless_solves import BEYOND, GAME, RIVERS, begun, contents, settings
from tests.thorough import thorough

pytestmark = pytest.mark.usefixtures("small_pieces")


@pytest.mark.parametrize(("schedule", "delay"), [("hs-dcfr", 3), *thorough(("hs-dcfr", 0), ("pcfr+", 0), ("pcfr+", 1))])
@pytest.mark.parametrize("tables", ["bfloat16", "int8", *thorough("float32")])
def test_the_bits_are_those_of_the_solve_in_memory(schedule, delay, tables, tmp_path):
    how = {"schedule": schedule, "tables": tables, "averaging_delay": delay}
    whole = solve(settings(tmp_path, "whole.h5", memory_gb=None, **how))
    plan = make_plan(settings(tmp_path, **how))
    assert plan.count > 2
    nothing_stays = (plan.least_bytes + 1) / 1e9
    for threads, memory in ((1, nothing_stays), (2, BEYOND + 0.06)):
        parted = solve(settings(tmp_path, f"{threads}.h5", threads=threads, **(how | {"memory_gb": memory})))
        assert contents(parted.file) == contents(whole.file)
        assert parted.self_play_button_mbb == whole.self_play_button_mbb
    if tables == "float32":
        asked = Settings(GAME, None, 5, schedule=schedule, averaging_delay=delay, out=tmp_path / "plain.h5")
        plain = solve(asked)
        assert contents(plain.file)["checksum"] == contents(whole.file)["checksum"]
    assert {path.name for path in tmp_path.iterdir()} <= {"whole.h5", "1.h5", "2.h5", "plain.h5"}


@pytest.mark.thorough
def test_a_target_ends_it_as_in_memory(tmp_path):
    how = {"iterations": None, "target_mbb": 150.0, "game": RIVERS}
    whole = solve(settings(tmp_path, "whole.h5", memory_gb=None, **how))
    parted = solve(settings(tmp_path, "parted.h5", **how))
    assert parted.iterations == whole.iterations > 1
    assert contents(parted.file) == contents(whole.file)


@pytest.mark.parametrize("pieces", [*thorough(1, 2), 3])
def test_stopped_or_killed_between_pieces_it_goes_on_to_the_same_bits(pieces, tmp_path):
    """At each piece a solve is stopped, goes on a little, and dies without a word."""
    whole = solve(settings(tmp_path, "whole.h5"))
    asked, header, times = settings(tmp_path), None, 0
    while header is None or header.progress.iterations < asked.iterations:
        with begun(asked, header) as solver:
            left = iter(range(pieces - 1))
            solver.step(1, lambda: next(left, None) is None)  # noqa: B023
            kept = solver.save_checkpoint()
            solver.step(1, lambda: True)  # lost
        header, times = checkpoint.read(kept), times + 1
        asked = replace(asked, resume=kept)
    assert times > asked.iterations
    result = solve(checkpoint.resumed(kept))
    assert contents(result.file) == contents(whole.file)
    assert not folder_of(asked).exists()


def test_a_disk_without_room_for_two_states_keeps_one_more_often(tmp_path, monkeypatch):
    whole = solve(settings(tmp_path, "whole.h5"))
    sizes, plan = [], make_plan(settings(tmp_path))
    monkeypatch.setattr(block_files.BlockFiles, "has_room", lambda self, coming: sizes.append(self.disk_bytes))
    parted = solve(settings(tmp_path, "parted.h5", memory_gb=(plan.least_bytes + 1) / 1e9))  # nothing stays in memory
    assert contents(parted.file) == contents(whole.file)
    assert max(sizes) <= plan.table_bytes + 3 * plan.largest_piece


@pytest.mark.parametrize("done", [1, *thorough(7, 30)])
def test_a_full_disk_loses_nothing(done, tmp_path):
    """What was kept last goes on once there is room, to the same bits."""
    whole = solve(settings(tmp_path, "whole.h5", game=RIVERS))
    asked, before = settings(tmp_path, game=RIVERS), resource.getrlimit(resource.RLIMIT_FSIZE)
    with begun(asked) as solver:
        left = iter(range(done))
        while next(left, None) is not None:
            solver.step(1, lambda: True)
        kept = solver.save_checkpoint()
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
        try:
            with pytest.raises(SaveError, match="the disk is full"):
                solver.step(9)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
    result = solve(checkpoint.resumed(kept))
    assert contents(result.file) == contents(whole.file)


def test_the_file_cannot_be_written_and_the_solve_can_still_go_on(tmp_path, monkeypatch):
    whole = solve(settings(tmp_path, "whole.h5"))
    asked, before = settings(tmp_path), resource.getrlimit(resource.RLIMIT_FSIZE)
    measure = DiskSolver.measure_in_parts

    def full(*arguments):
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
        return measure(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(DiskSolver, "measure_in_parts", full)
        try:
            with pytest.raises(SaveError, match=r"x\.h5: the disk is full"):
                solve(asked)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not asked.out.exists()
    result = solve(checkpoint.resumed(checkpoint.path_for(asked.out)))
    assert contents(result.file) == contents(whole.file)


def test_stopped_before_the_file_it_says_how_to_go_on(tmp_path, monkeypatch):
    asked = settings(tmp_path)
    kept = checkpoint.path_for(asked.out)

    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(DiskSolver, "measure_in_parts", stop)
        with pytest.raises(Interrupted, match=f"before the file was written; continue with: cfr solve --resume {kept}"):
            solve(asked)
    assert contents(solve(checkpoint.resumed(kept)).file) == contents(solve(settings(tmp_path, "whole.h5")).file)


def test_missing_and_short_blocks_are_found(tmp_path):
    asked = settings(tmp_path)
    with begun(asked) as solver:
        solver.step()
        kept = solver.save_checkpoint()
    blocks = sorted(folder_of(asked).glob("*.block"))
    blocks[0].write_bytes(blocks[0].read_bytes()[:-1])
    with pytest.raises(DamagedFileError, match="it ends early"):
        solve(checkpoint.resumed(kept))
    blocks[0].unlink()
    with pytest.raises(DamagedFileError, match="missing"):
        solve(checkpoint.resumed(kept))


def test_a_checkpoint_that_copies_no_table_comes_soon(tmp_path, monkeypatch):
    """Pieces are kept more often than tables in memory."""
    saved = []
    for solver in (GameSolver, DiskSolver):
        save = solver.save_checkpoint
        monkeypatch.setattr(solver, "save_checkpoint", lambda self, save=save: (saved.append(self), save(self)))
    monkeypatch.setattr(loop, "PIECES_SECONDS", 0.0)
    monkeypatch.setattr(clock, "CHECKPOINT_SHARE", 1e9)
    solve(settings(tmp_path, "whole.h5", memory_gb=None))
    assert not saved
    asked = settings(tmp_path)
    solve(asked)
    assert len(saved) >= 2 * asked.iterations * make_plan(asked).count  # each seat's piece


@pytest.mark.thorough
def test_the_last_round_may_be_left_out(tmp_path, capsys):
    whole = solve(settings(tmp_path, "whole.h5", game=RIVERS))
    files = [
        solve(settings(tmp_path, name, game=RIVERS, without_rivers=True, memory_gb=memory)).file
        for name, memory in (("a.h5", None), ("b.h5", BEYOND))
    ]
    assert contents(files[0]) == contents(files[1])
    hand, board = format_cards(RIVERS.deck[:2].tolist()), format_cards(RIVERS.deck[2:6].tolist())
    with Strategy.open(whole.file) as full, Strategy.open(files[1]) as part:
        assert part.num_rows == full.num_rows[:-1]
        for r in range(3):
            assert np.array_equal(part.table(r)[:], full.table(r)[:])
        assert full.probabilities(hand, board=board, line="cc/cc/cc/")
        with pytest.raises(BadInputError, match="the last round is left out; solve it from here: cfr spot"):
            part.table(3)
    spot = str(tmp_path / "spot.h5")
    river = ["--board", board, "--line", "cc/cc/cc/"]
    assert main(["query", files[1], *river, "--hand", hand]) == 2
    assert "cfr spot --strategy" in capsys.readouterr().err
    assert main(["spot", "--strategy", files[1], *river, "--iterations", "9", "--json", "--out", spot]) == 0
    assert json.loads(capsys.readouterr().out)["exploitability_mbb"] < 500


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["leduc", "--lossless", "--memory", "0.1"], "memory: 0.10 GB hold no piece of leduc; expected at least"),
        (["kuhn", "--lossless", "--memory", "0.1"], "kuhn has one round, which memory holds; leave it out"),
        (["leduc", "--memory", "1"], "memory: only solves with --lossless"),
        (["leduc", "--lossless", "--buckets", "9,9,9"], "leave out --buckets"),
        (["hulhe", "--lossless", "--preset", "quick"], "leave out --preset"),
        (["hulhe", "--memory", "1"], "memory: only solves with --lossless"),
        (["hulhe", "--lossless"], f"hulhe needs about {'98,3' if lanes(np.float32) == 16 else '97,009.1'}"),
        (["leduc", "--lossless", "--memory", "0.185", "--disk", "nowhere"], "nowhere is not a folder; expected one"),
        (["leduc", "--lossless", "--memory", "0.185", "--purge", "0.1"], "purge: --lossless stores all probabilities"),
        (["leduc", "--lossless", "--purge", "0.2"], "small ones too; leave --purge out\n"),
        (["leduc", "--lossless", "--purge-unplayed", "0.2"], "purge-unplayed: --lossless stores all probabilities"),
        (["leduc", "--lossless", "--purge-unplayed", "0.2"], "leave --purge-unplayed out\n"),
        (
            ["leduc", "--lossless", "--compact"],
            "cfr: compact: --lossless stores each row, and makes no codebooks; leave --compact out\n",
        ),
        (["leduc", "--seed", str(2**63)], "expected"),
        (["leduc", "--lossless", "--tables", "int9"], "invalid choice: 'int9'"),
        (["leduc", "--lossless", "--nodes", "2x4"], "say --dry-run, too"),
        (["leduc", "--dry-run", "--nodes", "2x4"], "only --lossless --dry-run"),
        (["hulhe", "--lossless", "--dry-run", "--nodes", "64"], "expected nodes x cores of each, such as 20x64"),
        (["leduc", "--lossless", "--memory", "0"], "expected a number above 0"),
        (["leduc", "--averaging-delay", "2"], "2; expected at least 0 and less than the 2 iterations"),
        (["hulhe", "--averaging-delay", "1"], "with buckets the average begins after the warm-up; leave it out"),
    ],
)
def test_bad_input_gets_one_line(arguments, says, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    more = [] if "--dry-run" in arguments else ["--iterations", "2"]
    try:
        assert main(["solve", *arguments, *more]) == 2
    except SystemExit as exit_:
        assert exit_.code == 2
    err = capsys.readouterr().err
    assert says in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_solve_begun_in_memory_needs_that_memory(tmp_path):
    asked = settings(tmp_path, memory_gb=None)
    path = checkpoint.path_for(asked.out)
    checkpoint.save(path, asked, checkpoint.Progress(1, 1.0), {}, lanes=16)
    with pytest.raises(CfrError, match=r"began in memory and needs 0\.2 GB, of 0\.2 GB"):
        solve(checkpoint.resumed(path, memory_gb=BEYOND))


def test_nothing_before_the_delay_is_in_the_average():
    """Zeros in the place of the average are the same as no average."""
    delayed, plain = (
        GameSolver(Settings(GAME, None, 5, lossless=True, averaging_delay=delay), Abstraction.lossless(GAME))
        for delay in (3, 0)
    )
    for iteration in range(1, 6):
        delayed.step()
        plain.step()
        if iteration <= 3:
            assert not any(table.any() for pair in delayed.averages for table in pair)
            assert delayed.measure() == Measurement(plain.exploitability_mbb("current"), "current")
            for pair in plain.averages:
                for table in pair:
                    table[...] = 0
    for mine, other in zip(delayed.averages, plain.averages, strict=True):
        assert all(map(np.array_equal, mine, other))
    assert any(table.any() for pair in delayed.averages for table in pair)


MEASURED = """
import resource, sys
from cfr.cli.main import main
code = main(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
sys.exit(code)
"""


@pytest.mark.slow
def test_a_bound_on_memory_is_kept(tmp_path):
    """[2-4] in 300 MB, of the 2.1 GB that it takes in memory, ends in the same bits."""
    how = ["solve", "holdem-2-4", "--iterations", "3", "--threads", "2"]
    found = []
    for name, more in (("whole.h5", []), ("parted.h5", ["--lossless", "--memory", "0.3"])):
        command = [sys.executable, "-c", MEASURED, *how, *more, "--out", str(tmp_path / name), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found.append((contents(tmp_path / name)["checksum"], int(done.stdout.split()[-1])))
    assert found[0][0] == found[1][0]
    assert found[1][1] < 300e6
    assert found[0][1] > 2e9
