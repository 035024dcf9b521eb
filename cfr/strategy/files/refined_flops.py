"""Refined flops in a strategy file: the play of all hands, solved without buckets, and what hands win there."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from math import floor, log2
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import BettingTree
from cfr.game.cards import format_cards
from cfr.game.rules import Game
from cfr.hands.boards import BoardMap
from cfr.strategy.files.file import (
    ATTRIBUTES_CHECKSUM,
    FORMAT_VERSION,
    OF_BLUEPRINT,
    OPENING_VALUES,
    REFINED,
    REFINED_VERSION,
    attributes_checksum,
    create_array,
    open_file,
    plain,
    reading,
    refined_checksum,
    revised,
)
from cfr.system.disk.shared_file import SharedFile
from cfr.system.progress import Progress

_OF_FILE = ("format", "format_version", "game", "game_name", ATTRIBUTES_CHECKSUM)
_HELD_FLOPS = 16  # in memory; one of full hold'em takes 10 MB
_INT16 = 32767


@dataclass(frozen=True, eq=False)
class RefinedFlop:
    """Both seats' play on one flop behind ``n`` preflop lines, and the most that hands win against it.

    Rows are those of :func:`cfr.strategy.spot_rows.all_rows` on the canonical flop. Values by seat are what the hands
    of the seat win against the play of the other seat: chips, summed over the other seat's hands by their reach.

    Attributes:
        lines: ``(n,)`` int32 numbers of the preflop lines, ascending.
        refined: ``(2, n)`` bool: whether a seat's play is refined; without, there are zeros for it.
        probabilities: ``(rows, node_actions, n)`` float32 of the flop's play.
        targets: ``(2, rows, n)`` float64 the most that hands win against the blueprint from the flop on.
        values: ``(2, rows, n)`` float64 the most that hands win against the solved play from the flop on.
        turn_values: ``(2, turn rows, turn lines)`` int16 the most that hands win against the solved play from the turn
            on, per pair of hands that meet, in steps of 1 / :func:`turn_steps` chips, rounded down. Turn line
            ``leaf * n + line`` leaves the flop at ``leaf``.
        certificates: ``(2, n, 3)`` float64 ``most``, ``mean`` and ``drop`` of each seat's play, in mbb.
    """

    lines: NDArray[np.int32]
    refined: NDArray[np.bool_]
    probabilities: NDArray[np.float32]
    targets: NDArray[np.float64]
    values: NDArray[np.float64]
    turn_values: NDArray[np.int16]
    certificates: NDArray[np.float64]

    @classmethod
    def zeros(cls, lines: Sequence[int], num_rows: Sequence[int], betting: BettingTree) -> RefinedFlop:
        """A flop on which nothing is refined; ``lines`` ascend, ``num_rows`` are table rows per round of the game."""
        flop, turn, of_flop = num_rows[1], num_rows[2], betting.rounds[1]
        count = len(lines)
        return cls(
            lines=np.array(lines, np.int32),
            refined=np.zeros((2, count), np.bool_),
            probabilities=np.zeros((flop, of_flop.node_actions, count), np.float32),
            targets=np.zeros((2, flop, count)),
            values=np.zeros((2, flop, count)),
            turn_values=np.zeros((2, turn, len(of_flop.leaves) * count), np.int16),
            certificates=np.zeros((2, count, 3)),
        )

    @classmethod
    def together(cls, parts: Sequence[RefinedFlop], num_rows: Sequence[int], betting: BettingTree) -> RefinedFlop:
        """One flop of parts that have one line and one refined seat each."""
        lines = sorted({int(part.lines[0]) for part in parts})
        whole = cls.zeros(lines, num_rows, betting)
        turn_values = whole.turn_values.reshape(2, num_rows[2], -1, max(len(lines), 1))
        for part in parts:
            # Where a part has nothing it has zeros.
            at = lines.index(int(part.lines[0]))
            whole.refined[:, at] |= part.refined[:, 0]
            whole.probabilities[..., at] += part.probabilities[..., 0]
            whole.targets[..., at] += part.targets[..., 0]
            whole.values[..., at] += part.values[..., 0]
            turn_values[..., at] += part.turn_values
            whole.certificates[:, at] += part.certificates[:, 0]
        return whole

    def pack(self) -> bytes:
        """The flop as bytes; equal flops give equal bytes."""
        written = io.BytesIO()
        np.savez_compressed(written, **vars(self))
        return written.getvalue()

    @classmethod
    def unpack(cls, data: bytes) -> RefinedFlop:
        """The inverse of :meth:`pack`."""
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return cls(**arrays)

    def column(self, line: int, seat: int) -> int | None:
        """The place of a preflop line in :attr:`lines`; None where a seat's play behind the line is not refined."""
        at = int(np.searchsorted(self.lines, line))
        return at if at < len(self.lines) and self.lines[at] == line and self.refined[seat, at] else None

    def turn_line(self, entry_line: int, num_lines: int) -> tuple[int, int]:
        """The column of a betting line that enters the turn in :attr:`turn_values`, and that of its preflop line.

        Args:
            entry_line: number of the line in the betting tree.
            num_lines: number of lines that enter the flop.
        """
        leaf, line = divmod(entry_line, num_lines)
        at = int(np.searchsorted(self.lines, line))
        return leaf * len(self.lines) + at, at


