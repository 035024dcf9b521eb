"""Hands and matches: legal actions, chips that add up, and payouts that PokerKit agrees with."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from cfr.cli.main import main
from cfr.formats.acpc import state_line
from cfr.formats.collection import Collection, gathered
from cfr.formats.skipped import Omissions
from cfr.game.betting import BettingTree, action_word
from cfr.game.cards import parse_cards
from cfr.game.hand import Deal, deal_hand, showdown_winner
from cfr.game.rules import GAME_NAMES, Game
from cfr.play import match as match_module
from cfr.play.hand import play_hand
from cfr.play.match import match
from cfr.play.named_players import make_players
from cfr.play.players import RandomPlayer
from cfr.play.strategy_player import StrategyPlayer
from cfr.play.table import HANDS_AT_A_TIME
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.bundled import default_path
from cfr.strategy.files.stored import Strategy
from cfr.system.errors import BadInputError, CfrError, IllegalActionError
from tests.thorough import thorough

HULHE = Game.bundled("hulhe")


class Illegal:
    name = "illegal"

    def act(self, state, hand, board, rng):
        return "f" if "f" not in state.legal else "x"


class Raiser:
    """Somebody's player, by ``module:Class``: raises unless that is too dear, or sometimes."""

    def __init__(self, game):
        self.most = game.max_stake // 2

    def act(self, state, hand, board, rng):
        assert len(board) == state.num_board_cards
        return "r" if "r" in state.legal and max(state.stakes) < self.most and rng.random() < 0.9 else "c"


class Nobody:
    def __init__(self, game):
        pass


class Broken(Raiser):
    def act(self, state, hand, board, rng):
        raise RuntimeError("no idea")


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
    assert match(*same, 400, seed=3, duplicate=True).mbb_per_game == 0
    with pytest.raises(BadInputError, match="even number"):
        match(*same, 3, duplicate=True)


def test_a_seed_fixes_a_match():
    results = [match(RandomPlayer(), RandomPlayer(), 200, seed=9) for _ in range(2)]
    assert results[0] == results[1]
    assert "95 % interval" in str(results[0])


def test_players_by_name(leduc_file):
    game, players = make_players(["random", str(leduc_file)])
    assert game.name == "leduc"
    assert players[0].name == "random"
    assert match(*players, 100, seed=1).hands == 100


def test_words():
    betting = BettingTree(HULHE)
    words = {
        line: [action_word(a, betting.parse(line)) for a in betting.parse(line).legal] for line in ("", "c", "cc/")
    }
    assert words == {"": ["fold", "call", "raise"], "c": ["check", "raise"], "cc/": ["check", "bet"]}


def test_the_same_hands_at_any_number_of_processes(leduc_file, tmp_path):
    names, hands = (str(leduc_file), "tests.play.test_match:Raiser"), 2 * HANDS_AT_A_TIME + 2
    logs = [tmp_path / f"{processes}.log" for processes in (1, 2)]
    results = [
        match(*names, hands, seed=4, duplicate=True, log=log, processes=processes)
        for processes, log in enumerate(logs, 1)
    ]
    assert results[0] == results[1]
    assert logs[0].read_text() == logs[1].read_text()
    lines = logs[0].read_text().splitlines()
    assert len(lines) == hands + 1
    assert lines[0].split(":")[3].split("/")[0] == lines[1].split(":")[3].split("/")[0]
    assert match(*names, hands, seed=5, duplicate=True) != results[0]


def test_the_keys_of_its_json(capsys):
    assert main(["match", "random", "uniform", "--hands", "1", "--json"]) == 0
    keys = ["hands", "mbb_per_game", "interval_95", "aivat_mbb_per_game", "aivat_interval_95"]
    assert list(json.loads(capsys.readouterr().out)) == keys


def test_a_hand_does_not_depend_on_those_before_it(tmp_path):
    logs = [tmp_path / f"{hands}.log" for hands in (3, 9)]
    for log, hands in zip(logs, (3, 9), strict=True):
        match("random", "uniform", hands, seed=1, log=log)
    short, long = (log.read_text().splitlines() for log in logs)
    assert short[:3] == long[:3]
    assert len({line.split(":")[3] for line in long[:9]}) == 9


