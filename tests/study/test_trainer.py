"""The trainer: drills deal what they filter, answers lose what a review says, mistakes come back by the rule."""

import random
from dataclasses import replace

import numpy as np
import pytest

from cfr.formats.acpc import state_line
from cfr.game.betting import BettingTree
from cfr.game.cards import format_cards, parse_cards
from cfr.game.hand import Deal, HandRecord
from cfr.game.rules import Game
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.stored import open_strategy
from cfr.strategy.mixed import Mixed
from cfr.study.reviews.mistake import OFTEN
from cfr.study.reviews.review import review
from cfr.study.spot_values import expected_values
from cfr.study.training.drill import DECISIONS, FLOPS, ROUNDS, Drill
from cfr.study.training.exercise import Exercise
from cfr.study.training.repetition import PAUSES, Answered, Repetition, repetition
from cfr.study.training.score import Score
from cfr.study.training.trainer import Trainer
from cfr.system.errors import BadInputError, IllegalActionError
from cfr.system.interval import half_width
from cfr.values.canonical_spot import canonical_spot
from cfr.values.expected_values import values_at
from tests.small_games import short_deck

HULHE = Game.bundled("hulhe")
BETTING = BettingTree(HULHE)
DEAL = Deal((tuple(parse_cards("AsKh")), tuple(parse_cards("7c7d"))), tuple(parse_cards("Td9d6h2c3s")))
ROUND_CARDS = {"preflop": 0, "flop": 3, "turn": 4, "river": 5}


@pytest.fixture(scope="module")
def small():
    with open_strategy() as strategy:
        yield strategy


def texture_of(board):
    """A plain twin of the flop classes."""
    ranks, suits = {card[0] for card in board}, {card[1] for card in board}
    return "paired" if len(ranks) < 3 else {1: "monotone", 2: "two-tone", 3: "rainbow"}[len(suits)]


DRILLS = [
    {"seat": "button"},
    {"seat": "bb"},
    *({"round": each} for each in ROUNDS[1:]),
    *({"flop": each} for each in FLOPS[1:]),
    *({"decision": each} for each in list(DECISIONS)[1:]),
    {"line": "rrc"},
    {"line": "r"},
    {"line": "rc", "round": "turn", "seat": "bb", "flop": "paired", "decision": "check-bet"},
    {"line": "rc/cr", "round": "flop", "seat": "bb", "decision": "fold-call-raise"},
    {"round": "preflop", "decision": "fold-call"},
]


@pytest.mark.parametrize("mode", ["spots", "hands"])
@pytest.mark.parametrize("asked", DRILLS, ids=str)
def test_a_drill_deals_what_it_filters(mode, asked):
    rng, uniform = random.Random(str(asked)), BuiltIn("uniform")
    wanted = {"mode": mode, "seat": "any", "round": "any", "line": "", "flop": "any", "decision": "any"} | asked
    for _ in range(20):
        deal, state = Drill.read(BETTING, **wanted).deal(uniform, rng)
        assert state.line_string.startswith(wanted["line"])
        assert "".join(letter for letter in "fcr" if letter in state.legal) in DECISIONS[wanted["decision"]]
        assert wanted["seat"] == "any" or state.actor == {"bb": 0, "button": 1}[wanted["seat"]]
        assert wanted["round"] == "any" or state.num_board_cards == ROUND_CARDS[wanted["round"]]
        flop = [format_cards([card]) for card in deal.board[:3]]
        assert wanted["flop"] == "any" or (state.round > 0 and texture_of(flop) == wanted["flop"])
        assert len({*deal.hands[0], *deal.hands[1], *deal.board}) == 9


def test_whole_hands_begin_at_the_first_decision_and_spots_anywhere():
    rng, caller = random.Random(2), BuiltIn("always-call")
    lines = {
        mode: {Drill(mode=mode, seat="bb").deal(caller, rng)[1].line_string for _ in range(60)}
        for mode in ("spots", "hands")
    }
    assert lines == {"hands": {"c"}, "spots": {"c", "cc/", "cc/cc/", "cc/cc/cc/"}}


