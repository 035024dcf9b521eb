"""Any request to any endpoint of the page: no failure, one clear line where it is refused, no card that is hidden.

The application is called in this process, without sockets, as a server would call it, about a hand that is being
played. A case is a request. The default run tries always the same. `pytest -m slow tests/web/test_fuzz.py`
tries 100,000 others; where one fails, it says the seed that repeats them: `CFR_FUZZ_SEED=SEED pytest -m slow ...`.
"""

import base64
import json
import os
import random
import re
from contextlib import ExitStack, suppress
from dataclasses import astuple
from urllib.parse import unquote, unquote_plus

import pytest
from hypothesis import HealthCheck, Phase, given, note, seed, settings
from hypothesis import strategies as st

from cfr.game.cards import format_cards
from cfr.game.hand import deal_hand
from cfr.spots.forecast import SpotForecast
from cfr.strategy.built_in import BuiltIn
from cfr.study.spot_values import expected_values
from cfr.study.training.exercise import Exercise
from cfr.system.errors import CfrError

starlette = pytest.importorskip("starlette")

from cfr.web.server.guard import HEADERS  # noqa: E402
from cfr.web.server.visitors import COOKIE  # noqa: E402
from cfr.web.spots.exact import ExactSpots  # noqa: E402
from cfr.web.store.records import Hand  # noqa: E402
from cfr.web.store.saved_spots import SavedSpots  # noqa: E402
from cfr.web.train.training import Training  # noqa: E402
from tests.thorough import with_thorough  # noqa: E402
from tests.web.any_request import BETTING, SEEDS, filled, requests  # noqa: E402
from tests.web.called_page import Page  # noqa: E402
from tests.web.routes import DATABASE, EXACT, OPPONENTS, PRIVATE, REVIEWS, ROUTES, SPOTS  # noqa: E402

CASES, QUICK = 100_000, 40
PER_EXAMPLE = 4
# Cards as answers write them: alone or one after the other, and not as a part of a word such as "The".
RUN_OF_CARDS = re.compile(r"(?<![A-Za-z0-9])(?:[2-9TJQKA][cdhs])+(?![A-Za-z0-9])")


class NoSecrets:
    """What the page takes from `secrets`, from a seed."""

    def __init__(self, seed):
        self._rng = random.Random(seed)

    def token_urlsafe(self, count):
        return base64.urlsafe_b64encode(self._rng.randbytes(count)).rstrip(b"=").decode()

    def randbits(self, count):
        return self._rng.getrandbits(count)


@pytest.fixture(scope="module")
def page(tmp_path_factory, hulhe_file):
    """Values are those of one river spot whatever is asked for: what they cost is not the matter here. Nor is a solve's
    cost: all but the first fail.
    """
    values = expected_values(BuiltIn("uniform"), "Td9d6h2c3s", "cc/cc/cc/")
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        patch.setattr("cfr.web.server.values.values_at", lambda *_, **__: values)
        patch.setattr(
            "cfr.web.spots.exact.forecast_spot", lambda _: SpotForecast(1, 1, "float32", 1, 10, 0.1, 1, False)
        )
        page = Page(tmp_path_factory.mktemp("page"), stack, hulhe_file)
        page.solve()
        page.review()
        patch.setattr(ExactSpots, "solve", not_solved)
        yield page


def not_solved(*_):
    raise CfrError("not solved here")


def test_every_route_is_tried(page):
    assert set(page.routes) | {"/nowhere"} == set(ROUTES)


def cards_in(text):
    """All cards in it."""
    return {run[place : place + 2] for run in RUN_OF_CARDS.findall(text) for place in range(0, len(run), 2)}


def test_cards_are_told_from_words():
    assert cards_in('{"cards":"AsKh","made":"Three of a kind. The Th, 2c"}') == {"As", "Kh", "Th", "2c"}
    assert cards_in("STATE:0:rrc/:|QdJd/TsTd9c:5|-5:you|bot") == {"Qd", "Jd", "Ts", "Td", "9c"}
    assert not cards_in('This Thing, 12c, Asc, "9cX", Ad1, A s, hand 2 d')


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
    saved = [text for each in SavedSpots(sessions).all(found[0].id) for text in astuple(each)[1:]] if found else []
    return cards_in(format_cards(sorted(seen))) | cards_in(json.dumps(saved))


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
        assert list(refusal) in (["error"], ["error", "nearest"])  # the latter of a spot
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
    unseen = {card for card in cards_in(shown) - seen if card not in said_in(request)}
    assert not unseen, f"{unseen} not seen: {shown} answers {request}"


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
    return Hand(rng.randrange(1, 4), "bot", seat, deal_hand(BETTING.game, rng), state.line_string, None)


def fuzz(page, path, cases, phases=tuple(Phase), number=None):
    """Each example has a few requests, most about this route, some about what may change a hand before them.

    They are always the same, or those of a seed: a number.
    """
    about = {route: requests(route, sorted(page.routes.get(route, {"GET"}))) for route in {path, *PRIVATE}}
    mixed = st.one_of(*[about[path]] * 2 * len(PRIVATE), *map(about.get, PRIVATE))
    few = st.lists(mixed, min_size=PER_EXAMPLE, max_size=PER_EXAMPLE)

    @settings(
        max_examples=-(-cases // PER_EXAMPLE),
        phases=phases,
        database=None,
        derandomize=number is None,
        suppress_health_check=list(HealthCheck),
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
                note(f"seed {number}: {request}")
                if (answer := page.ask(**request)) is None:
                    continue
                check(answer)
                address = unquote(request["target"].partition("?")[0])
                if address.startswith("/api/") and address not in [*SPOTS, *EXACT, *REVIEWS, *DATABASE, *OPPONENTS]:
                    check_cards(request, answer, token, page.sessions)
                _, hand = page.sessions.find(token) or (None, None)
                assert answer.status < 400 or hand == before
        finally:
            page.sessions.forget(session)

    with pytest.MonkeyPatch.context() as patch:
        # A session that was begun here may stay: other searches have other tokens.
        secret = NoSecrets(f"{path} {cases} {len(phases)} {number}")
        for module in ("cfr.web.store.sessions", "cfr.web.server.jobs"):
            patch.setattr(f"{module}.secrets", secret)
        (run if number is None else seed(number)(run))()


@pytest.mark.parametrize("path", with_thorough(["/api/spot.png"], ROUTES))
def test_any_request(page, path):
    fuzz(page, path, QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("path", ROUTES)
def test_any_request_at_length(page, path):
    number = int(os.environ.get("CFR_FUZZ_SEED") or random.SystemRandom().randrange(2**32))
    print(f"CFR_FUZZ_SEED={number} repeats this search")
    fuzz(page, path, -(-CASES // len(ROUTES)), number=number)


@pytest.mark.parametrize("path", ["/api/table", "/api/train"])
def test_a_leak_is_seen(page, monkeypatch, path):
    monkeypatch.setattr("cfr.web.server.table._seen", lambda hand, state: hand.deal)
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
