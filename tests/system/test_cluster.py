"""A Ray cluster of two nodes on this machine: the bits of this process, files once a node, lost nodes, clear lines."""

import gc
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from functools import partial
from itertools import count, takewhile
from pathlib import Path

import numpy as np
import pytest

from cfr.exploit.exploitability import exploitability
from cfr.exploit.head_to_head import value_against
from cfr.exploit.measurement_run import Run
from cfr.exploit.resolved_exploitability import resolved_exploitability
from cfr.play.match import match
from cfr.resolving.resolver import Effort
from cfr.resolving.resolving_strategy import Resolving
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.stored import Strategy
from cfr.study.flop_statistics import aggregate
from cfr.system.cluster import cluster as module
from cfr.system.cluster.cluster import Cluster
from cfr.system.cluster.residents import Residents
from cfr.system.cluster.workers import Processes
from cfr.system.errors import BadInputError, CfrError
from tests.small_games import short_deck
from tests.system.two_nodes import ROOT, FailingResident, begin_failing, begin_squares, begin_waiting


@pytest.fixture(scope="module")
def three_rounds(tmp_path_factory):
    game = short_deck("three rounds", 2, 4, (0, 3, 1), (2, 2, 1))
    path = tmp_path_factory.mktemp("cluster") / "three.h5"
    solve(Settings(game=game, buckets=None, iterations=6, out=path))
    return path


def same_but_for_seconds(one, other):
    np.testing.assert_equal(asdict(replace(one, seconds=0.0)), asdict(replace(other, seconds=0.0)))


def test_both_nodes_work(cluster):
    assert cluster.where == " on 2 nodes, 2 cores"
    results = list(cluster.run(begin_squares, iter(range(40))))
    assert sorted((place, square) for place, (square, _) in results) == [(n, n * n) for n in range(40)]
    assert os.getpid() not in {process for _, (_, process) in results}


def test_a_measurement_has_the_same_bits(cluster, nodes, three_rounds):
    with Strategy.open(three_rounds) as strategy:
        for flops in (None, 3):
            here, there = (exploitability(strategy, flops, threads=workers) for workers in (2, cluster))
            same_but_for_seconds(there, here)
        kept = {path: path.stat().st_mtime_ns for path in (nodes.cache / "node").iterdir() if path.suffix == ".object"}
        files = [path for path in (nodes.cache / "node").iterdir() if path.suffix == ".h5"]
        assert [path.read_bytes() for path in files] == [three_rounds.read_bytes()]
        inode = files[0].stat().st_ino
        exploitability(strategy, 2, threads=cluster)
        assert files[0].stat().st_ino == inode  # and is not written again
        assert len(kept) == 1


def test_a_head_to_head_value_has_the_same_bits(cluster, three_rounds):
    with Strategy.open(three_rounds) as strategy:
        other = BuiltIn("call-raise", strategy.game)
        here, there = (value_against(strategy, other, threads=workers) for workers in (2, cluster))
    same_but_for_seconds(there, here)


def test_a_re_solved_measurement_has_the_same_bits(cluster, three_rounds, tmp_path):
    with Strategy.open(three_rounds) as blueprint:
        strategy = Resolving(blueprint, "turn", Effort(4), threads=1, keeps=False)
        here, there = (
            resolved_exploitability(strategy, 4, 2, control=3, only_taken=True, run=Run(workers))
            for workers in (1, cluster)
        )
    same_but_for_seconds(there, here)
    assert there.subgames > 0


@pytest.mark.thorough
def test_statistics_over_flops_have_the_same_bits(cluster):
    strategy = BuiltIn("uniform")
    here, there = (aggregate(strategy, ["rc/", "crc/"], workers=workers) for workers in (None, cluster))
    assert there.reached.tobytes() == here.reached.tobytes()
    assert there.taken.tobytes() == here.taken.tobytes()
    assert there.statistics == here.statistics


def test_a_match_has_the_same_hands(cluster, leduc_file, tmp_path):
    logs = tmp_path / "here.log", tmp_path / "there.log"
    here, there = (
        match(str(leduc_file), "random", 1050, seed=4, log=log, processes=workers)
        for log, workers in zip(logs, (1, cluster), strict=True)
    )
    assert there == here
    assert logs[0].read_bytes() == logs[1].read_bytes()


def test_a_log_goes_on_here_and_there(cluster, three_rounds, tmp_path, monkeypatch):
    log = tmp_path / "log"
    with Strategy.open(three_rounds) as strategy:
        straight = exploitability(strategy, partial=log)
        whole = log.read_bytes()
        for records in (1, 3):
            # A log's first records, as if stopped there: the rest is measured on the cluster, and none of these again.
            log.write_bytes(whole[: whole.index(b"\n", 20) + 1 + records * record_size(whole)])
            done = []
            run = cluster.run
            monkeypatch.setattr(
                cluster, "run", lambda begin, units, run=run, done=done: counted(run, begin, units, done)
            )
            there = exploitability(strategy, threads=cluster, partial=log, resume=True)
            monkeypatch.undo()
            assert len(done) == straight.flops - records
            same_but_for_seconds(there, straight)
        same_but_for_seconds(exploitability(strategy, partial=log, resume=True), straight)


