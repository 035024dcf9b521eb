"""Counter-strategies: restricted Nash responses to a model, in the model's own buckets.

The opponent decides at the start of a hand, by a coin, whether it plays the model or whatever hurts the counter most.
The coin's chance of the model is the *confidence*: 1 is the greedy end, a best response to the model, 0 an equilibrium
(Johanson, Zinkevich and Bowling 2007, "Computing robust counter-strategies"). Each seat learns by regret matching+, in
tables of its own: against the other seat's adversary, which learns too, and against the model, with steps in these
proportions. On sampled boards the adversary plays its best response in the last round, as in CFR-BR.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from cfr.kernel.builds import dtype_for
from cfr.kernel.chance import BoardSampler, Deal, enumerate_deal, in_visiting_order
from cfr.kernel.tables import MovedRows, Rows, Tables
from cfr.kernel.traversal import Mode, Prepared, Traversal, Visit, layout
from cfr.kernel.tree import ROWS_AT_A_TIME
from cfr.strategy.files.file import save
from cfr.strategy.files.quantise import quantise
from cfr.strategy.files.round_rows import RoundRows
from cfr.strategy.files.stored import Strategy
from cfr.strategy.files.table_archive import Kinds, TableArchive, write
from cfr.system.errors import BadInputError

BOARDS = 8  # sampled together
_SEEDS = 1 << 32
_FORMAT = "cfr counter checkpoint 2"


class Countering:
    """The tables of a counter-strategy, and how to go on with them.

    Args:
        model: a file of a whole game.
        confidence: the chance of the model, 0 to 1.
        threads: of a traversal; the result does not depend on it.
        seed: of sampled boards.

    Attributes:
        iterations: done so far; one is an update of each seat against each of its opponents.
    """

    @staticmethod
    def memory_bytes(model: Strategy) -> int:
        """What the tables take at most: regrets of both seats and both of their opponents, sums, and the model.

        Where boards are sampled, the opponents respond in the last round, and the pages of their tables stay untouched.
        """
        tree = layout(model.game, dtype_for(model.game))
        counts = model.abstraction.num_rows
        entries = [sum(prod(tree.table_shape(r, seat, n)) for seat in (0, 1)) for r, n in enumerate(counts)]
        last = 4 if model.abstraction.separates_boards else 3
        return (4 * sum(entries[:-1]) + last * entries[-1]) * np.dtype(dtype_for(model.game)).itemsize

    def __init__(self, model: Strategy, confidence: float, threads: int = 1, seed: int = 0) -> None:
        self.iterations = 0
        self._model, self._confidence, self._threads = model, confidence, threads
        game = model.game
        self._is_enumerated = model.abstraction.separates_boards
        dtype = dtype_for(game)
        self._traversal = Traversal(layout(game, dtype), threads, dtype)
        self._rows: Rows = model.abstraction
        self._whole: Deal | None = None
        if self._is_enumerated:
            self._whole, self._rows = in_visiting_order(enumerate_deal(game, model.abstraction), model.abstraction)
        self._sampler = BoardSampler(game, model.abstraction, seed)
        rows = model.abstraction.num_rows
        self._tables = [self._traversal.zeros(rows) for _ in range(2)]  # by the counter's seat; with its adversary's
        self._averages = self._traversal.zeros(rows, sums=True)
        self._models = [self._seated(seat) for seat in (0, 1)]
        self._chains: list[list[tuple[Prepared, float]]] = []

    def step(self) -> None:
        """One iteration; Ctrl-C must not come in between."""
        number, place = divmod(self.iterations, BOARDS)
        if self._whole is not None:
            place = 0
            if not self._chains:
                self._chains = self._prepare(self._whole)
        elif not (place and self._chains):
            self._chains = self._prepare(self._sampler.deal(number, BOARDS, self._threads))
        self.iterations += 1
        for chain in self._chains:
            for traversal, step in chain:
                traversal.run(Visit(place, float(self.iterations), step=step, seed=self.iterations % _SEEDS))

    def save(self, path: str | Path, attributes: Mapping[str, Any]) -> None:
        """Write the average strategy, with the model's card abstraction; raises SaveError."""
        game = self._model.game
        rounds = [self._stored(r) for r in range(game.num_rounds)]
        save(path, game, self._model.abstraction.arrays(), rounds, attributes)

    def save_checkpoint(self, path: Path, identity: Mapping[str, Any]) -> None:
        """Keep the tables, so that :meth:`load_checkpoint` goes on with the same bits; raises SaveError."""
        header = {"format": _FORMAT, "lanes": self._traversal.tree.lanes, "iterations": self.iterations}
        write(path, header | {"identity": identity}, self._kinds, {})

    def load_checkpoint(self, path: Path, identity: Mapping[str, Any]) -> None:
        """Go on where a checkpoint ended, which says what it is of.

        Raises:
            OSError, DamagedFileError: the checkpoint cannot be read.
            BadInputError: its ``identity`` is another.
        """
        tree = self._traversal.tree
        with TableArchive(path, _FORMAT) as archive:
            if archive.header["identity"] != identity:
                raise BadInputError(f"{path}: of another counter-strategy; delete it, or name another file")
            archive.fill(self._kinds, lambda _: (tree, tree))
        self.iterations = int(archive.header["iterations"])

    @property
    def _kinds(self) -> Kinds:
        first, second = ([*own[:-1], self._in_use(own[-1], seat)] for seat, own in enumerate(self._tables))
        return {"first": first, "second": second, "averages": self._averages}

    def _in_use(self, last: Tables, seat: int) -> Tables:
        """A seat's tables of the last round and its opponent's, of which no row is in use where boards are sampled."""
        met = last[1 - seat] if self._is_enumerated else last[1 - seat][:0]
        return (last[0], met) if seat == 0 else (met, last[1])

    def _prepare(self, deal: Deal) -> list[list[tuple[Prepared, float]]]:
        """By the counter's seat, traversals in their order, each with its step."""
        chains = []
        answers: Mode = "update" if self._is_enumerated else "respond"
        for seat in (0, 1):
            own, sums = self._tables[seat], [pair[seat] for pair in self._averages]
            chain: list[tuple[Prepared, float]] = []
            if self._confidence < 1:
                chain.append((self._traversal.prepare(deal, own, 1 - seat, answers), 1.0))
                met = self._traversal.prepare(deal, own, seat, "update", averages=sums, met=not self._is_enumerated)
                chain.append((met, 1 - self._confidence))
            if self._confidence > 0:
                against = [
                    (pair[0], fixed) if seat == 0 else (fixed, pair[1])
                    for pair, fixed in zip(own, self._models[seat], strict=True)
                ]
                kept = sums if self._confidence == 1 else None
                chain.append((self._traversal.prepare(deal, against, seat, "update", averages=kept), self._confidence))
            chains.append(chain)
        return chains

    def _seated(self, seat: int) -> list[np.ndarray]:
        """Per round, the model's table in the other seat."""
        tree, tables = self._traversal.tree, []
        for r, count in enumerate(self._model.abstraction.num_rows):
            table = np.empty(tree.table_shape(r, 1 - seat, count, self._traversal.dtype), self._traversal.dtype)
            for start in range(0, count, ROWS_AT_A_TIME):
                stop = min(start + ROWS_AT_A_TIME, count)
                part = tree.of_seat(self._model.read(r, slice(start, stop)), r, 1 - seat, self._traversal.dtype)
                table[self._stand(r, start, stop)] = part
            tables.append(table)
        return tables

    def _stored(self, round_: int) -> RoundRows:
        """A round of the average strategy as the file keeps it."""
        betting = self._model.betting.rounds[round_]
        first, second = self._averages[round_]
        shape = (len(first), betting.node_actions, self._model.betting.num_lines[round_])

        def read(start: int, stop: int) -> np.ndarray:
            stand = self._stand(round_, start, stop)
            part: Tables = (first[stand], second[stand])
            return quantise(np.maximum(self._traversal.tree.by_line(part, round_), 0), betting)

        return RoundRows(shape, read)

    def _stand(self, round_: int, start: int, stop: int) -> slice | np.ndarray:
        """Where the abstraction's rows ``start`` to ``stop`` stand in a round's tables."""
        return self._rows.places[round_][start:stop] if isinstance(self._rows, MovedRows) else slice(start, stop)
