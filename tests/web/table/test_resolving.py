"""The page where the bot solves subgames anew: it plays, shows what it plays, and other visitors wait their turn."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("starlette")

from cfr.resolving.resolver import Effort
from cfr.resolving.resolving_strategy import Resolving
from cfr.strategy.files.stored import open_strategy
from tests.web.clients import at_random, clients, deal, play

SPOT = {"board": "Td9d6hQc2s", "line": "rc/crc/cc/"}


@pytest.fixture
def client(tmp_path):
    yield from clients(tmp_path)


@pytest.fixture
def bot():
    with Resolving(open_strategy(), "river", Effort(3), keeps=False) as strategy:
        yield strategy


@pytest.mark.thorough
def test_hands_are_played_to_the_end(client, bot):
    page = client(bot, seed=3)
    assert page.get("/api/game").json()["resolve"] == "river"
    rng = random.Random(1)
    choose = at_random(rng)
    ends = [play(page, lambda hand: "c" if hand["round"] < 3 else choose(hand)) for _ in range(6)]
    assert [each["hand"]["number"] for each in ends] == list(range(1, 7))
    assert all(each["hand"]["over"] for each in ends)
    assert any(len(each["hand"]["board"]) == 10 for each in ends)


@pytest.mark.thorough
def test_it_shows_what_it_plays(client, bot):
    page = client(bot)
    shown = page.get("/api/spot", params=SPOT)
    assert shown.status_code == 200
    assert page.get("/api/spot", params={"board": "Td9d6hQc2s", "line": "rc/crc/cc/r"}).status_code == 200
    plain = client(open_strategy(), file="plain")
    assert plain.get("/api/game").json()["resolve"] is None
    assert plain.get("/api/spot", params=SPOT).text != shown.text


def test_it_says_how_far_the_bots_solve_is(client, bot):
    page, told = client(bot), []
    note = bot.hears

    def hear(share):
        note(share)
        told.append((share, page.get("/api/table/solving").json()["share"]))

    bot.hears = hear
    assert page.get("/api/table/solving").json() == {"share": None}
    assert page.get("/api/spot", params=SPOT).status_code == 200
    once = [(0.0, 0.0), (1 / 3, 1 / 3), (2 / 3, 2 / 3), (1.0, None), (1.0, None)]
    assert told == once * (len(told) // 5)
    assert told


@pytest.mark.thorough
def test_several_visitors_get_their_turns(client, bot):
    page = client(bot, seed=5)
    visitors = [client(bot, file=f"sessions {n}", seed=n) for n in range(3)]

    def visit(one):
        return [play(one, lambda hand: "c")["hand"]["over"] for _ in range(3)]

    with ThreadPoolExecutor(3) as together:
        assert all(all(found) for found in together.map(visit, visitors))
    assert deal(page)["number"] == 1
