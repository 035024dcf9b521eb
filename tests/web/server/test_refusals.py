"""Requests that the server refuses: malformed, foreign, or too many."""

import asyncio

import pytest

pytest.importorskip("starlette")
httpx2 = pytest.importorskip("httpx2")

from cfr.web.server.endpoints import MAX_BODY  # noqa: E402
from cfr.web.server.visitors import Rates  # noqa: E402
from tests.web.clients import clients, deal  # noqa: E402

make = pytest.fixture(clients, name="make")


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ({"json": {"seat": "dealer"}}, 400),
        ({"json": {"seat": 1}}, 400),
        ({"json": {"seat": "bb", "cards": "AsAh"}}, 400),
        ({"json": ["bb"]}, 400),
        ({"content": b"{", "headers": {"content-type": "application/json"}}, 400),
        ({"content": b"\xff", "headers": {"content-type": "application/json"}}, 400),
        ({"content": b"[" * MAX_BODY, "headers": {"content-type": "application/json"}}, 400),
        ({"content": b" " * (MAX_BODY + 1), "headers": {"content-type": "application/json"}}, 413),
        ({"data": {"seat": "bb"}}, 415),
        ({"content": b'{"seat":"bb"}', "headers": {"content-type": "text/plain"}}, 415),
    ],
)
def test_malformed_bodies_are_refused(make, request_, status):
    client = make()
    answer = client.post("/api/table/deal", **request_)
    assert answer.status_code == status
    assert answer.json()["error"]
    assert "set-cookie" not in answer.headers


def test_foreign_hosts_and_origins_are_refused(make):
    client = make(hosts={"127.0.0.1", "localhost", "::1"})
    for host in ("127.0.0.1", "localhost:8000", "LOCALHOST", "[::1]:8000"):
        assert client.get("/api/game", headers={"host": host}).status_code == 200
    for host in ("evil.example", "127.0.0.1.evil.example", "", "[::1"):
        assert client.get("/api/game", headers={"host": host}).status_code == 421
    for origin in ("http://evil.example", "null", "http://127.0.0.1:81", "http://[", ""):
        answer = client.post("/api/table/deal", json={"seat": "bb"}, headers={"origin": origin})
        assert answer.status_code == 403
    assert client.get("/api/table").json()["hand"] is None
    answer = client.post("/api/table/deal", json={"seat": "bb"}, headers={"origin": "http://127.0.0.1"})
    assert answer.status_code == 200


def test_too_many_requests_are_refused(make):
    client = make(rates=Rates(session=(0.001, 5), address=(0.001, 3)))
    assert [client.get("/api/game").status_code for _ in range(4)] == [200, 200, 200, 429]
    other = make(rates=Rates(session=(0.001, 5), address=(0.001, 3)), file="other")
    deal(other)
    codes = [other.get("/api/table") for _ in range(6)]
    assert [each.status_code for each in codes] == [200] * 5 + [429]
    assert int(codes[-1].headers["retry-after"]) > 1
    assert "too fast" in codes[-1].json()["error"]


def test_spots_queue_up_only_so_far(make, strategy, monkeypatch):
    monkeypatch.setattr("cfr.web.server.visitors.MAX_WAITING", 3)
    app = make(strategy).app

    async def ask():
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://127.0.0.1") as client:
            flops = [f"{rank}s7h2c" for rank in "AKQJT98"]
            asked = [client.get(f"/api/spot?line=cc/&board={flop}") for flop in flops]
            return [answer.status_code for answer in await asyncio.gather(*asked)]

    codes = asyncio.run(ask())
    assert codes.count(200) == 3
    assert codes.count(429) == 4
    assert asyncio.run(ask()).count(200) == 3  # the places are given back


def test_a_wrong_address_is_told_to_people_and_to_programs(make):
    client = make()
    seen = client.get("/chart", headers={"accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert (seen.status_code, seen.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert '<a href="/">' in seen.text
    told = client.get("/chart", headers={"accept": "*/*"})
    assert (told.status_code, list(told.json())) == (404, ["error"])
