"""The page's requests: spots, hands against the bot, and what is refused."""

import asyncio
import json
import random
import sys

import numpy as np
import pytest
from scipy import stats

from cfr.cli.main import main
from cfr.game.betting_round import ACTIONS
from cfr.game.cards import parse_cards
from cfr.game.evaluate import category, evaluate
from cfr.game.hand import Deal, showdown_winner
from cfr.game.rules import Game
from cfr.game.words import ACTION_NAMES
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.stored import open_strategy
from cfr.study.grid import grid
from cfr.system.errors import BadInputError

pytest.importorskip("starlette")
httpx2 = pytest.importorskip("httpx2")

from cfr.web.server.endpoints import MAX_BODY  # noqa: E402
from cfr.web.server.visitors import Rates  # noqa: E402
from cfr.web.store.records import Hand, Session  # noqa: E402
from cfr.web.store.sessions import Limits, Sessions  # noqa: E402
from tests.web.clients import BETTING, CARDS, HULHE, act, at_random, clients, deal, play, stored  # noqa: E402

make = pytest.fixture(clients, name="make")


@pytest.fixture(scope="module")
def strategy():
    with open_strategy() as opened:
        yield opened


# ---- spots


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


# ---- hands


def test_whole_hands_and_the_running_result(make, tmp_path):
    client, rng, chips = make(), random.Random(2), []
    for number in range(1, 31):
        answer = play(client, at_random(rng))
        hand = answer["hand"]
        assert (hand["number"], hand["seat"]) == (number, "button" if number % 2 else "big blind")
        _, seat, *cards, line, kept = stored(tmp_path)
        first, second, board = map(parse_cards, cards)
        state = BETTING.parse(line)
        winner = showdown_winner(state, Deal((first, second), board))
        assert hand["chips"] == kept == state.payoff(winner)[seat]
        assert len({*first, *second, *board}) == 9
        who = {seat: "you", 1 - seat: "bot"}
        assert hand["folded"] == (None if state.at_showdown else who[state.folded])
        made = {who[each]: category(int(evaluate([[*cards, *board]])[0])) for each, cards in enumerate((first, second))}
        assert hand["made"] == (made if state.at_showdown else None)
        chips.append(hand["chips"])
    result = answer["result"]
    assert (result["hands"], result["chips"]) == (30, sum(chips))
    assert result["bb_per_100"] == pytest.approx(100 * np.mean(chips) / 10)
    assert result["interval_95"] == pytest.approx(stats.t.ppf(0.975, 29) * stats.sem(chips) * 10)
    assert client.get("/api/table").json() == answer


@pytest.mark.parametrize(("seat", "name"), [("button", "button"), ("bb", "big blind")])
def test_either_seat(make, seat, name):
    client = make()
    for _ in range(4):
        hand = deal(client, seat)
        while not hand["over"]:
            state, own = BETTING.parse(hand["line"]), 1 if name == "button" else 0
            entered = BETTING.stakes[state.round][state.line]
            bets = [each - entered for each in state.stakes]
            assert hand["in_front"] == {"you": bets[own], "bot": bets[1 - own]}
            call = next(each for each in hand["actions"] if each["letter"] == "c")
            assert call["amount"] == (bets[1 - own] - bets[own] or None)
            hand = act(client, hand, "c").json()["hand"]
        assert hand["seat"] == name
        assert hand["steps"][0]["who"] == ("you" if name == "button" else "bot")


def test_the_hint_is_what_the_strategy_does(make, strategy):
    client = make(strategy, seed=4)
    hand = deal(client)
    while not hand["over"]:
        hint = client.get("/api/table/hint").json()["shares"]
        assert hint == strategy.probabilities(hand["cards"], hand["board"], hand["line"])
        hand = act(client, hand, "c").json()["hand"]
    answer = client.get("/api/table/hint")
    assert (answer.status_code, answer.json()["error"]) == (409, "no hand is being played")


def test_hands_come_from_the_system_unless_a_seed_is_asked_for(make):
    def cards(client):
        return [play(client, lambda hand: "c")["hand"]["cards"] for _ in range(3)]

    seeded = [cards(make(file=f"seeded{n}", seed=7)) for n in range(2)]
    assert seeded[0] == seeded[1]
    assert cards(make(file="other", seed=8)) != seeded[0]
    assert cards(make(file="free1")) != cards(make(file="free2"))


