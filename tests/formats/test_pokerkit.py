"""PokerKit plays the same hands: whose turn, what is legal, chips and winners."""

import random
from collections import Counter

import pytest

from cfr.game.betting import BettingTree
from cfr.game.cards import format_cards
from cfr.game.hand import deal_hand, showdown_winner
from cfr.game.rules import Game

pokerkit = pytest.importorskip("pokerkit")
from pokerkit import Automation, FixedLimitTexasHoldem  # noqa: E402

GAME = Game.bundled("hulhe")
TREE = BettingTree(GAME)
AUTOMATIONS = tuple(
    Automation[name]
    for name in (
        "ANTE_POSTING",
        "BET_COLLECTION",
        "BLIND_OR_STRADDLE_POSTING",
        "HOLE_CARDS_SHOWING_OR_MUCKING",
        "HAND_KILLING",
        "CHIPS_PUSHING",
        "CHIPS_PULLING",
    )
)
STACK = 10_000


def replay(deal, choose):
    """Play a hand in both programs at once; returns both results by seat."""
    # With two players PokerKit exchanges the blinds: its player 0 posts the second entry, the big blind, and its
    # player 1, on the button, the first. So its players are the ACPC's positions.
    table = FixedLimitTexasHoldem.create_state(AUTOMATIONS, True, 0, (5, 10), 10, 20, (STACK, STACK), 2)
    for seat in (0, 1):
        table.deal_hole(format_cards(deal.hands[seat]))
    state, shown = TREE.root, 0
    while not state.is_over:
        if state.num_board_cards > shown:
            table.burn_card("??")
            table.deal_board(format_cards(deal.board[shown : state.num_board_cards]))
            shown = state.num_board_cards
        assert table.actor_index == state.actor
        facing = state.stakes[state.actor] < max(state.stakes)
        assert table.can_check_or_call()
        # PokerKit allows four raises on every street; the ACPC's game three before the flop, on top of the blind.
        if state.round > 0 or "r" in state.legal:
            assert table.can_complete_bet_or_raise_to() == ("r" in state.legal)
        if "r" in state.legal:
            # PokerKit counts a street's bets, cfr the hand's; the raiser's chips from earlier streets are both seats'.
            earlier = int(TREE.stakes[state.round][state.line])
            raised = state.act("r").stakes[state.actor] - earlier
            assert table.min_completion_betting_or_raising_to_amount == raised
            assert table.max_completion_betting_or_raising_to_amount == raised
        if facing:
            assert table.can_fold() == ("f" in state.legal)
            assert table.checking_or_calling_amount == max(state.stakes) - state.stakes[state.actor]
        action = choose(state)
        if action == "f":
            table.fold()
        elif action == "c":
            table.check_or_call()
        else:
            table.complete_bet_or_raise_to()
        state = state.act(action)
    assert not table.status
    winner = showdown_winner(state, deal)
    return state.payoff(winner), tuple(int(chips) - STACK for chips in table.stacks)


def test_random_hands():
    rng = random.Random(7)
    last = None
    ends = Counter()

    def choose(state):
        nonlocal last
        action = rng.choice(state.legal.replace("f", "fcc"))
        last = state.round, state.actor, action
        return action

    for _ in range(600):
        ours, theirs = replay(deal_hand(GAME, rng), choose)
        assert ours == theirs
        street, seat, action = last
        ends[(street, seat) if action == "f" else "tie" if ours == (0, 0) else "won"] += 1
    # Both seats folded on every street, and there were ties.
    assert set(ends) == {(street, seat) for street in range(4) for seat in (0, 1)} | {"won", "tie"}
