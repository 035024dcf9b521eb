"""Reviews: each decision has the mix that a query gives, and the summaries add up."""

import itertools
import json
import os
import random
import signal
import time
from pathlib import Path

import pytest

import cfr.study.reviews.losses
from cfr.cli.main import main
from cfr.formats.logs import HandLog, read_log
from cfr.game.betting import BettingTree
from cfr.game.hand import deal_hand
from cfr.game.rules import Game
from cfr.opponents.winnings import Winnings
from cfr.play.hand import play_hand
from cfr.play.match import match
from cfr.play.players import RandomPlayer
from cfr.play.strategy_player import StrategyPlayer
from cfr.strategy.built_in import BuiltIn
from cfr.study.reviews.review import review
from tests.formats.test_pokerstars import HAND

HULHE = Game.bundled("hulhe")
NOTHING = {"count": 0, "reasons": {}, "hands": [], "copies": 0, "other_blinds": 0}
NOTHING_LOST = {"decisions": 1, "ev_decisions": 0, "mistakes": 0, "ev_lost_mbb": None}


def test_a_known_hand(tmp_path, capsys):
    log = tmp_path / "x.log"
    log.write_text("STATE:7:rc/cf:AsAh|KsKh/2c7d9h:-20|20:ann|bob\n".replace("cf", "crf"))
    assert main(["review", str(log), "--strategy", "uniform", "--no-ev"]) == 0
    third = "fold 0.333  call 0.333  raise 0.333"
    assert capsys.readouterr().out.splitlines() == [
        f"hand 7  bob  KsKh  -  -  {third}  did raise 0.333  EV lost -",
        f"hand 7  ann  AsAh  -  r  {third}  did call 0.333  EV lost -",
        "hand 7  ann  AsAh  2c7d9h  rc/  check 0.500  bet 0.500  did check 0.500  EV lost -",
        "hand 7  bob  KsKh  2c7d9h  rc/c  check 0.500  bet 0.500  did bet 0.500  EV lost -",
        f"hand 7  ann  AsAh  2c7d9h  rc/cr  {third}  did fold 0.333  EV lost -",
        "ann: -20 chips (-2 bb) in 1 hand",
        "  3 decisions; mean probability by the strategy 0.389; 100.0 % are its likeliest action, 0 what it never does",
        "  fold 33.3 % (strategy 22.2 %), check/call 66.7 % (strategy 38.9 %), bet/raise 0.0 % (strategy 38.9 %)",
        "  VPIP 100.0 % (strategy 66.7 %), PFR 0.0 % (strategy 33.3 %), aggression 0.0 % (strategy 55.6 %)",
        "bob: +20 chips (+2 bb) in 1 hand",
        "  2 decisions; mean probability by the strategy 0.417; 100.0 % are its likeliest action, 0 what it never does",
        "  fold 0.0 % (strategy 16.7 %), check/call 0.0 % (strategy 41.7 %), bet/raise 100.0 % (strategy 41.7 %)",
        "  VPIP 100.0 % (strategy 66.7 %), PFR 100.0 % (strategy 33.3 %), aggression 100.0 % (strategy 100.0 %)",
    ]


