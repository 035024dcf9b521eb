"""Best play against a fixed opponent: a plain enumeration, an exact best response, and answers that are known."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from cfr import exploitability
from cfr.game.betting_round import ACTIONS
from cfr.game.cards import parse_cards
from cfr.game.evaluate import strengths
from cfr.game.rules import Game
from cfr.strategy.built_in import BuiltIn
from cfr.values.best_values import best_action_ev, has_best_values, why_not_beaten
from cfr.values.canonical_spot import canonical_spot
from cfr.values.expected_values import values_at
from tests.thorough import thorough


class Plain:
    """Every pair of hands, every board card, every action, one by one by the rules; nothing of the kernel's."""

    def __init__(self, strategy, seat):
        self.strategy, self.game, self.seat = strategy, strategy.game, seat
        hands = self.game.hands
        self.apart = ~np.array([np.isin(hands, hand).any(axis=1) for hand in hands])

    def action_ev(self, state, board):
        reach = self.strategy.at(state, board).reach(1 - self.seat)
        mass = np.where(self.game.live(board), self.apart @ reach, np.nan)
        found = np.full((len(mass), 3), np.nan)
        for letter in state.legal:
            found[:, ACTIONS.index(letter)] = self.best(state.act(letter), board, reach) / mass * self.game.mbb
        return found

    def best(self, state, board, reach):
        """``(H,)`` chips that each hand wins by best play, summed over the opponent's hands by their reach."""
        if state.at_showdown and len(board) == sum(self.game.num_board_cards):
            shown = strengths([board], self.game.hands)[0].astype(int)
            return (np.sign(shown[:, None] - shown) * self.apart) @ reach * state.stakes[self.seat]
        if state.is_over:
            return self.apart @ reach * state.payoff(None)[self.seat]
        if (due := state.num_board_cards - len(board)) > 0:
            total = np.zeros(len(reach))
            left = [card for card in self.game.deck.tolist() if card not in board]
            for cards in combinations(left, due):
                live = self.game.live((*board, *cards))
                total += live * self.best(state, (*board, *cards), reach * live)
            return total / comb(len(left) - 2 * self.game.num_hole_cards, due)
        if state.actor == self.seat:
            return np.max([self.best(state.act(letter), board, reach) for letter in state.legal], axis=0)
        shares = self.strategy.all_hands(state, board)
        taken = [(state.act(letter), reach * shares[:, ACTIONS.index(letter)]) for letter in state.legal]
        return sum(self.best(after, board, reaches) for after, reaches in taken)


def check(strategy, board, line):
    state, cards = strategy.spot(board, line)
    spot, images = canonical_spot(strategy, state, cards)
    heard = []
    found = best_action_ev(strategy.at(spot.state, spot.board), heard.append)[images]
    np.testing.assert_allclose(found, Plain(strategy, state.actor).action_ev(state, cards), atol=0.02)
    assert heard == sorted(heard)


@pytest.mark.parametrize(
    ("board", "line"),
    [
        ("", ""),
        *thorough(("", "r"), ("AsKsQh", "cc/"), ("AsKsQh", "cc/r")),
        ("AsKsQh", "rc/r"),
        ("AsKsQhKh", "cc/rc/r"),
    ],
)
def test_a_plain_enumeration(three_rounds, board, line):
    check(three_rounds, board, line)


def test_the_whole_game_is_a_best_response():
    """From the root on, the means over all hands are what an exact best response wins."""
    uniform = BuiltIn("uniform", Game.bundled("leduc"))
    first, called, raised = (
        np.nanmax(best_action_ev(uniform.at(uniform.betting.parse(line), ())), axis=1).mean() for line in ("", "c", "r")
    )
    won = (first + (called + raised) / 2) / 2  # the opponent calls and raises half of the time each
    assert won == pytest.approx(exploitability(uniform).exploitability_mbb, abs=0.01)


def test_no_less_than_by_the_strategy_itself(hulhe):
    """A turn of hold'em: best play wins at least what the strategy wins, with every hand."""
    state, cards = hulhe.spot("Td9h9d2c", "rc/cc/")
    spot, _ = canonical_spot(hulhe, state, cards)
    own = values_at(hulhe, spot, unreached=True).ev
    best = best_action_ev(hulhe.at(spot.state, spot.board))[:, 1:].max(axis=1)
    assert (np.isnan(best) == np.isnan(own)).all()
    assert (best >= own - 0.02)[~np.isnan(own)].all()
    assert np.nanmean(best - own) > 10


def test_against_a_caller_a_bet_wins_or_loses_three_times_as_much():
    caller = BuiltIn("always-call")
    state, cards = caller.spot("Td9d6h2c3s", "cc/cc/cc/c")
    evs = best_action_ev(caller.at(state, cards))
    best, worst = (evs[caller.game.hand_number(tuple(parse_cards(hand)))] for hand in ("8h7h", "7c5c"))
    assert best[2] == pytest.approx(3 * best[1], rel=1e-6)
    assert best[1] > 900
    assert worst[2] == pytest.approx(3 * worst[1], rel=1e-6)
    assert worst[1] < -900
    assert np.isnan(evs[:, 0]).all()


def test_where_it_is_known(hulhe):
    betting = hulhe.betting
    assert not has_best_values(betting.root)
    assert all(has_best_values(betting.parse(line)) for line in ("rc/", "rc/cc/", "rc/cc/cc/"))
    assert why_not_beaten(hulhe) == ""
