"""The likelihood, against a walk over all holdings, and its gradient, against differences."""

import math
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.opponents.models import hands_of
from cfr.game.evaluate import evaluate
from cfr.game.hand import decisions
from cfr.opponents import evidence as evidence_module
from cfr.opponents.evidence import gather
from cfr.opponents.likelihood import log_likelihoods, ranges, scores, value_and_gradient
from cfr.opponents.tilt import Tilt
from cfr.opponents.tilted import Tilted


def by_walk(hand, strategy):
    """The probability of ann's decisions, over all her holdings that the cards seen allow."""
    seen, seat = hand.seen, hand.players.index("ann")
    other = seen.hands[1 - seat]
    allowed = []
    for cards in strategy.game.hands.tolist():
        if {*cards} & {*seen.board, *other}:
            continue
        if seen.hands[seat] and {*cards} != {*seen.hands[seat]}:
            continue
        if not seen.hands[seat] and seen.state.at_showdown:
            own, others = evaluate([[*cards, *seen.board], [*other, *seen.board]])
            if np.sign(int(own) - int(others)) != np.sign(hand.chips[seat]):
                continue
        allowed.append(cards)
    total = 0.0
    for cards in allowed:
        played = [
            strategy.distribution(state, cards, seen.board[: state.num_board_cards])["fcr".index(letter)]
            for state, letter in decisions(seen.state)
            if state.actor == seat
        ]
        total += math.prod(played) / len(allowed)
    return total


def decided(hands):
    return [
        hand
        for hand in hands
        if any(state.actor == hand.players.index("ann") for state, _ in decisions(hand.seen.state))
    ]


@pytest.mark.parametrize("shown", [True, False])
def test_the_likelihood_is_the_sum_over_holdings(leduc, tilted, shown):
    hands = hands_of(tilted, leduc, 60, 3, shown=shown)
    evidence = gather(hands, "ann", tilted)
    found = np.exp(log_likelihoods(evidence, tilted.tilt))
    assert found == pytest.approx([by_walk(hand, tilted) for hand in decided(hands)], rel=1e-5)
    assert len(found) > 50


def test_a_hidden_hand_that_the_log_pays_is_one_that_wins(leduc, tilted):
    hidden = []
    for hand in hands_of(tilted, leduc, 60, 3, shown=True):
        seat, cards = hand.players.index("ann"), list(hand.seen.hands)
        if hand.seen.state.at_showdown and all(cards):
            cards[seat] = ()
            hidden.append(replace(hand, seen=replace(hand.seen, hands=tuple(cards)), won=hand.chips))
    assert {np.sign(each.won[each.players.index("ann")]) for each in hidden} >= {-1, 1}
    found = np.exp(log_likelihoods(gather(hidden, "ann", tilted), tilted.tilt))
    assert found == pytest.approx([by_walk(hand, tilted) for hand in decided(hidden)], rel=1e-5)


def test_the_likelihood_of_holdem_is_the_sum_over_holdings(hulhe, monkeypatch):
    parameters = np.random.default_rng(4).normal(0, 0.5, (24, 2, 4))
    strategy = Tilted(hulhe, Tilt(parameters, 0.02))
    hands = hands_of(strategy, hulhe, 6, 8, shown=False)
    monkeypatch.setattr(evidence_module, "MOST_HOLDINGS", 2000)
    found = np.exp(log_likelihoods(gather(hands, "ann", strategy), strategy.tilt))
    assert found == pytest.approx([by_walk(hand, strategy) for hand in decided(hands)], rel=1e-4)


def test_few_holdings_stand_for_all(hulhe, monkeypatch):
    strategy = Tilted(hulhe, Tilt(np.random.default_rng(4).normal(0, 0.5, (24, 2, 4)), 0.02))
    hands = hands_of(strategy, hulhe, 100, 9, shown=False)
    thinned = gather(hands, "ann", strategy)
    monkeypatch.setattr(evidence_module, "MOST_HOLDINGS", 2000)
    whole = gather(hands, "ann", strategy)
    assert len(thinned.weight) < len(whole.weight)
    few, all_ = (log_likelihoods(each, strategy.tilt) for each in (thinned, whole))
    assert abs(few.sum() - all_.sum()) < 0.01 * abs(all_.sum())


def test_the_gradient_is_that_of_differences(leduc, tilted):
    evidence = gather(hands_of(tilted, leduc, 200, 5), "ann", tilted)
    rng, floor = np.random.default_rng(0), tilted.tilt.floor
    at = tilted.tilt.parameters
    value, gradient = value_and_gradient(evidence, tilted.tilt)
    assert value == pytest.approx(log_likelihoods(evidence, tilted.tilt).sum())
    assert scores(evidence, tilted.tilt).sum(axis=0) == pytest.approx(gradient.ravel(), abs=1e-9)
    for _ in range(5):
        way = 1e-5 * rng.normal(size=at.shape)
        up, down = (value_and_gradient(evidence, Tilt(at + sign * way, floor))[0] for sign in (1, -1))
        assert (up - down) / 2 == pytest.approx((gradient * way).sum(), rel=1e-4, abs=1e-9)


def test_parts_of_the_evidence_add_up(leduc, tilted):
    evidence = gather(hands_of(tilted, leduc, 100, 6), "ann", tilted)
    whole = log_likelihoods(evidence, tilted.tilt)
    odd = np.arange(evidence.hands) % 2 == 1
    assert log_likelihoods(evidence.of(odd), tilted.tilt) == pytest.approx(whole[odd])
    assert log_likelihoods(evidence.of(~odd), tilted.tilt) == pytest.approx(whole[~odd])


def test_ranges_sum_to_one_in_each_hand(leduc, tilted):
    evidence = gather(hands_of(tilted, leduc, 100, 6), "ann", tilted, unseen=True)
    for layer, played, share in ranges(evidence, tilted.tilt):
        there = np.unique(evidence.hand[layer.holding])
        assert np.bincount(evidence.hand[layer.holding], share)[there] == pytest.approx(1)
        assert played.sum(axis=1) == pytest.approx(1)