def test_seats_and_the_strategy_s_own_play_decide_how_often_a_spot_comes():
    rng, uniform = random.Random(5), BuiltIn("uniform")
    states = [Drill(mode="hands", round="preflop").deal(uniform, rng)[1] for _ in range(600)]
    button = sum(state.actor == 1 for state in states)
    # The big blind has a decision in two hands of three.
    assert abs(button - 600 * 3 / 5) < 5 * np.sqrt(600 * 6 / 25)
    # The big blind's first decision comes after a call or a raise: each as often.
    lines = [state.line_string for state in states if state.actor == 0]
    assert set(lines) == {"c", "r"}
    assert abs(lines.count("r") - len(lines) / 2) < 5 * np.sqrt(len(lines) / 4)


def test_what_never_comes_or_is_no_drill_is_refused(small, monkeypatch):
    monkeypatch.setattr("cfr.study.training.drill.MOST_DEALS", 50)
    with pytest.raises(BadInputError, match="comes to no decision of this drill in 50 hands"):
        Drill.read(BETTING, line="limp").deal(small, random.Random(1))  # which the strategy never plays
    with pytest.raises(BadInputError, match="flop 'wet'; expected one of any, paired"):
        Drill.read(BETTING, flop="wet")
    with pytest.raises(BadInputError, match="the hand is over"):
        Drill.read(BETTING, line="f")
    with pytest.raises(BadInputError, match="leduc deals no monotone flop"):
        Drill(flop="monotone").deal(BuiltIn("uniform", Game.bundled("leduc")), random.Random(1))
    assert Drill.read(BETTING, line="raise call check bet").line == "rc/cr"
    assert Drill.read(BETTING, line="rc/").line == "rc"


# ---- what an answer loses


def spot(line, seat, number=1, **more):
    return Exercise(number, "small", seat, DEAL, line, **more)


def test_answers_lose_what_a_review_says(tmp_path):
    """To the last bit, in a game whose reviews take a second: two rounds, random play, every decision of a seat."""
    game = short_deck("two rounds", 4, 3, (0, 3), (2, 4))
    strategy, rng = BuiltIn("uniform", game), random.Random(3)
    trainer, lines, answers = Trainer(strategy, "uniform"), [], []
    for number in range(3):
        deal, state = Drill(mode="hands", seat="button").deal(strategy, rng)
        exercise = Exercise(1, "uniform", state.actor, deal, "", whole=True)
        while exercise is not None:
            letter = rng.choice(exercise.state(strategy.betting).legal.replace("f", "c"))

            def play_on(here, after):
                while not after.is_over and after.actor != here.seat:
                    after = after.act(rng.choice(after.legal.replace("f", "c")))
                return after

            answered, exercise = trainer.answer(exercise, letter, play_on)
            answers.append(answered)
        names = ["bot", "bot"]
        names[answered.seat] = "you"
        record = HandRecord.of(deal, strategy.betting.parse(answers[-1].after))
        lines.append(state_line(record, number, names))
    (tmp_path / "played.log").write_text("\n".join(lines) + "\n")
    reviewed = review(tmp_path / "played.log", strategy, player="you").decisions
    assert len(reviewed) == len(answers) > 5
    for answer, wanted in zip(answers, reviewed, strict=True):
        state = answer.state(strategy.betting)
        assert (state, answer.action, answer.mix) == (wanted.state, wanted.action, wanted.mix)
        place, _ = canonical_spot(strategy, state, wanted.dealt)
        judged = trainer.judge(answer, values_at(strategy, place, unreached=True).action_ev)
        assert judged.ev_lost == pytest.approx(wanted.ev_lost, rel=1e-9, abs=1e-9)
        assert judged.mistake == (judged.ev_lost >= 10 and wanted.probability < OFTEN)
        assert judged.decision(strategy.betting).ev_lost == judged.ev_lost
    assert len({answer.line for answer in answers}) > 3


