"""The trainer's requests: what is dealt, kept, hidden, judged and exported."""

import csv
import io
import random
import sqlite3
from contextlib import closing

import pytest

from cfr.game.cards import parse_cards
from cfr.game.spot_words import pot_words, spot_title
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.stored import open_strategy
from cfr.study.spot_values import expected_values
from cfr.study.training.exercise import Exercise

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from cfr.web.store.sessions import FullError, Limits, Sessions
from cfr.web.train.training import Training
from tests.web.clients import BETTING, HULHE, clients, play
from tests.web.store.test_sessions import DEAL

make = pytest.fixture(clients, name="make")
ALL = {"mode": "spots", "seat": "any", "round": "any", "line": "", "flop": "any", "decision": "any"}
RIVER = ALL | {"round": "river"}
# What version 6 of the file of sessions added.
WITHOUT_CHOSEN = "DROP INDEX chosen_hands; ALTER TABLE hands DROP COLUMN shares; ALTER TABLE hands DROP COLUMN chosen"


@pytest.fixture(scope="module")
def small():
    with open_strategy() as strategy:
        yield strategy


def deal(client, **drill):
    answer = client.post("/api/train/deal", json=RIVER | drill)
    assert answer.status_code == 200, answer.text
    return answer.json()["exercise"]


def act(client, exercise, action):
    body = {"number": exercise["number"], "line": exercise["hand"]["line"], "action": action}
    return client.post("/api/train/act", json=body)


def valued(client, number):
    answer = client.get("/api/train/values", params={"number": number})
    while answer.status_code == 202:
        assert answer.json()["feedback"]["working"]
        answer = client.get("/api/train/values", params={"number": number})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.thorough
def test_an_answer_is_told_the_mix_and_what_each_action_wins(make, small):
    client, total = make(small), 0.0
    for number in range(1, 4):
        exercise = deal(client)
        hand = exercise["hand"]
        assert (exercise["number"], exercise["answered"], hand["round"], hand["bot_cards"]) == (number, False, 3, None)
        letter = hand["actions"][-1]["letter"]
        after = act(client, exercise, letter).json()
        assert after["exercise"]["answered"]
        assert after["exercise"]["hand"] == hand  # a spot ends with its answer, and shows no more
        found = valued(client, number)
        told = found["feedback"]
        values = expected_values(small, hand["board"], hand["line"], unreached=True)
        place = HULHE.hand_number(parse_cards(hand["cards"]))
        evs = {"fcr"[n]: values.action_ev[place, n] for n in range(3)}
        assert {each["letter"]: each["ev_mbb"] for each in told["options"]} == {
            each["letter"]: evs[each["letter"]] for each in hand["actions"]
        }
        mix = small.probabilities(hand["cards"], hand["board"], hand["line"])
        assert [each["share"] for each in told["options"]] == list(mix.values())
        best = max(each["ev_mbb"] for each in told["options"])
        assert told["ev_lost_mbb"] == best - evs[letter]
        assert told["mistake"] == (told["ev_lost_mbb"] >= 10 and told["probability"] < 0.25)
        assert told["working"] is False
        assert told["is_costly"] == (told["ev_lost_mbb"] >= 10)
        assert told["seat"] == hand["seat"]
        state = BETTING.parse(hand["line"])
        assert told["title"] == f"{spot_title(state)}, {pot_words(state)}"
        likeliest = max(told["options"], key=lambda each: each["share"])
        assert (told["why"] is not None) == (best - likeliest["ev_mbb"] >= 10)
        total += told["ev_lost_mbb"]
        assert found["score"]["decisions"] == found["score"]["ev_decisions"] == number
        assert found["score"]["ev_lost_mbb"] == pytest.approx(total)
    listed = client.get("/api/train/answers").json()
    assert [each["number"] for each in listed["answers"]] == [3, 2, 1]
    assert listed["more"] is False


def test_whole_hands_go_on_to_their_end(make):
    client, rng = make(seed=3), random.Random(1)
    for _ in range(10):
        exercise, number = deal(client, mode="hands", round="turn"), None
        while not exercise["hand"]["over"]:
            assert number is None or exercise["number"] == number + 1
            number = exercise["number"]
            legal = [each["letter"] for each in exercise["hand"]["actions"]]
            after = act(client, exercise, rng.choice(legal)).json()
            assert after["feedback"]["number"] == number
            assert after["exercise"]["hand"]["line"].startswith(exercise["hand"]["line"])
            exercise = after["exercise"]
        assert exercise["hand"]["chips"] is not None
        shown = exercise["hand"]["folded"] is None
        assert (exercise["hand"]["bot_cards"] is not None) == shown


