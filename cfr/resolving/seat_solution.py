"""One seat's re-solved play from the start of a round on, on one betting line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import State
from cfr.hands.river_rows import RiverRows
from cfr.kernel.tree import Tree
from cfr.resolving.gadget import Certificate
from cfr.strategy.spot_rows import SpotRows, lay_out
from cfr.strategy.strategy import Cards, Floats


@dataclass(frozen=True, eq=False)
class SeatSolution:
    """A seat's re-solved play.

    Attributes:
        entry: the state in which the round begins.
        board: card codes.
        seat: ACPC position.
        own: ``(H,)`` reach of the seat's hands by the blueprint; the play of hands with reach 0 has no meaning.
        tables: per round, the seat's average strategy in the layout of :func:`cfr.strategy.spot_rows.lay_out`.
        river_rows: whether a row of the game's last round is a hand or a strength.
        certificate: a bound on the play's loss of safety.
    """

    entry: State
    board: tuple[int, ...]
    seat: int
    own: Floats
    tables: Sequence[np.ndarray]
    river_rows: RiverRows
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
        sums = tree.seat_by_line(self.tables[level][used], level)[:, columns, line].astype(np.float64)
        sums = np.where((sums > 0).any(axis=1, keepdims=True), sums, 1.0)
        shares = np.zeros((len(found), 3))
        shares[np.ix_(live, numbers >= 0)] = (sums / sums.sum(axis=1, keepdims=True))[where]
        return shares

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Arrays for a cache; :meth:`of_arrays` reads them."""
        safe = self.certificate
        return {f"round_{n}": table for n, table in enumerate(self.tables)} | {
            "own": self.own,
            "river_rows": np.array(self.river_rows),
            "certificate": np.array([safe.most, safe.mean, safe.drop]),
        }

    @classmethod
    def of_arrays(
        cls, entry: State, board: tuple[int, ...], seat: int, arrays: dict[str, NDArray[Any]]
    ) -> SeatSolution:
        """The inverse of :meth:`arrays`."""
        own, certificate = arrays["own"], Certificate(*arrays["certificate"].tolist())
        tables = [arrays[f"round_{n}"] for n in range(len(arrays) - 3)]
        return cls(entry, board, seat, own, tables, arrays["river_rows"].item(), certificate)

    @cached_property
    def layout(self) -> tuple[SpotRows, Tree]:
        """See :func:`cfr.strategy.spot_rows.lay_out`."""
        return lay_out([self.entry], self.board, river_rows=self.river_rows)