def test_an_answer_has_the_mix_and_evs_of_the_strategy(small):
    values = expected_values(small, "Td9d6h2c", "rc/cc/r")
    hand = HULHE.hand_number(DEAL.hands[1])
    for letter in "fcr":
        answered = spot("rc/cc/r", 1).answered(small, letter, valued=True)
        assert answered.waits()
        mix = [small.probabilities("7c7d", "Td9d6h2c", "rc/cc/r")[name] for name in ("fold", "call", "raise")]
        assert list(answered.mix) == mix
        judged = answered.judged(BETTING, values.action_ev[hand])
        assert list(judged.ev) == values.action_ev[hand].tolist()
        assert judged.ev_lost == max(judged.ev) - judged.ev["fcr".index(letter)]
        assert judged.mistake == (judged.ev_lost >= 10 and mix["fcr".index(letter)] < 0.25)
        assert not judged.waits()
        row = judged.row(BETTING)
        assert (row["hand"], row["ev_call_mbb"], row["ev_lost_mbb"]) == ("7c7d", judged.ev[1], judged.ev_lost)


@pytest.mark.parametrize(
    ("mix", "lost", "mistake"),
    [((0, 0.3, 0.7), 9.9, False), ((0, 0.2, 0.8), 10, True), ((0, 0.25, 0.75), 10, False), ((0, 0, 1), 500, True)],
)
def test_noise_of_the_strategy_is_no_mistake(mix, lost, mistake):
    answered = replace(spot("rc/cc/r", 1), action="c", mix=mix)
    assert answered.judged(BETTING, np.array([-2000.0, 100.0, 100.0 + lost])).mistake == mistake


def test_without_evs_a_mistake_is_what_the_strategy_never_does():
    caller = BuiltIn("always-call")
    assert spot("rc/cc/r", 1).answered(caller, "r", valued=False).mistake is True
    assert spot("rc/cc/r", 1).answered(caller, "c", valued=False).mistake is False
    nowhere = spot("rc/cc/r", 1).answered(caller, "c", valued=True).judged(BETTING, np.full(3, np.nan))
    assert (nowhere.ev_lost, nowhere.mistake) == (None, False)


# ---- against an opponent


def test_an_opponent_plays_the_other_seat(small):
    """A caller never raises, and the person's seat is the strategy's."""
    caller, rng = BuiltIn("always-call"), random.Random(7)
    trainer, lines = Trainer(small, "small", caller, "caller"), set()
    for number in range(60):
        exercise = trainer.deal(number, Drill(seat="bb"), rng)
        assert trainer.owns(exercise)
        assert exercise.strategy == "small against caller"
        own = exercise.line.replace("/", "")[1::2] if exercise.seat == 0 else ""
        first, *rounds = exercise.line.split("/")
        assert rounds, "before the flop there are no EVs"
        assert first[0] == "c"  # the caller's own, on the button; the strategy would raise or fold
        assert all(each[1::2] == len(each[1::2]) * "c" for each in rounds)
        lines.add(own)
    assert any("r" in each for each in lines)


def test_an_answer_loses_what_best_play_wins_more(small):
    """By the loss alone: what the strategy does most is a mistake if it loses."""
    caller = BuiltIn("always-call")
    trainer = Trainer(small, "small", caller, "caller")
    exercise = replace(spot("cc/cc/cc/c", 1), key=trainer.key)
    evs = trainer.action_ev(trainer.spot(exercise)[0], lambda share: None)
    answered = {letter: trainer.answer(exercise, letter, None)[0] for letter in "cr"}
    mix = [small.probabilities("7c7d", "Td9d6h2c3s", "cc/cc/cc/c")[name] for name in ("call", "raise")]
    assert list(answered["c"].mix)[1:] == mix
    assert answered["c"].waits()
    judged = {letter: trainer.judge(each, evs) for letter, each in answered.items()}
    # Of the hands that the caller may have, sevens beat most: a bet wins three times as much.
    assert judged["r"].ev[2] == pytest.approx(3 * judged["r"].ev[1])
    assert (judged["r"].ev_lost, judged["r"].mistake) == (0, False)
    assert judged["c"].ev_lost == pytest.approx(2 * judged["c"].ev[1])
    assert judged["c"].mistake is True
    often = trainer.judge(replace(answered["c"], mix=(0.0, 1.0, 0.0)), evs)
    assert often.mistake is True