def test_what_comes_late_or_twice_or_is_wrong_changes_nothing(make):
    client = make()
    assert client.get("/api/train").json() == {"exercise": None, "feedback": None, "score": None, "repeats": 0}
    assert client.post("/api/train/act", json={"number": 1, "line": "", "action": "c"}).status_code == 401
    first = deal(client)
    second = deal(client)  # in the place of the first
    assert act(client, first, "c").status_code == 409
    assert act(client, second, "x").status_code == 409
    assert act(client, second, "cc").status_code == 400
    assert client.get("/api/train/answers").json() == {"answers": [], "more": False}
    assert act(client, second, "c").status_code == 200
    assert act(client, second, "c").status_code == 409
    assert client.get("/api/train").json()["score"]["decisions"] == 1
    for drill in ({"seat": "cutoff"}, {"line": "zz"}, {"line": "f"}, {"line": "rrrrrr"}, {"line": "c" * 65}):
        refused = client.post("/api/train/deal", json=RIVER | drill)
        assert refused.status_code == 400, drill
    for number in ("", "7", "x", "-1"):
        assert client.get("/api/train/values", params={"number": number}).status_code == 400


def test_mistakes_come_back_until_they_are_learnt(make):
    """Of a strategy without EVs before the flop: a mistake is what it never does."""
    client = make(BuiltIn("always-call"))
    preflop = {"round": "preflop", "seat": "button"}
    wrong = deal(client, **preflop)
    told = act(client, wrong, "f").json()
    assert (told["feedback"]["mistake"], told["feedback"]["ev_lost_mbb"], told["repeats"]) == (True, None, 1)
    again = []
    for number in range(2, 70):
        exercise = deal(client, **preflop)
        assert exercise["number"] == number
        if exercise["again"]:
            again.append(number)
            assert exercise["again"] == 1
            assert (exercise["hand"]["cards"], exercise["hand"]["line"]) == (wrong["hand"]["cards"], "")
        assert act(client, exercise, "c").status_code == 200
    assert again == [7, 23, 69]
    assert client.get("/api/train").json()["repeats"] == 0


def test_progress_outlives_the_server_and_is_forgotten_when_asked(make, tmp_path):
    client = make()
    act(client, deal(client), "c")
    asked = deal(client)
    before = client.get("/api/train").json()
    other = make()
    other.cookies.update(client.cookies)
    assert other.get("/api/train").json() == before
    assert act(other, asked, "c").status_code == 200
    assert client.get("/api/train").json()["score"]["decisions"] == 2
    client.request("DELETE", "/api/session")
    with closing(sqlite3.connect(tmp_path / "sessions")) as file:
        assert file.execute("SELECT count(*) FROM exercises").fetchone() == (0,)


def test_another_strategy_has_a_score_of_its_own(make, tmp_path):
    client = make()
    act(client, deal(client), "c")
    with closing(sqlite3.connect(tmp_path / "sessions")) as file:
        file.execute("UPDATE exercises SET key = 'another'")  # under the same name
        file.commit()
    found = client.get("/api/train").json()
    assert (found["exercise"], found["score"]["decisions"]) == (None, 0)
    assert (found["feedback"]["working"], found["feedback"]["strategy"]) == (False, "bot")


@pytest.mark.thorough
def test_exports_have_all_answers_with_all_digits(make):
    client, rng = make(), random.Random(4)
    for _ in range(25):
        exercise = deal(client)
        act(client, exercise, rng.choice([each["letter"] for each in exercise["hand"]["actions"]]))
        valued(client, exercise["number"])
    deal(client)
    rows = client.get("/api/train.json").json()
    assert [row["number"] for row in rows] == list(range(1, 26))
    page = client.get("/api/train/answers").json()
    assert (len(page["answers"]), page["more"]) == (20, True)
    page["answers"] += client.get("/api/train/answers", params={"before": 6}).json()["answers"]
    for row, told in zip(rows, page["answers"][::-1], strict=True):
        shares = {each["letter"]: each["share"] for each in told["options"]}
        names = {"f": "fold", "c": "call", "r": "raise"}
        for letter, name in names.items():
            assert row[name] == shares.get(letter)
        assert row["ev_lost_mbb"] == told["ev_lost_mbb"]
        assert (row["hand"], row["board"], row["line"]) == (told["cards"], told["board"], told["line"])
    read = list(csv.DictReader(io.StringIO(client.get("/api/train.csv").text)))
    assert [{name: "" if value is None else str(value) for name, value in row.items()} for row in rows] == read


