"""Boards per second of the traversal kernel on full hold'em, by its build, and against the slow twin on Leduc.

``python -m benchmarks.speed.traverse`` prints medians and a fingerprint that changes only when results do, whatever the
options. An update traverses one sampled board for both seats; hands are put in 50 rows, about as many as the
abstraction's buckets that occur on one board: at random, and on the river by strength. Contestants take turns, so that
a busy machine slows all of them alike.
"""

import argparse
import os
import zlib
from collections.abc import Callable
from functools import partial
from unittest.mock import patch

import numpy as np

from benchmarks.clock import rates, repeated
from cfr._native.cpu import levels
from cfr.abstraction.abstraction import Abstraction
from cfr.game.evaluate import strengths
from cfr.game.rules import Game
from cfr.hands.isomorphism import collisions
from cfr.kernel import builds
from cfr.kernel.chance import Deal, enumerate_deal, sampled_deal
from cfr.kernel.reference import Reference
from cfr.kernel.traversal import Traversal, Visit, layout
from cfr.solver.cfr_br import Sides
from cfr.solver.presets import NEVER

HULHE, LEDUC = Game.bundled("hulhe"), Game.bundled("leduc")
FLOAT32 = np.dtype(np.float32)
ROWS = 50
FIRST_BOARDS = 2  # the fingerprint is taken after these


class RandomRows:
    """Every hand in some row, the same on all boards; on the river by its strength, as buckets are."""

    num_rows = (ROWS,) * HULHE.num_rounds
    separates_boards = False

    def __init__(self, random: np.random.RandomState) -> None:
        self._rows = random.randint(ROWS, size=(HULHE.num_rounds, HULHE.num_hands)).astype(np.int32)

    def rows(self, round_: int, boards: np.ndarray, threads: int = 1) -> np.ndarray:
        if round_ == HULHE.num_rounds - 1:
            strength = strengths(boards, HULHE.hands).astype(np.int32)
            order = strength.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
            row = order * ROWS // HULHE.num_hands
            return np.where(strength == 0, np.int32(-1), row.astype(np.int32))
        return np.where(collisions(boards, HULHE.hands), np.int32(-1), self._rows[round_])


class Run:
    """A kernel with its own tables, that start empty."""

    def __init__(self, game: Game, deal: Deal, threads: int, dtype: type = np.float32) -> None:
        self._deal = deal
        self._threads = threads
        self._kernel = Traversal(layout(game, dtype), threads, dtype)
        self._regrets, self._averages = (self._kernel.zeros(deal.num_rows) for _ in range(2))

    def update(self, seat: int, root: int = 0) -> np.ndarray:
        sums = [tables[seat] for tables in self._averages]
        return self._kernel.run(self._deal, self._regrets, seat, "update", Visit(root), averages=sums)

    def iterate(self, boards: int) -> None:
        for root in range(boards):
            for seat in (0, 1):
                self.update(seat, root)

    def iterate_against_responses(self, boards: int) -> None:
        """As CFR-BR does; opponents and strategies share the trunk's tables, which changes no time."""
        for root in range(boards):
            for seat in (0, 1):
                sums = [tables[seat] for tables in self._averages]
                self._kernel.run(self._deal, self._regrets, 1 - seat, "respond", Visit(root))
                self._kernel.run(self._deal, self._regrets, seat, "update", Visit(root), averages=sums, met=True)

    def fingerprint(self) -> int:
        """Of all tables by line, which do not depend on how wide the vectors are."""
        value = 0
        for tables in (self._regrets, self._averages):
            for round_, pair in enumerate(tables):
                value = zlib.crc32(self._kernel.tree.by_line(pair, round_).data, value)
        return value


class SideBySide:
    """CFR-BR with each seat on threads of its own, without what own play ``never`` does.

    Attributes:
        boards: that the seat with the smaller tree visits in an iteration; the other one visits one.
    """

    def __init__(self, iterations: int, threads: int, never: tuple[str, ...] = ()) -> None:
        self._sides = Sides(HULHE, threads, never)
        self.boards = self._sides.boards
        deal = sampled(iterations * self.boards)
        own = [self._sides.zeros(deal.num_rows) for _ in range(2)]
        self._chains = self._sides.prepare(deal, own[0], self._sides.opponents_zeros(deal.num_rows), own[1])

    def iterate(self, times: int) -> None:
        self._sides.run(self._chains, [Visit(k * self.boards) for k in range(times)])


