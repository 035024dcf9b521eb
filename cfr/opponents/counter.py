"""Counter-strategies: restricted Nash responses to a model, in the model's own buckets.

The opponent decides at the start of a hand, by a coin, whether it plays the model or whatever hurts the counter most.
The coin's chance of the model is the *confidence*: 1 is the greedy end, a best response to the model, 0 an equilibrium
(Johanson, Zinkevich and Bowling 2007, "Computing robust counter-strategies"). Each seat learns by regret matching+, in
tables of its own: against the other seat's adversary, which learns too, and against the model, with steps in these
proportions. On sampled boards the adversary plays its best response in the last round, as in CFR-BR, and the solve
begins with the blueprint's play (`cfr/opponents/warm_start.py`). The seats share no table and run side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from cfr.kernel.builds import dtype_for
from cfr.kernel.chance import BoardSampler, Deal, enumerate_deal, in_visiting_order
from cfr.kernel.tables import MovedRows, Rows, Tables
from cfr.kernel.traversal import Mode, Prepared, Traversal, Visit, layout
from cfr.kernel.tree import ROWS_AT_A_TIME, Tree
from cfr.opponents.warm_start import weights
from cfr.strategy.files.file import save
from cfr.strategy.files.quantise import quantise
from cfr.strategy.files.round_rows import RoundRows
from cfr.strategy.files.stored import Strategy
from cfr.strategy.files.table_archive import Kinds, TableArchive, write
from cfr.system.errors import BadInputError
from cfr.system.progress import Progress

BOARDS = 8  # sampled together
_RIVERS = 4  # below each sampled board, where the last round deals one card
_BEGUN = 500  # boards that the blueprint's play counts for
_UNSEEN = 1e-6  # weight of the blueprint's play in the average: that of rows which no board had
_SEEDS = 1 << 32
_FORMAT = "cfr counter checkpoint 3"

_Chain = list[tuple[Prepared, float]]


def usual_iterations(model: Strategy) -> int:
    """How many iterations a solve takes unless somebody says so: more where each visits a few boards of many."""
    return 1000 if model.abstraction.separates_boards else 4000


class Countering:
    """The tables of a counter-strategy, and how to go on with them.

    Args:
        model: a file of a whole game.
        confidence: the chance of the model, 0 to 1.
        threads: of a traversal; the result does not depend on it.
        seed: of sampled boards.
        blueprint: with whose play a solve on sampled boards begins; it has the model's rows. None begins with nothing.
        hears: the share of the beginning that is done.

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

    def __init__(
        self,
        model: Strategy,
        confidence: float,
        threads: int = 1,
        seed: int = 0,
        blueprint: Strategy | None = None,
        hears: Progress = lambda _: None,
    ) -> None:
        self.iterations = 0
        self._model, self._confidence, self._threads = model, confidence, threads
        game = model.game
        self._is_enumerated = model.abstraction.separates_boards
        dtype = dtype_for(game)
        ends = _RIVERS if game.num_board_cards[-1] == 1 else 1
        self._traversals = [
            Traversal(layout(game, dtype), max(1, part), dtype, ends) for part in (-(-threads // 2), threads // 2)
        ]
        self._other = ThreadPoolExecutor(1) if threads > 1 else None
        self._rows: Rows = model.abstraction
        self._whole: Deal | None = None
        if self._is_enumerated:
            self._whole, self._rows = in_visiting_order(enumerate_deal(game, model.abstraction), model.abstraction)
        self._sampler = BoardSampler(game, model.abstraction, seed, ends)
        rows = model.abstraction.num_rows
        self._tables = [each.zeros(rows) for each in self._traversals]  # by the counter's seat; with its adversary's
        self._averages = self._traversals[0].zeros(rows, sums=True)
        self._models = [self._room(seat) for seat in (0, 1)]  # by the counter's seat; per round
        self._chains: list[_Chain] = []
        begins_with = None if self._is_enumerated else blueprint
        parts = (1 if begins_with is None else 2) * sum(-(-n // ROWS_AT_A_TIME) for n in self._rows.num_rows)
        done = count(1)

        def hears_part() -> None:
            hears(next(done) / parts)

        self._seat_model(hears_part)
        if begins_with is not None:
            self._begin_with(begins_with, hears_part)

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

        def run(chain: _Chain) -> None:
            for traversal, step in chain:
                traversal.run(Visit(place, float(self.iterations), step=step, seed=self.iterations % _SEEDS))

        if self._other is None:
            run(self._chains[0])
            run(self._chains[1])
        else:
            waiting = self._other.submit(run, self._chains[1])
            run(self._chains[0])
            waiting.result()

    def save(self, path: str | Path, attributes: Mapping[str, Any]) -> None:
        """Write the average strategy, with the model's card abstraction; raises SaveError."""
        game = self._model.game
        rounds = [self._stored(r) for r in range(game.num_rounds)]
        save(path, game, self._model.abstraction.arrays(), rounds, attributes)

    def save_checkpoint(self, path: Path, identity: Mapping[str, Any]) -> None:
        """Keep the tables, so that :meth:`load_checkpoint` goes on with the same bits; raises SaveError."""
        header = {"format": _FORMAT, "lanes": self._tree.lanes, "iterations": self.iterations}
        write(path, header | {"identity": identity}, self._kinds, {})

    def load_checkpoint(self, path: Path, identity: Mapping[str, Any]) -> None:
        """Go on where a checkpoint ended, which says what it is of.

        Raises:
            OSError, DamagedFileError: the checkpoint cannot be read.
            BadInputError: its ``identity`` is another.
        """
        tree = self._tree
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

    @property
    def _tree(self) -> Tree:
        return self._traversals[0].tree

    def _prepare(self, deal: Deal) -> list[_Chain]:
        """By the counter's seat, traversals in their order, each with its step."""
        chains = []
        answers: Mode = "update" if self._is_enumerated else "respond"
        for seat, traversal in enumerate(self._traversals):
            own, sums = self._tables[seat], [pair[seat] for pair in self._averages]
            chain: _Chain = []
            if self._confidence < 1:
                chain.append((traversal.prepare(deal, own, 1 - seat, answers), 1.0))
                met = traversal.prepare(deal, own, seat, "update", averages=sums, met=not self._is_enumerated)
                chain.append((met, 1 - self._confidence))
            if self._confidence > 0:
                against = [
                    (pair[0], fixed) if seat == 0 else (fixed, pair[1])
                    for pair, fixed in zip(own, self._models[seat], strict=True)
                ]
                kept = sums if self._confidence == 1 else None
                chain.append((traversal.prepare(deal, against, seat, "update", averages=kept), self._confidence))
            chains.append(chain)
        return chains

    def _room(self, seat: int) -> list[np.ndarray]:
        """Per round, room for the model's table against this seat."""
        dtype = self._traversals[0].dtype
        shapes = [self._tree.table_shape(r, 1 - seat, n, dtype) for r, n in enumerate(self._rows.num_rows)]
        return [np.empty(shape, dtype) for shape in shapes]

    def _seat_model(self, hears_part: Callable[[], None]) -> None:
        for r in range(self._model.game.num_rounds):
            for stand, play in self._in_parts(self._model, r):
                for seat in (0, 1):
                    self._models[seat][r][stand] = play[1 - seat]
                hears_part()

    def _begin_with(self, blueprint: Strategy, hears_part: Callable[[], None]) -> None:
        """Regrets and averages with which play is the blueprint's; the adversary's, too, where it learns."""
        last, dtype = blueprint.game.num_rounds - 1, self._traversals[0].dtype
        for r, weight in enumerate(weights(blueprint, self._confidence)):
            weighed = self._tree.by_seat(_BEGUN * weight[None] / blueprint.source.certainty, r, dtype)
            for stand, play in self._in_parts(blueprint, r):
                for seat, (part, of_entry) in enumerate(zip(play, weighed, strict=True)):
                    self._averages[r][seat][stand] = _UNSEEN * part
                    for tables in self._tables if r < last else self._tables[seat : seat + 1]:
                        tables[r][seat][stand] = part * of_entry
                hears_part()

    def _in_parts(self, strategy: Strategy, round_: int) -> Iterator[tuple[slice | np.ndarray, Tables]]:
        """Both seats' play in 255ths, some rows at a time, each time with where these rows stand in the tables."""
        dtype = self._traversals[0].dtype
        for start in range(0, rows := self._rows.num_rows[round_], ROWS_AT_A_TIME):
            stop = min(start + ROWS_AT_A_TIME, rows)
            play = self._tree.by_seat(strategy.read(round_, slice(start, stop)), round_, dtype)
            yield self._stand(round_, start, stop), play

    def _stored(self, round_: int) -> RoundRows:
        """A round of the average strategy as the file keeps it."""
        betting = self._model.betting.rounds[round_]
        first, second = self._averages[round_]
        shape = (len(first), betting.node_actions, self._model.betting.num_lines[round_])

        def read(start: int, stop: int) -> np.ndarray:
            stand = self._stand(round_, start, stop)
            part: Tables = (first[stand], second[stand])
            return quantise(np.maximum(self._tree.by_line(part, round_), 0), betting)

        return RoundRows(shape, read)

    def _stand(self, round_: int, start: int, stop: int) -> slice | np.ndarray:
        """Where the abstraction's rows ``start`` to ``stop`` stand in a round's tables."""
        return self._rows.places[round_][start:stop] if isinstance(self._rows, MovedRows) else slice(start, stop)
