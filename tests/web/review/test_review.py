"""Logs that visitors drop: reviewed beside the event loop, with the totals of `cfr review`."""

import csv
import io
import json
import random
import re
import threading
import time

import pytest

pytest.importorskip("starlette")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cfr.web.review.reviews
from cfr.cli.main import main
from cfr.formats.logs import HandLog
from cfr.game.hand import deal_hand
from cfr.play.hand import play_hand
from cfr.play.players import RandomPlayer
from cfr.strategy.built_in import BuiltIn
from cfr.web.review.reviews import MOST_WAITING, LogReviews
from cfr.web.review.routes import MOST_BYTES, PAGE
from tests.formats.test_fuzz import damaged
from tests.web.clients import BETTING, HULHE, clients

open_page = pytest.fixture(clients)
LOG = "STATE:0:cc/cc/rc/rf:KsQs|AsAh/2c7d9h/Jd/Jc:30|-30:ann|bob\nSTATE:1:crf:KsQs|AsAh:10|-10:bob|ann\n"


@pytest.fixture
def page(open_page):
    bot = BuiltIn("uniform")
    return open_page(bot, reviews=LogReviews(bot))


def start(page, text=LOG, name="x.log"):
    return page.post("/api/review/start", json={"name": name, "text": text})


def wait(page, id_):
    """The review when it is over."""
    while True:
        answer = page.get("/api/review", params={"id": id_})
        if answer.status_code != 200 or answer.json()["state"] in ("done", "failed"):
            return answer
        time.sleep(0.05)


def reviewed(page, text=LOG, name="x.log"):
    begun = start(page, text, name)
    assert begun.status_code == 200, begun.text
    return wait(page, begun.json()["id"]).json()


def decisions(page, id_, **filters):
    answer = page.get("/api/review/decisions", params={"id": id_, **filters})
    assert answer.status_code == 200, answer.text
    return answer.json()


def without_values(monkeypatch):
    """No EVs: they take seconds on a flop."""
    monkeypatch.setattr(cfr.web.review.reviews, "with_losses", lambda decisions, *_, **how: list(decisions))
    monkeypatch.setattr(cfr.web.review.reviews, "without_luck", lambda *_: None)


def written(path, hands, seed=1):
    rng = random.Random(seed)
    with HandLog(path, HULHE, ("ann", "bob")) as log:
        for number in range(hands):
            log.write(play_hand(BETTING, deal_hand(HULHE, rng), [RandomPlayer(), RandomPlayer()], rng), number % 2)
    return path


@pytest.mark.thorough
def test_the_page_says_what_the_command_says(page, tmp_path, capsys):
    """Text, JSON, CSV and the page: one and the same totals."""
    log, table = tmp_path / "x.log", tmp_path / "x.csv"
    log.write_text(LOG)
    assert main(["review", str(log), "--strategy", "uniform", "--json", "--out", str(table)]) == 0
    told = json.loads(capsys.readouterr().out)
    found = reviewed(page)
    assert (found["state"], found["problem"], found["hands"]) == ("done", None, 2)
    assert found["players"] == told["players"]
    assert found["done"] == found["total"] > 0
    assert found["forecast"].startswith("about ")
    whole = page.get("/api/review.json", params={"id": found["id"]})
    assert whole.json() == told
    text = page.get("/api/review.csv", params={"id": found["id"]}).text
    assert text == table.read_text()
    rows = list(csv.DictReader(io.StringIO(text)))
    for player in told["players"]:
        mine = [row for row in rows if row["player"] == player["player"]]
        lost = [float(row["ev_lost_mbb"]) for row in mine if row["ev_lost_mbb"]]
        assert (len(mine), len(lost)) == (player["decisions"], player["ev_decisions"])
        assert sum(lost) == pytest.approx(player["ev_lost_mbb"])
        assert sum(row["mistake"] == "True" for row in mine) == sum(
            each["mistakes"] for each in player["by_round"].values()
        )
        for groups in (player["by_round"], player["by_kind"]):
            assert sum(each["decisions"] for each in groups.values()) == player["decisions"]
            assert sum(each["ev_lost_mbb"] or 0 for each in groups.values()) == pytest.approx(player["ev_lost_mbb"])
        assert player["luck_adjusted"]["hands"] == 2
    first, second = (player["luck_adjusted"]["mbb_per_game"] for player in told["players"])
    assert first == pytest.approx(-second)
    assert main(["review", str(log), "--strategy", "uniform"]) == 0
    said = capsys.readouterr().out
    for player in told["players"]:
        assert f"EV lost {player['ev_lost_mbb']:,.1f} mbb in {player['ev_decisions']:,} of these" in said

    # Mistakes first, filters, each decision with its spot.
    everything = decisions(page, found["id"])
    lost = [each["ev_lost_mbb"] for each in everything["decisions"]]
    known = [each for each in lost if each is not None]
    assert lost == sorted(known, reverse=True) + [None] * (len(lost) - len(known))
    assert everything["count"] == len(told["decisions"]) == len(lost)
    assert everything["ev_lost_mbb"] == pytest.approx(sum(known))
    for number, player in enumerate(told["players"]):
        for round_, totals in player["by_round"].items():
            some = decisions(page, found["id"], player=number, round=round_)
            assert (some["count"], some["ev_lost_mbb"]) == (
                totals["decisions"],
                pytest.approx(totals["ev_lost_mbb"]),
            )
        for kind, totals in player["by_kind"].items():
            assert decisions(page, found["id"], player=number, kind=kind)["count"] == totals["decisions"]
    mistakes = decisions(page, found["id"], mistakes=1)
    assert mistakes["count"] == sum(each["mistake"] for each in told["decisions"])
    assert mistakes["count"] == 0  # the strategy takes each action one time in three or more
    each = everything["decisions"][0]
    spot = page.get("/api/spot", params={"line": each["line"], "board": each["board"]})
    assert spot.status_code == 200
    assert [option["letter"] for option in each["options"]] == list(BETTING.parse(each["line"]).legal)


