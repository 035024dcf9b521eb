"""``cfr query``: a hand's mix, its reach and what its actions win."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest

from cfr.game.cards import format_cards, parse_cards
from cfr.strategy.files.stored import Strategy

RIVER = ("--board", "2c2d2h9sJc", "--line")  # where the last deuce wins


def test_query_is_what_the_strategy_says(run, leduc):
    with Strategy.open(leduc) as strategy:
        shares = strategy.probabilities("Ks", "Ah", "rc/c")
    code, out, _ = run("query", leduc, "--hand", "Ks", "--board", "Ah", "--line", "rc/c", "--json")
    assert code == 0
    answer = json.loads(out)
    reach = answer.pop("reach")
    assert answer == {"hand": "Ks", "board": "Ah", "line": "rc/c", **shares, "played": reach > 0}
    with Strategy.open(leduc) as strategy:
        spot = strategy.range("Ah", "rc/c")
    assert reach == spot.reach[spot.hands.tolist().index("Ks")]
    assert set(shares) == {"call", "raise"}
    code, out, _ = run("query", leduc, "--hand", "Ks")
    assert re.fullmatch(r".* to act preflop, pot 2 \(2 bb\)\ncheck \d\.\d{3}  bet \d\.\d{3}  reach 1\.000\n", out)
    code, out, _ = run("query", "uniform", "--hand", "AsKh", "--line", "r")
    assert out == (
        "big blind facing a raise preflop, pot 30 (3 bb)\nfold 0.333  call 0.333  raise 0.333  reach 1.000\n"
    )


@pytest.mark.parametrize("name", ["AKs", "aks", "KAS", "109o", "77", "KJo"])
def test_a_class_is_the_mean_of_its_hands(run, name):
    """By their reach: of a class of which no hand is there, the plain mean."""
    named = {"aks": "AKs", "KAS": "AKs", "109o": "T9o"}.get(name, name)
    with Strategy.open() as strategy:
        table = strategy.range("Td9d6h", "rc/cr").by_class()
        held = strategy.held(named, parse_cards("Td9d6h"))
        each = [strategy.probabilities(format_cards(hand), "Td9d6h", "rc/cr") for hand in held]
    place = table.hands.tolist().index(named)
    answer = json.loads(run("query", "--hand", name, "--board", "Td9d6h", "--line", "rc/cr", "--json")[1])
    assert answer["hand"] == named
    assert answer["reach"] == pytest.approx(table.reach[place])
    mix = [answer[action] for action in ("fold", "call", "raise")]
    if table.reach[place]:
        assert mix == pytest.approx(table.frequencies[place].tolist())
    else:
        assert mix == pytest.approx([np.mean([one[name] for one in each]) for name in ("fold", "call", "raise")])
    assert (name in ("109o", "KJo")) == (table.reach[place] > 0)
    assert answer["played"] == (table.reach[place] > 0)


def test_spots_as_people_write_them(run):
    wanted = run("query", "--hand", "KdJh", "--board", "Td9d6h", "--line", "rc/cr", "--json")
    for spot in (
        ("K\u2666J\u2665", "10d9d6h", "raise call check bet"),
        ("kd jh", "10\u26669\u26666\u2665", "RC/KB"),
        ("KD,JH", "td 9d 6h", "r c x b"),
    ):
        hand, board, line = spot
        assert run("query", "small", "--hand", hand, "--board", board, "--line", line, "--json") == wanted


def test_query_says_that_a_mix_is_never_played(run):
    """The supplied strategy raises AsKh again before the flop, so the hand never calls there."""
    never = ("query", "--hand", "AsKh", "--board", "Td9d6h", "--line", "rc/cr")
    lines = run(*never)[1].splitlines()
    assert lines[1].endswith("  never played")
    assert lines[2] == "reach 0: the strategy never comes here with AsKh; this is what it would do"
    answer = json.loads(run(*never, "--json")[1])
    assert (answer["reach"], answer["played"]) == (0, False)
    there = ("query", "--hand", "KdJh", "--board", "Td9d6h", "--line", "rc/cr")
    assert re.search(r"  reach 0\.\d{3}$", run(*there)[1].splitlines()[1])
    assert json.loads(run(*there, "--json")[1])["played"] is True


def test_query_says_which_values_are_guesses(run):
    """The supplied strategy never limps, and raises and calls against raises."""
    guess = "no hand calls here, so little was learned about what follows: that EV is a guess"
    _, out, _ = run("query", "--hand", "AsKh", "--ev")
    assert out.splitlines()[-1] == guess
    assert json.loads(run("query", "--hand", "AsKh", "--ev", "--json")[1])["ev_unlearnt"] == ["call"]
    assert "a guess" not in run("query", "--hand", "AsKh", "--line", "r", "--ev")[1]


def test_query_and_export_show_bars(run):
    spot = ("uniform", *RIVER, "cc/cc/cc/")
    for command in (("query", *spot, "--hand", "2sAc", "--ev"), ("export", *spot)):
        assert run(*command)[2] == ""  # stderr is no terminal
        assert re.search(r"expected values: .*boards/s\]", run(*command, "--progress")[2]) is not None


def test_query_says_what_actions_win(run):
    _, out, _ = run("query", "always-call", "--hand", "2sAc", *RIVER, "cc/cc/cc/", "--ev")
    assert out == (
        "big blind to act on the river, board 2c2d2h9sJc, pot 20 (2 bb)\ncheck 1.000  bet 0.000  reach 1.000\n"
        "EV: check +1000.0 mbb  bet +3000.0 mbb\n"
        "the hand: +1000.0 mbb (+1.000 big blinds), equity 100.00 %\n"
        "another action wins more than the play: The strategy is no equilibrium: it was not solved long enough, "
        "or is a rule.\n"
    )


@pytest.mark.parametrize(("line", "reach", "pot"), [("cc/cc/cc/r", 1, 1000), ("cc/cc/cc/rr", 0, 3000)])
def test_query_marks_what_is_unreached(run, line, reach, pot):
    """A caller never bets, and never raises: all hands stand in, and a fold costs what is in the pot."""
    question = ("query", "always-call", "--hand", "AdAh", *RIVER, line, "--ev")
    assert f"\nEV, against a presumed range: fold -{pot}.0 mbb" in run(*question)[1]
    answer = json.loads(run(*question, "--json")[1])
    assert (answer["reach"], answer["stand_in"], answer["ev_fold_mbb"]) == (reach, "presumed range", -pot)
    assert -1000 < answer["ev_fold_mbb"] + pot <= answer["ev_call_mbb"] + pot


def test_query_values_what_follows_a_limp(run):
    """The supplied strategy never limps: before the flop hands are checked down, behind it all is played."""
    answer = json.loads(run("query", "--hand", "AsAd", "--line", "c", "--ev", "--json")[1])
    assert answer["stand_in"] == "presumed range, checked down"
    assert answer["ev_call_mbb"] == pytest.approx(1000 * (2 * answer["equity"] - 1))
    assert answer["ev_raise_mbb"] > answer["ev_call_mbb"]
    turn = ("--board", "Kc7h2d3c", "--line", "cc/cc/r", "--hand", "KdTh")
    answer = json.loads(run("query", *turn, "--ev", "--json")[1])
    assert answer["stand_in"] is None  # the big blind checks all hands


def test_a_query_imports_only_what_it_needs(leduc):
    """Which is why it is quick: benchmarks/speed/query.py says how much."""
    code = f"import sys; from cfr.cli.main import main; main(['query', {leduc!r}, '--hand', 'Ks']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"cfr.solver.solve", "cfr.kernel.traversal", "cfr.study.text_chart", "tqdm", "sklearn"}
    assert not loaded & {"asyncio", "concurrent.futures", "cfr.cli.commands.serve", "cfr.kernel.schedules", "numpy.ma"}
