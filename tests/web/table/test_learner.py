"""The player that learns from visitors: whom it knows, by which shares it plays, what it may see, and what is kept."""

import json
import random
import signal
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from starlette.testclient import TestClient

from cfr.cli.main import main
from cfr.game.cards import parse_cards
from cfr.game.hand import Deal, deal_hand
from cfr.play.imagined_values import imagined_values
from cfr.play.learnt import Learnt
from cfr.play.portfolio import Portfolio
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.mixed import Mixed
from cfr.system.disk.file_lock import Lock
from cfr.system.errors import BadInputError
from cfr.web.server.table import Table
from cfr.web.store.records import Hand
from cfr.web.table.learner import Learner
from tests.opponents.files import SAFE, write_counter, write_model
from tests.web.clients import BETTING, HULHE, act, at_random, clients, rows
from tests.web.server.test_server import Player, Server

make = pytest.fixture(clients, name="make")
RULES = ["always-call", "always-raise", "uniform"]
EXPLOITABILITY = [1163.0, 3698.0, 2406.0]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "bot.json"
    Portfolio.make([f"{name}@{mbb}" for name, mbb in zip(RULES, EXPLOITABILITY, strict=True)], 1500).save(path)
    return path


@pytest.fixture
def page(make, file):
    """Opens pages with the player that learns, one after the other on the same files."""
    return lambda **options: make(learner=Learner(file, HULHE), **options)


def table(client, against):
    return client.get("/api/table", params={"against": against}).json()


def play(client, against, hands=1, choose=lambda hand: "c"):
    """Whole hands; the last answer."""
    for _ in range(hands):
        answer = client.post("/api/table/deal", params={"against": against}, json={"seat": "alternate"})
        assert answer.status_code == 200, answer.text
        while not answer.json()["hand"]["over"]:
            hand = answer.json()["hand"]
            answer = act(client, hand, choose(hand))
            assert answer.status_code == 200, answer.text
    return answer.json()


def known(file):
    return {name: each.hands for name, each in Portfolio.read(file).learnt.items()}


def shares_of(answer):
    return [each["share"] for each in answer["learner"]["mix"]]


def test_what_it_learns_of_a_name_is_kept(page, file):
    client = page()
    before = table(client, "learn:ann")
    assert before["learner"]["hands"] == 0
    assert [each["response"] for each in before["learner"]["mix"]] == RULES == client.get("/api/game").json()["learner"]
    answer = play(client, "learn:ann", 6, at_random(random.Random(1)))
    said = answer["learner"]
    assert (said["name"], said["hands"], said["unwritten"], answer["result"]["hands"]) == ("ann", 6, 0, 6)
    assert sum(shares_of(answer)) == pytest.approx(1)
    assert shares_of(answer) != shares_of(before)
    assert known(file) == {"ann": 6}
    assert shares_of(answer) == Portfolio.read(file).weights("ann").tolist()
    again = page(file="others")  # another server, and a visitor whom it has not seen
    assert table(again, "learn:ann")["learner"] == said
    assert play(again, "learn:ann")["learner"]["hands"] == 7


def test_each_visitor_has_counts_of_their_own(page, file):
    client = page()
    other = TestClient(client.app, "http://127.0.0.1")
    for _ in range(3):
        play(client, "learn:ann", 1, lambda hand: hand["actions"][-1]["letter"])
        play(other, "learn:bob", 2)
    play(client, "learn:", 4)
    play(other, "learn:", 1)
    assert [table(client, each)["learner"]["hands"] for each in ("learn:ann", "learn:bob", "learn:")] == [3, 6, 4]
    assert table(other, "learn:")["learner"]["hands"] == 1
    assert known(file) == {"ann": 3, "bob": 6}
    play(client, "")
    assert known(file) == {"ann": 3, "bob": 6}


def test_nothing_of_an_unknown_visitor_outlives_the_session(page, file):
    client = page()
    before = file.read_bytes()
    play(client, "learn:", 3)
    assert "learner" not in client.delete("/api/session").json()
    assert table(client, "learn:")["learner"]["hands"] == 0
    play(client, "learn:", 2)
    assert table(client, "learn:")["learner"]["hands"] == 2
    assert file.read_bytes() == before
    again = page()
    again.cookies = client.cookies
    assert table(again, "learn:")["learner"]["hands"] == 0


