"""One flop, refined: both seats' play behind preflop lines, solved without buckets, down to what a file keeps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cfr.resolving.flop_subgame import FlopSubgame
from cfr.resolving.kept_subgames import KeptSubgames
from cfr.resolving.resolver import Effort, Resolver, Subgames, certificates, rounded_reach
from cfr.resolving.target_values import target_values
from cfr.strategy.files.refined_flops import RefinedFlop, turn_steps
from cfr.strategy.spot_rows import all_rows
from cfr.strategy.strategy import BaseStrategy, Floats
from cfr.system.progress import Progress

_FLOP, _TURN = 1, 2


@dataclass(frozen=True)
class FlopRefiner:
    """Refines flops.

    Args:
        blueprint: the strategy to refine, a whole one.
        effort: the work of each solve.
        tables: number type of the tables, see :class:`cfr.resolving.resolver.Resolver`.
        takes_all: refine a seat's play behind every line that the seat takes, not only lines that both seats take.
        kept: subgames that play has solved.
        threads: number of threads of a solve; the result does not depend on threads.
    """

    blueprint: BaseStrategy
    effort: Effort
    tables: str | None
    takes_all: bool
    kept: KeptSubgames
    threads: int = 1

    def subgames(self, board: tuple[int, ...]) -> list[FlopSubgame]:
        """What is solved on a canonical flop: the big blind's subgames, then the button's, by ascending line."""
        betting = self.blueprint.betting
        comes = np.zeros((2, betting.num_lines[_FLOP]), np.bool_)
        for line in range(betting.num_lines[_FLOP]):
            position = self.blueprint.at(betting.entry(_FLOP, line), board)
            comes[:, line] = [rounded_reach(position.reach(seat)).any() for seat in (0, 1)]
        refined = comes if self.takes_all else np.tile(comes.all(axis=0), (2, 1))
        return [FlopSubgame(board, seat, line) for seat, line in np.argwhere(refined).tolist()]

    def refine(self, board: tuple[int, ...]) -> RefinedFlop:
        """Solve all subgames of a canonical flop, one after the other: the memory is that of the largest."""
        rows = all_rows(self.blueprint.game, board, _TURN).num_rows
        return RefinedFlop.together([self.solve(each) for each in self.subgames(board)], rows, self.blueprint.betting)

    def packed(self, subgame: FlopSubgame) -> bytes:
        """A subgame as bytes, for a log: what play has kept, or :meth:`solve`."""
        return (self.kept.load(subgame) or self.solve(subgame)).pack()

    def solve(self, subgame: FlopSubgame, hears: Progress = lambda _: None) -> RefinedFlop:
        """Solve a subgame; the result has one line, and one seat's play of it.

        ``hears`` is told the share of the iterations that is done.
        """
        blueprint, betting, game = self.blueprint, self.blueprint.betting, self.blueprint.game
        board, seat, other = subgame.board, subgame.seat, 1 - subgame.seat
        entry = betting.entry(_FLOP, subgame.line)
        position = blueprint.at(entry, board)
        own, expected = (position.reach(each)[None] for each in (seat, other))
        targets = target_values(blueprint, [entry], board, seat, own, self.threads)
        resolver = Resolver(
            Subgames([entry], board, seat, own, expected, targets), self.effort, self.threads, self.tables
        )
        resolver.solve(hears)
        subgames, won = resolver.subgames, resolver.best_response()
        safe = certificates(subgames, won)[0]
        found = RefinedFlop.zeros([subgame.line], resolver.rows.num_rows, betting)
        found.refined[seat] = True
        found.certificates[seat] = safe.most, safe.mean, safe.drop
        of_hands = resolver.rows.rows(_FLOP, np.array([board], np.uint8))[0]
        live = of_hands >= 0
        found.targets[other, of_hands[live], 0] = subgames.targets[0, live]
        found.values[other, of_hands[live], 0] = won[0, live]
        shares = self._probabilities(resolver, seat)
        found.probabilities[:, resolver.tree.rounds[0].seats[seat].columns, 0] = shares
        reach = subgames.own[0] * _arrives(resolver, seat, shares[np.maximum(of_hands, 0)].astype(np.float64))
        steps = turn_steps(betting)
        for cards, values in resolver.best_responses_below(reach):
            of_turn = resolver.rows.rows(_TURN, np.array([cards], np.uint8))[0]
            live = of_turn >= 0
            mass = (reach * game.live(cards)) @ game.apart
            each = np.floor(np.divide(values, mass, out=np.zeros_like(values), where=mass > 0) * steps)
            found.turn_values[other, of_turn[live]] = each[:, live].T.astype(np.int16)
        return found

    def _probabilities(self, resolver: Resolver, seat: int) -> NDArray[np.float32]:
        """``(rows, the seat's node-actions)`` average strategy of the flop; uniform where it has no weight."""
        shares = resolver.tree.seat_by_line(resolver.averages[0], 0)[:, :, 0].astype(np.float64)
        nodes = resolver.tree.rounds[0].seats[seat]
        for first, count in zip(nodes.node_first.tolist(), nodes.node_count.tolist(), strict=True):
            part = shares[:, first - 1 : first - 1 + count]
            total = part.sum(axis=1, keepdims=True)
            part[...] = np.where(total > 0, part, 1) / np.where(total > 0, total, count)
        return shares.astype(np.float32)


def _arrives(resolver: Resolver, seat: int, shares: Floats) -> Floats:
    """``(leaves, H)`` probability that a hand plays to a leaf of the flop, by ``(H, node-actions)`` probabilities."""
    nodes = resolver.tree.rounds[0].seats[seat]
    plan = np.concatenate([np.ones((len(shares), 1)), shares], axis=1)
    for parent, first, count in zip(nodes.node_parent, nodes.node_first, nodes.node_count, strict=True):
        plan[:, first : first + count] *= plan[:, parent, None]
    found: Floats = plan[:, nodes.leaf_traverser].T
    return found
