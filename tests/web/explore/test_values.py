"""Expected values on the page: the numbers of the API and of an export, worked out one spot at a time."""

import asyncio
import json
import math
import shutil
import threading

import numpy as np
import pytest

from cfr import expected_values
from cfr.cli.main import main
from cfr.game.cards import parse_cards
from cfr.game.words import ACTION_NAMES
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.file import set_attributes
from cfr.strategy.files.stored import Strategy
from cfr.study.reviews.contradiction import contradicted, why
from cfr.values.canonical_spot import canonical_spot
from cfr.values.expected_values import values_at
from cfr.web.server import answers
from cfr.web.server import values as module

pytest.importorskip("starlette")
httpx2 = pytest.importorskip("httpx2")

from tests.web.clients import clients  # noqa: E402

make = pytest.fixture(clients, name="make")

RIVER = ("Td9d6h2c3s", "rc/cc/rc/r")
SPOTS = [RIVER, ("Td9d6h2c3s", "cc/cc/cc/"), ("AcKd4h9s", "crc/rc/c")]
ISOMORPHIC = ["TdJd6h2c3s", "JdTd6h2c3s", "JsTs6c2h3d", "ThJh6d2s3c"]


def ask(client, board, line):
    answer = client.get("/api/values", params={"board": board, "line": line})
    while answer.status_code == 202:
        told = answer.json()
        assert (list(told), told["working"]) == (["working", "done"], True)
        assert 0 <= told["done"] <= 1
        answer = client.get("/api/values", params={"board": board, "line": line})
    assert answer.status_code == 200, answer.text
    return answer.json()


def columns(table, legal):
    """As the page has them: all rows, null for what is not there."""

    def listed(values):
        return [None if math.isnan(value) else value for value in values.tolist()]

    actions = {name: listed(table.action_ev[:, n]) for n, name in enumerate(ACTION_NAMES) if name[0] in legal}
    return {"ev": listed(table.ev), "equity": listed(table.equity), "action_ev": actions}


@pytest.mark.parametrize("spot", SPOTS)
def test_values_are_those_of_the_api(make, hulhe, spot):
    found, wanted = ask(make(hulhe), *spot), expected_values(hulhe, *spot)
    assert (found["ev"], found["equity"], found["stake"]) == (wanted.mean_ev, wanted.mean_equity, wanted.stake)
    assert found["hands"] == columns(wanted.table(), wanted.legal)
    assert found["classes"] == columns(wanted.by_class(), wanted.legal)
    assert (found["board"], found["line"]) == spot


@pytest.mark.parametrize("kind", [(), ("--classes",)])
def test_values_are_those_of_an_export(make, hulhe, capsys, kind):
    assert (
        main(["export", str(hulhe.path), "--board", RIVER[0], "--line", RIVER[1], "--action-ev", "--json", *kind]) == 0
    )
    rows = {row["hand"]: row for row in json.loads(capsys.readouterr().out)}
    client = make(hulhe)
    found = ask(client, *RIVER)["classes" if kind else "hands"]
    spot = client.get("/api/spot", params=dict(zip(("board", "line"), RIVER, strict=True))).json()
    assert spot["has_values"]
    for place, name in enumerate(spot["classes" if kind else "hands"]):
        shown = [found["ev"][place], found["equity"][place], *(values[place] for values in found["action_ev"].values())]
        if row := rows.get(name):
            assert shown == [row[each] for each in ("ev_mbb", "equity", "ev_fold_mbb", "ev_call_mbb", "ev_raise_mbb")]
        else:
            assert shown == [None] * 5


def test_isomorphic_spots_are_worked_out_once(make, hulhe, monkeypatch):
    asked, line = [], "rc/cc/rc/r"
    monkeypatch.setattr(module, "values_at", lambda *spot, **how: asked.append(spot) or values_at(*spot, **how))
    client = make(hulhe)
    found = [ask(client, board, line) for board in ISOMORPHIC]
    assert len(asked) == 1
    for board, each in zip(ISOMORPHIC, found, strict=True):
        wanted = expected_values(hulhe, board, line)
        assert each["hands"] == columns(wanted.table(), wanted.legal)
        assert each["contradicted"] == contradicted(wanted).tolist()
        assert each["why"] == why(hulhe, hulhe.betting.parse(line))
        assert each["ev"] == wanted.mean_ev


def test_the_unreached_is_valued_against_a_presumed_range(make):
    client = make(BuiltIn("always-call"))
    found = ask(client, "2c2d2h9sJc", "cc/cc/cc/rr")  # nobody raises
    assert found["stand_in"] == "presumed range"
    assert (found["ev"], found["equity"]) == (pytest.approx(0, abs=1e-6), pytest.approx(0.5))  # all hands alike
    assert ask(client, "2c2d2h9sJc", "cc/cc/cc/")["stand_in"] is None