def test_it_learns_by_the_shares_of_each_hand_and_what_both_have_seen(page, file, tmp_path):
    """The file's sums are those of the formula, hand by hand; folded cards are replaced by others."""
    client, expected = page(), np.zeros((2, 3))
    parts, shares = [BuiltIn(name) for name in RULES], []
    for number in range(12):
        shares.append(shares_of(table(client, "learn:ann")))
        play(client, "learn:ann", 1, (lambda hand: "c") if number % 2 else at_random(random.Random(number)))
    rng, shown = random.Random(1), 0
    for mix, (_, _, seat, first, second, board, line, _) in zip(shares, rows(tmp_path), strict=True):
        state, deal = BETTING.parse(line), Deal((parse_cards(first), parse_cards(second)), parse_cards(board))
        if not state.at_showdown:
            cards = deal.board[: state.num_board_cards]
            while set((deal := deal_hand(HULHE, rng)).hands[0] + deal.hands[1]) & set(cards):
                pass
            deal = replace(deal, board=cards)
        shown += state.at_showdown
        values = imagined_values(Mixed(parts, mix), 1 - seat, deal.seen_by(1 - seat, state))
        gains = (values - mix @ values) / HULHE.big_blind
        expected += gains, gains**2
    found = Portfolio.read(file).learnt["ann"]
    assert 0 < shown < 12
    np.testing.assert_allclose([found.gains, found.squares], expected, rtol=1e-12, atol=1e-12)


def test_hidden_cards_change_nothing_that_is_shown(hulhe, hulhe_file, tmp_path):
    """With models, whose likelihoods otherwise know the bot's cards; at a showdown they count."""
    ann = write_model(tmp_path / "ann.h5", hulhe)
    counter = write_counter(tmp_path / "beat-ann.h5", ann, SAFE)
    Portfolio.make([f"{hulhe_file}@2000", f"{counter}@2100"], 500, [str(ann)]).save(tmp_path / "bot.json")

    table, learner = Table(hulhe, "x"), Learner(tmp_path / "bot.json", HULHE)

    def learnt(line, deals):
        for visitor, deal in enumerate(deals):
            hand = Hand(1, "learn:", 0, deal, line, 0)
            learner.learn("learn:", visitor, (0.7, 0.3), 1, table.common(hand))
            assert learner.about("learn:", visitor)["hands"] == 1
        return {str(learner._unknown.learnt.pop(str(visitor))) for visitor in range(len(deals))}

    board = parse_cards("Td9d6h2c3s")
    deals = [
        Deal((parse_cards(first), parse_cards(second)), board)
        for first, second in (("AsAh", "KsKh"), ("7c5d", "TcTh"), ("2d2h", "AsKs"))
    ]
    [folded] = learnt("crrf", deals)
    assert "likelihoods=[0.0, 0.0]" not in folded  # it did learn
    assert len(learnt("crrc/rrf", deals)) == 1
    assert len(learnt("cc/cc/cc/cc", deals)) == 3
    learner.close()


def test_a_hand_keeps_its_shares_whatever_comes_between(make, file, tmp_path):
    client = make(learner=Learner(file, HULHE), seed=3)
    table_of = Table(Mixed([BuiltIn(name) for name in RULES], [1, 0, 0]), "x", seed=3)
    other, differ, mine = TestClient(client.app, "http://127.0.0.1"), 0, 0
    for number in range(1, 6):
        shares = shares_of(table(client, "learn:ann"))
        hand = client.post("/api/table/deal", params={"against": "learn:ann"}, json={"seat": "bb"}).json()["hand"]
        mine = mine or rows(tmp_path)[0][0]
        play(other, "learn:ann")
        if number == 3:
            main(["learn", str(file), "--forget", "ann"])
        if number == 4:  # another server takes over in the middle of the hand
            restarted = make(learner=Learner(file, HULHE), seed=3)
            restarted.cookies, client = client.cookies, restarted
        differ += shares_of(table(client, "learn:ann")) != shares
        while not hand["over"]:
            hand = act(client, hand, "c").json()["hand"]
        [(second, board)] = [each[4:6] for each in rows(tmp_path) if each[:2] == (mine, number)]
        mix = Mixed([BuiltIn(name) for name in RULES], shares)
        state = BETTING.root
        while not state.is_over:
            letter = "c"
            if state.actor == HULHE.button:
                cards = parse_cards(board)[: state.num_board_cards]
                fold, call, _ = mix.distribution(state, parse_cards(second), cards)
                drawn = table_of.random(number, state.line_string).random()
                letter = "f" if drawn < fold else "c" if drawn < fold + call or "r" not in state.legal else "r"
            state = state.act(letter)
        assert state.line_string == hand["line"]
    assert differ == 5