def turn_steps(betting: BettingTree) -> float:
    """Steps to a chip in stored turn values, a power of two, perhaps less than 1: as fine as 16 bits allow."""
    most = int(betting.stakes[-1].max()) + int(betting.rounds[-1].outcome_added.max())
    return 2.0 ** floor(log2(_INT16 / most))


class RefinedFlops:
    """The refined flops of a file, read as they are asked for; flops go by the number of their canonical board.

    Attributes:
        solves_missing: whether flops that the file lacks are solved when they are asked for.
        path: the file.
        boards: the canonical flops of the game.
        attributes: attributes of the file.
        samples: number of flops and seed of each sample that the file holds; none where its flops are no sample.

    Raises:
        OSError, DamagedFileError: as :func:`cfr.strategy.files.file.open_file`.
    """

    solves_missing = False

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._file = open_file(self.path)
        try:
            with reading(self.path):
                self.attributes = {name: plain(value) for name, value in self._file.attrs.items()}
                game = Game.parse(str(self.attributes["game"]), str(self.attributes["game_name"]))
                self.boards = BoardMap(game.num_board_cards[1:2], game.deck)
                self.numbers = {int(group.attrs["number"]): name for name, group in self._file[REFINED].items()}
                self.samples = samples_of(self.attributes)
        except BaseException:
            self._file.close()
            raise
        self._held: Callable[[int], RefinedFlop] = lru_cache(_HELD_FLOPS)(self._read)

    def __reduce__(self) -> tuple[Any, ...]:
        return RefinedFlops, (SharedFile(self.path),)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def find(self, number: int) -> RefinedFlop | None:
        """A flop, or None if it was not refined; raises DamagedFileError."""
        return self._held(number) if number in self.numbers else None

    def behind(self, number: int, line: int, seat: int, hears: Progress | None = None) -> RefinedFlop | None:
        """A flop with a seat's play behind a preflop line; None where the blueprint plays on. Raises DamagedFileError.

        ``hears`` is told the share of a solve that is done, where there is one.
        """
        flop = self.find(number)
        return None if flop is None or flop.column(line, seat) is None else flop

    @property
    def identity(self) -> dict[str, str]:
        """What the flops' play depends on, beside the blueprint."""
        return {"strategy": str(self.attributes["checksum"])}

    def facts(self) -> dict[str, str]:
        """Which flops are refined, in words."""
        return {"refined": str(self.attributes["refined"])}

    def most_certificates(self) -> NDArray[np.float64]:
        """``(n,)`` largest gains over targets, in mbb, of all refined lines and seats; raises DamagedFileError."""
        with reading(self.path, source=self._file):
            groups = self._file[REFINED].values()
            return np.concatenate([group["certificates"][..., 0][group["refined"][...]] for group in groups])

    def _read(self, number: int) -> RefinedFlop:
        with reading(self.path, source=self._file):
            group = self._file[REFINED][self.numbers[number]]
            return RefinedFlop(**{field.name: group[field.name][...] for field in fields(RefinedFlop)})


def samples_of(attributes: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Number of flops and seed of each sample in a file with such attributes; none where its flops are no sample."""
    counts, seeds = (np.atleast_1d(attributes[name]).tolist() for name in ("refined_sample", "refined_seed"))
    return [(count, seed) for count, seed in zip(counts, seeds, strict=True) if count]


def blueprint_attributes(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The blueprint's attributes from those of a file with refined flops."""
    own = {name: attributes[name] for name in _OF_FILE if name in attributes}
    of_blueprint = {n.removeprefix(OF_BLUEPRINT): v for n, v in attributes.items() if n.startswith(OF_BLUEPRINT)}
    return {**own, "format_version": FORMAT_VERSION, **of_blueprint}


def save_refined(
    path: Path,
    blueprint: Path,
    checksum: str,
    flops: Iterable[tuple[int, NDArray[np.uint8], RefinedFlop]],
    attributes: Mapping[str, Any],
) -> str:
    """Write a copy of a strategy file with refined flops, and return its checksum.

    Args:
        path: the file to write.
        blueprint: a strategy file of a whole game.
        checksum: of the strategy whose flops were refined.
        flops: number, cards and play of each canonical flop, by ascending number.
        attributes: how they were made; the blueprint's attributes follow under names with ``blueprint_`` before them.

    Raises:
        SaveError: the blueprint's file has another strategy by now, the disk is full, or the folder cannot be written.
        DamagedFileError: the blueprint cannot be read.
    """
    with revised(path, blueprint, checksum) as (source, target):
        with reading(blueprint):
            for name in source:
                if name != OPENING_VALUES:  # what hands win in self-play, which is another now
                    source.copy(name, target)
            for name, value in source.attrs.items():
                if name in _OF_FILE:
                    target.attrs[name] = value
                else:
                    target.attrs[f"{OF_BLUEPRINT}{name}"] = value
        target.create_group(REFINED)
        for number, cards, flop in flops:
            group = target[REFINED].create_group(format_cards(cards.tolist()))
            group.attrs["number"] = number
            for name, value in vars(flop).items():
                if value.size:
                    create_array(group, name, value.shape, value.dtype, value.shape, fletcher32=True)[...] = value
                else:
                    group.create_dataset(name, data=value, track_times=False)
        for name, value in attributes.items():
            target.attrs[name] = value
        target.attrs["format_version"] = max(REFINED_VERSION, int(target.attrs["format_version"]))
        target.attrs["checksum"] = own = refined_checksum(target)
        target.attrs[ATTRIBUTES_CHECKSUM] = attributes_checksum(target)
    return own
