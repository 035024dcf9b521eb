"""Reviewed hands that `cfr serve --db` shows: what the database says, and nothing else of the machine."""

import sqlite3

import pytest

pytest.importorskip("starlette")

from benchmarks.speed.hand_list import HERO, make_database
from cfr.cli.main import main
from cfr.game.cards import format_cards
from cfr.game.rules import Game
from cfr.strategy.built_in import BuiltIn
from cfr.study.reviews.decision_list import DecisionList
from cfr.study.reviews.hand_archive import summary
from cfr.study.reviews.hand_database import Choice, HandDatabase
from cfr.web.review.database import PART
from tests.web.clients import BETTING, clients

open_page = pytest.fixture(clients)
UNIFORM = BuiltIn("uniform")


@pytest.fixture
def database(tmp_path):
    make_database(tmp_path / "hands.db", 300, UNIFORM)
    with HandDatabase(tmp_path / "hands.db") as opened:
        yield opened


@pytest.fixture
def page(open_page, database):
    return open_page(UNIFORM, database=database)


def decisions(page, **filters):
    answer = page.get("/api/database/decisions", params=filters)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_what_there_is(page, database, tmp_path):
    assert page.get("/api/game").json()["database"] == "hands.db"
    answer = page.get("/api/database")
    about = answer.json()
    assert (about["name"], about["hands"], about["skipped"]) == ("hands.db", 300, {})
    assert about["has_ev"]
    assert about["days"] == ["2026-01-01", "2026-01-01"]
    assert about["players"][0] == {"player": HERO, "hands": 300}
    assert sum(each["hands"] for each in about["players"]) == 600
    assert str(tmp_path) not in answer.text


def test_decisions_come_part_by_part(page, database):
    parts, count = [], None
    while count is None or len(parts) < count:
        found = decisions(page, player=HERO, offset=len(parts))
        count = found["count"]
        assert len(found["decisions"]) == min(PART, count - len(parts))
        parts += found["decisions"]
    listed = DecisionList(database, Choice(HERO))
    assert (count, found["ev_lost_mbb"]) == listed.totals()
    assert count > PART
    for each, other in zip(parts, listed.part(0, count, BETTING), strict=True):
        assert (each["hand_id"], each["day"]) == (other.hand, other.day)
        assert each.items() >= other.decision.to_dict().items()
        assert [option["letter"] for option in each["options"]] == list(other.decision.state.legal)
    assert decisions(page, player=HERO, offset=count)["decisions"] == []


@pytest.mark.parametrize(
    ("asked", "choice"),
    [
        ({"mistakes": 1}, Choice(mistakes=True)),
        ({"mistakes": 1, "lost": 300}, Choice(mistakes=True, least=300)),
        ({"round": "turn"}, Choice(round="turn")),
        ({"line": "r*", "player": "villain-2"}, Choice("villain-2", line="r*")),
        ({"line": "-"}, Choice(line="-")),
        ({"since": "2026-01-01", "until": "2026-01-01"}, Choice()),
        ({"since": "2026-01-02"}, Choice(since="2026-01-02")),
    ],
)
def test_filters(page, database, asked, choice):
    found = decisions(page, **asked)
    assert found["count"] == sum(len(here) for _, here in database.read(choice, BETTING))
    assert found["count"] < decisions(page)["count"] or choice == Choice()


def test_totals_are_those_of_the_command(page, database):
    told = summary(database, Choice(HERO), UNIFORM).player_totals()[0]
    found = page.get("/api/database/totals", params={"player": HERO}).json()
    assert found.keys() == told.keys()
    assert found["mbb_per_game"] == pytest.approx(told["mbb_per_game"])
    assert found["by_round"]["flop"]["mistakes"] == told["by_round"]["flop"]["mistakes"] > 0
    late = page.get("/api/database/totals", params={"player": HERO, "since": "2026-01-02"}).json()
    assert (late["hands"], late["decisions"]) == (0, 0)