# ---- the file, which others write, too


def test_two_names_and_a_forget_in_between_lose_nothing(page, file):
    client = page()
    other = TestClient(client.app, "http://127.0.0.1")
    play(client, "learn:ann", 2)
    play(other, "learn:bob", 3)
    assert main(["learn", str(file), "--forget", "ann"]) == 0
    assert table(client, "learn:ann")["learner"]["hands"] == 0
    play(other, "learn:bob")
    play(client, "learn:ann")
    assert known(file) == {"bob": 4, "ann": 1}
    answer = client.delete("/api/table/learnt", params={"against": "learn:ann"})
    assert answer.status_code == 200
    assert (answer.json()["learner"]["hands"], answer.json()["result"]["hands"]) == (0, 3)
    assert known(file) == {"bob": 4}
    assert client.delete("/api/table/learnt", params={"against": "learn:ann"}).status_code == 200  # already
    play(client, "learn:", 2)
    assert client.delete("/api/table/learnt", params={"against": "learn:"}).json()["learner"]["hands"] == 0
    assert known(file) == {"bob": 4}


def test_what_cannot_be_written_waits(page, file, capsys):
    client = page()
    play(client, "learn:ann", 2)
    with Lock(file, "cfr match"):
        answer = play(client, "learn:ann", 2)
        assert (answer["learner"]["hands"], answer["learner"]["unwritten"]) == (4, 2)
        refused = client.delete("/api/table/learnt", params={"against": "learn:ann"})
        assert (refused.status_code, refused.json()["error"].count("\n")) == (409, 0)
        assert "try again later" in refused.json()["error"]
        assert known(file) == {"ann": 2}
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "what visitors teach waits: " in said
    assert "cfr match" in said
    assert play(client, "learn:bob")["learner"]["unwritten"] == 0
    assert known(file) == {"ann": 4, "bob": 1}


def test_the_end_of_the_server_writes_what_waits(file, capsys):
    learner = Learner(file, HULHE)
    found = Learnt(1, [0.5, 0.0, -0.5], [0.25, 0.0, 0.25], [0.0] * 3)
    learner._waiting.learn("ann", found)
    learner.close()
    assert Portfolio.read(file).learnt == {"ann": found}
    learner = Learner(file, HULHE)
    learner._waiting.learn("ann", found)
    with Lock(file, "cfr match"):
        learner.close()
    assert "not kept: 1 hand of ann: " in capsys.readouterr().err
    assert known(file) == {"ann": 1}


@pytest.mark.parametrize("change", ["gone", "damaged", "other"])
def test_a_file_that_changed_under_the_page(page, file, capsys, change):
    client = page()
    play(client, "learn:ann", 2)
    kept = file.read_bytes()
    if change == "other":
        Portfolio.make(["always-call@1163", "uniform@2406", "always-raise@3698"], 1500).save(file)
    else:
        file.unlink() if change == "gone" else file.write_text("x")
    changed = file.read_bytes() if file.exists() else None
    assert play(client, "learn:ann")["learner"] | {"mix": None} == {
        "name": "ann",
        "hands": 3,
        "unwritten": 1,
        "mix": None,
    }
    assert (file.read_bytes() if file.exists() else None) == changed
    assert "what visitors teach waits: " in capsys.readouterr().err
    file.write_bytes(kept)
    assert play(client, "learn:ann")["learner"]["unwritten"] == 0
    assert known(file) == {"ann": 4}


