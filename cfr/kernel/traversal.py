"""The traversal kernel, typed and checked."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple

import numpy as np

from cfr.game.rules import Game
from cfr.kernel.builds import kernel_of, widths
from cfr.kernel.chance import Boards, Deal, Piece
from cfr.kernel.numbers import TYPES, sums_dtype
from cfr.kernel.tables import Tables
from cfr.kernel.tree import Tree, build_tree, fitted_tree

Mode = Literal["update", "average", "best", "measure", "respond"]


@dataclass
class Responses:
    """The seat and the boards of the choices that the kernel remembers, from the last run in mode ``respond``."""

    deal: Deal | None = None
    roots: tuple[int, ...] = ()
    seat: int = 0


class _Read(NamedTuple):
    """The tables that the kernel reads, per round; see :meth:`Traversal.prepare`."""

    sources: Sequence[Tables]
    averages: Sequence[np.ndarray | None] | None = None
    accumulated: Sequence[np.ndarray] | None = None
    planned: bool = False
    piece: Piece | None = None


class _Below(NamedTuple):
    """Boards of later rounds, with the attributes of a :class:`cfr.kernel.chance.Deal` that the kernel reads."""

    rounds: Sequence[Boards | None]
    root_scale: float
    disjoint: bool = True


@dataclass(frozen=True)
class Visit:
    """One run of a traversal.

    Attributes:
        root: the board of the first round to start from.
        weight: weight of this run in the average strategy.
        kept: in mode ``update``, factors on positive and negative regrets after this run's regrets are added; the
            default forgets negative ones (regret matching+). Discounts need a deal that visits each row once.
        step: factor on :attr:`Prepared.values` and on the regrets that are added; not on the average.
        seed: seed of the rounding of narrow tables; each run needs a new one.
    """

    root: int = 0
    weight: float = 1.0
    kept: tuple[float, float] = (1.0, 0.0)
    step: float = 1.0
    seed: int = 0


class Prepared:
    """A traversal with checked boards and tables, made by :meth:`Traversal.prepare`."""

    def __init__(self, kernel: Any, deal: Deal, seat: int, mode: Mode, met: bool, responses: Responses) -> None:
        self._kernel = kernel
        self._hands = deal.rounds[0].live.shape[1]
        self._deal = deal
        self._seat = seat
        self._responds = mode == "respond"
        self._meets = met
        self._responses = responses

    def run(self, visit: Visit = Visit()) -> None:
        """Traverse once.

        Raises:
            ValueError: a board that the deal does not have, or a run without the response to meet.
        """
        self._check_roots((visit.root,))
        self._respond_or_meet((visit.root,))
        self._kernel.run(*_arguments(visit))

    def run_batch(self, visits: Sequence[Visit], traced: bool = False) -> list[np.ndarray]:
        """Traverse from several boards side by side; modes that learn, on sampled deals.

        The visits read the same strategy before the last round, and their updates are added in order. In the last round
        each meets the updates of those before. A batch of one visit computes the bits of :meth:`run`.

        Args:
            visits: at most :class:`Traversal`'s ``batch``, on as many boards, one after the other in the deal. They
                keep all regrets of a sign, or none; predictive schedules have no batches.
            traced: measure the kernel's tasks.

        Returns:
            With ``traced``, for each step of the batch ``(tasks,)`` seconds of a processor. The tasks of a step need no
            other one.

        Raises:
            ValueError: more visits than there is room for, other factors on regrets, or a run without the response
                to meet.
        """
        self._check_roots(tuple(visit.root for visit in visits))
        self._respond_or_meet(tuple(visit.root for visit in visits))
        measured = self._kernel.run_batch([_arguments(visit) for visit in visits], traced)
        if measured is None:
            return []
        seconds, tasks = measured
        ends = np.cumsum(tasks)
        return np.split(seconds[: ends[-1]], ends[:-1])

    def _check_roots(self, roots: tuple[int, ...]) -> None:
        count = len(self._deal.rounds[0].live)
        if not all(0 <= root < count for root in roots):
            raise ValueError(f"roots {roots}: the deal has {count} boards of the first round")

    def _respond_or_meet(self, roots: tuple[int, ...]) -> None:
        last = self._responses
        if self._responds:
            last.deal, last.roots, last.seat = self._deal, roots, self._seat
        elif self._meets and (last.deal is not self._deal or (last.roots, last.seat) != (roots, 1 - self._seat)):
            raise ValueError("there is no response of the other seat on this board: traverse in mode respond first")

    @property
    def values(self) -> np.ndarray:
        """``(hands,)`` values of the traverser's hands in chips in the last run; the next run overwrites them.

        A hand's value is the mean over the opponent's hands and the deal's boards; the opponent plays its tables. Hands
        that the deal does not reach have value 0.
        """
        return np.asarray(self._kernel.values[0, : self._hands, 0], dtype=np.float64)

    @property
    def values_by_line(self) -> np.ndarray:
        """``(lanes, hands)`` these values on every lane that enters."""
        lanes = self._kernel.values[:, : self._hands].transpose(0, 2, 1).reshape(-1, self._hands)
        return np.asarray(lanes, dtype=np.float64)


def _arguments(visit: Visit) -> tuple[int, float, float, float, float, int]:
    """A visit for the kernel."""
    return visit.root, visit.weight, *visit.kept, visit.step, visit.seed


class Traversal:
    """Traverses the public tree of one game for one seat at a time.

    Args:
        tree: the game's tree, laid out by :func:`layout`.
        threads: the most threads of a traversal; the result does not depend on their number.
        dtype: number type of tables, reach and values: float32, or float64 for small games.
        ends: the most last-round boards below a root on which mode ``respond`` can remember choices.
        reach: ``(2, hands)`` reach of each seat's hands at the root, or ``(2, lines, hands)`` reach on each betting
            line that enters; default, 1 for every hand.
        table_dtype: number type of the tables that :meth:`zeros` makes, or one for each round; default, ``dtype``. A
            round's tables may be of any type in :mod:`cfr.kernel.numbers` with ``dtype`` float32. The kernel rounds
            narrower numbers up or down at random, so that sums are right on average.
        batch: the most visits of :meth:`Prepared.run_batch`; 1 takes no scratch.
    """

    def __init__(
        self,
        tree: Tree,
        threads: int = 1,
        dtype: np.dtype | type = np.float32,
        ends: int = 1,
        reach: np.ndarray | None = None,
        table_dtype: np.dtype | type | Sequence[np.dtype] | None = None,
        batch: int = 1,
    ) -> None:
        self.tree = tree
        self.dtype = np.dtype(dtype)
        rounds, given = len(tree.rounds), self.dtype if table_dtype is None else table_dtype
        self.table_dtypes = list(given) if isinstance(given, Sequence) else [np.dtype(given)] * rounds
        self._table_dtypes = (*TYPES.values(), np.dtype(np.uint8)) if self.dtype == np.float32 else (self.dtype,)
        self.threads = threads
        cards = np.ascontiguousarray(tree.game.hands, dtype=np.int16)
        self._hands = len(cards)
        self._kernel = kernel_of(self.dtype, tree.lanes).Traversal(tree, cards, threads, ends, batch)
        self._reach = self._root_reach(np.ones((2, self._hands)) if reach is None else reach)
        self._responses = Responses()

    def run(
        self,
        deal: Deal,
        sources: Sequence[Tables],
        seat: int,
        mode: Mode,
        visit: Visit = Visit(),
        *,
        averages: Sequence[np.ndarray] | None = None,
        planned: bool = False,
        met: bool = False,
    ) -> np.ndarray:
        """Prepare a traversal and run it once; returns the values as :attr:`Prepared.values` has them.

        Takes the arguments of :meth:`prepare` and :meth:`Prepared.run`, and raises what they raise.
        """
        prepared = self.prepare(deal, sources, seat, mode, averages=averages, planned=planned, met=met)
        prepared.run(visit)
        return prepared.values

    def prepare(
        self,
        deal: Deal,
        sources: Sequence[Tables],
        seat: int,
        mode: Mode,
        *,
        averages: Sequence[np.ndarray | None] | None = None,
        planned: bool = False,
        accumulated: Sequence[np.ndarray] | None = None,
        met: bool = False,
    ) -> Prepared:
        """Check boards and tables once, for any number of runs.

        Args:
            deal: the boards. A piece of all goes with its piece of the tables after the first round's; not in mode
                ``respond``, with ``met`` or ``planned``.
            sources: per round, both seats' tables, shaped :meth:`Tree.table_shape`. A node's strategy is the
                positive part of its row, normalised, or uniform if nothing is positive: regrets, average-strategy sums
                and probabilities all work. Mode ``update`` needs the traverser's regrets and changes them in place.
            seat: the traverser.
            mode: ``update`` (regret matching on the traverser's tables, both seats play the current strategy),
                ``average`` (expected value), ``best`` (best response against the other seat's tables; ``measure``
                is ``best`` here) or, on sampled deals, ``respond`` (``update`` in all rounds but the last, where every
                hand plays its best response; the kernel remembers the choices for ``met``).
            averages: in modes ``update`` and ``respond``, per round the traverser's average-strategy sums, changed in
                place, or None to keep none; a round's entry may be None, too.
            planned: the tables hold realisation plans (:meth:`Tree.plan`); not in mode ``update``.
            accumulated: in mode ``update`` of predictive regret matching+, per round the traverser's accumulated
                regrets, changed in place and without ``kept``. The traverser's ``sources`` become the accumulated
                regrets plus this traversal's regrets, which predict the next ones.
            met: in mode ``update``, each of the opponent's hands plays its last-round choice instead of its table. The
                choices come from the preceding run in mode ``respond`` on the same board (CFR-BR, Johanson, Bard,
                Burch and Bowling 2012, with the trunk down to the last round).

        Raises:
            ValueError: shapes that do not fit the tree, or mode ``respond`` on a deal that is not sampled.
        """
        tables = _Read(
            sources,
            averages if mode in ("update", "respond") else None,
            accumulated if mode == "update" else None,
            planned,
            deal.piece,
        )
        updated = [t for t in (tables.averages, tables.accumulated) if t is not None]
        self._check(deal, sources, updated, seat)
        if mode == "respond" and deal.rounds[-1].classes is not None:
            raise ValueError("mode respond needs a sampled deal: it remembers the choices of a few last boards")
        kernel = self._kernel.prepare(deal, tables, self._reach, seat, "meet" if met else mode)
        return Prepared(kernel, deal, seat, mode, met, self._responses)

    def run_round(
        self,
        round_: int,
        boards: Sequence[Boards | None],
        plans: Sequence[Tables],
        seat: int,
        mode: Mode,
        reach: np.ndarray,
        *,
        scale: float,
        planned: bool = True,
    ) -> np.ndarray:
        """Traverse from the first board of ``round_``, against a fixed strategy; lanes as in :attr:`Tree.rounds`.

        Args:
            round_: where to start.
            boards: per round; earlier rounds are not read.
            plans: per round, both seats' realisation plans (:meth:`Tree.plan`), or tables as in :meth:`prepare`.
            seat: the traverser.
            mode: ``average``, ``best`` or ``measure``.
            reach: ``(2, lanes, hands)`` reach of each seat on each lane that enters the round.
            scale: factor on values; it includes the probability of the board.
            planned: whether ``plans`` are realisation plans.

        Returns:
            ``(lanes, hands)`` counterfactual values in chips, times ``scale``; in mode ``measure``
            ``(lanes, 2 * hands)``, first the values of ``best``, then the values of ``average``.
        """
        below, tables = _Below(boards, scale), _Read(plans, planned=planned)
        kernel = self._kernel.prepare(below, tables, self._in_blocks(reach), seat, mode, round_)
        kernel.run()
        by_lane: np.ndarray = kernel.values.transpose(0, 2, 1).reshape(-1, kernel.values.shape[1])
        return by_lane

    def _in_blocks(self, lanes_of_hands: np.ndarray) -> np.ndarray:
        """``(n, lanes, hands)`` to ``(n, blocks, hands, LANES)``."""
        count, _, hands = lanes_of_hands.shape
        width = self.tree.lanes
        blocks = lanes_of_hands.reshape(count, -1, width, hands).transpose(0, 1, 3, 2)
        return np.ascontiguousarray(blocks, self.dtype)

    def zeros(self, num_rows: Sequence[int], sums: bool = False) -> list[Tables]:
        """Tables of zeros for both seats, per round, with ``num_rows`` rows; ``sums`` are never negative."""
        dtypes = [sums_dtype(each) if sums else each for each in self.table_dtypes]
        return zeros((self.tree, self.tree), num_rows, dtypes)

    def carried(self) -> np.ndarray:
        """Zeros, for :attr:`Piece.carried`."""
        blocks = self.tree.rounds[1].stride // self.tree.lanes
        return np.zeros((blocks, self._hands, self.tree.lanes), self.dtype)

    def set_reach(self, seat: int, reach: np.ndarray) -> None:
        """Change a seat's ``(lines, hands)`` reach at the root, also for prepared traversals."""
        lanes = np.zeros((1, self.tree.rounds[0].stride, self._hands))
        lanes[0, : len(reach)] = reach
        self._reach[seat] = self._in_blocks(lanes)[0]

    def _root_reach(self, of_hands: np.ndarray) -> np.ndarray:
        by_line = of_hands if of_hands.ndim == 3 else of_hands[:, None]
        reach = np.zeros((2, self.tree.rounds[0].stride, self._hands))
        reach[:, : by_line.shape[1]] = by_line
        return self._in_blocks(reach)

    def _check(
        self, deal: Deal, sources: Sequence[Tables], updated: Sequence[Sequence[np.ndarray | None]], seat: int
    ) -> None:
        if seat not in (0, 1):
            raise ValueError(f"seat {seat}; expected 0 or 1")
        if not len(deal.rounds) == len(sources) == len(self.tree.rounds):
            raise ValueError(f"the deal and the tables must have {len(self.tree.rounds)} rounds")
        for number, tables in enumerate(sources):
            rows = deal.num_rows[number]
            dtype = tables[0].dtype if tables[0].dtype in self._table_dtypes else self.dtype
            checked = [(owner, table, dtype) for owner, table in enumerate(tables)]
            checked += [(seat, kept, sums_dtype(dtype)) for each in updated if (kept := each[number]) is not None]
            for owner, table, dtype in checked:
                shape = self.tree.table_shape(number, owner, rows, dtype)
                if table.shape != shape or table.dtype != dtype or not table.flags.c_contiguous:
                    raise ValueError(
                        f"round {number}, seat {owner}: expected a C-contiguous {dtype} table of shape "
                        f"{shape}, not {table.dtype} {table.shape}"
                    )


def zeros(trees: tuple[Tree, Tree], num_rows: Sequence[int], dtypes: Sequence[np.dtype]) -> list[Tables]:
    """Tables of zeros, per round; each seat has a tree of its own."""
    return [
        (
            np.zeros(trees[0].table_shape(r, 0, rows, dtype), dtype),
            np.zeros(trees[1].table_shape(r, 1, rows, dtype), dtype),
        )
        for r, (rows, dtype) in enumerate(zip(num_rows, dtypes, strict=False))
    ]


def layout(game: Game, dtype: np.dtype | type = np.float32, never: Collection[str] = ()) -> Tree:
    """The tree of ``game`` without the lines ``never``, laid out for the vectors of the kernel for ``dtype``.

    Callers share the tree; none may write to its arrays.
    """
    return _tree(game, widths(dtype), tuple(never))


@lru_cache(maxsize=16)
def _tree(game: Game, widths: tuple[int, ...], never: tuple[str, ...]) -> Tree:
    if never:  # all trees of a solve have the same number of lanes
        return build_tree(game, _tree(game, widths, ()).lanes, never=never)
    return fitted_tree(widths, partial(build_tree, game))