def test_the_log_and_its_export(make, tmp_path):
    client, rng = make(seed=3), random.Random(3)
    answers = [play(client, lambda hand: rng.choice(["c", at_random(rng)(hand)]))["hand"] for _ in range(25)]
    deal(client)  # one that is played: in neither
    page = client.get("/api/hands").json()
    assert page["more"]
    rest = client.get("/api/hands", params={"before": page["hands"][-1]["number"]}).json()
    assert not rest["more"]
    assert [*page["hands"], *rest["hands"]] == answers[::-1]
    exported = client.get("/api/hands.log")
    assert "attachment" in exported.headers["content-disposition"]
    lines = exported.text.splitlines()
    assert len(lines) == 25
    first = int(lines[0].split(":")[1])
    assert first % 10_000 == 0
    play(other := make(seed=3, file="other"), lambda hand: "c")
    assert int(other.get("/api/hands.log").text.split(":")[1]) not in range(first, first + 10_000)
    for number, (line, hand) in enumerate(zip(lines, answers, strict=True)):
        word, count, betting, cards, chips, names = line.split(":")
        assert (word, count, betting) == ("STATE", str(first + number), hand["line"])
        own = 1 if hand["seat"] == "button" else 0  # position 0 is the big blind
        assert chips.split("|")[own] == str(hand["chips"])
        assert names.split("|")[own] == "you"
        held, *board = cards.split("/")
        assert held.split("|")[own] == hand["cards"]
        assert held.split("|")[1 - own] == (hand["bot_cards"] or "")
        assert "".join(board) == hand["board"]
    assert any(hand["bot_cards"] for hand in answers)
    assert {"you", "bot"} <= {hand["folded"] for hand in answers}


def test_a_long_export_is_whole_and_in_order(make, tmp_path):
    client = make()
    play(client, lambda hand: "c")
    kept = Sessions(tmp_path / "sessions", HULHE)
    [session] = kept.file.execute("SELECT id FROM sessions").fetchone()
    deal_ = Deal(((0, 1), (2, 3)), (4, 5, 6, 7, 8))
    for number in range(2, 452):
        assert kept.add(Session(session, 0, 0, 0), Hand(number, "bot", 1, deal_, "f", -5))
    kept.close()
    lines = client.get("/api/hands.log").text.splitlines()
    first = session % 400_000 * 10_000
    assert [int(line.split(":")[1]) for line in lines] == list(range(first, first + 451))
    assert lines[-1] == f"STATE:{first + 450}:f:|2h2s:5|-5:bot|you"


# ---- what is refused


def test_illegal_and_late_actions_are_refused_and_change_nothing(make):
    client = make(BuiltIn("always-call"))
    assert act(client, {"number": 1, "line": ""}, "c").status_code == 401
    hand = deal(client, "button")
    refusals = [
        ({"action": "f", "line": "c"}, 409, "too late: hand 1 went on, its line is ''"),
        ({"action": "x"}, 409, "'x' is illegal; legal are f, c, r"),
        ({"action": ""}, 409, "'' is illegal"),
        ({"action": "cc"}, 400, "expected f, c or r"),
        ({"hand": 2}, 409, "hand 2 is not being played"),
    ]
    for change, status, reason in refusals:
        answer = client.post("/api/table/act", json={"hand": 1, "line": "", "action": "c"} | change)
        assert answer.status_code == status, answer.text
        assert reason in answer.json()["error"]
    again = client.post("/api/table/deal", json={"seat": "bb"})
    assert (again.status_code, again.json()["error"]) == (409, "hand 1 is not over yet")
    assert client.get("/api/table").json()["hand"] == hand
    hand = act(client, hand, "c").json()["hand"]
    illegal = act(client, hand, "f")  # nothing to fold to
    assert (illegal.status_code, "legal are c, r" in illegal.text) == (409, True)
    while not hand["over"]:
        before, hand = hand, act(client, hand, "c").json()["hand"]
    for late in (before, hand):
        answer = act(client, late, "c")
        assert (answer.status_code, answer.json()["error"]) == (409, "too late: hand 1 is over")
    assert client.get("/api/table").json()["result"]["hands"] == 1


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ({"json": {"seat": "dealer"}}, 400),
        ({"json": {"seat": 1}}, 400),
        ({"json": {"seat": "bb", "cards": "AsAh"}}, 400),
        ({"json": ["bb"]}, 400),
        ({"content": b"{", "headers": {"content-type": "application/json"}}, 400),
        ({"content": b"\xff", "headers": {"content-type": "application/json"}}, 400),
        ({"content": b"[" * MAX_BODY, "headers": {"content-type": "application/json"}}, 400),
        ({"content": b" " * (MAX_BODY + 1), "headers": {"content-type": "application/json"}}, 413),
        ({"data": {"seat": "bb"}}, 415),
        ({"content": b'{"seat":"bb"}', "headers": {"content-type": "text/plain"}}, 415),
    ],
)
def test_malformed_bodies_are_refused(make, request_, status):
    client = make()
    answer = client.post("/api/table/deal", **request_)
    assert answer.status_code == status
    assert answer.json()["error"]
    assert "set-cookie" not in answer.headers


