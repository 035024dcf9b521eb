"""Losses of reviewed decisions: those of the expected values, alike for isomorphic decisions."""

import csv

import numpy as np
import pytest

import cfr.study.reviews.losses
from cfr import expected_values
from cfr.game.cards import parse_cards
from cfr.game.rules import Game
from cfr.play.match import match
from cfr.play.players import RandomPlayer
from cfr.play.strategy_player import StrategyPlayer
from cfr.resolving.named_strategy import open_named
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.hand_table import write
from cfr.study.reviews.review import review


@pytest.mark.thorough
def test_losses_are_those_of_the_expected_values(leduc, tmp_path):
    log = tmp_path / "x.log"
    match(StrategyPlayer(leduc, "self"), RandomPlayer(), 200, seed=3, log=log)
    found = review(log, leduc, threads=2)
    own, other = found.players
    for each in found.decisions:
        values = expected_values(leduc, each.board, each.state.line_string)
        of_actions = values.action_ev[leduc.game.hand_number(parse_cards(each.hand))]
        if not np.isnan(of_actions).all():  # else the strategy never has this hand here
            lost = np.nanmax(of_actions) - of_actions["fcr".index(each.action)]
            assert each.ev_lost == pytest.approx(lost, abs=1e-9)
            assert f"EV lost {lost:.1f} mbb" in str(each)
            assert each.to_dict()["ev_lost_mbb"] == each.ev_lost
        assert each.ev_lost is None or each.ev_lost >= 0
    assert own.valued > 0.9 * own.decisions
    assert own.ev_lost / own.valued < 0.1 * other.ev_lost / other.valued
    for player in (own, other):
        lost = [each.ev_lost for each in found.decisions if each.player == player.player and each.ev_lost is not None]
        named = player.to_dict(leduc.game.big_blind)
        assert named["ev_decisions"] == player.valued == len(lost)
        assert named["ev_lost_mbb"] == pytest.approx(sum(lost))
        assert named["ev_lost_mbb_per_decision"] == pytest.approx(np.mean(lost))
        assert named["hands_seen"] == 200
        assert named["ev_lost_mbb_per_hand"] == pytest.approx(sum(lost) / 200)
        assert named["ev_lost_big_blinds_per_100_hands"] == pytest.approx(sum(lost) / 2000)
        shown = named["ev_lost_big_blinds_per_100_hands"]
        assert f"mbb per hand, {shown:.2f} big blinds per 100 hands" in player.text(leduc.game.big_blind)


def test_isomorphic_decisions_lose_the_same(hulhe, tmp_path, monkeypatch):
    """Before the flop and on it nothing is known: the one has no stored values, the other is left out here."""
    asked = []
    answers = cfr.study.reviews.losses._answers
    monkeypatch.setattr(cfr.study.reviews.losses, "has_values", lambda strategy, state: state.round >= 2)
    monkeypatch.setattr(cfr.study.reviews.losses, "_answers", lambda *piece: asked.append(piece) or answers(*piece))
    log = tmp_path / "x.log"
    log.write_text(
        "STATE:0:cc/cc/cc/rf:KsQs|AsAh/2c7d9h/Jd/Jc:10|-10:ann|bob\n"
        "STATE:1:cc/cc/cc/rf:KhQh|AhAc/7s2d9c/Js/Jd:10|-10:ann|bob\n"
    )
    found = review(log, hulhe)
    assert sorted(hands for _, hands, _ in asked) == [1, 1, 2]  # a hand at each turn spot, both on the river
    losses = [each.ev_lost for each in found.decisions]
    assert losses[:8] == losses[8:]
    assert losses[:4] == [None] * 4
    assert all(lost >= 0 for lost in losses[4:8])
    assert sum(losses[4:8]) > 0
    assert [player.valued for player in found.players] == [4, 4]


def test_a_hand_that_the_strategy_never_has_there_loses_too(tmp_path):
    """A caller never raises, and pays whoever does: to check a pair of aces throws away a bet."""
    log = tmp_path / "x.log"
    log.write_text("STATE:0:rc/cc:Ah|Qs/As:3|-3:ann|bob\n")
    game = Game.bundled("leduc")
    found = review(log, BuiltIn("always-call", game))
    # Whoever faces the raiser faces no hand that the strategy has there: all hands stand in.
    assert [each.ev_lost for each in found.decisions] == pytest.approx([0, 200, 4000, 0])
    assert [each.stand_in for each in found.decisions] == [None, "presumed range", None, "presumed range"]
    assert [each.is_mistake for each in found.decisions] == [False] * 4  # a caller always calls
    write(tmp_path / "x.csv", found.columns())
    with open(tmp_path / "x.csv", newline="") as table:
        assert [row["stand_in"] for row in csv.DictReader(table)] == ["", "presumed range", "", "presumed range"]


def test_every_decision_after_a_limp_has_an_ev(tmp_path):
    """The supplied strategy never limps; a fold of top pair behind a limp is a mistake all the same."""
    log = tmp_path / "x.log"
    log.write_text("STATE:0:cc/rf:Qs9s|KdTh/Kc7h2d:10|-10:ann|bob\n")
    with open_named("small") as small:
        limp, check, bet, fold = review(log, small).decisions
    assert all(each.ev_lost is not None for each in (limp, check, bet, fold))
    assert [each.stand_in for each in (limp, check, bet, fold)] == [
        None,
        "presumed range, checked down",
        "presumed range",
        None,
    ]
    assert fold.is_mistake
    assert fold.ev_lost > 1000
