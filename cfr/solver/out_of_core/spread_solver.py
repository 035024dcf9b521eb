"""A solve whose pieces lie on the disks of a Ray cluster's nodes: the bits of the solve on one machine.

1. Each node holds a share of the pieces; a piece has one board of the second round, with all boards below.
2. For an update of a seat the driver sends the first round's tables. The nodes update their pieces side by side.
3. What a piece adds to the values of the first round's leaves comes back, some kilobytes a piece.
4. The driver adds these values in the order of the boards, as a solve on one machine does.
5. The node with the last piece gets the sum, updates that piece, and with it the first round, whose tables come back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from cfr.abstraction.abstraction import Abstraction
from cfr.kernel.best_response import Measured
from cfr.kernel.tables import Tables
from cfr.kernel.traversal import Mode, Traversal
from cfr.solver import checkpoint
from cfr.solver.out_of_core.piece_measure import measured_by
from cfr.solver.out_of_core.piece_rows import BandedRows
from cfr.solver.out_of_core.piece_share import Measure, PieceShare, ShareFinder, one_board_each
from cfr.solver.out_of_core.piece_tables import Kind
from cfr.solver.out_of_core.pieces_solver import KIND, PiecesSolver
from cfr.solver.settings import Settings
from cfr.solver.solver import Solution
from cfr.strategy.files.round_rows import RoundRows
from cfr.system.cluster.cluster import Cluster
from cfr.system.cluster.residents import Node, Residents
from cfr.system.errors import BadInputError, CfrError

_ANY = 1e9  # GB: more than any machine has
_SECONDS = 20.0  # that nodes work between two looks of the driver


class SpreadSolver(PiecesSolver):
    """The tables of a solve on a cluster, and how to go on with them.

    Args:
        settings: what to solve; ``disk`` is a folder of every node, ``memory_gb`` the most memory on each.
        abstraction: lossless.
        cluster: whose nodes hold the pieces.
        header: of the checkpoint that the solve continues, or None.

    Raises:
        CfrError: too few nodes, nodes whose processors differ too much, or one that has too little disk or memory.
    """

    def __init__(
        self, settings: Settings, abstraction: Abstraction, cluster: Cluster, header: checkpoint.Header | None = None
    ) -> None:
        plan = one_board_each(replace(settings, memory_gb=_ANY))  # its pieces are not here
        tables, pieces = plan.tables, None if header is None else header.pieces
        traversal = Traversal(tables.tree, settings.threads, tables.wide, table_dtype=tables.numbers)
        super().__init__(settings, abstraction, plan, traversal)
        again = f"continue with: cfr solve --resume {checkpoint.path_for(settings.out)} --ray, once it is back"
        self._residents = Residents(cluster, again)
        # A node's process has another working folder.
        disk = None if settings.disk is None else settings.disk.absolute()
        self._there = replace(settings, resume=None, out=settings.out.absolute(), disk=disk)
        self._shares = self._shared_out() if pieces is None else pieces.shares
        self._seat, self._following = 0, list(self._shares[:-1])
        self._carried = np.zeros((plan.count, *traversal.carried().shape), traversal.dtype)
        self._is_begun = False  # whether the nodes know of the update under way
        if pieces is not None:
            self._load(self._carried)
            self._seat, self._following = pieces.seat, list(pieces.following)
        try:
            self._numbers = self._started(None if pieces is None else pieces.versions)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End what runs on the nodes; their tables stay."""
        self._residents.close()

    def remove(self) -> None:
        self._residents.call(self._numbers, "remove")
        self.close()

    @property
    def share_of_step(self) -> float:
        done = sum(next_ - first for next_, first in zip(self._following, self._shares, strict=False))
        return (self._seat + done / self.plan.count) / 2

    def step(self, most: int = 1, between: Callable[[], bool] | None = None) -> int:
        while True:
            is_done = self._update_some()
            if is_done:
                self.iterations += self._seat
                self._seat = 1 - self._seat
            if any(self._residents.call(self._numbers, "is_to_be_kept")):
                self.save_checkpoint()
            if is_done and not self._seat:
                return 1
            if between is not None and between():
                return 0

    def save_checkpoint(self) -> Path:
        versions: dict[str, int] = {}
        for of_share in self._residents.call(self._numbers, "secured"):
            versions |= of_share
        following = tuple(self._following)
        pieces = checkpoint.Pieces(self.plan.bounds, self._seat, 0, versions, self._shares, following)
        path = self._save(pieces, self._carried)
        self._residents.call(self._numbers, "let_go")
        return path

    def exploitability_mbb(self, solution: Solution = "average") -> float:
        to_mbb = self.settings.game.mbb
        return sum(self._won(KIND[solution], None, seat, "best") for seat in (0, 1)) / 2 * to_mbb

    def measure_in_parts(self, solution: Solution, is_fine: bool, num_stored: int) -> Measured:
        return measured_by(self.settings.game, partial(self._won, KIND[solution], (is_fine, num_stored)))

    def stored_round(self, round_: int, solution: Solution = "average") -> RoundRows:
        kind = KIND[solution]

        def canonical(piece: int) -> np.ndarray:
            found: np.ndarray = self._of_piece(piece, "canonical", piece, round_)
            return found

        def tables(piece: int) -> Tables:
            found: Tables = self._of_piece(piece, "round_tables", kind, piece, round_)
            return found

        return BandedRows(self.plan, self.abstraction, round_, self.first[kind], canonical, tables).rows

    def _update_some(self) -> bool:
        """Let the nodes update a seat for some seconds; whether its update is done."""
        if not self._is_begun:
            first = {kind: self.first[kind] for kind in self.kinds}
            for number, first_piece in zip(self._numbers, self._following, strict=True):
                self._residents.call([number], "begin_update", self._seat, self.iterations + 1, first, first_piece)
            self._is_begun = True
        if self._go_on(self._carried, self._following):
            return False
        (_, changed), *_ = self._residents.call(self._numbers[-1:], "finish", _sum(self._carried))
        for kind, pair in changed.items():
            self.first[kind] = pair[0].copy(), pair[1].copy()
        self._following, self._is_begun = list(self._shares[:-1]), False
        self._carried[...] = 0
        return True

    def _won(self, kind: Kind, as_stored: tuple[bool, int] | None, seat: int, mode: Mode) -> float:
        """What a seat wins in mode ``best`` or ``average``, in chips."""
        self._is_begun = False  # the nodes forget an update under way
        self._residents.call(self._numbers, "begin_measure", Measure(kind, seat, mode, as_stored), self.first[kind])
        carried, following = np.zeros_like(self._carried), list(self._shares[:-1])
        while self._go_on(carried, following):
            pass
        (won, _), *_ = self._residents.call(self._numbers[-1:], "finish", _sum(carried))
        return float(won)

    def _go_on(self, carried: np.ndarray, following: list[int]) -> bool:
        """Let the nodes go on with a pass for some seconds; whether a piece is left besides the last one."""
        for share, found in enumerate(self._residents.call(self._numbers, "go_on", _SECONDS)):
            for piece, values in found:
                carried[piece] = values
                following[share] = piece + 1
        ends = [*self._shares[1:-1], self.plan.count - 1]
        return any(piece < end for piece, end in zip(following, ends, strict=True))

    def _of_piece(self, piece: int, method: str, *arguments: Any) -> Any:
        share = int(np.searchsorted(self._shares, piece, "right")) - 1
        return self._residents.call([self._numbers[share]], method, *arguments)[0]

    def _shared_out(self) -> tuple[int, ...]:
        """The first piece of each node's share, and at the end how many pieces there are; shares are about as large."""
        nodes, tables, plan = self._residents.nodes, self.plan.tables, self.plan
        if not 2 <= len(nodes) <= plan.count:
            raise BadInputError(
                f"ray: the cluster has {len(nodes)} node{'s' * (len(nodes) != 1)}; a solve is spread over 2 to "
                f"{plan.count:,}, its boards of the second round. On one machine, leave cluster= out"
            )
        ends = np.cumsum([tables.sizes(plan.num_rows(piece)) for piece in range(plan.count)])
        wanted = ends[-1] * np.arange(1, len(nodes)) / len(nodes)
        found = [0, *(int(place) + 1 for place in np.searchsorted(ends, wanted))]
        for share in range(1, len(found)):
            found[share] = max(found[share], found[share - 1] + 1)
            found[share] = min(found[share], plan.count - len(found) + share)
        return (*found, plan.count)

    def _started(self, versions: Mapping[str, int] | None) -> list[int]:
        """Start the shares on their nodes; the residents' numbers."""
        shares = [range(first, stop) for first, stop in pairwise(self._shares)]
        own_versions: list[dict[str, int] | None] = [None] * len(shares)
        places = self._residents.nodes
        if versions is not None:
            of_shares = [{n: v for n, v in versions.items() if int(n.rpartition("-")[2]) in one} for one in shares]
            places, own_versions = self._places(of_shares), [*of_shares]
        numbers = []
        for share, (pieces, node, own) in enumerate(zip(shares, places, own_versions, strict=True)):
            here = places.count(node)  # Ray gives whole cores, or a part of one
            cores = node.cores // here or node.cores / here
            begin = partial(PieceShare, replace(self._there, threads=max(1, int(cores))), share, pieces, own)
            numbers.append(self._residents.start(node, begin, cores))
        if any(lanes != self.plan.tables.tree.lanes for lanes in self._residents.call(numbers, "lanes")):
            raise CfrError("ray: the nodes' processors differ in the width of their vectors; set CFR_LEVEL on all")
        return numbers

    def _places(self, versions: Sequence[Mapping[str, int]]) -> list[Node]:
        """The node of each share: where the blocks are that its checkpoint names."""
        nodes, count = self._residents.nodes, len(versions)
        finders = [self._residents.start(node, partial(ShareFinder, self._there, versions), 0) for node in nodes]
        found = self._residents.call(finders, "found")
        places: list[Node] = []
        for share in range(count):
            having = [node for node, there in zip(nodes, found, strict=True) if share in there]
            if not having:
                raise CfrError(f"share {share} of {count} of this solve lies on no node of the cluster")
            places.append(min(having, key=places.count))
        return places


def _sum(carried: np.ndarray) -> np.ndarray:
    """The values of all pieces but the last, added in order: ``numpy.sum`` would add in another one."""
    found: np.ndarray = np.zeros_like(carried[0])
    for values in carried[:-1]:
        found += values
    return found
