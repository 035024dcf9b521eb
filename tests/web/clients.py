"""Players of the web page for its tests; needs the extra ``web``."""

import sqlite3
from contextlib import closing

from starlette.testclient import TestClient

from cfr.game.betting import BettingTree
from cfr.game.cards import RANKS, SUITS
from cfr.game.rules import Game
from cfr.strategy.built_in import BuiltIn
from cfr.web.app import create_app
from cfr.web.server.visitors import Rates
from cfr.web.store.sessions import Sessions

HULHE = Game.bundled("hulhe")
BETTING = BettingTree(HULHE)
FAST = Rates((1e9, 1e9), (1e9, 1e9))
CARDS = [rank + suit for rank in RANKS for suit in SUITS]


def clients(tmp_path):
    """Opens clients of the page, each with its own cookies; ``file`` names the sessions."""
    opened = []

    def client(bot=None, *, file="sessions", limits=None, **options):
        bot = bot or BuiltIn("uniform")
        sessions = Sessions(tmp_path / file, bot.game, limits)
        app = create_app(bot, sessions, name="bot", rates=options.pop("rates", FAST), **options)
        started = TestClient(app, "http://127.0.0.1", raise_server_exceptions=True)
        opened.append(started)
        return started.__enter__()

    yield client
    for each in opened:
        each.__exit__(None, None, None)


def rows(tmp_path, file="sessions"):
    """All hands with all their cards: session, number, seat, first, second, board, line, chips."""
    with closing(sqlite3.connect(tmp_path / file)) as kept:
        columns = "session, number, seat, first, second, board, line, chips"
        return kept.execute(f"SELECT {columns} FROM hands ORDER BY session, number").fetchall()


def stored(tmp_path):
    """The latest hand of the only session: number, seat, first, second, board, line, chips."""
    return rows(tmp_path)[-1][1:]


def deal(client, seat="alternate"):
    answer = client.post("/api/table/deal", json={"seat": seat})
    assert answer.status_code == 200, answer.text
    return answer.json()["hand"]


def act(client, hand, action):
    return client.post("/api/table/act", json={"hand": hand["number"], "line": hand["line"], "action": action})


def play(client, choose, seat="alternate"):
    """A whole hand; the last answer."""
    hand = deal(client, seat)
    answer = client.get("/api/table").json()
    while not hand["over"]:
        done = act(client, hand, choose(hand))
        assert done.status_code == 200, done.text
        answer = done.json()
        hand = answer["hand"]
    return answer


def at_random(rng):
    return lambda hand: rng.choice([action["letter"] for action in hand["actions"]])
