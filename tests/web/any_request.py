"""Requests near to those that the page takes, drawn by Hypothesis."""

import json
import random
from urllib.parse import quote, urlencode

from hypothesis import strategies as st

from cfr.game.betting import BettingTree
from cfr.game.rules import Game
from cfr.study.training.drill import DECISIONS, FLOPS, MODES, ROUNDS
from cfr.study.training.drill import SEATS as DRILLED
from cfr.web.page import STATIC
from cfr.web.server.endpoints import MAX_BODY
from cfr.web.server.table import SEATS
from cfr.web.server.visitors import COOKIE
from tests.formats.test_fuzz import damaged
from tests.web.called_page import LOG
from tests.web.clients import CARDS
from tests.web.routes import AGAINST, DATABASE, EXACT, OPPONENTS, REVIEWS, SPOTS, WANTED

BETTING = BettingTree(Game.bundled("hulhe"))
TEXT = st.text(max_size=8) | st.text("fcr/", max_size=30) | st.integers(-5, 10**30).map(str)
TEXT |= st.lists(st.sampled_from(CARDS), max_size=6).map("".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
# Filled in when a request is sent: the hand's line and number, the player's token, and the solve's id.
LINE, NUMBER, TOKEN, SOLVED, ASKED = "<line>", "<number>", "<token>", "<solved>", "<asked>"
REVIEWED = "<reviewed>"
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
FILES = {path: sorted(file.name for file in folder.iterdir()) for path, folder in STATIC.items()}
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
        pairs.append(("hand", known(draw, "", "0", "1")))
        pairs.append(("mistakes", known(draw, "", "1")))
    if path in DATABASE:
        pairs = [
            ("player", known(draw, "", "ann", "bob")),
            ("hand", known(draw, "1", "2")),
            ("offset", known(draw, "", "1", "9" * 15)),
        ]
        pairs += [("round", known(draw, "", "river")), ("line", known(draw, "", "-", "c*", "cr", "*"))]
        pairs += [("since", known(draw, "", "2026-11-28")), ("until", known(draw, "", "2026-11-28"))]
        pairs += [("mistakes", known(draw, "", "1")), ("lost", known(draw, "", "250"))]
    if path in OPPONENTS:
        pairs = [("name", known(draw, "ann", "beat-ann", "../x", "torn")), ("id", known(draw, "x", ""))]
    if path in AGAINST:
        bots = ["", "", "bot", "ann", "mix:beat-ann@0.3,bot", "mix:ann@2", "../x", "torn", "learn:", "learn:ann"]
        pairs.append(("against", known(draw, *bots, "learn:bob", "learn:x@y")))
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
    elif path in ("/api/review/start", "/api/opponents/log/start"):
        name, text = known(draw, "x.log", "x.txt"), known(draw, LOG, LOG.replace("/", ":"))
        written = [('"name"', json.dumps(name)), ('"text"', json.dumps(text))]
    elif path == "/api/saved/keep":
        values = {"name": known(draw, "turn", "x" * 81), "note": draw(TEXT), "address": known(draw, "line=rc/", "")}
        written = [('"number"', known(draw, "0", "0", "1", "-1", "9" * 20))]
        written += [(json.dumps(name), json.dumps(value)) for name, value in values.items()]
    elif path == "/api/saved/remove":
        written = [('"number"', known(draw, "1", "2", "0", "-1", "9" * 20))]
    elif path == "/api/opponents/log/learn":
        written = [('"id"', '"x"'), ('"player"', json.dumps(known(draw, "ann", "../ann", "")))]
    elif path.endswith("/stop"):
        written = [('"id"', json.dumps(known(draw, SOLVED if path in EXACT else "x")))]
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
    if path in FILES:
        target += "/" + known(draw, *FILES[path], *AWAY)
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
