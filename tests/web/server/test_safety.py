"""What no answer of the page may hold, who may see what, crowds, and restarts."""

import asyncio
import random
import re

import pytest

from cfr.game.cards import format_cards, parse_cards
from cfr.game.hand import Deal, showdown_winner
from cfr.game.rules import Game

pytest.importorskip("starlette")
httpx2 = pytest.importorskip("httpx2")

from starlette.testclient import TestClient  # noqa: E402

from cfr.web.page import HERE, STATIC, whole_page  # noqa: E402
from cfr.web.server.guard import HEADERS  # noqa: E402
from cfr.web.server.visitors import COOKIE, Rates  # noqa: E402
from cfr.web.store.sessions import Limits  # noqa: E402
from tests.web.clients import BETTING, act, at_random, clients, deal, play, rows, stored  # noqa: E402
from tests.web.train.test_trainer import ALL  # noqa: E402

make = pytest.fixture(clients, name="make")


def test_every_response_has_the_security_headers(make):
    client = make()
    paths = ["/", "/play", "/explore?line=r", "/api/game", "/api/spot", "/api/table", "/api/hands", "/static/app.js"]
    paths += ["/api/values"]
    for path in [*paths, "/static/../app.py", "/static/%2e%2e/app.py", "/nowhere", "/api/session", "/api/spot?line=x"]:
        answer = client.get(path)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value, path
        stores = path.startswith("/api") and answer.status_code == 200 and "spot" not in path
        assert answer.headers["cache-control"] == ("no-store" if stores or answer.status_code >= 400 else "no-cache")
        assert "server" not in answer.headers
    assert client.get("/static/../app.py").status_code == 404
    policy = HEADERS["content-security-policy"]
    assert "'unsafe" not in policy
    assert {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} <= set(policy.split("; "))
    assert (HEADERS["x-content-type-options"], HEADERS["x-frame-options"]) == ("nosniff", "DENY")
    assert Rates() == Rates(session=(50, 200), address=(50, 400))


def test_the_page_needs_nothing_from_elsewhere():
    for path in (file for folder in STATIC.values() for file in folder.iterdir()):
        text = path.read_text("utf-8").replace('"http://www.w3.org/2000/svg"', "")  # a name, no address
        assert not re.search(r"https?:|[\"'(]//|@import|\beval\b|innerHTML|document\.write", text), path.name
    page = whole_page(Game.bundled("hulhe"))
    assert "<!--" not in page
    assert not re.search(r"\sstyle=|\son\w+=|<style", page)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", page))
    named = re.findall(r"(?:src|href)=\"(/[\w/]*static/[^\"]*)\"", page)
    assert len(named) > 30
    for address in named:
        assert (HERE / address[1:]).is_file()


def test_hidden_cards_are_in_no_response(make, tmp_path):
    """Every response of whole random games, also of refused requests; after a fold the cards stay hidden."""
    client, rng, said = make(), random.Random(5), []
    client.event_hooks["response"] = [lambda answer: said.append(answer.read().decode())]
    folds = showdowns = 0
    while folds < 12 or showdowns < 12:
        hand = deal(client)
        while True:
            if not hand["over"]:
                client.get("/api/table/hint")
                act(client, hand, "x")
                act(client, hand | {"line": "ccc"}, "c")
            for path in ("/api/table", "/api/hands", "/api/hands.log", "/api/game"):
                client.get(path)
            _, seat, first, second, board, line, _ = stored(tmp_path)
            state = BETTING.parse(line)
            hidden = parse_cards(board)[state.num_board_cards :]
            if not state.at_showdown:
                hidden += parse_cards(first if seat == 1 else second)
            for card in hidden:
                assert not [text for text in said if format_cards([card]) in text], line
            said.clear()
            if hand["over"]:
                break
            hand = act(client, hand, rng.choice(["c", at_random(rng)(hand)])).json()["hand"]
        folds += not state.at_showdown
        showdowns += state.at_showdown
        client.delete("/api/session")  # so that no earlier hand, which may have shown these cards, is listed


def test_the_test_of_hidden_cards_sees_a_leak(make, tmp_path, monkeypatch):
    monkeypatch.setattr("cfr.web.server.table._seen", lambda hand, state: hand.deal)
    with pytest.raises(AssertionError):
        test_hidden_cards_are_in_no_response(make, tmp_path)


