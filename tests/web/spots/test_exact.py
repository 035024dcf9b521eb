"""Exact spots on the page: solved as by the API, one after the other, stopped when nobody waits, few of them kept."""

import json
import threading
import time

import numpy as np
import pytest

from cfr import expected_values, solve_spot
from cfr.game.betting_round import ACTIONS
from cfr.game.hand_classes import class_numbers
from cfr.game.ranges import Range
from cfr.game.words import ACTION_NAMES
from cfr.strategy.built_in import BuiltIn
from cfr.study.grid import grid
from cfr.web.spots import solves
from cfr.web.spots.exact import ExactSpots, read_range

pytest.importorskip("starlette")

from tests.thorough import thorough
from tests.web.clients import clients
from tests.web.explore.test_values import columns

make = pytest.fixture(clients, name="make")

RIVER = {"board": "Td9d6hQc2s", "line": "rc/crc/rc/"}
TURN = {"board": "Td9d6hQc", "line": "rc/crc/"}
NARROW = {"button": "QQ+,AKs,T9s", "bb": "JJ-88,AQs,KQo:0.5"}
EVERYTHING = {"button": "", "bb": "", "locks": [], "target": 0.1}
WORDS = ("iterations", "exploitability_percent_of_pot", "exploitability_mbb", "value_button_mbb", "value_big_blind_mbb")


@pytest.fixture
def visit(make):
    """A client of a page that solves spots."""

    def client(strategy=None, spots=1, **options):
        strategy = strategy or BuiltIn("uniform")
        return make(strategy, exact=ExactSpots(strategy, spots), **options)

    return client


def start(client, **body):
    return client.post("/api/exact/solve", json=EVERYTHING | RIVER | body)


def wait(client, id_):
    while (state := client.get("/api/exact", params={"id": id_}).json())["state"] in ("waiting", "solving"):
        time.sleep(0.02)
    return state


def solved(client, **body):
    answer = start(client, **body)
    assert answer.status_code == 200, answer.text
    state = wait(client, answer.json()["id"])
    assert state["state"] == "done", state
    return state


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


# ---- limits


class Held:
    """Solves that go on when the test lets them."""

    def __init__(self, monkeypatch):
        self.begun, self.go, self.stopped = [], threading.Semaphore(0), []
        real = ExactSpots.solve

        def slowly(exact, wanted, watch):
            self.begun.append(wanted.id)
            try:
                while not self.go.acquire(timeout=0.01):
                    watch(len(self.begun), None)
            except BaseException:
                self.stopped.append(wanted.id)
                raise
            return real(exact, wanted, watch)

        monkeypatch.setattr(ExactSpots, "solve", slowly)


def until(condition):
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it does not come")


def test_two_visitors_queue(visit, monkeypatch):
    held, client = Held(monkeypatch), visit()
    first, second, third = (start(client, **NARROW, target=target).json()["id"] for target in (1, 2, 3))
    until(lambda: held.begun == [first])
    places = [client.get("/api/exact", params={"id": id_}).json() for id_ in (first, second, third)]
    assert [(each["state"], each["place"]) for each in places] == [("solving", 0), ("waiting", 1), ("waiting", 2)]
    assert client.get("/api/exact/spot", params={"id": first, **RIVER}).status_code == 409
    held.go.release(3)
    assert [wait(client, id_)["state"] for id_ in (first, second, third)] == ["done"] * 3
    assert held.begun == [first, second, third]


def test_several_are_solved_at_a_time_where_it_is_said(visit, monkeypatch):
    held, client = Held(monkeypatch), visit(spots=2)
    ids = [start(client, **NARROW, target=target).json()["id"] for target in (1, 2, 3)]
    until(lambda: sorted(held.begun) == sorted(ids[:2]))
    assert client.get("/api/exact", params={"id": ids[2]}).json()["place"] == 1
    held.go.release(3)
    assert [wait(client, id_)["state"] for id_ in ids] == ["done"] * 3


