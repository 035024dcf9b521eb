"""A node's share of a solve that is spread over a cluster: pieces on its own disk, visited when the driver says so."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from cfr.abstraction.abstraction import Abstraction
from cfr.kernel.pieces import all_boards
from cfr.kernel.schedules import schedule_named
from cfr.kernel.tables import Tables
from cfr.kernel.traversal import Mode
from cfr.solver.out_of_core.piece_holder import PieceHolder, Update
from cfr.solver.out_of_core.piece_measure import stored_part, winnings
from cfr.solver.out_of_core.piece_plan import REPLACED, PiecePlan, folder_of, split, tables_of
from cfr.solver.out_of_core.piece_tables import Kind
from cfr.solver.out_of_core.tables_folder import claim_folder
from cfr.solver.settings import Settings
from cfr.system.disk.block_files import holds_blocks, room_bytes
from cfr.system.disk.file_lock import Lock
from cfr.system.errors import BadInputError, CfrError, SaveError

_PATIENCE = 30.0  # seconds

Carried = list[tuple[int, np.ndarray]]  # pieces, and what each adds to the values of the first round's leaves


@dataclass(frozen=True)
class Measure:
    """What a pass measures.

    Attributes:
        kind: tables that hold the strategy.
        seat: whose winnings.
        mode: ``best`` or ``average``.
        as_stored: None, or whether the file has remainders and how many rounds it has
            (:func:`cfr.solver.out_of_core.piece_measure.measure_stored`).
    """

    kind: Kind
    seat: int
    mode: Mode
    as_stored: tuple[bool, int] | None = None


def one_board_each(settings: Settings) -> PiecePlan:
    """A plan whose pieces have one board of the second round each: what they add does not depend on where they are."""
    levels = all_boards(settings.game)
    return split(settings, tables_of(settings), levels, tuple(range(len(levels[1].cards) + 1)))


def share_folder(settings: Settings, number: int) -> Path:
    """The folder of a share."""
    folder = folder_of(settings)
    return folder.with_name(f"{folder.name}-{number}")


class PieceShare:
    """Lives on a node; its methods are called from afar.

    Args:
        settings: of the solve, with this node's threads.
        number: of the share.
        pieces: its pieces.
        versions: of the blocks that a solve goes on with; None begins anew.

    Raises:
        CfrError: a disk or a memory that is too small here.
    """

    def __init__(self, settings: Settings, number: int, pieces: range, versions: Mapping[str, int] | None) -> None:
        folder = share_folder(settings, number)
        if not folder.parent.is_dir():
            raise BadInputError(f"disk: {folder.parent} is not a folder of every node")
        plan = replace(one_board_each(settings), folder=folder)
        needed = int((1 + REPLACED) * sum(plan.tables.sizes(plan.num_rows(piece)) for piece in pieces))
        if versions is None and needed > room_bytes(folder):
            raise CfrError(
                f"share {number} of {settings.game.name} needs about {needed / 1e9:,.1f} GB of disk, "
                f"{room_bytes(folder) / 1e9:,.1f} GB are free in {folder.parent} of its node"
            )
        self._lock = _claimed(folder, settings, may_replace=settings.overwrite or versions is not None)
        self._holder = PieceHolder(plan, schedule_named(settings.schedule), settings.threads, versions or {}, pieces)
        self._abstraction = Abstraction.lossless(settings.game, settings.river_rows)
        self._carried = self._holder.traversal.carried()
        self._pieces: Iterator[int] = iter(())
        self._steps: Iterator[Any] = iter(())
        self._first: Mapping[Kind, Tables] = {}

    def lanes(self) -> int:
        """Of the vectors of this node's kernel."""
        return self._holder.traversal.tree.lanes

    def begin_update(self, seat: int, iteration: int, first: Mapping[Kind, Tables], first_piece: int) -> None:
        """Begin to update a seat, from ``first_piece`` on; the tables of ``first`` say which kinds."""
        self._first = {kind: _own(pair) for kind, pair in first.items()}
        update = Update(seat, iteration, tuple(first), self._first)
        self._begin(self._holder.updates(update, first_piece, self._carried), first_piece)

    def begin_measure(self, measure: Measure, first: Tables) -> None:
        """Begin to measure a strategy."""
        traversal, mode = self._holder.traversal, measure.mode
        parts = self._holder.parts(
            measure.kind, _own(first), measure.seat, "average" if measure.as_stored is not None else mode
        )
        if measure.as_stored is not None:
            is_fine, num_stored = measure.as_stored
            parts = (stored_part(traversal, part, is_fine, num_stored) for part in parts)
        self._begin(winnings(traversal, parts, measure.seat, mode, self._carried), self._holder.pieces.start)

    def go_on(self, seconds: float) -> Carried:
        """Visit pieces for some seconds, or until the state is to be kept, but not the last one of the whole solve.

        The result is empty if none is left.
        """
        until, found = time.monotonic() + seconds, []
        for piece in self._pieces:
            self._carried[...] = 0
            next(self._steps)
            found.append((piece, self._carried.copy()))
            if time.monotonic() > until or self._holder.is_to_be_kept:
                break
        return found

    def finish(self, carried: np.ndarray) -> tuple[Any, Mapping[Kind, Tables]]:
        """Visit the last piece of the whole solve, with the values of all others.

        Returns:
            What the last step yields, and the first round's tables.
        """
        self._carried[...] = carried
        return next(self._steps), self._first

    def secured(self) -> Mapping[str, int]:
        """The present state's versions; the disk has it, and the one kept before."""
        return self._holder.files.secured()

    def let_go(self) -> None:
        """Delete what the present state replaced."""
        self._holder.files.let_go()

    def is_to_be_kept(self) -> bool:
        """As :attr:`PieceHolder.is_to_be_kept`."""
        return self._holder.is_to_be_kept

    def canonical(self, piece: int, round_: int) -> np.ndarray:
        """As :meth:`PieceHolder.canonical`."""
        return self._holder.canonical(self._abstraction, piece, round_)

    def round_tables(self, kind: Kind, piece: int, round_: int) -> Tables:
        """As :meth:`PieceHolder.round_tables`."""
        return self._holder.round_tables(kind, piece, round_)

    def remove(self) -> None:
        """Delete the share."""
        self._holder.remove()
        self._lock.close()

    def _begin(self, steps: Iterator[Any], first_piece: int) -> None:
        holder = self._holder
        self._steps = steps
        self._pieces = iter(range(first_piece, min(holder.pieces.stop, holder.plan.count - 1)))


def _own(pair: Tables) -> Tables:
    """Tables that may be written to: those that came by Ray may not."""
    return pair[0].copy(), pair[1].copy()


def _claimed(folder: Path, settings: Settings, may_replace: bool) -> Lock:
    """A hold on a share; the processes of a driver that was killed end some seconds later."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            return claim_folder(folder, settings.out, may_replace, is_afar=True)
        except SaveError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


class ShareFinder:
    """Lives on a node, and says which shares lie there.

    Args:
        settings: of the solve.
        versions: of the blocks of each share, by its checkpoint.
    """

    def __init__(self, settings: Settings, versions: Sequence[Mapping[str, int]]) -> None:
        self._settings, self._versions = settings, versions

    def found(self) -> list[int]:
        """The numbers of the shares on this node's disk; leftovers of earlier states are none."""
        return [
            number
            for number, versions in enumerate(self._versions)
            if holds_blocks(share_folder(self._settings, number), versions)
        ]
