"""Spots on the page: the numbers of the API and of the command line, and which spots lead to which."""

import json
import random

import pytest

from cfr.cli.main import main
from cfr.game.betting_round import ACTIONS
from cfr.game.cards import parse_cards
from cfr.game.words import ACTION_NAMES
from cfr.strategy.built_in import BuiltIn
from cfr.study.grid import grid

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from tests.web.clients import BETTING, CARDS, clients

make = pytest.fixture(clients, name="make")


@pytest.mark.parametrize(
    ("board", "line"),
    [
        ("", ""),
        ("", "rr"),
        ("Td9d6h", "rc/"),
        ("Td9d6h", "rc/cr"),
        ("AcKd4h9s", "crc/rc/c"),
        ("2c2d2h2s3c", "cc/cc/cc/r"),
    ],
)
def test_a_spot_has_the_numbers_of_the_api(make, strategy, board, line):
    found = make(strategy).get("/api/spot", params={"board": board, "line": line}).json()
    spot = strategy.range(board, line)
    assert found["hands"] == spot.hands.tolist()
    assert found["reach"] == spot.reach.tolist()
    legal = strategy.spot(board, line)[0].legal
    for n, name in enumerate(ACTION_NAMES):
        if ACTIONS[n] in legal:
            assert found["frequencies"][name] == spot.frequencies[:, n].tolist()
        else:
            assert name not in found["frequencies"]
    chart = grid(spot)
    assert found["weight"] == chart.weight.tolist()
    assert [action["share"] for action in found["actions"]] == [float(chart.total[ACTIONS.index(x)]) for x in legal]
    assert found["combos"] == pytest.approx(sum(found["reach"]))


def test_a_spot_has_the_numbers_of_the_command_line(make, strategy, capsys):
    assert main(["query", "--hand", "JsTs", "--board", "Td9d6h", "--line", "rc/cr", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    found = make(strategy).get("/api/spot?board=Td9d6h&line=rc/cr").json()
    place = found["hands"].index("TsJs")
    assert {name: found["frequencies"][name][place] for name in ACTION_NAMES} == {n: said[n] for n in ACTION_NAMES}


def test_a_spot_says_who_never_plays_its_line(make):
    """A caller never raises: with whose raise the line goes on, that seat has no range, and its answers are marked."""
    client = make(BuiltIn("always-call"))
    for line, played in (("c", [True, True]), ("r", [True, False]), ("rr", [False, False])):
        found = client.get(f"/api/spot?line={line}").json()
        other = next(seat for seat in found["stakes"] if seat != found["seat"])
        assert [found["played"][seat] for seat in (found["seat"], other)] == played
        assert (found["presumed"] is None) == played[0]
        assert found["combos"] == (1326 if played[0] else 0)
        assert found["weight"] == [1] * 169
        assert found["mix"]["call"] == [1] * 169
    assert found["presumed"] == [1] * 1326
    assert not any(found["reach"])


def test_isomorphic_spots_have_the_same_numbers(make, strategy):
    client, swap = make(strategy), str.maketrans("cdhs", "hscd")
    one = client.get("/api/spot?board=Td9d6h2c&line=rc/crc/c").json()
    other = client.get(f"/api/spot?board={'Td9d6h2c'.translate(swap)}&line=rc/crc/c").json()
    assert one["weight"] == pytest.approx(other["weight"], abs=1e-15)
    assert one["combos"] == pytest.approx(other["combos"])
    index = {frozenset(parse_cards(hand)): n for n, hand in enumerate(other["hands"])}
    for n, hand in enumerate(one["hands"]):
        m = index[frozenset(parse_cards(hand.translate(swap)))]
        assert one["reach"][n] == other["reach"][m]
        assert all(one["frequencies"][name][n] == other["frequencies"][name][m] for name in one["frequencies"])


def test_the_spots_lead_to_each_other(make):
    """Random walks along the actions and back along the steps, through all rounds."""
    client, rng, rounds = make(BuiltIn("uniform")), random.Random(1), set()
    for _ in range(12):
        line, board = "", ""
        deck = rng.sample(CARDS, 5)
        while line is not None:
            spot = client.get("/api/spot", params={"board": board, "line": line}).json()
            state = BETTING.parse(line)
            assert [action["letter"] for action in spot["actions"]] == list(state.legal)
            assert spot["pot"] == sum(state.stakes)
            assert "".join(step["letter"] for step in spot["steps"]) == line.replace("/", "")
            for step in spot["steps"]:
                [taken] = [each for each in step["options"] if each["letter"] == step["letter"]]
                assert line.startswith(taken["line"])
                assert taken["board_cards"] == BETTING.parse(taken["line"]).num_board_cards
                assert step["board_cards"] == BETTING.parse(step["line"]).num_board_cards
            rounds.add(spot["round"])
            action = rng.choice(spot["actions"])
            after = state.act(action["letter"])
            assert action["line"] == (None if after.is_over else after.line_string)
            line = action["line"]
            board = "".join(deck[: action["board_cards"]])
    assert rounds == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("line=rx", "at position 2, 'x' is illegal; legal are fold, call, raise"),
        ("line=ry", "'ry' at position 1 is no action"),
        ("line=rrrr", "'r' is illegal"),
        ("line=f", "the hand is over"),
        ("line=rc", "0 cards, but after line 'rc' there are 3"),
        ("line=rc&board=TdTd6h", "Td at position 3 is there twice"),
        ("line=rc&board=1d9d6h", "is not a rank"),
        ("line=" + "c" * 65, "65 characters"),
        ("board=" + "c" * 65, "65 characters"),
    ],
)
@pytest.mark.parametrize("path", ["spot", "values"])
def test_a_spot_that_does_not_exist_is_refused_with_a_reason(make, path, query, reason):
    answer = make().get(f"/api/{path}?{query}")
    assert answer.status_code == 400
    assert reason in answer.json()["error"]


