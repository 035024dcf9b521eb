"""The benchmarks run and print their fingerprints; how fast they are is nobody's test."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cfr.exploit.exploitability import measure_boards
from cfr.exploit.measurement_run import Run
from cfr.exploit.resolved_exploitability import resolved_exploitability
from cfr.game.rules import Game
from cfr.resolving.resolver import Effort
from cfr.resolving.resolving_strategy import Resolving
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.stored import Strategy
from tests.thorough import with_thorough

ROOT = Path(__file__).parent.parent
QUICK = {
    "acpc": ["--hands", "10"],
    "blind": ["--game", "leduc"],
    "checked_down": ["--quick"],
    "countering": ["--quick"],
    "data_biased": ["--quick"],
    "gadgets": ["--quick"],
    "hand_list": ["--quick"],
    "isomorphism": ["--hands", "1000", "--repeats", "1"],
    "laying_out": ["--quick"],
    "learning": ["--quick"],
    "many_cores": ["--quick"],
    "match": ["--hands", "100"],
    "openspiel": ["--quick"],
    "passes": ["--quick"],
    "plans": ["--quick"],
    "query": ["--quick"],
    "recovery": ["--quick"],
    "reading": ["--quick"],
    "resolved_counter": ["--quick"],
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
SUPPLIED = {
    "acpc": ["--hands", "10"],
    "plans": ["--round", "flop", "--repeats", "1"],
    "query": ["--quick"],
}  # and no file
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
PAGES = [
    *(ROOT / "benchmarks").glob("*.md"),
    *(ROOT / "docs").glob("*.md"),
    ROOT / "CONTRIBUTING.md",
    ROOT / "README.md",
]
# In backticks, where a command may go on in the next line, or elsewhere, to the end of the line.
COMMANDS = [
    re.compile(rf"{before}python\s+-m\s+benchmarks\.(\w+)\.(\w+)([^{until}]*)")
    for before, until in (("`", "`"), ("[^`]", r"\n"))
]


def run(name: str, *arguments: str) -> str:
    command = [sys.executable, "-m", f"benchmarks.{PATHS[name].parent.name}.{name}", *arguments]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_every_benchmark_is_here():
    assert set(PATHS) == {*BROWSER, *QUICK, *LONGER, *SLOW}
    index = (ROOT / "benchmarks" / "README.md").read_text("utf-8")
    assert sorted(re.findall(r"^\| `(\w+)` \|", index, re.MULTILINE)) == sorted(PATHS)


def commands(text: str) -> Iterator[tuple[str, str, str]]:
    """Folder, program and arguments of each benchmark that a text tells to run."""
    for pattern in COMMANDS:
        yield from pattern.findall(text)


def test_commands_are_read():
    in_line, block = (
        "Run `python -m\nbenchmarks.speed.web\n--hands 2`.",
        "    $ python -m benchmarks.studies.split --cards 24",
    )
    assert list(commands(f"{in_line}\n\n{block}\n    mbb/g")) == [
        ("speed", "web", "\n--hands 2"),
        ("studies", "split", " --cards 24"),
    ]


@pytest.mark.parametrize("place", [*PAGES, *PATHS.values()], ids=lambda path: path.stem)
def test_benchmarks_have_the_options_with_which_they_are_named(place):
    for folder, name, arguments in commands(place.read_text("utf-8")):
        assert (folder, name) == (PATHS[name].parent.name, name)
        source = PATHS[name].read_text("utf-8")
        shared = re.findall(r"^from benchmarks\.\w+\.(\w+) import", source, re.MULTILINE)
        source += "".join(PATHS[each].read_text("utf-8") for each in shared)
        for option in re.findall(r"--[a-z-]+", arguments):
            assert f'"{option}"' in source, f"{name}: {option}"


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
        measure_boards(BuiltIn("uniform", Game.bundled("leduc")), run=Run(partial=tmp_path / "log"))
    assert run(name, *(QUICK | LONGER)[name], *more).splitlines()[-1].startswith("fingerprint ")


@pytest.mark.thorough
@pytest.mark.parametrize("name", SUPPLIED)
def test_the_supplied_strategy_is_the_default(name):
    assert run(name, *SUPPLIED[name]).splitlines()[-1].startswith("fingerprint ")


@pytest.mark.thorough
def test_samples_of_re_solved_play_are_drawn_from_its_log(leduc_file, tmp_path):
    with Strategy(leduc_file) as blueprint:
        strategy = Resolving(blueprint, "flop", Effort(2))
        whole = resolved_exploitability(strategy, None, control=None, run=Run(partial=tmp_path / "log"))
        measure_boards(blueprint).flop_values("leduc").save(tmp_path / "values.h5")
    asked = (str(leduc_file), "--resolve", "flop", "--iterations", "2", "--sizes", "2", "--samples", "3")
    said = [
        run("sampling", *asked, "--log", str(tmp_path / "log"), *more)
        for more in ((), ("--control-variate", str(tmp_path / "values.h5")))
    ]
    assert all(each.startswith(f"exact {whole.exploitability_mbb:.4f} mbb/g") for each in said)
    assert said[0] != said[1]


@pytest.mark.thorough
def test_matches_of_a_learning_player_stand_beside_exact_wins():
    head, *rows, last = run("learning", "--quick", "--matches").splitlines()
    assert head.split() == ["player", "match", "+-", "AIVAT", "+-", "exact"]
    assert [len(row[22:].split()) for row in rows] == [5, 5]
    assert last.startswith("fingerprint ")


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted({*SLOW, *LONGER}))
def test_slow_benchmarks_start_and_mention_their_fingerprint(name):
    assert "fingerprint" in run(name, "--help") + PATHS[name].read_text("utf-8")
