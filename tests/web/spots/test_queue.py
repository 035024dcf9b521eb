"""The queue of exact spots: who waits, who leaves, what is stopped, and how few solutions are kept."""

import threading
import time

import pytest

from cfr.strategy.built_in import BuiltIn
from cfr.web.server import jobs
from cfr.web.spots import solves
from cfr.web.spots.exact import ExactSpots

pytest.importorskip("starlette")

from tests.web.clients import clients
from tests.web.spots.visits import EVERYTHING, NARROW, RIVER, solved, start, visits, wait

make = pytest.fixture(clients, name="make")
visit = pytest.fixture(visits, name="visit")


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
        for module in (jobs, solves):
            monkeypatch.setattr(module, "time", self)

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