def test_a_hand_of_a_log_for_the_felt(page, monkeypatch):
    without_values(monkeypatch)
    hidden = "STATE:7:rf:|AsAh:-10|10:ann|bob\n"
    id_ = reviewed(page, LOG + hidden)["id"]
    listed = decisions(page, id_)["decisions"]
    assert {each["hand_id"] for each in listed} == {0, 1, 2}
    hands = [page.get("/api/review/hand", params={"id": id_, "hand": n, "player": "ann"}).json() for n in range(3)]
    assert [hand["next"] for hand in hands] == [1, 2, None]
    assert [hand["cards"] for hand in hands] == [["KsQs", "AsAh"], ["AsAh", "KsQs"], [None, "AsAh"]]
    assert [hand["chips"] for hand in hands] == [30, -10, -10]
    assert [step["mix"] is None for step in hands[2]["steps"]] == [False, True]  # whose cards are not in the log
    for each in listed:
        lines = [step["line"] for step in hands[each["hand_id"]]["steps"] if step["mix"] is not None]
        assert each["line"] in lines
    assert page.get("/api/review/hand", params={"id": id_, "hand": 3}).status_code == 400


def test_many_decisions_come_in_parts(page, monkeypatch, tmp_path):
    without_values(monkeypatch)
    found = reviewed(page, written(tmp_path / "x.txt", 40).read_text(), "x.txt")
    parts, offset = [], 0
    while True:
        part = decisions(page, found["id"], offset=offset)
        parts += part["decisions"]
        offset += PAGE
        if not part["more"]:
            break
    assert len(parts) == part["count"] > PAGE
    assert len({(each["number"], each["line"]) for each in parts}) == len(parts)


@pytest.mark.parametrize("suffix", [".log", ".phhs", ".txt"])
def test_every_format(page, monkeypatch, tmp_path, suffix):
    if suffix == ".phhs":
        pytest.importorskip("pokerkit")
    without_values(monkeypatch)
    found = reviewed(page, written(tmp_path / f"x{suffix}", 20).read_text(), f"C:\\logs\\x{suffix}")
    assert (found["state"], found["hands"], found["name"]) == ("done", 20, f"x{suffix}")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.log", "STATE:\n", "x.log: line 1: "),
        ("x.log", LOG.replace("30|-30", "31|-31").splitlines()[0], "x.log: line 1: "),
        ("x.txt", "a shopping list\n", "x.txt: line 1: no hand of PokerStars"),
        ("x.phhs", "[1]\nvariant = FT\n", "line 2"),
        ("x.odt", LOG, "x.odt: .odt is no log; expected .log, .phhs, .phh, .txt or .xml"),
        ("x.log", "\0\x1b[2J\x85", "line 1"),
    ],
)
def test_a_bad_log_gives_one_clear_line(page, name, text, said):
    if name.endswith("phhs"):
        pytest.importorskip("pokerkit")
    found = reviewed(page, text, name)
    assert found["state"] == "failed"
    assert said in found["problem"]
    assert found["problem"].isprintable()
    assert page.get("/api/review/decisions", params={"id": found["id"]}).status_code == 409


@pytest.mark.thorough
def test_damaged_logs(page, monkeypatch, tmp_path):
    without_values(monkeypatch)
    texts = {suffix: written(tmp_path / f"x{suffix}", 3).read_text() for suffix in (".log", ".txt")}

    @settings(max_examples=60, database=None, suppress_health_check=list(HealthCheck))
    @given(st.sampled_from(sorted(texts)), st.data())
    def run(suffix, data):
        found = reviewed(page, damaged(texts[suffix], data.draw), f"x{suffix}")
        assert found["state"] in ("done", "failed")
        if found["problem"] is not None:
            assert found["problem"].isprintable()
            assert re.search(r"\b(line|hand) \d", found["problem"])  # of a log's hand that could be read, its number
            assert "failed" not in found["problem"]

    run()


