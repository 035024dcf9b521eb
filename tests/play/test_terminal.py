"""Play in the terminal, with somebody who types."""

import random
import re
import shlex
from io import StringIO

import pytest
from scipy import stats

from cfr.cli.main import main
from cfr.formats.collection import Collection, gathered
from cfr.formats.skipped import Omissions
from cfr.game.betting import BettingTree
from cfr.game.cards import parse_cards
from cfr.game.hand import Deal, showdown_winner
from cfr.game.rules import Game
from cfr.play.strategy_player import StrategyPlayer
from cfr.play.terminal import HELP, play, summary
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.stored import open_strategy
from cfr.system.errors import SaveError

HULHE = Game.bundled("hulhe")


class Typist:
    """Types what it was told, then the end of input; keeps what it saw."""

    def __init__(self, *answers, then=None):
        self.answers = list(answers)
        self.then = then
        self.seen = []
        self.asked = []

    def ask(self, prompt):
        self.asked.append(prompt)
        if self.answers:
            return self.answers.pop(0)
        if self.then is None:
            raise EOFError
        return self.then(prompt)

    def say(self, text):
        self.seen.append(text)

    def play(self, strategy, **options):
        return play(strategy, ask=self.ask, say=self.say, **options)

    @property
    def text(self):
        return "\n".join(self.seen)


def test_a_hand_to_the_showdown_and_its_log(tmp_path):
    log = tmp_path / "log"
    typist = Typist(then=lambda prompt: "c")
    won = typist.play(BuiltIn("always-call"), hands=2, seed=1, log=log)
    assert won == typist.play(BuiltIn("always-call"), hands=2, seed=1, log=log)
    lines = log.read_text().splitlines()
    assert len(lines) == 6
    # The same session again, but its hands are other hands: their numbers go on.
    assert [line.replace("STATE:0:", "STATE:2:").replace("STATE:1:", "STATE:3:") for line in lines[:3]] == lines[3:]
    assert lines[2] == f"SCORE:{sum(won)}|{-sum(won)}:you|bot"
    pattern = r"STATE:(\d+):cc/cc/cc/cc:(\w{4})\|(\w{4})((?:/\w+){3}):(-?\d+)\|(-?\d+):(\w+)\|(\w+)"
    for number, line in enumerate(lines[:2]):
        match = re.fullmatch(pattern, line)
        assert match is not None
        assert int(match[1]) == number
        # Alternating seats, the button first; ACPC position 0 is the big blind.
        assert (match[7], match[8]) == (("bot", "you") if number == 0 else ("you", "bot"))
        chips = (int(match[5]), int(match[6]))
        assert chips[1 - number] == won[number]
        deal = Deal((parse_cards(match[2]), parse_cards(match[3])), parse_cards(match[4].replace("/", "")))
        state = BettingTree(HULHE).parse("cc/cc/cc/cc")
        assert chips == state.payoff(showdown_winner(state, deal))
    assert "hand 1: you are the button" in typist.text
    assert "hand 2: you are the big blind" in typist.text
    assert "the bot checks on" in typist.text
    assert "showdown on" in typist.text


@pytest.mark.parametrize(("seat", "name"), [("button", "button"), ("bb", "big blind")])
def test_the_seat_can_be_chosen(seat, name):
    typist = Typist(then=lambda prompt: "f" if "fold" in prompt else "c")
    typist.play(BuiltIn("always-raise"), seat=seat, hands=3, seed=2)
    assert typist.text.count(f"you are the {name}") == 3


def test_only_keys_that_are_legal_are_offered():
    typist = Typist("?", "c", "f", "b", "quit")
    typist.play(BuiltIn("always-call"), seat="button", seed=2)
    before, refused = (text for text in typist.seen if "shows the strategy" in text and "hulhe" not in text)
    assert before.startswith("  f folds, c calls, r (or b) raises, words")
    assert refused.startswith("  'f' cannot be done here; c (or k) checks, r (or b) bets, words")


def test_words_help_and_hints():
    typist = Typist("what", "h", "?", "CALL", "bet", "r", "quit")
    won = typist.play(BuiltIn("uniform"), seat="button", seed=2)
    assert won == []
    assert "'what' cannot be done here" in typist.text
    assert "the strategy would fold 33.3 %, call 33.3 %, raise 33.3 %" in typist.text
    assert typist.seen[0] == f"hulhe: {HELP}"
    hint = "words do, too; h shows the strategy's frequencies, ? this, q quits"
    assert f"  f folds, c calls, r (or b) raises, {hint}" in typist.seen
    assert "no hand was finished" in typist.text
    assert typist.answers == []


def test_a_hint_says_where_little_was_learnt():
    """The supplied strategy never limps."""
    for first, is_learnt in (("r", True), ("c", False)):
        typist = Typist(first, "h", "q")
        with open_strategy() as strategy:
            typist.play(strategy, seat="button", seed=7)
        hint = next(line for line in typist.seen if "the strategy would" in line)
        assert hint.endswith("so it learned little about it") != is_learnt


