"""The table against opponents of the folder: whom one plays, results of their own, and names that are not there."""

from functools import partial

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from cfr.game.cards import parse_cards
from cfr.opponents.shelf import Shelf
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.stored import Strategy
from cfr.strategy.mixed import Mixed
from cfr.web.server.table import Table
from tests.web.clients import BETTING, HULHE, act, clients, stored

make = pytest.fixture(clients, name="make")
MIX = "mix:beat-ann-1@0.250000,ann"


@pytest.fixture
def client(make, folder):
    return make(BuiltIn("always-call"), shelf=Shelf(folder, HULHE))


def deal(client, against="", seat="bb"):
    return client.post("/api/table/deal", params={"against": against}, json={"seat": seat})


def table(client, against=""):
    return client.get("/api/table", params={"against": against}).json()


def call_down(client, hand):
    while not hand["over"]:
        hand = act(client, hand, "c").json()["hand"]
    return hand


def expected_line(strategy, rng, cards, board):
    """The line where a strategy sits on the button and the big blind always calls."""
    state = BETTING.root
    while not state.is_over:
        letter = "c"
        if state.actor == HULHE.button:
            fold, call, _ = strategy.distribution(state, cards, board[: state.num_board_cards])
            drawn = rng(state.line_string).random()
            letter = "f" if drawn < fold else "c" if drawn < fold + call or "r" not in state.legal else "r"
        state = state.act(letter)
    return state.line_string


@pytest.mark.parametrize("against", ["ann", "beat-ann-1", MIX])
def test_the_named_opponent_plays(make, folder, tmp_path, against):
    client = make(BuiltIn("always-call"), shelf=Shelf(folder, HULHE), seed=3)
    opened = {name: Strategy.open(folder / f"{name}.h5") for name in ("ann", "beat-ann-1")}
    strategy = opened.get(against) or Mixed([opened["beat-ann-1"], opened["ann"]], [0.25, 0.75])
    played, lines = Table(strategy, "x", seed=3), set()
    for number in range(1, 9):
        answer = deal(client, against)
        assert answer.status_code == 200, answer.text
        hand = call_down(client, answer.json()["hand"])
        assert (hand["bot"], hand["number"]) == (against, number)
        _, _, _, second, board, line, _ = stored(tmp_path)
        assert line == expected_line(strategy, partial(played.random, number), parse_cards(second), parse_cards(board))
        lines.add(line)
    assert any("r" in line for line in lines)  # the first strategy never raises


def test_results_and_hands_are_kept_apart(client):
    first = call_down(client, deal(client).json()["hand"])
    anns = [call_down(client, deal(client, "ann").json()["hand"]) for _ in range(2)]
    own, against = table(client), table(client, "ann")
    assert (own["result"]["against"], own["result"]["hands"], own["result"]["chips"]) == ("", 1, first["chips"])
    assert against["result"]["against"] == "ann"
    assert (against["result"]["hands"], against["result"]["chips"]) == (2, sum(each["chips"] for each in anns))
    assert own["hand"] is None  # the last hand was another's
    assert against["hand"] == anns[1]
    for name, expected in (("", [first]), ("bot", [first]), ("ann", anns[::-1]), ("bob", [])):
        assert client.get("/api/hands", params={"against": name}).json() == {"hands": expected, "more": False}
    assert table(client, "bob")["result"]["hands"] == 0
    names = [line.rpartition(":")[2].split("|") for line in client.get("/api/hands.log").text.splitlines()]
    assert [set(each) for each in names] == [{"you", "bot"}, {"you", "ann"}, {"you", "ann"}]


def test_the_first_strategy_may_be_named(client):
    hand = call_down(client, deal(client, "bot").json()["hand"])
    assert table(client)["hand"] == table(client, "bot")["hand"] == hand
    assert table(client, "bot")["result"]["against"] == ""


def test_a_hand_goes_on_against_its_own_opponent(client):
    hand = deal(client, "ann", "button").json()["hand"]
    assert table(client)["hand"] == table(client, "bob")["hand"] == hand
    assert table(client)["result"]["against"] == "ann"
    refused = deal(client, "bob")
    assert (refused.status_code, refused.json()["error"]) == (409, "hand 1 is not over yet")


def test_the_first_strategy_plays_on_where_the_opponent_is_gone(client, folder):
    hand = deal(client, "ann", "button").json()["hand"]
    (folder / "ann.h5").unlink()
    hand = call_down(client, hand)
    assert (hand["over"], hand["bot"]) == (True, "ann")
    assert deal(client, "ann").json()["error"] == "strategy 'ann'; expected one of bot"


@pytest.mark.parametrize(
    ("against", "said"),
    [
        ("nobody", "strategy 'nobody'; expected one of bot"),
        ("../players/ann", "strategy '../players/ann'; expected one of bot"),
        ("mix:ann@0.5,nobody", "strategy 'nobody'; expected one of bot"),
        ("mix:ann@2,bob", "mix:ann@2,bob: expected mix:FILE@SHARE,FILE: shares from 0 to 1"),
        ("mix:ann@0.3,bob@0.3,ann", "a mix of 3 strategies; expected at most 2"),
        ("mix:\n" + 500 * "x", "strategy '?xx"),
        (600 * "x", "against: 600 characters; expected at most 540"),
    ],
)
def test_names_that_are_not_there(client, against, said):
    for answer in (deal(client, against), client.get("/api/table", params={"against": against})):
        assert answer.status_code == 400
        assert answer.json()["error"].startswith(said)
        assert answer.json()["error"].isprintable()
    assert table(client)["hand"] is None