def test_limits(page, monkeypatch, tmp_path):
    assert page.get("/api/game").json()["review_limits"] == {"hands": 1000, "bytes": MOST_BYTES}
    assert start(page, "x" * (MOST_BYTES + 1)).status_code == 413
    assert start(page, "x" * (MOST_BYTES + MOST_BYTES // 2)).status_code == 413
    assert start(page, name="").status_code == 400
    assert start(page, name="x" * 200).status_code == 400
    monkeypatch.setattr(cfr.web.review.reviews, "MOST_HANDS", 5)
    without_values(monkeypatch)
    found = reviewed(page, written(tmp_path / "x.log", 6).read_text())
    assert found["problem"].startswith("x.log: more than 5 hands")
    assert reviewed(page, written(tmp_path / "x.log", 5).read_text())["hands"] == 5


@pytest.mark.parametrize(
    ("path", "named", "status"),
    [
        ("", {}, 404),
        ("/decisions", {"player": "2"}, 400),
        ("/decisions", {"player": "-1"}, 400),
        ("/decisions", {"round": "showdown"}, 400),
        ("/decisions", {"kind": "x"}, 400),
        ("/decisions", {"mistakes": "yes"}, 400),
        ("/decisions", {"offset": "99999"}, 400),
    ],
)
def test_refusals(page, monkeypatch, path, named, status):
    without_values(monkeypatch)
    known = {"id": reviewed(page)["id"]} if path else {"id": "x"}
    answer = page.get(f"/api/review{path}", params=known | named)
    assert answer.status_code == status
    assert len(answer.json()["error"].splitlines()) == 1


class Slow:
    """EVs that are worked out until somebody stops them."""

    def __init__(self, monkeypatch):
        self.began, self.ended = threading.Semaphore(0), threading.Semaphore(0)
        monkeypatch.setattr(cfr.web.review.reviews, "with_losses", self.work)

    def work(self, decisions, *_, watch, stopped, **how):
        watch(1, 3)
        self.began.release()
        while not stopped():
            time.sleep(0.01)
        self.ended.release()
        return list(decisions)


def test_a_review_is_cancelled_and_the_page_answers_meanwhile(page, monkeypatch):
    slow = Slow(monkeypatch)
    id_ = start(page).json()["id"]
    assert slow.began.acquire(timeout=30)
    state = page.get("/api/review", params={"id": id_}).json()
    assert (state["state"], state["done"], state["total"]) == ("valuing", 1, 3)
    assert page.get("/api/spot", params={"line": "r"}).status_code == 200
    assert page.get("/api/review.csv", params={"id": id_}).status_code == 409
    assert page.post("/api/review/stop", json={"id": id_}).status_code == 200
    assert slow.ended.acquire(timeout=30)
    assert page.get("/api/review", params={"id": id_}).status_code == 404


def test_one_review_per_visitor_and_few_in_all(open_page, monkeypatch):
    """A visitor's new log takes the place of the one before; those of others wait, and too many are refused."""
    slow, bot = Slow(monkeypatch), BuiltIn("uniform")
    reviews = LogReviews(bot)
    page = open_page(bot, reviews=reviews)
    first = start(page).json()["id"]
    assert slow.began.acquire(timeout=30)
    second = start(page).json()["id"]
    assert slow.ended.acquire(timeout=30)
    assert page.get("/api/review", params={"id": first}).status_code == 404
    assert slow.began.acquire(timeout=30)
    waiting = []
    for _ in range(MOST_WAITING):
        page.cookies.clear()  # somebody else
        waiting.append(start(page).json())
    assert [each["place"] for each in waiting] == list(range(1, MOST_WAITING + 1))
    page.cookies.clear()
    assert start(page).status_code == 429
    for each in (second, *(each["id"] for each in waiting)):
        page.post("/api/review/stop", json={"id": each})


def test_few_reviews_are_kept(open_page, monkeypatch):
    without_values(monkeypatch)
    monkeypatch.setattr(cfr.web.review.reviews, "MOST_KEPT", 50)
    bot = BuiltIn("uniform")
    page, ids = open_page(bot, reviews=LogReviews(bot)), []
    for _ in range(4):
        page.cookies.clear()
        ids.append(reviewed(page)["id"])
    kept = [page.get("/api/review", params={"id": each}).status_code for each in ids]
    assert kept == [404, 404, 200, 200]


def test_a_page_without_reviews(open_page):
    page = open_page()
    about = page.get("/api/game").json()
    assert (about["reviews"], about["review_limits"]) == (False, None)
    assert page.get("/api/review").status_code == 404
