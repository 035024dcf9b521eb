"""Solves spread over the nodes of a Ray cluster: the bits of the solve in memory, whatever happens on the way."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from cfr.abstraction.abstraction import Abstraction
from cfr.cli.main import main
from cfr.game.rules import Game
from cfr.solver import checkpoint
from cfr.solver.out_of_core import spread_solver
from cfr.solver.out_of_core.spread_solver import SpreadSolver
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.system.errors import BadInputError, CfrError
from tests.small_games import GAMES, short_deck
from tests.solver.out_of_core.lossless_solves import begun, contents
from tests.system.two_nodes import ROOT

GAME = GAMES["three rounds"]
RIVERS = short_deck("rivers", 2, 4, (0, 2, 1, 1), (1, 1, 1, 1))


def settings(tmp_path, name="x.h5", game=GAME, **more):
    how = {"iterations": 5, "tables": "int8", "memory_gb": 0.3} | more
    return Settings(game, None, lossless=True, out=tmp_path / name, **how)


@pytest.mark.parametrize(
    ("game", "more"),
    [(GAME, {"schedule": "pcfr+"}), (RIVERS, {"averaging_delay": 2, "river_rows": "strength"})],
)
def test_the_bits_are_those_of_the_solve_in_memory(game, more, cluster, tmp_path):
    whole = solve(settings(tmp_path, "whole.h5", game, **more))
    spread = solve(settings(tmp_path, game=game, **more), cluster=cluster)
    assert contents(spread.file) == contents(whole.file)
    assert spread.self_play_button_mbb == whole.self_play_button_mbb
    assert sorted(path.name for path in tmp_path.iterdir()) == ["whole.h5", "x.h5"]


@pytest.mark.thorough
@pytest.mark.parametrize("looks", [1, 5])
def test_stopped_within_an_iteration_it_goes_on_to_the_same_bits(looks, cluster, tmp_path, monkeypatch):
    whole = solve(settings(tmp_path, "whole.h5", memory_gb=None))
    asked = settings(tmp_path)
    monkeypatch.setattr(spread_solver, "_SECONDS", 0.0)  # a piece of each node between two looks
    with SpreadSolver(asked, Abstraction.lossless(GAME), cluster) as solver:
        for _ in range(looks):
            solver.step(1, lambda: True)
        kept = solver.save_checkpoint()
        solver.step(1, lambda: True)  # is lost
    with pytest.raises(BadInputError, match="its tables lie on the nodes of a cluster; say cluster="):
        solve(checkpoint.resumed(kept))
    result = solve(checkpoint.resumed(kept), cluster=cluster)
    assert contents(result.file) == contents(whole.file)


@pytest.mark.thorough
def test_a_target_is_measured_on_the_way(cluster, tmp_path):
    whole, spread = (settings(tmp_path, name, iterations=40, target_mbb=60.0) for name in ("whole.h5", "x.h5"))
    found, expected = solve(spread, cluster=cluster), solve(whole)
    assert found.iterations == expected.iterations < 40
    assert contents(found.file) == contents(expected.file)


@pytest.mark.thorough
def test_the_driver_is_killed(nodes, tmp_path, capsys):
    """Its nodes' processes end with it; the next one goes on with their tables, to the same bits."""
    game = tmp_path / "rivers.game"
    game.write_text(RIVERS.text())
    whole = solve(settings(tmp_path, "whole.h5", Game.find(str(game)), iterations=40, tables="float32"))
    program = "from cfr.solver import loop; from cfr.system import clock; import sys; "
    program += "loop.PIECES_SECONDS = 0.0; clock.CHECKPOINT_SHARE = 1e9; "
    program += "from cfr.cli.main import main; sys.exit(main(sys.argv[1:]))"
    out, again = tmp_path / "x.h5", ["--ray", nodes.address, "--memory", "0.3"]
    begin = [sys.executable, "-c", program, "solve", str(game), "--lossless", "--iterations", "40", "--out", str(out)]
    kept = checkpoint.path_for(out)
    assert main(["solve", str(game), "--lossless", "--dry-run", *again]) == 0
    assert " on 2 x 1 cores: " in capsys.readouterr().out
    with subprocess.Popen([*begin, *again], cwd=ROOT, stderr=subprocess.DEVNULL) as child:
        while not kept.exists() or checkpoint.read(kept).progress.iterations < 2:
            assert child.poll() is None
            time.sleep(0.01)
        child.kill()
    assert main(["solve", "--resume", str(kept), *again]) == 0
    assert contents(out) == contents(whole.file)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"disk": "nowhere"}, "nowhere is not a folder of every node"),
        ({"memory_gb": 0.1}, "memory: 0.10 GB do not hold the pieces of this solve; expected at least"),
    ],
)
def test_what_does_not_fit_on_a_node_gets_one_line(more, says, cluster, tmp_path):
    more = {name: tmp_path / value if name == "disk" else value for name, value in more.items()}
    with pytest.raises(CfrError, match=says):
        solve(settings(tmp_path, **more), cluster=cluster)
    assert not list(tmp_path.iterdir())


@pytest.mark.thorough
def test_bad_input_gets_one_line(cluster, tmp_path, capsys):
    asked = settings(tmp_path)
    with begun(asked) as solver:
        kept = solver.save_checkpoint()
    with pytest.raises(BadInputError, match="its tables lie on one machine; leave cluster= out"):
        solve(checkpoint.resumed(kept), cluster=cluster)
    assert main(["solve", "kuhn", "--ray", "auto"]) == 2
    assert capsys.readouterr().err == "cfr: --ray: only solves with --lossless are spread over a cluster\n"
    assert main(["solve", "royal", "--lossless", "--dry-run", "--ray", "auto", "--nodes", "2x2"]) == 2
    assert "--ray forecasts the cluster that it joins" in capsys.readouterr().err


def kill_residents(nodes):
    """Those of these nodes: by their environment, which they have of the nodes."""
    kept = f"CFR_CACHE={nodes.cache}\0".encode()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            is_resident = b"ray::Resident" in (process / "cmdline").read_bytes()
            if is_resident and kept in (process / "environ").read_bytes() + b"\0":
                os.kill(int(process.name), signal.SIGKILL)


@pytest.mark.thorough
def test_at_last_a_node_is_lost(nodes, cluster, tmp_path):
    """One line; here its disk is another node's, too, which goes on."""
    whole = solve(settings(tmp_path, "whole.h5", memory_gb=None))
    asked = settings(tmp_path)
    with SpreadSolver(asked, Abstraction.lossless(GAME), cluster) as solver:
        solver.step()
        kept = solver.save_checkpoint()
        nodes.kill_one()
        kill_residents(nodes)  # they may outlive their node
        with pytest.raises(CfrError, match=r"node \S+ is lost; continue with: cfr solve --resume .* --ray"):
            solver.step()
    until = time.monotonic() + 60
    while len(cluster.alive()) > 1:
        assert time.monotonic() < until
        time.sleep(0.1)
    result = solve(checkpoint.resumed(kept), cluster=cluster)
    assert contents(result.file) == contents(whole.file)
