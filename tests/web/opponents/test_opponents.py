"""The page's answers about players: who is there, leaks, the way from safe to greedy, files, and grids."""

import shutil
from urllib.parse import quote

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from cfr.opponents.shelf import Shelf
from cfr.opponents.trade import best_mix
from cfr.web.explore import library
from tests.opponents.files import BLUEPRINT, GREEDY, LEAKS, SAFE, write_model
from tests.web.clients import HULHE, clients

make = pytest.fixture(clients, name="make")


@pytest.fixture
def client(make, hulhe, folder):
    return make(hulhe, shelf=Shelf(folder, HULHE))


def of(client, name):
    return client.get("/api/opponents/player", params={"name": name})


def test_who_is_there(client, folder):
    (folder / "torn.h5").write_text("x")
    found = client.get("/api/opponents").json()
    assert found["players"] == [
        {"name": "bob", "player": "<b>bob", "hands": 1333, "is_prior": True},
        {"name": "ann", "player": "ann", "hands": 1333, "is_prior": False},
    ]
    assert [each.partition(":")[0] for each in found["problems"]] == ["torn.h5"]
    assert client.get("/api/game").json()["opponents"]


def test_a_player(client, folder):
    found = of(client, "ann").json()
    assert found["leaks"] == [each.to_dict() for each in LEAKS]
    assert (found["gain_nats"], found["gain_error_nats"], found["is_prior"]) == (90.0, 10.0, False)
    assert (found["blueprint"], found["beside"]) == ("random.h5", "bot")
    rate = {"hands": 4, "bb_per_100": 87.5, "interval_95": 123.45}
    assert found["result"] == rate | {"after": [1, 2, 3, 4], "won_bb": [2, -1, 0.5, 3.5]}
    assert str(folder) not in str(found)
    assert "somebody" not in str(found)
    assert found["command"] == "cfr counter ann.h5 --out beat-ann.h5"
    assert [(each["name"], each["win_mbb"], each["exploitability_mbb"]) for each in found["points"]] == [
        (None, 20.0, 66.0),
        ("beat-ann-0.5", 60.0, 86.0),
        ("beat-ann-1", 200.0, 586.0),
    ]
    coins = found["coins"]
    assert [coins[0]["plays"], coins[20]["plays"], coins[40]["plays"]] == [
        "random.h5",
        "beat-ann-0.5.h5",
        "beat-ann-1.h5",
    ]
    assert coins[0]["against"] == "bot"
    assert coins[10]["against"] == "mix:beat-ann-0.5@0.500000,bot"
    assert coins[20]["against"] == "beat-ann-0.5"
    assert coins[10]["plays"] == "mix:beat-ann-0.5.h5@0.500000,random.h5"
    assert coins[25]["plays"] == "mix:beat-ann-1.h5@0.250000,beat-ann-0.5.h5"
    for each in coins:
        best = best_mix([BLUEPRINT, SAFE, GREEDY], each["worst_mbb"] - BLUEPRINT.exploitability_mbb)
        assert each["win_mbb"] == pytest.approx(best.win_mbb)
    wins = [each["win_mbb"] for each in coins]
    assert wins == sorted(wins)


def test_a_player_without_counters(client):
    found = of(client, "bob").json()
    assert (found["leaks"], found["points"], found["coins"], found["gain_nats"]) == ([], [], [], None)
    assert found["is_prior"]
    assert found["result"] is None  # a file of an earlier version


def test_a_model_of_another_blueprint_is_said(make, folder):
    found = of(make(shelf=Shelf(folder, HULHE)), "ann").json()
    assert (found["blueprint"], found["beside"]) == ("random.h5", None)
    against = [each["against"] for each in found["coins"]]
    assert against[:20] == [None] * 20  # mixes with a strategy that is not here
    assert against[30] == "mix:beat-ann-1@0.500000,beat-ann-0.5"


def test_the_grid_of_a_player(client, hulhe, folder):
    names = [each["name"] for each in client.get("/api/game").json()["strategies"]]
    assert names == ["bot", "ann", "bob", "beat-ann-0.5", "beat-ann-1", "beat-ann"]
    spot = {"line": "rc/", "board": "Td9d6h"}
    first, own = (client.get("/api/spot", params=spot | more).json() for more in ({}, {"strategy": "ann"}))
    assert first["mix"] != own["mix"]
    write_model(folder / "ann.h5", hulhe, seed=7)
    after = client.get("/api/spot", params=spot | {"strategy": "ann"}).json()
    assert after["mix"] != own["mix"]
    (folder / "ann.h5").unlink()
    gone = client.get("/api/spot", params=spot | {"strategy": "ann"})
    assert (gone.status_code, gone.json()["error"]) == (400, "strategy 'ann'; expected one of bot")


def test_few_files_are_open_at_a_time(make, hulhe, folder, monkeypatch):
    monkeypatch.setattr(library, "_MOST_LENT", 1)
    client = make(hulhe, shelf=Shelf(folder, HULHE))
    mixes = [client.get(f"/api/spot?strategy={name}").json()["mix"] for name in ("ann", "bob", "ann")]
    assert mixes[0] == mixes[2] != mixes[1]


def test_a_file_is_saved(client, folder):
    for name in ("ann", "beat-ann-0.5"):
        answer = client.get("/api/opponents/file", params={"name": name})
        assert answer.content == (folder / f"{name}.h5").read_bytes()
        assert answer.headers["content-disposition"] == f'attachment; filename="{name}.h5"'


@pytest.mark.parametrize(
    "name", ["", "nobody", "../players/ann", "/etc/passwd", "ann.h5", "..", "ann\0", "x" * 250, "secret"]
)
@pytest.mark.parametrize("path", ["/api/opponents/file", "/api/opponents/player"])
def test_no_path_leads_out_of_the_folder(client, folder, hulhe_file, path, name):
    shutil.copy(hulhe_file, folder / "secret.h5")  # a strategy that is neither model nor counter-strategy
    answer = client.get(path, params={"name": name})
    assert answer.status_code == 404
    assert answer.json()["error"].isprintable()
    too_long = client.get(f"{path}?name={quote('x' * 300)}")
    assert (too_long.status_code, too_long.json()["error"]) == (400, "name: 300 characters; expected at most 260")


def test_a_folder_that_went_away_is_said(client, folder):
    shutil.rmtree(folder)
    answer = client.get("/api/opponents")
    assert answer.status_code == 400
    assert answer.json()["error"] == "the folder of players' models cannot be read: No such file or directory"


def test_without_a_folder_there_is_nothing(make):
    client = make()
    assert client.get("/api/game").json()["opponents"] is False
    assert client.get("/api/opponents").status_code == 404
    assert client.get("/opponents").status_code == 200
