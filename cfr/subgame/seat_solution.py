"""One seat's play from the start of a round on, as it was re-solved on one betting line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import State
from cfr.kernel.tree import Tree
from cfr.strategy.quantise import ONE
from cfr.strategy.spot import Spot
from cfr.strategy.spot_file import SpotStrategy
from cfr.strategy.spot_rows import SpotRows
from cfr.strategy.strategy import Cards, Floats, Spots
from cfr.subgame.resolver import Effort, Resolver, Subgames, lay_out
from cfr.subgame.target_values import target_values


@dataclass(frozen=True)
class Certificate:
    """By how much a re-solved strategy may be less safe than the blueprint; mbb per hand that gets to the spot.

    Attributes:
        most: what any hand of the opponent gains over its target value, at most (Burch, Johanson and Bowling 2014,
            theorem 1); 0 where all are kept below theirs.
        mean: the same, of all hands of the opponent alike, counting losses as 0.
        drop: how much less a best response wins with the hands that the blueprint expects.
    """

    most: float
    mean: float
    drop: float


@dataclass(frozen=True, eq=False)
class SeatSolution:
    """What a seat plays.

    Attributes:
        entry: the state in which the round begins.
        board: card codes.
        seat: ACPC position.
        own: ``(H,)`` reach of the seat's hands by the blueprint; the others' play means nothing.
        tables: per round, the seat's average strategy in the layout of :func:`cfr.subgame.resolver.lay_out`.
        certificate: how safe it is.
    """

    entry: State
    board: tuple[int, ...]
    seat: int
    own: Floats
    tables: Sequence[np.ndarray]
    certificate: Certificate

    def all_hands(self, state: State, board: Cards) -> Floats:
        """``(H, 3)`` probabilities of fold, call and raise of all hands that the board leaves."""
        rows, tree = self.layout
        level = state.round - tree.first
        found = rows.rows(state.round, np.array([board], np.uint8))[0]
        live = found >= 0
        used, where = np.unique(found[live], return_inverse=True)
        line = int(np.searchsorted(tree.rounds[level].betting_line, state.line))
        numbers = tree.betting.rounds[state.round].action_index[state.node]
        columns = np.searchsorted(tree.rounds[level].seats[self.seat].columns, numbers[numbers >= 0])
        sums = tree.seat_by_line(self.tables[level][used], level, self.seat)[:, columns, line].astype(np.float64)
        sums = np.where((sums > 0).any(axis=1, keepdims=True), sums, 1.0)
        shares = np.zeros((len(found), 3))
        shares[np.ix_(live, numbers >= 0)] = (sums / sums.sum(axis=1, keepdims=True))[where]
        return shares

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a cache keeps; :meth:`of_arrays` reads it."""
        safe = self.certificate
        return {f"round_{n}": table for n, table in enumerate(self.tables)} | {
            "own": self.own,
            "certificate": np.array([safe.most, safe.mean, safe.drop]),
        }

    @classmethod
    def of_arrays(
        cls, entry: State, board: tuple[int, ...], seat: int, arrays: dict[str, NDArray[Any]]
    ) -> SeatSolution:
        """The inverse of :meth:`arrays`."""
        tables = [arrays[f"round_{n}"] for n in range(len(arrays) - 2)]
        return cls(entry, board, seat, arrays["own"], tables, Certificate(*arrays["certificate"].tolist()))

    @cached_property
    def layout(self) -> tuple[SpotRows, Tree]:
        """See :func:`cfr.subgame.resolver.lay_out`."""
        return lay_out([self.entry], self.board)


def resolve(
    blueprint: Spots, entry: State, board: tuple[int, ...], seat: int, effort: Effort, threads: int = 1
) -> SeatSolution:
    """Re-solve a seat's play from a state on in which the board's round begins; its own range must not be empty."""
    own, expected = (blueprint.reach(entry, board, each)[None] for each in (seat, 1 - seat))
    targets = target_values(blueprint, [entry], board, seat, own, threads)
    resolver = Resolver(Subgames([entry], board, seat, own, expected, targets), effort, threads)
    resolver.solve()
    certified = certificates(resolver.subgames, resolver.best_response())
    return SeatSolution(entry, board, seat, resolver.subgames.own[0], resolver.averages, certified[0])


def as_spot_strategy(first: SeatSolution, second: SeatSolution) -> SpotStrategy:
    """What both seats play on one betting line, each as it was re-solved; their ranges are the blueprint's."""
    rows, tree = first.layout
    spot = Spot(first.entry, first.board, np.stack([first.own, second.own]))
    rounds = [_BothSeats(tree, level, [first.tables[level], second.tables[level]]) for level in range(len(tree.rounds))]
    return SpotStrategy(spot, rows, rounds, {})


class _BothSeats:
    """One round of both seats' play, in 255ths as files have it, read row by row."""

    def __init__(self, tree: Tree, level: int, tables: Sequence[np.ndarray]) -> None:
        self._tree, self._level, self._tables = tree, level, tables
        self._betting = tree.betting.rounds[tree.first + level]
        self.shape = (len(tables[0]), self._betting.node_actions, len(tree.rounds[level].entry))

    def __getitem__(self, rows: Any) -> Floats:
        sums = self._tree.by_line((self._tables[0][rows], self._tables[1][rows]), self._level).astype(np.float64)
        for numbers in self._betting.action_index:
            legal = numbers[numbers >= 0]
            of_node = sums[:, legal]
            of_node = np.where((of_node > 0).any(axis=1, keepdims=True), of_node, 1.0)
            sums[:, legal] = of_node * (ONE / of_node.sum(axis=1, keepdims=True))
        return sums


def certificates(subgames: Subgames, best: Floats) -> list[Certificate]:
    """A certificate for each entry, given ``(n, H)`` what a best response wins there."""
    game = subgames.game
    live = game.live(subgames.board)
    mass = subgames.own @ game.apart * live
    to_mbb, found = 1000 / game.big_blind, []
    for gain, against, expected in zip(best - subgames.targets, mass, subgames.expected, strict=True):
        met = against > 0
        rise = np.maximum(gain[met], 0)
        lost = -float(gain @ expected) / max(float(against @ expected), 1e-300) if expected.any() else 0.0
        most = float((rise / against[met]).max(initial=0))
        found.append(Certificate(most * to_mbb, float(rise.sum() / against[met].sum()) * to_mbb, lost * to_mbb))
    return found
