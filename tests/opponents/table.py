"""Hands of a player against the blueprint, with the cards shown that a real table shows."""

import random

from cfr.game.hand import LoggedHand, SeenHand, deal_hand, showdown_winner
from cfr.play.hand import play_hand
from cfr.play.strategy_player import StrategyPlayer


def hands_of(player, blueprint, hands, seed, *, shown=True):
    """``player`` is "ann", in both seats by turns; the other's cards are known, its own at showdowns.

    Unless all showdowns are ``shown``, it mucks those that it loses.
    """
    rng = random.Random(seed)
    ann, hero = StrategyPlayer(player, "ann"), StrategyPlayer(blueprint, "hero")
    found = []
    for number in range(hands):
        seat = number % 2
        deal = deal_hand(player.game, rng)
        state = play_hand(player.betting, deal, (ann, hero) if seat == 0 else (hero, ann), rng).state
        cards = list(deal.hands)
        mucks = not shown and showdown_winner(state, deal) == 1 - seat
        if mucks or not state.at_showdown:
            cards[seat] = ()
        names = ("ann", "hero") if seat == 0 else ("hero", "ann")
        board = deal.board[: state.num_board_cards]
        found.append(LoggedHand(number, names, SeenHand(state, (cards[0], cards[1]), board)))
    return found
