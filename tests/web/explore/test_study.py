"""Both ranges at a spot and all flops after a line: the numbers of the API and of the commands, counted beside."""

import json
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from cfr import expected_values
from cfr.game.cards import parse_cards
from cfr.game.ranges import Range
from cfr.game.rules import Game
from cfr.hands.made_hands import DRAWS, MADE
from cfr.resolving.resolver import Effort
from cfr.resolving.resolving_strategy import Resolving
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.stored import open_strategy
from cfr.strategy.position import Position
from cfr.study.flop_statistics import KINDS, aggregate
from cfr.system.errors import BadInputError
from cfr.web.explore import routes as study_routes
from cfr.web.explore.flops import flop_root
from cfr.web.server import answers

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from cfr.web.server.visitors import Rates
from tests.web.clients import clients

make = pytest.fixture(clients, name="make")
SPOTS = [("Td9d6h", "rc/cr"), ("Td9d6hQc", "rc/crc/"), ("Td9d6hQc2s", "rc/cc/rc/r")]
SEATS = {"big blind": 0, "button": 1}


def ask(client, path, **parameters):
    while (answer := client.get(path, params=parameters)).status_code == 202:
        assert answer.json() == {"working": True}
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture(scope="module")
def small():
    with open_strategy() as found:
        yield found


# ---- both ranges


@pytest.mark.parametrize("spot", [pytest.param(SPOTS[0], marks=pytest.mark.thorough), *SPOTS[1:]])
def test_ranges_and_equities_are_those_of_the_api(make, small, spot):
    found = ask(make(small), "/api/ranges", board=spot[0], line=spot[1])
    assert (found["board"], found["line"], found["seat"]) == (*spot, small.range(*spot).seat_name)
    for name, seat in SEATS.items():
        shown, wanted = found["ranges"][name], expected_values(small, *spot, seat=seat) if len(spot[0]) > 6 else None
        own = small.range(*spot, seat=seat)
        assert shown["hands"]["reach"] == own.reach.tolist()
        assert shown["combos"] == own.reach.sum()
        assert shown["played"]
        if wanted:  # on the flop they take seconds
            assert shown["equity"] == pytest.approx(wanted.mean_equity, abs=1e-12)
            there = wanted.weight > 0
            equities = np.array(shown["hands"]["equity"], np.float64)
            np.testing.assert_allclose(equities[there], wanted.equity[there], atol=1e-9)
            weights = np.array(shown["hands"]["weight"])
            np.testing.assert_allclose(weights / weights.sum(), wanted.weight / wanted.weight.sum(), atol=1e-12)
    assert sum(each["equity"] for each in found["ranges"].values()) == pytest.approx(1, abs=1e-12)


def test_what_hands_make_is_named(make, small):
    found = ask(make(small), "/api/ranges", board="Td9d6h", line="rc/")
    assert (found["made"]["names"], found["draw"]["names"]) == (list(MADE), list(DRAWS))

    def named(kind, hand):
        number = found[kind]["of"][small.game.hand_number(tuple(parse_cards(hand)))]
        return None if number < 0 else found[kind]["names"][number]

    assert [named("made", hand) for hand in ("AhAs", "TcTs", "8d7d", "TcTd")] == ["overpair", "set", "straight", None]
    assert [named("draw", hand) for hand in ("AdKd", "QsJs", "AhKs")] == [
        "flush draw",
        "open-ended straight draw",
        "no draw",
    ]
    river = ask(make(small), "/api/ranges", board="Td9d6hQc2s", line="rc/cc/cc/")
    assert "made" in river
    assert "draw" not in river


def test_before_the_flop_there_are_equities_and_nothing_is_made(make, monkeypatch):
    margins = np.random.default_rng(1).uniform(-1, 1, (1326, 1326))
    # The real ones take 14 s.
    monkeypatch.setattr("cfr.hands.showdown_margins.Margins.all_pairs", lambda self, progress=False: margins)
    found = ask(make(BuiltIn("uniform")), "/api/ranges", line="r")
    assert not {"made", "draw"} & found.keys()
    apart = Game.bundled("hulhe").apart
    wanted = ((margins @ np.ones(1326)) / apart.sum(axis=1) + 1) / 2
    np.testing.assert_allclose(found["ranges"]["button"]["hands"]["equity"], np.clip(wanted, 0, 1))


def test_a_range_that_is_never_played_is_presumed(make):
    bot = BuiltIn("always-call")
    found = ask(make(bot), "/api/ranges", board="Td9d6hQc2s", line="cc/cc/cc/r")
    assert not found["ranges"]["big blind"]["played"]
    assert found["ranges"]["button"]["played"]
    assert (
        found["ranges"]["big blind"]["hands"]["reach"]
        == bot.range("Td9d6hQc2s", "cc/cc/cc/r", seat=0).presumed.tolist()
    )
    assert found["ranges"]["big blind"]["equity"] == pytest.approx(0.5)


