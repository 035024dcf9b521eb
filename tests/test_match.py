"""Hands and matches: legal actions, chips that add up, and payouts that PokerKit agrees with."""

import random

import pytest

from cfr.acpc_text import state_line
from cfr.betting import BettingTree
from cfr.cards import parse_cards
from cfr.errors import IllegalActionError, UnknownSpotError
from cfr.game import GAME_NAMES, Game
from cfr.match import Deal, deal_hand, match, play_hand, showdown_winner
from cfr.players import RandomPlayer, StrategyPlayer, action_word, make_players, seat_name
from cfr.strategy import BuiltIn, Strategy, default_path

HULHE = Game.bundled("hulhe")


class Illegal:
    name = "illegal"

    def act(self, state, hand, board, rng):
        return "f" if "f" not in state.legal else "x"


@pytest.mark.parametrize("name", GAME_NAMES)
def test_random_players_play_every_game(name):
    game, rng = Game.bundled(name), random.Random(1)
    betting = BettingTree(game)
    for _ in range(200):
        record = play_hand(betting, deal_hand(game, rng), [RandomPlayer(), RandomPlayer()], rng)
        assert sum(record.chips) == 0
        assert max(map(abs, record.chips)) <= max(record.state.stakes)


def test_illegal_actions_are_refused():
    rng = random.Random(1)
    with pytest.raises(IllegalActionError, match="illegal, after ''"):
        play_hand(BettingTree(HULHE), deal_hand(HULHE, rng), [Illegal(), Illegal()], rng)


def test_a_known_hand_and_its_log_line():
    deal = Deal((parse_cards("AsAh"), parse_cards("KsKh")), parse_cards("2c7d9hJs3c"))
    call = StrategyPlayer(BuiltIn("always-call"), "caller")
    bet = StrategyPlayer(BuiltIn("always-raise"), "raiser")
    record = play_hand(BettingTree(HULHE), deal, [call, bet], random.Random(0))
    assert record.chips == (70, -70)
    assert state_line(record, 3, ["caller", "raiser"]) == (
        "STATE:3:rc/crc/crc/crc:AsAh|KsKh/2c7d9h/Js/3c:70|-70:caller|raiser"
    )


def test_duplicate_matches_cancel_the_cards():
    same = [StrategyPlayer(BuiltIn("always-call"), name) for name in "ab"]
    assert match(HULHE, *same, 400, seed=3, duplicate=True).mbb_per_game == 0
    with pytest.raises(UnknownSpotError, match="even number"):
        match(HULHE, *same, 3, duplicate=True)


def test_a_seed_fixes_a_match():
    results = [match(HULHE, RandomPlayer(), RandomPlayer(), 200, seed=9) for _ in range(2)]
    assert results[0] == results[1]
    assert "95 % interval" in str(results[0])


def test_players_by_name(leduc_file):
    game, players = make_players(["random", str(leduc_file)])
    assert game.name == "leduc"
    assert players[0].name == "random"
    assert match(game, *players, 100, seed=1).hands == 100


def test_words():
    betting = BettingTree(HULHE)
    assert (seat_name(1, 1), seat_name(0, 1)) == ("button", "big blind")
    words = {
        line: [action_word(a, betting.parse(line)) for a in betting.parse(line).legal] for line in ("", "c", "cc/")
    }
    assert words == {"": ["fold", "call", "raise"], "c": ["check", "raise"], "cc/": ["check", "bet"]}


def play_and_replay(strategy, hands: int, seed: int) -> None:
    """The bot against random legal actions; PokerKit plays each logged hand again."""
    replay = pytest.importorskip("tests.test_pokerkit", reason="pokerkit is not installed").replay
    rng = random.Random(seed)
    players = [StrategyPlayer(strategy, "bot"), RandomPlayer()]
    total = [0, 0]
    for number in range(hands):
        seats = players if number % 2 == 0 else players[::-1]
        record = play_hand(strategy.betting, deal_hand(HULHE, rng), seats, rng)
        for seat in (0, 1):
            total[(seat + number) % 2] += record.chips[seat]
        logged = state_line(record, number, [player.name for player in seats])
        _, _, line, cards, chips, _ = logged.split(":")
        hole, *board = cards.split("/")
        deal = Deal(tuple(parse_cards(hand) for hand in hole.split("|")), record.deal.board)
        assert (
            parse_cards("".join(board))
            == record.deal.board[: 5 if record.state.at_showdown else len("".join(board)) // 2]
        )
        actions = iter(line.replace("/", ""))
        ours, theirs = replay(deal, lambda state: next(actions))  # noqa: B023
        assert ours == theirs == tuple(map(int, chips.split("|"))) == record.chips
        assert showdown_winner(record.state, deal) == showdown_winner(record.state, record.deal)
    assert sum(total) == 0


def test_the_bot_plays_by_the_rules(hulhe_file):
    with Strategy.open(hulhe_file) as strategy:
        play_and_replay(strategy, 400, seed=4)


@pytest.mark.slow
def test_the_shipped_bot_plays_100_000_hands_by_the_rules():
    with Strategy.open(default_path()) as strategy:
        play_and_replay(strategy, 100_000, seed=5)