class Clock:
    """The time of solves, which goes on when a test says so."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(solves, "time", self)

    def monotonic(self):
        return self.now


def test_leaving_stops_a_solve(visit, monkeypatch):
    clock, held, client = Clock(monkeypatch), Held(monkeypatch), visit()
    first, second = (start(client, **NARROW, target=target).json()["id"] for target in (1, 2))
    until(lambda: held.begun == [first])
    clock.now = 6
    assert client.get("/api/exact", params={"id": second}).json()["state"] == "waiting"
    assert held.stopped == []
    clock.now = 11  # the first visitor has not asked
    until(lambda: held.begun == [first, second])
    assert held.stopped == [first]
    assert client.get("/api/exact", params={"id": first}).status_code == 404
    held.go.release()
    assert wait(client, second)["state"] == "done"


def test_who_leaves_the_queue_is_not_waited_for(visit, monkeypatch):
    clock, held, client = Clock(monkeypatch), Held(monkeypatch), visit()
    first, second, third = (start(client, **NARROW, target=target).json()["id"] for target in (1, 2, 3))
    until(lambda: held.begun == [first])
    clock.now = 6
    for id_ in (first, third):
        client.get("/api/exact", params={"id": id_})
    clock.now = 11  # the second visitor has not asked
    assert client.get("/api/exact", params={"id": third}).json()["place"] == 1
    held.go.release(2)
    assert [wait(client, id_)["state"] for id_ in (first, third)] == ["done"] * 2
    assert client.get("/api/exact", params={"id": second}).status_code == 404
    assert held.begun == [first, third]


def test_the_queue_is_bounded(visit, monkeypatch):
    monkeypatch.setattr(solves, "MOST_WAITING", 2)
    held, client = Held(monkeypatch), visit()
    first = start(client, **NARROW, target=1)
    until(lambda: held.begun == [first.json()["id"]])
    answers = [start(client, **NARROW, target=target) for target in (2, 3, 4, 2)]
    assert [each.status_code for each in answers] == [200, 200, 429, 200]
    assert "too many spots wait" in answers[2].json()["error"]
    held.go.release(3)
    for each in (first, *answers[:2]):
        wait(client, each.json()["id"])


@pytest.mark.parametrize(("name", "most", "kept"), [("MOST_KEPT", 2, 2), ("MOST_KEPT_BYTES", 1, 1)])
def test_few_solutions_are_kept(visit, monkeypatch, name, most, kept):
    monkeypatch.setattr(solves, name, most)
    client = visit()
    ids = [solved(client, **NARROW, target=target)["id"] for target in (1, 2, 3)]
    codes = [client.get("/api/exact", params={"id": id_}).status_code for id_ in ids]
    assert codes == [404] * (3 - kept) + [200] * kept


def test_a_spot_that_is_too_large_is_refused_with_its_forecast(visit, monkeypatch):
    monkeypatch.setattr("cfr.spots.forecast.free_bytes", lambda: 10**9)
    client, flop = visit(), {"board": "Td9d6h", "line": "rc/"}
    answer = start(client, **flop)
    assert answer.status_code == 400
    said = answer.json()["error"]
    assert said.startswith("this flop takes about ")
    assert "GB of memory and" in said
    assert said.endswith("narrow the ranges, or solve a later round")
    forecast = client.post("/api/exact/forecast", json=EVERYTHING | flop).json()
    assert forecast["refusal"].partition(" and ")[0] == said.partition(" and ")[0]  # times are measured
    assert forecast["can_be_left"]


def test_a_flop_goes_on_when_it_is_left(visit, monkeypatch):
    clock, held, client = Clock(monkeypatch), Held(monkeypatch), visit()
    id_ = start(client, **FLOP).json()["id"]
    until(lambda: held.begun == [id_])
    clock.now = 1000
    time.sleep(0.1)  # it looks at the clock every few milliseconds
    assert client.get("/api/exact", params={"id": id_}).json()["state"] == "solving"
    client.post("/api/exact/stop", json={"id": id_})
    until(lambda: held.stopped == [id_])


FLOP = {"board": "Td9d6h", "line": "rc/", "button": "AA", "bb": "KK"}


def test_what_takes_seconds_does_not_wait_for_a_flop(visit, monkeypatch):
    held, client = Held(monkeypatch), visit()
    flop, other_flop = (start(client, **FLOP | {"bb": hands}).json()["id"] for hands in ("KK", "QQ"))
    until(lambda: held.begun == [flop])
    first, second = (start(client, **NARROW, target=target).json()["id"] for target in (1, 2))
    until(lambda: held.begun == [flop, first])  # between iterations of the flop
    states = [client.get("/api/exact", params={"id": id_}).json() for id_ in (flop, first, second, other_flop)]
    assert [each["state"] for each in states] == ["solving", "solving", "waiting", "waiting"]
    assert [each["place"] for each in states] == [0, 0, 1, 2]
    held.go.release(2)
    assert [wait(client, id_)["state"] for id_ in (first, second)] == ["done"] * 2
    assert held.begun == [flop, first, second]
    for id_ in (flop, other_flop):
        client.post("/api/exact/stop", json={"id": id_})
    until(lambda: flop in held.stopped)


@pytest.mark.parametrize("body", [FLOP, RIVER | NARROW])
def test_a_solve_can_be_stopped(visit, monkeypatch, body):
    held, client = Held(monkeypatch), visit()
    first, second = (start(client, **body, target=target).json()["id"] for target in (5, 6))
    until(lambda: held.begun == [first])
    for id_ in (second, first):
        assert client.post("/api/exact/stop", json={"id": id_}).status_code == 200
        assert client.get("/api/exact", params={"id": id_}).status_code == 404
    until(lambda: held.stopped == [first])
    again = start(client, **body, target=5).json()["id"]
    assert again == first
    until(lambda: held.begun == [first, first])
    if body is FLOP:  # whose solve takes long
        client.post("/api/exact/stop", json={"id": first})
        return
    held.go.release()
    assert wait(client, first)["state"] == "done"
    assert client.post("/api/exact/stop", json={"id": first}).status_code == 200  # it stays
    assert client.get("/api/exact", params={"id": first}).json()["state"] == "done"
    assert client.post("/api/exact/forecast", json=EVERYTHING | body | {"target": 5}).json()["is_known"]


def test_a_solve_that_fails_says_why_and_may_begin_again(visit, monkeypatch):
    def fail(*_):
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(ExactSpots, "solve", fail)
        client = visit()
        state = wait(client, start(client, **NARROW).json()["id"])
        assert (state["state"], state["problem"]) == ("failed", "there is not enough memory")
    assert solved(client, **NARROW)["id"] == state["id"]


def test_a_server_that_stops_does_not_wait(make, monkeypatch):
    held = Held(monkeypatch)
    closing = ExactSpots(BuiltIn("uniform"))
    client = make(exact=closing)
    id_ = start(client, **NARROW).json()["id"]
    until(lambda: held.begun == [id_])
    client.__exit__(None, None, None)
    until(lambda: held.stopped == [id_])
    client.__enter__()