def test_a_seed_is_drawn_where_none_is_asked_for():
    results = {match("random", "random", 50).mbb_per_game for _ in range(4)}
    assert len(results) > 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no_such_module:Bot", "No module named 'no_such_module'; expected module:Class"),
        ("tests.play.test_match:Absent", "no 'Absent' in 'tests.play.test_match'"),
        (":Bot", "expected module:Class"),
        ("tests.play.test_match:Illegal", ":Illegal, after '.*': 'x' is illegal"),
        ("tests.play.test_match:Nobody", r"has no method act\(state, hand, board, rng\)"),
        ("tests.play.test_match:Broken", r"after '.*': RuntimeError: no idea \(test_match.py, line \d+\)"),
    ],
)
def test_classes_that_are_no_players(name, message, capsys):
    with pytest.raises(CfrError, match=message):
        match(name, "random", 2, seed=0)
    assert main(["match", name, "random", "--hands", "2"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("processes", [1, *thorough(2)])
def test_ctrl_c_ends_a_match(processes, tmp_path):
    log = tmp_path / "match.log"
    words = ["match", "uniform", "random", "--hands", "10000000", "--no-aivat", "--log", str(log)]
    words += ["--processes", str(processes)]
    running = subprocess.Popen(
        [sys.executable, "-m", "cfr", *words], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 60
    while not (log.exists() and log.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)  # as the terminal does: every process gets it
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert err.startswith("cfr: stopped after ")
    assert err.count("\n") == 1
    lines = log.read_text().splitlines()
    assert lines[-1].startswith("SCORE:")
    assert all(line.startswith("STATE:") for line in lines[:-1])


def test_a_bar_stands_from_the_start_and_says_what_is_prepared(monkeypatch, capsys):
    shown = []

    def look_before(owner, name):
        own = getattr(owner, name)
        look = lambda *arguments: (shown.append(capsys.readouterr().err), own(*arguments))[1]  # noqa: E731
        monkeypatch.setattr(owner, name, look)

    look_before(match_module, "make_players")
    look_before(Strategy, "hold_tables")
    monkeypatch.setattr(Strategy, "hold_rows", lambda *_: shown.append(capsys.readouterr().err))
    monkeypatch.setattr(match_module, "MANY", 20)
    monkeypatch.setattr(match_module, "LONG", 20)
    assert main(["match", "small", "always-call", "--hands", "20", "--seed", "1", "--progress"]) == 0
    for said, what in zip(
        shown, ("opening the players", "reading tables", "placing hands on all flops and turns"), strict=True
    ):
        assert f"match, {what}:   0%|" in said.split("\r")[-1]
        assert "| 0/20 [" in said
    err = capsys.readouterr().err
    assert "match, playing the first hands:   0%|" in err
    assert err.rsplit("\r", 1)[-1].startswith("match: 100%|")


def test_ctrl_c_while_tables_are_made_says_the_hands_too(monkeypatch, capsys):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("cfr.strategy.files.stored.Strategy.hold_tables", stopped)
    assert main(["match", "small", "always-call", "--hands", "2000000", "--progress"]) == 130
    bar, _, ends = capsys.readouterr().err.rpartition("\r")
    assert "match, reading tables:   0%|" in bar
    assert ends == "cfr: stopped after 0 of 2,000,000 hands\n"  # no bar stays


def test_a_log_is_not_lost(tmp_path):
    log = tmp_path / "match.log"
    match("uniform", "random", 3, seed=1, log=log)
    before = log.read_text()
    with pytest.raises(BadInputError, match=r"match\.log: hands are there .* say resume=True, overwrite=True or"):
        match("uniform", "random", 2, seed=2, log=log)
    assert log.read_text() == before
    match("uniform", "random", 2, seed=2, log=str(log), overwrite=True)
    assert len(log.read_text().splitlines()) == 3
    log.write_text("")
    match("uniform", "random", 2, seed=2, log=log)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hands": 0}, "hands: 0; expected at least 1"),
        ({"hands": 10**21}, "hands: more than 100,000,000, the most that a match may have"),
        ({"hands": 10**5000}, "hands: more than 100,000,000"),
        ({"processes": 0}, "processes: 0; expected at least 1"),
        ({"processes": -1}, "processes: -1; expected at least 1"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_numbers_that_cannot_be(options, message):
    with pytest.raises(BadInputError, match=message):
        match("always-call", "always-fold", **options)


@pytest.mark.thorough
def test_a_rule_that_is_re_solved_plays_in_several_processes():
    """Its name is that of no file."""
    names, royal = ("always-call+river", "always-raise"), Game.bundled("royal")
    assert match(*names, 40, game=royal, seed=1, processes=2) == match(*names, 40, game=royal, seed=1)
    [first, _] = make_players(names, royal)[1]
    assert first.strategy.re_solved_from == 3


def play_and_replay(strategy, hands: int, seed: int) -> None:
    """The bot against random legal actions; PokerKit plays each logged hand again."""
    replay = pytest.importorskip("tests.formats.test_pokerkit", reason="pokerkit is not installed").replay
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
def test_the_supplied_bot_plays_100_000_hands_by_the_rules():
    with Strategy.open(default_path()) as strategy:
        play_and_replay(strategy, 100_000, seed=5)


def test_hands_of_two_matches_are_no_copies_of_each_other(tmp_path):
    """Matches count from 0, and their cards tell them apart; the same seed plays the same hands again."""
    logs = [tmp_path / f"{name}.log" for name in "abc"]
    folder, raiser = StrategyPlayer(BuiltIn("always-fold"), "one"), StrategyPlayer(BuiltIn("always-raise"), "two")
    for seed, log in zip((1, 2, 2), logs, strict=True):
        match(folder, raiser, 500, seed=seed, log=log)
    omissions = Omissions()
    read = Collection(logs).read(BettingTree(Game.bundled("hulhe")), omissions)
    assert len(gathered(read, omissions)) == 1_000
    assert omissions.copies == 500