def test_a_hand_for_the_felt(page, database):
    """Every hand is that of the file, seen from the player's side, each decision with its mix and loss."""
    played, number = [], 1
    while number is not None:
        hand = page.get("/api/database/hand", params={"hand": number, "player": HERO}).json()
        played.append(hand)
        number = hand["next"]
    everything = list(database.read(Choice(), BETTING))
    assert len(played) == len(everything)
    for found, (hand, here) in zip(played, everything, strict=True):
        own = hand.players.index(HERO)
        order = (own, 1 - own)
        assert (found["number"], found["day"], found["players"][0]) == (hand.number, hand.day, HERO)
        assert found["cards"] == [format_cards(hand.seen.hands[seat]) for seat in order]
        assert found["board"] == format_cards(hand.seen.board)
        assert found["chips"] == hand.chips[own]
        assert (found["made"] is not None) == hand.seen.state.at_showdown
        assert "".join(step["letter"] for step in found["steps"]) == hand.seen.state.line_string.replace("/", "")
        for step, each in zip(found["steps"], here, strict=True):
            assert hand.players[order[step["who"]]] == each.player
            assert (step["letter"], step["ev_lost_mbb"], step["mistake"]) == (
                each.action,
                each.ev_lost,
                each.is_mistake,
            )
            assert [option["share"] for option in step["mix"]] == [share for share in each.mix if share]
    assert page.get("/api/database/hand", params={"hand": 301}).status_code == 404
    other = page.get("/api/database/hand", params={"hand": 1, "player": "nobody"}).json()
    assert other["button"] == 0


@pytest.mark.parametrize(
    ("path", "named", "said"),
    [
        ("/totals", {}, "player: expected a name"),
        ("/decisions", {"round": "x"}, "round 'x'"),
        ("/decisions", {"mistakes": "2"}, "mistakes '2'"),
        ("/decisions", {"offset": "-1"}, "offset '-1'"),
        ("/decisions", {"lost": "1.5"}, "lost '1.5'"),
        ("/decisions", {"since": "yesterday"}, "since 'yesterday'; expected a day such as 2026-11-28"),
        ("/decisions", {"line": "r" * 65}, "65 characters"),
        ("/totals", {"player": "x" * 261}, "261 characters"),
    ],
)
def test_refusals(page, path, named, said):
    answer = page.get(f"/api/database{path}", params=named)
    assert answer.status_code == 400
    assert said in answer.json()["error"]


def test_a_database_that_is_being_written_is_busy(page, database, tmp_path):
    database.rows("PRAGMA busy_timeout = 1")
    with sqlite3.connect(tmp_path / "hands.db", isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        answer = page.get("/api/database")
        other.execute("ROLLBACK")
    assert (answer.status_code, answer.json()) == (429, {"error": "the database is being written; try again"})
    assert page.get("/api/database").status_code == 200


def test_a_page_without_a_database(open_page):
    page = open_page()
    assert page.get("/api/game").json()["database"] is None
    assert page.get("/api/database").status_code == 404


def test_the_command_refuses_what_is_no_database_of_its_game(tmp_path, capsys):
    served = ["serve", "uniform", "--port", "0", "--sessions", str(tmp_path / "sessions"), "--db"]
    assert main([*served, str(tmp_path / "none.db")]) == 2
    assert "no such file" in capsys.readouterr().err
    (tmp_path / "text.db").write_text("a text that is longer than a header " * 20)
    assert main([*served, str(tmp_path / "text.db")]) == 1
    assert "not a database" in capsys.readouterr().err
    other = tmp_path / "other.db"
    HandDatabase(other, BuiltIn("uniform", Game.bundled("holdem-2-4")), ev=False).__exit__(None, None, None)
    assert main([*served, str(other)]) == 2
    assert f"--db {other}: its hands are of another game than hulhe" in capsys.readouterr().err