def test_true_is_no_number(make):
    client = make()
    deal(client)
    answer = client.post("/api/table/act", json={"hand": True, "line": "", "action": "c"})
    assert (answer.status_code, answer.json()["error"]) == (400, "hand: expected a number")


def test_foreign_hosts_and_origins_are_refused(make):
    client = make(hosts={"127.0.0.1", "localhost", "::1"})
    for host in ("127.0.0.1", "localhost:8000", "LOCALHOST", "[::1]:8000"):
        assert client.get("/api/game", headers={"host": host}).status_code == 200
    for host in ("evil.example", "127.0.0.1.evil.example", "", "[::1"):
        assert client.get("/api/game", headers={"host": host}).status_code == 421
    for origin in ("http://evil.example", "null", "http://127.0.0.1:81", "http://[", ""):
        answer = client.post("/api/table/deal", json={"seat": "bb"}, headers={"origin": origin})
        assert answer.status_code == 403
    assert client.get("/api/table").json()["hand"] is None
    answer = client.post("/api/table/deal", json={"seat": "bb"}, headers={"origin": "http://127.0.0.1"})
    assert answer.status_code == 200


def test_too_many_requests_are_refused(make):
    client = make(rates=Rates(session=(0.001, 5), address=(0.001, 3)))
    assert [client.get("/api/game").status_code for _ in range(4)] == [200, 200, 200, 429]
    other = make(rates=Rates(session=(0.001, 5), address=(0.001, 3)), file="other")
    deal(other)
    codes = [other.get("/api/table") for _ in range(6)]
    assert [each.status_code for each in codes] == [200] * 5 + [429]
    assert int(codes[-1].headers["retry-after"]) > 1
    assert "too fast" in codes[-1].json()["error"]


def test_spots_queue_up_only_so_far(make, strategy, monkeypatch):
    monkeypatch.setattr("cfr.web.server.visitors.MAX_WAITING", 3)
    app = make(strategy).app

    async def ask():
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://127.0.0.1") as client:
            flops = [f"{rank}s7h2c" for rank in "AKQJT98"]
            asked = [client.get(f"/api/spot?line=cc/&board={flop}") for flop in flops]
            return [answer.status_code for answer in await asyncio.gather(*asked)]

    codes = asyncio.run(ask())
    assert codes.count(200) == 3
    assert codes.count(429) == 4
    assert asyncio.run(ask()).count(200) == 3  # the places are given back


def test_sizes_are_bounded(make):
    limits = Limits(sessions=2, hands=2)
    full = make(limits=limits)
    for _ in range(2):
        play(full, lambda hand: "c")
    answer = full.post("/api/table/deal", json={"seat": "bb"})
    assert (answer.status_code, "its 2 hands" in answer.json()["error"]) == (409, True)
    play(make(limits=limits), lambda hand: "c")
    answer = make(limits=limits).post("/api/table/deal", json={"seat": "bb"})
    assert (answer.status_code, answer.json()["error"]) == (409, "all 2 places are taken; come back later")


# ---- other strategies


def test_a_spot_of_another_strategy_has_its_numbers(make, strategy):
    caller = BuiltIn("always-call")
    client = make(strategy, others={"caller": caller})
    assert client.get("/api/game").json()["strategies"] == [
        {"name": "bot", "exploitability_mbb": strategy.attributes["exploitability_mbb"]},
        {"name": "caller", "exploitability_mbb": None},
    ]
    spot = {"board": "Td9d6h", "line": "rc/c"}
    first, named, other = (
        client.get("/api/spot", params=spot | more).json() for more in ({}, {"strategy": "bot"}, {"strategy": "caller"})
    )
    assert first == named
    assert other["frequencies"]["call"] == caller.range("Td9d6h", "rc/c").frequencies[:, 1].tolist()
    assert first["frequencies"] != other["frequencies"]


