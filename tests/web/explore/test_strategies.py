"""Several strategies on one page: each spot has the numbers of the strategy that is asked."""

import pytest

from cfr.game.rules import Game
from cfr.strategy.built_in import BuiltIn
from cfr.system.errors import BadInputError

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from tests.web.clients import clients

make = pytest.fixture(clients, name="make")


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
