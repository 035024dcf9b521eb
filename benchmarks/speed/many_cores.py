"""Sampled CFR-BR on many cores: batches of boards, predicted from what their tasks take here.

``python -m benchmarks.speed.many_cores`` runs batches of the preset ``quick``'s size. For each size of a batch it
prints

- the core-seconds of an iteration by 1 and by 16 threads on this machine, and whether the bits are the same;
- the predicted speed-up over one core without batches, for 8 to 64 cores. One thread measures every task. The next free
  core then takes the next task of a step, and a step begins when the one before has ended. Each seat has half of the
  cores. Memory that many cores share is not in the prediction.

``--measured`` measures the speed-up on the cores that are here, by wall-clock, instead of predicting it.

``--strength`` solves with each size for the same number of boards and measures a sample of flops.
"""

import argparse
import heapq
import time
import zlib
from collections.abc import Callable, Sequence
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np

from cfr.game.rules import Game
from cfr.kernel.chance import sample_boards, sampled_deal
from cfr.kernel.traversal import Visit
from cfr.solver.cfr_br import Sides
from cfr.solver.presets import PRESETS
from cfr.solver.settings import Settings
from cfr.solver.timing import TrialRows, rows_on_a_board
from cfr.system.cores import usable_cores

HULHE = Game.bundled("hulhe")
CORES = (8, 16, 32, 64)
ROWS = 6000  # of a table, at most: more than caches hold
MANY_THREADS = 16


class Batches:
    """Sampled CFR-BR on tables that start empty.

    Args:
        batch: iterations side by side; 1 takes board after board, as solves without ``--batch`` do.
        iterations: of a pass, a multiple of ``batch``.
        threads: of both seats together.

    Attributes:
        boards: boards of an iteration.
        dealing: seconds that these threads took to deal a board.
    """

    def __init__(self, batch: int, iterations: int, threads: int) -> None:
        preset = PRESETS["quick"]
        settings = Settings(HULHE, preset.buckets, iterations=1, rivers=preset.rivers)
        rng = np.random.default_rng(0)
        there = rows_on_a_board(settings)
        rows = TrialRows(HULHE, (there[0], *(min(ROWS, 32 * n) for n in there[1:])), there, rng)
        self._sides = Sides(HULHE, threads, preset.never, ends=preset.rivers, batch=batch)
        self.boards = per_iteration = self._sides.boards
        self._batch, self._iterations = batch, iterations
        boards = sample_boards(HULHE, iterations * per_iteration, rng, preset.rivers)
        begun = time.perf_counter()
        deal = sampled_deal(HULHE, rows, boards, threads, preset.rivers)
        self.dealing = (time.perf_counter() - begun) / len(boards)
        self._own = [self._sides.zeros(deal.num_rows) for _ in range(2)]
        self._chains = self._sides.prepare(deal, self._own[0], self._sides.opponents_zeros(deal.num_rows), self._own[1])
        self._firsts = [Visit(k * per_iteration, weight=k + 1.0, seed=k) for k in range(iterations)]

    def run(self, clock: Callable[[], float] = time.process_time) -> float:
        """One pass; returns its seconds by a clock, by default those of all cores together."""
        begun = clock()
        for start in range(0, self._iterations, self._batch):
            self._sides.run(self._chains, self._firsts[start : start + self._batch])
        return clock() - begun

    def trace(self) -> list[list[np.ndarray]]:
        """One pass, measured; for each seat the seconds of the tasks, step by step."""
        steps: list[list[np.ndarray]] = [[], []]
        for start in range(0, self._iterations, self._batch):
            both = self._sides.visits(self._firsts[start : start + self._batch])
            for seat, (chain, visits) in enumerate(zip(self._chains, both, strict=True)):
                for traversal in chain:
                    steps[seat] += traversal.run_batch(visits, traced=True)
        return steps

    def fingerprint(self) -> int:
        value = 0
        for tables in self._own:
            for pair in tables:
                for table in pair:
                    value = zlib.crc32(table.data, value)
        return value


