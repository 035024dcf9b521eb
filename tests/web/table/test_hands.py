"""Hands against the bot on the page: their result, hints and log, and actions that are refused."""

import random

import numpy as np
import pytest
from scipy import stats

from cfr.game.cards import parse_cards
from cfr.game.evaluate import category, evaluate
from cfr.game.hand import Deal, showdown_winner
from cfr.strategy.built_in import BuiltIn

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from cfr.web.store.records import Hand, Session
from cfr.web.store.sessions import Limits, Sessions
from tests.web.clients import BETTING, HULHE, act, at_random, clients, deal, play, stored

make = pytest.fixture(clients, name="make")


def test_whole_hands_and_the_running_result(make, tmp_path):
    client, rng, chips = make(), random.Random(2), []
    for number in range(1, 31):
        answer = play(client, at_random(rng))
        hand = answer["hand"]
        assert (hand["number"], hand["seat"]) == (number, "button" if number % 2 else "big blind")
        _, seat, *cards, line, kept = stored(tmp_path)
        first, second, board = map(parse_cards, cards)
        state = BETTING.parse(line)
        winner = showdown_winner(state, Deal((first, second), board))
        assert hand["chips"] == kept == state.payoff(winner)[seat]
        assert len({*first, *second, *board}) == 9
        who = {seat: "you", 1 - seat: "bot"}
        assert hand["folded"] == (None if state.at_showdown else who[state.folded])
        made = {who[each]: category(int(evaluate([[*cards, *board]])[0])) for each, cards in enumerate((first, second))}
        assert hand["made"] == (made if state.at_showdown else None)
        chips.append(hand["chips"])
    result = answer["result"]
    assert (result["hands"], result["chips"]) == (30, sum(chips))
    assert result["bb_per_100"] == pytest.approx(100 * np.mean(chips) / 10)
    assert result["interval_95"] == pytest.approx(stats.t.ppf(0.975, 29) * stats.sem(chips) * 10)
    assert client.get("/api/table").json() == answer


@pytest.mark.parametrize(("seat", "name"), [("button", "button"), ("bb", "big blind")])
def test_either_seat(make, seat, name):
    client = make()
    for _ in range(4):
        hand = deal(client, seat)
        while not hand["over"]:
            state, own = BETTING.parse(hand["line"]), 1 if name == "button" else 0
            entered = BETTING.stakes[state.round][state.line]
            bets = [each - entered for each in state.stakes]
            assert hand["in_front"] == {"you": bets[own], "bot": bets[1 - own]}
            call = next(each for each in hand["actions"] if each["letter"] == "c")
            assert call["amount"] == (bets[1 - own] - bets[own] or None)
            hand = act(client, hand, "c").json()["hand"]
        assert hand["seat"] == name
        assert hand["steps"][0]["who"] == ("you" if name == "button" else "bot")


def test_the_hint_is_what_the_strategy_does(make, strategy):
    client = make(strategy, seed=4)
    hand = deal(client)
    while not hand["over"]:
        hint = client.get("/api/table/hint").json()["shares"]
        assert hint == strategy.probabilities(hand["cards"], hand["board"], hand["line"])
        hand = act(client, hand, "c").json()["hand"]
    answer = client.get("/api/table/hint")
    assert (answer.status_code, answer.json()["error"]) == (409, "no hand is being played")


def test_hands_come_from_the_system_unless_a_seed_is_asked_for(make):
    def cards(client):
        return [play(client, lambda hand: "c")["hand"]["cards"] for _ in range(3)]

    seeded = [cards(make(file=f"seeded{n}", seed=7)) for n in range(2)]
    assert seeded[0] == seeded[1]
    assert cards(make(file="other", seed=8)) != seeded[0]
    assert cards(make(file="free1")) != cards(make(file="free2"))


