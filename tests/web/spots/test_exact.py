"""Exact spots on the page: solved as by the API, what they are asked for, and what is refused."""

import json
import time

import numpy as np
import pytest

from cfr import expected_values, solve_spot
from cfr.game.betting_round import ACTIONS
from cfr.game.hand_classes import class_numbers
from cfr.game.ranges import Range
from cfr.game.words import ACTION_NAMES
from cfr.study.grid import grid
from cfr.web.spots.exact import read_range

pytest.importorskip("starlette")

from tests.thorough import thorough
from tests.web.clients import clients
from tests.web.explore.test_values import columns
from tests.web.spots.visits import EVERYTHING, NARROW, RIVER, solved, start, visits

make = pytest.fixture(clients, name="make")
visit = pytest.fixture(visits, name="visit")

TURN = {"board": "Td9d6hQc", "line": "rc/crc/"}
WORDS = ("iterations", "exploitability_percent_of_pot", "exploitability_mbb", "value_button_mbb", "value_big_blind_mbb")


@pytest.mark.parametrize("locks", [[], ["c:raise=0.9"]])
@pytest.mark.parametrize("spot", [RIVER, *thorough(TURN)])
def test_a_solve_is_that_of_the_api(visit, hulhe, spot, locks):
    client = visit(hulhe)
    state = solved(client, **spot, **NARROW, locks=locks)
    wanted = solve_spot(
        *spot.values(), strategy=hulhe, button=NARROW["button"], big_blind=NARROW["bb"], locks=locks, target=0.1
    )
    assert {name: state["result"][name] for name in WORDS} == {name: getattr(wanted, name) for name in WORDS}
    assert {name: state["result"][name] for name in wanted.frequencies} == wanted.frequencies
    assert state["result"]["blueprint_exploitability_percent_of_pot"] > wanted.exploitability
    follows = spot["line"] + "c"
    for line in (spot["line"], follows):
        found = client.get("/api/exact/spot", params={"id": state["id"], "board": spot["board"], "line": line}).json()
        exact, values = wanted.range(spot["board"], line), expected_values(wanted.strategy, spot["board"], line)
        assert found["reach"] == exact.reach.tolist()
        legal = [n for n, letter in enumerate(ACTIONS) if letter in exact.legal]
        for n in legal:
            assert found["frequencies"][ACTION_NAMES[n]] == exact.frequencies[:, n].tolist()
        assert found["values"]["hands"] == columns(values.table(), values.legal)
        assert found["values"]["classes"] == columns(values.by_class(), values.legal)
    if locks:  # held where the lock is
        assert found["actions"][-1]["share"] == pytest.approx(0.9, abs=0.01)


def test_the_strategy_plays_the_same_hands_beside_it(visit, hulhe):
    client = visit(hulhe)
    state = solved(client, **NARROW)
    found = client.get("/api/exact/spot", params={"id": state["id"], **RIVER}).json()
    played, reach = hulhe.range(*RIVER.values()).frequencies, np.array(found["reach"])
    shares = reach @ played / reach.sum()
    for n, name in enumerate(ACTION_NAMES):
        if name in found["strategy"]["shares"]:
            assert found["strategy"]["shares"][name] == pytest.approx(shares[n])
            assert found["strategy"]["frequencies"][name] == played[:, n].tolist()
    gains = np.array([np.nan if gain is None else gain for gain in found["gain"]["hands"]])
    assert np.array_equal(np.isnan(gains), reach == 0)
    # Nobody gains by leaving the solution, but for what is left of its exploitability.
    assert np.nanmin(gains) > -20 * state["result"]["exploitability_mbb"]
    assert found["gain"]["mean"] > 0
    evs = {name: np.array(each, float) for name, each in found["values"]["hands"]["action_ev"].items()}
    instead = sum(np.nan_to_num(evs[name]) * played[:, ACTION_NAMES.index(name)] for name in evs)
    there = reach > 0
    lost = np.array(found["values"]["hands"]["ev"], float) - instead
    np.testing.assert_allclose(gains[there], lost[there], rtol=1e-9, atol=1e-6)
    of_class, classes = found["gain"]["classes"], class_numbers()
    for number, gain in enumerate(of_class):
        members = gains[there & (classes == number)]
        assert (gain is None) == (len(members) == 0)
        assert gain is None or members.min() - 1e-6 <= gain <= members.max() + 1e-6
    assert max(gain for gain in of_class if gain is not None) > 2 * found["gain"]["mean"]


def test_the_strategy_gives_the_ranges_that_are_not_given(visit, hulhe):
    client = visit(hulhe)
    forecast = client.post("/api/exact/forecast", json=EVERYTHING | TURN).json()
    for name, seat in (("button", 1), ("bb", 0)):
        own = hulhe.range(*TURN.values(), seat=seat)
        assert forecast["ranges"][name]["text"] == "strategy"
        assert forecast["ranges"][name]["combos"] == pytest.approx(own.reach.sum())
        assert forecast["ranges"][name]["weights"] == pytest.approx(own.by_class().reach.tolist())
    assert forecast["refusal"] is None
    assert not forecast["can_be_left"]
    changed = {"bb": "strategy; AA:0, KK:0.5", "button": "strategy"}
    again = client.post("/api/exact/forecast", json=EVERYTHING | TURN | changed).json()
    assert again["ranges"]["bb"]["text"] == "strategy; KK:0.5,AA:0"
    assert again["ranges"]["bb"]["weights"][:2] == [0, forecast["ranges"]["bb"]["weights"][1]]
    assert again["ranges"]["bb"]["weights"][14] == pytest.approx(0.5)
    assert again["id"] != forecast["id"]


