"""One seat's play on one flop behind one preflop line: what is refined at a time."""

from __future__ import annotations

from typing import NamedTuple


class FlopSubgame(NamedTuple):
    """One seat's play on one flop behind one preflop line.

    Attributes:
        board: the canonical flop.
        seat: the seat whose play is solved (ACPC position).
        line: number of the preflop line.
    """

    board: tuple[int, ...]
    seat: int
    line: int
