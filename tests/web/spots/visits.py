"""Visits to a page that solves spots, for tests; needs the extra ``web``."""

import time

from cfr.strategy.built_in import BuiltIn
from cfr.web.spots.exact import ExactSpots

RIVER = {"board": "Td9d6hQc2s", "line": "rc/crc/rc/"}
NARROW = {"button": "QQ+,AKs,T9s", "bb": "JJ-88,AQs,KQo:0.5"}
EVERYTHING = {"button": "", "bb": "", "locks": [], "target": 0.1}


def visits(make):
    """Opens clients of a page that solves spots."""

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