@pytest.mark.parametrize(
    ("line", "board", "nearest"),
    [
        ("rc/crc/c", "Kc8h2d", ("rc/cr", "Kc8h2d", 1)),
        ("rc/crc/crc/c", "Kc8h2d7s", ("rc/crc/cr", "Kc8h2d7s", 1)),
        ("rc/crc/crc/c", "Kc8h2d", ("rc/cr", "Kc8h2d", 2)),
        ("raise call", "", ("r", "", 3)),
        ("rc/crc/c", "Kc8h2d7", ("rc/cr", "Kc8h2d", 0)),
        ("rc/crc/c", "Kc8h2dKc", ("rc/cr", "Kc8h2d", 0)),
        ("rc/crx/c", "Kc8h2d7s", ("rc/cr", "Kc8h2d", 0)),
        ("rc/c", "Kc8h2d7s", ("rc/c", "Kc8h2d", 0)),
        ("rf", "", ("r", "", 0)),
        ("x", "?", ("", "", 0)),
    ],
)
def test_a_refusal_says_how_far_the_address_leads(make, line, board, nearest):
    client = make()
    answer = client.get("/api/spot", params={"line": line, "board": board})
    assert answer.status_code == 400
    found = answer.json()["nearest"]
    assert found == dict(zip(("line", "board", "missing"), nearest, strict=True))
    del found["missing"]
    assert client.get("/api/spot", params=found).json()["line"] == nearest[0]


def test_what_the_page_is_told_of_the_game(make, strategy):
    about = make(strategy).get("/api/game").json()
    assert (about["game"], about["strategy"], about["blinds"], about["raise_sizes"]) == (
        "hulhe",
        "bot",
        [5, 10],
        [10, 10, 20, 20],
    )
    assert about["board_cards"] == [0, 3, 1, 1]
    assert about["exploitability_mbb"] == strategy.attributes["exploitability_mbb"] > 60
    assert make(file="other").get("/api/game").json()["exploitability_mbb"] is None
