"""The benchmarks run and print their fingerprints; how fast they are is nobody's test."""

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from benchmarks.studies.lossless import one_raise
from benchmarks.studies.trunk import ControlVariate, of_flops
from cfr.exploit.exploitability import measure_boards
from cfr.game.rules import Game
from cfr.hands.flops import first_boards, sample
from cfr.kernel.pieces import all_boards
from cfr.strategy.built_in import BuiltIn
from tests.thorough import with_thorough

ROOT = Path(__file__).parent.parent
QUICK = {
    "acpc": ["--hands", "10"],
    "blind": ["--game", "leduc"],
    "checked_down": ["--quick"],
    "gadgets": ["--quick"],
    "hand_list": ["--quick"],
    "isomorphism": ["--hands", "1000", "--repeats", "1"],
    "learning": ["--quick"],
    "many_cores": ["--quick"],
    "match": ["--hands", "100"],
    "openspiel": ["--quick"],
    "passes": ["--quick"],
    "plans": ["--quick"],
    "query": ["--quick"],
    "recovery": ["--quick"],
    "reading": ["--quick"],
    "schedules": ["--quick"],
    "spot_table": ["--quick"],
    "spots": ["--quick"],
    "strength": [],
    "sampling": ["uniform", "--game", "leduc", "--sizes", "2", "--samples", "3"],
    "tables": ["--quick"],
    "traverse": ["--quick"],
    "trunk": ["--quick"],
    "web": ["uniform", "--players", "3", "--hands", "2"],
}
LONGER = {
    "cluster": ["uniform", "--flops", "2"],
    **{name: ["--quick"] for name in ("models", "opponents", "resolving", "review", "stopping")},
}
CHEAP = {"blind", "isomorphism", "strength", "tables"}  # others are left to the thorough run
SLOW = {
    "abstraction",
    "evaluate",
    "river_rows",
    "flop_from_disk",
    "lossless",
    "refine",
    "split",
}  # nothing they offer is quick; that they start is all that is tested
BROWSER = {"screenshots", "walk"}  # tested beside the page, in tests/browser
PATHS = {path.stem: path for path in (ROOT / "benchmarks").glob("*/*.py")}


def run(name: str, *arguments: str) -> str:
    command = [sys.executable, "-m", f"benchmarks.{PATHS[name].parent.name}.{name}", *arguments]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_every_benchmark_is_here():
    assert set(PATHS) == {*BROWSER, *QUICK, *LONGER, *SLOW}
    index = (ROOT / "benchmarks" / "README.md").read_text("utf-8")
    assert sorted(re.findall(r"^\| `(\w+)` \|", index, re.MULTILINE)) == sorted(PATHS)


@pytest.mark.parametrize(
    "name",
    [*with_thorough(QUICK.keys() - CHEAP, QUICK), *(pytest.param(name, marks=pytest.mark.slow) for name in LONGER)],
)
def test_quick_runs_print_a_fingerprint(name, leduc_file, tmp_path):
    if name == "openspiel":
        pytest.importorskip("pyspiel")
    if name == "cluster":
        pytest.importorskip("ray")
    if name in ("web", "hand_list"):
        pytest.importorskip("starlette")
        pytest.importorskip("uvicorn")
    more = [str(leduc_file)] if name in ("acpc", "match", "query") else []
    if name == "sampling":
        more = ["--log", str(tmp_path / "log")]
        measure_boards(BuiltIn("uniform", Game.bundled("leduc")), partial=tmp_path / "log")
    assert run(name, *(QUICK | LONGER)[name], *more).splitlines()[-1].startswith("fingerprint ")


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted({*SLOW, *LONGER}))
def test_slow_benchmarks_start_and_mention_their_fingerprint(name):
    assert "fingerprint" in run(name, "--help") + PATHS[name].read_text("utf-8")


def test_the_control_variate_of_a_trunk_is_zero_sum_and_makes_up_for_the_sample():
    game = one_raise(16)
    measured = measure_boards(BuiltIn("uniform", game))
    opening, values = measured.measurement.opening, measured.flop_values("uniform").values[:, :2].astype(float)
    drawn = sample(first_boards(game), 8, 0)
    control = ControlVariate.of(opening, values, game, drawn)
    reach = np.random.default_rng(1).random(opening.reach.shape)
    won = [(reach[seat] * control.values(seat, reach[1 - seat])).sum() for seat in (0, 1)]
    assert won[0] == pytest.approx(-won[1]) != 0
    met = opening.reach @ game.apart
    of_pairs = [(reach * met[::-1][seat]).sum(axis=1) for seat, reach in enumerate(opening.reach)]
    missed = np.tensordot(first_boards(game).share, values, 1) - values[drawn].mean(axis=0)
    means = (opening.reach * missed[..., opening.classes]).sum(axis=2) / of_pairs
    assert control.middle == pytest.approx((means[0] - means[1]) / 2)
    made_up = (opening.reach[0] * control.values(0, opening.reach[1])).sum(axis=1)
    assert made_up == pytest.approx(control.middle * of_pairs[0])
    hand, leaf = 7, 1  # one hand, opponent by opponent
    each = control.above[1, leaf, hand] - control.above[0, leaf] + control.middle[leaf]
    chips = control.values(1, opening.reach[0])[leaf, hand]
    assert chips == pytest.approx((opening.reach[0, leaf] * game.apart[hand] * each).sum()) != 0


def test_a_sample_of_flops_weighs_as_much_as_all_of_them():
    game = one_raise(16)
    levels = of_flops(game, np.array([3, 3, 5, 20]))
    assert levels[1].factor.sum() == pytest.approx(all_boards(game)[1].factor.sum())
    assert [len(level.cards) for level in levels[:2]] == [1, 3]
    for above, below in pairwise(levels[1:]):
        assert (above.cards[below.parent] == below.cards[:, : above.cards.shape[1]]).all()