def test_ranges_are_read_and_written():
    own = np.linspace(0, 1, 1326)
    assert np.array_equal(read_range(" Strategy ;", own)[0], own)
    text = "strategy; AKs:0.25, QQ+:0; AsAh"
    found, again = read_range(text, own)
    assert np.array_equal(read_range(again, own)[0], found)
    whole = Range.parse("AKs").weights > 0
    assert (found[whole] == 0.25).all()
    found, again = read_range("AA, KK; KK:0; QQ", own)
    assert (again, found.sum()) == ("AA,QQ", 12)


def test_a_spot_is_joined_and_its_link_solves_the_same(visit):
    client = visit()
    state = solved(client, **NARROW)
    again = start(client, **NARROW).json()
    assert (again["id"], again["state"], again["result"]) == (state["id"], "done", state["result"])
    assert start(client, **NARROW, target=0.2).json()["id"] != state["id"]


BAD = [
    ({"board": "", "line": ""}, "spots before the flop are not solved exactly"),
    ({"board": "Td9d6h"}, "3 cards, but after line 'rc/crc/rc/' there are 5"),
    ({"line": "ry"}, "'ry' at position 1 is no action"),
    ({"button": "AKx"}, "is no hand; expected the like of"),
    ({"button": "strategy; AKx"}, "is no hand; expected the like of"),
    ({"bb": "TT:2"}, "expected a number from 0 to 1"),
    ({"bb": "TdTh"}, "the big blind's range has no hand that the board does not block"),
    ({"button": "strategy; random:0"}, "the button's range has no hand"),
    ({"bb": "x" * 5000}, "range: "),
    ({"locks": ["x"]}, "expected LINE:fold=0.4"),
    ({"locks": [":fold=1"]}, "fold is illegal there"),
    ({"locks": ["r:@/etc/passwd"]}, "files are for the command line"),
    ({"locks": ["r[AA]:call=1"] * 33}, "33 locks; expected at most 32"),
    ({"locks": ["r" * 1001]}, "a lock of 1001 characters; expected at most 1000"),
    ({"locks": [1]}, "locks: expected a list of texts"),
    ({"target": 0}, "target: expected 0.001 to 100 percent of the pot"),
    ({"target": float("inf")}, "target: expected"),
    ({"target": "0.1"}, "target: expected a number"),
]


@pytest.mark.parametrize(("change", "reason"), BAD)
def test_bad_input_is_one_line(visit, change, reason):
    client = visit()
    for path in ("solve", "forecast"):
        answer = client.post(
            f"/api/exact/{path}",
            content=json.dumps(EVERYTHING | RIVER | change),
            headers={"content-type": "application/json"},
        )
        assert answer.status_code == 400, answer.text
        said = answer.json()["error"]
        assert reason in said
        assert said.isprintable()
        assert len(said) < 400


@pytest.mark.parametrize("path", ["/api/exact?id=x", "/api/exact/spot?id=x&board=&line=", "/api/exact/runouts?id="])
def test_what_is_not_known_is_said(visit, path):
    answer = visit().get(path)
    assert (answer.status_code, list(answer.json())) == (404, ["error"])


def test_a_page_without_it_says_so(make):
    client = make()
    assert client.get("/api/game").json()["solves"] is False
    assert start(client).status_code == 404


def test_what_does_not_follow_is_refused(visit):
    client = visit()
    id_ = solved(client, **NARROW)["id"]
    for query in ({"board": "Td9d6hQc3s"}, {"line": "rc/crc/cc/"}, {"board": "", "line": ""} | {"line": "rc"}):
        answer = client.get("/api/exact/spot", params={"id": id_, **RIVER, **query})
        assert answer.status_code == 400, answer.text
    assert client.get("/api/exact/runouts", params={"id": id_, **RIVER}).status_code == 400


@pytest.mark.thorough
def test_runouts_are_those_of_each_card(visit, hulhe):
    client = visit(hulhe)
    id_ = solved(client, **TURN, **NARROW)["id"]
    query, working = {"id": id_, "board": TURN["board"], "line": "rc/crc/cc/"}, True
    while working:
        answer = client.get("/api/exact/runouts", params=query)
        found = answer.json()
        working = found["working"]
        assert answer.status_code == (202 if working else 200)
        time.sleep(0.02)
    wanted = solve_spot(*TURN.values(), strategy=hulhe, button=NARROW["button"], big_blind=NARROW["bb"])
    cards = [each["card"] for each in found["cards"]]
    assert len(cards) == len(set(cards)) == 48
    assert found["seat"] == "big blind"
    for each in found["cards"]:
        board = TURN["board"] + each["card"]
        chart = grid(wanted.range(board, query["line"]))
        assert each["bet"] == (chart.total[2] if chart.combos else None)
        ev = expected_values(wanted.strategy, board, query["line"]).mean_ev
        assert each["ev"] == (None if np.isnan(ev) else ev)
    spelt = client.get("/api/exact/runouts", params=query | {"board": TURN["board"].lower()})
    assert (spelt.status_code, spelt.json()) == (200, found)  # the same map
    for line in ("rc/crc/", "rc/crc/c", "rc/crc/rrrr", ""):
        assert client.get("/api/exact/runouts", params=query | {"line": line}).status_code == 400