@pytest.mark.thorough
def test_a_killed_server_keeps_what_it_learnt(file, tmp_path):
    hands = 0
    for how in (signal.SIGKILL, signal.SIGINT):
        server = Server(tmp_path, "uniform", "--learn", str(file))
        player = Player(server.port)
        for _ in range(3):
            answer = player.ask("/api/table/deal?against=learn:ann", {"seat": "alternate"})
            while not answer["hand"]["over"]:
                answer = player.act(answer["hand"])
            hands += 1
            assert answer["learner"]["hands"] == hands
        player.connection.close()
        server.stop(how)
        assert known(file) == {"ann": hands}


# ---- mistakes


@pytest.mark.parametrize("name", ["x" * 33, "a@b", "a\nb", " ann", "ann ", "\u202eann"])
def test_bad_names_are_one_line(page, file, name):
    client, against = page(), {"against": f"learn:{name}"}
    for answer in (
        client.get("/api/table", params=against),
        client.post("/api/table/deal", params=against, json={"seat": "bb"}),
        client.delete("/api/table/learnt", params=against),
    ):
        assert answer.status_code == 400
        assert answer.json()["error"] == "your name: expected at most 32 characters on one line, without @"
    assert known(file) == {}


def test_there_is_room_for_so_many_names(page, file, monkeypatch):
    client = page()
    monkeypatch.setattr("cfr.web.table.learner.MOST", 2)
    for name in ("ann", "bob"):
        play(client, f"learn:{name}")
    refused = client.post("/api/table/deal", params={"against": "learn:carl"}, json={"seat": "bb"})
    assert (refused.status_code, refused.json()["error"]) == (409, "2 names are kept; play without a name")
    assert play(client, "learn:ann")["learner"]["hands"] == 2
    for _ in range(3):
        play(TestClient(client.app, "http://127.0.0.1"), "learn:")
    play(client, "learn:")
    assert table(client, "learn:")["learner"]["hands"] == 1
    assert known(file) == {"ann": 2, "bob": 1}


def test_a_page_without_it_offers_none(make, page):
    client = make()
    assert client.get("/api/game").json()["learner"] is None
    for answer in (
        client.get("/api/table", params={"against": "learn:ann"}),
        client.delete("/api/table/learnt", params={"against": "learn:ann"}),
        page(file="others").delete("/api/table/learnt", params={"against": "uniform"}),
    ):
        assert answer.status_code == 400
        assert "expected" in answer.json()["error"]


def test_a_hand_goes_on_where_the_player_that_learns_is_gone(page, make, file):
    client = page()
    hand = client.post("/api/table/deal", params={"against": "learn:ann"}, json={"seat": "button"}).json()["hand"]
    for other in (
        make(BuiltIn("always-call")),
        make(BuiltIn("always-call"), learner=Learner(two(file), HULHE)),
    ):
        other.cookies = client.cookies
        hand = act(other, hand, "c").json()["hand"]
    while not hand["over"]:
        hand = act(other, hand, "c").json()["hand"]
    assert hand["bot"] == "learn:ann"
    assert known(file) == known(file.with_name("two.json")) == {}


def two(file):
    Portfolio.make(["always-call@1163", "uniform@2406"], 1500).save(file.with_name("two.json"))
    return file.with_name("two.json")


def test_it_starts_with_a_portfolio_of_the_game_alone(file, leduc_file, tmp_path, capsys):
    said = json.loads(file.read_text())
    said["responses"][1]["checksum"] = "0"
    (tmp_path / "changed.json").write_text(json.dumps(said))
    (tmp_path / "torn.json").write_text("{")
    Portfolio.make([f"{leduc_file}@10", "uniform@2000"], 60).save(tmp_path / "leduc.json")
    for name, code, reason in (
        ("nowhere.json", 2, "nowhere.json: No such file"),
        ("leduc.json", 2, "leduc.json: its responses play leduc; expected hulhe"),
        ("changed.json", 2, "always-raise has changed since the portfolio was made"),
        ("torn.json", 1, "torn.json: not a portfolio of cfr learn"),
    ):
        words = ["--port", "0", "--sessions", str(tmp_path / "sessions"), "--learn", str(tmp_path / name)]
        assert main(["serve", "uniform", *words]) == code
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert reason in err
    with pytest.raises(BadInputError, match="leduc"):
        Learner(tmp_path / "leduc.json", HULHE)
