"""Any request to any endpoint of the page: no failure, one clear line where it is refused, no card that is hidden.

The application is called in this process, without sockets, as a server would call it, about a hand that is being
played. A case is a request; `pytest -m slow tests/web/test_fuzz.py` tries 100,000 in all, the default run some hundred.
"""

import asyncio
import gzip
import json
import random
import re
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from urllib.parse import quote, unquote, unquote_plus, urlencode

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from cfr.game.betting import BettingTree
from cfr.game.cards import format_cards
from cfr.game.hand import deal_hand
from cfr.game.rules import Game
from cfr.solver.spot_forecast import SpotForecast
from cfr.strategy.built_in import BuiltIn
from cfr.study.drill import DECISIONS, FLOPS, MODES, ROUNDS
from cfr.study.drill import SEATS as DRILLED
from cfr.study.exercise import Exercise
from cfr.subgame.values import expected_values
from cfr.system.errors import CfrError

starlette = pytest.importorskip("starlette")

from cfr.web.app import COOKIE, STATIC, create_app  # noqa: E402
from cfr.web.endpoints import MAX_BODY  # noqa: E402
from cfr.web.exact import ExactSpots  # noqa: E402
from cfr.web.guard import HEADERS  # noqa: E402
from cfr.web.reviews import LogReviews  # noqa: E402
from cfr.web.sessions import Hand, Sessions  # noqa: E402
from cfr.web.table import SEATS  # noqa: E402
from cfr.web.training import Training  # noqa: E402
from tests.formats.test_fuzz import damaged  # noqa: E402
from tests.web.clients import CARDS, FAST  # noqa: E402