def predicted_seconds(seats: Sequence[Sequence[np.ndarray]], dealing: float, boards: int, cores: int) -> float:
    """The wall-clock of traced batches on so many cores; the second seat's cores deal the next boards, too."""
    half = max(1, cores // 2)
    times = [sum(makespan(step, half) for step in steps) for steps in seats]
    return max(times[0], times[1] + dealing * boards / half)


def makespan(tasks: np.ndarray, cores: int) -> float:
    """When the last task ends if the next free core takes the next task."""
    free = [0.0] * min(cores, len(tasks))
    for seconds in tasks.tolist():
        heapq.heappush(free, heapq.heappop(free) + seconds)
    return max(free)


def compare(sizes: Sequence[int], iterations: int, repeats: int) -> None:
    whole = -(-iterations // max(sizes)) * max(sizes)
    plain = Batches(1, whole, 1)
    plain.run()
    usual = median(plain.run() for _ in range(repeats)) / whole + plain.dealing * plain.boards
    print(f"one core without batches: {1000 * usual:.2f} ms an iteration")
    fingerprint = 0
    title = "".join(f"{cores:>6}" for cores in CORES)
    print(f"batch   ms by 1, 16 threads        bits   speed-up at {title} cores")
    for size in sizes:
        one, many = Batches(size, whole, 1), Batches(size, whole, MANY_THREADS)
        one.run(), many.run()
        same = one.fingerprint() == many.fingerprint()
        pairs = [(one.run(), many.run()) for _ in range(repeats)]
        single, crowd = (1000 * median(each) / whole for each in zip(*pairs, strict=True))
        shares = ""
        if size > 1:
            seats, boards = one.trace(), whole * one.boards
            shares = "".join(
                f"{usual * whole / predicted_seconds(seats, one.dealing, boards, cores):6.1f}" for cores in CORES
            )
        fingerprint = zlib.crc32(one.fingerprint().to_bytes(4, "little"), fingerprint)
        bits = "same" if same else "OTHER"
        print(f"{size:>5}   {single:6.2f} {crowd:6.2f} ({crowd / single:.2f} x)  {bits:>9}               {shares}")
    print(f"fingerprint {fingerprint:08x}")


def measured(sizes: Sequence[int], iterations: int, repeats: int) -> None:
    """Print the speed-up of each size by each number of threads that this machine has cores for."""
    whole = -(-iterations // max(sizes)) * max(sizes)
    doubled = [2**k for k in range(usable_cores().bit_length())]
    usual, fingerprint = 0.0, 0
    print(f"speed-up over one core without batches, by wall-clock, median of {repeats}")
    print("batch   " + "".join(f"{threads:>7}" for threads in doubled) + " threads")
    for size in (1, *(size for size in sizes if size > 1)):
        row, bits = "", set()
        for threads in doubled:
            batches = Batches(size, whole, threads)
            batches.run()
            pass_ = median(batches.run(time.perf_counter) for _ in range(repeats))
            seconds = pass_ / whole + batches.dealing * batches.boards
            usual = usual or seconds
            row += f"{usual / seconds:7.2f}"
            bits.add(batches.fingerprint())
        fingerprint = zlib.crc32(repr(sorted(bits)).encode(), fingerprint)
        print(f"{size:>5}   {row}   {'same bits' if len(bits) == 1 else 'OTHER bits'}", flush=True)
    print(f"one core without batches: {1000 * usual:.2f} ms an iteration")
    print(f"fingerprint {fingerprint:08x}")


def strength(sizes: Sequence[int], iterations: int, flops: int) -> None:
    from cfr.cli.main import main as cfr

    with TemporaryDirectory() as folder:
        for size in sizes:
            out = f"{folder}/{size}.h5"
            if code := cfr(f"solve hulhe --preset quick --iterations {iterations} --batch {size} --out {out}".split()):
                raise SystemExit(code)
            print(f"batches of {size}, {iterations:,} iterations:")
            cfr(["exploit", out, "--flops", f"{flops}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one small batch: shows only that it works")
    sizes = parser.add_argument("--batches", default="1,8,32,64", help="sizes (default %(default)s)")
    parser.add_argument("--repeats", type=int, default=3, help="passes per median (default %(default)s)")
    parser.add_argument("--measured", action="store_true", help="measure the speed-up instead of predicting it")
    parser.add_argument("--strength", action="store_true", help="solve and measure instead")
    parser.add_argument("--iterations", type=int, default=8000, help="with --strength (default %(default)s)")
    parser.add_argument("--flops", type=int, default=40, help="with --strength (default %(default)s)")
    args = parser.parse_args()
    numbers = [int(size) for size in ("2" if args.quick else args.batches).split(",")]
    if min(numbers) < 1:
        parser.error(f"argument {sizes.option_strings[0]}: expected sizes of at least 1")
    if args.strength:
        strength(numbers, args.iterations, args.flops)
    else:
        show = measured if args.measured else compare
        show(numbers, 2 if args.quick else 64, 1 if args.quick else args.repeats)


if __name__ == "__main__":
    main()