def sampled(boards: int) -> Deal:
    # RandomState: its stream is frozen, and so is the fingerprint.
    random = np.random.RandomState(2013)
    rows = RandomRows(random)
    dealt = random.rand(boards, 52).argsort(axis=1)[:, :5].astype(np.uint8)
    dealt[:, :3].sort(axis=1)
    return sampled_deal(HULHE, rows, dealt)


def show(what: str, rate: float, unit: str, note: str = "") -> None:
    print(f"{what:<34}{rate:10,.1f} {unit}{note}")


def hulhe(boards: int, threads: int, repeats: int) -> int:
    """Prints full hold'em's rates; returns the fingerprint."""
    deal = sampled(boards)
    chosen = builds.level()
    one, all_ = f"hulhe, {chosen} build, 1 thread", f"hulhe, {chosen} build, all {threads} threads"
    plain = "hulhe, base build, 1 thread"
    runs = {}
    for level in levels()[::-1]:
        kernel = builds.load_level("traverse", level)
        with patch.dict(builds.KERNELS, {FLOAT32: (kernel,)}):
            runs[f"hulhe, {level} build, 1 thread"] = Run(HULHE, deal, 1)
    single = list(runs)
    runs[all_] = Run(HULHE, deal, threads)
    prints = {}
    for name, run in runs.items():
        run.iterate(FIRST_BOARDS)
        prints[name] = run.fingerprint()
    if len(set(prints.values())) > 1:
        raise SystemExit(f"threads or builds disagree: {prints}")
    contestants: dict[str, tuple[int, Callable[[], object]]] = {
        name: (boards, partial(run.iterate, boards)) for name, run in runs.items()
    }
    against = f"hulhe, CFR-BR, all {threads} threads"
    responding = Run(HULHE, deal, threads)
    contestants[against] = (boards, partial(responding.iterate_against_responses, boards))
    beside, less = "hulhe, CFR-BR, seats side by side", "hulhe, the same, never limping"
    both, never = SideBySide(boards, threads), SideBySide(boards, threads, NEVER)
    contestants[beside] = (boards, partial(both.iterate, boards))
    contestants[less] = (boards, partial(never.iterate, boards))
    responding.iterate_against_responses(FIRST_BOARDS)
    both.iterate(FIRST_BOARDS)
    never.iterate(FIRST_BOARDS)
    rate = rates(contestants, repeats)
    show(plain, rate[plain], "boards/s")
    for name in single[1:]:
        show(name, rate[name], "boards/s", f", {rate[name] / rate[plain]:.2f} x the base build")
    show(all_, rate[all_], "boards/s", f", {rate[all_] / rate[one]:.2f} x one thread")
    show(against, rate[against], "boards/s", f", {rate[all_] / rate[against]:.2f} times as long as without responses")
    show(beside, rate[beside], "iterations/s", f", {rate[beside] / rate[against]:.2f} x one seat after the other")
    note = f", {rate[less] / rate[beside]:.2f} x with all lines; {never.boards} boards for the button"
    show(less, rate[less], "iterations/s", note)
    return prints[one]


def leduc(iterations: int, repeats: int) -> None:
    """Prints Leduc's rates; the kernel runs a hundred times as many iterations as the twin."""
    kernel = Run(LEDUC, enumerate_deal(LEDUC, Abstraction.lossless(LEDUC)), 1, np.float64)
    twin = Reference(LEDUC)
    for seat in (0, 1):
        if not np.allclose(kernel.update(seat), twin.update(seat), rtol=1e-9, atol=1e-11):
            raise SystemExit("the slow twin disagrees")
    rate = rates(
        {
            "kernel": (100 * iterations, repeated(partial(kernel.iterate, 1), 100 * iterations)),
            "twin": (iterations, lambda: [twin.update(seat) for _ in range(iterations) for seat in (0, 1)]),
        },
        repeats,
    )
    show("leduc, slow twin", rate["twin"], "iterations/s")
    show(
        "leduc, float64, 1 thread", rate["kernel"], "iterations/s", f", {rate['kernel'] / rate['twin']:,.0f} x the twin"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few boards, one run: shows only that it works")
    parser.add_argument("--boards", type=int, default=16, help="boards in a run, at least 2 (default %(default)s)")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="for 'all' (default %(default)s)")
    parser.add_argument("--repeats", type=int, default=7, help="runs per median (default %(default)s)")
    args = parser.parse_args()
    boards, repeats = (FIRST_BOARDS, 1) if args.quick else (max(args.boards, FIRST_BOARDS), args.repeats)
    fingerprint = hulhe(boards, args.threads, repeats)
    leduc(1, repeats)
    print(f"fingerprint {fingerprint:08x}")


if __name__ == "__main__":
    main()