def test_actions_are_called_what_they_are():
    typist = Typist("call", "check", "q")
    typist.play(BuiltIn("always-call"), seat="button", seed=2)
    assert "f fold, c call 5, r raise to 20" in typist.asked[0]
    assert "c check, r bet 10" in typist.asked[1]
    assert "pot 15 (1.5 bb), 5 to call" in typist.text
    assert "pot 20" in typist.text


def test_amounts_are_of_the_round():
    typist = Typist("c", "r", "c", "c", "r", "q")
    typist.play(BuiltIn("always-raise"), seat="bb", seed=2)
    assert [prompt.strip(" >") for prompt in typist.asked] == [
        "f fold, c call 10, r raise to 30",
        "c check, r bet 10",
        "f fold, c call 10, r raise to 30",
        "c check, r bet 20",
        "f fold, c call 20, r raise to 40",
        "f fold, c call 20, r raise to 80",
    ]
    told = [line.split(" on ")[0].strip() for line in typist.seen if "the bot" in line]
    assert told == ["the bot raises to 20", "the bot raises to 20", "the bot bets 20", "the bot raises to 60"]


@pytest.mark.parametrize("stop", [EOFError, KeyboardInterrupt])
def test_leaving_shows_the_result(stop):
    def leave(prompt):
        raise stop

    typist = Typist("f", then=leave)
    assert typist.play(BuiltIn("always-raise"), seat="button", seed=2) == [-5]
    assert typist.seen[-1] == "\nresult: -5 chips in 1 hand"


def test_ctrl_c_while_the_bot_thinks_shows_the_result(monkeypatch, tmp_path, capsys):
    """As at the prompt; the bot is stopped in its second hand."""
    act, asked = StrategyPlayer.act, []

    def stopped(*spot):
        asked.append(spot)
        if len(asked) > 1:
            raise KeyboardInterrupt
        return act(*spot)

    monkeypatch.setattr(StrategyPlayer, "act", stopped)
    monkeypatch.setattr("sys.stdin", StringIO("f\n"))
    assert main(["play", "always-raise", "--seat", "bb", "--seed", "2", "--log", str(tmp_path / "x.log")]) == 0
    log = tmp_path / "x.log"
    command = f"cfr review {log} --strategy always-raise --player you"
    assert capsys.readouterr().out.endswith(
        f"\nresult: -10 chips in 1 hand\nwrote {log}; what each decision lost: {command}\n"
    )
    assert main(shlex.split(command)[1:]) == 0
    assert "\nyou: -10 chips (-1 bb) in 1 hand\n" in capsys.readouterr().out
    assert len((tmp_path / "x.log").read_text().splitlines()) == 2


def test_the_summary_has_the_units():
    won = [20, -10, 5]
    interval = stats.t.ppf(0.975, 2) * stats.sem(won) * 100 / HULHE.big_blind
    assert summary(HULHE, won) == (
        f"result: +15 chips in 3 hands, +50.0 big blinds per 100 hands, 95 % interval +- {interval:.1f}"
    )


def test_a_log_that_cannot_be_written_stops_before_the_first_card(tmp_path):
    typist = Typist()
    with pytest.raises(SaveError, match=r"cannot write .*/no/log: there is no folder .*/no$"):
        typist.play(BuiltIn("uniform"), log=tmp_path / "no" / "log")
    assert typist.seen == []


@pytest.mark.parametrize("game", ["kuhn", "leduc", "rhode-island", "royal"])
def test_other_games(game):
    rng = random.Random(3)
    strategy = BuiltIn("uniform", Game.bundled(game))
    typist = Typist(then=lambda prompt: rng.choice("fcr"))
    assert len(typist.play(strategy, hands=20, seed=3)) == 20


def test_without_a_seed_the_system_deals():
    games = [Typist(then=lambda prompt: "c") for _ in range(2)]
    for typist in games:
        typist.play(BuiltIn("always-call"), hands=2)
    assert games[0].seen != games[1].seen


def test_hands_that_all_ended_alike_have_no_interval():
    said = "result: +10 chips in 2 hands, +50.0 big blinds per 100 hands, too few hands for a 95 % interval"
    assert summary(HULHE, [5, 5]) == said


@pytest.mark.parametrize("suffix", [".log", ".phhs", ".txt"])
def test_sessions_have_other_numbers_so_that_a_review_counts_them_all(tmp_path, monkeypatch, suffix):
    """Two sessions in one file, the same cards again, and one more in another file: no hand is a copy."""
    if suffix == ".phhs":
        pytest.importorskip("pokerkit")
    clock = iter(range(1_800_000_000, 1_900_000_000, 100))
    monkeypatch.setattr("cfr.play.terminal.time.time", lambda: next(clock))
    one, other, bot = tmp_path / f"one{suffix}", tmp_path / f"other{suffix}", BuiltIn("always-call")
    for seed, log in ((1, one), (1, one), (None, one), (None, other)):
        Typist(then=lambda prompt: "c").play(bot, hands=3, seed=seed, log=log)
    read = list(Collection([one, other]).read(bot.betting, Omissions()))
    assert len(read) == 12
    assert len({hand.number for _, hand in read}) == 12
    omissions = Omissions()
    assert len(gathered(iter(read), omissions)) == 12
    assert not omissions.copies
    assert not omissions.skipped
