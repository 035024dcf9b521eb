"""The trainer against opponents of the folder: whom one plays, what answers lose, and names that are not there."""

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from cfr.game.cards import parse_cards
from cfr.opponents.shelf import Shelf
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.stored import Strategy
from cfr.values.best_values import best_action_ev
from cfr.values.canonical_spot import canonical_spot
from tests.web.clients import HULHE, clients

make = pytest.fixture(clients, name="make")
RIVER = {"mode": "spots", "seat": "any", "round": "river", "line": "", "flop": "any", "decision": "any"}


@pytest.fixture
def client(make, folder):
    return make(BuiltIn("always-call"), shelf=Shelf(folder, HULHE))


def deal(client, against="ann", **drill):
    return client.post("/api/train/deal", params={"against": against}, json=RIVER | drill)


def act(client, exercise, action, against="ann"):
    body = {"number": exercise["number"], "line": exercise["hand"]["line"], "action": action}
    return client.post("/api/train/act", params={"against": against}, json=body)


def valued(client, number, against="ann"):
    asked = {"number": number, "against": against}
    while (answer := client.get("/api/train/values", params=asked)).status_code == 202:
        pass
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_an_answer_loses_what_best_play_against_the_player_wins_more(client, folder):
    exercise = deal(client).json()["exercise"]
    hand = exercise["hand"]
    assert (hand["bot"], hand["round"], hand["bot_cards"]) == ("ann", 3, None)
    act(client, exercise, "c")
    told = valued(client, 1)["feedback"]
    with Strategy.open(folder / "ann.h5") as ann:
        state, board = ann.spot(hand["board"], hand["line"])
        spot, images = canonical_spot(ann, state, board)
        evs = best_action_ev(ann.at(spot.state, spot.board))[images[HULHE.hand_number(parse_cards(hand["cards"]))]]
    assert [each["ev_mbb"] for each in told["options"]] == [
        evs["fcr".index(each["letter"])] for each in told["options"]
    ]
    assert told["ev_lost_mbb"] == np.nanmax(evs) - evs[1]
    assert told["mistake"] == (told["ev_lost_mbb"] >= 10)  # though the strategy always calls
    assert told["probability"] == 1
    assert told["strategy"] == "bot against ann"
    said = "The strategy is on guard against everybody; best play looks at ann alone."
    assert told["why"] == (said if told["mistake"] else None)


def test_what_is_a_mistake_against_one_is_asked_again_against_the_same(client):
    for number in range(1, 8):  # until something is wrong
        exercise = deal(client).json()["exercise"]
        act(client, exercise, "c")
        found = valued(client, number)
        if found["repeats"]:
            break
    assert found["repeats"] == 1
    own = client.get("/api/train").json()
    assert (own["exercise"], own["repeats"], own["score"]["decisions"]) == (None, 0, 0)
    bobs = client.get("/api/train", params={"against": "bob"}).json()
    assert (bobs["exercise"], bobs["feedback"], bobs["score"]["decisions"]) == (None, None, 0)
    listed = [
        client.get("/api/train/answers", params={"against": name}).json()["answers"] for name in ("ann", "bob", "")
    ]
    assert [len(each) for each in listed] == [number, 0, number]
    rows = client.get("/api/train.json").json()
    assert {row["strategy"] for row in rows} == {"bot against ann"}


def test_the_player_plays_on_in_whole_hands(client):
    raised = False
    for _ in range(12):
        exercise = deal(client, mode="hands", round="turn").json()["exercise"]
        while not exercise["hand"]["over"] and not exercise["answered"]:  # what was wrong comes back alone
            assert exercise["hand"]["bot"] == "ann"
            exercise = act(client, exercise, "c").json()["exercise"]
        raised |= any(step["who"] == "bot" and step["letter"] == "r" for step in exercise["hand"]["steps"])
    assert raised  # the strategy itself never raises


def test_an_exercise_is_answered_against_its_own_player(client):
    exercise = deal(client).json()["exercise"]
    refused = act(client, exercise, "c", "bob")
    said = "exercise 1 is about another strategy, bot against ann; deal a new one"
    assert (refused.status_code, refused.json()["error"]) == (409, said)
    assert act(client, exercise, "c").status_code == 200


@pytest.mark.parametrize(
    ("against", "drill", "said"),
    [
        ("nobody", {}, "strategy 'nobody'; expected one of bot"),
        ("mix:ann@0.5,bob", {}, "mix:ann@0.5,bob: expected values are those of one strategy, not of a mix"),
        (600 * "x", {}, "against: 600 characters; expected at most 540"),
        ("ann", {"round": "preflop"}, "round preflop: too many boards follow to know best play"),
    ],
)
def test_what_cannot_be_trained_is_one_line(client, against, drill, said):
    answer = deal(client, against, **drill)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(said)
    if not drill:
        assert client.get("/api/train", params={"against": against}).status_code == 400