def record_size(log: bytes) -> int:
    width = json.loads(log.split(b"\n")[1])["width"]
    return 8 + 8 * width + 4


def counted(run, begin, units, done):
    for result in run(begin, units):
        done.append(result)
        yield result


def test_what_a_unit_raises_comes_as_it_is(cluster):
    with pytest.raises(BadInputError, match="number 3"):
        list(cluster.run(begin_failing, [3]))


def test_what_all_residents_raise_is_said_once(cluster, monkeypatch):
    """Ray prints errors that nobody waits for, among the lines of what is done next."""
    said = []
    monkeypatch.setattr(cluster.ray._private.worker, "_unhandled_error_handler", said.append)
    with Residents(cluster, "never lost") as residents:
        numbers = [residents.start(node, FailingResident, 0) for node in residents.nodes]
        with pytest.raises(BadInputError, match="number 1"):
            residents.call(numbers, "fail", 1)
        gc.collect()
        assert residents.call(numbers, "square", 3) == [9, 9]  # what failed before has come, too
    assert not said


def test_another_version_on_a_node_is_said_in_one_line(cluster, monkeypatch):
    monkeypatch.setattr(module, "code_version", lambda: "9.9.9 (abcdef01)")
    with pytest.raises(CfrError, match=r"^node \S+ has another version of cfr: .*, here is 9\.9\.9 \(abcdef01\)$"):
        list(cluster.run(begin_squares, [3]))


def test_what_cannot_be_sent_is_said_in_one_line(cluster):
    with pytest.raises(CfrError, match="cannot be sent to other machines"):
        list(cluster.run(lambda: None, [3]))


def test_who_leaves_stops_the_units(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "_is_ours", False)  # as in a program that goes on with Ray
    results = cluster.run(partial(begin_waiting, tmp_path), range(3))
    assert next(results) == (0, None)
    while not list(tmp_path.iterdir()):  # until one waits for ever
        time.sleep(0.01)
    results.close()
    while list(tmp_path.iterdir()):  # for ever, if they are not stopped
        time.sleep(0.01)
    assert [square for _, (square, _) in cluster.run(begin_squares, [3])] == [9]  # and the cores are free


def exploit(flops, *more):
    command = [sys.executable, "-m", "cfr", "exploit", "always-raise", "--flops", flops, "--json", *more]
    return subprocess.Popen(
        list(map(str, command)), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for_a_flop(log: Path, running: subprocess.Popen) -> None:
    size = 8 + 8 * (3 * 7 * 169 + 1) + 4  # of a record
    while running.poll() is None and (not log.exists() or log.stat().st_size < size):
        time.sleep(0.02)


@pytest.mark.thorough
def test_ctrl_c_keeps_what_is_done(cluster, nodes, tmp_path):
    running = exploit(1000, "--ray", nodes.address, "--partial", tmp_path / "log")
    wait_for_a_flop(tmp_path / "log", running)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate()
    assert running.returncode == 130, err
    assert not out
    assert " flops; continue with --resume" in err
    assert err.count("\n") == 1
    assert [square for _, (square, _) in cluster.run(begin_squares, [3])] == [9]  # and the cores are free


@pytest.mark.thorough
def test_a_lost_node_is_said_and_changes_no_bit(cluster, nodes, tmp_path):
    """The last test of these two nodes: one of them is killed."""
    said = []
    running = exploit(8, "--ray", nodes.address, "--partial", tmp_path / "log")
    wait_for_a_flop(tmp_path / "log", running)
    with Cluster(announce=said.append) as watching:
        nodes.kill_one()
        # Ray misses a node after seconds; there is work until then.
        results = sorted(watching.run(begin_squares, takewhile(lambda _: not said, count())))
    assert [square for _, (square, _) in results] == [n * n for n in range(len(results))]
    assert len(said) == 1
    assert said[0].endswith(" is lost; what it had in hand is done again")
    out, err = running.communicate()
    assert running.returncode == 0, err
    values, straight = json.loads(out), exploitability(BuiltIn("always-raise"), 8, threads=2)
    for name in ("exploitability_mbb", "standard_error_mbb", "self_play_button_mbb"):
        assert values[name] == getattr(straight, name)


@pytest.mark.thorough
def test_a_player_at_a_port_is_nowhere_else():
    with pytest.raises(BadInputError, match="ray; a match with a player at a port is played by 1"):
        match("acpc:0", "random", 2, processes=Processes(2))