def test_hands_that_meet_nobody_have_no_equity(make, small, monkeypatch):
    held = [Range.parse(text).weights for text in ("AsKs", "AsAh")]
    monkeypatch.setattr(Position, "reach", lambda self, seat: held[seat])
    found = ask(make(BuiltIn("uniform")), "/api/ranges", board="Td9d6hQc2s", line="cc/cc/cc/")
    for seat in found["ranges"].values():
        assert seat["equity"] is None
        assert seat["combos"] == 1
        assert not any(seat["hands"]["weight"])
    assert found["ranges"]["button"]["hands"]["equity"][small.game.hand_number((51, 50))] is None


def test_a_game_that_ends_on_the_flop_draws_to_nothing(make):
    found = ask(make(BuiltIn("uniform", Game.bundled("flop-holdem"))), "/api/ranges", board="Td9d6h", line="cc/")
    assert "made" in found
    assert "draw" not in found


def test_a_strategy_that_solves_anew_shows_its_ranges(make, small):
    spot = {"board": "Td9d6hQc2s", "line": "rc/crc/cc/"}
    with Resolving(open_strategy(), "river", Effort(3), keeps=False) as bot:
        client = make(bot)
        found = ask(client, "/api/ranges", **spot)
        wanted = bot.range(**spot, seat=1).reach.tolist()
        assert found["ranges"]["button"]["hands"]["reach"] == wanted


# ---- every next card


@pytest.mark.thorough
def test_a_map_of_the_next_card_is_that_of_each_card(make, small):
    """Bets of all cards come before the first EV; suits that the board does not tell apart have the same numbers."""
    client, rounds, board, line = make(small), [], "7d7c7h7s", "rc/crc/cc/"
    while (answer := client.get("/api/runouts", params={"board": board, "line": line})).status_code == 202:
        found = answer.json()
        assert found["working"]
        bets = sum("bet" in each for each in found["cards"])
        evs = sum(each["ev"] is not None for each in found["cards"])
        assert not evs or bets == len(small.game.deck) - len(board) // 2
        rounds.append(found["done"])
        time.sleep(0.02)
    assert rounds == sorted(rounds)
    found = answer.json()
    assert (found["board"], found["line"], found["working"], found["done"]) == (board, line, False, 1)
    cards = {each["card"]: each for each in found["cards"]}
    assert len(cards) == len(found["cards"]) == 52 - len(board) // 2
    for card in ("Ah", "2s", "9d"):
        own = small.range(board + card, line)
        assert found["seat"] == own.seat_name
        assert cards[card]["bet"] == pytest.approx(own.reach @ own.frequencies[:, 2] / own.reach.sum(), abs=1e-12)
        assert cards[card]["ev"] == pytest.approx(expected_values(small, board + card, line).mean_ev, abs=1e-9)
    assert len({each["ev"] for card, each in cards.items() if card[0] == "K" and card[1] != "s"}) == 1


def test_where_no_card_follows_there_is_no_map(make, small):
    client = make(small)
    for board, line in (
        ("Td9d6h", "rc/c"),
        ("", "rc/"),
        ("Td9d6hQc2s", "rc/cc/cc/"),
        ("Td9d6h", "rc/"),
        ("Td", "rc/cc/"),
    ):
        answer = client.get("/api/runouts", params={"board": board, "line": line})
        assert answer.status_code == 400, answer.text


# ---- all flops


@pytest.mark.thorough
def test_flops_are_those_of_the_command(make, small):
    """Those of ``aggregate``, which the command prints."""
    found, wanted = ask(make(small), "/api/flops", line="rc/"), aggregate(small, ["rc/"])
    rows = wanted.columns(by="flop")
    assert found["flops"] == rows["flop"][:1755].tolist()
    assert found["share"] == wanted.share.tolist()
    assert {name: tuple(each["values"]) for name, each in found["kinds"].items()} == KINDS
    chosen = np.array(found["kinds"]["suits"]["of"]) == "monotone"
    assert (chosen == wanted.select(suits=["monotone"])).all()
    monotone = wanted.columns(wanted.select(suits=["monotone"]))
    for number, each in enumerate(found["statistics"]):
        part = slice(1755 * number, 1755 * (number + 1))
        assert {(each["name"], each["seat"], each["line"])} == set(
            zip(*(rows[name][part].tolist() for name in ("statistic", "seat", "line")), strict=True)
        )
        np.testing.assert_allclose(each["frequency"], rows["frequency"][part], atol=1e-9)
        np.testing.assert_allclose(each["reached"], rows["reached"][part], atol=1e-9)
        # What the page computes of flops of a kind: a mean by how often a hand comes to the spot.
        weight = np.array(found["share"]) * each["reached"] * chosen
        mean = weight @ np.array(each["frequency"]) / weight.sum()
        assert mean == pytest.approx(monotone["frequency"][number], abs=1e-7)


