"""The log of refined subgames, which lies beside the file that they will be in."""

from __future__ import annotations

import struct

from cfr.game.betting import BettingTree
from cfr.resolving.flop_refiner import FlopSubgame
from cfr.strategy.files.refined_flops import RefinedFlop
from cfr.system.disk.result_log import Parts

_SECONDS = struct.Struct("<d")
_FLOP = 1


def subgame_number(betting: BettingTree, flop: int, subgame: FlopSubgame) -> int:
    """A subgame's number in a log; ``flop`` is the number of its canonical board."""
    return (flop * betting.num_lines[_FLOP] + subgame.line) * 2 + subgame.seat


def flop_of(betting: BettingTree, number: int) -> int:
    """The number of a subgame's flop, by :func:`subgame_number`."""
    return number // (2 * betting.num_lines[_FLOP])


def add_subgame(log: Parts, number: int, seconds: float, packed: bytes) -> None:
    """Append a solved subgame (:meth:`cfr.resolving.flop_refiner.FlopRefiner.packed`); raises SaveError.

    ``seconds`` is the wall-clock time of the refinement so far.
    """
    log.add(number, _SECONDS.pack(seconds) + packed)


def read_subgame(log: Parts, number: int) -> RefinedFlop:
    """A subgame of the log; raises DamagedFileError."""
    return RefinedFlop.unpack(log.read(number)[_SECONDS.size :])


def seconds_of(log: Parts) -> float:
    """Wall-clock time of the refinement so far; raises DamagedFileError."""
    return max((float(_SECONDS.unpack_from(log.read(number))[0]) for number in log.numbers), default=0.0)
