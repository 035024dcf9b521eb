"""Solving: the same file at any number of threads, after any interruption, and one line for what cannot be done."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

from cfr.abstraction.abstraction import Abstraction
from cfr.cli.main import main
from cfr.exploit.exploitability import exploitability
from cfr.game.rules import GAME_NAMES, Game
from cfr.solver import checkpoint
from cfr.solver.cfr_br import TOGETHER
from cfr.solver.forecast import make_forecast
from cfr.solver.game_solver import GameSolver
from cfr.solver.memory_need import memory_bytes, num_rows, table_bytes
from cfr.solver.presets import NEVER, PRESETS
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.strategy.files.stored import Strategy
from cfr.system.errors import BadInputError, CfrError, DamagedFileError
from tests.thorough import thorough, with_thorough

HULHE = Game.bundled("hulhe")
BUCKETS = (30, 20, 20)


def contents(path: Path) -> tuple[str, list[np.ndarray]]:
    with h5py.File(path) as file:
        rounds = file["rounds"]
        return str(file.attrs["checksum"]), [rounds[f"{r}/probabilities"][...] for r in range(len(rounds))]


@pytest.mark.parametrize(
    ("blinds", "first", "caps"), [((1, 1), 0, (4, 0)), ((2, 1), 1, (2, 0)), ((2, 1), 0, (0, 2)), ((1, 1), 0, (0, 0))]
)
def test_a_seat_that_may_only_check_checks(blinds, first, caps, tmp_path):
    """Where nobody may raise, a node has one action."""
    game = replace(Game.bundled("leduc"), name="capped", blinds=blinds, first_players=(first, 0), max_raises=caps)
    solved = solve(Settings(game, None, iterations=200, out=tmp_path / "x.h5"))
    with Strategy.open(tmp_path / "x.h5") as strategy:
        for number, betting in enumerate(strategy.betting.rounds):
            played = strategy.source.probabilities(number, np.arange(strategy.num_rows[number]), np.arange(1))
            for numbers in betting.action_index:
                np.testing.assert_allclose(played[:, numbers[numbers >= 0]].sum(axis=1), 1, atol=1e-12)
        found = exploitability(strategy).exploitability_mbb
    assert found == pytest.approx(solved.stored_exploitability_mbb, abs=1e-6)
    assert found <= max(1.2 * solved.exploitability_mbb, 1e-6)


@pytest.fixture(autouse=True)
def _cached(cache, monkeypatch):
    monkeypatch.setenv("CFR_CACHE", str(cache))


def hulhe(tmp_path: Path, name: str, **changes) -> Settings:
    usual = {"game": HULHE, "buckets": BUCKETS, "iterations": 5, "threads": 2, "out": tmp_path / name}
    return Settings(**(usual | changes))


@pytest.mark.usefixtures("hulhe_file")  # which fills the cache with the same buckets
@pytest.mark.parametrize(
    ("schedule", "rivers", "never", "tables", "batch"),
    [
        ("cfr-br", 3, NEVER, "float32", 1),
        *thorough(("cfr+", 2, (), "bfloat16", 2), ("cfr-br", 2, NEVER, "float32", 2)),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in (
                ("cfr+", 1, (), "float32", 1),
                ("cfr-br", 1, (), "float32", 1),
                ("cfr-br", 3, NEVER, "bfloat16", 1),
            )
        ),
    ],
)
def test_the_same_file_at_any_number_of_threads_and_after_a_resume(tmp_path, schedule, rivers, never, tables, batch):
    how = {"schedule": schedule, "warm_up": 0.4, "rivers": rivers, "never": never, "tables": tables, "batch": batch}
    results = [solve(hulhe(tmp_path, f"{threads}.h5", threads=threads, **how)) for threads in (1, 2, 3)]
    assert [result.iterations for result in results] == [5, 5, 5]
    one = contents(tmp_path / "1.h5")
    for several in (contents(tmp_path / "2.h5"), contents(tmp_path / "3.h5")):
        assert one[0] == several[0]
        assert all(np.array_equal(a, b) for a, b in zip(one[1], several[1], strict=True))

    half = GameSolver(hulhe(tmp_path, "half.h5", **how), Abstraction.build(HULHE, BUCKETS, threads=2))
    while half.iterations < 3:
        if half.iterations == 2 and half.is_warming_up:
            half.start_responding()
        half.step(batch)
    kept = half.save_checkpoint()
    resumed = solve(hulhe(tmp_path, "resumed.h5", resume=kept, threads=1, **how))
    assert resumed.iterations == 5
    assert contents(tmp_path / "resumed.h5")[0] == one[0]
    with Strategy.open(tmp_path / "resumed.h5") as strategy:
        assert strategy.attributes.get("warm_up_iterations") == (2 if schedule == "cfr-br" else None)
        assert strategy.attributes.get("batch") == (2 if batch == 2 else None)

    other = hulhe(tmp_path, "other.h5", resume=kept, seed=1, **how)  # which is refused before buckets are made
    with pytest.raises(BadInputError, match="another solve, which differs in: "):
        solve(other)


def learnt_play(folder, **how):
    """What 400 iterations of 20 cards learn to answer a raise; and the numbers of their tables."""
    asked = hulhe(folder, "x.h5", game=Game.bundled("royal"), iterations=400, schedule="cfr-br", warm_up=0.1, **how)
    result = solve(asked)
    with Strategy.open(result.file) as strategy:
        return strategy.range("", "r").frequencies, strategy.attributes["tables"]


@pytest.fixture(scope="module")
def plain_play(tmp_path_factory):
    """In 32 bits, one iteration at a time."""
    play, tables = learnt_play(tmp_path_factory.mktemp("plain"))
    assert tables == "float32"
    return play


@pytest.mark.thorough
def test_16_bit_tables_learn_what_32_bits_learn(plain_play, tmp_path):
    """Sums of many small shares come out right on average, where rounding to the nearest would lose them."""
    play, tables = learnt_play(tmp_path, tables="bfloat16")
    assert tables == "bfloat16"
    assert 0 < np.abs(plain_play - play).mean() < 0.05
    large = [
        hulhe(tmp_path, "x.h5", buckets=(60000, 60000, 60000), tables=tables) for tables in ("float32", "bfloat16")
    ]
    needed = [memory_bytes(settings) for settings in large]
    assert needed[1] < 0.6 * needed[0]


@pytest.mark.thorough
def test_batches_are_another_way_to_the_same_play(plain_play, tmp_path):
    """Strategies before the last round wait for the end of a batch; many iterations on, that is little."""
    play, _ = learnt_play(tmp_path, batch=4)
    assert 0 < np.abs(plain_play - play).mean() < 0.05


@pytest.mark.thorough
def test_a_batch_is_asked_for_on_the_command_line(tmp_path):
    out, words = tmp_path / "x.h5", ["--buckets", "30,20,20", "--iterations", "4", "--threads", "1"]
    assert main(["solve", *words, "--batch", "2", "--purge", "0", "--warm-up", "0.5", "--out", str(out)]) == 0
    with Strategy.open(out) as strategy:
        assert strategy.attributes["batch"] == 2


def test_batches_that_cannot_be(tmp_path):
    for batch in (0, 257):
        with pytest.raises(BadInputError, match=f"^batch: {batch}; expected 1 to 256$"):
            hulhe(tmp_path, "x.h5", batch=batch)
    message = "^batch: games solved without buckets visit all boards; leave it out$"
    with pytest.raises(BadInputError, match=message):
        Settings(Game.bundled("leduc"), None, iterations=1, batch=2)


@pytest.mark.parametrize("tables", ["float32", "bfloat16"])
def test_the_tables_are_as_large_as_forecast(tables, tmp_path):
    asked = hulhe(tmp_path, "x.h5", buckets=(30, 20, "3x20"), schedule="cfr-br", tables=tables)
    solver = GameSolver(asked, Abstraction.build(HULHE, asked.buckets, threads=2))
    solver.start_responding()
    held = [*solver.regrets, *solver.averages, *solver.responders]
    assert sum(table.nbytes for pair in held for table in pair) == table_bytes(asked)


def test_batches_need_memory_for_their_boards(tmp_path):
    how = {"buckets": (60000, 60000, "25x2000"), "schedule": "cfr-br", "rivers": 4}
    needed = [memory_bytes(hulhe(tmp_path, "x.h5", batch=size, **how)) for size in (1, 8, 64)]
    assert 8 * (needed[1] - needed[0]) == needed[2] - needed[0]
    assert 400e6 < needed[1] - needed[0] < 800e6  # 50 MB were measured for an iteration's boards of both seats


def test_tables_that_there_are_not(tmp_path):
    with pytest.raises(BadInputError, match=r"^tables: 'int8'; expected float32 or bfloat16$"):
        hulhe(tmp_path, "x.h5", tables="int8")
    with pytest.raises(BadInputError, match=r"^tables: bfloat16; games solved without buckets have float32$"):
        Settings(Game.bundled("rhode-island"), None, iterations=1, tables="bfloat16")


@pytest.mark.thorough
@pytest.mark.usefixtures("hulhe_file")  # which fills the cache with the same buckets
def test_boards_prepared_ahead_are_those_made_when_needed(tmp_path):
    """Over batches of boards: at 1 and 2 threads, and resumed in the middle of a batch, in steps of other lengths."""
    count, stop = 2 * TOGETHER + 4, TOGETHER + 3
    how = {"schedule": "cfr-br", "warm_up": 0.1, "rivers": 2, "never": NEVER, "iterations": count}
    for threads in (1, 2):
        solve(hulhe(tmp_path, f"{threads}.h5", threads=threads, **how))
    whole = contents(tmp_path / "1.h5")[0]
    assert contents(tmp_path / "2.h5")[0] == whole

    part = GameSolver(hulhe(tmp_path, "part.h5", **how), Abstraction.build(HULHE, BUCKETS, threads=2))
    while part.iterations < stop:
        part.respond_if_warm(part.iterations / count)
        part.step(min(3, stop - part.iterations))
    solve(hulhe(tmp_path, "resumed.h5", resume=part.save_checkpoint(), **how))
    assert contents(tmp_path / "resumed.h5")[0] == whole


@pytest.mark.usefixtures("hulhe_file")  # which fills the cache with the same buckets
def test_what_is_never_done_is_not_stored(tmp_path):
    solve(hulhe(tmp_path, "x.h5", schedule="cfr-br", warm_up=0.4, never=("c", "rrr")))
    with Strategy.open(tmp_path / "x.h5") as strategy:
        assert strategy.attributes["never"] == "c,rrr"
        for line, never in (("", 1), ("rr", 2)):
            assert not strategy.range("", line).frequencies[:, never].any()
        # What the button would do if it came there is a call; the big blind has learnt what to do.
        forced = strategy.range("Td9d6h", "cc/c").frequencies
        assert set(forced[forced.any(axis=1), 1].tolist()) == {1.0}
        learnt = strategy.range("Td9d6h", "cc/").frequencies
        assert learnt[:, 2].max() > 0.1


@pytest.mark.usefixtures("hulhe_file")  # which fills the cache with the same buckets
@pytest.mark.slow
def test_a_river_that_remembers_the_turn(tmp_path):
    """From the command line to the file and its answers; resumed, and measured on the boards of two flops."""
    out = tmp_path / "x.h5"
    assert main(["solve", "--buckets", "30,20,3x20", "--iterations", "6", "--warm-up", "0.4", "--out", str(out)]) == 0
    whole = contents(out)
    assert len(whole[1][3]) == 60
    settings = hulhe(
        tmp_path,
        "y.h5",
        buckets=(30, 20, "3x20"),
        iterations=6,
        schedule="cfr-br",
        warm_up=0.4,
        rivers=PRESETS["quick"].rivers,
        purge=PRESETS["quick"].purge,
        purge_unplayed=PRESETS["quick"].purge_unplayed,
        never=NEVER,
    )
    half = GameSolver(settings, Abstraction.build(HULHE, settings.buckets, threads=2))
    for iteration in range(4):
        half.respond_if_warm(iteration / 6)
        half.step()
    result = solve(replace(settings, resume=half.save_checkpoint()))
    assert result.iterations == 6
    assert contents(tmp_path / "y.h5")[0] == whole[0]
    with Strategy.open(out) as strategy:
        assert strategy.attributes["buckets"] == "30,20,3x20"
        assert strategy.attributes["format_version"] == 3
        board, line = "Td9d6h2c3s", "rc/cc/cc/"
        spot = strategy.range(board, line)
        number = spot.hands.tolist().index("KhAs")
        hand = strategy.probabilities("AsKh", board, line)
        assert spot.frequencies[number, 1:].tolist() == [hand["call"], hand["raise"]]
        measured = exploitability(strategy, 2, threads=2)
        assert measured.exploitability_mbb > 0


def test_checkpoints_that_are_damaged_say_so(tmp_path):
    game = Game.bundled("leduc")
    settings = Settings(game, None, iterations=2, out=tmp_path / "l.h5")
    run = GameSolver(settings, Abstraction.lossless(game))
    run.step()
    kept = run.save_checkpoint()
    assert checkpoint.read(kept).identity == checkpoint.identity_of(replace(settings, schedule="hs-dcfr"))
    whole = kept.read_bytes()
    for broken in (b"", b"nonsense", whole[:200], whole[: len(whole) // 2]):
        kept.write_bytes(broken)
        with pytest.raises(DamagedFileError) as error:
            checkpoint.read(kept)
        assert "\n" not in str(error.value)
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    kept.write_bytes(bytes(flipped))
    with pytest.raises(CfrError):
        GameSolver(Settings(game, None, iterations=2, out=tmp_path / "l.h5", resume=kept), Abstraction.lossless(game))


INTERRUPTED = [sys.executable, "-m", "cfr", "solve", "rhode-island", "--iterations", "99999", "--threads", "1", "--out"]


def test_ctrl_c_keeps_a_checkpoint(tmp_path):
    out = tmp_path / "ri.h5"
    child = subprocess.Popen([*INTERRUPTED, str(out)], stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    with child:
        assert child.stderr is not None
        child.stderr.readline()  # the forecast: it has begun
        time.sleep(2)
        child.send_signal(signal.SIGINT)
        said = child.stderr.read()
        assert child.wait(30) == 130
    assert "continue with: cfr solve --resume" in said.splitlines()[-1]
    assert "Traceback" not in said
    assert checkpoint.read(checkpoint.path_for(out)).identity["game"] == Game.bundled("rhode-island")
    assert not out.exists()


def test_a_target_is_measured_and_stored(tmp_path):
    result = solve(Settings(Game.bundled("kuhn"), None, target_mbb=1.0, out=tmp_path / "k.h5"))
    assert result.exploitability_mbb is not None
    assert result.exploitability_mbb <= 1.0
    with Strategy.open(tmp_path / "k.h5") as strategy:
        assert strategy.attributes["exploitability_mbb"] == result.exploitability_mbb


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"threads": 0}, "threads: 0"),
        ({"iterations": 0}, "iterations: 0"),
        ({"iterations": None, "minutes": -1.0}, "minutes: -1.0"),
        ({"iterations": None}, "say when to stop: iterations=, minutes= or target_mbb="),
        ({"iterations": None, "target_mbb": 1.0}, "with buckets say minutes or iterations, too"),
        ({"target_mbb": 1.0, "target_flops": 1}, "target flops: 1"),
        ({"purge": 0.5}, "purge: 0.5"),
        ({"warm_up": 1.0}, "warm-up: 1.0"),
        ({"rivers": 0}, "rivers: 0; expected 1 to 44"),
        ({"rivers": 45}, "rivers: 45; expected 1 to 44"),
        ({"buckets": None, "rivers": 2}, "without buckets visit all boards"),
        ({"never": ("c",)}, "never: c; only schedule cfr-br"),
        ({"schedule": "cfr-br", "never": ("c", "rf")}, "'rf' is no line of the first round"),
        ({"schedule": "cfr-br", "never": ("crrrr",)}, "'crrrr' is no line of the first round"),
        ({"schedule": "cfr-br", "never": ("c", "r")}, "without c, r only a fold would be left"),
        ({"schedule": "dcfr"}, "with buckets it is cfr\\+ or cfr-br"),
        ({"schedule": "cfr-br", "buckets": None}, "only games solved with buckets"),
    ],
)
def test_settings_that_make_no_sense(tmp_path, changes, says):
    with pytest.raises(CfrError, match=says):
        hulhe(tmp_path, "x.h5", **changes)


def test_what_does_not_fit_is_refused_before_it_starts(tmp_path):
    with pytest.raises(CfrError, match="too large to solve without buckets"):
        solve(Settings(HULHE, None, iterations=1, out=tmp_path / "x.h5"))
    with pytest.raises(CfrError, match="GB of memory"):
        solve(Settings(HULHE, (5000, 65535, "lossless"), iterations=1, out=tmp_path / "x.h5"))


@pytest.mark.parametrize("name", with_thorough(["hulhe"], GAME_NAMES))
def test_forecasts(name, tmp_path):
    game = Game.bundled(name)
    buckets = PRESETS["quick"].buckets if name == "hulhe" else None
    expected = make_forecast(Settings(game, buckets, minutes=4.0, out=tmp_path / "x.h5"))
    assert expected.rows == num_rows(game, buckets)
    assert expected.memory_bytes > 0
    assert "GB at the peak" in str(expected)
    if name == "hulhe":
        assert expected.memory_bytes < 4e9
        assert expected.iterations is not None
        assert expected.iterations > 100


def test_what_the_last_iteration_does_not_play_is_purged_as_a_whole(tmp_path):
    """Nothing of it is left among the remainders of rounding."""
    leduc, out = Game.bundled("leduc"), tmp_path / "leduc.h5"
    solver = GameSolver(Settings(leduc, None, iterations=200), Abstraction.lossless(leduc))
    for _ in range(200):
        solver.step()
    found = np.zeros(2, int)
    for number, size in enumerate(solver.abstraction.num_rows):
        whole, last = (solver.stored_round(number, each).read(0, size) for each in ("average", "current"))
        solver.settings = replace(solver.settings, purge_unplayed=0.2)
        kept = solver.stored_round(number).read(0, size)
        solver.settings = replace(solver.settings, purge_unplayed=0.0)
        rare = (whole > 0) & (whole < 0.2 * 255)
        assert (kept[rare & (last == 0)] == 0).all()
        assert (kept[rare & (last > 0)] > 0).all()
        found += [(rare & (last == 0)).sum(), (rare & (last > 0)).sum()]
    assert found.all()
    result = solve(Settings(leduc, None, iterations=200, purge_unplayed=0.2, out=out))
    with Strategy.open(out) as strategy:
        for number, rows in enumerate(strategy.num_rows):
            assert strategy.read(number, slice(0, rows)).min() >= 0
        assert exploitability(strategy).exploitability_mbb == pytest.approx(result.stored_exploitability_mbb, abs=1e-6)