@pytest.mark.thorough
def test_a_spot_that_is_never_reached_has_no_frequency(make):
    client = make(BuiltIn("always-call"))
    found = ask(client, "/api/flops", line="cc/")
    facing = [each for each in found["statistics"] if each["name"] == "fold-to-bet"]
    assert facing
    for each in facing:
        assert set(each["frequency"]) == {None}
        assert set(each["reached"]) == {0}
    text = client.get("/api/flops?line=cc/").text
    json.loads(text, parse_constant=pytest.fail)  # JSON has no NaN


def test_lines_to_the_flop_are_named(make):
    lines = make().get("/api/game").json()["flop_lines"]
    assert [each["line"] for each in lines] == ["cc/", "crc/", "crrc/", "crrrc/", "rc/", "rrc/", "rrrc/"]
    assert lines[1]["words"] == ["call", "raise", "call"]


def test_refined_flops_are_not_counted_as_the_blueprint():
    class Refined(BuiltIn):
        trunk = BuiltIn("always-call")

    with pytest.raises(BadInputError, match="flops are refined one by one here"):
        flop_root(Refined("uniform"), "rc/")


@pytest.mark.parametrize(
    ("path", "query", "said"),
    [
        ("ranges", {"strategy": "nobody"}, "strategy 'nobody'; expected one of bot"),
        ("ranges", {"line": "rx"}, "line 'rx'"),
        ("ranges", {"line": "rc/"}, "add 3 to the board"),
        ("ranges", {"line": "rf"}, "the hand is over"),
        ("flops", {"strategy": "nobody"}, "strategy 'nobody'; expected one of bot"),
        ("flops", {}, "line '' does not end where the flop is dealt; expected cc/, crc/, "),
        ("flops", {"line": "rc/c"}, "line 'rc/c' does not end where the flop is dealt"),
        ("flops", {"line": "x" * 65}, "line: 65 characters; expected at most 64"),
    ],
)
def test_what_cannot_be_counted_is_refused_in_one_line(make, path, query, said):
    answer = make().get(f"/api/{path}", params=query)
    assert answer.status_code == 400
    assert said in answer.json()["error"]
    assert "\n" not in answer.json()["error"]


def test_flops_that_are_solved_one_by_one_are_refused(monkeypatch):
    bot = BuiltIn("uniform")
    monkeypatch.setattr(bot, "re_solved_from", 1)
    with pytest.raises(BadInputError, match="each flop is solved on its own here, too slowly for all flops"):
        flop_root(bot, "rc/")
    monkeypatch.setattr(bot, "re_solved_from", 2)
    assert flop_root(bot, "rc/").line_string == "rc/"


# ---- counted beside


def test_the_same_question_is_counted_once(make, monkeypatch):
    counted = []
    monkeypatch.setattr(study_routes, "all_flops", lambda *what: counted.append(what) or b"{}")
    client = make()
    assert ask(client, "/api/flops", line="rc/") == ask(client, "/api/flops", line="raise call")
    assert len(counted) == 1


def test_too_many_questions_are_sent_away_and_an_answer_comes_later(make, monkeypatch):
    go = threading.Event()
    monkeypatch.setattr(answers, "_PATIENCE", 0.01)
    monkeypatch.setattr("cfr.web.app.MAX_VALUES_WAITING", 2)
    monkeypatch.setattr(study_routes, "both_ranges", lambda *_: go.wait(60) and b"{}")
    client = make()
    codes = [client.get(f"/api/ranges?line=cc/&board={board}") for board in ("AsKsQs", "AsKsJs", "AsKsTs")]
    assert [each.status_code for each in codes] == [202, 202, 429]
    assert codes[2].headers["retry-after"] == "1"
    assert codes[2].json() == {"error": "too many answers are being counted; try again"}
    go.set()
    assert ask(client, "/api/ranges", line="cc/", board="AsKsQs") == {}


def test_requests_are_counted_against_their_rate(make):
    client = make(rates=Rates((0.001, 2), (0.001, 2)))
    codes = [client.get(f"/api/{path}?line=x").status_code for path in ("ranges", "flops", "ranges")]
    assert codes == [400, 400, 429]


# ---- other decks


def test_a_spot_of_forty_cards_has_a_hundred_classes(make):
    forty = replace(Game.bundled("hulhe"), name="forty", num_ranks=10)
    client = make(BuiltIn("call-raise", forty))
    spot = ask(client, "/api/spot", line="r")
    assert (len(spot["classes"]), len(spot["weight"]), len(spot["hands"])) == (100, 100, 780)
    assert spot["classes"][:2] + spot["classes"][-1:] == ["AA", "AKs", "55"]
    assert set(spot["mix"]["raise"]) == {0.5}
    assert 'data-ranks="AKQJT98765" data-suits="shdc"' in client.get("/").text
    svg = client.get("/api/spot.svg", params={"line": "r"}).text
    assert (">55<" in svg, ">44<" in svg) == (True, False)
