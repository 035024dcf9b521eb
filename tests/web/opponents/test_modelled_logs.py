"""Logs that visitors drop to learn from: players, a model in the folder, and what is refused in one line."""

import time

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from cfr.formats.logs import read_text
from cfr.game.betting import BettingTree
from cfr.opponents.model import FEWEST, model_of
from cfr.opponents.shelf import Shelf
from cfr.strategy.files.stored import Strategy
from cfr.web.opponents import modelled_logs
from cfr.web.opponents.modelled_logs import ModelledLogs
from cfr.web.opponents.routes import MOST_BYTES
from tests.web.clients import BETTING, HULHE, clients

make = pytest.fixture(clients, name="make")
LINES = ("crf:AsKh|QdJd:10|-10", "crc/cc/cc/cc:AsKh|QdJd/Td9d6h/2c/3s:20|-20", "rf:AsKh|QdJd:-10|10")


def log(hands, players="bob|a/nn"):
    """The second player folds to a raise after a call, or calls it, or raises."""
    return "".join(f"STATE:{n}:{LINES[n % 3]}:{players}\n" for n in range(hands))


@pytest.fixture
def client(make, hulhe, hulhe_file, tmp_path):
    folder = tmp_path / "players"
    folder.mkdir()
    shelf = Shelf(folder, HULHE)
    return make(hulhe, shelf=shelf, modelled=ModelledLogs(shelf, str(hulhe_file), BETTING))


def drop(client, text, name="session.log"):
    """The log once it was read."""
    answer = client.post("/api/opponents/log/start", json={"name": name, "text": text})
    assert answer.status_code == 200, answer.text
    return finished(client, answer.json())


def learn(client, state, player):
    return client.post("/api/opponents/log/learn", json={"id": state["id"], "player": player})


def finished(client, state):
    while state["state"] not in ("done", "failed"):
        time.sleep(0.05)
        state = client.get("/api/opponents/log", params={"id": state["id"]}).json()
    return state


@pytest.mark.thorough
def test_a_player_of_a_log_joins_the_folder(client, hulhe, tmp_path):
    text = log(300)
    state = drop(client, text)
    assert (state["state"], state["hands"], state["made"]) == ("done", 300, None)
    assert state["players"] == [{"player": "a/nn", "hands": 300}, {"player": "bob", "hands": 300}]
    state = finished(client, learn(client, state, "a/nn").json())
    assert (state["state"], state["made"], state["problem"]) == ("done", "a_nn", None)
    [made] = (tmp_path / "players").iterdir()
    assert made.name == "a_nn.h5"
    found = client.get("/api/opponents/player", params={"name": "a_nn"}).json()
    expected = model_of(list(read_text(text, "session.log", BettingTree(HULHE))), "a/nn", hulhe, "x")
    assert found["leaks"] == [each.to_dict() for each in expected.leaks]
    assert found["leaks"]
    assert (found["player"], found["hands"], found["beside"]) == ("a/nn", expected.hands, "bot")
    with Strategy.open(made) as model:
        assert model.attributes["model_blueprint"] == str(hulhe.path)
    refused = learn(client, state, "a/nn")
    assert refused.status_code == 400
    assert refused.json()["error"] == (
        "a_nn.h5 is there already, and the page replaces no file; `cfr model` makes another"
    )


@pytest.mark.thorough
def test_few_hands_make_the_prior_as_the_command_does(client):
    state = drop(client, log(FEWEST - 1))
    assert finished(client, learn(client, state, "bob").json())["made"] == "bob"
    found = client.get("/api/opponents/player", params={"name": "bob"}).json()
    assert (found["hands"], found["is_prior"], found["gain_nats"]) == (FEWEST - 1, True, None)


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("STATE:1:crf:Ks|Qs:-1|1:ann|bob\n", "x.log", "x.log: the hands are of another game than hulhe, such as kuhn"),
        ("nothing", "x.log", "x.log: "),
        ("", "x.txt", "x.txt: "),
    ],
)
def test_a_log_that_says_nothing_is_told(client, text, name, said):
    state = drop(client, text, name)
    assert (state["state"], state["players"]) == ("failed", [])
    assert state["problem"].startswith(said)
    assert state["problem"].isprintable()
    assert learn(client, state, "ann").status_code == 400


def test_players_who_are_not_there_and_logs_that_are_too_long(client):
    state = drop(client, log(3))
    assert learn(client, state, "cat").json()["error"] == ("session.log: there is no player 'cat'; it has a/nn, bob")
    assert learn(client, {"id": "nobody"}, "bob").status_code == 404
    assert client.get("/api/opponents/log?id=nobody").json()["error"] == "no such log is kept; drop it again"
    start = {"name": "x.log", "text": "x" * (MOST_BYTES + 1)}
    assert client.post("/api/opponents/log/start", json=start).status_code == 413
    assert client.get("/api/game").json()["opponent_log_bytes"] == MOST_BYTES


def test_a_cancelled_model_leaves_nothing(client, tmp_path):
    state = drop(client, log(300))
    learn(client, state, "bob")
    assert client.post("/api/opponents/log/stop", json={"id": state["id"]}).json() == {}
    assert client.get("/api/opponents/log", params={"id": state["id"]}).status_code == 404
    state = drop(client, log(3))  # when its turn comes, the one before is over
    assert state["state"] == "done"
    assert list((tmp_path / "players").iterdir()) == []


def test_a_new_log_takes_the_place_of_the_one_before(client):
    first = drop(client, log(3))
    assert drop(client, log(4))["hands"] == 4
    assert learn(client, first, "bob").status_code == 404


def test_a_full_folder_and_one_that_went_away(client, tmp_path, monkeypatch):
    state = drop(client, log(3))
    monkeypatch.setattr(modelled_logs, "MOST_MODELS", 0)
    assert learn(client, state, "bob").json()["error"] == "the folder has 0 models; the page adds no more"
    monkeypatch.undo()
    (tmp_path / "players").rmdir()
    assert learn(client, state, "bob").json()["error"].startswith("the folder of players' models cannot be read")


def test_without_a_strategy_file_nothing_is_taken(make, folder):
    client = make(shelf=Shelf(folder, HULHE))
    assert client.get("/api/game").json()["opponent_log_bytes"] is None
    assert client.post("/api/opponents/log/start", json={"name": "x.log", "text": ""}).status_code in (404, 405)