def test_the_log_and_its_export(make, tmp_path):
    client, rng = make(seed=3), random.Random(3)
    answers = [play(client, lambda hand: rng.choice(["c", at_random(rng)(hand)]))["hand"] for _ in range(25)]
    deal(client)  # one that is played: in neither
    page = client.get("/api/hands").json()
    assert page["more"]
    rest = client.get("/api/hands", params={"before": page["hands"][-1]["number"]}).json()
    assert not rest["more"]
    assert [*page["hands"], *rest["hands"]] == answers[::-1]
    exported = client.get("/api/hands.log")
    assert "attachment" in exported.headers["content-disposition"]
    lines = exported.text.splitlines()
    assert len(lines) == 25
    first = int(lines[0].split(":")[1])
    assert first % 10_000 == 0
    play(other := make(seed=3, file="other"), lambda hand: "c")
    assert int(other.get("/api/hands.log").text.split(":")[1]) not in range(first, first + 10_000)
    for number, (line, hand) in enumerate(zip(lines, answers, strict=True)):
        word, count, betting, cards, chips, names = line.split(":")
        assert (word, count, betting) == ("STATE", str(first + number), hand["line"])
        own = 1 if hand["seat"] == "button" else 0  # position 0 is the big blind
        assert chips.split("|")[own] == str(hand["chips"])
        assert names.split("|")[own] == "you"
        held, *board = cards.split("/")
        assert held.split("|")[own] == hand["cards"]
        assert held.split("|")[1 - own] == (hand["bot_cards"] or "")
        assert "".join(board) == hand["board"]
    assert any(hand["bot_cards"] for hand in answers)
    assert {"you", "bot"} <= {hand["folded"] for hand in answers}


def test_a_long_export_is_whole_and_in_order(make, tmp_path):
    client = make()
    play(client, lambda hand: "c")
    kept = Sessions(tmp_path / "sessions", HULHE)
    [session] = kept.file.execute("SELECT id FROM sessions").fetchone()
    deal_ = Deal(((0, 1), (2, 3)), (4, 5, 6, 7, 8))
    for number in range(2, 452):
        assert kept.add(Session(session, 0, 0, 0), Hand(number, "bot", 1, deal_, "f", -5))
    kept.close()
    lines = client.get("/api/hands.log").text.splitlines()
    first = session % 400_000 * 10_000
    assert [int(line.split(":")[1]) for line in lines] == list(range(first, first + 451))
    assert lines[-1] == f"STATE:{first + 450}:f:|2h2s:5|-5:bot|you"


def test_illegal_and_late_actions_are_refused_and_change_nothing(make):
    client = make(BuiltIn("always-call"))
    assert act(client, {"number": 1, "line": ""}, "c").status_code == 401
    hand = deal(client, "button")
    refusals = [
        ({"action": "f", "line": "c"}, 409, "too late: hand 1 went on, its line is ''"),
        ({"action": "x"}, 409, "'x' is illegal; legal are f, c, r"),
        ({"action": ""}, 409, "'' is illegal"),
        ({"action": "cc"}, 400, "expected f, c or r"),
        ({"hand": 2}, 409, "hand 2 is not being played"),
    ]
    for change, status, reason in refusals:
        answer = client.post("/api/table/act", json={"hand": 1, "line": "", "action": "c"} | change)
        assert answer.status_code == status, answer.text
        assert reason in answer.json()["error"]
    again = client.post("/api/table/deal", json={"seat": "bb"})
    assert (again.status_code, again.json()["error"]) == (409, "hand 1 is not over yet")
    assert client.get("/api/table").json()["hand"] == hand
    hand = act(client, hand, "c").json()["hand"]
    illegal = act(client, hand, "f")  # nothing to fold to
    assert (illegal.status_code, "legal are c, r" in illegal.text) == (409, True)
    while not hand["over"]:
        before, hand = hand, act(client, hand, "c").json()["hand"]
    for late in (before, hand):
        answer = act(client, late, "c")
        assert (answer.status_code, answer.json()["error"]) == (409, "too late: hand 1 is over")
    assert client.get("/api/table").json()["result"]["hands"] == 1


def test_true_is_no_number(make):
    client = make()
    deal(client)
    answer = client.post("/api/table/act", json={"hand": True, "line": "", "action": "c"})
    assert (answer.status_code, answer.json()["error"]) == (400, "hand: expected a number")


def test_sizes_are_bounded(make):
    limits = Limits(sessions=2, hands=2)
    full = make(limits=limits)
    for _ in range(2):
        play(full, lambda hand: "c")
    answer = full.post("/api/table/deal", json={"seat": "bb"})
    assert (answer.status_code, "its 2 hands" in answer.json()["error"]) == (409, True)
    play(make(limits=limits), lambda hand: "c")
    answer = make(limits=limits).post("/api/table/deal", json={"seat": "bb"})
    assert (answer.status_code, answer.json()["error"]) == (409, "all 2 places are taken; come back later")