def test_before_the_flop_they_come_from_stored_values(make, hulhe_file, tmp_path, monkeypatch):
    path = tmp_path / "valued.h5"
    shutil.copy(hulhe_file, path)
    set_attributes(path, {}, np.random.default_rng(1).normal(size=(2, 7, 1326)))
    # The real ones take 14 s; equity is not asked.
    monkeypatch.setattr("cfr.hands.showdown_margins.Margins.all_pairs", lambda self, progress=False: np.eye(1326))
    with Strategy.open(path) as strategy:
        client = make(strategy)
        assert client.get("/api/spot?line=r").json()["has_values"]
        wanted = expected_values(strategy, "", "r")
        assert ask(client, "", "r")["hands"] == columns(wanted.table(), wanted.legal)


def test_before_the_flop_it_says_how_to_get_them(make):
    client = make()
    spot = client.get("/api/spot?line=r").json()
    assert not spot["has_values"]
    assert spot["why_unvalued"].endswith("`cfr exploit FILE --save` stores them in a strategy file")
    for path in ("values?", "spot.svg?view=ev&"):
        answer = client.get(f"/api/{path}line=r")
        assert (answer.status_code, answer.json()["error"]) == (400, spot["why_unvalued"])
    assert client.get("/api/spot?line=rc/&board=Td9d6h").json()["why_unvalued"] == ""


class Crowd:
    """Visitors of one page whose values are worked out when the test lets them."""

    def __init__(self, app, monkeypatch):
        self.app, self.begun, self.go = app, [], threading.Semaphore(0)
        monkeypatch.setattr(answers, "_PATIENCE", 0.05)

        def slowly(strategy, spot, **how):
            self.begun.append(spot.board)
            assert self.go.acquire(timeout=60)
            return values_at(strategy, spot, **how)

        monkeypatch.setattr(module, "values_at", slowly)

    def client(self):
        return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=self.app), base_url="http://127.0.0.1")

    async def ask(self, client, board):
        return (await client.get("/api/values", params={"board": board, "line": "cc/cc/cc/"})).status_code

    async def wait(self, client, board):
        while (status := await self.ask(client, board)) == 202:
            pass
        return status


BOARDS = ["2c3c4c5c6d", "2c3c4c5c7d", "2c3c4c5c8d", "2c3c4c5c9d"]


def test_values_queue_up_only_so_far_and_nobody_else_waits(make, monkeypatch):
    monkeypatch.setattr("cfr.web.app.MAX_VALUES_WAITING", 2)
    crowd = Crowd(make().app, monkeypatch)

    async def visit():
        async with crowd.client() as client:
            assert [await crowd.ask(client, board) for board in BOARDS] == [202, 202, 429, 429]
            assert (await client.get("/api/spot?line=cc/&board=AsKh2d")).status_code == 200
            assert len(crowd.begun) == 1  # one at a time
            assert await crowd.ask(client, BOARDS[0]) == 202
            crowd.go.release(2)
            assert [await crowd.wait(client, board) for board in BOARDS[:2]] == [200, 200]
            assert len(crowd.begun) == 2  # the same spot once
            assert await crowd.ask(client, BOARDS[0]) == 200
            crowd.go.release(1)
            assert await crowd.wait(client, BOARDS[2]) == 200  # the places are given back

    asyncio.run(visit())
    assert len(crowd.begun) == 3


def test_who_has_moved_on_is_forgotten(make, monkeypatch):
    """A spot that waits is never begun; one that was begun is given up, since somebody waits for another."""
    monkeypatch.setattr("cfr.web.app.MAX_VALUES_WAITING", 2)
    crowd = Crowd(make().app, monkeypatch)

    async def visit():
        async with crowd.client() as client:
            assert [await crowd.ask(client, board) for board in BOARDS[:3]] == [202, 202, 429]
            monkeypatch.setattr(answers, "_LEFT_AFTER", 0)
            assert await crowd.ask(client, BOARDS[2]) == 202  # there is room again
            monkeypatch.setattr(answers, "_LEFT_AFTER", 0.5)
            monkeypatch.setattr(answers, "_ASKS_AGAIN", 0.5)
            await asyncio.sleep(0.6)
            third = asyncio.create_task(crowd.wait(client, BOARDS[2]))
            await asyncio.sleep(0.1)
            crowd.go.release(2)
            assert await third == 200
            assert await crowd.ask(client, BOARDS[0]) == 202
            crowd.go.release(1)
            assert await crowd.wait(client, BOARDS[0]) == 200

    asyncio.run(visit())
    assert crowd.begun == [canonical(BOARDS[place]) for place in (0, 2, 0)]


def canonical(board):
    strategy = BuiltIn("uniform")
    return canonical_spot(strategy, strategy.betting.parse("cc/cc/cc/"), parse_cards(board))[0].board
