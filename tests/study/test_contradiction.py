"""Where the best EV contradicts the play, and what is said about it."""

import json

import numpy as np
import pytest

from cfr import expected_values
from cfr.cli.main import main
from cfr.resolving.resolving_strategy import Resolving
from cfr.strategy.built_in import BuiltIn
from cfr.study.reviews.contradiction import LEAST, contradicted, why

SPOT = ("2c2d2h9sJc", "cc/cc/cc/")  # where the last deuce wins


@pytest.fixture(params=["random", "caller"])
def strategy(request, hulhe):
    return hulhe if request.param == "random" else BuiltIn("always-call")


def test_it_is_a_better_action_than_the_likeliest(strategy):
    values = expected_values(strategy, *SPOT)
    found = contradicted(values)
    assert 0 < found.sum() < 1081
    for hand in np.flatnonzero(values.weight > 0)[::7]:
        evs, mix = values.action_ev[hand].tolist(), values.frequencies[hand].tolist()
        legal = [number for number in range(3) if not np.isnan(evs[number])]
        likeliest = max(legal, key=lambda number: mix[number])
        better = max(evs[number] for number in legal) - evs[likeliest]
        assert found[hand] == (better >= LEAST)
    assert not found[values.weight == 0].any()


def test_the_reason_is_the_files():
    class Made(BuiltIn):
        attributes = {"buckets": "10,10,10", "purge": 0.02}  # noqa: RUF012

    game = BuiltIn("uniform").betting
    flop, preflop = (why(Made("uniform"), game.parse(line)) for line in ("cc/", ""))
    assert flop.startswith("The hands of a bucket share a mix")
    assert preflop.startswith("EVs count on the later rounds")
    assert all(said.endswith("less than 2 % of the time were purged: stored as 0.") for said in (flop, preflop))
    assert "no equilibrium" in why(BuiltIn("uniform"), game.root)
    solved = Resolving(Made("uniform"), "river")
    assert why(solved, game.parse("cc/")) == flop
    assert "re-solved without buckets" in why(solved, game.parse("cc/cc/cc/"))


def test_the_command_line_says_why(capsys):
    board, line = SPOT
    asked = ["query", "always-call", "--board", board, "--line", line, "--ev"]
    assert main([*asked, "--hand", "2sAc"]) == 0
    assert "\nanother action wins more than the play: The strategy is no equilibrium" in capsys.readouterr().out
    assert main([*asked, "--hand", "3c4d"]) == 0
    assert "another action" not in capsys.readouterr().out
    assert main([*asked, "--hand", "2sAc", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ev_contradicts"] is True
