"""Spots with random ranges and random play, for tests: ties of hands hide nothing in them."""

from dataclasses import replace

import numpy as np

from cfr.game.betting import BettingTree
from cfr.game.cards import parse_cards
from cfr.game.rules import Game
from cfr.hands.isomorphism import board_symmetries, permute_hands
from cfr.spots.solver import SpotSolver
from cfr.strategy.spot import Spot

HULHE = Game.bundled("hulhe")
ROYAL = Game.bundled("royal")
NINES = replace(ROYAL, name="24 cards", num_ranks=6, max_raises=(3, 2, 2, 2))
SPOTS = [
    # A river, in the middle of its round.
    (ROYAL, "AsKsTdJhQd", "cc/cc/cc/cr"),
    # Turns: no suit alike; two alike, with ranges that tell them apart and with ranges that do not; hearts are missing.
    (ROYAL, "AsKhTdQc", "rc/rrc/"),
    (NINES, "AsKs9dQd", "cc/rc/c"),
]


def spot_of(game, board, line, seed=1, alike=False):
    """A spot with random ranges; they are the same after all suit permutations that keep the board, if ``alike``."""
    rng = np.random.default_rng(seed)
    ranges = rng.random((2, game.num_hands))
    if alike:
        kept = board_symmetries(parse_cards(board), game.num_board_cards, game.num_suits)
        ranges = ranges[:, permute_hands(game.hands, game.num_suits)[kept]].max(axis=1)
    else:
        ranges *= rng.random(ranges.shape) < 0.6
    return Spot(BettingTree(game).parse(line), parse_cards(board), ranges)


def random_play(spot, never=0.3, seed=3):
    """A solution of a spot that is drawn at random: ties of hands hide nothing in it."""
    rng, solver = np.random.default_rng(seed), SpotSolver(spot)
    for pair in solver.averages:
        for table in pair:
            table[...] = rng.random(table.shape) * (rng.random(table.shape) >= never)
    return solver.stored()[0]
