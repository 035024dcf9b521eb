"""Solves without buckets whose last round goes by strength: bits in memory, on disk and resumed, and what is exact."""

from dataclasses import replace

import h5py
import pytest

from cfr.abstraction.abstraction import Abstraction
from cfr.cli.main import main
from cfr.exploit.exploitability import exploitability
from cfr.game.rules import Game
from cfr.solver import checkpoint
from cfr.solver.game_solver import GameSolver
from cfr.solver.memory_need import rows_of
from cfr.solver.out_of_core.piece_plan import make_plan
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.strategy.files.file import STRENGTH_VERSION, verify
from cfr.strategy.files.stored import Strategy
from cfr.system.errors import BadInputError
from tests.solver.out_of_core.lossless_solves import BEYOND, RIVERS

pytestmark = pytest.mark.usefixtures("small_pieces")

LEDUC = Game.bundled("leduc")


def settings(tmp_path, name="x.h5", game=RIVERS, **more):
    how = {"iterations": 5, "river_rows": "strength"} | more
    return Settings(game, None, lossless=True, out=tmp_path / name, **how)


def contents(path):
    verify(path)
    with h5py.File(path) as file:
        names = ("checksum", "exploitability_mbb", "stored_exploitability_mbb", "format_version")
        return {name: file.attrs[name] for name in names}


@pytest.mark.parametrize("tables", ["float32", "int8"])
def test_memory_disk_and_threads_give_the_same_bits(tables, tmp_path):
    whole = solve(settings(tmp_path, "whole.h5", tables=tables))
    assert contents(whole.file)["format_version"] == STRENGTH_VERSION
    for threads in (1, 2):
        asked = settings(
            tmp_path, f"{threads}.h5", tables=tables, threads=threads, memory_gb=BEYOND + 0.06 * (threads - 1)
        )
        assert make_plan(asked).count > 2
        assert contents(solve(asked).file) == contents(whole.file)


def test_a_best_response_tells_hands_apart_that_share_a_row(tmp_path):
    """What the solve says of itself is what ``cfr exploit`` says of its file, hand by hand."""
    solved = solve(settings(tmp_path, iterations=60))
    with Strategy.open(solved.file) as strategy:
        found = exploitability(strategy).exploitability_mbb
        assert found == pytest.approx(solved.stored_exploitability_mbb, rel=1e-9)
        board = RIVERS.deck[[0, 3, 5, 6]].tolist()
        state = strategy.betting.parse("cc/cc/cc/")
        spot = strategy.at(state, board)
        assert spot.range().frequencies.shape[0] == RIVERS.num_hands
        rows = strategy.abstraction.rows(3, [board])[0]
        assert [strategy.abstraction.place(hand, board) for hand in RIVERS.hands[rows >= 0].tolist()] == [
            row for row in rows.tolist() if row >= 0
        ]


def test_where_suits_do_not_matter_nothing_is_lost(tmp_path):
    """In Leduc hold'em hands that tie on a board are one hand in two suits."""
    by_hand, by_strength = (
        solve(settings(tmp_path, f"{rows}.h5", LEDUC, iterations=200, river_rows=rows)).exploitability_mbb
        for rows in ("hands", "strength")
    )
    assert by_strength == pytest.approx(by_hand, rel=1e-9)
    asked = settings(tmp_path, game=LEDUC)
    assert rows_of(asked) == (3, 9)
    assert rows_of(replace(asked, river_rows="hands")) == (3, 15)


def test_it_goes_on_to_the_same_bits_and_not_by_hand(tmp_path):
    whole = solve(settings(tmp_path, "whole.h5"))
    asked = settings(tmp_path)
    solver = GameSolver(asked, Abstraction.lossless(RIVERS, "strength"))
    solver.step()
    kept = solver.save_checkpoint()
    with pytest.raises(BadInputError, match="a checkpoint of another solve"):
        solve(replace(asked, resume=kept, river_rows="hands"))
    found = checkpoint.resumed(kept)
    assert found.river_rows == "strength"
    assert contents(solve(found).file) == contents(whole.file)


def test_from_the_command_line(tmp_path, capsys):
    game, out = tmp_path / "rivers.game", tmp_path / "x.h5"
    game.write_text(RIVERS.text())
    words = ["solve", str(game), "--lossless", "--iterations", "5", "--out", str(out)]
    assert main([*words, "--river-rows", "strength", "--dry-run"]) == 0
    assert f"rows per round {', '.join(f'{n:,}' for n in rows_of(settings(tmp_path)))}" in capsys.readouterr().out
    assert main([*words, "--river-rows", "strength"]) == 0
    with Strategy.open(out) as strategy:
        assert strategy.abstraction.num_rows == rows_of(settings(tmp_path))
    assert main(["solve", "leduc", "--river-rows", "strength", "--iterations", "1"]) == 2
    assert "river rows: only solves with --lossless" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"river_rows": "suits"}, "river rows: 'suits'; expected hands or strength"),
        ({"lossless": False}, "river rows: only solves with lossless=True go by strength; leave it out"),
    ],
)
def test_what_cannot_be(changes, said, tmp_path):
    with pytest.raises(BadInputError) as caught:
        replace(settings(tmp_path), **changes)
    assert str(caught.value) == said