HULHE = Game.bundled("hulhe")
BETTING = BettingTree(HULHE)
CASES, QUICK = 100_000, 40
REST = {"locks": [], "target": 1.0}
PER_EXAMPLE = 4
# Checked against the application's own table. The first ones know of no hands; spots name all cards there are.
SPOTS = ["/api/ranges", "/api/flops", "/api/spot", "/api/values", "/api/spot.csv", "/api/spot.svg", "/api/spot.png"]
WANTED = ["/api/exact/forecast", "/api/exact/solve"]
EXACT = ["/api/exact", "/api/exact/spot", "/api/exact/runouts", "/api/exact/stop", *WANTED]
REVIEWS = ["/api/review", "/api/review/start", "/api/review/stop", "/api/review/decisions"]
REVIEWS += ["/api/review.csv", "/api/review.json"]
PUBLIC = [
    "/",
    "/explore",
    "/play",
    "/train",
    "/watch",
    "/review",
    "/static",
    "/nowhere",
    "/api/game",
    *SPOTS,
    *EXACT,
    *REVIEWS,
]
PRIVATE = ["/api/table", "/api/table/deal", "/api/table/act", "/api/table/hint"]
PRIVATE += ["/api/hands", "/api/hands.log", "/api/session"]
PRIVATE += ["/api/train", "/api/train/deal", "/api/train/act", "/api/train/values", "/api/train/answers"]
PRIVATE += ["/api/train.csv", "/api/train.json"]
ROUTES = PUBLIC + PRIVATE


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

    def __init__(self, folder, stack):
        bot = BuiltIn("uniform")
        self.sessions = Sessions(folder / "sessions", bot.game)
        self.app = create_app(
            bot,
            self.sessions,
            name="bot",
            seed=1,
            hosts={"127.0.0.1"},
            rates=FAST,
            exact=ExactSpots(bot),
            reviews=LogReviews(bot),
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


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Values are those of one river spot whatever is asked for: what they cost is not the matter here. Nor is a solve's
    cost: all but the first fail.
    """
    values = expected_values(BuiltIn("uniform"), "Td9d6h2c3s", "cc/cc/cc/")
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        patch.setattr("cfr.web.values.values_at", lambda *_, **__: values)
        patch.setattr("cfr.web.exact.forecast_spot", lambda _: SpotForecast(1, 1, "float32", 1, 10, 0.1, 1, False))
        page = Page(tmp_path_factory.mktemp("page"), stack)
        page.solve()
        page.review()
        patch.setattr(ExactSpots, "solve", not_solved)
        yield page


def not_solved(*_):
    raise CfrError("not solved here")


def test_every_route_is_tried(page):
    assert set(page.routes) | {"/nowhere"} == set(ROUTES)


# ---- what is asked


TEXT = st.text(max_size=8) | st.text("fcr/", max_size=30) | st.integers(-5, 10**30).map(str)
TEXT |= st.lists(st.sampled_from(CARDS), max_size=6).map("".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
# Filled in when a request is sent: the hand's line and number, the player's token, and the solve's id.
LINE, NUMBER, TOKEN, SOLVED, ASKED = "<line>", "<number>", "<token>", "<solved>", "<asked>"
REVIEWED, LOG = "<reviewed>", "STATE:1:crf:KsQs|AsAh:10|-10:bob|ann\n"
# What Python would not write.
RAW = ["1.0", "-0", "1e999", "9" * 400, "NaN", "-Infinity", "0x1", "01", "[" * MAX_BODY, '{"a":' * 100, "'c'", ""]
RAW += ['"\\ud800"', '"\\u0000"']
VALUES = JSON.map(json.dumps) | st.sampled_from(RAW)
NAMES = st.sampled_from(
    ['"id"', '"board"', '"locks"', '"target"', '"seat"', '"hand"', '"line"', '"action"', '"x"', "1", '"\\u0068and"']
)
OTHER_BODIES = st.just("") | st.just("") | VALUES | TEXT
BINARY = st.binary(max_size=50)
TYPES = ["application/json", "Application/JSON; charset=utf-16", "text/plain", "multipart/form-data", ""]
METHODS = st.sampled_from(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", "X"])
SEEDS = st.integers(0, 10**6)
ONE_IN_TEN = st.sampled_from([False] * 9 + [True])
COOKIES = [f"{COOKIE}={value}" for value in [TOKEN] * 40 + [f"{TOKEN}A", "", "' OR 1=1 --", f'"{TOKEN}"', "A" * 43]]
COOKIES = st.sampled_from([*COOKIES, f"{COOKIE}=x; {COOKIE}={TOKEN}", f"{COOKIE}", "=;;,", ""])
# Other headers that something may read, with values near to those that it takes.
OTHERS = {
    b"host": ["127.0.0.1:8000", "x", "", "[", "a:b:c", "127.0.0.1:99999"],
    b"origin": ["http://127.0.0.1", "null", "http://[", "https://127.0.0.1:8000"],
    b"accept-encoding": ["gzip", "gzip;q=0", "br"],
    b"range": ["bytes=0-1", "bytes=9-1", "bytes=-", "bytes=0-1,3-4", "bytes=99999999-", "x=1-2"],
    b"if-range": ["x", "*"],
    b"if-none-match": ["*", "x"],
    b"if-modified-since": ["Sat, 29 Oct 1994 19:43:31 GMT", "x"],
    b"content-length": ["0", "-1", "x"],
    b"transfer-encoding": ["chunked"],
    b"x-forwarded-for": ["1.2.3.4"],
    b"connection": ["upgrade"],
}
HEADER = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=20)
SOME_HEADERS = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(near) | HEADER for name, near in OTHERS.items()}
)
FILES = sorted(path.name for path in STATIC.iterdir())
AWAY = ["", "..", "../app.py", "%2e%2e/app.py", "..%2fapp.py", "%00", "a%00.js", "x" * 300, "app.js/", "//app.js"]


def known(draw, *likely):
    """Mostly one of these, sometimes damaged, sometimes any text."""
    if draw(ONE_IN_TEN):
        return draw(TEXT)
    text = draw(st.sampled_from(likely))
    return damaged(text, draw) if draw(ONE_IN_TEN) else text


def a_spot(draw):
    """A line that can be played, and a board that it needs."""
    rng = random.Random(draw(SEEDS))
    state, board = BETTING.root, "".join(rng.sample(CARDS, 5))
    for _ in range(rng.randrange(16)):
        after = state.act(rng.choice(state.legal.replace("f", "c")))
        if after.is_over:
            break
        state = after
    return state.line_string, board[: 2 * state.num_board_cards]


def a_query(draw, path):
    if draw(ONE_IN_TEN):
        return draw(st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="#"), max_size=40))
    names_spot = path in [*SPOTS, *EXACT]
    line, board = a_spot(draw) if names_spot else ("", "")
    pairs = [("line", known(draw, line)), ("board", known(draw, board))] if names_spot else []
    if path in EXACT:
        if draw(st.booleans()):
            pairs = [("line", known(draw, "cc/cc/cc/", "cc/cc/cc/cr")), ("board", known(draw, "Td9d6h2c3s"))]
        pairs.append(("id", known(draw, SOLVED)))
    if path in REVIEWS:
        pairs = [("id", known(draw, REVIEWED)), ("player", known(draw, "", "0", "1")), ("offset", known(draw, "", "3"))]
        pairs += [("round", known(draw, "", "river")), ("kind", known(draw, "", "fold-call"))]
        pairs.append(("mistakes", known(draw, "", "1")))
    if path == "/api/train/values":
        pairs.append(("number", known(draw, "1", "2", "3", "4", "0", "-1")))
    if path.startswith("/api/hands") or path == "/api/train/answers":
        pairs.append(("before", known(draw, "1", "2", "999999999999999", "1" * 16, "0", "-1", "²")))
    if draw(ONE_IN_TEN):
        names = st.sampled_from(["line", "board", "before", "x", ""])
        pairs += draw(st.lists(st.tuples(names, TEXT | st.just("9" * 5000)), max_size=3))
    return urlencode(pairs, errors="surrogatepass")


def a_body(draw, path):
    """JSON near to what the route takes, if it takes any, as text."""
    if path == "/api/train/deal":
        choices = {"mode": MODES, "seat": DRILLED, "round": ROUNDS, "flop": FLOPS, "decision": [*DECISIONS]}
        values = {name: known(draw, *choice) for name, choice in choices.items()}
        values["line"] = known(draw, "", "", "r", "rc/", "limp", "fr")
        written = [(json.dumps(name), json.dumps(value)) for name, value in values.items()]
    elif path == "/api/train/act":
        line, action = known(draw, *[ASKED] * 8, "", "r"), known(draw, *"ffccccrrrr")
        number = draw(st.sampled_from([NUMBER] * 9 + ["1", "2"]))
        written = [('"number"', number), ('"line"', json.dumps(line)), ('"action"', json.dumps(action))]
    elif path.endswith("/deal"):
        written = [('"seat"', json.dumps(known(draw, *SEATS)))]
    elif path.endswith("/act"):
        line = known(draw, *[LINE] * 6, f"{LINE}c", "", "r", "c")
        number = draw(st.sampled_from([NUMBER] * 9 + [f"1{NUMBER}", f"-{NUMBER}", "0"]))
        action = known(draw, *"ffccccrrrr")
        written = [('"hand"', number), ('"line"', json.dumps(line)), ('"action"', json.dumps(action))]
    elif path in WANTED:
        line, board = a_spot(draw)
        ranges = ["", "strategy", "AA,KK:0.5", "strategy; AA:0; random:0.5", "TdTh", "AA;;", "random:0"]
        locks = draw(
            st.lists(st.sampled_from(["r:fold=0.4", ":call=1", "c[AA]:raise=1", "r:@/etc/passwd"]), max_size=2)
        )
        values = {"board": board, "line": line, "button": known(draw, *ranges), "bb": known(draw, *ranges)}
        values |= {"locks": locks, "target": draw(st.sampled_from([0.1, 1, 0, -1, 1e9]))}
        written = [(json.dumps(name), json.dumps(value)) for name, value in values.items()]
    elif path == "/api/review/start":
        name, text = known(draw, "x.log", "x.txt"), known(draw, LOG, LOG.replace("/", ":"))
        written = [('"name"', json.dumps(name)), ('"text"', json.dumps(text))]
    elif path.endswith("/stop"):
        written = [('"id"', json.dumps(known(draw, "x" if path in REVIEWS else SOLVED)))]
    else:
        return draw(OTHER_BODIES)
    for _ in range(draw(st.sampled_from([0] * 8 + [1, 2]))):
        place, value = draw(st.integers(0, len(written) - 1)), draw(VALUES)
        name = draw(NAMES)
        change = [(written[place][0], value), (name, value), (name, written[place][1])]
        written[place : place + draw(st.integers(0, 1))] = [draw(st.sampled_from(change))]
    text = "{" + ",".join(f"{name}:{value}" for name, value in written) + "}"
    return damaged(text, draw) if draw(ONE_IN_TEN) else text


@st.composite
def requests(draw, path, methods):
    """Arguments of `Page.ask`, mostly near to what a route takes, with names for what is known only when it is sent."""
    method = draw(METHODS if draw(ONE_IN_TEN) else st.sampled_from(methods))
    target = path
    if path == "/static":
        target += "/" + known(draw, *FILES, *AWAY)
    elif draw(ONE_IN_TEN):
        target = "/" + damaged(path, draw)
    target = quote(target, safe="/%")
    if query := a_query(draw, path):
        target += f"?{query}"
    headers = {b"host": "127.0.0.1:8000"}
    if kept := draw(COOKIES):
        headers[b"cookie"] = kept
    if draw(ONE_IN_TEN):
        headers |= draw(SOME_HEADERS)
    body = a_body(draw, path).encode("utf-8", "surrogatepass")
    if body:
        headers[b"content-type"] = draw(st.sampled_from(TYPES)) if draw(ONE_IN_TEN) else TYPES[0]
    cut = len(body)
    if draw(ONE_IN_TEN):
        body = draw(st.sampled_from([body, body + b" " * MAX_BODY, body.decode("latin-1").encode("utf-16")]) | BINARY)
        cut = draw(st.integers(0, len(body)))
    return {
        "method": method,
        "target": target,
        "headers": list(headers.items()),
        "chunks": [body[:cut], body[cut:]],
        "complete": not draw(ONE_IN_TEN),
    }


def filled(request, hand, exercise, token, page):
    """The request with what its names stand for."""
    values = {LINE: hand.line, NUMBER: str(hand.number)} if hand else {}
    if exercise and request["target"].startswith("/api/train"):
        values |= {ASKED: exercise.line, NUMBER: str(exercise.number)}
    values |= {TOKEN: token, SOLVED: page.solved}
    headers, chunks = request["headers"], request["chunks"]
    target = request["target"].replace(quote(SOLVED), page.solved).replace(quote(REVIEWED), page.reviewed)
    request = request | {"target": target}
    for name, value in values.items():
        headers = [(header, text.replace(name, value)) for header, text in headers]
        chunks = [chunk.replace(name.encode(), value.encode()) for chunk in chunks]
    return request | {"headers": headers, "chunks": chunks}


# ---- what is answered


def cards_in(text):
    """Everything in it that may be read as a card."""
    return set(re.findall(r"(?=([2-9TJQKA][cdhs]))", text))


def seen_by(sessions, token):
    """The cards that a session may know, from what the server has dealt; nobody's are none."""
    seen, found = set(), sessions.find(token)
    for hand in sessions.hands(found[0], 100) if found else ():
        state = BETTING.parse(hand.line)
        seen |= set(hand.deal.hands[hand.seat]) | set(hand.deal.board[: state.num_board_cards])
        seen |= set(hand.deal.hands[1 - hand.seat]) if state.at_showdown else set()
    for each in trained(sessions).exercises(found[0].id, answered=False) if found else ():
        state = BETTING.parse(each.after or each.line)
        seen |= set(each.hole()) | set(each.deal.board[: state.num_board_cards])
        seen |= set(each.deal.hands[1 - each.seat]) if state.at_showdown else set()
    return cards_in(format_cards(sorted(seen)))


def trained(sessions):
    return Training(sessions.file, sessions.transaction, 100)


def said_in(request):
    """What its sender has said, which an answer may repeat."""
    body = b"".join(request["chunks"])
    said = body.decode("latin-1") + unquote_plus(request["target"])
    said += "".join(value for _, value in request["headers"])
    with suppress(ValueError, RecursionError):
        said += json.dumps(json.loads(body), ensure_ascii=False)  # in any encoding that JSON may have
    return said + repr(said)  # as refusals quote it


def check(answer):
    """What holds for every answer."""
    assert 200 <= answer.status < 500, answer.text
    for name, value in HEADERS.items():
        assert answer.headers[name] == value
    assert "cache-control" in answer.headers
    assert "server" not in answer.headers
    if answer.status >= 400:
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["cache-control"] in {"no-store", "no-cache"}
        refusal = json.loads(answer.text)
        assert list(refusal) == ["error"]
        assert len(refusal["error"].splitlines()) == 1
        assert refusal["error"].isprintable()


def check_cards(request, answer, token, sessions):
    """No card that its sender has not seen; whoever has no session has seen none, and sees those of a new one."""
    text = answer.text
    if answer.headers["content-type"] == "application/json":
        text = json.dumps(json.loads(text), ensure_ascii=False)
    shown = "\n".join([text, *(value for name, value in answer.headers.items() if name != "set-cookie")])
    assert token not in shown
    mine = [value for name, value in request["headers"] if name == b"cookie" and token in value]
    seen = seen_by(sessions, token) if mine else set()
    if started := re.match(rf"{COOKIE}=([\w-]+)", answer.headers.get("set-cookie", "")):
        seen |= seen_by(sessions, started[1])
        sessions.forget(sessions.find(started[1])[0])
    shown = shown.replace("The ", "")  # is no card, though it begins like a ten of hearts
    unseen = cards_in(shown) - seen - cards_in(said_in(request))
    assert not unseen, f"{unseen} not seen: {shown}"


@st.composite
def hands(draw):
    """A hand in which it is the person's turn, from a number, so that it is the same when the case is tried again."""
    rng = random.Random(draw(SEEDS))
    state, seat, goal = BETTING.root, rng.randrange(2), rng.randrange(12)
    while len(state.line_string) < goal or state.actor != seat:
        after = state.act(rng.choice(state.legal.replace("f", "c")))
        if after.is_over:
            break
        state = after
    if state.actor != seat:
        seat = 1 - seat
    return Hand(rng.randrange(1, 4), "bot", seat, deal_hand(HULHE, rng), state.line_string, None)


def fuzz(page, path, cases, phases=tuple(Phase)):
    """Each example has a few requests, most about this route, some about what may change a hand before them."""
    about = {route: requests(route, sorted(page.routes.get(route, {"GET"}))) for route in {path, *PRIVATE}}
    mixed = st.one_of(*[about[path]] * 2 * len(PRIVATE), *map(about.get, PRIVATE))
    few = st.lists(mixed, min_size=PER_EXAMPLE, max_size=PER_EXAMPLE)

    @settings(
        max_examples=-(-cases // PER_EXAMPLE), phases=phases, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(hands(), st.booleans(), few)
    def run(hand, whole, few):
        token, session = page.sessions.start()
        assert page.sessions.add(session, hand)
        exercises = trained(page.sessions)
        exercises.deal(session.id, Exercise(hand.number, "bot", hand.seat, hand.deal, hand.line, whole))
        try:
            for each in few:
                exercise = exercises.latest(session.id)
                request, before = filled(each, hand, exercise, token, page), hand
                if (answer := page.ask(**request)) is None:
                    continue
                check(answer)
                address = unquote(request["target"].partition("?")[0])
                if address.startswith("/api/") and address not in [*SPOTS, *EXACT, *REVIEWS]:
                    check_cards(request, answer, token, page.sessions)
                _, hand = page.sessions.find(token) or (None, None)
                assert answer.status < 400 or hand == before
        finally:
            page.sessions.forget(session)

    run()


@pytest.mark.parametrize("path", ROUTES)
def test_any_request(page, path):
    fuzz(page, path, QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("path", ROUTES)
def test_any_request_at_length(page, path):
    fuzz(page, path, -(-CASES // len(ROUTES)))


@pytest.mark.parametrize("path", ["/api/table", "/api/train"])
def test_a_leak_is_seen(page, monkeypatch, path):
    monkeypatch.setattr("cfr.web.table._seen", lambda hand, state: hand.deal)
    with pytest.raises(AssertionError, match="not seen"):
        fuzz(page, path, QUICK, [Phase.generate])


def test_who_leaves_in_the_middle_is_no_failure(page):
    headers = [(b"host", "127.0.0.1"), (b"content-type", "application/json")]
    answer = page.ask("POST", "/api/table/deal", headers, [b'{"seat":'], complete=False)
    assert (answer.status, answer.text) == (400, '{"error":"the request was broken off"}')


@pytest.mark.parametrize("part", ["bytes=0-1", "bytes=9-1", "bytes=999999-", "x"])
@pytest.mark.parametrize("path", ["/", "/static/app.js"])
def test_files_come_whole(page, path, part):
    whole, answer = (page.ask("GET", path, [(b"host", "127.0.0.1"), *more], []) for more in ([], [(b"range", part)]))
    assert (answer.status, answer.body) == (200, whole.body)
