"""Matches that visitors watch."""

import numpy as np
import pytest

pytest.importorskip("starlette")

from cfr.cli.commands.serve import _players
from cfr.cli.main import main
from cfr.game.betting_round import ACTIONS
from cfr.game.cards import parse_cards
from cfr.game.evaluate import category, evaluate
from cfr.game.hand import Deal, HandRecord
from cfr.play.aivat import Aivat
from cfr.play.match_result import MatchResult
from cfr.play.players import RandomPlayer
from cfr.play.strategy_player import StrategyPlayer
from cfr.strategy.built_in import BuiltIn
from cfr.system.errors import CfrError
from cfr.web.watch.watched import WatchedMatches
from tests.web.clients import BETTING, HULHE, clients

HANDS = 30
LETTERS = {"fold": "f", "check": "c", "call": "c", "bet": "r", "raise": "r"}


class Own:
    """A player of somebody's own, who raises with an ace and else calls; it breaks on trips."""

    name = "own"

    def act(self, state, hand, board, rng):
        if len({card // 4 for card in hand}) == 1 and hand[0] // 4 in {card // 4 for card in board}:
            raise CfrError("player own: no idea")
        return "r" if max(hand) >= 48 and "r" in state.legal else "c"


def players():
    return [StrategyPlayer(BuiltIn(name), name) for name in ("uniform", "call-raise")] + [RandomPlayer(), Own()]


@pytest.fixture
def make(tmp_path):
    yield from clients(tmp_path)


@pytest.fixture
def ask(make):
    client = make(watched=WatchedMatches(BETTING, players(), seed=7))

    def ask(number, first=0, second=1):
        return client.get("/api/watch/hand", params={"first": first, "second": second, "number": number})

    ask.client = client
    return ask


def record(hand):
    """The hand as the rules see it, from what a visitor is shown, and the first player's seat."""
    seat = HULHE.button if hand["button"] == 0 else 1 - HULHE.button
    hands = [parse_cards(cards) for cards in hand["cards"]]
    line = ""
    for step in hand["steps"]:
        assert step["letter"] == LETTERS[step["word"]]
        assert BETTING.parse(step["line"]).line_string == BETTING.parse(line).line_string
        line = BETTING.parse(line).act(step["letter"]).line_string
    board = parse_cards(hand["board"])
    full = board + tuple(card for card in range(52) if card not in {*board, *hands[0], *hands[1]})[: 5 - len(board)]
    return HandRecord.of(Deal((hands[seat], hands[1 - seat]), full), BETTING.parse(line)), seat


@pytest.mark.thorough
def test_hands_follow_the_rules_and_their_players(ask):
    chips, adjusted, aivat = [], [], Aivat(HULHE, players()[:2])
    for number in range(1, HANDS + 1):
        hand = ask(number).json()
        assert (hand["number"], hand["players"], hand["button"]) == (
            number,
            ["uniform", "call-raise"],
            (number + 1) % 2,
        )
        played, seat = record(hand)
        state = BETTING.root
        for step in hand["steps"]:
            who = 0 if state.actor == seat else 1
            assert (step["who"], step["pot"], step["line"]) == (who, sum(state.stakes), state.line_string)
            entered = BETTING.stakes[state.round][state.line]
            assert step["in_front"] == [state.stakes[seat] - entered, state.stakes[1 - seat] - entered]
            shares = BuiltIn(("uniform", "call-raise")[who]).mix(state.legal)
            assert [(each["letter"], each["share"]) for each in step["mix"]] == [
                (letter, shares[ACTIONS.index(letter)]) for letter in state.legal
            ]
            state = state.act(step["letter"])
        assert state.is_over
        assert hand["pot"] == sum(state.stakes)
        if state.at_showdown:
            assert hand["folded"] is None
            held = [[*parse_cards(cards), *parse_cards(hand["board"])] for cards in hand["cards"]]
            assert hand["made"] == [category(int(each)) for each in evaluate(held)]
            assert hand["chips"] == played.chips[seat]
        else:
            assert hand["folded"] == (0 if state.folded == seat else 1)
            assert hand["made"] is None
        chips.append(hand["chips"])
        adjusted.append(aivat(played, seat))
        result = hand["result"]
        assert (result["hands"], result["chips"]) == (number, sum(chips))
    expected = MatchResult.of(np.array(chips), HULHE, adjusted=np.array(adjusted))
    assert result["bb_per_100"] == pytest.approx(expected.mbb_per_game / 10)
    assert result["interval_95"] == pytest.approx(expected.interval_95 / 10)
    assert result["luck_adjusted"]["hands"] == HANDS
    assert result["luck_adjusted"]["bb_per_100"] == pytest.approx(expected.aivat_mbb_per_game / 10)
    assert result["luck_adjusted"]["interval_95"] == pytest.approx(expected.aivat_interval_95 / 10)


@pytest.mark.thorough
def test_everybody_sees_the_same_match(ask, make):
    shown = [ask(number).json() for number in (1, 2, 3, 1, 2)]
    assert shown[:2] == shown[3:]
    other = make(watched=WatchedMatches(BETTING, players(), seed=7), file="other")
    same = [other.get(f"/api/watch/hand?first=0&second=1&number={number}").json() for number in (1, 2, 3)]
    assert same == shown[:3]
    unseeded = [WatchedMatches(BETTING, players()).hand(0, 1, 1)["cards"] for _ in range(2)]
    assert unseeded[0] != unseeded[1]


def test_nobody_knows_the_mix_of_somebodys_own_player(ask):
    hand = ask(1, 3, 2).json()
    assert {step["who"] for step in hand["steps"] if step["mix"] is None} == {0}
    assert {step["who"] for step in hand["steps"] if step["mix"] is not None} <= {1}
    assert hand["result"]["luck_adjusted"]["hands"] == 1  # by what is known of the other
    hand = ask(1, 3, 3).json()
    assert hand["result"]["luck_adjusted"]["hands"] == 0


def test_a_player_that_fails_is_one_line(ask):
    refused = next(answer for number in range(1, 2000) if (answer := ask(number, 3, 3)).status_code != 200)
    assert (refused.status_code, refused.json()) == (400, {"error": "player own: no idea"})


def test_the_players(ask, make):
    assert ask.client.get("/api/watch").json() == {
        "players": ["uniform", "call-raise", "random", "own"],
        "hands": 10_000,
    }
    assert ask.client.get("/api/game").json()["watches"] is True
    without = make(file="without")
    assert without.get("/api/game").json()["watches"] is False
    assert without.get("/api/watch").status_code == 404


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((3, 0, 1), "hand 3 was not played yet; the next one is 1"),
        ((0, 0, 1), "number '0'; expected a number from 1 to 10,000"),
        (("10001", 0, 1), "number '10001'; expected a number from 1 to 10,000"),
        ((1, 0, 4), "second '4'; expected a number from 0 to 3"),
        ((1, "x", 1), "first 'x'; expected a number from 0 to 3"),
        ((1, "\u0661", 1), "first '\u0661'; expected a number from 0 to 3"),
    ],
)
def test_bad_questions(ask, asked, said):
    answer = ask(*asked)
    assert (answer.status_code, answer.json()) == (400, {"error": said})


def test_simple_players_are_offered_once():
    players = _players(BuiltIn("uniform"), "uniform", ["always-call"])
    assert [each.name for each in players] == ["uniform", "always-call", "always-raise", "call-raise"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("acpc:1234", "--watch acpc:1234: a player at a port plays one match; expected another player"),
        ("nobody.h5", "nobody.h5"),
        ("tests.web.watch.test_watch:Nobody", "no 'Nobody' in 'tests.web.watch.test_watch'"),
    ],
)
def test_players_that_are_none(name, said, tmp_path, capsys):
    code = main(["serve", "uniform", "--port", "0", "--sessions", str(tmp_path / "s"), "--watch", name])
    assert code == 2
    assert said in capsys.readouterr().err