def test_progress_against_an_opponent_is_its_own(small):
    caller, raiser = BuiltIn("always-call"), BuiltIn("always-raise")
    trainers = [
        Trainer(small, "small"),
        Trainer(small, "small", caller, "x"),
        Trainer(small, "small", raiser, "x"),
    ]
    assert len({each.key for each in trainers}) == 3
    for each in trainers:
        exercise = replace(spot("rc/", 0), key=each.key)
        assert [other.owns(exercise) for other in trainers] == [other is each for other in trainers]


def test_opponents_against_whom_best_play_is_not_known_are_refused(small):
    with pytest.raises(BadInputError, match="x plays leduc; expected hulhe, as small"):
        Trainer(small, "small", BuiltIn("uniform", Game.bundled("leduc")), "x")
    with pytest.raises(BadInputError, match="x: expected values are those of one strategy, not of a mix"):
        Trainer(small, "small", Mixed([small, small], [0.5, 0.5]), "x")
    caller = BuiltIn("always-call")
    with pytest.raises(BadInputError, match="round preflop: too many boards follow to know best play"):
        Trainer(small, "small", caller, "x").deal(1, Drill(round="preflop"), random.Random(1))


def test_what_the_rules_forbid_is_no_answer(small):
    with pytest.raises(IllegalActionError):
        spot("rc/cc/", 0).answered(small, "f", valued=True)


# ---- repetition and score


def played(*mistakes_of):
    """Numbers of the repeats of spot 1, whose mistakes these are; all else is right."""
    answers, wrong = [], list(mistakes_of)
    for number in range(1, 200):
        due = repetition(answers).due
        answers.append(Answered(number, due, wrong.pop(0) if due or number == 1 else False))
        if due and not wrong:
            break
    return [answer.number for answer in answers if answer.again]


def test_a_spot_comes_back_after_5_15_and_45_answers():
    assert PAUSES == (5, 15, 45)
    assert played(True, False, False, False) == [7, 23, 69]
    assert played(True, False, True, False, False, False) == [7, 23, 29, 45, 91]
    # A right answer that is not judged yet leaves the spot where it is.
    assert played(True, None, False, False, False) == [7, 13, 29, 75]


def test_who_waits_longest_comes_first_and_what_is_learnt_is_gone():
    assert repetition([]) == Repetition(None, 0)
    answers = [Answered(number, None, number in (1, 2)) for number in range(1, 8)]
    assert repetition(answers[:5]) == Repetition(None, 2)
    assert repetition(answers[:6]) == Repetition(1, 2)
    answers.append(Answered(8, 1, False))
    assert repetition(answers) == Repetition(None, 2)  # something new first
    assert repetition([*answers, Answered(9, None, False)]) == Repetition(2, 2)
    learnt = [Answered(1, None, True), *(Answered(number, 1, False) for number in (2, 3, 4))]
    assert repetition(learnt) == Repetition(None, 0)


def test_the_score_is_a_mean_with_student_s_interval():
    lost = np.random.default_rng(1).exponential(100, 7)
    score = Score(9, 3, 4.5, 7, float(lost.sum()), float((lost**2).sum())).to_dict()
    assert score["ev_lost_mbb_per_decision"] == pytest.approx(lost.mean())
    assert score["ev_lost_big_blinds_per_decision"] == pytest.approx(lost.mean() / 1000)
    assert score["interval_95_mbb"] == pytest.approx(half_width(lost.std(ddof=1), 7))
    assert score["mean_probability"] == 0.5
    assert Score(1, 0, 1.0, 1, 5.0, 25.0).to_dict()["interval_95_mbb"] is None
    assert Score(0, 0, 0.0, 0, 0.0, 0.0).to_dict()["ev_lost_mbb_per_decision"] is None
    assert str(Score(2, 1, 1.0, 2, 30.0, 500.0)).startswith("score: 2 decisions, 1 mistake; EV lost 15.0 mbb +- ")
