"""The size of a game."""

from __future__ import annotations

from dataclasses import dataclass

from cfr.game.betting import BettingTree
from cfr.game.rules import Game
from cfr.hands.isomorphism import canonical_hands


@dataclass(frozen=True)
class Counts:
    """Sizes of a game; hands are counted up to suit isomorphism.

    Attributes:
        name: the game.
        betting_nodes: per round, points of the betting where a seat acts.
        canonical_hands: per round, hands as dealt with the board.
        information_sets: betting nodes times canonical hands, summed over rounds.
        node_actions: legal actions at betting nodes times canonical hands, summed over rounds.
    """

    name: str
    betting_nodes: tuple[int, ...]
    canonical_hands: tuple[int, ...]
    information_sets: int
    node_actions: int


def count(game: Game) -> Counts:
    """Count a game."""
    betting = BettingTree(game)
    hands = canonical_hands((game.num_hole_cards, *game.num_board_cards[1:]), game.num_ranks, game.num_suits)
    nodes = [each.num_nodes * lines for each, lines in zip(betting.rounds, betting.num_lines, strict=True)]
    actions = [each.node_actions * lines for each, lines in zip(betting.rounds, betting.num_lines, strict=True)]
    return Counts(
        game.name,
        tuple(nodes),
        tuple(hands),
        sum(n * h for n, h in zip(nodes, hands, strict=True)),
        sum(a * h for a, h in zip(actions, hands, strict=True)),
    )
