"""The tables of a solve and its single steps; ``loop`` repeats the steps and decides when to stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from cfr.abstraction.abstraction import Abstraction
from cfr.kernel.best_response import Measured, exploitability_mbb, measure
from cfr.kernel.chance import BoardSampler, Deal, enumerate_deal, in_visiting_order
from cfr.kernel.numbers import TYPES, widened
from cfr.kernel.tables import MovedRows, Rows, Tables
from cfr.kernel.traversal import Traversal, Visit, layout
from cfr.kernel.tree import CALL, ROWS_AT_A_TIME, Tree
from cfr.solver import checkpoint
from cfr.solver.cfr_br import TOGETHER, Chain, Sides, run_chain
from cfr.solver.memory_need import number_types
from cfr.solver.out_of_core.piece_measure import measure_stored, parts_of_tables
from cfr.solver.settings import Settings
from cfr.solver.solver import Solution, Solver
from cfr.strategy.files.quantise import normalised, purge, purge_rare, quantise, quantise_finely
from cfr.strategy.files.round_rows import RoundRows
from cfr.strategy.files.vector_quantiser import codebook_worth, encode
from cfr.system.errors import CfrError

_SEEDS = 1 << 32


class GameSolver(Solver):
    """The tables of a solve, and how to go on with them.

    Attributes:
        regrets: per round, both seats' tables whose positive part, normalised, is the current strategy: regrets, and
            for predictive schedules the prediction of the next.
        rows: which row of the tables a hand on a board owns.
        averages: the same for the average strategy.
        accumulated: for predictive schedules, the regrets without the prediction.
        responders: for schedule ``cfr-br``, once warmed up, per round but the last, the regrets of each seat's
            responding opponent.
        sides: of schedule ``cfr-br``. Once warmed up, both seats' tables are laid out by ``sides.trees``.
        progress: whether codebooks show a bar on stderr while they are made.
    """

    def __init__(self, settings: Settings, abstraction: Abstraction, progress: bool = False) -> None:
        game = settings.game
        dtype, numbers = number_types(settings)
        traversal = Traversal(layout(game, dtype), settings.threads, dtype, table_dtype=numbers, batch=settings.batch)
        super().__init__(settings, abstraction, traversal)
        self.progress = progress
        self.regrets = self.traversal.zeros(abstraction.num_rows)
        self.averages = self.traversal.zeros(abstraction.num_rows, sums=True)
        self.accumulated = self.traversal.zeros(abstraction.num_rows, sums=True) if self.schedule.predictive else []
        self.responders: list[Tables] = []
        self.sides = (
            Sides(
                game, settings.threads, settings.never, dtype, settings.rivers, TYPES[settings.tables], settings.batch
            )
            if self.schedule.responds
            else None
        )
        self._whole: Deal | None = None
        self.rows: Rows = abstraction
        if self.is_enumerated:
            self._whole, self.rows = in_visiting_order(enumerate_deal(game, abstraction), abstraction)
        self._sampler = BoardSampler(game, abstraction, settings.seed, settings.rivers)
        self._chains: list[Chain] = []  # of traversals in an iteration; empty until they are prepared
        self._sampled = -(-TOGETHER // settings.batch) * settings.batch  # iterations whose boards are sampled together
        self._draw = -1  # number of those iterations that the chains are for
        if settings.resume is not None:
            self._resume(settings.resume)

    @property
    def table_bytes(self) -> int:
        return sum(table.nbytes for rounds in self._tables().values() for tables in rounds for table in tables)

    def step(self, most: int = 1, between: Callable[[], bool] | None = None) -> int:
        place, batch = self._place(), self.settings.batch
        if batch > 1:
            together = min(most, batch - place % batch)
        else:
            together = min(most, TOGETHER - place) if self._responding else 1
        visits = [self._visit(self.iterations + 1 + k, (place + k) * self._boards) for k in range(together)]
        if self._responding is not None:
            self._responding.run(self._chains, visits, self._prepare_next)
        else:
            run_chain(self._chains[0], visits, batch > 1)
        self.iterations += together
        return together

    def _visit(self, iteration: int, root: int) -> Visit:
        since = self.responding_since
        weight = self.schedule.weight(iteration - (since or 0))
        step = 1.0 if since is None else self.schedule.step(iteration, since)
        return Visit(root, weight, self.schedule.kept(iteration), step, iteration * self._boards % _SEEDS)

    @property
    def _boards(self) -> int:
        """Boards that are sampled for an iteration."""
        return 1 if self._responding is None else self._responding.boards

    @property
    def is_warming_up(self) -> bool:
        """Whether schedule ``cfr-br`` still has to begin with its responses."""
        return self.schedule.responds and self.responding_since is None

    def respond_if_warm(self, share_done: float) -> None:
        if self.is_warming_up and share_done >= self.settings.warm_up:
            self.start_responding()

    def start_responding(self) -> None:
        """End the warm-up: opponents begin as the other seat's strategy is now, and the average begins anew.

        Ctrl-C must not come in between, as in :meth:`step`.
        """
        if self.sides is None:
            raise CfrError(f"schedule {self.schedule.name} does not respond")
        if self.settings.batch > 1:  # its scratch is large
            numbers = self.traversal.table_dtypes
            dtype, threads = self.traversal.dtype, self.traversal.threads
            self.traversal = Traversal(self.traversal.tree, threads, dtype, table_dtype=numbers)
        self.averages = []  # before others take their place
        self.responders = self.sides.opponents(self.regrets, self.traversal.tree)
        self.regrets = self.sides.own(self.regrets, self.traversal.tree)
        self.averages = self.sides.zeros(self.abstraction.num_rows)
        self.responding_since = self.iterations
        self._draw, self._chains = -1, []

    def exploitability_mbb(self, solution: Solution = "average") -> float:
        tables = self.averages if solution == "average" else self.regrets
        return exploitability_mbb(self.traversal, self._enumerated(), tables)

    def measure_in_parts(self, solution: Solution, is_fine: bool, num_stored: int) -> Measured:
        tables = self.averages if solution == "average" else self.regrets
        parts = parts_of_tables(self.settings.game, tables, self.settings.river_rows)
        return measure_stored(self.traversal, parts, is_fine, num_stored)

    def measure_stored(self, rounds: Sequence[RoundRows]) -> Measured:
        tree = self.traversal.tree
        for number, (stored, tables) in enumerate(zip(rounds, self.averages, strict=True)):
            for start in range(0, len(tables[0]), ROWS_AT_A_TIME):
                stop = min(start + ROWS_AT_A_TIME, len(tables[0]))
                parts = tree.by_seat(stored.shares(start, stop), number, self.traversal.dtype)
                for table, part in zip(tables, parts, strict=True):
                    table[self._stand(number, start, stop)] = part
        return measure(self.traversal, self._enumerated(), self.averages)

    def stored_round(self, round_: int, solution: Solution = "average") -> RoundRows:
        whole = self.traversal.tree.betting
        tables = (self.averages if solution == "average" else self.regrets)[round_]
        betting = whole.rounds[round_]

        def positive(tables: Tables, start: int, stop: int) -> np.ndarray:
            stand = self._stand(round_, start, stop)
            part: Tables = (tables[0][stand], tables[1][stand])
            result: np.ndarray = np.maximum(self._by_line(part, round_), 0)
            return result

        def read(start: int, stop: int) -> np.ndarray:
            kept = quantise(positive(tables, start, stop), betting)
            below: float | np.ndarray = self.settings.purge
            if self.settings.purge_unplayed > self.settings.purge:
                last = quantise(positive(self.regrets[round_], start, stop), betting)
                below = np.where(last, self.settings.purge, self.settings.purge_unplayed)
            return purge(kept, betting, below)

        def read_remainders(start: int, stop: int) -> np.ndarray:
            return quantise_finely(positive(tables, start, stop), betting)[1]

        shape = (len(tables[0]), betting.node_actions, whole.num_lines[round_])
        if (dtype := self.settings.stored_type) != np.uint8:
            return RoundRows(
                shape,
                lambda start, stop: normalised(positive(tables, start, stop), betting).astype(dtype),
                dtype=dtype,
            )
        if round_ == 0 and self.settings.purge and not self.is_enumerated:
            hands = self.abstraction.rows(0, np.zeros((1, 0), np.uint8))[0]
            weights = np.bincount(hands, minlength=shape[0])
            return RoundRows.of(purge_rare(read(0, shape[0]), betting, weights, self.settings.purge))
        if round_ and self.settings.compact:
            return RoundRows.of_coded(
                encode(
                    shape,
                    read,
                    lambda start, stop: self._weights(round_, start, stop),
                    betting,
                    whole.stakes[round_],
                    codebook_worth(len(self.regrets) - round_ - 1),
                    self.settings.purge,
                    threads=self.settings.threads,
                    progress=self.progress,
                )
            )
        return RoundRows(shape, read, read_remainders if self.is_enumerated else None)

    def _weights(self, round_: int, start: int, stop: int) -> np.ndarray:
        """``(n, 2, lines)`` how much own play brought rows to each line, by seat; alike before an average."""
        stand, betting = self._stand(round_, start, stop), self.traversal.tree.betting.rounds[round_]
        own, other = self.averages[round_]
        sums = self._by_line((own[stand], other[stand]), round_)
        if self.iterations <= self.settings.averaging_delay:
            sums = np.ones_like(sums)
        firsts = [
            betting.action_index[nodes[0]] for nodes in (np.flatnonzero(betting.actor == seat) for seat in (0, 1))
        ]
        weights: np.ndarray = np.stack([sums[:, first[first >= 0]].sum(axis=1) for first in firsts], axis=1)
        return weights

    def _stand(self, round_: int, start: int, stop: int) -> slice | np.ndarray:
        """Where the abstraction's rows ``start`` to ``stop`` stand in a round's tables."""
        return self.rows.places[round_][start:stop] if isinstance(self.rows, MovedRows) else slice(start, stop)

    def save_checkpoint(self) -> Path:
        path = checkpoint.path_for(self.settings.out)
        progress = checkpoint.Progress(self.iterations, self.clock.seconds, self.responding_since, self.best_mbb)
        checkpoint.save(path, self.settings, progress, self._tables(), self.traversal.tree.lanes)
        return path

    def _enumerated(self) -> Deal:
        if self._whole is None:
            raise CfrError("only enumerated games are measured while solving")
        return self._whole

    @property
    def _responding(self) -> Sides | None:
        return self.sides if self.responding_since is not None else None

    @property
    def _trees(self) -> tuple[Tree, Tree]:
        """The trees that lay out each seat's own tables."""
        whole = self.traversal.tree
        return (whole, whole) if self._responding is None else self._responding.trees

    def _by_line(self, tables: Tables, round_: int) -> np.ndarray:
        """Own tables in the order of :meth:`Tree.by_line`, with calls where own play never comes."""
        whole = self.traversal.tree
        if not any(tree.never for tree in self._trees):
            return whole.by_line(tables, round_)
        betting = whole.betting.rounds[round_]
        shape = (len(tables[0]), betting.node_actions, whole.betting.num_lines[round_])
        merged = np.zeros(shape, widened(tables[0][:0]).dtype)
        merged[:, betting.action_index[:, CALL]] = 1
        for seat, (tree, table) in enumerate(zip(self._trees, tables, strict=True)):
            tree.put(merged, table, round_, seat)
        return merged

    def _resume(self, path: Path) -> None:
        responding_since = checkpoint.read(path).progress.responding_since
        if responding_since is not None:
            self.start_responding()
            self.responding_since = responding_since
        trees = {"responders": self._trees[::-1]}
        progress = checkpoint.load(path, self.settings, lambda kind: trees.get(kind, self._trees), self._tables())
        self.iterations, self.clock.before = progress.iterations, progress.seconds
        self.best_mbb = progress.best_mbb

    def _tables(self) -> dict[str, list[Tables]]:
        return {
            "regrets": self.regrets,
            "averages": self.averages,
            "accumulated": self.accumulated,
            "responders": self.responders,
        }

    def _place(self) -> int:
        """Prepare the next iteration's traversals, and return its place among those whose boards were sampled together.

        Sampled boards depend on seed and iteration alone, and on whether opponents respond. Traversals of all boards
        are prepared once, and again when the average begins.
        """
        draw, place = (int(self.is_averaging), 0) if self.is_enumerated else divmod(self.iterations, self._sampled)
        if draw != self._draw:
            deal = self._whole or self._sampler.deal(draw, self._sampled * self._boards, self.settings.threads)
            self._chains = self._prepare(deal)
            self._draw = draw
        return place

    def _prepare_next(self, threads: int) -> None:
        """Prepare the boards that are sampled next."""
        self._sampler.prepare(self._draw + 1, self._sampled * self._boards, threads)

    def _prepare(self, deal: Deal) -> list[Chain]:
        """One iteration: an update of each seat, by schedule ``cfr-br`` after its opponent's response."""
        if self._responding is not None:
            return self._responding.prepare(deal, self.regrets, self.responders, self.averages)
        updates = [
            self.traversal.prepare(
                deal,
                self.regrets,
                seat,
                "update",
                averages=[pair[seat] for pair in self.averages] if self.is_averaging else None,
                accumulated=[pair[seat] for pair in self.accumulated] or None,
            )
            for seat in (0, 1)
        ]
        return [updates]