def test_json(tmp_path, capsys):
    log = tmp_path / "x.log"
    log.write_text("STATE:7:rf:AsAh|KsKh:-10|10:ann|bob\n")
    assert main(["review", str(log), "--strategy", "always-call", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "hands": 1,
        "players": [
            {
                "player": name,
                "hands": 1,
                "mbb_per_game": won,
                "interval_95": None,
                "rake_chips": 0,
                "net_mbb_per_game": won,
                "luck_adjusted": {"hands": 0, "mbb_per_game": None, "interval_95": None},
                "decisions": 1,
                "unseen": 0,
                "mean_probability": 0.0,
                "likeliest": 0,
                "never": 1,
                "done": {"fold": int(name == "ann"), "call": 0, "raise": int(name == "bob")},
                "expected": {"fold": 0.0, "call": 1.0, "raise": 0.0},
                "hands_seen": 1,
                "ev_decisions": 0,
                "ev_lost_mbb": None,
                "ev_lost_mbb_per_decision": None,
                "ev_lost_mbb_per_hand": None,
                "ev_lost_big_blinds_per_100_hands": None,
                "tendencies": {
                    "vpip": {"player": float(name == "bob"), "strategy": 1.0},
                    "pfr": {"player": float(name == "bob"), "strategy": 0.0},
                    "aggression": {"player": None, "strategy": None},
                },
                "by_round": {"preflop": NOTHING_LOST},
                "by_kind": {"fold-call-raise": NOTHING_LOST},
            }
            for name, won in (("ann", -1000.0), ("bob", 1000.0))
        ],
        "decisions": [
            {
                "number": 7,
                "player": player,
                "seat": seat,
                "hand": hand,
                "board": "",
                "line": line,
                "round": "preflop",
                "kind": "fold-call-raise",
                "fold": 0.0,
                "call": 1.0,
                "raise": 0.0,
                "action": action,
                "probability": 0.0,
                "ev_lost_mbb": None,
                "mistake": False,
                "stand_in": None,
            }
            for player, seat, hand, line, action in (
                ("bob", "button", "KsKh", "", "raise"),
                ("ann", "big blind", "AsAh", "r", "fold"),
            )
        ],
        "skipped": NOTHING,
    }


def test_the_mix_is_that_of_a_query(leduc, tmp_path):
    """And a player that follows the strategy does what it says, as often as it says."""
    log = tmp_path / "x.log"
    result = match(StrategyPlayer(leduc, "self"), RandomPlayer(), 500, seed=3, log=log)
    found = review(log, leduc)
    assert found.hands == 500
    for each in found.decisions[:200]:
        named = each.to_dict()
        expected = leduc.probabilities(each.hand, each.board, each.state.line_string)
        assert {name: named[name] for name in ("fold", "call", "raise") if name in named} == expected
        assert named["probability"] == expected[named["action"]] == each.probability
    own, other = found.players
    assert (own.player, other.player) == ("self", "random")
    assert own.decisions + other.decisions == len(found.decisions)
    assert own.to_dict(leduc.game.big_blind)["mbb_per_game"] == pytest.approx(result.mbb_per_game)
    assert own.chips == [-each for each in other.chips]
    assert own.never == 0
    assert other.never > 0
    for player in (own, other):
        assert sum(player.done) == pytest.approx(sum(player.expected)) == player.decisions
    # Three standard deviations of a sum of Bernoulli variables, each of a variance of at most 1/4.
    tolerance = 3 * (own.decisions / 4) ** 0.5
    assert own.done == pytest.approx(own.expected, abs=tolerance)
    assert own.same / own.decisions > 0.7
    assert other.same / other.decisions < 0.5


def test_of_one_player(leduc, tmp_path, capsys):
    log = tmp_path / "x.log"
    match(StrategyPlayer(leduc, "self"), RandomPlayer(), 20, seed=3, log=log)
    whole, own = review(log, leduc), review(log, leduc, player="random")
    assert own.hands == whole.hands == 20
    assert own.decisions == [each for each in whole.decisions if each.player == "random"]
    assert own.players[0].adjusted == pytest.approx(whole.players[1].adjusted)
    assert own.players == whole.players[1:]
    asked = ["review", str(log), "--strategy", str(leduc.path), "--player"]
    assert main([*asked, "random", "--threads", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == own.to_dict()
    assert main([*asked, "nobody\x1b"]) == 2
    assert capsys.readouterr().err == f"cfr: {log}: there is no player 'nobody?'; it has self, random\n"


def test_tables_of_decisions(tmp_path, capsys):
    parquet = pytest.importorskip("pyarrow.parquet")
    log, out = tmp_path / "x.log", tmp_path / "x.parquet"
    log.write_text("STATE:7:rf:AsAh|KsKh:-10|10:ann|bob\n")
    assert main(["review", str(log), "--strategy", "always-call", "--out", str(out), "--json"]) == 0
    decisions = json.loads(capsys.readouterr().out)["decisions"]
    table = parquet.read_table(out).to_pylist()
    assert [(row["player"], row["action"]) for row in table] == [(each["player"], each["action"]) for each in decisions]
    assert [row["player"] for row in table] == ["bob", "ann"]


@pytest.mark.parametrize("more", [[], ["--player", "Ann"]])
def test_a_hand_whose_players_have_one_name_is_left_out(tmp_path, capsys, more):
    """It would be counted twice. The other hands, and other logs, are reviewed."""
    log, other = tmp_path / "x.log", tmp_path / "y.log"
    log.write_text("STATE:7:rf:AsAh|KsKh:-10|10:Ann|Bob\nSTATE:8:rf:AsAh|KsKh:-10|10:Ann|Ann\n")
    other.write_text("STATE:9:rf:AsAh|KsKh:-10|10:Ann|Bob\n")
    for logs, hands in (([log], 1), ([log, other], 2)):
        asked = ["review", *map(str, logs), "--strategy", "uniform", "--no-ev", "--json", *more]
        assert main(asked) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["hands"] == hands
        [skipped] = found["skipped"]["hands"]
        assert (skipped["hand"], skipped["said"]) == ("8", "both players are 'Ann'; expected two names")


def test_a_forecast_from_the_first_spots(leduc, tmp_path, monkeypatch):
    log, now, heard = tmp_path / "x.log", itertools.count(step=60), []
    log.write_text("STATE:0:rc/cc:Ah|Qs/As:3|-3:ann|bob\nSTATE:1:rc/cc:Ah|Qs/Ks:3|-3:ann|bob\n")
    monkeypatch.setattr(cfr.study.reviews.losses.time, "perf_counter", lambda: next(now))
    found = review(log, leduc, announce=heard.append)
    # The hands begin alike. The first piece of work of each round takes a minute here; a board's decisions are one.
    assert heard == [
        "8 decisions; expected values at 6 spots (2 preflop, 4 flop)",
        "about 4 minutes with 1 thread",
    ]
    assert [each.ev_lost for each in found.decisions[:2]] == [each.ev_lost for each in found.decisions[4:6]]
    heard.clear()
    review(log, BuiltIn("uniform", leduc.game), player="ann", announce=heard.append, ev=False)
    assert not heard


@pytest.fixture
def press(monkeypatch):
    """Press Ctrl-C when so many pieces of work are done, in the midst of the next."""

    def press(after):
        answers, begun = cfr.study.reviews.losses._answers, itertools.count()

        def pressing(position, hands, go_on):
            if next(begun) == after:
                os.kill(os.getpid(), signal.SIGINT)  # which the main thread hears
                while True:
                    go_on(0.5)
                    time.sleep(0.001)
            return answers(position, hands, go_on)

        monkeypatch.setattr(cfr.study.reviews.losses, "_answers", pressing)

    return press


@pytest.mark.parametrize("bar_seconds", [0, 0.02], ids=["", "slow bar"])
def test_ctrl_c_shows_the_hands_that_are_done(leduc, tmp_path, press, capsys, monkeypatch, bar_seconds):
    log = tmp_path / "x.log"
    match(StrategyPlayer(leduc, "self"), RandomPlayer(), 50, seed=3, log=log)
    whole = review(log, leduc)
    press(12)
    # The thread that computes may be ahead of the one that shows the bar and hears Ctrl-C.
    monkeypatch.setattr(cfr.study.reviews.losses._Forecast, "learn", lambda *_: time.sleep(bar_seconds))
    assert main(["review", str(log), "--strategy", str(leduc.path), "--threads", "1", "--json"]) == 130
    out, err = capsys.readouterr()
    shown = json.loads(out)
    assert 5 < shown["hands"] < 50
    assert err.endswith(f"cfr: stopped after {shown['hands']} of 50 hands\n")
    decisions = [each.to_dict() for each in whole.decisions if each.number < shown["hands"]]
    assert shown["decisions"] == decisions
    (tmp_path / "y.log").write_text("".join(log.read_text().splitlines(keepends=True)[: shown["hands"]]))
    shorter = review(tmp_path / "y.log", leduc, ev=False)
    for key in ("hands", "mbb_per_game", "decisions", "hands_seen", "mean_probability"):
        assert [each[key] for each in shown["players"]] == [
            each.to_dict(leduc.game.big_blind)[key] for each in shorter.players
        ]


def test_ctrl_c_before_a_hand_is_done_shows_nothing(leduc, tmp_path, press, capsys):
    log = tmp_path / "x.log"
    match(StrategyPlayer(leduc, "self"), RandomPlayer(), 5, seed=3, log=log)
    press(0)
    assert main(["review", str(log), "--strategy", str(leduc.path), "--threads", "1"]) == 130
    out, err = capsys.readouterr()
    assert not out
    assert err.endswith("cfr: stopped after 0 of 5 hands\n")


def test_the_bar(tmp_path, capsys):
    log = tmp_path / "x.log"
    log.write_text("STATE:0:rc/cc:Ah|Qs/As:3|-3:ann|bob\n")
    review(log, BuiltIn("uniform", Game.bundled("leduc")), progress=True)
    assert "expected values: 100%" in capsys.readouterr().err


def test_acpc_and_phh_logs_give_the_same_review(tmp_path):
    rng, tree = random.Random(4), BettingTree(HULHE)
    names = ("ann", "bob")
    logs = [tmp_path / "x.log", tmp_path / "x.phhs"]
    records = [play_hand(tree, deal_hand(HULHE, rng), [RandomPlayer(), RandomPlayer()], rng) for _ in range(100)]
    for log in logs:
        with HandLog(log, HULHE, names) as writer:
            for number, record in enumerate(records):
                writer.write(record, number % 2)
    acpc, phh = (review(log, BuiltIn("uniform"), ev=False).to_dict() for log in logs)
    for each in phh["decisions"]:
        each["number"] -= 1  # sections are counted from 1
    assert acpc == phh


def test_hidden_cards_are_left_out(tmp_path):
    log = tmp_path / "x.log"
    log.write_text(
        "STATE:0:rc/cf:AsAh|/2c7d9h:-20|20:ann|bob\nSTATE:1:cc/cc/cc/cc:AsAh|/2c7d9h/Js/3c:-10|10:ann|bob\n".replace(
            "cf", "crf"
        )
    )
    ann, bob = review(log, BuiltIn("uniform"), ev=False).players
    assert (ann.decisions, ann.unseen, ann.hands, ann.chips) == (7, 0, 2, [-20, -10])
    assert (bob.decisions, bob.unseen, bob.hands, bob.chips) == (0, 6, 2, [20, 10])
    assert bob.text(10).endswith("\n  6 decisions with cards that are not in the log")
    assert bob.to_dict(10)["mean_probability"] is None
    log.write_text("STATE:1:cc/cc/cc/cc:|/2c7d9h/Js/3c\n")  # neither cards nor chips tell who won
    big, _ = review(log, BuiltIn("uniform"), ev=False).players
    assert big.to_dict(10)["mbb_per_game"] is None
    assert big.text(10).endswith("\n  4 decisions with cards that are not in the log")


@pytest.mark.parametrize(
    ("changes", "won"),
    [
        ({}, 60),
        ({"mucked [Ah Kd]": "mucked"}, 60),  # the cards that are shown say it
        ({"mucked [Ah Kd]": "mucked", "a: b (hero) collected": "villain collected"}, -60),  # the payment says it
    ],
)
def test_a_review_and_a_model_have_one_result(tmp_path, changes, won):
    """Of a hand at whose showdown cards stay hidden, in a log with the game's own blinds."""
    text = HAND
    for before, after in changes.items():
        assert before in text
        text = text.replace(before, after)
    (tmp_path / "x.txt").write_text(text, "utf-8")
    hands = list(read_log(tmp_path / "x.txt", BettingTree(HULHE)))
    for each in review(tmp_path / "x.txt", BuiltIn("uniform"), ev=False).players:
        expected = won if each.player == "a: b (hero)" else -won
        assert each.chips == [expected]
        assert Winnings.of(hands, each.player, HULHE.big_blind).won_mbb == (1000 * expected / HULHE.big_blind,)


def test_names_from_a_file_do_not_reach_the_terminal(tmp_path, capsys):
    log = tmp_path / "x.log"
    log.write_text("STATE:0:f:AsAh|KsKh:5|-5:\x1b[2Jann|b\x07b\n")
    assert main(["review", str(log), "--strategy", "uniform"]) == 0
    out, err = capsys.readouterr()
    assert "\x1b" not in out
    assert "?[2Jann: +5 chips (+0.5 bb) in 1 hand" in out
    assert err == ""  # no spot has EVs: there is nothing to forecast


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *((n, e) for n in ("x.log", "x", "x.txt", "x.xml", "x.phhs") for e in ("", "\ufeff\r\n ")),
        ("x.log", "SCORE:0|0:a|b\n"),
        *((n, "# nothing\n\n") for n in ("x.log", "x", "x.phhs")),
    ],
)
def test_a_log_without_a_hand_is_refused(tmp_path, monkeypatch, capsys, name, text):
    if name.endswith(".phhs"):
        pytest.importorskip("pokerkit")
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(text)
    for command in (["review", "--strategy", "uniform"], ["model", "--player", "ann", "--out", "m.h5"]):
        assert main([command[0], name, *command[1:]]) == 2
        out, err = capsys.readouterr()
        found = "no hand is in it" if text.strip("\ufeff\r\n ") else "the file is empty"
        assert (out, err) == ("", f"cfr: {name}: {found}; expected hands of a match or of a card room\n")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_log_without_a_hand_among_others(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a.log").write_text("STATE:0:rf:AsAh|KsKh:-10|10:a|b\nSTATE:1:rq:AsAh|KsKh:-10|10:a|b\n")
    Path("b.log").write_text("# nothing\n")
    assert main(["review", "a.log", "b.log", "--strategy", "uniform", "--json"]) == 0
    assert [each["file"] for each in json.loads(capsys.readouterr().out)["skipped"]["hands"]] == ["a.log", "b.log"]


def test_mistakes(tmp_path, capsys, leduc_file):
    log = tmp_path / "x.log"
    log.write_text("STATE:0:rf:AsAh|KsKh:5|-5:a|b\n")
    assert main(["review", str(log), "--strategy", str(leduc_file)]) == 2
    assert capsys.readouterr().err == (f"cfr: {log}: line 1: cards 'AsAh|KsKh': 2 in position 0; expected 1 or none\n")
    assert main(["review", str(tmp_path / "no.log"), "--strategy", "uniform"]) == 2
    assert main(["review", str(tmp_path / "no.txt"), "--strategy", "uniform"]) == 2
    assert main(["review", str(tmp_path / "no.odt"), "--strategy", "uniform"]) == 2
    assert main(["review", str(log), "--strategy", str(tmp_path / "no.h5")]) == 2
    log.write_text("STATE:0:f:AsAh|KsKh:5|-5:a|b\nSTATE:\n")
    found = review(log, BuiltIn("uniform"))
    assert found.hands == 1
    assert [(each.line, each.reason) for each in found.omissions.skipped] == [(2, "not understood")]