@pytest.mark.parametrize("path", ["/api/spot", "/api/values"])
def test_a_strategy_that_is_not_there_is_refused(make, path):
    answer = make(others={"caller": BuiltIn("always-call")}).get(path, params={"strategy": "nobody", "line": "rc/"})
    assert answer.status_code == 400
    assert answer.json() == {"error": "strategy 'nobody'; expected one of bot, caller"}


def test_values_of_another_strategy_are_its_own(make):
    spot = {"board": "Td9d6hQc2s", "line": "cc/cc/cc/"}
    client = make(BuiltIn("always-call"), others={"raiser": BuiltIn("call-raise"), "x" * 200: BuiltIn("uniform")})
    assert client.get("/api/spot", params={"strategy": "x" * 200}).status_code == 200
    found = [client.get("/api/values", params=spot | {"strategy": name}) for name in ("bot", "raiser")]
    while any(answer.status_code == 202 for answer in found):
        found = [client.get("/api/values", params=spot | {"strategy": name}) for name in ("bot", "raiser")]
    caller, raiser = (answer.json()["hands"]["ev"] for answer in found)
    assert max(filter(None, raiser)) > max(filter(None, caller))  # bets are won, too


def test_strategies_of_two_games_are_no_library(make):
    with pytest.raises(BadInputError, match="short plays holdem-2-4; expected hulhe, as bot"):
        make(others={"short": BuiltIn("uniform", Game.bundled("holdem-2-4"))})


# ---- files


def fetched(client, path, **parameters):
    while (answer := client.get(path, params=parameters)).status_code == 202:
        pass
    return answer


def test_a_table_is_what_export_writes(make, strategy, capsys):
    spot = {"board": "Td9d6hQc2s", "line": "rc/crc/cc/"}
    answer = fetched(make(strategy), "/api/spot.csv", **spot)
    assert answer.headers["content-disposition"] == 'attachment; filename="spot-rc-crc-cc--Td9d6hQc2s.csv"'
    assert main(["export", "--board", spot["board"], "--line", spot["line"], "--action-ev"]) == 0
    assert answer.text.splitlines() == capsys.readouterr().out.splitlines()


@pytest.mark.thorough
@pytest.mark.parametrize("theme", ["standard", "colour-blind"])
def test_a_picture_is_what_chart_draws(make, strategy, tmp_path, theme):
    spot, client = {"board": "Td9d6h", "line": "rc/cr"}, make(strategy)
    kinds = client.get("/api/game").json()["files"]
    assert kinds[:2] == ["csv", "svg"]
    for file in (tmp_path / f"chart.{kind}" for kind in kinds[1:]):
        assert main(["chart", "--board", "Td9d6h", "--line", "rc/cr", "--theme", theme, "--out", str(file)]) == 0
        answer = client.get(f"/api/spot{file.suffix}", params=spot | {"theme": theme})
        assert answer.content == file.read_bytes()


def test_a_picture_of_values_is_what_chart_draws(make, strategy, tmp_path):
    spot, out = ["--board", "Td9d6hQc2s", "--line", "rc/crc/cc/"], tmp_path / "ev.svg"
    assert main(["chart", *spot, "--ev", "--out", str(out)]) == 0
    answer = fetched(make(strategy), "/api/spot.svg", board=spot[1], line=spot[3], view="ev")
    assert answer.text == out.read_text("utf-8")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("theme=pink", "theme 'pink'; expected one of standard, colour-blind"),
        ("view=x", "view 'x'; expected mix or ev"),
        ("strategy=x", "strategy 'x'; expected one of bot"),
        ("line=rx", "line 'rx'"),
    ],
)
def test_a_file_that_cannot_be_is_refused(make, query, said):
    for suffix in ("csv", "svg"):
        answer = make().get(f"/api/spot.{suffix}?{query}")
        assert answer.status_code == 400
        assert said in answer.json()["error"]


def test_a_png_without_matplotlib_is_refused_in_one_line(make, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    answer = make().get("/api/spot.png")
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("a .png needs matplotlib")
