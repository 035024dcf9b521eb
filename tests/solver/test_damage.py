"""One flipped bit anywhere in a checkpoint: the solve ends in the same file, or in one line with the path.

A handful by default; `pytest -m slow tests/solver/test_damage.py` tries 300 of each kind of checkpoint.
"""

import shutil
import signal

import pytest

from cfr.cli.main import main
from cfr.solver import checkpoint
from cfr.solver.game_solver import GameSolver
from cfr.spots.solver import SpotSolver
from tests.damage import CHECKPOINT_FLIPS, FEW, answered, flip, flips, members, play, within

KINDS = {
    "cfr+": ["solve", "leduc"],
    "dcfr": ["solve", "leduc", "--schedule", "dcfr"],
    "pcfr+": ["solve", "leduc", "--schedule", "pcfr+"],
    "kuhn": ["solve", "kuhn"],
    "cfr-br": ["solve", "hulhe", "--buckets", "30,20,20", "--warm-up", "0.3"],
    "spot": ["spot", "--board", "Td9d6hQc2s", "--line", "rc/crc/cc/", "--strategy", "uniform", "--lock", "r:fold=0.4"],
}
MANY = [name for name in KINDS if name != "cfr-br"]


def unfinished(out, arguments):
    """A checkpoint after three iterations."""
    step, spot_step = GameSolver.step, SpotSolver.step

    def stopping(run, most, _):
        done = step(run, 1)
        if run.iterations == 3:
            signal.raise_signal(signal.SIGINT)
        return done

    def stopping_spot(solver, schedule):
        spot_step(solver, schedule)
        if solver.iterations == 3 and signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            signal.raise_signal(signal.SIGINT)  # not in the forecast's trial

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GameSolver, "step", stopping)
        patch.setattr(SpotSolver, "step", stopping_spot)
        assert main([*arguments, "--iterations", "9", "--threads", "1", "--out", str(out)]) == 130
    out.unlink(missing_ok=True)  # a spot's best so far
    return checkpoint.path_for(out)


def checkpoints_are_never_misread(arguments, folder, capsys, count):
    out = folder / "x.h5"
    kept = unfinished(out, arguments)
    whole = folder / "whole"
    shutil.copy(kept, whole)
    again = [arguments[0], "--resume", str(kept), "--iterations", "4", "--threads", "1"]
    assert main(again) == 0
    truth, arrays, hit = play(out), members(whole), 0
    for place, bit in flips(whole, count, 2):
        flip(whole, kept, place, bit)
        out.unlink(missing_ok=True)
        code, _, err = answered(capsys, again)
        if code:
            said = err.splitlines()
            assert code == 1, (place, bit, err)
            assert said[-1].startswith(f"cfr: {kept}: "), (place, bit, err)
            assert "Traceback" not in err
        else:
            assert play(out) == truth, (place, bit)
        if within(place, arrays):
            assert code, (place, bit)
            hit += 1
    assert hit > count // 2


@pytest.mark.parametrize("kind", ["dcfr", "kuhn", "spot"])
def test_a_flipped_bit_in_a_checkpoint(kind, tmp_path, capsys):
    checkpoints_are_never_misread(KINDS[kind], tmp_path, capsys, FEW // 3)


@pytest.mark.slow
@pytest.mark.parametrize("kind", MANY)
def test_three_hundred_flipped_bits_in_a_checkpoint(kind, tmp_path, capsys):
    checkpoints_are_never_misread(KINDS[kind], tmp_path, capsys, CHECKPOINT_FLIPS)


@pytest.mark.slow
@pytest.mark.usefixtures("hulhe_file")  # which fills the cache with the same buckets
def test_three_hundred_flipped_bits_in_a_checkpoint_of_buckets(cache, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("CFR_CACHE", str(cache))
    checkpoints_are_never_misread(KINDS["cfr-br"], tmp_path, capsys, CHECKPOINT_FLIPS)
