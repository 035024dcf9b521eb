"""Situations: decisions of a kind, by round, seat and how often this round was raised before."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import BettingTree, State
from cfr.game.betting_round import ACTIONS
from cfr.game.rules import Game
from cfr.game.words import ROUND_NAMES

RAISES = 3  # none before, one, more


def count(game: Game) -> int:
    """How many situations a game has; some have no decision."""
    return game.num_rounds * 2 * RAISES


def number(state: State) -> int:
    """The situation of a decision."""
    return int(of_nodes(state.tree, state.round)[state.node])


@lru_cache(64)
def of_nodes(tree: BettingTree, round_: int) -> NDArray[np.intp]:
    """``(nodes,)`` situation of each node of a round."""
    betting = tree.rounds[round_]
    raised = np.zeros(betting.num_nodes, np.intp)
    for node, children in enumerate(betting.child.tolist()):
        for letter, child in zip(ACTIONS, children, strict=True):
            if child >= 0:
                raised[child] = raised[node] + (letter == "r")
    return (round_ * 2 + betting.actor) * RAISES + np.minimum(raised, RAISES - 1)


def parts(situation: int) -> tuple[int, int, int]:
    """Round, seat (ACPC position) and number of raises before, of which 2 is 2 or more."""
    rest, raised = divmod(situation, RAISES)
    return rest // 2, rest % 2, raised


def words(situation: int, game: Game) -> str:
    """Such as ``on the river as the big blind, facing a bet``."""
    round_, seat, raised = parts(situation)
    where = "before the flop" if round_ == 0 else f"on the {ROUND_NAMES[round_]}"
    bets = ("a raise", "a reraise") if round_ == 0 else ("a bet", "a raise")
    facing = "" if not raised else f", facing {bets[raised - 1]}"
    return f"{where} as the {game.seat_names[seat]}{facing}"
