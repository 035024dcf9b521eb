"""One flop, refined: both seats' play behind preflop lines, solved without buckets, down to what a file keeps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import State
from cfr.strategy.refined_flops import RefinedFlop, turn_steps
from cfr.strategy.spot_rows import all_rows
from cfr.strategy.strategy import Floats, Spots
from cfr.subgame.resolver import Effort, Resolver, Subgames, certificates
from cfr.subgame.target_values import target_values

_FLOP, _TURN = 1, 2


@dataclass(frozen=True)
class FlopRefiner:
    """Refines flops.

    Args:
        blueprint: the strategy to refine, a whole one.
        effort: the work of each solve.
        tables: number type of the tables, see :class:`cfr.subgame.resolver.Resolver`.
        takes_all: refine a seat's play behind every line that the seat takes, not only lines that both seats take.
        threads: number of threads of a solve; the result does not depend on threads.
    """

    blueprint: Spots
    effort: Effort
    tables: str | None
    takes_all: bool
    threads: int = 1

    def lines(self, board: tuple[int, ...]) -> dict[int, list[State]]:
        """By seat, the states in which the flop begins whose play is refined, by ascending line."""
        betting = self.blueprint.betting
        found: dict[int, list[State]] = {0: [], 1: []}
        for line in range(betting.num_lines[_FLOP]):
            entry = betting.parse(betting.line_text(_FLOP, line))
            comes = [bool(self.blueprint.reach(entry, board, seat).any()) for seat in (0, 1)]
            for seat in (0, 1):
                if comes[seat] and (self.takes_all or comes[1 - seat]):
                    found[seat].append(entry)
        return found

    def refine(self, board: tuple[int, ...]) -> RefinedFlop:
        """Solve every line of a canonical flop, one after the other: the memory is that of the largest."""
        betting, wanted = self.blueprint.betting, self.lines(board)
        rows = all_rows(self.blueprint.game, board, _TURN)
        numbers = sorted({entry.line for entries in wanted.values() for entry in entries})
        count, leaves = rows.num_rows, len(betting.rounds[_FLOP].leaves)
        found = RefinedFlop(
            lines=np.array(numbers, np.int32),
            refined=np.zeros((2, len(numbers)), np.bool_),
            probabilities=np.zeros((count[_FLOP], betting.rounds[_FLOP].node_actions, len(numbers)), np.float32),
            targets=np.zeros((2, count[_FLOP], len(numbers))),
            values=np.zeros((2, count[_FLOP], len(numbers))),
            turn_values=np.zeros((2, count[_TURN], leaves * len(numbers)), np.int16),
            certificates=np.zeros((2, len(numbers), 3)),
        )
        for seat, entries in wanted.items():
            for entry in entries:
                self._solve(found, numbers.index(entry.line), entry, board, seat)
        return found

    def packed(self, board: tuple[int, ...]) -> bytes:
        """:meth:`refine` as bytes, for a log."""
        return self.refine(board).pack()

    def _solve(self, found: RefinedFlop, column: int, entry: State, board: tuple[int, ...], seat: int) -> None:
        """Solve one line for one seat, and write what is kept into ``found``."""
        blueprint, other = self.blueprint, 1 - seat
        own, expected = (blueprint.reach(entry, board, each)[None] for each in (seat, other))
        targets = target_values(blueprint, [entry], board, seat, own, self.threads)
        resolver = Resolver(
            Subgames([entry], board, seat, own, expected, targets), self.effort, self.threads, self.tables
        )
        resolver.solve()
        subgames, won = resolver.subgames, resolver.best_response()
        safe = certificates(subgames, won)[0]
        found.refined[seat, column] = True
        found.certificates[seat, column] = safe.most, safe.mean, safe.drop
        of_hands = resolver.rows.rows(_FLOP, np.array([board], np.uint8))[0]
        live = of_hands >= 0
        found.targets[other, of_hands[live], column] = subgames.targets[0, live]
        found.values[other, of_hands[live], column] = won[0, live]
        shares = self._probabilities(resolver, seat)
        columns = resolver.tree.rounds[0].seats[seat].columns
        found.probabilities[:, columns, column] = shares
        reach = subgames.own[0] * _arrives(resolver, seat, shares[np.maximum(of_hands, 0)].astype(np.float64))
        steps, game = turn_steps(blueprint.betting), blueprint.game
        at = column + len(found.lines) * np.arange(len(reach))
        for cards, values in resolver.best_responses_below(reach):
            of_turn = resolver.rows.rows(_TURN, np.array([cards], np.uint8))[0]
            live = of_turn >= 0
            mass = (reach * game.live(cards)) @ game.apart
            each = np.floor(np.divide(values, mass, out=np.zeros_like(values), where=mass > 0) * steps)
            found.turn_values[other, of_turn[live, None], at] = each[:, live].T.astype(np.int16)

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
    """``(leaves, H)`` probability that each hand plays to each leaf of the flop, by ``(H, node-actions)`` shares."""
    nodes = resolver.tree.rounds[0].seats[seat]
    plan = np.concatenate([np.ones((len(shares), 1)), shares], axis=1)
    for parent, first, count in zip(nodes.node_parent, nodes.node_first, nodes.node_count, strict=True):
        plan[:, first : first + count] *= plan[:, parent, None]
    found: Floats = plan[:, nodes.leaf_own].T
    return found
