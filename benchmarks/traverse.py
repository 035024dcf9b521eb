"""Boards per second of the traversal kernel on full hold'em, against its narrowest build and the slow twin.

    python benchmarks/traverse.py [--quick]

An update traverses one sampled board for both seats. Hands are put in rows at random, about as many to a board as the
abstraction does. The fingerprint covers the regrets after a fixed number of updates: it changes only with results.
"""

import argparse
import hashlib
import os
import statistics
import time

import numpy as np

from cfr import traversal
from cfr.abstraction import Abstraction
from cfr.deals import Deal, enumerate_deal, sample_boards, sampled_deal
from cfr.forecast import TrialRows
from cfr.game import Game
from cfr.reference import Reference
from cfr.traversal import Tables, Traversal, layout

HULHE, LEDUC = Game.bundled("hulhe"), Game.bundled("leduc")
KERNELS = dict(traversal._KERNELS)


def make(
    deal: Deal, game: Game, threads: int, dtype: type = np.float32
) -> tuple[Traversal, list[Tables], list[Tables]]:
    kernel = Traversal(layout(game, dtype), threads, dtype)
    return kernel, kernel.zeros(deal.num_rows), kernel.zeros(deal.num_rows)


def update(run: tuple[Traversal, list[Tables], list[Tables]], deal: Deal, root: int) -> None:
    kernel, regrets, averages = run
    for seat in (0, 1):
        kernel.run(deal, regrets, seat, "update", averages=[tables[seat] for tables in averages], root=root)


def rate(deal: Deal, threads: int, boards: int, repeats: int) -> float:
    """Median boards per second, both seats, after one round to touch the tables."""
    run = make(deal, HULHE, threads)
    rates = []
    for repeat in range(repeats + 1):
        begun = time.perf_counter()
        for root in range(boards):
            update(run, deal, root)
        if repeat:
            rates.append(boards / (time.perf_counter() - begun))
    return statistics.median(rates)


def fingerprint(deal: Deal, threads: int) -> str:
    run = make(deal, HULHE, threads)
    for root in range(2):
        update(run, deal, root)
    return hashlib.sha256(b"".join(table.tobytes() for pair in run[1] for table in pair)).hexdigest()[:16]


def leduc_rates(iterations: int) -> tuple[float, float]:
    """Iterations per second of the kernel and of the twin."""
    deal = enumerate_deal(LEDUC, Abstraction.lossless(LEDUC))
    run = make(deal, LEDUC, 1, np.float64)
    begun = time.perf_counter()
    for _ in range(100 * iterations):
        update(run, deal, 0)
    kernel = 100 * iterations / (time.perf_counter() - begun)
    twin = Reference(LEDUC)
    begun = time.perf_counter()
    for _ in range(iterations):
        for seat in (0, 1):
            twin.update(seat)
    return kernel, iterations / (time.perf_counter() - begun)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a few boards only")
    quick = parser.parse_args().quick
    boards, repeats = (2, 1) if quick else (16, 5)
    rng = np.random.default_rng(0)
    deal = sampled_deal(HULHE, TrialRows(HULHE, rng), sample_boards(HULHE, boards, rng))
    cores = os.cpu_count() or 1

    wide = rate(deal, 1, boards, repeats)
    print(f"hulhe, 1 thread            {wide:8.1f} boards/s")
    many = rate(deal, cores, boards, repeats)
    print(f"hulhe, {cores} threads           {many:8.1f} boards/s, {many / wide:.2f}x")
    level = KERNELS[np.dtype(np.float32)].__name__
    marks = {fingerprint(deal, threads) for threads in (1, cores)}
    traversal._KERNELS[np.dtype(np.float32)] = traversal._load_level("_traverse", "base")
    base = rate(deal, 1, boards, repeats)
    print(f"the same, base build       {base:8.1f} boards/s; {level} is {wide / base:.2f}x")
    marks.add(fingerprint(deal, 1))
    kernel, twin = leduc_rates(1 if quick else 5)
    print(f"leduc, float64             {kernel:8.1f} iterations/s; the slow twin {twin:.2f}, {kernel / twin:.0f}x")
    assert len(marks) == 1, f"threads or builds disagree: {marks}"
    print(f"fingerprint {marks.pop()}")


if __name__ == "__main__":
    main()
