"""Luck-adjusted results of people's hands: right, beside the requests, and kept."""

import random
import time

import numpy as np
import pytest
from scipy import stats

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from cfr.game.cards import format_cards
from cfr.game.hand import HandRecord, deal_hand
from cfr.play.aivat import Aivat
from cfr.play.hand import play_hand
from cfr.play.players import RandomPlayer
from cfr.play.strategy_player import StrategyPlayer
from cfr.strategy.built_in import BuiltIn
from cfr.web.store.records import Hand
from cfr.web.table.luck import Adjuster, request
from cfr.web.table.luck_process import answer
from tests.web.clients import BETTING, HULHE, at_random, clients, deal, play

make = pytest.fixture(clients, name="make")


@pytest.fixture(scope="module")
def hands():
    """Of a person that plays at random, on both seats, against a bot that calls or raises."""
    rng, bot, person, found = random.Random(4), StrategyPlayer(BuiltIn("call-raise"), "bot"), RandomPlayer(), []
    for number in range(1, 41):
        seat = number % 2
        record = play_hand(BETTING, deal_hand(HULHE, rng), [bot, person] if seat else [person, bot], rng)
        found.append(Hand(number, "bot", seat, record.deal, record.state.line_string, record.chips[seat]))
    return found


@pytest.fixture(scope="module")
def adjusted(hands):
    return list(answer("call-raise", [request(hand, BETTING) for hand in hands]))


class Stranger:
    """A player whose strategy AIVAT does not know."""

    name, act = "stranger", RandomPlayer().act


@pytest.mark.thorough
def test_the_numbers_are_those_of_aivat(hands, adjusted):
    """The same with all cards known, and from the person's side."""
    aivat = Aivat(HULHE, [Stranger(), StrategyPlayer(BuiltIn("call-raise"), "bot")], imaginary=True)
    expected = []
    for hand in hands:
        chips = (hand.chips, -hand.chips) if hand.seat == 0 else (-hand.chips, hand.chips)
        expected.append(aivat(HandRecord(hand.deal, BETTING.parse(hand.line), chips), hand.seat))
    assert adjusted == pytest.approx(expected, abs=1e-9)
    assert np.std(adjusted) < 0.9 * np.std([hand.chips for hand in hands])


def test_nothing_that_was_not_shown_is_asked_for_or_matters(hands):
    for hand in hands:
        state = BETTING.parse(hand.line)
        asked = request(hand, BETTING)
        hidden = [*hand.deal.hands[1 - hand.seat], *hand.deal.board[state.num_board_cards :]]
        assert not any(format_cards([card]) in asked for card in hidden)


def wait_for(condition):
    limit = time.monotonic() + 120
    while not (found := condition()):
        assert time.monotonic() < limit
        time.sleep(0.05)
    return found


def test_results_come_after_the_hands_and_a_restart_keeps_them(make):
    client, rng = make(adjuster=Adjuster("uniform", "bot", BETTING)), random.Random(6)
    for _ in range(5):
        answer_ = play(client, at_random(rng))
    assert answer_["hand"]["number"] == answer_["result"]["hands"] == 5
    done = 5 + deal(client)["over"]  # one that is played counts for nothing, but the bot may fold at once
    wait_for(lambda: client.get("/api/table").json()["result"]["luck_adjusted"]["hands"] == done)
    result = client.get("/api/table").json()["result"]["luck_adjusted"]
    log = client.get("/api/hands").json()["hands"]
    chips = [hand["luck_adjusted"] for hand in log]
    assert result["bb_per_100"] == pytest.approx(100 * np.mean(chips) / 10)
    assert result["interval_95"] == pytest.approx(stats.t.ppf(0.975, done - 1) * stats.sem(chips) * 10)
    assert result["bb_per_100"] != client.get("/api/table").json()["result"]["bb_per_100"]
    again = make()
    again.cookies = client.cookies
    assert again.get("/api/table").json()["result"]["luck_adjusted"] == result
    assert again.get("/api/hands").json()["hands"] == log


@pytest.mark.thorough
def test_what_a_server_left_is_worked_out_by_the_next(make):
    first = make()
    play(first, lambda hand: "c")
    assert first.get("/api/table").json()["hand"]["luck_adjusted"] is None
    second = make(adjuster=Adjuster("uniform", "bot", BETTING))
    second.cookies = first.cookies
    wait_for(lambda: second.get("/api/table").json()["hand"]["luck_adjusted"] is not None)


def test_hands_go_on_when_the_process_fails(make, capfd):
    client = make(adjuster=Adjuster("nowhere.h5", "bot", BETTING))
    play(client, lambda hand: "c")
    said = ""

    def complained():
        nonlocal said
        said += capfd.readouterr().err
        return "luck-adjusted results stop" in said

    wait_for(complained)
    assert "nowhere.h5" in said
    assert "Traceback" not in said
    assert play(client, lambda hand: "c")["result"]["luck_adjusted"]["hands"] == 0
