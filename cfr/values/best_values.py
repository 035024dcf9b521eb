"""What every action wins at a spot when the seat plays best from then on against a fixed opponent.

Play is best in the real game: each hand sees all its cards and the whole board, not buckets, and knows the opponent's
strategy. So the losses of a hand's decisions add up to what it wins less than a best response.
"""

from __future__ import annotations

import numpy as np

from cfr.game.betting import State
from cfr.game.evaluate import strengths
from cfr.game.words import ROUND_NAMES
from cfr.strategy.position import Position
from cfr.strategy.strategy import BaseStrategy, Floats
from cfr.system.progress import Progress
from cfr.values.expected_values import MOST_BOARDS, boards_to_come
from cfr.values.known_leaves import KnownLeaves
from cfr.values.round_values import RoundValues


def has_best_values(state: State) -> bool:
    """Whether :func:`best_action_ev` answers at a spot: in hold'em, from the flop on."""
    return boards_to_come(state) <= MOST_BOARDS


def why_not_beaten(opponent: BaseStrategy) -> str:
    """Why best play against a strategy is not worked out, in words; empty where it is."""
    if opponent.re_solved_from is not None:
        solved = ROUND_NAMES[opponent.re_solved_from]
        return f"best play is not known against a strategy that re-solves from the {solved} on"
    return opponent.left_out


def best_action_ev(position: Position[BaseStrategy], progress: Progress | None = None) -> Floats:
    """``(H, 3)`` mbb that fold, call and raise win with each hand of the seat to act, in the whole hand.

    The other seat plays the position's strategy, by which it comes here, too; where none of its hands does, its
    presumed range stands in. NaN for illegal actions, and for hands that the board blocks or that no hand of the
    opponent's can meet. A flop takes a second or two, a turn less. Chips that later rounds pay are added in single
    precision, to some thousandths of an mbb.

    Args:
        position: of the opponent's strategy, for which :func:`why_not_beaten` is empty; a spot that
            :func:`has_best_values`, on a canonical board (:mod:`cfr.values.canonical_spot`).
        progress: hears how far the work is; what it raises ends the work.
    """
    strategy, state = position.strategy, position.state
    if state.round < strategy.game.num_rounds - 1:
        entry = strategy.at(state.round_start(), position.board)
        return RoundValues(entry, is_best=True).action_ev(state, progress)
    game = strategy.game
    shown = strengths([position.board], game.hands)[0].astype(np.int32)
    margins = np.sign(shown[:, None] - shown) * game.apart
    return KnownLeaves(state.actor, state.round, {}, margins=margins, is_best=True).action_ev(position)
