"""Saved spots in the file of sessions, and the requests about them."""

import json
from dataclasses import replace

import pytest

from cfr.game.rules import Game
from cfr.web.store.saved_spots import MOST, SavedSpot, SavedSpots
from cfr.web.store.sessions import FullError, Limits, Sessions
from tests.web.clients import clients, deal

pytest.importorskip("starlette")
make = pytest.fixture(clients, name="make")

SPOT = {"number": 0, "name": "A turn", "note": "bet \u2264 half\nthe range", "address": "line=rc/crc/&board=Td9d6hQc"}


@pytest.fixture
def sessions(tmp_path):
    opened = Sessions(tmp_path / "sessions", Game.bundled("hulhe"), Limits(sessions=2))
    yield opened
    opened.close()


def test_spots_are_kept_changed_and_removed(sessions, tmp_path):
    saved, session, other = SavedSpots(sessions), sessions.start()[1].id, sessions.start()[1].id
    spot = SavedSpot(**SPOT)
    assert saved.keep(session, spot)
    assert saved.keep(session, replace(spot, name="another"))
    assert saved.keep(session, SavedSpot(1, "renamed", "", "line=rr"))
    assert not saved.keep(session, replace(spot, number=3))
    assert not saved.keep(other, replace(spot, number=1))
    assert [(each.number, each.name) for each in saved.all(session)] == [(2, "another"), (1, "renamed")]
    assert saved.all(other) == []
    saved.remove(other, 1)
    saved.remove(session, 2)
    again = Sessions(tmp_path / "sessions", Game.bundled("hulhe"))
    assert SavedSpots(again).all(session) == [SavedSpot(1, "renamed", "", "line=rr")]
    again.close()


def test_spots_are_bounded_and_go_with_their_session(sessions):
    saved, (_, session) = SavedSpots(sessions), sessions.start()
    for _ in range(MOST):
        assert saved.keep(session.id, SavedSpot(**SPOT))
    with pytest.raises(FullError, match="100 spots are saved; remove one first"):
        saved.keep(session.id, SavedSpot(**SPOT))
    assert saved.keep(session.id, SavedSpot(1, "renamed", "", ""))
    sessions.forget(session)
    assert saved.all(session.id) == []
    assert not saved.keep(session.id, SavedSpot(**SPOT))


def test_who_saved_spots_makes_no_room_for_others(sessions):
    (kept, saver), (left, _) = sessions.start(), sessions.start()
    SavedSpots(sessions).keep(saver.id, SavedSpot(**SPOT))
    sessions.start()
    assert sessions.find(kept)
    assert not sessions.find(left)


def test_requests_save_show_and_remove(make):
    client = make()
    assert client.get("/api/saved").json() == {"spots": []}
    assert "cfr_session" not in client.cookies
    assert client.post("/api/saved/keep", json=SPOT).json() == {"spots": [SPOT | {"number": 1}]}
    assert client.get("/api/saved").json()["spots"] == [SPOT | {"number": 1}]
    assert make().get("/api/saved").json() == {"spots": []}
    changed = SPOT | {"number": 1, "note": ""}
    assert client.post("/api/saved/keep", json=changed).json()["spots"] == [changed]
    assert client.post("/api/saved/remove", json={"number": 1}).json() == {"spots": []}
    deal(client)
    client.post("/api/saved/keep", json=SPOT)
    client.delete("/api/session")
    assert client.get("/api/saved").json() == {"spots": []}


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"name": " "}, 400, "name: expected one"),
        ({"name": "x" * 81}, 400, "name: 81 characters; expected at most 80"),
        ({"note": "x" * 501}, 400, "note: 501 characters; expected at most 500"),
        ({"address": "x" * 2001}, 400, "address: 2001 characters; expected at most 2000"),
        ({"note": "\ud800"}, 400, "note: half a character"),
        ({"number": 7}, 409, "spot 7 is not saved any more"),
        ({"number": 2**80}, 409, "is not saved any more"),
        ({"number": "1"}, 400, "number: expected a number"),
    ],
)
def test_what_cannot_be_saved_is_refused(make, change, status, said):
    client = make()
    client.post("/api/saved/keep", json=SPOT)
    body = json.dumps(SPOT | change)
    answer = client.post("/api/saved/keep", content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, said in answer.json()["error"]) == (status, True)
    assert len(client.get("/api/saved").json()["spots"]) == 1


def test_nothing_is_removed_without_a_session(make):
    assert make().post("/api/saved/remove", json={"number": 1}).status_code == 401
