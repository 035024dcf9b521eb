"""The page's application, called in this process as a server would call it."""

import asyncio
import gzip
import json
from dataclasses import dataclass
from urllib.parse import unquote

from cfr.opponents.shelf import Shelf
from cfr.play.portfolio import Portfolio
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.stored import Strategy
from cfr.study.reviews.hand_archive import extend
from cfr.study.reviews.hand_database import HandDatabase
from cfr.web.app import create_app
from cfr.web.opponents.modelled_logs import ModelledLogs
from cfr.web.review.reviews import LogReviews
from cfr.web.spots.exact import ExactSpots
from cfr.web.store.sessions import Sessions
from cfr.web.table.learner import Learner
from tests.opponents.files import SAFE, write_counter, write_model
from tests.web.clients import FAST

REST = {"locks": [], "target": 1.0}
LOG = "STATE:1:crf:KsQs|AsAh:10|-10:bob|ann\n"


@dataclass
class Answer:
    """What the application sent."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self):
        return (gzip.decompress(self.body) if self.headers.get("content-encoding") == "gzip" else self.body).decode()


class Page:
    """The application with its sessions, and what calls it."""

    def __init__(self, folder, stack, hulhe_file):
        bot = BuiltIn("uniform")
        self.sessions = Sessions(folder / "sessions", bot.game)
        (folder / "x.log").write_text(LOG)
        database = stack.enter_context(HandDatabase(folder / "hands.db", bot, ev=False))
        extend(database, [folder / "x.log"], bot, ev=False)
        players = folder / "players"
        players.mkdir()
        (players / "torn.h5").write_text("x")
        with Strategy.open(hulhe_file) as base:
            ann = write_model(players / "ann.h5", base)
        write_counter(players / "beat-ann.h5", ann, SAFE)
        shelf = Shelf(players, bot.game)
        Portfolio.make(["always-call@1163", "always-raise@3698"], 2000).save(folder / "bot.json")
        self.app = create_app(
            bot,
            self.sessions,
            name="bot",
            seed=1,
            hosts={"127.0.0.1"},
            rates=FAST,
            exact=ExactSpots(bot),
            reviews=LogReviews(bot),
            database=database,
            shelf=shelf,
            modelled=ModelledLogs(shelf, str(hulhe_file), bot.betting),
            learner=Learner(folder / "bot.json", bot.game),
        )
        paths, inner = self.app._app.endpoints, self.app._app.otherwise
        self.routes = {path: set(getattr(app, "app", app).methods) for path, app in paths.items()}
        self.routes |= {route.path: {"GET", "HEAD"} for route in inner.routes}
        self._runner = stack.enter_context(asyncio.Runner())
        lifespan = inner.router.lifespan_context(inner)
        self._runner.run(lifespan.__aenter__())
        stack.callback(lambda: self._runner.run(lifespan.__aexit__(None, None, None)))

    def solve(self):
        """A spot that requests may name."""
        body = json.dumps({"board": "Td9d6h2c3s", "line": "cc/cc/cc/"} | {"button": "AA", "bb": "KK"} | REST).encode()
        headers = [(b"host", "127.0.0.1"), (b"content-type", "application/json")]
        state = {"state": ""}
        while state["state"] != "done":
            state = json.loads(self.ask("POST", "/api/exact/solve", headers, [body]).text)
        self.solved = state["id"]

    def review(self):
        """A review that requests may name."""
        headers = [(b"host", "127.0.0.1"), (b"content-type", "application/json")]
        body = json.dumps({"name": "x.log", "text": LOG}).encode()
        state = json.loads(self.ask("POST", "/api/review/start", headers, [body]).text)
        while state["state"] != "done":
            state = json.loads(self.ask("GET", f"/api/review?id={state['id']}", headers, []).text)
        self.reviewed = state["id"]

    def ask(self, method, target, headers, chunks, complete=True):
        """The answer to a request, ``target`` as on the wire; None where its sender left before it was complete."""
        raw, _, query = target.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(raw),
            "raw_path": raw.encode("ascii"),
            "query_string": query.encode("ascii"),
            "root_path": "",
            "headers": [(name, value.encode("latin-1")) for name, value in headers],
            "client": ("127.0.0.1", 50_000),
            "server": ("127.0.0.1", 8000),
            "state": {},
        }
        coming = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
        if complete:
            coming.append({"type": "http.request", "body": b"", "more_body": False})
        sent = []

        async def receive():
            if complete and not coming:
                await asyncio.Event().wait()  # its sender stays
            return coming.pop(0) if coming else {"type": "http.disconnect"}

        async def send(message):
            sent.append(message)

        self._runner.run(self.app(scope, receive, send))
        start, *bodies = sent or [None]
        if not complete and (start is None or not bodies or bodies[-1].get("more_body")):
            return None
        assert start["type"] == "http.response.start"
        assert [message.get("more_body", False) for message in bodies] == [True] * (len(bodies) - 1) + [False]
        names = [name.decode("ascii") for name, _ in start["headers"]]
        assert names == [name.lower() for name in names]
        values = [value.decode("latin-1") for _, value in start["headers"]]
        body = b"".join(message.get("body", b"") for message in bodies)
        return Answer(start["status"], dict(zip(names, values, strict=True)), body)