def test_sessions_are_apart(make, tmp_path):
    client = make()
    app = client.app
    players = [TestClient(app, "http://127.0.0.1") for _ in range(2)]
    hands = [deal(player) for player in players]
    assert hands[0]["cards"] != hands[1]["cards"]
    tokens = [player.cookies[COOKIE] for player in players]
    assert len(tokens[0]) >= 43
    assert tokens[0] != tokens[1]
    while not hands[0]["over"]:
        hands[0] = act(players[0], hands[0], "c").json()["hand"]
    assert players[1].get("/api/table").json()["hand"] == hands[1]
    assert players[1].get("/api/hands").json()["hands"] == []
    assert players[1].get("/api/hands.log").text == ""
    for guess in ("", tokens[0][:-1], tokens[0] + "A", "' OR 1=1 --"):
        stranger = TestClient(app, "http://127.0.0.1", cookies={COOKIE: guess})
        assert stranger.get("/api/hands").status_code == 401
        assert stranger.get("/api/table").json()["hand"] is None
    raw = (tmp_path / "sessions").read_bytes() + (tmp_path / "sessions-wal").read_bytes()
    assert not any(token.encode() in raw for token in tokens)


def test_the_cookie_is_for_this_server_only(make):
    """And lives on from each hand, exercise and review: who is not idle is not forgotten."""
    client, tokens = make(limits=Limits(idle_seconds=864_000.0)), set()
    for path, body in (
        ("table/deal", {"seat": "bb"}),
        ("train/deal", ALL),
        ("table/deal", {"seat": "bb"}),
    ):
        answer = client.post(f"/api/{path}", json=body)
        while (hand := client.get("/api/table").json()["hand"]) and not hand["over"]:
            act(client, hand, "c")
        assert answer.status_code == 200, answer.text
        [cookie] = answer.headers.get_list("set-cookie")
        token, *parts = (part.strip() for part in cookie.split(";"))
        assert {"httponly", "samesite=strict", "path=/", "max-age=864000"} <= {part.lower() for part in parts}
        tokens.add(token)
    assert len(tokens) == 1


def test_a_player_can_be_forgotten(make):
    client = make()
    play(client, lambda hand: "c")
    answer = client.delete("/api/session")
    nothing = {"hands": 0, "bb_per_100": None, "interval_95": None}
    assert answer.json() == {"hand": None, "result": {"against": "", **nothing, "chips": 0, "luck_adjusted": nothing}}
    assert COOKIE not in client.cookies
    assert client.get("/api/hands").status_code == 401
    assert deal(client)["number"] == 1


def test_a_restart_loses_nothing(make, tmp_path):
    client = make()
    done = [play(client, lambda hand: "c")["hand"] for _ in range(3)]
    hand = deal(client, "button")
    hand = act(client, hand, "c").json()["hand"]
    before = stored(tmp_path)
    again = make()  # another process on the same file; the first one never closed it
    again.cookies = client.cookies
    assert again.get("/api/table").json()["hand"] == hand
    assert again.get("/api/hands").json()["hands"][: len(done) + 1] == (
        done[::-1] if not hand["over"] else [hand, *done[::-1]]
    )
    while not hand["over"]:
        hand = act(again, hand, "c").json()["hand"]
    assert stored(tmp_path)[:5] == before[:5]
    assert client.get("/api/table").json()["result"]["hands"] == 4


# ---- many players


@pytest.mark.thorough
def test_twenty_players_at_once(make, tmp_path):
    client, hands = make(), 15
    transport = httpx2.ASGITransport(app=client.app)

    async def player(number):
        rng, total = random.Random(number), 0
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as own:
            for _ in range(hands):
                answer = await own.post("/api/table/deal", json={"seat": "alternate"})
                while not answer.json()["hand"]["over"]:
                    hand = answer.json()["hand"]
                    body = {"hand": hand["number"], "line": hand["line"], "action": at_random(rng)(hand)}
                    answer = await own.post("/api/table/act", json=body)
                    assert answer.status_code == 200
                total += answer.json()["hand"]["chips"]
            assert answer.json()["result"]["chips"] == total
            return answer.json()["result"]["hands"]

    async def everybody():
        return await asyncio.gather(*map(player, range(20)))

    assert asyncio.run(everybody()) == [hands] * 20
    kept = rows(tmp_path)
    assert len(kept) == 20 * hands
    for _, _, seat, first, second, board, line, chips in kept:
        state = BETTING.parse(line)
        winner = showdown_winner(state, Deal((parse_cards(first), parse_cards(second)), parse_cards(board)))
        assert state.payoff(winner)[seat] == chips