def test_sessions_are_full_and_kept_by_what_was_trained(tmp_path):
    now = [1e9]
    limits = Limits(sessions=2, hands=3)
    with closing(Sessions(tmp_path / "sessions", HULHE, limits, lambda: now[0])) as sessions:
        kept = Training(sessions.file, sessions.transaction, limits.hands)
        tokens = []
        for _ in range(2):
            token, session = sessions.start()
            tokens.append(token)
            exercise = Exercise(1, "bot", 0, DEAL, "c")
            assert kept.deal(session.id, exercise)
            assert not kept.deal(session.id, exercise)
            answered = exercise.answered(BuiltIn("uniform"), "c", valued=False)
            assert kept.answer(session.id, answered, None)
            assert not kept.answer(session.id, answered, None)
            assert kept.find(session.id, 1) == answered
            with pytest.raises(FullError, match="has its 3 exercises"):
                kept.deal(session.id, Exercise(4, "bot", 0, DEAL, "c"))
        with pytest.raises(FullError, match="all 2 places are taken"):
            sessions.start()
        now[0] += 601
        sessions.start()
        assert [sessions.find(token) is None for token in tokens].count(True) == 1


def test_sessions_of_version_2_are_taken_over(make, tmp_path):
    client = make()
    play(client, lambda hand: "c")
    with closing(sqlite3.connect(tmp_path / "sessions")) as file:
        file.executescript(
            f"{WITHOUT_CHOSEN}; DROP TABLE spots; DROP TABLE exercises;"
            "ALTER TABLE sessions DROP COLUMN trained; PRAGMA user_version = 2; VACUUM"
        )
    other = make()
    other.cookies.update(client.cookies)
    assert other.get("/api/table").json()["result"]["hands"] == 1
    assert act(other, deal(other), "c").status_code == 200


def test_sessions_of_version_3_are_taken_over(make, tmp_path):
    """Their exercises have no checksum and belong to the strategy of their name."""
    client = make()
    act(client, deal(client), "c")
    asked = deal(client)
    before = client.get("/api/train").json()
    with closing(sqlite3.connect(tmp_path / "sessions")) as file:
        file.executescript(
            f"{WITHOUT_CHOSEN}; DROP TABLE spots;ALTER TABLE exercises DROP COLUMN key; PRAGMA user_version = 3; VACUUM"
        )
    other = make()
    other.cookies.update(client.cookies)
    assert other.get("/api/train").json() == before
    assert act(other, asked, "c").status_code == 200
    assert act(other, deal(other), "c").json()["score"]["decisions"] == 3
    with closing(sqlite3.connect(tmp_path / "sessions")) as file:
        assert file.execute("SELECT key FROM exercises").fetchall() == [(None,), (None,), ("uniform",)]
        file.execute("UPDATE exercises SET strategy = 'another'")
        file.commit()
    assert other.get("/api/train").json()["score"]["decisions"] == 1


def test_hands_that_the_strategy_never_plays_there_are_judged_too(make, small, tmp_path):
    client = make(small)
    deal(client)
    line, board = "rc/cc/cc/", "Td9d6h3c2s"
    hand = HULHE.hand_number(parse_cards("7h2c"))
    assert small.range(board, line).reach[hand] == 0  # it would have folded
    with closing(sqlite3.connect(tmp_path / "sessions")) as file:
        file.execute(
            "UPDATE exercises SET seat = 0, first = '7h2c', second = 'AsKh', board = ?, line = ?", (board, line)
        )
        file.commit()
    assert act(client, client.get("/api/train").json()["exercise"], "r").status_code == 200
    found = valued(client, 1)["feedback"]
    values = expected_values(small, board, line, unreached=True).action_ev[hand]
    assert found["ev_lost_mbb"] == max(values[1:]) - values[2]
