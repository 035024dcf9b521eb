"""Files of refined flops: the same bits after threads and kills, and what other commands say of them."""

import json
import random
import subprocess
import sys
from pathlib import Path

import h5py
import pytest

from cfr.cli.main import main
from cfr.game.cards import format_cards
from cfr.resolving.flop_refiner import FlopRefiner
from cfr.system.disk.result_log import Parts
from tests.resolving.refined_flops import SMALL, checksum, made, opened, refined

pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.thorough
def test_threads_and_kills_change_nothing(blueprint, monkeypatch, capsys):
    words = ["--iterations", "4"]
    expected = checksum(refined(blueprint, *words))
    assert checksum(refined(blueprint, *words, out="two.h5", threads="2")) == expected
    add = Parts.add

    def killed(log, number, result):
        add(log, number, result)
        if len(log.numbers) == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Parts, "add", killed)
        assert main(["refine", str(blueprint), *words, "--out", "cut.h5", "--threads", "1"]) == 130
    assert "stopped after 2 of 24 subgames; continue with --resume" in capsys.readouterr().err
    log = Path("cut.h5.flops")
    whole = log.read_bytes()
    for end in (len(whole), len(whole) - 7, len(whole) // 2, 30):  # a power cut may leave any part of the log
        log.write_bytes(whole[:end])
        assert checksum(refined(blueprint, *words, "--resume", "--overwrite", out="cut.h5")) == expected
        assert not log.exists()


def test_a_log_serves_for_other_lines(shared, monkeypatch):
    blueprint = made(shared, SMALL, limps=False)
    expected = checksum(refined(blueprint, "--iterations", "4", "--lines", "all"))
    with monkeypatch.context() as patch:
        patch.setattr("cfr.resolving.refine.discard", lambda log: None)
        refined(blueprint, "--iterations", "4", out="kept.h5")
    solve, solved = FlopRefiner.solve, []
    monkeypatch.setattr(FlopRefiner, "solve", lambda refiner, each: (solved.append(each), solve(refiner, each))[1])
    out = refined(blueprint, "--iterations", "4", "--lines", "all", "--resume", "--overwrite", out="kept.h5")
    assert checksum(out) == expected
    assert {each.seat for each in solved} == {0}
    assert len(solved) == 2 * 4  # against a limp, behind two lines on four flops


@pytest.mark.slow
def test_kills_at_any_moment(blueprint):
    words = ["--iterations", "300"]
    expected = checksum(refined(blueprint, *words))
    command = [sys.executable, "-m", "cfr", "refine", str(blueprint), *words, "--out", "cut.h5", "--threads", "2"]
    draw, log = random.Random(5), Path("cut.h5.flops")
    kills = 0
    while kills < 5:
        child = subprocess.Popen([*command, *["--resume"] * log.exists()], stderr=subprocess.DEVNULL)
        try:
            child.wait(timeout=draw.uniform(0.5, 6))
            break
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            kills += 1
    if child.returncode:
        assert kills
        subprocess.run([*command, *["--resume"] * log.exists()], check=True, stderr=subprocess.DEVNULL)
    assert checksum("cut.h5") == expected
    assert not log.exists()


@pytest.mark.slow
def test_ray_gives_the_same_bits(blueprint):
    pytest.importorskip("ray")
    expected = checksum(refined(blueprint, "--iterations", "4"))
    words = ["refine", str(blueprint), "--iterations", "4", "--out", "ray.h5", "--ray", "--threads", "1", "--json"]
    done = subprocess.run([sys.executable, "-m", "cfr", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["flops"] == 4
    assert checksum("ray.h5") == expected


def test_other_commands_take_it_or_say_why_not(blueprint, capsys):
    out = refined(blueprint, "--iterations", "2")
    hand, flop, turn = (format_cards([card]) for card in SMALL.deck[[0, 3, 6]].tolist())
    capsys.readouterr()
    assert main(["query", out, "--hand", hand, "--board", flop, "--line", "rc/", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    with h5py.File(out) as file, opened(out) as strategy:
        number = int(strategy.trunk.flops.boards.locate([[int(SMALL.deck[3])]])[0][0])
        assert number in {group.attrs["number"] for group in file["refined"].values()}
        assert found["call"] == strategy.probabilities(hand, flop, "rc/")["call"]
        assert "blueprint" in strategy.facts() or "refined" in strategy.trunk.facts()
    assert main(["query", out, "--hand", hand, "--board", flop + turn, "--line", "rc/cc/", "--ev"]) == 0
    assert main(["match", out, str(blueprint), "--hands", "20", "--seed", "1", "--json"]) == 0
    capsys.readouterr()
    query = ["query", out, "--hand", hand, "--resolve", "turn"]
    for words, said in (
        (query, "its flops are refined, and it solves turns while it plays"),
        (["query", f"{out}+turn", "--hand", hand], "leave out +turn"),
        (["versus", out, str(blueprint)], "its flops are refined"),
        (["exploit", out, "--save"], "this one solves turns while it plays"),
        (["exploit", out, "--resolve", "turn"], "leave out --resolve turn"),
    ):
        assert main(words) == 2, words
        err = capsys.readouterr().err
        assert said in err
        assert err.count("\n") == 1


def test_a_damaged_file_is_found(blueprint, capsys):
    out = refined(blueprint, "--iterations", "2")
    with h5py.File(out, "r+") as file:
        group = next(iter(file["refined"].values()))
        group["values"][0, 0, 0] += 1
    capsys.readouterr()
    assert main(["info", out, "--verify"]) == 1
    assert "refined.h5: damaged; its checksum is not that of its contents" in capsys.readouterr().err


def test_a_blueprint_may_have_codebooks(tmp_path, capsys):
    Path("small.game").write_text(SMALL.text())
    assert main(["solve", "small.game", "--iterations", "20", "--compact", "--threads", "1", "--out", "coded.h5"]) == 0
    out = refined("coded.h5", "--iterations", "2")
    with h5py.File(out) as file:
        assert file.attrs["format_version"] == h5py.File("coded.h5").attrs["format_version"] == 6
    assert main(["info", out, "--verify"]) == 0
    assert main(["query", out, "--hand", "Ks", "--board", "AhQh", "--line", "rc/cc/"]) == 0
